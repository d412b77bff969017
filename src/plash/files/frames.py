"""A frame on disk: the particles of a liquid, or the grids of stable fluids.

Particles have `position` (m), `velocity` (m/s) and `volume` (m³; m² in 2-D), one row each. Grids have `density`
[[z,] y, x], `velocity` (m/s) [axis, [z,] y, x] and the size `h` (m) of a cell, and if there is heat `temperature` (K)
[[z,] y, x].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plash.errors import DamagedError
from plash.files.arrays import read_arrays, write_arrays
from plash.files.atomic import Written
from plash.solvers.grids import FrameGrids
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
    return write_arrays(path, {**arrays, "frame": np.array(number), "time": np.array(time)})


def read_frame(path: Path, expected: Written | None, remedy: str) -> tuple[Snapshot, float]:
    """What a frame shows, and its time (s)."""
    arrays = read_arrays(path, expected, remedy)
    try:
        if "density" in arrays:
            density, velocity, h = (arrays[name] for name in _GRIDS)
            return FrameGrids(density, velocity, float(h), arrays.get("temperature")), float(arrays["time"])
        particles = FrameParticles(*(arrays[name] for name in _PARTICLES))
        return particles, float(arrays["time"])
    except KeyError as error:
        raise DamagedError(f"{path}: is no frame of plash: it has no array {error}. {remedy}") from None
