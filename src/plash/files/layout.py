"""Where the files of a run are.

out/dam_break/
  manifest.json   log.jsonl   dam_break.mp4   contact.png   report.html
  checkpoints/checkpoint.0001.npz   particles/particles.0001.npz, or grids/grids.0001.npz
  mesh/surface.0001.ply             render/frame.0001.png
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunFolder:
    """The paths of a run; frames are counted from 1."""

    root: Path

    @property
    def name(self) -> str:
        """The name of the run: that of its folder."""
        return self.root.resolve().name or "plash"

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

    def movie(self, kind: str = "mp4") -> Path:
        """The finished movie in a format."""
        return self.root / f"{self.name}.{kind}"

    def checkpoint(self, frame: int) -> Path:
        """Everything that is needed to go on after a frame."""
        return self.root / "checkpoints" / f"checkpoint.{frame:04d}.npz"

    def particles(self, frame: int) -> Path:
        """The particles of a frame."""
        return self.root / "particles" / f"particles.{frame:04d}.npz"

    def grids(self, frame: int) -> Path:
        """The density and velocity of a frame, in a run of stable fluids."""
        return self.root / "grids" / f"grids.{frame:04d}.npz"

    def frame(self, frame: int, kind: str) -> Path:
        """What a solver of this kind leaves of a frame."""
        return self.grids(frame) if kind == "stable_fluids" else self.particles(frame)

    def surface(self, frame: int) -> Path:
        """The liquid's surface in a frame."""
        return self.root / "mesh" / f"surface.{frame:04d}.ply"

    def picture(self, frame: int) -> Path:
        """The picture of a frame."""
        return self.root / "render" / f"frame.{frame:04d}.png"

    def folders(self) -> list[Path]:
        """The run's folder and every folder in it that files are written to."""
        return [self.root, *(self.root / part for part in ("checkpoints", "particles", "grids", "mesh", "render"))]

    def is_run(self) -> bool:
        """Whether a run has been started here."""
        return self.manifest.is_file()
