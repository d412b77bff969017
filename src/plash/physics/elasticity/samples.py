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

Where particles carry the strain, those beyond the last samples have it from the next ones. So that a body is as stiff
wherever its sides lie in their cells,

    beyond   the mass of a face is with that of dry faces beside it: liquid there moves as the face does
    light    a face across the surface has the mass θ that it has for the pressure, however little. In a step p of the
             cell behind it changes its velocity by p/θ and the stress by S/M: the surface has no stress, p = S, only
             for M = θ. With a quarter of the share there was p = S θ/M. Below 0.07 the force would not be stable:
             there the stress across the face is left out, with p, and the cell keeps the stress along it
    weight   particles listen to a sample by min(1, 10 share), not by its share, or those just inside the surface would
             have the strain from too far in. In cells at a wall that liquid slides along, and may leave, they do
             listen by the share: with full weights a cube that bounces on such a floor gained energy

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
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined_plainly, kernel
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.tiles import Shape, Tiles, dimension_of
from plash.physics.viscosity.stress_weights import (
    FAR,
    Scheme,
    factor_and_share,
    liquid_share,
    look_round,
    mass_of_face,
    room_for_surroundings,
    seen_from_faces,
)
from plash.physics.viscosity.viscous_faces import BODY_CLOSED, DRY, FREE, SIDE_CLOSED, ViscousFaces
from plash.timing import stage

Pool = NDArray[np.float32]

_LEAST = np.float32(0.25)  # mass of a face, of the largest share beside it
_LIGHT = np.float32(0.07)  # mass of a face across which there is no stress
_IN_FULL = np.float32(10)  # over the share of liquid from which particles listen to a sample in full


def entry_count(dimension: int) -> int:
    """How many entries a symmetric tensor has.

    >>> entry_count(2), entry_count(3)
    (3, 6)
    """
    return dimension * (dimension + 1) // 2


@inlined_plainly
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
        share: Of liquid [entry, slot, z, y, x], or how much particles listen to it; zero where there is no sample.
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
def stress_samples(faces: ViscousFaces, cells: Cells, scheme: Scheme, on_particles: bool = False) -> StressSamples:
    """Where stress is known, given what faces are, and whether it is that of particles."""
    tiles = cells.tiles
    around, how = seen_from_faces(faces, cells, 0.0, 0.0, scheme)
    share = np.zeros((entry_count(tiles.dimension), *cells.label.shape), np.float32)
    made = SamplePools(share, np.ones_like(share), np.zeros(faces.kinds.shape, np.float32))
    near = tiles.slots[(cells.surroundings[1][1:] & NEAR_LIQUID) > 0]
    _find(tiles.shape, on_particles)(around, how, tiles.neighbours, near, made, chunk_count())
    return StressSamples(tiles, *made)


@inlined_plainly
def _largest_on_edges(around, how, a, m, PY, PX, DIM):
    """Largest share of the samples on edges beside the face m across axis a."""
    largest = np.float32(0)
    for b in range(DIM):
        if b != a:
            _, low = factor_and_share(around, how, a, b, m, PY, PX, DIM)
            _, high = factor_and_share(around, how, a, b, m + stride(b, PY, PX), PY, PX, DIM)
            largest = max(largest, low, high)
    return largest


@inlined_plainly
def _largest_in_cells(around, how, a, m, PY, PX, DIM):
    """The same of those in the cells on both sides of it."""
    _, before = factor_and_share(around, how, a, a, m, PY, PX, DIM)
    _, after = factor_and_share(around, how, a, a, m + stride(a, PY, PX), PY, PX, DIM)
    return max(before, after)


@inlined_plainly
def _mass_beyond(around, a, m, PY, PX, DIM):
    """Liquid round the dry faces beside the face m across axis a: it moves as that face does."""
    mass = np.float32(0)
    for b in range(DIM):
        if b != a:
            along = stride(b, PY, PX)
            for beside in (m - along, m + along):
                if around.kinds[a, beside] == DRY:
                    mass += liquid_share(around, beside, stride(a, PY, PX), 0)
    return mass


@inlined_plainly
def _weight(around, a, b, m, share, PY, PX):
    """How much particles listen to a sample of some share of liquid."""
    full = min(_IN_FULL * share, np.float32(1))
    if a != b:
        return full
    before = m - stride(a, PY, PX)
    if _is_light(around, a, before, PY, PX) or _is_light(around, a, m, PY, PX):
        return np.float32(0)
    return share if _is_left(around.kinds[a, before]) or _is_left(around.kinds[a, m]) else full


@inlined_plainly
def _is_light(around, a, m, PY, PX):
    """Whether there is hardly any liquid round the face m across axis a."""
    return liquid_share(around, m, stride(a, PY, PX), 0) < _LIGHT


@inlined_plainly
def _is_left(kind):
    """Whether it is a face of a wall that liquid slides along, and may leave."""
    return SIDE_CLOSED <= kind <= BODY_CLOSED


@for_tile_shape
def _find(shape: Shape, on_particles: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    ON_PARTICLES = on_particles

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
                                if ON_PARTICLES:
                                    share = _weight(around, a, b, at, share, PY, PX)
                            entry = a if a == b else edge_entry(a, b, DIM)
                            shares[entry, t, z, y, x] = share
                            ratios[entry, t, z, y, x] = factor
                        if around.kinds[a, m] == FREE:
                            mass = one
                            if not is_deep:
                                mass = mass_of_face(around, how, a, m, PY, PX, DIM)
                                largest = _largest_on_edges(around, how, a, m, PY, PX, DIM)
                                if ON_PARTICLES:
                                    mass += _mass_beyond(around, a, m, PY, PX, DIM)
                                else:
                                    largest = max(largest, _largest_in_cells(around, how, a, m, PY, PX, DIM))
                                mass = max(mass, _LEAST * largest)
                            masses[a, t, z, y, x] = mass

    return run
