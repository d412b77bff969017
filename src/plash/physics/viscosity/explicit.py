"""Explicit viscosity, each component by itself (Cline step 3c): u += ν dt ∇²u.

    u_0 += (ν dt/h²) Σ over neighbours n of (u_n - u_0)

Only components that border liquid take part, and the centre's coefficient shrinks with the neighbours left out:
otherwise a free surface would be dragged towards zero. A wall that liquid slides along contributes nothing to
tangential components; one that holds it adds f (u_wall - u_0), f = 2 at a flat wall half a cell away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange

from plash.grid.blocks import block_sizes, known_sums_at, room_for_sums, sum_known_neighbours
from plash.grid.cells import Cells
from plash.grid.compile import Kernel, chunk_count, for_tile_shape, kernel
from plash.grid.fields import CellField, FaceField
from plash.grid.loops import chunk_range, row_start
from plash.grid.tiles import Shape, dimension_of
from plash.grid.whole_arrays import copied
from plash.physics.flow.sources import RunningInlets
from plash.physics.solids.base import Solids
from plash.physics.viscosity.base import ViscousStep
from plash.physics.viscosity.path_strain import StraightPaths
from plash.physics.viscosity.stress_weights import Scheme, stress_operator
from plash.physics.viscosity.viscous_faces import FREE, ViscousFaces
from plash.timing import stage


@dataclass(frozen=True)
class ExplicitViscosity:
    """Diffusion of each component of the velocity with an explicit step.

    Attributes:
        nu: Kinematic viscosity, m²/s, where no field is given; where one is, the largest that it may have.
        h: Cell size, m.
        harmonic: Whether a viscosity that varies has its harmonic mean on edges, else the geometric one.
        walls_hold: Whether any wall may hold liquid, which makes the longest step shorter.

    Reference: Cline, equation 7 with the 1/h² it leaves out.
    """

    nu: float
    h: float
    harmonic: bool = True
    walls_hold: bool = False

    def longest_step(self, h: float, dimension: int) -> float:
        """Limit ν dt/h² ≤ 1/6 in 3-D, 1/4 in 2-D: beyond it the shortest wave grows.

        Beside walls that hold liquid a face has the coefficient 2 towards each: 1/10 and 1/6 in a duct of one cell.
        """
        return h * h / (self._largest_sum(dimension, self.walls_hold) * self.nu)

    def longest_time(self, nu: float, dimension: int, walls_hold: bool) -> float:
        """Longest time for which a viscosity can act at once, s."""
        return self.h**2 / (self._largest_sum(dimension, walls_hold) * nu) if nu > 0 else float("inf")

    @staticmethod
    def _largest_sum(dimension: int, walls_hold: bool) -> int:
        """Largest sum of the coefficients of a face's neighbours."""
        return 4 * dimension - 2 if walls_hold else 2 * dimension

    @stage
    def apply(
        self,
        velocity: FaceField,
        cells: Cells,
        solids: Solids,
        viscosity: CellField | None,
        dt: float,
        inlets: RunningInlets | None = None,
        paths: StraightPaths | None = None,
    ) -> ViscousStep:
        """Set u += ν dt ∇²u on every known face; unknown ones must be the dry ones."""
        nu = self.nu if viscosity is None else viscosity
        if viscosity is None and not solids.holds_liquid:
            self._diffuse(velocity, cells, dt)
        else:
            self._diffuse_beside_walls(velocity, cells, solids, nu, dt)
        return ViscousStep(nu=nu)

    def _diffuse(self, velocity: FaceField, cells: Cells, dt: float) -> None:
        """With one viscosity, and where liquid slides along all walls."""
        tiles = velocity.tiles
        smoothed = copied(velocity.pool)
        number = np.float32(self.nu * dt / self.h**2)
        run = _diffuse(tiles.shape)
        run(velocity.pool, smoothed, tiles.neighbours, cells.wet_tiles, number, chunk_count())
        velocity.pool = smoothed

    def _diffuse_beside_walls(
        self, velocity: FaceField, cells: Cells, solids: Solids, viscosity: float | CellField, dt: float
    ) -> None:
        """With any viscosity and walls: u += -Bᵀ W B u, the right-hand side of the implicit scheme."""
        faces = ViscousFaces.of(velocity, cells, solids)
        scheme = Scheme(self.h, coupled=False, harmonic=self.harmonic, least_way=0.5)
        operator = stress_operator(faces, cells, viscosity, dt, scheme)
        if len(operator.active) == 0:
            return
        rows = operator.diagonal.shape
        change, before = operator.zeros(np.float64), faces.velocity.astype(np.float64).reshape(rows)
        operator.residual(before, before * operator.mass.reshape(rows), change)
        is_free = faces.kinds == FREE
        faces.velocity[is_free] += change.reshape(faces.kinds.shape)[is_free].astype(np.float32)
        faces.change(velocity, velocity, cells)


@for_tile_shape
def _diffuse(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    PZ, PY, PX, HZ = block_sizes(shape, 1)
    DIM = dimension_of(shape)
    SIZE = PZ * PY * PX

    @kernel
    def run(velocity, result, neighbours, tiles, number, chunks):
        n = len(tiles)
        for c in prange(chunks):
            block = np.full(SIZE, np.float32(np.nan))
            found = room_for_sums(SIZE)
            for i in chunk_range(c, chunks, n):
                t = tiles[i]
                for axis in range(DIM):
                    sum_known_neighbours(found, block, velocity[axis], neighbours, t, BZ, BY, BX)
                    for z in range(BZ):
                        for y in range(BY):
                            o, row = np.uint64(row_start(z, y, HZ, PY, PX)), result[axis, t, z, y]
                            for x in range(np.uint64(BX)):
                                value, total, count = known_sums_at(found, o + x, SIZE)
                                row[x] = block[o + x] + number * (total - count * value)

    return run
