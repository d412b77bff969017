"""What is known of a run, frame by frame, from its manifest and its log: what its report tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from plash.files.log import read_log
from plash.files.manifest import Item, Manifest, StageRecord
from plash.pipeline.compiling import COMPILING
from plash.pipeline.stages.report import REPORT
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import Stage
from plash.pipeline.stages.surfaces import SURFACES
from plash.scene.model import Scene
from plash.solvers.ledger import off_target, target_volume


def edited_surfaces(manifest: Manifest) -> dict[int, str]:
    """The frames whose surface was edited by hand, each with the name of the file that was taken in."""
    items = manifest.stages.get(SURFACES.name, StageRecord()).items
    return {frame: items[frame].edited for frame in sorted(items) if items[frame].edited}


@dataclass
class FrameLog:
    """What the log tells of a frame: its steps together."""

    steps: int = 0
    iterations: list[int] = field(default_factory=list)
    density_iterations: list[int] = field(default_factory=list)
    density_residual: float = 0.0
    viscosity_iterations: list[int] = field(default_factory=list)
    viscosity_residual: float = 0.0
    retries: int = 0
    courant: float = 0.0
    shortest: float = float("inf")
    particles: int = 0
    liquid_cells: int = 0
    seconds: dict[str, float] = field(default_factory=dict)  # by stage, without compiling

    def add(self, entry: Mapping[str, Any]) -> None:
        """Count a step."""
        self.steps += 1
        self.iterations.append(int(entry.get("iterations", 0)))
        self.density_iterations.append(int(entry.get("density_iterations", 0)))
        self.density_residual = max(self.density_residual, float(entry.get("density_residual", 0.0)))
        self.viscosity_iterations.append(int(entry.get("viscosity_iterations", 0)))
        self.viscosity_residual = max(self.viscosity_residual, float(entry.get("viscosity_residual", 0.0)))
        self.retries += int(entry.get("retries", 0))
        self.courant = max(self.courant, float(entry.get("courant", 0.0)))
        self.shortest = min(self.shortest, float(entry.get("dt", self.shortest)))
        self.particles = int(entry.get("particles", 0))
        self.liquid_cells = int(entry.get("liquid_cells", 0))
        for name, seconds in entry.get("seconds", {}).items():
            if name != COMPILING:
                self.seconds[name] = self.seconds.get(name, 0.0) + float(seconds)


@dataclass(frozen=True)
class RunHistory:
    """What is known of a run, frame by frame.

    Attributes:
        scene: What is asked for.
        manifest: What is done.
        log_file: The file with a line for each step.
        today: The date on which this is told.
        machine: The machine on which it is told.
    """

    scene: Scene
    manifest: Manifest
    log_file: Path
    today: str
    machine: str

    def items(self, stage: Stage[Any]) -> dict[int, Item]:
        """What a stage has made, of the frames that the run has now."""
        items = self.manifest.stages.get(stage.name, StageRecord()).items
        return {frame: items[frame] for frame in sorted(items) if 1 <= frame <= self.scene.time.frames}

    @cached_property
    def simulated(self) -> dict[int, Item]:
        """The frames that are simulated, with their volumes and energies."""
        return self.items(SIMULATION)

    @cached_property
    def frames(self) -> list[int]:
        """The frames that are simulated."""
        return list(self.simulated)

    @cached_property
    def log(self) -> dict[int, FrameLog]:
        """The log by frame; frame 1, the start, takes no step."""
        frames: dict[int, FrameLog] = {}
        if self.log_file.exists():
            for entry in read_log(self.log_file):
                number = entry.get("frame")
                if isinstance(number, int) and 1 <= number <= self.scene.time.frames:
                    frames.setdefault(number, FrameLog()).add(entry)
        return dict(sorted(frames.items()))

    @cached_property
    def volumes(self) -> dict[int, tuple[float, float, float]]:
        """Target, particles' and measured volume of each frame."""
        return {
            frame: (target_volume(item.ledger), item.ledger["particle_volume"], item.ledger["volume"])
            for frame, item in self.simulated.items()
            if item.ledger
        }

    @cached_property
    def volume_errors(self) -> dict[int, float]:
        """How far the measured volume of each frame is from its target, as a share; where there is enough to tell."""
        ledgers = {frame: item.ledger for frame, item in self.simulated.items() if item.ledger}
        errors = {frame: off_target(ledger, "volume") for frame, ledger in ledgers.items()}
        return {frame: error for frame, error in errors.items() if error is not None}

    @property
    def volume_unit(self) -> str:
        """In 2-D, volumes and masses are per metre of depth."""
        flat = self.scene.dimension == 2
        if self.counted == "mass":
            return "kg/m" if flat else "kg"
        return "m²" if flat else "m³"

    @property
    def counted(self) -> str:
        """What ledgers count: volume, or of smoke mass."""
        return self.scene.solver.counts

    @cached_property
    def warmth(self) -> dict[int, float]:
        """Heat of each frame of smoke, Σ V (T - T_air) in K m³ (K m²); of liquids none is told."""
        if self.counted != "mass":
            return {}
        heats = {frame: (item.ledger or {}).get("heat", {}) for frame, item in self.simulated.items()}
        return {frame: heat["now"] for frame, heat in heats.items() if "now" in heat}

    def seconds(self, stage: Stage[Any]) -> dict[int, float]:
        """Time that each frame took in a stage."""
        return {frame: item.seconds for frame, item in self.items(stage).items()}

    def whole_seconds(self) -> float:
        """Time of everything, the movie too, but for compiling."""
        return sum(item.seconds for item in self._all_items())

    def compiling(self) -> float:
        """Time in which kernels were compiled, once for this version of plash."""
        return sum(item.compiling for item in self._all_items())

    def _all_items(self) -> list[Item]:
        records = self.manifest.stages
        return [item for name, record in records.items() if name != REPORT.name for item in record.items.values()]
