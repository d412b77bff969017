"""A surface that moves with a given velocity: the level set, with particles or without.

One step, in the order of Cline 10.8.2: φ is carried along, and the particles; those that escaped correct φ; φ becomes
a distance again, which moves the surface a little, so they correct it once more; radii; and now and then new particles.

Reference: Cline 10.8; Enright et al. 2002; Enright et al. 2005.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.errors import DivergedError
from plash.grid.fields import CellField
from plash.levelset.shapes import distance
from plash.levelset.smooth_sampling import sampled_smoothly
from plash.physics.level_set.band import BAND, cells_within, centres
from plash.physics.level_set.correction import correct_what_is_missing
from plash.physics.level_set.distancing import EMPTY, level_set_of, mended_distance, plain_distance
from plash.physics.level_set.reseeding import reseed
from plash.physics.level_set.room import Room
from plash.physics.level_set.signed_particles import IN_NO_DOUBT, LARGEST, SignedParticles, seeded
from plash.physics.level_set.transport import MOST_CELLS, MidpointPaths, Paths, Points, Values, carry, linear
from plash.physics.level_set.volume import volume_inside
from plash.scene.shapes import Shape

Scheme = Literal["linear", "cubic"]
Velocity = Callable[[Points, float], Points]


_SEEN = 3.0  # cells from the surface within which values are looked at again before φ becomes a distance


class Order(NamedTuple):
    """How φ is found between cell centres, and how it becomes a distance again."""

    values: Values
    distance: Callable[[CellField, float, Room], CellField]


SCHEMES: dict[Scheme, Order] = {
    "linear": Order(linear, plain_distance),
    "cubic": Order(sampled_smoothly, mended_distance),
}


@dataclass(eq=False)
class LevelSet:
    """A region of space whose surface moves.

    Attributes:
        phi: Signed distance of cell centres, m; negative inside.
        h: Cell size, m.
        particles: On both sides of the surface; none for a plain level set.
        scheme: How φ is found between cell centres. "cubic" also keeps the surface when φ becomes a distance.
        per_cell: Particles of each sign in a cell that is seeded; 0 for a plain level set.
        reseed_every: Steps after which particles are brought to that number again; None never does.
        sides: Signs of the particles: both, or -1 alone for a liquid in empty space, where the velocity outside is made
            up, and particles there would carry a gap into the liquid that has closed.
        seed: Of random places.
        time: s.
        steps: How many have been taken.

    Example:
        >>> import plash
        >>> drop = plash.LevelSet.of(plash.Sphere(center=(0.4, 0.5), radius=0.2), 1 / 32, (0, 0), (1, 1))
        >>> before = drop.volume
        >>> for _ in range(4):
        ...     drop.advance(lambda points, time: np.full(points.shape, 0.5), dt=0.05)
        >>> bool(abs(drop.volume / before - 1) < 0.01), bool(drop.distance_at([[0.5, 0.6]])[0] < 0)
        (True, True)
    """

    phi: CellField
    h: float
    particles: SignedParticles
    scheme: Scheme = "cubic"
    per_cell: int = 0
    reseed_every: int | None = None
    sides: tuple[int, ...] = (-1, 1)
    seed: int = 0
    time: float = 0.0
    steps: int = 0

    @staticmethod
    def of(
        shape: Shape | Callable[[Points], NDArray[np.float64]],
        h: float,
        low: Sequence[float],
        high: Sequence[float],
        *,
        particles: bool = True,
        per_cell: int | None = None,
        scheme: Scheme = "cubic",
        reseed_every: int | None = None,
        seed: int = 0,
    ) -> LevelSet:
        """The level set of a shape.

        Args:
            shape: Any shape of a scene, or a function of points (n, d) in metres that is negative inside.
            h: Cell size, m.
            low: Corner of a box in which the shape is looked for, m; later the surface may leave it.
            high: The corner opposite to it, m.
            particles: Whether signed particles correct the level set.
            per_cell: Particles of each sign in a cell near the surface; 4^d if not given.
            scheme: How φ is found between cell centres: "cubic", or "linear" as Cline has it.
            reseed_every: Steps after which particles are made more or fewer; never, if not given.
            seed: Of the particles' places.

        Raises:
            ValueError: The cell size is not above 0, or the box is none in two or three dimensions.
        """
        if not (math.isfinite(h) and h > 0):
            raise ValueError(f"h = {h} is no cell size: it must be above 0")
        if len(low) != len(high) or len(low) not in (2, 3) or not np.all(np.less(low, high)):
            raise ValueError(f"low = {low} and high = {high} are no corners of a box in two or three dimensions")
        phi = level_set_of(shape if callable(shape) else partial(distance, shape), low, high, h)
        d = phi.tiles.dimension
        count = (4**d if per_cell is None else per_cell) if particles else 0
        made = LevelSet(phi, h, SignedParticles.none(d), scheme, count, reseed_every, seed=seed)
        if count:
            made.particles = seeded(phi, h, count, np.random.Generator(np.random.PCG64(seed)))
        return made

    def advance(self, velocity: Velocity, dt: float) -> None:
        """Move with a velocity (m/s), a function of points (n, d) in metres and of the time (s), for a time dt (s).

        Paths are of second order: the velocity is asked for in the middle of the step, at two places of each path. A
        step in which the surface would move by more than four cells is divided.
        """
        start = self.time
        farthest = self.farthest(_paths(velocity, start + 0.5 * dt), abs(dt))
        if not math.isfinite(farthest):
            raise DivergedError(f"the velocity near the surface is not finite at t = {start + 0.5 * dt:.6g} s")
        parts = max(1, math.ceil(farthest / (MOST_CELLS * self.h)))
        for part in range(parts):
            self.follow(_paths(velocity, start + (part + 0.5) * dt / parts), dt / parts)
            self.time = start + (part + 1) * dt / parts

    def follow(self, paths: Paths, dt: float, room: Room = EMPTY) -> None:
        """Move along paths for dt (s), by at most four cells.

        Args:
            paths: Of the liquid.
            dt: How long, s.
            room: What is closed to it after the move, and how much may be missing.
        """
        h, phi, particles = self.h, self.phi, self.particles
        shielded = room.shielded(phi, partial(paths.back, dt=dt))
        carry(phi, paths, dt, h, SCHEMES[self.scheme].values, _SEEN)
        if shielded is not None:
            cells, values = shielded
            phi.pool[cells] = values
        room.complete(phi)
        particles.move(paths, dt, h)
        room.confine(particles.place)
        particles.leave(phi.tiles, room.closed(phi.tiles))
        # Of the others it is known that they are where they belong
        depth = particles.depth(phi, h)
        in_doubt = np.flatnonzero(depth < IN_NO_DOUBT)
        near = particles.some(in_doubt)
        correct_what_is_missing(phi, near, depth[in_doubt], h, room)
        self.phi = SCHEMES[self.scheme].distance(phi, h, room)
        depth = near.depth(self.phi, h)
        if correct_what_is_missing(self.phi, near, depth, h, room):
            depth = near.depth(self.phi, h)
        near.adjust_radii(depth)
        particles.radius[:] = LARGEST
        particles.radius[in_doubt] = near.radius
        self.steps += 1
        if self.per_cell and self.reseed_every and self.steps % self.reseed_every == 0:
            random = np.random.Generator(np.random.PCG64((self.seed, self.steps)))
            reseed(particles, self.phi, h, self.per_cell, random, self.sides)

    @property
    def volume(self) -> float:
        """Volume inside, m³ (m² in 2-D)."""
        return volume_inside(self.phi, self.h) * self.h**self.phi.tiles.dimension

    def distance_at(self, points: ArrayLike) -> NDArray[np.float64]:
        """Signed distance (m) at points (n, d) in metres; ± the band's width beyond it."""
        places = np.atleast_2d(np.asarray(points, np.float64)) / self.h
        return SCHEMES[self.scheme].values(self.phi, places, self.h)

    def farthest(self, paths: Paths, dt: float) -> float:
        """How far the band moves at most in dt (s), m."""
        cells = cells_within(self.phi, BAND * self.h)
        return paths.farthest(centres(self.phi.tiles, cells, self.h), dt)


def _paths(velocity: Velocity, time: float) -> Paths:
    """Paths through a velocity as it is at a time (s)."""
    return MidpointPaths(lambda points: velocity(points, time))
