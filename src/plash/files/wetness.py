"""How wet solids are in a frame, on disk: the samples that are wet, how wet, and how deep under liquid."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from plash.files.arrays import read_arrays
from plash.files.atomic import Written
from plash.mesh.wetness import Wetness


def wetness_bytes(wetness: Wetness, frame: int) -> bytes:
    """The file of a frame."""
    file = io.BytesIO()
    at = np.flatnonzero(wetness.wet)
    count, number = np.array(len(wetness.wet)), np.array(frame)
    np.savez(file, sample=at, wet=wetness.wet[at], under=wetness.under[at], count=count, frame=number)
    return file.getvalue()


def read_wetness(path: Path, frame: int, expected: Written | None, remedy: str) -> Wetness:
    """How wet solids are in a frame.

    Raises:
        DamagedError: The file is missing, changed, or holds nothing that a frame can have.
    """
    arrays = read_arrays(path, expected, remedy)
    found = arrays.take("frame", np.int64, ())
    if found != frame:
        raise arrays.damaged(f"it is of frame {found}, not {frame}")
    count = int(arrays.take("count", np.int64, (), 0, 1 << 31))
    sample = arrays.take("sample", np.int64, (None,), 0, count - 1)
    if (np.diff(sample) <= 0).any():
        raise arrays.damaged("its samples are not in order")
    wetness = Wetness.dry(count)
    wetness.wet[sample] = arrays.take("wet", np.float32, (len(sample),), 0, 1)
    wetness.under[sample] = arrays.take("under", np.float32, (len(sample),), 0, 1)
    return wetness
