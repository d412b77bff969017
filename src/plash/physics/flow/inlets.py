"""Spouts: an opening that liquid comes out of at a given rate (Cline section 5).

On the grid a spout is the stairs of faces nearest to it. A cell is behind the opening if its centre is; faces between a
cell behind and a cell ahead, seen along the normal, cover the opening once and without overlap, at any angle. Each is
covered by a share σ of it, and carries

    flux = κ σ |n_a| s hᵈ⁻¹ ,    κ such that the sum over all faces is the rate that was asked for

The cells behind those faces are a plug that nothing flows through: what is behind the opening is not drawn in.

Particles come out in columns along the normal, one for each square of a lattice on the opening, a spacing d apart. A
column emits whenever the liquid has come another d, at a phase of its own. A particle is placed where it is at the end
of the step: it starts on the stairs, and has come as far as liquid since then. Phases are spread evenly, so that in any
time the number of particles is that of the volume to within one; the volumes of a step's particles add up to all that
is due since the start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plash.carried import CarriedValue
from plash.particles.particles import Particles
from plash.scene.openings import Disc
from plash.scene.sources import Spout

Array = NDArray[np.float64]
IsOpen = Callable[[Particles, float], NDArray[np.bool_]]

_SAMPLES = 16  # along each side of a face or of a lattice square, to measure how much of it is in the opening
_LEAST_SHARE = 0.02  # of a face in the opening, below which it is closed
_NARROWEST = 0.5  # cells: on the grid no opening is narrower, or it could slip between the samples of faces
_LEAST_COLUMN = 0.1  # of a lattice square in the opening, below which it has no column
_LEVEL = 1e-6  # part of a normal along an axis that is none
_FINE = 32  # points in a cell along the normal, to find the stairs


def everywhere(particles: Particles, time: float) -> NDArray[np.bool_]:
    """Every particle has room."""
    return np.ones(particles.count, np.bool_)


@dataclass(frozen=True, eq=False)
class InletStencil:
    """The stairs of a spout where it stands.

    Attributes:
        center: Middle of the opening, m.
        axes: Rows: the normal, and the directions across it.
        velocity: Of the spout itself, m/s.
        inlet_cells: Cells right behind the opening, (n, d).
        faces: Cell whose minimal face each face is, (m, d).
        face_axes: Of each face.
        ahead: Cell that liquid enters through each face, (m, d).
        share: Of each face that is in the opening.
        starts: Where each column begins, (n, d), m: where the plug ends, or in a solid right ahead of the opening.
    """

    center: Array
    axes: Array
    velocity: Array
    inlet_cells: NDArray[np.int64]
    faces: NDArray[np.int64]
    face_axes: NDArray[np.int64]
    ahead: NDArray[np.int64]
    share: Array
    starts: Array

    @property
    def normal(self) -> Array:
        """Where the liquid goes."""
        return np.asarray(self.axes[0])


@dataclass(eq=False)
class Inlet:
    """A spout on a grid.

    Attributes:
        spout: As the scene has it.
        h: Cell size, m.
        dimension: 2 or 3.
        per_cell: Particles in a full cell.
        jitter: Largest random shift as a share of half the lattice spacing.
        seed: Of random numbers, different for every spout.
        is_open: Whether particles are where liquid can be at a time: in no solid, and not beyond a closed side.
        carried: What its liquid carries of what the scene asks for, by name.
        nu: Kinematic viscosity of its liquid, m²/s.
    """

    spout: Spout
    h: float
    dimension: int
    per_cell: int
    jitter: float
    seed: tuple[int, ...]
    is_open: IsOpen = everywhere
    carried: Mapping[str, CarriedValue] = field(default_factory=dict)
    nu: float = 0.0

    @property
    def name(self) -> str:
        """What the scene calls it."""
        return self.spout.name

    @cached_property
    def peak(self) -> float:
        """Speed after the ramp, m/s."""
        return self.spout.peak(self.dimension)

    @cached_property
    def area(self) -> float:
        """Of the opening, m²; in 2-D m."""
        return self.spout.shape.area(self.dimension)

    @property
    def spacing(self) -> float:
        """Of particles, m."""
        return self.h / float(round(self.per_cell ** (1 / self.dimension)))

    def speed(self, start: float, end: float) -> float:
        """Mean speed between two times, m/s."""
        return (self.length(end) - self.length(start)) / (end - start) if end > start else 0.0

    def fastest(self, start: float, end: float) -> float:
        """Highest speed of the liquid between two times, m/s."""
        spout = self.spout
        middle = min(max(start, spout.start + spout.ramp), end)
        times = (start, middle, float(np.nextafter(end, start)))
        own = max(float(np.linalg.norm(self._stance(time)[2])) for time in times)
        share = max(spout.share(time) for time in times)
        return self.peak * share + spout.inherit * own if share > 0 else 0.0

    def length(self, time: float) -> float:
        """How far liquid has come out up to a time, m."""
        return self.peak * self.spout.run_time(time)

    def volume(self, time: float) -> float:
        """How much has come out up to a time, m³; in 2-D m²."""
        return self.area * self.length(time)

    def contains(self, across: Array, least: float = 0.0) -> NDArray[np.bool_]:
        """Whether places across the normal (..., d - 1), in metres from the middle, are in the opening.

        One that is narrower than `least` counts as so wide.
        """
        halves = np.maximum(self.spout.shape.half_sides(self.dimension), least / 2)
        if isinstance(self.spout.shape, Disc):
            return np.asarray((across**2).sum(axis=-1) < halves[0] ** 2)
        return np.asarray((np.abs(across) < halves).all(axis=-1))

    def stencil(self, time: float) -> InletStencil:
        """The stairs and the plug behind them at a time, s."""
        return self._mouth(time) if self.spout.moves else self._standing

    @cached_property
    def _standing(self) -> InletStencil:
        return self._mouth(0.0)

    def _stance(self, time: float) -> tuple[Array, Array, Array]:
        """Middle (m), normal and directions across, and velocity (m/s) of the spout at a time."""
        center, axes = (np.array(part) for part in self.spout.shape.place)
        if self.spout.motion is None:
            return center, axes, np.zeros(self.dimension)
        d = self.dimension
        pose, rate = self.spout.motion.pose(time), self.spout.motion.rate(time)
        matrix = np.array(pose.matrix)[:d, :d]
        center = matrix @ center + np.array(pose.shift)[:d]
        velocity = rate.at((*map(float, center), *(0.0,) * (3 - d)))
        return center, axes @ matrix.T, np.array(velocity)[:d]

    def _mouth(self, time: float) -> InletStencil:
        d, h = self.dimension, self.h
        center, axes, velocity = self._stance(time)
        normal, across = axes[0], axes[1:]
        reach = np.array(self.spout.shape.half_sides(d)) @ np.abs(across)
        low, high = np.floor((center - reach) / h).astype(int) - 2, np.ceil((center + reach) / h).astype(int) + 3
        ranges = [np.arange(a, b) for a, b in zip(low, high, strict=True)]
        cells = np.stack([axis.ravel() for axis in np.meshgrid(*ranges, indexing="ij")], axis=1)
        is_behind = _height(cells, center, normal, h) < 0
        found = []
        for axis in range(d):
            step = np.eye(d, dtype=np.int64)[axis] * int(np.sign(normal[axis]))
            behind = cells[is_behind & (_height(cells + step, center, normal, h) >= 0)]
            if abs(normal[axis]) < _LEVEL:
                continue
            points = (behind[:, None, :] + _face_samples(d, axis, int(step[axis]))) * h - center
            share = self.contains(points @ across.T, _NARROWEST * h).mean(axis=1)
            behind, share = behind[share > _LEAST_SHARE], share[share > _LEAST_SHARE]
            faces = behind + step if normal[axis] > 0 else behind
            found.append((behind, faces, np.full(len(behind), axis), behind + step, share))
        inlet_cells, faces, face_axes, ahead, share = (np.concatenate(parts) for parts in zip(*found, strict=True))
        starts = self._starts(center + self.columns[0] @ across, center, normal, time)
        return InletStencil(
            center, axes, velocity, np.unique(inlet_cells, axis=0), faces, face_axes, ahead, share, starts
        )

    @cached_property
    def columns(self) -> tuple[Array, Array, Array]:
        """Place of each column across the normal (n, d - 1) in m, its share of the opening, and its phase."""
        spacing = self.spacing
        halves = np.array(self.spout.shape.half_sides(self.dimension))
        counts = np.maximum(1, np.ceil(2 * halves / spacing - 1e-9)).astype(int)
        width = np.minimum(spacing, 2 * halves)
        numbers = np.stack([n.ravel() for n in np.meshgrid(*map(np.arange, counts), indexing="ij")], axis=1)
        fine = np.stack([n.ravel() for n in np.meshgrid(*[np.arange(_SAMPLES)] * len(counts), indexing="ij")], axis=1)
        corners = (numbers - counts / 2) * width
        points = corners[:, None, :] + (fine + 0.5) / _SAMPLES * width
        inside = self.contains(points)
        weight = inside.sum(axis=1)
        middle = (points * inside[..., None]).sum(axis=1) / np.maximum(weight, 1)[:, None]
        some = weight >= min(_LEAST_COLUMN * inside.shape[1], weight.max())
        middle, weight = middle[some], weight[some]
        random = np.random.Generator(np.random.PCG64(self.seed))
        phase = (random.permutation(len(weight)) + 0.5) / len(weight)
        return middle, weight / weight.sum(), phase

    def at_rest(self, time: float) -> Particles:
        """A particle for each column, right at the opening."""
        return Particles.at(self.stencil(time).starts / self.h)

    def due(self, start: float, end: float) -> Particles:
        """The particles that come out between two times, where they are at the end but for forces; volumes in cells."""
        _, weight, phase = self.columns
        stencil, speed = self.stencil(end), self.speed(start, end)
        gone = self.length(end) / self.spacing - phase
        first, last = (np.floor(self.length(time) / self.spacing - phase).astype(np.int64) for time in (start, end))
        parts = [(np.zeros((0, self.dimension)), np.zeros(0), np.zeros(0, np.int64))]
        for layer in range(int(first.min()) + 1, int(last.max()) + 1):
            columns = np.flatnonzero((first < layer) & (layer <= last))
            parts.append((self._layer(layer, columns, stencil), (gone[columns] - layer) * self.spacing, columns))
        points, way, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
        # The spout was elsewhere when they left it, and hands on a share of its velocity
        handed = self.spout.inherit * stencil.velocity
        age = (way / speed if speed > 0 else way)[:, None]
        particles = Particles.at((points + way[:, None] * stencil.normal + age * (handed - stencil.velocity)) / self.h)
        particles.volume = (weight[columns] * self.area * self.spacing / self.h**self.dimension).astype(np.float32)
        particles.velocity[:] = (speed * stencil.normal + handed)[:, None]
        particles.let_pass(age[:, 0])
        particles.carry(self.carried)
        return particles

    def falling_share(self, start: float, end: float) -> float:
        """Share of the forces that accelerates what comes out between two times: less than 1 if it is thick.

        That liquid is a strand of length l = s dt which hangs on the opening. Falling freely it would have got faster
        by g dt/2 in the mean, and hanging by its Trouton viscosity 3 ν it is by g l²/(9 ν).
        """
        length = self.length(end) - self.length(start)
        return 1.0 / (1.0 + 4.5 * self.nu * (end - start) / length**2) if length > 0 else 1.0

    def _layer(self, layer: int, columns: NDArray[np.int64], stencil: InletStencil) -> Array:
        """Where the particles of one layer leave the opening, for some columns."""
        random = np.random.Generator(np.random.PCG64((*self.seed, layer + 1)))
        shift = random.uniform(-1.0, 1.0, (len(self.columns[0]), self.dimension - 1))[columns]
        shift *= self.jitter * self.spacing / 2
        shift = np.where(self.contains(self.columns[0][columns] + shift)[:, None], shift, 0.0)
        points: Array = stencil.starts[columns] + shift @ stencil.axes[1:]
        return points

    def _starts(self, points: Array, center: Array, normal: Array, time: float) -> Array:
        """Points of the opening moved along the normal to where the plug ends; in a solid, right ahead of it."""
        along = np.arange(-_FINE, _FINE + 1) / _FINE * self.h
        places = points[:, None, :] + along[:, None] * normal
        cells = np.floor(places / self.h).astype(np.int64).reshape(-1, self.dimension)
        behind = _height(cells, center, normal, self.h).reshape(len(points), len(along)) < 0
        last = len(along) - 1 - np.argmax(behind[:, ::-1], axis=1)
        moved: Array = points + (along[last] + self.h / _FINE)[:, None] * normal
        is_open = self.is_open(Particles.at(moved / self.h), time)[:, None]
        return np.where(is_open, moved, points + self.h / _FINE * normal)


def _height(cells: NDArray[np.int64], center: Array, normal: Array, h: float) -> Array:
    """How far cell centres are ahead of an opening, m."""
    heights: Array = ((cells + 0.5) * h - center) @ normal
    return heights


def _face_samples(dimension: int, axis: int, side: int) -> Array:
    """Points on the face of a cell at one end of an axis, in cells from its low corner."""
    fine = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    grids = np.meshgrid(*[fine] * (dimension - 1), indexing="ij")
    spots = np.empty((grids[0].size, dimension))
    spots[:, axis] = 1.0 if side > 0 else 0.0
    spots[:, np.delete(np.arange(dimension), axis)] = np.stack([grid.ravel() for grid in grids], axis=1)
    return spots
