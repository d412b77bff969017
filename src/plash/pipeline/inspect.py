"""What is in a run folder: how far each stage is, how large it is, and whether every file is what was written."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from plash.errors import DamagedError
from plash.files.layout import RunFolder
from plash.pipeline.damage import damages
from plash.pipeline.run import outcome
from plash.pipeline.run_history import edited_surfaces
from plash.pipeline.stages.registry import read_run


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
    edited: dict[int, str] = field(default_factory=dict)  # surfaces, by frame, with the file taken in for each

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
    manifest = read_run(folder)
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
    damaged = tuple(str(damage) for damage in damages(folder, manifest)) if with_checksums else ()
    ledger = outcome(folder, manifest).ledger
    return RunFacts(
        str(path),
        manifest.source,
        manifest.versions,
        tuple(stages),
        ledger,
        manifest.message,
        damaged,
        edited_surfaces(manifest),
    )
