"""Runs that the studio starts: each a `plash` of its own, in a folder of the runs folder."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from plash.errors import PlashError, StorageError
from plash.scene.language.write import write_scene
from plash.scene.model import Scene
from plash.studio.runs import Runs

MOST = 2


class RunProcesses:
    """The runs under way."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._processes: dict[str, Process] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.messages: dict[str, str] = {}

    async def start(self, scene: Scene, quality: str) -> str:
        """Start a run of a scene; returns its name.

        Raises:
            PlashError: There are too many already, or the runs folder cannot be written to.
        """
        self._refuse_too_many()
        try:
            self._runs.root.mkdir(parents=True, exist_ok=True)
            folder = self._runs.new(scene.title)
            file = folder.with_suffix(".toml")
            write_scene(scene, file)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StorageError(f"no run can be started in {self._runs.root}: {reason}") from None
        await self._launch(folder, "run", str(file), "--out", str(folder), "--quality", quality)
        return folder.name

    async def resume(self, name: str) -> None:
        """Go on with a run that was stopped."""
        self._refuse_too_many()
        folder = self._runs.folder(name)
        if folder is None:
            raise PlashError("there is no run of that name")
        await self._launch(folder, "resume", str(folder))

    def stop(self, name: str) -> None:
        """Stop a run that was started here after the step in work, or at once if asked again; it can be resumed."""
        process = self._processes.get(name)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()

    def end(self) -> None:
        """Stop every run; each can be resumed."""
        for name in list(self._processes):
            self.stop(name)

    def is_own(self, name: str) -> bool:
        """Whether a run under way was started here."""
        return name in self._processes

    def _refuse_too_many(self) -> None:
        if len(self._processes) >= MOST:
            raise PlashError(f"{MOST} runs are under way already: wait for one to end, or stop it")

    async def _launch(self, folder: Path, *arguments: str) -> None:
        program = [sys.executable, "-m", "plash", *arguments, "--quiet"]
        process = await asyncio.create_subprocess_exec(*program, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
        name = folder.relative_to(self._runs.root).as_posix()
        self._processes[name] = process
        self.messages.pop(name, None)
        task = asyncio.create_task(self._wait(name, process))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _wait(self, name: str, process: Process) -> None:
        """Keep what a run said last, and forget it when it ends."""
        _, errors = await process.communicate()
        self._processes.pop(name, None)
        if process.returncode not in (0, 130) and errors:
            self.messages[name] = errors.decode(errors="replace").strip().splitlines()[-1][:500]
