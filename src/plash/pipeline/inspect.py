"""What is in a run folder: how far each stage is, how large it is, and whether every file is what was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from plash.errors import DamagedError
from plash.files.atomic import verify
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest, read_manifest
from plash.pipeline.run import outcome
from plash.pipeline.simulation import STOPPED
from plash.pipeline.work import WHOLE, whole_file


@dataclass(frozen=True)
class StageFacts:
    """How far a stage is."""

    name: str
    status: str
    files: int
    bytes: int
    seconds: float


@dataclass(frozen=True)
class RunFacts:
    """How a run stands."""

    folder: str
    source: str
    versions: dict[str, str]
    stages: tuple[StageFacts, ...]
    ledger: dict[str, Any]
    message: str
    damaged: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)

    def raise_damage(self) -> None:
        """Refuse a run with damaged files.

        Raises:
            DamagedError: Lists them.
        """
        if self.damaged:
            raise DamagedError("\n".join(self.damaged))


def inspect_run(path: Path, with_checksums: bool = False) -> RunFacts:
    """How a run stands; with checksums, every file is read."""
    folder = RunFolder(path)
    manifest = read_manifest(folder)
    stages = [
        StageFacts(
            name,
            stage.status,
            len(stage.items),
            sum(item.bytes for item in stage.items.values()),
            sum(item.seconds for item in stage.items.values()),
        )
        for name, stage in manifest.stages.items()
    ]
    damaged = tuple(_damages(folder, manifest)) if with_checksums else ()
    ledger = outcome(folder, manifest).ledger
    return RunFacts(str(path), manifest.source, manifest.versions, tuple(stages), ledger, manifest.message, damaged)


def files_of(folder: RunFolder, manifest: Manifest) -> Iterator[tuple[Path, Item]]:
    """Every file that the manifest knows."""
    frames = partial(folder.frame, kind=manifest.kind)
    paths: dict[str, Callable[[int], Path]] = {"simulate": frames, "mesh": folder.surface, "render": folder.picture}
    for name, stage in manifest.stages.items():
        for frame, item in stage.items.items():
            yield (whole_file(folder, name, frame) if frame <= WHOLE else paths[name](frame)), item
    for frame, item in manifest.checkpoints.items():
        yield (folder.stop if frame == STOPPED else folder.checkpoint(frame)), item


def _damages(folder: RunFolder, manifest: Manifest) -> Iterator[str]:
    for path, item in files_of(folder, manifest):
        try:
            verify(path, item.written, f'`plash resume "{folder.root}"` makes it again')
        except DamagedError as error:
            yield str(error)
