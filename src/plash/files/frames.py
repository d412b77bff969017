"""A frame on disk: the particles of a liquid, or the grids of stable fluids.

Particles have `position` (m), `velocity` (m/s) and `volume` (m³; m² in 2-D), one row each; beside them are the poses of
solids that move (`solvers/poses.py`). Grids have `density`
[[z,] y, x], `velocity` (m/s) [axis, [z,] y, x] and the size `h` (m) of a cell, and if there is heat `temperature` (K)
[[z,] y, x].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plash.files.arrays import Arrays, read_arrays, write_arrays
from plash.files.atomic import Written
from plash.files.limits import FASTEST, LARGEST_PARTICLE, cells_of, fastest
from plash.scene.model import Scene
from plash.solvers.box_state import FrameGrids
from plash.solvers.poses import pose_arrays, poses_from
from plash.solvers.solver import Snapshot
from plash.solvers.state import FrameParticles

_PARTICLES = ("position", "velocity", "volume")
_GRIDS = ("density", "velocity", "h")


def write_frame(path: Path, seen: Snapshot, number: int, time: float) -> Written:
    """Write what a frame shows, with the frame's number and time (s)."""
    names = _GRIDS if isinstance(seen, FrameGrids) else _PARTICLES
    arrays = {name: np.asarray(getattr(seen, name)) for name in names}
    if isinstance(seen, FrameGrids) and seen.temperature is not None:
        arrays["temperature"] = seen.temperature
    if isinstance(seen, FrameParticles):
        arrays |= pose_arrays(seen.poses)
    return write_arrays(path, {**arrays, "frame": np.array(number), "time": np.array(time)})


def read_frame(path: Path, scene: Scene, number: int, expected: Written | None, remedy: str) -> Snapshot:
    """What a frame shows.

    Args:
        path: The file.
        scene: What is simulated.
        number: Of the frame.
        expected: What the file held when it was written; None if that is not known.
        remedy: What to do if it is damaged.

    Raises:
        DamagedError: It is missing, changed, or nothing that this frame of the scene can show.
    """
    arrays = read_arrays(path, expected, remedy)
    found = arrays.take("frame", np.int64, ())
    if found != number:
        raise arrays.damaged(f"it is of frame {found}, not {number}")
    return _grids(arrays, scene) if scene.solver.kind == "stable_fluids" else _particles(arrays, scene)


def _grids(arrays: Arrays, scene: Scene) -> FrameGrids:
    domain, box, most = scene.domain, scene.domain.cells[::-1], fastest(scene)
    density = arrays.take("density", np.float32, box, -FASTEST, FASTEST)
    velocity = arrays.take("velocity", np.float32, (len(box), *box), -most, most)
    h = float(arrays.take("h", np.float64, (), domain.h, domain.h))
    temperature = arrays.take("temperature", np.float32, box, -FASTEST, FASTEST) if scene.has_heat else None
    return FrameGrids(density, velocity, h, temperature)


def _particles(arrays: Arrays, scene: Scene) -> FrameParticles:
    d, h, most = scene.dimension, scene.domain.h, fastest(scene)
    n = len(arrays.take("volume", np.float64, (None,), 0, LARGEST_PARTICLE * h**d))
    low, high = cells_of(scene.domain)
    return FrameParticles(
        arrays.take("position", np.float64, (n, d), low * h, high * h),
        arrays.take("velocity", np.float32, (n, d), -most, most),
        arrays.by_name["volume"],
        poses_from(arrays, scene.poses_at(float(arrays.take("time", np.float64, ())))),
    )
