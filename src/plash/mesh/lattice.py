"""The lattice that a liquid is sampled on: walls of the domain pass through its points, solids are somewhere in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.tiles import Tiles
from plash.levelset.shapes import distance
from plash.mesh.draft import CLOSES
from plash.mesh.marching import NEAREST
from plash.scene.bodies import Solid
from plash.scene.domain import Domain, SideName
from plash.scene.shapes import Shape

_FAR = 1e6  # spacings: how far outside samples behind walls are said to be, so that the surface lies on the wall
_HAIR = NEAREST / 2
_BEHIND = 0.25  # spacings more than half a cell, so that a solid's own face, if samples are on it, is not the seam
_FURTHER = 1.5  # spacings beyond the cut: how deep places in solids are told apart

SolidDistance = tuple[NDArray[np.int32], NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Lattice:
    """Where samples stand, and the space they stand in.

    Attributes:
        spacing: Between samples, m.
        detail: Samples along the edge of a cell.
        low: First sample of the domain along x, y[, z]; None where the side is unbounded.
        high: Last sample of the domain.
        solids: What is in it.
    """

    spacing: float
    detail: int
    low: tuple[int | None, ...]
    high: tuple[int | None, ...]
    solids: Sequence[Solid]

    @staticmethod
    def over(domain: Domain, solids: Sequence[Solid], h: float, detail: int) -> Lattice:
        """The lattice of a domain."""
        bounds: list[tuple[int | None, ...]] = []
        for end in ("min", "max"):
            names: list[SideName] = [f"{axis}_{end}" for axis in "xyz"[: domain.dimension]]  # type: ignore[misc]
            bounds.append(
                tuple(
                    None if domain.side(name) == "unbounded" else (cells * detail if end == "max" else 0)
                    for name, cells in zip(names, domain.cells, strict=True)
                )
            )
        return Lattice(h / detail, detail, bounds[0], bounds[1], solids)

    def shapes(self) -> Iterator[tuple[Shape, str]]:
        """Of the solids, and what messages call them."""
        for number, solid in enumerate(self.solids):
            yield solid.shape, solid.name or f"solid {number + 1}"


def depth_of_cut(detail: int) -> float:
    """How deep in solids the liquid is cut off, in lattice spacings."""
    return detail / 2 + _BEHIND


def solid_distance(tiles: Tiles, lattice: Lattice) -> SolidDistance:
    """Slots of the tiles near solids, and the distance to the nearest solid at their samples, in lattice spacings."""
    if not lattice.solids:
        return np.zeros(0, np.int32), np.zeros((0, *tiles.shape), np.float32)
    dimension, size, s = tiles.dimension, tiles.shape[2], lattice.spacing
    centres = (tiles.origins[1:, :dimension] + 0.5 * size) * s
    # Generous, for shapes whose distance is only roughly one
    reach = s * (1.5 * size * np.sqrt(dimension) + 4 * lattice.detail)
    solid_phis = [distance(shape, centres, name) for shape, name in lattice.shapes()]
    slots = (np.flatnonzero(np.minimum.reduce(solid_phis) < reach) + 1).astype(np.int32)
    points = tiles.cell_centres(slots, s) - 0.5 * s
    nearest = np.full(len(points), np.inf)
    block = points.shape[0] // max(len(slots), 1)
    for (shape, name), solid_phi in zip(lattice.shapes(), solid_phis, strict=True):
        near = np.repeat(solid_phi[slots - 1] < reach, block)
        nearest[near] = np.minimum(nearest[near], distance(shape, points[near], name))
    nearest = _to_open_space(points / s, nearest / s, lattice)
    return slots, nearest.astype(np.float32).reshape(-1, *tiles.shape)


def distance_to_solids(places: NDArray[np.float64], lattice: Lattice) -> NDArray[np.float64]:
    """Distance of places (n, d) to the nearest solid, far if none is close; all in lattice spacings."""
    return _to_open_space(places, _nearest_solid(places * lattice.spacing, lattice), lattice)


def _to_open_space(
    places: NDArray[np.float64], solid_phi: NDArray[np.float64], lattice: Lattice
) -> NDArray[np.float64]:
    """The distance to solids, which in them is that to the space in the domain that is open.

    Where the way out leads straight through a wall, it is measured further inwards, where it leads elsewhere.
    """
    found, d = solid_phi.copy(), places.shape[1]
    deep = depth_of_cut(lattice.detail) + _FURTHER
    inside = np.flatnonzero((solid_phi <= _HAIR) & (solid_phi > -deep))
    at, depth = places[inside], -solid_phi[inside]
    for _ in range(d):  # what is in a corner is moved away from one wall after the other
        for axis, end, beyond in beyond_walls(at, lattice):
            outwards = np.eye(d)[axis] * (2 * end - 1)
            leads = np.flatnonzero((beyond <= _HAIR) & (-beyond <= depth + _HAIR) & (depth < deep))
            if not len(leads):
                continue
            ahead = at[leads] + (depth[leads] + 2 * _HAIR)[:, None] * outwards
            leads = leads[_nearest_solid(ahead * lattice.spacing, lattice) > 0]
            start = at[leads]
            for inwards in (0.5 * deep, deep):
                moved = start - inwards * outwards
                there = -_nearest_solid(moved * lattice.spacing, lattice)
                deeper = there >= depth[leads] - _HAIR  # in a corner, as deep until it is away from both walls
                at[leads[deeper]], depth[leads[deeper]] = moved[deeper], there[deeper]
    found[inside] = -depth
    return found


def solid_phi_everywhere(tiles: Tiles, solid: SolidDistance) -> NDArray[np.float32]:
    """The distance to the nearest solid as a pool, far where it was not measured; in lattice spacings."""
    pool = np.full((tiles.count + 1, *tiles.shape), _FAR, np.float32)
    slots, solid_phi = solid
    pool[slots] = solid_phi
    return pool


def open_share(tiles: Tiles, lattice: Lattice, solid: SolidDistance) -> NDArray[np.float32]:
    """Part of the space round each sample that liquid can be in: half of it on a wall, none beyond."""
    share = np.ones((tiles.count + 1, *tiles.shape), np.float32)
    for beyond in _samples_beyond_walls(tiles, lattice):
        across = np.flatnonzero(beyond.reshape(len(beyond), -1).max(axis=1) >= 0)
        share[across] *= np.clip(0.5 - 0.5 * beyond[across], 0.0, 1.0).astype(np.float32)
    slots, solid_phi = solid
    share[slots] *= _outside_solids(tiles, lattice, slots, solid_phi)
    share[0] = 1.0
    return share


def _outside_solids(
    tiles: Tiles, lattice: Lattice, slots: NDArray[np.int32], solid_phi: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Part of the space round each sample of some tiles that is outside solids, from the distance at its eighths.

    At a sample alone the distance tells of a plane, not of an edge: beside one, a level pool would stand higher.
    What is beyond a wall is left out: it does not matter whether a solid ends there or goes on.
    """
    d = tiles.dimension
    cut = np.nonzero(np.abs(solid_phi) < np.sqrt(d) / 2)
    places = (tiles.origins[slots[cut[0]], :d] + np.stack(cut[:0:-1], axis=1)[:, :d]).astype(np.float64)
    inner = np.zeros(len(places))
    for side in itertools.product((-0.25, 0.25), repeat=d):
        points = _mirrored(places + side, lattice) * lattice.spacing
        inner += np.clip(0.5 + 2.0 * _nearest_solid(points, lattice), 0.0, 1.0)
    part = (solid_phi > 0).astype(np.float32)
    part[cut] = inner / 2**d
    return part


def _mirrored(places: NDArray[np.float64], lattice: Lattice) -> NDArray[np.float64]:
    """Places with those beyond a wall mirrored at it."""
    for axis, end, beyond in beyond_walls(places, lattice):
        places[:, axis] -= 2.0 * np.maximum(beyond, 0.0) * (2 * end - 1)
    return places


def _nearest_solid(points: NDArray[np.float64], lattice: Lattice) -> NDArray[np.float64]:
    """Distance of points close to solids to the nearest of them, in lattice spacings."""
    nearest = np.full(len(points), np.inf)
    for shape, name in lattice.shapes() if len(points) else ():
        low, high = shape.bounds(points.shape[1])
        near = np.all((points > np.subtract(low, lattice.spacing)) & (points < np.add(high, lattice.spacing)), axis=1)
        nearest[near] = np.minimum(nearest[near], distance(shape, points[near], name))
    return nearest / lattice.spacing


def cut_off(phi: NDArray[np.float32], tiles: Tiles, lattice: Lattice, solid: SolidDistance) -> NDArray[np.float32]:
    """A copy of the distance, positive beyond walls and deep in solids.

    Samples that are inside by round-off are outside: else a level that passes through them would have other triangles
    in every frame.
    """
    phi = np.where((phi < 0) & (phi > -NEAREST), np.float32(0), phi)
    slots, solid_phi = solid
    phi[slots] = np.maximum(phi[slots], -solid_phi - np.float32(depth_of_cut(lattice.detail)))
    for beyond in _samples_beyond_walls(tiles, lattice):
        across = np.flatnonzero(beyond.reshape(len(beyond), -1).max(axis=1) > 0)
        phi[across] = np.where(beyond[across] > 0, np.float32(_FAR), phi[across])
    phi[0] = lattice.detail
    return phi


def walls_of(places: NDArray[np.float64], lattice: Lattice) -> NDArray[np.uint8]:
    """Which walls each vertex is on, as a `Draft` wants them, from the places that marching gave."""
    walls = np.zeros(len(places), np.uint8)
    for axis, end, beyond in beyond_walls(places, lattice):
        walls[beyond >= 0] |= np.uint8(1 << (2 * axis + end))
        walls[beyond > 0] |= np.uint8(CLOSES)
    return walls


def flush(places: NDArray[np.float64], walls: NDArray[np.uint8], lattice: Lattice) -> NDArray[np.float64]:
    """The places that marching gave, with what closes the liquid on a wall exactly on it.

    Samples on a second wall would now give two vertices one place, so those stand a hair's breadth inside of it. The
    same holds for the samples themselves, which are vertices of the region in 2-D.
    """
    moved = places.copy()
    is_sample = np.all(places == np.rint(places), axis=1)
    for axis, end, beyond in beyond_walls(places, lattice):
        on, inwards = beyond == 0, 1 - 2 * end
        moved[beyond > 0, axis] -= beyond[beyond > 0] * (2 * end - 1)
        moved[on & (is_sample | (walls & CLOSES > 0)), axis] += inwards * _HAIR
    return moved


def beyond_walls(places: NDArray[np.float64], lattice: Lattice) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
    """Axis and end of each wall, and how far places lie beyond it."""
    for axis, sides in enumerate(zip(lattice.low, lattice.high, strict=True)):
        for end, wall in enumerate(sides):
            if wall is not None:
                yield axis, end, (places[:, axis] - wall) * (2 * end - 1)


def _samples_beyond_walls(tiles: Tiles, lattice: Lattice) -> list[NDArray[np.int64]]:
    """How many spacings samples lie outside each closed or open side; broadcasts against a pool."""
    found = []
    for axis in range(tiles.dimension):
        size = tiles.shape[2 - axis]
        index = tiles.origins[:, axis].astype(np.int64)[:, None] + np.arange(size)
        along = [len(index), 1, 1, 1]
        along[3 - axis] = size
        low, high = lattice.low[axis], lattice.high[axis]
        found += [] if low is None else [(low - index).reshape(along)]
        found += [] if high is None else [(index - high).reshape(along)]
    return found
