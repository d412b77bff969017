"""The runner of stages: what is left to do, in which order, and what becomes of it.

It alone keeps the manifest, the seconds and the progress, stops when asked to, and has made again what cannot be read.
A file is done when the manifest has it, made from the same settings and the same files, and it is on disk with its
full size.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from plash.errors import PlashError, StoppedError, StorageError
from plash.files.atomic import has_size
from plash.files.manifest import Item
from plash.pipeline.checkpoints import prune_checkpoints, remove_unknown_checkpoints
from plash.pipeline.damage import lost_edit
from plash.pipeline.lanes.lanes import Lanes, made_apart
from plash.pipeline.maker import Run
from plash.pipeline.stages.stage import WHOLE, DamagedInputError, FileStage, Stage
from plash.scene.model import Scene


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
        """Make what needs the scene alone, then every frame through all stages, then what is made of all frames."""
        run, stages = self._run, [*self._frame_stages, *self._whole_stages]
        to_do = {stage.name: sum(not self._is_done(stage, n) for n in run.wanted(stage)) for stage in stages}
        try:
            for name, count in to_do.items():
                if count:
                    self._makers[name].begin()
            run.progress.begin(run.frames, to_do)
            with _status(run, stages):
                self._finish_whole([stage for stage in self._whole_stages if _needs_no_frames(stage, run.scene)])
                self._finish_frames()
                self._finish_whole(self._whole_stages)
        finally:
            run.progress.end()

    def _finish_frames(self) -> int:
        """Bring every frame through the stages; returns how many files were made."""
        apart = made_apart({stage: self._makers[stage.name] for stage in self._frame_stages})
        lanes, made = Lanes(self._run, apart), 0
        try:
            for frame in range(1, self._run.frames + 1):
                made += self._finish_frame_beside(lanes, apart, frame)
                self._run.stop.raise_if_requested(f"after frame {frame}")
            while lanes.waiting or lanes.returned or lanes.are_busy:
                made += self._help(lanes)
                self._run.stop.raise_if_requested("while files of frames were made")
        finally:
            self._take_from(lanes)
            lanes.close()
        return made

    def _finish_frame_beside(self, lanes: Lanes, apart: Collection[Stage[Any]], frame: int) -> int:
        """Bring a frame through the stages, or as far as lanes do not do that; returns how many files were made."""
        lanes.share_cores()
        if lanes.are_open:
            made = self._finish_frame([stage for stage in self._frame_stages if stage not in apart], frame)
            if any(self._is_left(stage, frame) for stage in apart):
                lanes.ask(frame)
        else:
            made = self._finish_frame(self._frame_stages, frame)
            if made:
                lanes.open_if_worth_it(frame)
        made += self._take_from(lanes)
        while lanes.returned:
            made += self._finish_frame(self._frame_stages, lanes.returned.popleft())
        self._write_manifest(made)
        return made

    def _help(self, lanes: Lanes) -> int:
        """Once all is simulated, do what lanes could not finish or have not begun; returns how many files were made."""
        lanes.share_cores()
        frames = lanes.returned or lanes.waiting
        made = self._finish_frame(self._frame_stages, frames.popleft()) if frames else 0
        made += self._take_from(lanes, wait=not made)
        self._write_manifest(made)
        return made

    def _take_from(self, lanes: Lanes, wait: bool = False) -> int:
        """Remember what lanes have made; returns how many files that were."""
        made = list(lanes.made(wait))
        for stage, number, item in made:
            self._run.manifest.stage(stage).items[number] = item
            self._run.progress.made(stage, number, item.seconds)
        return len(made)

    def _write_manifest(self, made: int) -> None:
        """Write the manifest if files were made; then remove checkpoints that it has no more."""
        run = self._run
        if made:
            prune_checkpoints(run.manifest, run.scene.output.checkpoint_every)
            run.manifest.write(run.folder)
            remove_unknown_checkpoints(run.folder, run.manifest)

    def make_frame(self, frame: int) -> None:
        """Make the files of a frame, for another process that keeps the manifest and mends what is damaged."""
        for stage in self._frame_stages:
            if self._is_left(stage, frame):
                self._keep(stage, frame)

    def _finish_frame(self, stages: Sequence[Stage[Any]], frame: int) -> int:
        """Bring a frame through some stages; returns how many files were made."""
        made = 0
        for place, stage in enumerate(stages):
            if self._is_left(stage, frame):
                made += self._make(stage, frame, partial(self._mend_frames, stages[: place + 1], frame))
        return made

    def _mend_frames(self, stages: Sequence[Stage[Any]], frame: int) -> int:
        """Make again what a file of the last of some stages is made from, in its frame and those before."""
        before = sum(self._finish_frame(stages, number) for number in range(1, frame))
        return before + self._finish_frame(stages[:-1], frame)

    def _finish_whole(self, stages: Sequence[Stage[Any]]) -> int:
        """Make the files of some stages that are made of all frames; returns how many were made."""
        made = 0
        for place, stage in enumerate(stages):
            for number in self._run.wanted(stage):
                if not self._is_done(stage, number):
                    made += self._make(stage, number, partial(self._mend_whole, stages[:place]))
                    self._run.manifest.write(self._run.folder)
        return made

    def _mend_whole(self, stages: Sequence[Stage[Any]]) -> int:
        return self._finish_frames() + self._finish_whole(stages)

    def _is_left(self, stage: Stage[Any], number: int) -> bool:
        """Whether a file is wanted and not there."""
        return number in self._run.wanted(stage) and not self._is_done(stage, number)

    def _is_done(self, stage: Stage[Any], number: int) -> bool:
        """Whether a file is there, made from what it would be made from now, or edited by hand."""
        item = self._run.item(stage, number)
        if item is None or not (item.edited or item.source == self._makers[stage.name].source(number)):
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
        item = self._run.manifest.stage(error.stage).items.pop(error.number, None)
        if item is not None:
            self._run.manifest.write(self._run.folder)
            if item.edited:
                self._run.progress.note(f"{error}. {lost_edit(item)}")
        if lost in self._mended:
            raise error
        self._mended.add(lost)


def _needs_no_frames(stage: Stage[Any], scene: Scene) -> bool:
    """Whether the files of a stage are made from the scene alone."""
    return isinstance(stage, FileStage) and not any(stage.inputs(scene, number) for number in stage.wanted(scene))


@contextmanager
def _status(run: Run, stages: Sequence[Stage[Any]]) -> Iterator[None]:
    """Keep the manifest's word on each stage true, however the work ends: after a still most of it is left."""
    manifest = run.manifest
    for stage in stages:
        manifest.stage(stage.name).status = "running"
    manifest.write(run.folder)
    try:
        yield
    except PlashError as error:
        stopped = isinstance(error, StoppedError)
        for stage in stages:
            manifest.stage(stage.name).status = "stopped" if stopped else "failed"
        manifest.message = str(error)
        _write_if_possible(run, error)
        raise
    for stage in stages:
        record = manifest.stage(stage.name)
        record.status = "done" if all(n in record.items for n in stage.wanted(run.scene)) else "stopped"
    manifest.write(run.folder)


def _write_if_possible(run: Run, error: PlashError) -> None:
    """Write the manifest at the end of a failed run; where the disk is the trouble, the first error is what counts."""
    try:
        run.manifest.write(run.folder)
    except StorageError:
        if not isinstance(error, StorageError):
            raise
