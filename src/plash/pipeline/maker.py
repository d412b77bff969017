"""Who makes the files of a stage in a run: for most stages, a function of what it reads."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from plash.errors import PlashError
from plash.files.atomic import Written, write_bytes
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest
from plash.pipeline.compiling import Compilation
from plash.pipeline.fingerprint import fingerprint
from plash.pipeline.machine import machine_text
from plash.pipeline.progress import Progress
from plash.pipeline.run_history import RunHistory
from plash.pipeline.stages.stage import WHOLE, File, FileStage, Inputs, RunPaths, Stage
from plash.pipeline.stop import Stop
from plash.scene.model import Scene


class StepLog(Protocol):
    """Where the entry of each time step goes."""

    def append(self, step: int, entry: dict[str, Any]) -> None:
        """Add the entry of a step."""

    def sync(self) -> None:
        """Have on disk what was added."""


@dataclass(eq=False)
class Run:
    """A run in work: where its files are, what is asked for, what is done, who wants to know, and when to stop.

    Attributes:
        folder: Where everything is.
        scene: What is asked for.
        manifest: What is done.
        progress: Who wants to know.
        stop: Whether somebody asked for a stop.
        compilation: What is compiled on the way, which is counted apart.
        log: Where a line for each time step goes.
        or_plainer: Whether something plainer may stand in for an optional part that is not installed.
        still: The one frame that is wanted of stages that read frames; None for all.
    """

    folder: RunFolder
    scene: Scene
    manifest: Manifest
    progress: Progress
    stop: Stop
    compilation: Compilation
    log: StepLog
    or_plainer: bool
    still: int | None = None

    @cached_property
    def paths(self) -> RunPaths:
        """Where its files are."""
        return RunPaths(self.folder, self.manifest.name, self.scene.solver.frame_files)

    @property
    def frames(self) -> int:
        """The last frame to simulate."""
        return self.scene.time.frames if self.still is None else self.still

    def wanted(self, stage: Stage[Any]) -> Sequence[int]:
        """The numbers of the files that are asked for: for a still its own, and those before that it goes on from."""
        wanted, still = stage.wanted(self.scene), self.still
        if still is None or not stage.is_of_frames:
            return wanted
        before = stage.inputs(self.scene, still) if isinstance(stage, FileStage) else [(stage, still - 1)]
        first = 1 if any(source is stage for source, _ in before) else still
        return [number for number in wanted if first <= number <= still]

    @property
    def remedy(self) -> str:
        """What brings back a file that is missing or damaged."""
        return f"`{self.folder.resume_command}` makes it again"

    def item(self, stage: Stage[Any], number: int) -> Item | None:
        """What the manifest says of a file; None if it was never made, or is forgotten."""
        return self.manifest.stage(stage.name).items.get(number)

    def history(self) -> RunHistory:
        """What is known of the run so far."""
        today = datetime.date.today().isoformat()
        return RunHistory(self.scene, self.manifest, self.folder.log, today, machine_text())


@dataclass(frozen=True)
class Made:
    """A file that was made just now.

    Attributes:
        written: What it holds.
        about: What else the manifest says of it.
        trouble: What ends the run, once the file is in the manifest; None if all is well.
    """

    written: Written
    about: dict[str, Any] = field(default_factory=dict)
    trouble: PlashError | None = None


class Maker(Protocol):
    """Makes the files of a stage in a run.

    Attributes:
        note: What the user should know about how they are made; empty if that is as asked for.
    """

    note: str

    def begin(self) -> None:
        """Say or refuse, before anything is computed, what can be known then: there is something to do."""

    def source(self, number: int) -> str:
        """What a file would be made from now, as a hash."""

    def make(self, number: int) -> Made:
        """Make a file and write it.

        Raises:
            DamagedInputError: Another file that it is made from cannot be read.
        """


class FileMaker:
    """Makes the files of a stage that is a function of what it reads.

    Attributes:
        note: What the user should know about how they are made.
        scene: What is asked for, as this machine can make it.
    """

    def __init__(self, run: Run, stage: FileStage[Any]) -> None:
        self._run, self._stage = run, stage
        self.scene, self.note = stage.adapted(run.scene, run.or_plainer)
        self._settings: dict[int, str] = {}

    def begin(self) -> None:
        """Prepare at once what a scene may fail in."""
        if self._stage.prepares_first(self.scene):
            _ = self._prepared

    def source(self, number: int) -> str:
        """A hash of the edition, the settings, the files that are read, and the record of the run as far as told."""
        stage, run = self._stage, self._run
        kind = min(number, 1)  # settings are those of every frame
        if kind not in self._settings:
            self._settings[kind] = fingerprint(*stage.settings(self.scene, kind))
        items = [run.item(source, place) for source, place in stage.inputs(self.scene, number)]
        checksums = [item.sha256 if item is not None else "" for item in items]
        return fingerprint(stage.edition, self._settings[kind], *checksums, *stage.record(run.manifest))

    def make(self, number: int) -> Made:
        """Read what the file is made from, make it, and write it."""
        path = self._stage.file(self._run.paths, number)
        return Made(write_bytes(path, self._stage.make(self._inputs(number, path))))

    def _inputs(self, number: int, path: Path) -> Inputs:
        run, sources = self._run, self._stage.inputs(self.scene, number)
        files = {(source.name, place): self.file(source, place, run.paths) for source, place in sources}

        def before_read() -> None:
            # A frame is finished first; what is made of all frames takes long
            if number <= WHOLE:
                run.stop.raise_if_requested(f"while {path.name} was made")

        return Inputs(self.scene, number, files, lambda: self._prepared, run.history, before_read)

    def file(self, source: Stage[Any], number: int, paths: RunPaths) -> File:
        """A file to be read, of those that the run has at some paths."""
        item = self._run.item(source, number)
        written = item.written if item is not None else None
        return File(source.file(paths, number), written, self._run.remedy)

    @cached_property
    def _prepared(self) -> Any:
        return self._stage.prepared(self.scene)
