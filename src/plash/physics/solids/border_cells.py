"""Border cells of bodies that move: what they hold, and what goes through their faces (Cline equation 16).

Border cells are the solid cells of a body with a cell beside them that is not solid. Each holds

    u - ((u - u_solid)·n) n        at its centre, with n the normal out of the body

u the velocity of the liquid on those of its faces that know one, and the body's own on the others. A face between two
border cells takes the mean of both, any other face of a border cell what that cell holds. Along slopes made of stairs
the faces round a body would let some liquid in, in sum; that is taken off them evenly, so that a body pushes away just
what it moves into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import LEAVES_DOWN, LEAVES_UP, Cells
from plash.grid.fields import FaceField
from plash.grid.tiles import Places, Tiles
from plash.particles.project_out import normals
from plash.physics.solids.distance import Bodies
from plash.physics.solids.rigid_motion import PlacedBodies, RigidGroup

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Held:
    """Velocities that are held while the pressure is found: through some faces [axis, slot, z, y, x], m/s."""

    faces: Places
    velocity: NDArray[np.float32]

    def impose(self, velocity: FaceField, cells: Cells | None = None) -> None:
        """Set the velocity of these faces; not where liquid parts from them, if the cells tell."""
        value = self.velocity
        if cells is not None:
            bits, now = cells.faces[self.faces], velocity.pool[self.faces]
            leaves = ((bits & LEAVES_UP > 0) & (now > value)) | ((bits & LEAVES_DOWN > 0) & (now < value))
            value = np.where(leaves, now, value)
        velocity.pool[self.faces] = value


class NoBorder:
    """No cells: where bodies cut cells, their faces hold nothing."""

    def hold(self, velocity: FaceField) -> None:
        """Nothing."""

    def impose(self, velocity: FaceField, cells: Cells | None = None) -> None:
        """Nothing."""


@dataclass(eq=False)
class Border:
    """The n border cells of bodies that move, and their faces: the low ones along x, the high ones, then y.

    Attributes:
        normal: Out of the body, at the centres of the cells (n, d).
        velocity: Of the body there, m/s (n, d).
        faces: The faces [axis, slot, z, y, x], 2 d n of them.
        exposed: Whether the cell beyond each face is not solid.
        owner: Which of the bodies that move each face belongs to.
        rigid: Velocity of that body through it, m/s.
        held: What the faces hold since they were last told to.
    """

    normal: Array
    velocity: Array
    faces: Places
    exposed: NDArray[np.bool_]
    owner: NDArray[np.int64]
    rigid: Array
    held: Held = field(init=False)

    @staticmethod
    def of(
        tiles: Tiles,
        slots: NDArray[np.int32],
        is_solid: NDArray[np.bool_],
        stands: NDArray[np.bool_],
        groups: Sequence[RigidGroup],
    ) -> Border:
        """The border cells of some tiles, given which cells are solid and which of these do not move."""
        rows, *within = np.nonzero(is_solid[slots] & ~stands[slots])
        places: Places = (slots[rows].astype(np.int64), *within)
        exposed = np.stack([~is_solid[cell] for cell in _beside(tiles, places)])
        keep = exposed.any(axis=0)
        places, exposed = tuple(part[keep] for part in places), exposed[:, keep]
        centres = _centres(tiles, places)
        owner = np.stack([group.placed.distance(centres) for group in groups]).argmin(axis=0)
        faces, rigid = [], []
        for axis in range(tiles.dimension):
            for side in range(2):
                face = tiles.beside(places, axis, 1) if side else places
                faces.append((np.full(len(centres), axis), *face))
                middle = centres + (side - 0.5) * np.eye(tiles.dimension)[axis]
                through = np.stack([group.velocity(middle)[:, axis] for group in groups])
                rigid.append(through[owner, np.arange(len(owner))])
        first = groups[0]
        present = PlacedBodies(Bodies([], first.h, first.dimension), groups, first.time)
        return Border(
            normals(present.distance, centres),
            present.velocity(centres),
            tuple(np.concatenate(part) for part in zip(*faces, strict=True)),
            exposed.ravel(),
            np.tile(owner, 2 * tiles.dimension),
            np.concatenate(rigid),
        )

    def hold(self, velocity: FaceField) -> None:
        """Hold on the faces of border cells what follows from the liquid's velocity, until told anew."""
        count, dimension = self.normal.shape
        found = velocity.pool[self.faces].astype(np.float64).reshape(dimension, 2, count)
        known = ~np.isnan(found)
        total = np.where(known, found, 0.0).sum(axis=1)
        inside = np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), self.velocity.T)
        inside -= np.einsum("ij,ji->i", inside.T - self.velocity, self.normal.T) * self.normal.T
        value = np.repeat(inside, 2, axis=0).ravel()
        sign = np.tile(np.repeat([-1.0, 1.0], count), dimension)
        value -= np.where(self.exposed, sign * self._excess(sign * (value - self.rigid)), 0.0)

        shape = (dimension, len(velocity.pool[0]), *velocity.tiles.shape)
        number, back = np.unique(np.ravel_multi_index(self.faces, shape), return_inverse=True)
        shared: Array = np.bincount(back, weights=value) / np.maximum(np.bincount(back), 1)
        self.held = Held(np.unravel_index(number, shape), shared.astype(np.float32))

    def impose(self, velocity: FaceField, cells: Cells | None = None) -> None:
        """Give the faces what they hold; not where liquid parts from them, if the cells tell."""
        self.held.impose(velocity, cells)

    def _excess(self, outward: Array) -> Array:
        """Mean over the exposed faces of each body of what goes out through them beyond its own motion, by face."""
        weights = np.where(self.exposed, outward, 0.0)
        count = np.bincount(self.owner, weights=self.exposed)
        mean = np.bincount(self.owner, weights=weights) / np.maximum(count, 1)
        result: Array = mean[self.owner]
        return result


def _beside(tiles: Tiles, places: Places) -> list[Places]:
    """The cells beyond the low and the high face, by axis."""
    return [tiles.beside(places, axis, step) for axis in range(tiles.dimension) for step in (-1, 1)]


def _centres(tiles: Tiles, places: Places) -> Array:
    """Centres of some cells, in cells (n, d)."""
    slot, z, y, x = places
    corners = tiles.origins[slot].astype(np.float64) + np.stack([x, y, z], axis=1)
    return corners[:, : tiles.dimension] + 0.5
