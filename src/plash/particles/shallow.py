"""Liquid that is thinner than a cell beside a body, such as the tip of a pool on a beach.

*Slopes.* Of the faces round such a particle some lie in the body and some above the surface. There the velocity is
continued, so its differences across the cell are none of the liquid's. And particles there carry so little that the
surface hardly sees them move: nothing turns them back. An affine velocity that they keep goes round in the tip for
ever, and takes single particles a third of a cell above the level, from where they fall.

So in cells that a body cuts, with the surface within a cell, a particle keeps of its slopes after a time t only

    max(0, 1 - t/T) ,    T = 0.7 √(h/g)

with T the longest step that the shortest waves allow: a loss that belongs to time and not to the step. Momentum stays.

*Tips.* A cell that no particle reaches counts as air, even if the surface, gone on as a plane, is above its centre
(`particles/shore.py`). The gas pressure is then too near: it would draw the tip up the slope in every step. So where
particles carry a velocity to a face beside such a cell, it becomes no faster there; what moves the rest of the tip
moves it too, as velocities mix.

Near bodies that move neither is done: they shed such films, and nothing comes to rest there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.cells import AIR, Cells, CutCells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import FaceField
from plash.grid.loops import chunk_range, numbers_in
from plash.particles.particles import Particles
from plash.particles.shore import DRY
from plash.timing import stage

_AT_SURFACE = 1.1 * DRY  # cells to the surface, at most, from a cell that counts as air for want of particles


@stage
def fade_shallow_slopes(particles: Particles, cells: Cells, dt: float, longest: float, h: float) -> None:
    """Let affine velocities fade for dt (s) in cells that a body cuts and the surface is near to.

    Args:
        particles: Sorted, with affine velocities; are changed.
        cells: Those of the step.
        dt: For how long, s.
        longest: T, s; infinite without forces, where no level is that liquid lies at: then nothing fades.
        h: Cell size, m.
    """
    if cells.cut_cells is None or cells.phi is None:
        return
    kept = np.float32(max(0.0, 1 - dt / longest))
    slots = _tiles_at_shores(cells.cut_cells)
    shallow = _Shallow(cells.cut_cells.volume, cells.phi.pool, np.float32(-h))
    in_tiles = particles.in_tiles(cells.tiles)
    _fade(particles.affine, particles.cell, in_tiles, slots, shallow, kept, chunk_count())


class _Shallow(NamedTuple):
    """Open share of cells, their distance to the surface, and that below which it is too far."""

    share: NDArray[np.float32]
    phi: NDArray[np.float32]
    least: np.float32


@stage
def hold_tips(velocity: FaceField, carried: FaceField, cells: Cells, h: float) -> None:
    """Let no face beside a cell that only counts as air become faster than particles brought it.

    Args:
        velocity: After it was continued, m/s; is changed.
        carried: What particles carried to each face before forces and pressure, m/s; unknown where none did.
        cells: Those of the step.
        h: Cell size, m.
    """
    if cells.cut_cells is None or cells.phi is None or cells.fill is None:
        return
    slots = _tiles_at_shores(cells.cut_cells)
    share, phi = cells.cut_cells.volume[slots], cells.phi.pool[slots]
    dry = (share > 0) & (share < 1) & (cells.label[slots] == AIR) & (phi < _AT_SURFACE * h)
    number, *within = np.nonzero(dry & (cells.fill.pool[slots] == 0))
    places = (slots[number], *within)
    for axis in range(cells.tiles.dimension):
        for faces in (places, cells.tiles.beside(places, axis, 1)):
            values, most = velocity.pool[axis][faces], np.abs(carried.pool[axis][faces])
            known = ~np.isnan(most)
            velocity.pool[axis][faces] = np.where(known, np.clip(values, -most, most), values)


def _tiles_at_shores(cut_cells: CutCells) -> NDArray[np.int64]:
    """Slots of the tiles near bodies, but for those near bodies that move."""
    slots = np.flatnonzero(cut_cells.openness.rows)
    moving = cut_cells.solid_flux
    return slots if moving is None else np.setdiff1d(slots, moving.slots)


@kernel
def _fade(affine, cell, in_tiles, slots, shallow, kept, chunks):
    starts, origins, _, _ = in_tiles
    share, phi, least = shallow
    n = len(slots)
    dimension = len(cell)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            t = slots[i]
            for p in numbers_in(starts, t):
                x, y = cell[0, p] - origins[t, 0], cell[1, p] - origins[t, 1]
                z = cell[2, p] - origins[t, 2] if dimension == 3 else 0
                if 0 < share[t, z, y, x] < 1 and phi[t, z, y, x] > least:
                    for row in range(len(affine)):
                        affine[row, p] *= kept
