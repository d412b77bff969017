"""A body of elastic liquid keeps its momentum where nothing outside can change it.

Near the surface the pressure weighs a face by the distance to the surface, elastic stress by the liquid round it, and
particles by their places: so forces inside a body do not quite add up to nothing. Water shows nothing of it. Jelly is
pushed along as a whole: a block of 10 cm slid by 3 cm in its first second on a floor without friction. What such forces
add up to is taken back from all particles of the body alike,

    u -= Σ V (u - u_before - g k)/Σ V ,    k the kick

along each axis in which nothing pushes: all of them in the air, two of them on a side of the domain without friction. A
body that touches a solid, or a side with friction, is left alone. Bodies are told apart by the tiles that exist: those
whose tiles are neighbours count as one.

Reference: Batty & Bridson 2008 for the weights of faces that stress has; Jiang et al. 2015 for those of particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from plash.grid.cells import WET, Cells
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.physics.viscosity.viscous_faces import BODY_CLOSED, SIDE_CLOSED, ViscousFaces
from plash.timing import stage


@dataclass(frozen=True, eq=False)
class LooseBodies:
    """Which bodies there are, and what pushes them.

    Attributes:
        number: Of the body in each tile [slot].
        is_loose: Whether nothing outside pushes a body along an axis [axis, body].
    """

    number: NDArray[np.int32]
    is_loose: NDArray[np.bool_]

    @staticmethod
    @stage
    def of(faces: ViscousFaces, cells: Cells) -> LooseBodies:
        """Those of a step, given what faces are."""
        number = _bodies_of_tiles(cells.tiles)
        is_wet = (cells.faces & WET) > 0
        holds = is_wet & (faces.kinds >= BODY_CLOSED)
        if cells.cut_cells is not None:
            holds |= is_wet & (cells.cut_cells.face_fractions < 1)
        closes = is_wet & (faces.kinds == SIDE_CLOSED)
        is_loose = np.ones((len(closes), int(number.max(initial=0)) + 1), np.bool_)
        is_loose[:, number[holds.any(axis=(0, 2, 3, 4))]] = False
        for axis, of_axis in enumerate(closes):
            is_loose[axis, number[of_axis.any(axis=(1, 2, 3))]] = False
        return LooseBodies(number, is_loose)


@stage
def keep_momentum(
    particles: Particles, bodies: LooseBodies, before: NDArray[np.float32], gained: NDArray[np.float64]
) -> None:
    """Take back what forces inside loose bodies have given them.

    Args:
        particles: Sorted as they were when bodies were found; velocities are changed.
        bodies: The bodies.
        before: Velocities before the step [axis, particle], m/s.
        gained: What forces from outside have given to all liquid [axis], m/s.
    """
    if not bodies.is_loose.any():
        return
    number = np.repeat(bodies.number, np.diff(particles.starts))
    volume = np.where(particles.ballistic, 0.0, particles.volume.astype(np.float64))
    count = bodies.is_loose.shape[1]
    whole = np.maximum(np.bincount(number, volume, count), np.finfo(np.float64).tiny)
    for axis, is_loose in enumerate(bodies.is_loose):
        change = particles.velocity[axis].astype(np.float64) - before[axis] - gained[axis]
        excess = np.where(is_loose, np.bincount(number, volume * change, count) / whole, 0.0)
        particles.velocity[axis] -= np.where(particles.ballistic, 0.0, excess[number]).astype(np.float32)


@lru_cache(maxsize=1)  # tiles that did not change are the same object
def _bodies_of_tiles(tiles: Tiles) -> NDArray[np.int32]:
    """Number of the body in each tile [slot]; the background is one of its own."""
    slots, places = np.nonzero(tiles.neighbours)
    others = tiles.neighbours[slots, places]
    size = len(tiles.neighbours)
    graph = coo_array((np.ones(len(slots), np.int8), (slots, others)), shape=(size, size))
    return connected_components(graph, directed=False)[1].astype(np.int32)
