"""Fills that say which container they are in, and how high they stand: the shape that the liquid has."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError
from plash.levelset.rooms import Filling, Room, Samples, rooms, sampled
from plash.physics.solids.distance import FAR, Bodies
from plash.scene.bodies import Fill
from plash.scene.language.words import shown
from plash.scene.model import Scene
from plash.scene.shapes import FunctionShape

Array = NDArray[np.float64]

_FINER = 2  # samples along a cell, unless that makes too many
_MOST_SAMPLES = 4_000_000
_AROUND = 2  # samples round the container


def with_shapes(scene: Scene) -> Scene:
    """A scene whose fills all have a shape: containers are filled.

    Raises:
        SceneError: A container holds no liquid, or not so much.
    """
    if not any(fill.inside for fill in scene.fill):
        return scene
    kept = _last.get(id(scene))
    if kept is None:
        fills = [
            fill if not fill.inside else fill.with_values(shape=FunctionShape(function=filling(scene, n)), inside="")
            for n, fill in enumerate(scene.fill)
        ]
        kept = scene, scene.with_values(fill=tuple(fills))
        _last.clear()
        _last[id(scene)] = kept
    return kept[1]


# Of the scene that was asked about last, since it is several times; it is kept, so that no other has its id
_last: dict[int, tuple[Scene, Scene]] = {}


def filling(scene: Scene, number: int) -> Filling:
    """The liquid of a fill that is inside a container.

    Raises:
        SceneError: The container holds no liquid, or not so much.
    """
    fill = scene.fill[number]
    samples, found = _rooms(scene, fill)
    where, name = f"fill[{number}]", shown(fill.inside)
    if not found:
        text = f"{name} holds no liquid: it is open below, or too narrow for cells of {scene.domain.h:.3g} m"
        raise SceneError([Problem(f"{where}.inside", f"{text}; close it, turn it upright, or raise domain.resolution")])
    assert fill.level is not None
    for room in found:
        if room.bottom + fill.level > room.rim and room.spills_at is not None:
            place = ", ".join(f"{part:.4g}" for part in room.spills_at)
            text = f"{fill.level:.4g} m is too much: {name} runs over at ({place}) m"
            depth = f"{max(room.rim - room.bottom, 0.0):.4g} m above its lowest point"
            raise SceneError([Problem(f"{where}.level", f"{text}, {depth}; lower the level, or close the hole there")])
    return Filling(samples, tuple((room, room.bottom + fill.level) for room in found))


def _rooms(scene: Scene, fill: Fill) -> tuple[Samples, list[Room]]:
    """Space round the container of a fill, and the rooms of which it is a wall."""
    domain, d = scene.domain, scene.dimension
    solids = scene.solids_at(fill.time)
    container = next(n for n, solid in enumerate(solids) if solid.name == fill.inside)
    bodies = Bodies(solids, domain.h, d)
    size = np.array(domain.cells) * domain.h
    closed = tuple(
        tuple(domain.side(f"{axis}_{end}") == "closed" for end in ("min", "max"))  # type: ignore[arg-type]
        for axis in "xyz"[:d]
    )
    low, high = (np.array(end, np.float64) for end in solids[container].shape.bounds(d))
    spacing = domain.h / _FINER
    low, high = low - _AROUND * spacing - domain.h, high + _AROUND * spacing + domain.h
    # An endless body is looked at in the domain; beyond a closed side there is nothing
    low, high = np.where(np.isfinite(low), low, 0.0), np.where(np.isfinite(high), high, size)
    ends = []
    for axis, (low_closed, high_closed) in enumerate(closed):
        ends.append((low_closed and low[axis] <= 0, high_closed and high[axis] >= size[axis]))
        low[axis] = 0.0 if ends[-1][0] else spacing * math.floor(low[axis] / spacing)
        high[axis] = size[axis] if ends[-1][1] else high[axis]
    if np.prod((high - low) / spacing) > _MOST_SAMPLES:
        spacing = domain.h

    def clearance(points: Array) -> tuple[Array, NDArray[np.integer]]:
        return _clearance(points, bodies, size, ends)

    samples, nearest = sampled(low, high, spacing, _up(domain.gravity[:d]), clearance, tuple(ends))
    return samples, [room for room in rooms(samples, nearest, clearance) if container in room.touches]


def _clearance(
    points: Array, bodies: Bodies, size: Array, ends: Sequence[tuple[bool, bool]]
) -> tuple[Array, NDArray[np.integer]]:
    """Distance of points to the nearest body or closed side, m, and the number of the nearest body."""
    h = bodies.h
    distance, nearest = np.full(len(points), FAR * h), np.zeros(len(points), np.int64)
    for number in range(len(bodies.bodies)):
        own = h * bodies.distance_of(number, points / h)
        nearest[own < distance] = number
        distance = np.minimum(distance, own)
    for axis, (low_closed, high_closed) in enumerate(ends):
        if low_closed:
            distance = np.minimum(distance, points[:, axis])
        if high_closed:
            distance = np.minimum(distance, size[axis] - points[:, axis])
    return distance, nearest


def _up(gravity: Sequence[float]) -> Array:
    """Against gravity; along y where there is none."""
    size = math.hypot(*gravity)
    up: Array = -np.array(gravity) / size if size > 0 else np.eye(len(gravity))[1]
    return up
