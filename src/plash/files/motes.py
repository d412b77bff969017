"""The motes of a frame on disk: spray, foam and bubbles, and the count of all there were.

`position` (m), `velocity` (m/s), `age` and `lifetime` as foam (s), `size` over that of the largest, and `kind`, one row
each; `tally` holds how many were born, burst, landed, left and were refused up to the frame.
"""

from __future__ import annotations

import io
from dataclasses import astuple
from pathlib import Path

import numpy as np

from plash.files.arrays import read_arrays
from plash.files.atomic import Written
from plash.scene.model import Scene
from plash.solvers.limits import FASTEST
from plash.whitewater.motes import BUBBLE, ROWS, Motes, Tally

_FURTHEST = 2.0  # domain sizes that a mote may be away from the middle of the domain, along each axis


def motes_bytes(motes: Motes, frame: int) -> bytes:
    """The file of a frame."""
    file = io.BytesIO()
    rows = {name: getattr(motes, name) for name in ROWS}
    np.savez(file, **rows, tally=np.array(astuple(motes.tally), np.int64), frame=np.array(frame))
    return file.getvalue()


def read_motes(path: Path, scene: Scene, frame: int, expected: Written | None, remedy: str) -> Motes:
    """The motes of a frame.

    Raises:
        DamagedError: The file is missing, changed, or holds nothing that a frame of this scene can have.
    """
    arrays = read_arrays(path, expected, remedy)
    found = arrays.take("frame", np.int64, ())
    if found != frame:
        raise arrays.damaged(f"it is of frame {found}, not {frame}")
    d, longest = scene.dimension, max(scene.domain.size)
    kind = arrays.take("kind", np.uint8, (None,), 0, BUBBLE)
    n = len(kind)
    far = _FURTHEST * longest
    counts = arrays.take("tally", np.int64, (5,), 0)
    tally = Tally(*(int(count) for count in counts))
    if tally.born - tally.died != n:
        raise arrays.damaged(f"it has {n} motes, and its tally {tally.born - tally.died}")
    return Motes(
        arrays.take("position", np.float64, (n, d), -far, far),
        arrays.take("velocity", np.float32, (n, d), -FASTEST, FASTEST),
        arrays.take("age", np.float32, (n,), 0),
        arrays.take("lifetime", np.float32, (n,), 0),
        arrays.take("size", np.float32, (n,), 0, 1),
        kind,
        tally,
    )
