"""The processes that simulate for the tabs: one for each, so many at the most, and one kept ready.

A simulation outlives the socket of its tab for a while, so that a page that is loaded again goes on where it was. Only
whoever knows its name can go on with it, and only while no other tab has it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import struct
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine
from typing import Any

from plash.studio.messages import Leave

MOST = 4
MOST_OF_A_CLASS = 30
AT_ONCE = max(1, os.cpu_count() or 1)  # processes that get ready at the same time
PATIENCE = 300.0  # s that a simulation waits for its tab to come back
THREADS = max(1, min(4, (os.cpu_count() or 1) // 2))  # of a simulation: the browser wants the rest
_HANDOVER = 2.0  # s that a tab waits for the one before it to be gone: a page that is loaded again is quick
_LONGEST_ANSWER = 64 * 2**20

_READY = b'{"kind": "ready"}'
_FEW = 4  # simulations, of which each may have several threads

Listener = Callable[[bytes, bytes], Coroutine[Any, Any, None]]


class Simulation:
    """A session in a process of its own.

    Attributes:
        name: What its tab asks for it by; nobody else can know it.
        is_free: Set while no tab has it.
        is_ready: Set when it has loaded its kernels, or ended.
    """

    def __init__(self, process: Process) -> None:
        self.name = secrets.token_urlsafe(24)
        self.is_free = asyncio.Event()
        self.is_ready = asyncio.Event()
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._listener: Listener | None = None
        self._telling: asyncio.Task[None] | None = None
        self._passing: asyncio.Task[None] | None = None

    @staticmethod
    async def start(threads: int = THREADS) -> Simulation:
        """Start a process, which gets ready by itself."""
        environment = {"NUMBA_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1", **os.environ}
        program = [sys.executable, "-m", "plash.studio.process"]
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

    def post(self, text: bytes) -> None:
        """Pass a message on, without waiting for it to be taken."""
        self._input.write(struct.pack("<I", len(text)) + text)

    async def send(self, text: bytes) -> None:
        """Pass a message on; one to a process that has ended is lost."""
        with contextlib.suppress(ConnectionError):
            self.post(text)
            await self._input.drain()

    def begin(self) -> None:
        """Pass answers on to whoever listens, from now until the process ends."""
        self._passing = asyncio.create_task(self._pass_on())

    def listen(self, listener: Listener | None) -> None:
        """Say who hears the answers from now on; without a listener they are dropped, the one on its way too."""
        self._listener = listener
        if self._telling is not None:
            self._telling.cancel()

    async def ended(self) -> None:
        """Wait until there will be no more answers."""
        if self._passing is not None:
            await asyncio.wait([self._passing])

    async def _pass_on(self) -> None:
        """Pass answers on, the next when the last was heard."""
        while (answer := await self._answer()) is not None:
            if answer[1] == _READY:
                self.is_ready.set()
            if self._listener is not None:
                self._telling = asyncio.create_task(self._listener(*answer))
                await asyncio.wait([self._telling])
        self.is_ready.set()

    async def _answer(self) -> tuple[bytes, bytes] | None:
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

    def __init__(self, most: int = MOST, patience: float = PATIENCE) -> None:
        self.most = most
        self.patience = patience
        self.count = 0  # of simulations that tabs have or had, or are about to have
        self._all: dict[str, Simulation] = {}
        self._alarms: dict[str, asyncio.TimerHandle] = {}  # of those that wait for their tabs, the longest first
        self._tasks: set[asyncio.Task[None]] = set()
        self._line: list[object] = []  # tabs that wait for a simulation, the first first
        self._moved = asyncio.Condition()  # something changed that tabs in line wait for
        self._starting = 0  # processes that get ready
        self._spare: Simulation | None = None

    async def prepare(self) -> None:
        """Keep one ready, so that the next tab need not wait."""
        if self._spare is None and self.count < self.most:
            self._spare = await self._start()

    async def take_in_turn(self, scene: str, tell: Callable[[int, bool], Coroutine[Any, Any, None]]) -> Simulation:
        """A simulation for a tab, when it is its turn, there is a place, and few others get ready.

        Args:
            scene: That it begins with.
            tell: Called when the tab has to wait, with its number in line, and whether all places are taken.
        """
        ticket, told = object(), (0, False)
        self._line.append(ticket)
        try:
            while True:
                number, is_full = self._line.index(ticket) + 1, self.count - len(self._alarms) >= self.most
                if number == 1 and self._starting < AT_ONCE:
                    simulation = await self.take(scene)
                    if simulation is not None:
                        return simulation
                if (number, is_full) != told:
                    told = number, is_full
                    await tell(number, is_full)
                async with self._moved:
                    await self._moved.wait()
        finally:
            self._line.remove(ticket)
            self._begin(self._notify())

    async def take(self, scene: str) -> Simulation | None:
        """A simulation for a tab that begins with a scene; None if there are too many.

        Of those that wait for their tabs, the one that waits longest gives its place up.
        """
        while self.count >= self.most and self._alarms:
            await self.give_back(self._all[next(iter(self._alarms))])
        if self.count >= self.most:
            return None
        self.count += 1
        spare, self._spare = self._spare, None
        try:
            simulation = spare if spare is not None and spare.is_alive else await self._start()
        except BaseException:
            self.count -= 1
            raise
        self._all[simulation.name] = simulation
        simulation.begin()
        self._starting += 1
        self._begin(self._count_ready(simulation))
        simulation.post(scene.encode())
        return simulation

    async def take_again(self, name: str) -> Simulation | None:
        """The simulation of a name, which its tab comes back to; None if there is none, or if a tab has it."""
        simulation = self._all.get(name)
        if simulation is None:
            return None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(simulation.is_free.wait(), _HANDOVER)
        if name not in self._alarms:
            return None
        self._hold(simulation)
        if not simulation.is_alive:
            await self.give_back(simulation)
            return None
        return simulation

    async def leave(self, simulation: Simulation) -> None:
        """A tab is gone: its simulation waits for it to come back."""
        simulation.listen(None)
        await simulation.send(Leave(kind="leave").model_dump_json().encode())
        simulation.is_free.set()
        alarm = asyncio.get_running_loop().call_later(self.patience, self._give_up, simulation)
        self._alarms[simulation.name] = alarm
        await self._notify()

    async def give_back(self, simulation: Simulation) -> None:
        """Nobody wants a simulation any more."""
        self._hold(simulation)
        del self._all[simulation.name]
        self.count -= 1
        await simulation.end()
        await self._notify()

    async def end(self) -> None:
        """End them all."""
        left = [*self._all.values(), *([self._spare] if self._spare is not None else [])]
        self._spare = None
        for simulation in left:
            self._hold(simulation)
            await simulation.end()

    def _hold(self, simulation: Simulation) -> None:
        """A simulation no longer waits for its tab."""
        simulation.is_free.clear()
        if (alarm := self._alarms.pop(simulation.name, None)) is not None:
            alarm.cancel()

    def _give_up(self, simulation: Simulation) -> None:
        """A simulation has waited long enough."""
        self._hold(simulation)
        self._begin(self.give_back(simulation))

    async def _start(self) -> Simulation:
        """A new process; with many each has one thread."""
        return await Simulation.start(THREADS if self.most <= _FEW else 1)

    async def _count_ready(self, simulation: Simulation) -> None:
        """Let the next process start when one is ready."""
        await simulation.is_ready.wait()
        self._starting -= 1
        await self._notify()

    async def _notify(self) -> None:
        """Let tabs in line look whether it is their turn."""
        async with self._moved:
            self._moved.notify_all()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something by the way."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
