"""The velocity of bodies that move, on faces near them, and what they push out of cells.

A rigid velocity sampled at the centres of faces is divergence free to the last bit: u_x does not depend on x. So what
a body pushes out of all cells round it adds up to nothing, wherever it cuts them.

Reference: Batty et al. 2007, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import FaceField
from plash.grid.halos import at_minimal_corners, at_minimal_faces
from plash.grid.loops import CENTRE
from plash.grid.tiles import Tiles
from plash.physics.solids.rigid_motion import RigidGroup

Array = NDArray[np.float64]


def nearest_solid_velocity(
    tiles: Tiles, slots: NDArray[np.int32], corners: Sequence[Array], moving: Sequence[RigidGroup]
) -> tuple[Array, NDArray[np.int8]]:
    """Velocity of the nearest body through the minimal faces of some tiles [axis, tile, z, y, x], m/s.

    Args:
        tiles: Where the cells are.
        slots: Some of them.
        corners: Distance in cells at the corners of their cells and of one more cell round them: to what stands, then
            to each of those that move.
        moving: Those that move.

    Returns:
        The velocity, and which of `moving` is nearest to each cell: -1 for what stands.
    """
    velocity = np.zeros((tiles.dimension, len(slots), *tiles.shape))
    owner = np.full((len(slots), *tiles.shape), -1, np.int8)
    for axis in range(tiles.dimension):
        nearest = at_minimal_faces(corners[0], axis)
        for group, corner in zip(moving, corners[1:], strict=True):
            solid_phi = at_minimal_faces(corner, axis)
            velocity[axis] = np.where(solid_phi < nearest, _through_faces(tiles, slots, axis, group), velocity[axis])
            nearest = np.minimum(nearest, solid_phi)
    nearest = at_minimal_corners(corners[0])
    for number, corner in enumerate(corners[1:]):
        owner[at_minimal_corners(corner) < nearest] = number
        nearest = np.minimum(nearest, at_minimal_corners(corner))
    return velocity, owner


def _through_faces(tiles: Tiles, slots: NDArray[np.int32], axis: int, group: RigidGroup) -> Array:
    """One component of a rigid velocity at the centres of the faces it goes through."""
    steady, spin = group.solid_velocity
    total = np.full((1, 1, 1, 1), steady[axis])
    for other in range(tiles.dimension):
        if other != axis and spin[axis, other] != 0.0:
            size = tiles.shape[2 - other]
            shape = [len(slots), 1, 1, 1]
            shape[3 - other] = size
            place = (tiles.origins[slots, other, None] + np.arange(size) + 0.5).reshape(shape)
            total = total + spin[axis, other] * place
    return total


def outflow(tiles: Tiles, slots: NDArray[np.int32], flux: Array) -> Array:
    """Net outflow of the cells of some tiles, from what goes through their minimal faces [axis, tile, z, y, x].

    Nothing goes through the faces of other tiles.
    """
    rank = np.full(tiles.count + 1, len(slots))
    rank[slots] = np.arange(len(slots))
    result = np.zeros(flux.shape[1:])
    for axis in range(tiles.dimension):
        place, size = 3 - axis, tiles.shape[2 - axis]
        with_none = np.concatenate([flux[axis], np.zeros((1, *tiles.shape))])
        beyond = with_none[rank[tiles.neighbours[slots, CENTRE + 3**axis]]]
        inner = np.take(flux[axis], np.arange(1, size), place)
        high = np.concatenate([inner, np.take(beyond, np.arange(1), place)], axis=place)
        result += high - flux[axis]
    return result


def change_relative_to_solids(
    velocity: FaceField,
    slots: NDArray[np.int32],
    solid_velocity: NDArray[np.float32],
    change: Callable[[FaceField], None],
) -> None:
    """Change a velocity as it is relative to the nearest body; what is not changed keeps its last bit.

    Args:
        velocity: On faces.
        slots: The tiles near bodies that move.
        solid_velocity: Velocity of the nearest body through their minimal faces.
        change: What to do with the relative velocity.
    """
    relative = FaceField(velocity.tiles, velocity.pool.copy())
    relative.pool[:, slots] -= solid_velocity
    before = relative.pool[:, slots]
    change(relative)
    after = relative.pool[:, slots]
    is_same = (after == before) | np.isnan(after)
    relative.pool[:, slots] = np.where(is_same, velocity.pool[:, slots], after + solid_velocity)
    velocity.pool = relative.pool
