"""Fixed bodies in a box, as whole cells, by the rules of Foster & Metaxas 1997 (Kuo 4.2).

After every sub-step of a time step

    u_n = 0                              on every face of a solid cell, and on walls
    u_t *= (1 - friction)^(24 dt)        on open faces beside a solid cell, once for each dt
    density = 0                          in solid cells

Velocities stand on faces, so that a wall is no thicker than the cells it is made of. The projection knows closed faces
and leaves nothing to reset.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import inner_faces
from plash.linear.embedded import Embedded
from plash.linear.transforms import BoxSolver
from plash.physics.friction_law import share_kept

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Obstacles(Protocol):
    """What stands in the box. Fields are continued into bodies before they are interpolated, as if they slid by."""

    def close(self, velocity: Array) -> None:
        """Let nothing through walls and bodies."""

    def slow_by_friction(self, velocity: Array, dt: float) -> None:
        """Slow down what goes along bodies, for dt."""

    def clear(self, density: Array) -> None:
        """Take everything out of bodies."""

    def fill_in(self, values: Array) -> None:
        """Give cells of bodies the values of open cells round them, layer by layer."""

    def continued(self, values: Array) -> Array:
        """Values in cells, with the mean of open neighbours in the outermost cells of bodies."""

    def continued_faces(self, velocity: Array) -> Array:
        """The velocity, with that along the surface in the outermost cells of bodies."""


class NoObstacles:
    """An empty box."""

    def close(self, velocity: Array) -> None:
        """Let nothing through walls."""
        for axis, component in enumerate(velocity):
            np.moveaxis(component, component.ndim - 1 - axis, 0)[0] = 0.0

    def slow_by_friction(self, velocity: Array, dt: float) -> None:
        """Nothing to rub on."""

    def clear(self, density: Array) -> None:
        """Nothing to take out."""

    def fill_in(self, values: Array) -> None:
        """Nothing to fill in."""

    def continued(self, values: Array) -> Array:
        """The values as they are."""
        return values

    def continued_faces(self, velocity: Array) -> Array:
        """The velocity as it is."""
        return velocity


class SolidCells:
    """Bodies made of whole cells.

    Args:
        is_solid: Whether each cell is, [[z,] y, x].
        friction: Of each solid cell, 0 to 1.

    Example:
        >>> solid = np.zeros((3, 4), bool)
        >>> solid[1, 1] = True
        >>> obstacles = SolidCells(solid, np.zeros((3, 4)))
        >>> u = np.ones((2, 3, 4))
        >>> obstacles.close(u)
        >>> u[0, 1]
        array([0., 0., 0., 1.])
    """

    def __init__(self, is_solid: Flags, friction: Array) -> None:
        dimension = is_solid.ndim
        self.is_solid = is_solid
        self.is_closed = np.stack([_closed_faces(is_solid, axis) for axis in range(dimension)])
        self._rough = [_friction_beside(is_solid, friction, self.is_closed[axis], axis) for axis in range(dimension)]
        self._in_cells = _Continuation.of(is_solid, ~is_solid, range(dimension))
        self._on_faces = [
            _Continuation.of(_inside(is_solid, axis), ~self.is_closed[axis], [a for a in range(dimension) if a != axis])
            for axis in range(dimension)
        ]

    def close(self, velocity: Array) -> None:
        """Let nothing through walls and bodies."""
        velocity[self.is_closed] = 0.0

    def slow_by_friction(self, velocity: Array, dt: float) -> None:
        """Slow down what goes along bodies, for dt."""
        for component, (places, friction) in zip(velocity, self._rough, strict=True):
            component.reshape(-1)[places] *= share_kept(friction, dt)

    def clear(self, density: Array) -> None:
        """Take everything out of bodies."""
        density[self.is_solid] = 0.0

    def fill_in(self, values: Array) -> None:
        """Give cells of bodies the values of open cells round them, layer by layer: each the mean of those before."""
        for layer in self._layers:
            layer.apply(values)

    def continued(self, values: Array) -> Array:
        """Values in cells, with the mean of open neighbours in the outermost cells of bodies."""
        return self._in_cells.applied(values)

    def continued_faces(self, velocity: Array) -> Array:
        """The velocity, with that along the surface in the outermost cells of bodies."""
        return np.stack([part.applied(component) for part, component in zip(self._on_faces, velocity, strict=True)])

    @cached_property
    def _layers(self) -> list[_Continuation]:
        """The cells of bodies, from the outermost on."""
        is_known, layers = ~self.is_solid, []
        while is_known.any() and not is_known.all():
            layer = _Continuation.of(~is_known, is_known, range(is_known.ndim))
            layers.append(layer)
            is_known.reshape(-1)[layer.places] = True
        return layers

    def cells(self, box: BoxSolver) -> Embedded:
        """How open cells hang together: through open faces."""
        return Embedded(box, self.is_solid, (~self.is_closed).astype(np.float64), np.zeros(box.shape))

    def faces(self, box: BoxSolver, axis: int) -> Embedded:
        """How open faces across an axis hang together: held by closed ones before and behind, sliding along others."""
        dimension = self.is_solid.ndim
        is_open = ~self.is_closed[axis]
        links = np.stack([_joined(is_open, along) for along in range(dimension)])
        held = np.where(is_open, 2.0, 0.0) - links[axis]
        behind = np.zeros_like(held)
        behind[inner_faces(axis, dimension, last=-1)] = links[axis][inner_faces(axis, dimension)]
        return Embedded(box, ~is_open, links, np.where(is_open, held - behind, 0.0), dimension - 1 - axis)


@dataclass(frozen=True, eq=False)
class _Continuation:
    """Some places of an array, and the neighbours whose mean they take: rows of places and of shares."""

    places: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    shares: Array

    @staticmethod
    def of(is_hidden: Flags, is_known: Flags, axes: Iterable[int]) -> _Continuation:
        """Hidden places beside known ones along some axes (0 is x)."""
        places = np.flatnonzero(is_hidden)
        index = np.array(np.unravel_index(places, is_hidden.shape))
        rows, known = [], []
        for axis in axes:
            along = is_hidden.ndim - 1 - axis
            for step in (-1, 1):
                beside = index.copy()
                beside[along] += step
                within = (beside[along] >= 0) & (beside[along] < is_hidden.shape[along])
                beside[along] = np.clip(beside[along], 0, is_hidden.shape[along] - 1)
                rows.append(np.ravel_multi_index(tuple(beside), is_hidden.shape))
                known.append(within & is_known[tuple(beside)])
        neighbours, weights = np.array(rows), np.array(known, np.float64)
        count = weights.sum(axis=0)
        some = count > 0
        return _Continuation(places[some], neighbours[:, some], weights[:, some] / count[some])

    def applied(self, values: Array) -> Array:
        """A copy of an array with the means in their places."""
        result = values.copy()
        self.apply(result)
        return result

    def apply(self, values: Array) -> None:
        """Put the means in their places."""
        flat = values.reshape(-1)
        flat[self.places] = (flat[self.neighbours] * self.shares).sum(axis=0)


def _closed_faces(is_solid: Flags, axis: int) -> Flags:
    """Minimal faces across an axis that are on a wall or touch a solid cell."""
    closed = np.ones_like(is_solid)
    inner, before = inner_faces(axis, is_solid.ndim), inner_faces(axis, is_solid.ndim, last=-1)
    closed[inner] = is_solid[inner] | is_solid[before]
    return closed


def _inside(is_solid: Flags, axis: int) -> Flags:
    """Minimal faces across an axis with a solid cell on both sides."""
    hidden = np.zeros_like(is_solid)
    inner, before = inner_faces(axis, is_solid.ndim), inner_faces(axis, is_solid.ndim, last=-1)
    hidden[inner] = is_solid[inner] & is_solid[before]
    return hidden


def _joined(is_open: Flags, axis: int) -> Array:
    """1 where a sample and the one before it along an axis are both open."""
    joined = np.zeros(is_open.shape)
    inner, before = inner_faces(axis, is_open.ndim), inner_faces(axis, is_open.ndim, last=-1)
    joined[inner] = is_open[inner] & is_open[before]
    return joined


def _friction_beside(is_solid: Flags, friction: Array, is_closed: Flags, axis: int) -> tuple[NDArray[np.int64], Array]:
    """Open faces across an axis with a solid cell beside them, and its friction; the greatest if there are several."""
    dimension = is_solid.ndim
    rough = np.where(is_solid, friction, 0.0)
    on_face = rough.copy()
    inner, before = inner_faces(axis, dimension), inner_faces(axis, dimension, last=-1)
    on_face[inner] = np.maximum(rough[inner], rough[before])
    beside = np.zeros_like(rough)
    for along in range(dimension):
        if along != axis:
            ahead, behind = inner_faces(along, dimension), inner_faces(along, dimension, last=-1)
            beside[ahead] = np.maximum(beside[ahead], on_face[behind])
            beside[behind] = np.maximum(beside[behind], on_face[ahead])
    places = np.flatnonzero(~is_closed & (beside > 0))
    return places, beside.reshape(-1)[places]
