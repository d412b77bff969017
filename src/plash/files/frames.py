"""A frame on disk: the particles of a liquid, or the grids of stable fluids.

Particles have `position` (m), `velocity` (m/s), `volume` (m³; m² in 2-D) and what else they carry, such as `age` (s),
as `plash/carried.py` says; one row each. Beside them are the poses of solids that move (`solvers/poses.py`). Grids have
`density` [[z,] y, x], `velocity` (m/s) [axis, [z,] y, x] and the size `h` (m) of a cell, and if there is heat
`temperature` (K) [[z,] y, x].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plash.files.arrays import read_arrays, write_arrays
from plash.files.atomic import Written
from plash.scene.model import Scene
from plash.solvers.build import read_snapshot
from plash.solvers.frame import Snapshot


def write_frame(path: Path, snapshot: Snapshot, number: int, time: float) -> Written:
    """Write what a frame shows, with the frame's number and time (s)."""
    return write_arrays(path, {**snapshot.arrays(), "frame": np.array(number), "time": np.array(time)})


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
    return read_snapshot(arrays, scene)
