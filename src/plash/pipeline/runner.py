"""The runner of stages: what is left to do, in which order, and what becomes of it.

It alone keeps the manifest, the seconds and the progress, stops when asked to, and has made again what cannot be read.
A file is done when the manifest has it, made from the same settings and the same files, and it is on disk with its
full size.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

from plash.errors import PlashError, StoppedError, StorageError
from plash.files.atomic import Written, has_size, write_bytes
from plash.files.layout import RunFolder
from plash.files.log import Log
from plash.files.manifest import Item, Manifest
from plash.pipeline.checkpoints import prune_checkpoints, remove_unknown_checkpoints
from plash.pipeline.compiling import Compilation
from plash.pipeline.fingerprint import fingerprint
from plash.pipeline.machine import machine_text
from plash.pipeline.progress import Progress
from plash.pipeline.run_history import RunHistory
from plash.pipeline.stages.stage import WHOLE, DamagedInputError, File, FileStage, Inputs, RunPaths, Stage
from plash.pipeline.stop import Stop
from plash.scene.model import Scene


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
        log: A line for each time step.
        or_plainer: Whether something plainer may stand in for an optional part that is not installed.
    """

    folder: RunFolder
    scene: Scene
    manifest: Manifest
    progress: Progress
    stop: Stop
    compilation: Compilation
    log: Log
    or_plainer: bool

    @cached_property
    def paths(self) -> RunPaths:
        """Where its files are."""
        return RunPaths(self.folder, self.manifest.name, self.scene.solver.frame_files)

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
    """Makes the files of a stage that is a function of what it reads."""

    def __init__(self, run: Run, stage: FileStage[Any]) -> None:
        self._run, self._stage = run, stage
        self._scene, self.note = stage.adapted(run.scene, run.or_plainer)
        self._settings: dict[int, str] = {}

    def begin(self) -> None:
        """Prepare at once what a scene may fail in."""
        if self._stage.prepares_first(self._scene):
            _ = self._prepared

    def source(self, number: int) -> str:
        """A hash of the edition, the settings, the files that are read, and the record of the run as far as told."""
        stage, run = self._stage, self._run
        kind = min(number, 1)  # settings are those of every frame
        if kind not in self._settings:
            self._settings[kind] = fingerprint(*stage.settings(self._scene, kind))
        items = [run.item(source, place) for source, place in stage.inputs(self._scene, number)]
        checksums = [item.sha256 if item is not None else "" for item in items]
        return fingerprint(stage.edition, self._settings[kind], *checksums, *stage.record(run.manifest))

    def make(self, number: int) -> Made:
        """Read what the file is made from, make it, and write it."""
        path = self._stage.file(self._run.paths, number)
        return Made(write_bytes(path, self._stage.make(self._inputs(number, path))))

    def _inputs(self, number: int, path: Path) -> Inputs:
        run, sources = self._run, self._stage.inputs(self._scene, number)
        files = {(source.name, place): self._file(source, place) for source, place in sources}

        def before_read() -> None:
            # A frame is finished first; what is made of all frames takes long
            if number <= WHOLE:
                run.stop.raise_if_requested(f"while {path.name} was made")

        return Inputs(self._scene, number, files, lambda: self._prepared, run.history, before_read)

    def _file(self, source: Stage[Any], number: int) -> File:
        item = self._run.item(source, number)
        written = item.written if item is not None else None
        return File(source.file(self._run.paths, number), written, self._run.remedy)

    @cached_property
    def _prepared(self) -> Any:
        return self._stage.prepared(self._scene)


class Runner:
    """Does what is left of some stages, frame by frame, so that pictures appear while the simulation goes on."""

    def __init__(self, run: Run, stages: Sequence[Stage[Any]]) -> None:
        self._run = run
        self._makers = {stage.name: stage.maker(run) for stage in stages}
        self._frame_stages = [stage for stage in stages if stage.is_of_frames]
        self._whole_stages = [stage for stage in stages if not stage.is_of_frames]
        self._mended: set[tuple[str, int]] = set()

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not quite as it was asked for."""
        return tuple(maker.note for maker in self._makers.values() if maker.note)

    def work(self) -> None:
        """Bring every frame through the stages, then make what is made of all frames."""
        run, stages = self._run, [*self._frame_stages, *self._whole_stages]
        to_do = {stage.name: sum(not self._is_done(stage, n) for n in stage.wanted(run.scene)) for stage in stages}
        try:
            for name, count in to_do.items():
                if count:
                    self._makers[name].begin()
            run.progress.begin(run.scene.time.frames, to_do)
            with _status(run, list(to_do)):
                self._finish_frames()
                self._finish_whole(self._whole_stages)
        finally:
            run.progress.end()

    def _finish_frames(self) -> int:
        """Bring every frame through the stages; returns how many files were made."""
        run, whole = self._run, 0
        for frame in range(1, run.scene.time.frames + 1):
            made = self._finish_frame(self._frame_stages, frame)
            if made:
                whole += made
                prune_checkpoints(run.manifest, run.scene.output.checkpoint_every)
                run.manifest.write(run.folder)
                remove_unknown_checkpoints(run.folder, run.manifest)
            run.stop.raise_if_requested(f"after frame {frame}")
        return whole

    def _finish_frame(self, stages: Sequence[Stage[Any]], frame: int) -> int:
        """Bring a frame through some stages; returns how many files were made."""
        made = 0
        for place, stage in enumerate(stages):
            if not self._is_done(stage, frame):
                made += self._make(stage, frame, partial(self._finish_frame, stages[:place], frame))
        return made

    def _finish_whole(self, stages: Sequence[Stage[Any]]) -> int:
        """Make the files of some stages that are made of all frames; returns how many were made."""
        made = 0
        for place, stage in enumerate(stages):
            for number in stage.wanted(self._run.scene):
                if not self._is_done(stage, number):
                    made += self._make(stage, number, partial(self._mend_whole, stages[:place]))
                    self._run.manifest.write(self._run.folder)
        return made

    def _mend_whole(self, stages: Sequence[Stage[Any]]) -> int:
        return self._finish_frames() + self._finish_whole(stages)

    def _is_done(self, stage: Stage[Any], number: int) -> bool:
        """Whether a file is there, made from what it would be made from now."""
        item = self._run.item(stage, number)
        if item is None or item.source != self._makers[stage.name].source(number):
            return False
        return has_size(stage.file(self._run.paths, number), item.written)

    def _make(self, stage: Stage[Any], number: int, mend: Callable[[], int]) -> int:
        """Make a file; returns how many were made.

        What it is made from and cannot be read does not count as done any more: `mend` has it made again by the stage
        it came from, if that is at work, and returns how many files that were.
        """
        mended = 0
        while True:
            try:
                self._keep(stage, number)
                return mended + 1
            except DamagedInputError as error:
                self._forget(error)
                made = mend()
                if not made:
                    raise
                mended += made

    def _keep(self, stage: Stage[Any], number: int) -> None:
        """Make a file and remember it."""
        run, maker = self._run, self._makers[stage.name]
        source, stopwatch = maker.source(number), run.compilation.stopwatch()
        made = maker.make(number)
        seconds, compiling = stopwatch()
        run.manifest.stage(stage.name).items[number] = Item.of(
            made.written, source=source, seconds=round(seconds, 4), compiling=round(compiling, 4), **made.about
        )
        run.progress.made(stage.name, max(number, WHOLE), seconds)
        if made.trouble is not None:
            raise made.trouble

    def _forget(self, error: DamagedInputError) -> None:
        """Take a file that cannot be read out of the manifest; one that was made again before ends the run."""
        lost = (error.stage, error.number)
        if self._run.manifest.stage(error.stage).items.pop(error.number, None) is not None:
            self._run.manifest.write(self._run.folder)
        if lost in self._mended:
            raise error
        self._mended.add(lost)


@contextmanager
def _status(run: Run, stages: Sequence[str]) -> Iterator[None]:
    """Keep the manifest's word on each stage true, however the work ends."""
    manifest = run.manifest
    for stage in stages:
        manifest.stage(stage).status = "running"
    manifest.write(run.folder)
    try:
        yield
    except PlashError as error:
        stopped = isinstance(error, StoppedError)
        for stage in stages:
            manifest.stage(stage).status = "stopped" if stopped else "failed"
        manifest.message = str(error)
        _write_if_possible(run, error)
        raise
    for stage in stages:
        manifest.stage(stage).status = "done"
    manifest.write(run.folder)


def _write_if_possible(run: Run, error: PlashError) -> None:
    """Write the manifest at the end of a failed run; where the disk is the trouble, the first error is what counts."""
    try:
        run.manifest.write(run.folder)
    except StorageError:
        if not isinstance(error, StorageError):
            raise
