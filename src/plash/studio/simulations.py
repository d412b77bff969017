"""The processes that simulate for the tabs: one for each, so many at the most, and one kept ready."""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
import sys
from asyncio.subprocess import PIPE, Process

MOST = 4
THREADS = max(1, min(4, (os.cpu_count() or 1) // 2))  # of a simulation: the browser wants the rest
_LONGEST_ANSWER = 64 * 2**20


class Simulation:
    """A session in a process of its own."""

    def __init__(self, process: Process) -> None:
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout

    @staticmethod
    async def start() -> Simulation:
        """Start a process, which gets ready by itself."""
        environment = {"NUMBA_NUM_THREADS": str(THREADS), "OPENBLAS_NUM_THREADS": "1", **os.environ}
        program = [sys.executable, "-m", "plash.studio.session"]
        return Simulation(
            await asyncio.create_subprocess_exec(*program, stdin=PIPE, stdout=PIPE, env=environment, limit=2**20)
        )

    @property
    def process_id(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.returncode is None

    async def send(self, text: bytes) -> None:
        """Pass a message on; one to a process that has ended is lost."""
        with contextlib.suppress(ConnectionError):
            self._input.write(struct.pack("<I", len(text)) + text)
            await self._input.drain()

    async def answer(self) -> tuple[bytes, bytes] | None:
        """The next answer, its kind first; None when there will be none any more."""
        try:
            (length,) = struct.unpack("<I", await self._output.readexactly(4))
            data = await self._output.readexactly(min(length, _LONGEST_ANSWER))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        return data[:1], data[1:]

    async def end(self) -> None:
        """End the process at once."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._input.close()
        await self._process.wait()


class Simulations:
    """All simulations of a studio."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.count = 0  # of tabs that have one, or are about to
        self._taken: set[Simulation] = set()
        self._spare: Simulation | None = None

    async def prepare(self) -> None:
        """Keep one ready, so that the next tab need not wait."""
        if self._spare is None and self.count < self.most:
            self._spare = await Simulation.start()

    async def take(self, scene: str) -> Simulation | None:
        """A simulation for a tab that begins with a scene; None if there are too many."""
        if self.count >= self.most:
            return None
        self.count += 1
        spare, self._spare = self._spare, None
        simulation = spare if spare is not None and spare.is_alive else await Simulation.start()
        self._taken.add(simulation)
        await simulation.send(scene.encode())
        return simulation

    async def give_back(self, simulation: Simulation) -> None:
        """A tab is gone, and its simulation with it."""
        self._taken.discard(simulation)
        self.count -= 1
        await simulation.end()

    async def end(self) -> None:
        """End them all."""
        spare = [self._spare] if self._spare is not None else []
        self._spare = None
        for simulation in [*self._taken, *spare]:
            await simulation.end()
