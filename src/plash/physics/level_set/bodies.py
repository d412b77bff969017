"""Bodies of liquid that do not touch one another, each with the volume that it should have.

Cells inside that share a face belong to one body. From step to step bodies part and meet: a body now has what those
had that its cells come from. Where several bodies now come of several before, what these had is shared out by volume.
What comes and goes at a place is added to the body there. What nobody has, such as that of a drop which is too small to
be seen any more, is shared out among all.

Reference: Kim et al. 2007, whose bubbles keep their volume so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import Kernel, for_tile_shape, serial_kernel
from plash.grid.fields import CellField
from plash.grid.loops import face_step, home_of, root_of, unite
from plash.grid.tiles import Places, Shape
from plash.levelset.inside import places_of
from plash.physics.level_set.band import BAND, cells_within, centres
from plash.timing import stage

Array = NDArray[np.float64]
CameFrom = Callable[[Array], Array]

_CRUMB = 1e-2  # cells: a body that should have less counts as one that should have so much


@dataclass(eq=False)
class Bodies:
    """Bodies of liquid at one moment.

    Attributes:
        number: Of the body that each cell belongs to, 1, 2, ...; in the open band round it, of the nearest; else 0.
        wanted: Volume that each should have, in cells, by number; what nobody has is at 0.
    """

    number: CellField
    wanted: Array

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.wanted) - 1

    @staticmethod
    def of(phi: CellField, is_closed: NDArray[np.bool_], shares: NDArray[np.float32], h: float) -> Bodies:
        """The bodies of a level set (m), which should have what they have; shares of cells that are inside."""
        number = numbered(phi, is_closed, h)
        count = int(number.pool.max(initial=0))
        return Bodies(number, volumes(number, shares, count))

    def give(self, cells: NDArray[np.int64], volume: Array) -> None:
        """Add volumes (in cells) at cells (n, d) to what their bodies should have; or take them away, if below 0."""
        np.add.at(self.wanted, self.number.pool[places_of(cells, self.number.tiles)], volume)

    @stage
    def followed(
        self, phi: CellField, is_closed: NDArray[np.bool_], shares: NDArray[np.float32], h: float, came_from: CameFrom
    ) -> Bodies:
        """The bodies of a level set (m) that these have become.

        Args:
            phi: As it is now.
            is_closed: Cells that belong to nobody.
            shares: Of cells that are inside.
            h: Cell size, m.
            came_from: Where what is at points (n, d) in metres was before.
        """
        now = Bodies.of(phi, is_closed, shares, h)
        if self.count <= 1 and now.count <= 1:
            now.wanted = np.array([self.wanted.sum(), 0.0]) if now.count == 0 else np.array([0.0, self.wanted.sum()])
            return now
        was, became = self._pairs(now.number, phi, h, came_from)
        measured, now.wanted = now.wanted, np.zeros(now.count + 1)
        # Those before and those now are joined to groups; numbers of those now come behind those before
        root = np.arange(self.count + 1 + now.count + 1)
        _join_pairs(root, was, became + self.count + 1)
        group_before, group_now = root[: self.count + 1], root[self.count + 1 :]
        given, held = np.zeros(len(root)), np.zeros(len(root))
        np.add.at(given, group_before[1:], self.wanted[1:])
        np.add.at(held, group_now[1:], measured[1:])
        has_past, has_future = np.zeros((2, len(root)), np.bool_)
        has_past[group_before[1:]], has_future[group_now[1:]] = True, True
        # Of those in which no volume is seen yet, as of a jet that begins, each has the same
        alike = np.bincount(group_now[1:], minlength=len(root))[group_now[1:]]
        held = held[group_now[1:]]
        share = np.where(held > 0, measured[1:] / np.maximum(held, 1e-30), 1 / alike)
        past = has_past[group_now[1:]]
        now.wanted[1:] = np.where(past, given[group_now[1:]] * share, measured[1:])
        now.wanted[0] = self.wanted[0] + given[has_past & ~has_future].sum()
        return now

    def _pairs(
        self, number: CellField, phi: CellField, h: float, came_from: CameFrom
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers before and now of bodies that have liquid in common, each pair once."""
        inside = np.less(phi.pool, 0) & (number.pool > 0)
        inside[0] = False
        moved = inside & (np.abs(phi.pool) < np.float32((BAND - 1e-3) * h))
        # Deep inside nothing has left its body
        deep: Places = np.nonzero(inside & ~moved)
        still = phi.tiles.origins[deep[0]] + np.stack([deep[3], deep[2], deep[1]], axis=1)
        near: Places = np.nonzero(moved)
        came = np.floor(came_from(centres(phi.tiles, near, h)) / h).astype(np.int64)
        cells = np.concatenate([came, still[:, : phi.tiles.dimension].astype(np.int64)])
        was = self.number.pool[places_of(cells, self.number.tiles)].astype(np.int64)
        now = np.concatenate([number.pool[near], number.pool[deep]]).astype(np.int64)
        many = int(now.max(initial=0)) + 1
        was, became = np.divmod(np.unique(was * many + now), many)
        return was[was > 0], became[was > 0]

    def balance(self, whole: float) -> None:
        """Share out what nobody has, by volume, so that all together should have a whole volume (in cells)."""
        wanted = np.maximum(self.wanted[1:], 0.0)
        total = float(wanted.sum())
        self.wanted[1:] = wanted * (whole / total) if total > 0 else wanted
        self.wanted[0] = 0.0

    def shift(
        self,
        phi: CellField,
        is_closed: NDArray[np.bool_],
        missing: Array,
        most: float,
        h: float,
        is_held: NDArray[np.bool_] | None = None,
    ) -> None:
        """Move the surface of each body outwards until a volume (in cells, by number) is there that was missing.

        Args:
            phi: The level set, m.
            is_closed: Cells in which there is no surface.
            missing: Volume by number.
            most: Cells by which a surface may move at most; as many times that as its body is too large or small.
            h: Cell size, m.
            is_held: Cells in which it stays where it is; none, if not given.
        """
        surface = (np.abs(phi.pool) < 0.5 * h) & ~is_closed
        surface[0] = False
        near = cells_within(phi, (BAND - 1) * h)
        if is_held is not None:
            surface &= ~is_held
            free = ~is_held[near]
            near = tuple(part[free] for part in near)
        area = np.bincount(self.number.pool[surface], minlength=len(self.wanted))
        # A crumb that has many times what it should have, or little of it, is no surface to be careful with
        measured = self.wanted - missing
        ratio = np.maximum(measured, _CRUMB) / np.maximum(self.wanted, _CRUMB)
        limit = np.minimum(most * np.maximum(ratio, 1 / ratio), 1.0)
        shift = np.clip(missing / np.maximum(area, 1), -limit, limit)
        shift[0] = 0.0
        phi.pool[near] -= (shift * h).astype(np.float32)[self.number.pool[near]]


def volumes(number: CellField, shares: NDArray[np.float32], count: int) -> Array:
    """Volume of each body in cells, by number; at 0 nothing."""
    found: Array = np.bincount(number.pool.reshape(-1), weights=shares.reshape(-1), minlength=count + 1).astype(
        np.float64
    )
    found[0] = 0.0
    return found


@stage
def numbered(phi: CellField, is_closed: NDArray[np.bool_], h: float) -> CellField:
    """The number of the body of each cell, in the order of their first cells; in the band round it, of the nearest."""
    tiles = phi.tiles
    inside = np.less(phi.pool, 0) & ~is_closed
    inside[0] = False
    root = np.arange(inside.size, dtype=np.int32)
    _join_cells(tiles.shape)(inside, tiles.neighbours, root)
    flat = np.flatnonzero(inside)
    heads, own = np.unique(root[flat], return_inverse=True)
    number = np.zeros(inside.size, np.int32)
    number[flat] = own + 1
    if len(heads) == 1:
        number[:] = 1
        number[: inside[0].size] = 0
    elif len(heads) > 1:
        band = np.flatnonzero((np.abs(phi.pool) < np.float32(BAND * h)) & ~inside & ~is_closed)
        order = band[np.argsort(phi.pool.reshape(-1)[band], kind="stable")]
        _reach_out(tiles.shape)(phi.pool.reshape(-1), number, tiles.neighbours, order)
    return CellField(tiles, number.reshape(phi.pool.shape))


@serial_kernel
def _join_pairs(root, one, other):
    for p in range(len(one)):
        unite(root, one[p], other[p])
    for a in range(len(root)):
        root[a] = root_of(root, a)


@for_tile_shape
def _join_cells(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    AXES = 2 if BZ == 1 else 3

    @serial_kernel
    def run(inside, neighbours, root):
        for t in range(1, len(inside)):
            for z in range(BZ):
                for y in range(BY):
                    for x in range(BX):
                        if not inside[t, z, y, x]:
                            continue
                        own = ((t * BZ + z) * BY + y) * BX + x
                        for axis in range(AXES):
                            dx, dy, dz = 1 if axis == 0 else 0, 1 if axis == 1 else 0, 1 if axis == 2 else 0
                            s, sx, sy, sz = home_of(neighbours, t, x - dx, y - dy, z - dz, BZ, BY, BX)
                            if inside[s, sz, sy, sx]:
                                unite(root, own, ((s * BZ + sz) * BY + sy) * BX + sx)
        for a in range(len(root)):
            root[a] = root_of(root, a)

    return run


@for_tile_shape
def _reach_out(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    SIZE = BZ * BY * BX
    WAYS = 4 if BZ == 1 else 6

    @serial_kernel
    def run(phi, number, neighbours, cells):
        for p in range(len(cells)):
            t, inner = cells[p] // SIZE, cells[p] % SIZE
            x, y, z = inner % BX, inner // BX % BY, inner // (BX * BY)
            if t == 0:
                continue
            lowest = np.float32(np.inf)
            for way in range(WAYS):
                dx, dy, dz = face_step(way)
                s, sx, sy, sz = home_of(neighbours, t, x + dx, y + dy, z + dz, BZ, BY, BX)
                other = s * SIZE + (sz * BY + sy) * BX + sx
                if number[other] > 0 and phi[other] < lowest:
                    lowest = phi[other]
                    number[cells[p]] = number[other]

    return run
