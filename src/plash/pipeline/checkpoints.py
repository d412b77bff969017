"""The checkpoints of a run: which there are, which are still needed, and where they are.

They thin out with age: of the multiples of each power of two the last two are kept.
"""

from __future__ import annotations

from pathlib import Path

from plash.files.atomic import errors_of_disk
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest

STOPPED = 0  # in place of a frame's number, for the checkpoint written when a run was stopped between frames


def frame_of(checkpoint: Item) -> int:
    """The last whole frame that a checkpoint holds."""
    return checkpoint.place[0] if checkpoint.place is not None else 0


def checkpoints_before(manifest: Manifest, frame: int) -> list[tuple[int, Item]]:
    """Checkpoints that hold a state before or at a frame, the latest first."""
    known = manifest.checkpoints.items()
    # What was written on a stop lies beyond the frame it names
    usable = [entry for entry in known if frame_of(entry[1]) + (entry[0] == STOPPED) <= frame]
    return sorted(usable, key=lambda entry: entry[1].place or (0, 0), reverse=True)


def prune_checkpoints(manifest: Manifest, every: int) -> None:
    """Take checkpoints that are not needed any more out of the manifest; there is one for so many frames."""
    places = {number: frame_of(item) for number, item in manifest.checkpoints.items()}
    kept = manifest.origin.frame if manifest.origin is not None else None  # nothing before it can be simulated again
    for number in obsolete_checkpoints(places, every):
        if number == kept:
            continue
        del manifest.checkpoints[number]


def checkpoint_file(folder: RunFolder, number: int) -> Path:
    """Where a checkpoint is, by its number in the manifest."""
    return folder.stop if number == STOPPED else folder.checkpoint(number)


def remove_unknown_checkpoints(folder: RunFolder, manifest: Manifest) -> None:
    """Take away the checkpoints that the manifest does not know: what is removed is taken out of it first."""
    known = {checkpoint_file(folder, number) for number in manifest.checkpoints}
    for path in (*folder.stop.parent.glob("checkpoint.*.npz"), folder.stop):
        if path not in known:
            with errors_of_disk(path, "removed"):
                path.unlink(missing_ok=True)


def obsolete_checkpoints(places: dict[int, int], every: int) -> list[int]:
    """Which checkpoints can go: of the multiples of each power of two, the last two stay.

    So a frame that is lost is not far from a checkpoint if it is recent, and there are few checkpoints.

    Args:
        places: Frame of each checkpoint, by the number it is known under.
        every: Frames between two checkpoints.

    >>> numbers = range(1, 101)
    >>> sorted(set(numbers) - set(obsolete_checkpoints({number: number for number in numbers}, every=1)))
    [64, 80, 88, 96, 98, 99, 100]
    """
    last = max(places.values(), default=0)
    latest = -(-last // every)
    turns = {number: max(1, -(-frame // every)) for number, frame in places.items() if number != STOPPED}
    obsolete = [number for number, turn in turns.items() if latest - turn >= 2 * (turn & -turn)]
    if STOPPED in places and places[STOPPED] < last:
        obsolete.append(STOPPED)
    return obsolete
