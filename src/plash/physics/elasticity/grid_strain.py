"""Strain that lives on the grid, as in the paper: traced back, grown where it stands, and yielding.

Each entry is traced back from its own place (Cline: four traces a cell, two in 2-D) along the straight path that liquid
took. It grows by dt T and does not turn with the flow. What comes from outside the liquid is not read, and liquid that
has no past is not strained.

A modulus that follows the temperature is that of the particles round each entry, and so is the share of strain that is
kept as it rises (`melting.py`).

A tensor yields as a whole: by the size of that whose entries stand in the cell, or each entry by the size of the tensor
at its own place, whose other entries are means of those round it (Goktekin et al. 2004, Cline's footnote 2).

Reference: Cline section 8, figures 11 and 12.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, copy_block
from plash.grid.cells import NEAR_LIQUID, Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, row_start, stride
from plash.grid.sample import interpolate_anywhere
from plash.grid.tiles import Shape, dimension_of
from plash.particles.scalars import CellMeans, cell_means
from plash.physics.elasticity.base import ElasticLiquid
from plash.physics.elasticity.melting import share_of_strain_kept
from plash.physics.elasticity.rates import Rates
from plash.physics.elasticity.samples import Pool, StressSamples, entry_count
from plash.physics.elasticity.strain_field import StrainField
from plash.physics.elasticity.tensor import yield_factor
from plash.scene.ramps import Ramp
from plash.timing import stage


@dataclass(frozen=True)
class OnGrid:
    """The grid has it.

    Attributes:
        constants: Shear modulus (Pa), yield strain and yield rate (1/s).
        rho: Density, kg/m³.
        h: Cell size, m.
        by_components: Whether each entry yields by itself.
        ramp: By which the shear modulus (Pa) follows the temperature; None if it does not.
    """

    constants: tuple[float, float, float]
    rho: float
    h: float
    by_components: bool
    ramp: Ramp | None = None

    def bring(self, liquid: ElasticLiquid, cells: Cells) -> None:
        """Trace it back along the paths of the step before; liquid may have become warmer or colder since."""
        if liquid.strain is None or liquid.velocity is None:
            liquid.strain = StrainField.unknown(cells.tiles)
        else:
            liquid.strain = traced(liquid.strain, liquid.velocity, cells, 2 * liquid.lag / self.h)
        if self.ramp is not None:
            kept = share_of_strain_kept(liquid.particles, self.ramp)
            liquid.strain.pool *= at_entries(cell_means(liquid.particles, kept, cells))
            liquid.strain.modulus = at_entries(cell_means(liquid.particles, liquid.particles.elastic[0], cells))

    def load(self, liquid: ElasticLiquid, samples: StressSamples) -> Pool:
        """As it is, times the share of liquid."""
        assert liquid.strain is not None, "it has not been brought here"
        modulus = np.float32(self.constants[0]) if liquid.strain.modulus is None else liquid.strain.modulus
        return np.float32(2 / self.rho) * modulus * samples.share * np.nan_to_num(liquid.strain.pool)

    def grow(self, liquid: ElasticLiquid, rates: Rates, samples: StressSamples, dt: float) -> None:
        """Each entry by itself; then it yields."""
        assert liquid.strain is not None, "it has not been brought here"
        pool = np.nan_to_num(liquid.strain.pool) + np.float32(dt / self.h) * rates.strain
        _, point, rate = self.constants
        tiles = samples.tiles
        factors = np.ones_like(pool)
        run = _yield(tiles.shape, self.by_components)
        run(pool, tiles.neighbours, samples.busy, factors, (point, rate, dt), chunk_count())
        grown = np.where(samples.share > 0, pool * factors, np.float32(np.nan))
        if liquid.strain.modulus is not None:
            grown[liquid.strain.modulus == 0] *= np.float32(0)  # what has no modulus is not strained
        liquid.strain = StrainField(tiles, grown)


@stage
def traced(strain: StrainField, velocity: FaceField, cells: Cells, scaled: float) -> StrainField:
    """Strain carried along by a velocity for a time over the cell size (s/m), where liquid is near; else unknown."""
    tiles = cells.tiles
    result = StrainField.unknown(tiles)
    old, u = strain.moved_to(tiles), velocity.moved_to(tiles)
    near = tiles.slots[(cells.surroundings[1][1:] & NEAR_LIQUID) > 0]
    run = _trace(tiles.shape)
    run(u.pool, old.pool, (tiles.keys, tiles.origins), near, scaled, result.pool, chunk_count())
    return result


@stage
def at_entries(means: CellMeans) -> Pool:
    """Means of cells at the places of the entries of tensors, of those that are known; zero where none is."""
    tiles = means.tiles
    result: Pool = np.zeros((entry_count(tiles.dimension), *means.value.shape), np.float32)
    near = np.flatnonzero(means.is_known.any(axis=(1, 2, 3)))
    beside = np.unique(tiles.neighbours[near])
    busy = beside[beside > 0].astype(np.int32)
    _take_to_entries(tiles.shape)(means.value, tiles.neighbours, busy, result, chunk_count())
    return result


@inlined
def _start(entry, axis, DIM):
    """Where an entry of a cell's tensor stands along an axis: half-way, or at its start."""
    if entry < DIM:
        return 0.5
    left_out = 2 - (entry - DIM) if DIM == 3 else 2
    return 0.5 if axis == left_out else 0.0


@for_tile_shape
def _trace(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    ENTRIES = DIM * (DIM + 1) // 2

    @kernel
    def run(velocity, strain, where, tiles, scaled, result, chunks):
        keys, origins = where
        n = len(tiles)
        for c in prange(chunks):
            begin = np.zeros(3)
            place = np.zeros(3)
            u = np.zeros(3)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for cell in range(BZ * BY * BX):
                    k, j, i_x = cell // (BY * BX), cell // BX % BY, cell % BX
                    for entry in range(ENTRIES):
                        begin[0] = origins[t, 0] + i_x + _start(entry, 0, DIM)
                        begin[1] = origins[t, 1] + j + _start(entry, 1, DIM)
                        begin[2] = origins[t, 2] + k + _start(entry, 2, DIM) if DIM == 3 else 0.0
                        place[:] = begin
                        for _ in range(2):
                            for a in range(DIM):
                                value = interpolate_anywhere(
                                    velocity[a], keys, a, place[0], place[1], place[2], BZ, BY, BX
                                )
                                u[a] = value if value == value else 0.0
                            for a in range(DIM):
                                place[a] = begin[a] - scaled * u[a]
                        # Half a cell is taken off all axes: given back to those along which it stands at the start
                        x = place[0] + 0.5 - _start(entry, 0, DIM)
                        y = place[1] + 0.5 - _start(entry, 1, DIM)
                        z = place[2] + 0.5 - _start(entry, 2, DIM)
                        value = interpolate_anywhere(strain[entry], keys, 3, x, y, z, BZ, BY, BX)
                        result[entry, t, k, j, i_x] = np.float32(value)

    return run


@for_tile_shape
def _take_to_entries(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    ENTRIES = DIM * (DIM + 1) // 2

    @kernel
    def run(value, neighbours, tiles, result, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.zeros(PZ * PY * PX)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                copy_block(block, value, neighbours, t, 1, BZ, BY, BX)
                for cell in range(BZ * BY * BX):
                    z, y, x = cell // (BY * BX), cell // BX % BY, cell % BX
                    m = row_start(z, y, HZ, PY, PX) + x
                    for entry in range(ENTRIES):
                        total, count = 0.0, 0
                        for corner in range(1 << DIM):
                            o, is_round = m, True
                            for axis in range(DIM):
                                if corner >> axis & 1:
                                    is_round = is_round and _start(entry, axis, DIM) == 0.0
                                    o -= stride(axis, PY, PX)
                            if is_round and block[o] == block[o]:
                                total += block[o]
                                count += 1
                        if count > 0:
                            result[entry, t, z, y, x] = np.float32(total / count)

    return run


@inlined
def _entry_near(blocks, entry, at, m, PY, PX, DIM):
    """Mean of one entry at the place where another one stands."""
    total, count = 0.0, 0
    for corner in range(1 << DIM):
        o, is_next = m, True
        for axis in range(DIM):
            if corner >> axis & 1:
                from_here, to = _start(at, axis, DIM), _start(entry, axis, DIM)
                if from_here == to:
                    is_next = False
                o += stride(axis, PY, PX) if from_here > to else -stride(axis, PY, PX)
        if is_next:
            total += blocks[entry, o]
            count += 1
    return total / count


@for_tile_shape
def _yield(shape: Shape, by_components: bool) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX
    ENTRIES = DIM * (DIM + 1) // 2
    BY_COMPONENTS = by_components

    @kernel
    def run(strain, neighbours, tiles, factors, how, chunks):
        point, rate, dt = how
        n = len(tiles)
        for c in prange(chunks):
            blocks = np.zeros((ENTRIES, SIZE), np.float32)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for entry in range(ENTRIES):
                    copy_block(blocks[entry], strain[entry], neighbours, t, 1, BZ, BY, BX)
                for cell in range(BZ * BY * BX):
                    z, y, x = cell // (BY * BX), cell // BX % BY, cell % BX
                    m = row_start(z, y, HZ, PY, PX) + x
                    for at in range(ENTRIES if BY_COMPONENTS else 1):
                        square = 0.0
                        for entry in range(ENTRIES):
                            value = np.float64(blocks[entry, m])
                            if BY_COMPONENTS:
                                value = _entry_near(blocks, entry, at, m, PY, PX, DIM)
                            square += value * value * (1.0 if entry < DIM else 2.0)
                        factor = np.float32(yield_factor(np.sqrt(square), point, rate, dt))
                        if BY_COMPONENTS:
                            factors[at, t, z, y, x] = factor
                        else:
                            for entry in range(ENTRIES):
                                factors[entry, t, z, y, x] = factor

    return run
