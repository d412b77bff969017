"""The distance to the solid bodies of a scene, on tiles near them and at points.

A body thinner than a cell or so would be missed between the corners of cells, or leave a way round its closed faces.
It is thickened to 1.5 cells (1.75 in 3-D): then no cell, whatever its place, touches open space on both sides.

Reference: Batty et al. 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from plash.grid.halos import Halos
from plash.grid.tiles import Tiles
from plash.levelset.fractions import at_half_cells
from plash.levelset.shapes import distance, is_exact, is_steady, thickened_distance
from plash.particles.particles import Particles
from plash.scene.bodies import Solid

FAR = 1e6  # distance, in cells, where there is no body

# Cells: a little more than the diagonal of a cell. In 3-D corners that stick out further have faces open to less than
# a hundredth, which count as closed.
LEAST_THICKNESS = {2: 1.5, 3: 1.75}

_BLURRED = 1.12  # cells: half the diagonal of a cell, and the quarter beyond which a half cell is open or not
_UNSURE = 0.69  # the same for the corner nearest to its centre: a quarter of the diagonal, and the quarter
_ROUND = 4.0  # cells round a body where its distance is known
_CLOSE = 2.5  # the same for one that moves, beside the way it goes in a step


@dataclass(frozen=True)
class Bodies:
    """The bodies of a scene.

    Attributes:
        bodies: As the scene has them.
        h: Cell size, m.
        dimension: 2 or 3.
        batch: Most places that are looked at together.
    """

    bodies: Sequence[Solid]
    h: float
    dimension: int
    batch: int = 1 << 62

    def distance_of(self, number: int, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Signed distance to one body, thickened if it is thin, of places (n, d); all in cells."""
        body, least = self.bodies[number], LEAST_THICKNESS[self.dimension] * self.h
        if len(places) > self.batch:
            parts = (places[first : first + self.batch] for first in range(0, len(places), self.batch))
            return np.concatenate([self.distance_of(number, part) for part in parts])
        solid_phi: NDArray[np.float64] = thickened_distance(body.shape, places * self.h, least, body.name) / self.h
        return solid_phi

    def distance(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Signed distance to the nearest body of places (n, d); all in cells."""
        solid_phi = np.full(len(places), FAR)
        for number in range(len(self.bodies)):
            np.minimum(solid_phi, self.distance_of(number, places), out=solid_phi)
        return solid_phi

    def count_inside(self, particles: Particles) -> dict[str, int]:
        """How many particles lie inside each body, as the scene has it."""
        places = particles.position(self.h)
        return {body.name: int((distance(body.shape, places, body.name) < 0).sum()) for body in self.bodies}

    def near(self, tiles: Tiles, slots: NDArray[np.int32], further: float = 0.0) -> NDArray[np.bool_]:
        """Whether a body is within a few cells of a tile, or some more, [body, tile]; by the distance of its centre."""
        size = np.array(tiles.shape[::-1][: self.dimension])
        centres = tiles.origins[slots, : self.dimension] + size / 2
        reach = float(np.sqrt((size**2).sum())) / 2 + _ROUND + further
        found = np.ones((len(self.bodies), len(slots)), np.bool_)
        for number, body in enumerate(self.bodies):
            if is_exact(body.shape):
                found[number] = self.distance_of(number, centres) < reach
        return found

    def nearer(self, tiles: Tiles, slots: NDArray[np.int32], further: float) -> NDArray[np.bool_]:
        """The same by the halves of a tile along each axis, and for fewer cells round bodies."""
        size = np.array(tiles.shape[::-1][: self.dimension])
        halves = np.array(list(product((0.25, 0.75), repeat=self.dimension))) * size
        centres = (tiles.origins[slots, None, : self.dimension] + halves).reshape(-1, self.dimension)
        reach = float(np.sqrt((size**2).sum())) / 4 + _CLOSE + further
        found = np.ones((len(self.bodies), len(slots)), np.bool_)
        for number, body in enumerate(self.bodies):
            if is_exact(body.shape):
                within = self.distance_of(number, centres) < reach
                found[number] = within.reshape(len(slots), len(halves)).any(axis=1)
        return found

    def at_corners(self, tiles: Tiles, slots: NDArray[np.int32], near: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Distance in cells at the corners of cells of some tiles and of one more cell round them [tile, z, y, x].

        Args:
            tiles: Where the cells are.
            slots: Some of them.
            near: Which bodies are near which of them, [body, tile]; others are taken as far away.
        """
        nearest = np.full((len(slots), *(n + 3 if n > 1 else 1 for n in tiles.shape)), FAR)
        for number in range(len(self.bodies)):
            some = np.flatnonzero(near[number])
            if len(some):
                nearest[some] = np.minimum(nearest[some], self.at_corners_of(number, tiles, slots[some]))
        return nearest

    def at_corners_of(self, number: int, tiles: Tiles, slots: NDArray[np.int32]) -> NDArray[np.float64]:
        """The same for one body."""
        halos = Halos(tiles, slots, per_cell=1, before=1, behind=2)
        found = np.nonzero(halos.once())
        places = np.empty((len(found[0]), self.dimension))
        for axis in range(self.dimension):
            places[:, axis] = tiles.origins[slots[found[0]], axis] + found[3 - axis] - 1
        solid_phi = np.empty(halos.shape)
        solid_phi[found] = self.distance_of(number, places)
        halos.share(solid_phi)
        return solid_phi if is_exact(self.bodies[number].shape) else _made_distance(solid_phi)

    def at_half_cells(
        self, tiles: Tiles, slots: NDArray[np.int32], corners: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Distance in cells at the centres of half cells of some tiles and of one more cell round them.

        Between corners it is blurred where bodies have edges; where that may matter it is found anew.
        """
        solid_phi = at_half_cells(corners)
        if all(is_exact(body.shape) for body in self.bodies):
            halos = Halos(tiles, slots, per_cell=2, before=2, behind=2)
            found = np.nonzero((np.abs(solid_phi) < _BLURRED) & halos.once())
            places = np.empty((len(found[0]), self.dimension))
            for axis in range(self.dimension):
                places[:, axis] = tiles.origins[slots[found[0]], axis] + (found[3 - axis] + 0.5) / 2 - 1
            # A half cell whose nearest corner is far enough away is open or not as that is
            nearest = corners[(found[0], *((place + 1) // 2 for place in found[1:]))]
            unsure = np.ones(len(nearest), np.bool_)
            if all(is_steady(body.shape) for body in self.bodies):
                unsure = np.abs(nearest) < _UNSURE
            # Its own distance is that between corners, which for a plane is the true one
            between = solid_phi[found]
            is_alike = (np.sign(between) == np.sign(nearest)) & (np.abs(between) >= 0.25)
            nearest = np.where(is_alike, between, nearest)
            nearest[unsure] = FAR
            for number, near in enumerate(self.near(tiles, slots)):
                some = np.flatnonzero(near[found[0]] & unsure)
                nearest[some] = np.minimum(nearest[some], self.distance_of(number, places[some]))
            solid_phi[found] = nearest
            halos.share(solid_phi)
        return solid_phi


def _made_distance(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """A function that is zero on a surface, made a distance to first order near it: divided by its slope if steep."""
    axes = [axis for axis in range(1, 4) if value.shape[axis] > 1]
    slope = np.sqrt(sum((part**2 for part in np.gradient(value, axis=axes)), start=np.zeros(())))
    result: NDArray[np.float64] = value / np.maximum(slope, 1.0)
    return result
