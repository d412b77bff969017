"""Forces that differ from place to place: given by a formula or a Python function, perhaps within a shape only.

Attractor and vortex share a profile in the distance r from their point or axis, with a greatest value at the radius R:

    a = strength · r/R  within R ,    strength · (R/r)^falloff  beyond

Reference: Cline step 3b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import WET, Cells
from plash.grid.fields import FaceField
from plash.grid.tiles import Places, Tiles
from plash.levelset.inside import Inside
from plash.levelset.vectors import vectors_at
from plash.particles.particles import Particles
from plash.scene.forces import Attractor, ConstantForce, Force, FunctionForce, Vortex
from plash.timing import stage

Array = NDArray[np.float64]


@dataclass(eq=False)
class ForceField:
    """A force of the scene on a grid.

    Attributes:
        force: As the scene has it.
        h: Cell size, m.
        inside: Where it acts; None for everywhere.
    """

    force: Force
    h: float
    inside: Inside | None = None

    @stage
    def add(self, velocity: FaceField, cells: Cells, time: float, dt: float) -> None:
        """Add dt times the acceleration to every velocity that borders liquid, where the force acts."""
        if not self.force.acts(time):
            return
        tiles = cells.tiles
        for axis in range(tiles.dimension):
            places = self._faces(cells, axis)
            points = face_centres(tiles, places, axis, self.h)
            pull = acceleration(self.force, points, time)[:, axis]
            velocity.pool[axis][places] += (dt * pull).astype(np.float32)

    @stage
    def add_to_ballistic(self, particles: Particles, time: float, dt: float) -> None:
        """Do the same to particles on their own."""
        some = np.flatnonzero(particles.ballistic)
        if not self.force.acts(time) or len(some) == 0:
            return
        points = (particles.cell[:, some].astype(np.float64) + particles.offset[:, some]).T * self.h
        if self.inside is not None:
            acts = self.inside.points(points)
            some, points = some[acts], points[acts]
        particles.velocity[:, some] += (dt * acceleration(self.force, points, time)).T.astype(np.float32)

    def _faces(self, cells: Cells, axis: int) -> Places:
        """Wet faces where the force acts."""
        if self.inside is None:
            slots = cells.wet_tiles
            number, *within = np.nonzero(cells.faces[axis][slots] & WET)
            return (slots[number].astype(np.int64), *within)
        places = self.inside.faces(cells.tiles)[axis]
        wet = (cells.faces[axis][places] & WET) > 0
        return tuple(part[wet] for part in places)


def acceleration(force: Force, points: Array, time: float) -> Array:
    """Acceleration (n, d) in m/s² that a force gives at points (n, d) in metres."""
    dimension = points.shape[1]
    match force:
        case ConstantForce():
            return np.tile(np.array(force.acceleration), (len(points), 1))
        case Attractor():
            towards = np.array(force.point) - points
            return towards * _profile(force, towards)[:, None]
        case Vortex():
            away = points - np.array(force.point)
            if dimension == 2:
                around = np.stack([-away[:, 1], away[:, 0]], axis=1)
            else:
                axis = np.array(force.axis) / np.linalg.norm(force.axis or ())
                around = np.cross(axis, away)
            return around * _profile(force, around)[:, None]
        case FunctionForce():
            return vectors_at(force.function, force.name, points, time)


def _profile(force: Attractor | Vortex, arms: Array) -> Array:
    """Acceleration over distance, for vectors as long as the distance."""
    distance = np.sqrt(np.einsum("ij,ij->i", arms, arms)) / force.radius
    beyond = np.maximum(distance, 1.0) ** -(force.falloff + 1)
    profile: Array = beyond * (force.strength / force.radius)
    return profile


def face_centres(tiles: Tiles, places: Places, axis: int, h: float) -> Array:
    """Centres (n, d) in metres of minimal faces along an axis."""
    slot, z, y, x = places
    cells = tiles.origins[slot].astype(np.float64) + np.stack([x, y, z], axis=1) + 0.5
    cells[:, axis] -= 0.5
    return cells[:, : tiles.dimension] * h
