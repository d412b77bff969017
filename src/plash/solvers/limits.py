"""Where liquid can be and how fast: what no number in a file of a run is beyond.

Kernels check no index. What is read from disk is held against these limits before they see it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.carried import Bounds
from plash.grid.tiles import TILE_SHAPES, unpack
from plash.scene.domain import Domain
from plash.scene.model import Scene

FASTEST = 1e12  # m/s, of a vertex

_OUTSIDE = 8  # cells beyond a side that is closed or open: drops and surfaces reach out by less
_FURTHEST = (1 << 19) + (1 << 10)  # tiles from the origin: liquid in an unbounded domain is given up before


def bounds_of(scene: Scene) -> Bounds:
    """What no particle of a scene is beyond."""
    return Bounds(*cells_of(scene.domain), fastest(scene))


def cells_of(domain: Domain) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First and last place along each axis, in cells, that liquid of a run can be at."""
    far = _FURTHEST * TILE_SHAPES[domain.dimension][2]
    axes = "xyz"[: domain.dimension]
    low = [-far if domain.side(f"{axis}_min") == "unbounded" else -_OUTSIDE for axis in axes]  # type: ignore[arg-type]
    high = [
        far if domain.side(f"{axis}_max") == "unbounded" else cells + _OUTSIDE  # type: ignore[arg-type]
        for axis, cells in zip(axes, domain.cells, strict=True)
    ]
    return np.array(low, np.float64), np.array(high, np.float64)


def fastest(scene: Scene) -> float:
    """Speed, m/s, that no step could follow: ten million cells in a frame."""
    return 1e7 * scene.domain.h * scene.time.fps


def are_tiles(keys: NDArray[np.int64], dimension: int) -> bool:
    """Whether these are the keys of different tiles, in order, and none is further away than liquid can be."""
    if len(keys) and (keys[0] < 0 or (np.diff(keys) <= 0).any()):
        return False
    coordinates = unpack(keys)
    return bool((np.abs(coordinates) <= _FURTHEST + 64).all() and (coordinates[:, dimension:] == 0).all())
