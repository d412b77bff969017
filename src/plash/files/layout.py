"""Where the files of a run are.

out/dam_break/
  manifest.json   log.jsonl   dam_break.mp4   contact.png   report.html
  checkpoints/checkpoint.0001.npz   particles/particles.0001.npz, grids/grids.0001.npz
                                    or volumes/volumes.0001.npz
  mesh/surface.0001.ply             render/frame.0001.png   whitewater/whitewater.0001.npz   wet/wet.0001.npz
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


class StageFiles(Protocol):
    """What a stage may leave in a run folder."""

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders in the run's folder that it writes to."""

    @property
    def numbers(self) -> range:
        """The numbers that its files may have: those of frames, or 0 and below for files made of all frames."""


Stages = Mapping[str, StageFiles]  # by name, in order


@dataclass(frozen=True)
class RunFolder:
    """The paths of a run; frames are counted from 1."""

    root: Path

    @property
    def name(self) -> str:
        """What a run that is begun here is called: as the folder is, as far as that can be written as text."""
        return self.root.resolve().name.encode(errors="replace").decode() or "plash"

    @property
    def resume_command(self) -> str:
        """What to type to go on with the run."""
        return f"plash resume {shlex.quote(str(self.root))}"

    @property
    def manifest(self) -> Path:
        """What the run is and how far it came."""
        return self.root / "manifest.json"

    @property
    def log(self) -> Path:
        """One line for each time step."""
        return self.root / "log.jsonl"

    @property
    def lock(self) -> Path:
        """Held by the program that works in the folder."""
        return self.root / ".lock"

    @property
    def contact(self) -> Path:
        """The contact sheet."""
        return self.root / "contact.png"

    @property
    def report(self) -> Path:
        """The run on one page."""
        return self.root / "report.html"

    @property
    def stop(self) -> Path:
        """The checkpoint written when a run was stopped in the middle of a frame."""
        return self.root / "checkpoints" / "stop.npz"

    def movie(self, name: str, kind: str) -> Path:
        """The finished movie of a run of this name, in a format."""
        return self.root / f"{name}.{kind}"

    def checkpoint(self, frame: int) -> Path:
        """Everything that is needed to go on after a frame."""
        return self.root / "checkpoints" / f"checkpoint.{frame:04d}.npz"

    def frame(self, frame: int, files: str) -> Path:
        """What a solver leaves of a frame, whose files have such a name: "particles" or "grids"."""
        return self.root / files / f"{files}.{frame:04d}.npz"

    def surface(self, frame: int) -> Path:
        """The liquid's surface in a frame."""
        return self.root / "mesh" / f"surface.{frame:04d}.ply"

    def picture(self, frame: int) -> Path:
        """The picture of a frame."""
        return self.root / "render" / f"frame.{frame:04d}.png"

    def parts(self, stages: Stages) -> list[Path]:
        """The folders in the run's folder that some stages write to."""
        return [self.root / part for stage in stages.values() for part in stage.folders]

    def is_run(self) -> bool:
        """Whether a run has been started here."""
        return self.manifest.is_file()
