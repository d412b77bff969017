"""The first stage: what each frame shows, particles/particles.0001.npz, grids/grids.0001.npz of stable fluids, or
volumes/volumes.0001.npz of smoke.

It is the only stage with a memory: a frame follows from the one before (`pipeline/simulation_maker.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plash.pipeline.stages.stage import File, RunPaths, Stage
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.pipeline.maker import Maker, Run
    from plash.solvers.frame import Snapshot


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulationStage(Stage["Snapshot"]):
    """The simulation as a stage of a run."""

    def maker(self, run: Run) -> Maker:
        """The simulation: it goes on from the latest state that is known."""
        from plash.pipeline.simulation_maker import SimulationMaker

        return SimulationMaker(run)


def _file(paths: RunPaths, frame: int) -> Path:
    return paths.folder.frame(frame, paths.frame_files)


def _read(file: File, scene: Scene, frame: int) -> Snapshot:
    from plash.files.frames import read_frame

    return read_frame(file.path, scene, frame, file.written, file.remedy)


SIMULATION = SimulationStage(
    name="simulate",
    title="simulation",
    folders=("checkpoints", "particles", "grids", "volumes"),
    file=_file,
    read=_read,
)
