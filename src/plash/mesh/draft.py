"""A surface in the making: in lattice coordinates and double precision, knowing which vertices are held by walls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.carried import CARRIED
from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range
from plash.mesh.topology import Corners, Rows, corners_by_vertex, parts_of

CLOSES, RESTS = 64, 128
PLANES = CLOSES - 1


@dataclass(frozen=True, eq=False)
class Draft:
    """Vertices, what is known of them, and the rows between them.

    Attributes:
        places: Vertices (n, 3) in lattice coordinates.
        carried: What the liquid carries at the vertices (n, 3 + k): its velocity in m/s, and other quantities.
        walls: Bit 2a of each vertex is set on the low wall across axis a, bit 2a + 1 on the high one; `CLOSES` if it is
            not part of the free surface, but closes the liquid on a wall; `RESTS` if it shall not move.
        faces: Triangles (m, 3) of the surface; in 2-D those of the region.
        edges: Outline (k, 2) of a 2-D region, none in 3-D.
        names: Of the other quantities.
    """

    places: NDArray[np.float64]
    carried: NDArray[np.float32]
    walls: NDArray[np.uint8]
    faces: Rows
    edges: Rows
    names: tuple[str, ...] = ()

    @property
    def dimension(self) -> int:
        """2 for a region with an outline, else 3."""
        return 2 if len(self.edges) else 3

    @property
    def rows(self) -> Rows:
        """What bounds the liquid: triangles, or the outline."""
        return self.edges if len(self.edges) else self.faces

    @cached_property
    def parts(self) -> NDArray[np.int32]:
        """Number of the connected part that each vertex belongs to."""
        return parts_of(self.faces, len(self.places))

    @cached_property
    def corners(self) -> Corners:
        """The corners of rows round each vertex."""
        return corners_by_vertex(self.rows, len(self.places))

    @property
    def velocity(self) -> NDArray[np.float32]:
        """Of the liquid at the vertices (n, 3), m/s."""
        return np.ascontiguousarray(self.carried[:, :3])

    @property
    def scalars(self) -> dict[str, NDArray[np.float32]]:
        """The other quantities at the vertices (n,), or (n, k) if they are several numbers, by name."""
        found, first = {}, 3
        for name in self.names:
            last = first + len(CARRIED[name].vertex)
            values = self.carried[:, first] if last == first + 1 else self.carried[:, first:last]
            found[name], first = np.ascontiguousarray(values), last
        return found

    def moved_to(self, places: NDArray[np.float64]) -> Draft:
        """The same with other places."""
        moved = replace(self, places=places)
        # Who is whose neighbour stays as it is
        moved.__dict__.update({name: self.__dict__[name] for name in ("parts", "corners") if name in self.__dict__})
        return moved

    def only(self, kept: NDArray[np.bool_]) -> Draft:
        """The same with whole parts left out, of which no vertex is kept."""
        if kept.all():
            return self
        number = np.cumsum(kept, dtype=np.int32) - 1
        faces, edges = (number[rows[kept[rows[:, 0]]]].astype(np.int32) for rows in (self.faces, self.edges))
        return Draft(self.places[kept], self.carried[kept], self.walls[kept], faces, edges, self.names)

    def with_more(self, other: Draft) -> Draft:
        """Both together."""
        first = np.int32(len(self.places))
        return Draft(
            np.concatenate([self.places, other.places]),
            np.concatenate([self.carried, other.carried]),
            np.concatenate([self.walls, other.walls]),
            np.concatenate([self.faces, other.faces + first]),
            np.concatenate([self.edges, other.edges + first]),
            self.names,
        )

    def tags(self, rows: Rows) -> NDArray[np.uint8]:
        """What each row lies on: the walls that hold all of its vertices, `RESTS` on a solid; 0 in the free surface."""
        tags = np.empty(len(rows), np.uint8)
        _set_tags(rows, self.walls, tags, chunk_count())
        return tags


@kernel
def _set_tags(rows, walls, tags, chunks):
    n, width = rows.shape
    for c in prange(chunks):
        for r in chunk_range(c, chunks, n):
            shared, either = 255, 0
            for k in range(width):
                shared &= walls[rows[r, k]]
                either |= walls[rows[r, k]]
            tags[r] = (shared & RESTS) | (shared & PLANES if either & CLOSES else 0)
