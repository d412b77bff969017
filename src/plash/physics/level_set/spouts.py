"""Behind the openings of spouts: liquid comes out in front only.

Cells right behind an opening count as liquid, since it comes from there: what is traced back into them is liquid. Seen
from behind they are none. The velocity there is made up, and where it points away from the spout, what is traced back
would come through its back: a film would stand on it, which nothing carries away.

Reference: Cline section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import Places, Tiles
from plash.levelset.inside import places_of
from plash.levelset.sampling import sampled
from plash.physics.flow.inlets import InletStencil

Points = NDArray[np.float64]

ROUND_SPOUTS = 2  # cells round those of a spout that know how far they are from it
_LEAST_SEEN = 1e-3  # of the weights of a value, below which nothing is seen


def carried_behind(
    phi: CellField, mouths: Sequence[InletStencil], back: Callable[[Points], Points], h: float
) -> tuple[Places, NDArray[np.float32]]:
    """Cells beside spouts and behind their openings, and what a level set (m) is there after a move.

    What they see are open cells that are behind the opening, too; their value stays if they see none.

    Args:
        phi: The level set before the move.
        mouths: The spouts.
        back: Where what is at points (n, d) in metres was before the move.
        h: Cell size, m.
    """
    tiles = phi.tiles
    found = []
    for mouth in mouths:
        cells, places = _round(mouth, tiles)
        is_spout = np.zeros(phi.pool.shape, np.bool_)
        is_spout[places_of(mouth.inlet_cells, tiles)] = True
        is_behind = (_heights(cells, mouth, h) < 0) & ~is_spout[places]
        shut, behind = (tuple(part[which] for part in places) for which in (~is_behind, is_behind))
        seen, is_open = CellField(tiles, phi.pool.copy()), CellField.filled(tiles, np.float32(1))
        seen.pool[shut], is_open.pool[shut] = 0, 0

        came = back(_centres(cells[is_behind], h))
        share, values = sampled(is_open, came / h), phi.pool[behind]
        known = (share > _LEAST_SEEN) & (_ahead(came, mouth) < 0)
        values[known] = sampled(seen, came[known] / h) / share[known]
        found.append((behind, values))
    axes = zip(*(behind for behind, _ in found), strict=True)
    return tuple(np.concatenate(axis) for axis in axes), np.concatenate([values for _, values in found])


def cut_at_openings(phi: CellField, mouths: Sequence[InletStencil], h: float) -> None:
    """Let a level set (m) end at the openings of spouts, as it is shown: a jet begins with a plane, not with stairs."""
    for mouth in mouths:
        phi.pool[places_of(mouth.inlet_cells, phi.tiles)] = np.float32(np.inf)
        cells, places = _round(mouth, phi.tiles)
        ahead = _heights(cells, mouth, h)
        is_spout = np.isinf(phi.pool[places])
        seen = np.where(is_spout, -ahead, np.maximum(phi.pool[places], -ahead))
        phi.pool[places] = np.where((ahead > 0) | is_spout, seen, phi.pool[places])


def _round(mouth: InletStencil, tiles: Tiles) -> tuple[NDArray[np.int64], Places]:
    """The cells (n, d) of a spout and round them, of those that there are, and where they are."""
    d = tiles.dimension
    steps = np.indices((2 * ROUND_SPOUTS + 1,) * d).reshape(d, -1).T - ROUND_SPOUTS
    cells = np.unique((mouth.inlet_cells[:, None] + steps).reshape(-1, d), axis=0)
    places = places_of(cells, tiles)
    is_there = places[0] > 0
    return cells[is_there], tuple(part[is_there] for part in places)


def _centres(cells: NDArray[np.int64], h: float) -> Points:
    """The centres of cells (n, d), m."""
    return np.asarray((cells + 0.5) * h, np.float64)


def _heights(cells: NDArray[np.int64], mouth: InletStencil, h: float) -> Points:
    """How far the centres of cells (n, d) are ahead of an opening, m."""
    return _ahead(_centres(cells, h), mouth)


def _ahead(points: Points, mouth: InletStencil) -> Points:
    """How far points are ahead of an opening, m."""
    return np.asarray((points - mouth.center) @ mouth.normal)
