"""Which files of a run are not what was written, and what becomes of them: they are forgotten, and so made again.

A file whose size and time of change are those of when it was written is taken to be sound, unless every file is to be
read: that takes its time, and finds what a failing disk has changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, MutableMapping
from dataclasses import dataclass, replace
from pathlib import Path

from plash.errors import DamagedError
from plash.files.atomic import is_untouched, verify
from plash.files.guard import NOTHING, found_at
from plash.files.layout import RunFolder
from plash.files.log import lost_lines
from plash.files.manifest import Item, Manifest
from plash.pipeline.checkpoints import checkpoint_file
from plash.pipeline.progress import Progress
from plash.pipeline.stages.registry import STAGES, stages_of
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import RunPaths


@dataclass(frozen=True)
class Kept:
    """A file that the manifest knows, and where it does."""

    path: Path
    items: MutableMapping[int, Item]
    number: int
    is_checkpoint: bool = False

    @property
    def item(self) -> Item:
        """What the manifest says about it."""
        return self.items[self.number]


def files_of(folder: RunFolder, manifest: Manifest, stages: Collection[str]) -> Iterator[Kept]:
    """Every file of some stages that the manifest knows."""
    paths = RunPaths.of(folder, manifest)
    for stage in stages_of(stages):
        items = manifest.stage(stage.name).items
        for number in list(items):
            yield Kept(stage.file(paths, number), items, number)
    for number in list(manifest.checkpoints) if SIMULATION.name in stages else []:
        yield Kept(checkpoint_file(folder, number), manifest.checkpoints, number, is_checkpoint=True)


def damages(folder: RunFolder, manifest: Manifest) -> Iterator[DamagedError]:
    """What is wrong with every file that is not what was written; all are read."""
    mending = f"`{folder.resume_command} --verify`"
    for kept in files_of(folder, manifest, STAGES):
        remedy = f"{mending} does without it" if kept.is_checkpoint else f"{mending} makes it again"
        if kept.item.edited:
            remedy = lost_edit(kept.item)
        try:
            verify(kept.path, kept.item.written, remedy)
        except DamagedError as error:
            yield error
    lost = lost_lines(folder.log, manifest.steps)
    if lost:
        yield DamagedError(
            f"{folder.log}: is damaged: {lost} of {manifest.steps} lines are lost. Nothing but the report needs them; "
            f"`{folder.resume_command}` marks them as lost"
        )


def forget_damaged(
    folder: RunFolder, manifest: Manifest, stages: Collection[str], progress: Progress, read_all: bool
) -> None:
    """Take what is damaged out of the manifest, so that it does not count as done; what is missing never does.

    Args:
        folder: The run's folder.
        manifest: Its manifest.
        stages: Those that are about to make again what is lost of their files.
        progress: Who is told of what is damaged.
        read_all: Whether to read files too that nobody has written to since they were made.
    """
    for kept in files_of(folder, manifest, stages):
        untouched = is_untouched(kept.path, kept.item.written)
        if untouched and not read_all:
            continue
        if found_at(kept.path) == NOTHING:
            if kept.item.edited:
                progress.note(f"{kept.path}: is missing. {lost_edit(kept.item)}")
            if kept.is_checkpoint or kept.item.edited:  # it is not made again, or not as it was
                del kept.items[kept.number]
            continue
        remedy = "An earlier one is used" if kept.is_checkpoint else "It is made again"
        try:
            verify(kept.path, kept.item.written, lost_edit(kept.item) if kept.item.edited else remedy)
        except DamagedError as error:
            progress.note(str(error))
            del kept.items[kept.number]
        else:
            if not untouched:
                kept.items[kept.number] = replace(kept.item, changed=kept.path.stat().st_mtime_ns)


def lost_edit(item: Item) -> str:
    """What to do about a file that was edited by hand and is lost."""
    return (
        f"It was edited by hand, and nothing can make that again: without it the frame is as it was simulated. "
        f"`plash import-mesh` takes {item.edited} in once more"
    )
