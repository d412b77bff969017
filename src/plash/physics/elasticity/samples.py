"""Where elastic stress is known: Cline's figure 11, and what liquid and walls make of it.

The entries of a symmetric tensor stand where differences of the velocity are: those on the diagonal at cell centres,
the others on edges of cells (at corners in 2-D). In pools [entry, slot, z, y, x] they come in the order

    xx yy xy        in 2-D,        xx yy zz xy xz yz        in 3-D

with the entries of a cell at its centre and on its minimal edges. Each sample has

    share    the part of a cube of width h round it that is liquid: a stress counts with it, so the surface has none
    ratio    1, or 1/θ where a wall that holds liquid is the share θ of a cell away: what a difference is multiplied by

They are those of the viscous stress. The work of a stress is then exactly what the strain rate takes from the velocity.
A face next to the surface has the mass of the liquid round it, but not less than a quarter of the largest share of a
sample beside it, so that the force on it stays stable. With heavier faces waves gained energy (docs/elasticity.md).

Reference: Cline figure 11; Batty & Bridson 2008, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.blocks import block_sizes
from plash.grid.cells import NEAR_LIQUID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.physics.viscosity.stress_weights import (
    FAR,
    Scheme,
    factor_and_share,
    look_round,
    mass_of_face,
    room_for_surroundings,
    seen_from_faces,
)
from plash.physics.viscosity.viscous_faces import FREE, ViscousFaces
from plash.timing import stage

Pool = NDArray[np.float32]

_LEAST = np.float32(0.25)  # mass of a face, of the largest share beside it


def entry_count(dimension: int) -> int:
    """How many entries a symmetric tensor has.

    >>> entry_count(2), entry_count(3)
    (3, 6)
    """
    return dimension * (dimension + 1) // 2


@inlined
def edge_entry(a, b, DIM):
    """Number of the entry ab of a tensor, a < b."""
    return DIM + a + b - 1


class SamplePools(NamedTuple):
    """Samples as kernels take them."""

    share: Pool
    ratio: Pool
    mass: Pool


@dataclass(frozen=True, eq=False)
class StressSamples:
    """The samples of a step.

    Attributes:
        tiles: Where the cells are.
        share: Of liquid [entry, slot, z, y, x]; zero where there is no sample.
        ratio: What differences are multiplied by [entry, slot, z, y, x].
        mass: Of free faces [axis, slot, z, y, x], 1 inside the liquid; zero on all others.
    """

    tiles: Tiles
    share: Pool
    ratio: Pool
    mass: Pool

    @cached_property
    def busy(self) -> NDArray[np.int32]:
        """Slots of the tiles with a sample or a free face."""
        has = (self.share > 0).any(axis=(0, 2, 3, 4)) | (self.mass > 0).any(axis=(0, 2, 3, 4))
        return np.flatnonzero(has).astype(np.int32)


@stage
def stress_samples(faces: ViscousFaces, cells: Cells, scheme: Scheme) -> StressSamples:
    """Where stress is known, given what faces are."""
    tiles = cells.tiles
    around, how = seen_from_faces(faces, cells, 0.0, 0.0, scheme)
    share = np.zeros((entry_count(tiles.dimension), *cells.label.shape), np.float32)
    made = SamplePools(share, np.ones_like(share), np.zeros(faces.kinds.shape, np.float32))
    near = tiles.slots[(cells.surroundings[1][1:] & NEAR_LIQUID) > 0]
    _find(tiles.shape)(around, how, tiles.neighbours, near, made, chunk_count())
    return StressSamples(tiles, *made)


@inlined
def _largest_share(around, how, a, m, PY, PX, DIM):
    """Largest share of the samples beside the face m across axis a."""
    across = stride(a, PY, PX)
    _, before = factor_and_share(around, how, a, a, m, PY, PX, DIM)
    _, after = factor_and_share(around, how, a, a, m + across, PY, PX, DIM)
    largest = max(before, after)
    for b in range(DIM):
        if b != a:
            _, low = factor_and_share(around, how, a, b, m, PY, PX, DIM)
            _, high = factor_and_share(around, how, a, b, m + stride(b, PY, PX), PY, PX, DIM)
            largest = max(largest, low, high)
    return largest


@for_tile_shape
def _find(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(pools, how, neighbours, tiles, made, chunks):
        shares, ratios, masses = made
        n = len(tiles)
        one = np.float32(1)
        for c in prange(chunks):
            around = room_for_surroundings(DIM, SIZE)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                look_round(around, pools, how, neighbours, t, BZ, BY, BX)
                for cell in range(BZ * BY * BX):
                    z, y, x = cell // (BY * BX), cell // BX % BY, cell % BX
                    near = pools.near[t, z, y, x]
                    if near & NEAR_LIQUID == 0:
                        continue
                    m = row_start(z, y, HZ, PY, PX) + x
                    is_deep = near == NEAR_LIQUID and not (how.is_cut and around.corners[m] <= FAR)
                    for a in range(DIM):
                        for b in range(a, DIM):
                            factor, share = one, one
                            if not is_deep:
                                at = m + stride(a, PY, PX) if a == b else m
                                factor, share = factor_and_share(around, how, a, b, at, PY, PX, DIM)
                            entry = a if a == b else edge_entry(a, b, DIM)
                            shares[entry, t, z, y, x] = share
                            ratios[entry, t, z, y, x] = factor
                        if around.kinds[a, m] == FREE:
                            mass = one
                            if not is_deep:
                                mass = mass_of_face(around, how, a, m, PY, PX, DIM)
                                mass = max(mass, _LEAST * _largest_share(around, how, a, m, PY, PX, DIM))
                            masses[a, t, z, y, x] = mass

    return run
