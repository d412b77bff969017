"""Liquid that parts from walls and ceilings: a wall can push, and it cannot pull.

At a wall either the pressure pushes and nothing moves through it, or the pressure is the air's and liquid may leave:

    p ≥ p_gas ,    u·n ≥ 0 ,    and one of the two is an equality

The pressure is found as if liquid stuck to every wall. Liquid cells at a wall that it would pull on then let go: they
count as air at gas pressure, and it is found once more. Faces between such a cell and the wall take the velocity
that the liquid beside them has, as far as it leads away from the wall. One round of what is an inequality in every
cell: what it leaves is found in the next step. Components without any air keep together, for nothing could fill
the gap. So do cells ahead of the opening of a spout: there is liquid behind it, and a strand that hangs there pulls on
that. Reference: Batty et al. 2007, section 5.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.cells import AIR, LEAVES_DOWN, LEAVES_UP, NEAR_SOLID, WALL, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range
from plash.grid.tiles import Places
from plash.linear.components import ClosedComponents
from plash.linear.operators import Pool64
from plash.linear.system import PoissonSystem
from plash.physics.free_surface import FreeSurface
from plash.timing import stage

_ROUND_OFF = 1e-4  # of the largest pressure: a pull that is below this is none


@stage
def separate_from_walls(
    cells: Cells, potential: Pool64, closed: ClosedComponents, held: Places | None = None
) -> Cells | None:
    """The cells as they are after those let go that a wall pulls on; None if none does.

    Args:
        cells: As they were when the pressure was found.
        potential: The pressure in any unit, zero in air.
        closed: The components that no air touches.
        held: Cells that do not let go.
    """
    pulled = _pulled(cells, potential, closed, held)
    if len(pulled[0]) == 0:
        return None
    label, faces = cells.label.copy(), cells.faces.copy()
    label[pulled] = AIR
    tiles = cells.tiles
    for axis in range(tiles.dimension):
        faces[axis][pulled] |= np.where(faces[axis][pulled] & WALL, LEAVES_UP, 0).astype(np.uint8)
        above = tiles.beside(pulled, axis, 1)
        faces[axis][above] |= np.where(faces[axis][above] & WALL, LEAVES_DOWN, 0).astype(np.uint8)
    faces[:, 0] = 0
    phi = None
    if cells.phi is not None:
        phi = CellField(tiles, cells.phi.pool.copy())
        phi.pool[pulled] = 0.0  # gas pressure at the centre
    return replace(cells, label=label, faces=faces, phi=phi)


def parted_system(free_surface: FreeSurface, parted: Cells, before: PoissonSystem) -> PoissonSystem:
    """The equations after cells let go, given those before.

    What lets go is air to the cells beside it: where nothing was closed, nothing is. Where solids cut cells, a contact
    may be too small to count.
    """
    is_open = parted.cut_cells is None and before.closed.count == 0
    return PoissonSystem(free_surface.operator(parted), is_open)


def _pulled(cells: Cells, potential: Pool64, closed: ClosedComponents, held: Places | None) -> Places:
    """Liquid cells with a wall, or a part of one, in which the pressure is below the air's."""
    around, together = cells.surroundings
    near = np.flatnonzero(together & NEAR_SOLID)
    pulls = np.empty((len(near), *potential.shape[1:]), np.bool_)
    does_any = np.empty(len(near), np.bool_)
    size = potential[0].size
    by_tile = potential.reshape(-1, size), around.reshape(-1, size), pulls.reshape(-1, size)
    largest = np.empty(len(potential))
    _find_largest(by_tile[0], largest, chunk_count())
    _find_pulls(*by_tile, near, -_ROUND_OFF * float(largest.max(initial=0.0)), does_any, chunk_count())
    slots, *rest = np.nonzero(pulls[does_any])
    found: Places = (near[does_any][slots], *rest)
    keep = _touches_wall(cells, found)
    if closed.count:
        rank = np.zeros(cells.tiles.count + 1, np.int64)
        rank[closed.active] = np.arange(len(closed.active))
        keep &= closed.label[(rank[found[0]], *found[1:])] == 0
    if held is not None and len(held[0]):
        shape = cells.label.shape
        keep &= ~np.isin(np.ravel_multi_index(found, shape), np.ravel_multi_index(held, shape))
    return tuple(part[keep] for part in found)


def _touches_wall(cells: Cells, places: Places) -> NDArray[np.bool_]:
    """Whether a face of each cell is closed, or partly."""
    touches = np.zeros(len(places[0]), np.bool_)
    for axis in range(cells.tiles.dimension):
        for face in (places, cells.tiles.beside(places, axis, 1)):
            touches |= (cells.faces[axis][face] & WALL) > 0
            if cells.cut_cells is not None:
                touches |= cells.cut_cells.face_fractions[axis][face] < 1
    return touches


@kernel
def _find_largest(potential, largest, chunks):
    n = len(potential)
    for c in prange(chunks):
        for t in chunk_range(c, chunks, n):
            most = 0.0
            for value in potential[t]:
                most = max(most, abs(value))
            largest[t] = most


@kernel
def _find_pulls(potential, around, pulls, near, limit, does_any, chunks):
    n = len(near)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            values, bits, result = potential[near[i]], around[near[i]], pulls[i]
            found = False
            for m in range(np.uint64(len(values))):
                is_pulled = (values[m] < limit) & ((bits[m] & NEAR_SOLID) > 0)
                result[m] = is_pulled
                found |= is_pulled
            does_any[i] = found
