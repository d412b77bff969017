"""Fields as other programs want them: sparse grids with a name, a meaning, and a place in space."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles
from plash.grid.volume import COLORS, Volume

BAND = 3.0  # samples to either side of the surface at which its distance is told: what OpenVDB's tools expect


class GridKind(Enum):
    """What the numbers of a grid mean."""

    FOG = "fog volume"  # how much there is; 0 elsewhere
    LEVEL_SET = "level set"  # signed distance, m, negative inside; ± the band's width elsewhere
    OTHER = "unknown"  # anything else, such as a velocity


@dataclass(frozen=True, eq=False)
class SparseGrid:
    """A field on tiles: sample (i, j, k) is at origin + h (i, j, k).

    Attributes:
        name: What programs find it under.
        kind: What its numbers mean.
        tiles: Where there is something.
        pool: Values [slot, z, y, x], or of vectors [slot, z, y, x, axis]; slot 0 is not read.
        active: Which samples [slot, z, y, x] are told; the others are the background, in a level set with their sign.
        background: The value elsewhere: 0, or the width of the band of a level set.
        h: Distance of samples, m.
        origin: Of sample (0, 0, 0), m.
    """

    name: str
    kind: GridKind
    tiles: Tiles
    pool: NDArray[np.float32]
    active: NDArray[np.bool_]
    background: float
    h: float
    origin: tuple[float, float, float]

    @property
    def is_vector(self) -> bool:
        """Whether it holds vectors."""
        return self.pool.ndim == 5


def volume_grids(volume: Volume) -> list[SparseGrid]:
    """A grid for each pool of a volume; one with a fifth axis holds vectors. Samples are the centres of cells.

    Red, green and blue are one grid of vectors, `color`, where there is smoke.
    """
    half = volume.h / 2
    origin = (half, half, half if volume.tiles.dimension == 3 else 0.0)
    grids = []
    pools = {name: pool for name, pool in volume.pools.items() if name not in COLORS}
    if COLORS[0] in volume.pools:
        pools["color"] = np.stack([volume.pools[name] for name in COLORS], axis=-1)
        pools["color"][volume.density <= 0] = 0.0
    for name, pool in pools.items():
        is_vector = pool.ndim == 5
        active = (pool != 0).any(axis=-1) if is_vector else pool != 0
        kind = GridKind.OTHER if is_vector else GridKind.FOG
        grids.append(SparseGrid(name, kind, volume.tiles, pool, active, 0.0, volume.h, origin))
    return grids
