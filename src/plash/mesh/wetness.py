"""How wet solids and the floor are: liquid that touches them leaves a film, which dries.

    w(t + dt) = max( w(t) exp(-dt / drying time),  contact )

Contact is 1 where a particle is within about half a cell, and 0 from about a cell on. It is found at samples of each
surface that move with their body, by the paths of the particles since the frame before, which are taken to be straight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import serial_kernel
from plash.grid.sample import smooth_step
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals
from plash.mesh.shapes import shape_mesh
from plash.mesh.split import with_short_edges
from plash.scene.bodies import Solid
from plash.scene.domain import Domain

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_SPACING = 0.75  # cells between samples of solids, at most
_ON_FLOOR = 2  # samples of the floor along the edge of a cell
_MOST_SAMPLES = 300_000  # of a body; a larger one has them further apart
_FILM, _REACH = 0.5, 0.9  # cells from a particle: wet for sure, and not any more
_BEFORE = 0.01  # cells that a particle is before the face it touches, at least
# Share of the half ball round a sample that is liquid, where a film begins to be liquid of some depth, and where it is
_THIN, _DEEP = 0.50, 0.75
_STEP, _MOST_STEPS = 0.7, 4  # cells that a particle goes between two looks at it, and looks at most
_MOST_CELLS = 4_000_000
DRY = np.float32(1 / 512)  # what is less wet than this is dry


@dataclass(frozen=True, eq=False)
class WetSurface:
    """A surface that can be wet, as its body stands before its motion.

    Attributes:
        mesh: Its corners are samples.
        solid: The body; None for the floor.
        first: Number of its first sample among those of all surfaces.
        nearby: Its samples by place, for those who look for the ones near a particle.
    """

    mesh: Mesh
    solid: Solid | None
    first: int
    nearby: _Nearby

    @property
    def last(self) -> int:
        """The number after its last sample."""
        return self.first + len(self.mesh.vertices)

    def wet_part(self, film: Floats, time: float) -> tuple[Mesh, Floats]:
        """The triangles that are wet, where they are at a time, s, and the film at their corners.

        Args:
            film: At the samples of all surfaces.
            time: In s.
        """
        own = film[self.first : self.last]
        faces = self.mesh.faces[(own[self.mesh.faces] > 0).any(axis=1)]
        used, numbered = np.unique(faces, return_inverse=True)
        return self._placed(used, numbered.reshape(-1, 3).astype(np.int32), time), own[used]

    def whole(self, film: Floats, time: float) -> tuple[Mesh, Floats]:
        """All triangles, in the same way."""
        return self._placed(np.arange(len(self.mesh.vertices)), self.mesh.faces, time), film[self.first : self.last]

    def _placed(self, used: NDArray[np.integer], faces: NDArray[np.int32], time: float) -> Mesh:
        matrix, shift = self.pose(time)
        assert self.mesh.normals is not None
        vertices = self.mesh.vertices[used].astype(np.float64) @ matrix.T + shift
        normals = self.mesh.normals[used].astype(np.float64) @ matrix.T
        return Mesh(vertices.astype(np.float32), faces, normals.astype(np.float32))

    @property
    def moves(self) -> bool:
        """Whether its body does."""
        return self.solid is not None and self.solid.motion is not None

    def pose(self, time: float) -> tuple[Array, Array]:
        """Rotation and shift of the body at a time, s: x = matrix x₀ + shift."""
        if self.solid is None or self.solid.motion is None:
            return np.eye(3), np.zeros(3)
        matrix, shift = self.solid.motion.pose(time)
        return np.array(matrix, np.float64), np.array(shift, np.float64)


class _Nearby(NamedTuple):
    """Samples sorted by cells of a box: the box's corner, its cells, their size, and the samples of each."""

    low: Array
    cells: NDArray[np.int64]
    size: float
    starts: NDArray[np.int64]
    order: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Wetness:
    """How wet each sample of all surfaces is (n,), from 0 to 1, and how deep it is under liquid, 1 for well under."""

    wet: Floats
    under: Floats

    @staticmethod
    def dry(count: int) -> Wetness:
        """All dry."""
        return Wetness(np.zeros(count, np.float32), np.zeros(count, np.float32))

    @property
    def film(self) -> Floats:
        """How much of a film is seen: none under liquid, which is shown itself."""
        film: Floats = self.wet * (1 - self.under)
        return film


def wet_surfaces(solids: Sequence[Solid], domain: Domain) -> list[WetSurface]:
    """The surfaces that liquid can wet: of the bodies that it meets, but for metal and glass, and a closed floor."""
    found = list[WetSurface]()
    low, high = np.full(3, -2 * domain.h), np.array(domain.cells) * domain.h + 2 * domain.h
    for solid in solids:
        if solid.look.material in ("metal", "glass") or not solid.collide:
            continue
        mesh = shape_mesh(solid.shape, domain)
        if len(mesh.faces) == 0:
            continue
        if mesh.normals is None:
            mesh = Mesh(mesh.vertices, mesh.faces, face_normals(mesh.vertices, mesh.faces))
        box = (None, None) if solid.moves else (low, high)
        longest = max(_SPACING * domain.h, math.sqrt(2 * mesh.area / _MOST_SAMPLES))
        found.append(_surface(with_short_edges(mesh, longest, *box), solid, found, domain.h, *box))
    if domain.side("y_min") == "closed":
        found.append(_surface(_floor(domain), None, found, domain.h, low, high))
    return found


def sample_count(surfaces: Sequence[WetSurface]) -> int:
    """Number of samples of all surfaces."""
    return surfaces[-1].last if surfaces else 0


def floor_nodes(domain: Domain) -> tuple[int, int]:
    """Number of samples of the floor along x and z; they are in rows along x."""
    return _ON_FLOOR * domain.cells[0] + 1, _ON_FLOOR * domain.cells[2] + 1


def advanced(
    before: Wetness,
    surfaces: Sequence[WetSurface],
    particles: tuple[Array, NDArray[np.float32], Array],
    times: tuple[float, float],
    drying_time: float,
    h: float,
) -> Wetness:
    """How wet surfaces are at a frame.

    Args:
        before: At the frame before.
        surfaces: Of the scene.
        particles: Position (n, 3) in m, velocity in m/s, and volume in m³ at the frame.
        times: Of the frame before and of this one, s.
        drying_time: After which 1/e of a film is left, s.
        h: Cell size, m.
    """
    wet = before.wet * np.float32(math.exp(-(times[1] - times[0]) / drying_time))
    under = np.zeros_like(wet)
    position, velocity, volume = particles
    if len(position):
        fastest = math.sqrt(float((velocity.astype(np.float64) ** 2).sum(axis=1).max()))
        steps = min(max(math.ceil(fastest * (times[1] - times[0]) / (_STEP * h)), 1), _MOST_STEPS)
        for step in range(steps):
            ago = step / steps * (times[1] - times[0])
            places = position if step == 0 else position - ago * velocity
            for surface in surfaces:
                part = slice(surface.first, surface.last)
                contact, held = _contact(surface, places, volume, times[1] - ago, h)
                np.maximum(wet[part], contact, out=wet[part])
                if step == 0:
                    under[part] = held
    wet[wet < DRY] = 0
    return Wetness(wet, np.where(wet > 0, under, np.float32(0)))


def _contact(surface: WetSurface, places: Array, volume: Array, time: float, h: float) -> tuple[Floats, Floats]:
    """Contact of each sample with particles at a time, and how deep it is under them."""
    nearby, reach = surface.nearby, _REACH * h
    own = places
    if surface.moves:
        matrix, shift = surface.pose(time)
        own = (places - shift) @ matrix
    high = nearby.low + nearby.cells * nearby.size
    # The floor is low, and most particles are above it: its height is looked at first
    inside = np.flatnonzero((own[:, 1] > nearby.low[1]) & (own[:, 1] < high[1]))
    inside = inside[((own[inside] > nearby.low) & (own[inside] < high)).all(axis=1)]
    own = np.ascontiguousarray(own[inside])
    count = len(surface.mesh.vertices)
    nearest, held = np.full(count, np.inf), np.zeros(count)
    assert surface.mesh.normals is not None
    _meet(nearby, surface.mesh.vertices, surface.mesh.normals, own, volume[inside], reach, nearest, held)
    contact, under = np.zeros(count, np.float32), np.zeros(count, np.float32)
    _judge(nearest / h, held / (2 / 3 * math.pi * reach**3), contact, under)
    return contact, under


def _surface(
    mesh: Mesh, solid: Solid | None, before: list[WetSurface], h: float, low: Array | None, high: Array | None
) -> WetSurface:
    return WetSurface(mesh, solid, sample_count(before), _sorted_samples(mesh.vertices, h, low, high))


def _sorted_samples(vertices: Floats, h: float, low: Array | None, high: Array | None) -> _Nearby:
    """Samples in a box, sorted by its cells, which are as wide as contact reaches or wider."""
    places = vertices.astype(np.float64)
    start = places.min(axis=0) - h if low is None else np.maximum(low, places.min(axis=0) - h)
    end = places.max(axis=0) + h if high is None else np.minimum(high, places.max(axis=0) + h)
    size = max(_REACH * h, float(np.prod(np.maximum(end - start, h)) / _MOST_CELLS) ** (1 / 3))
    count = np.maximum(np.ceil((end - start) / size), 1).astype(np.int64)
    cells = np.floor((places - start) / size).astype(np.int64)
    inside = np.flatnonzero(((cells >= 0) & (cells < count)).all(axis=1))
    number = (cells[inside, 2] * count[1] + cells[inside, 1]) * count[0] + cells[inside, 0]
    order = np.argsort(number, kind="stable")
    starts = np.zeros(int(np.prod(count)) + 1, np.int64)
    np.cumsum(np.bincount(number, minlength=len(starts) - 1), out=starts[1:])
    return _Nearby(start, count, size, starts, inside[order])


def _floor(domain: Domain) -> Mesh:
    """The floor of a domain, seen from above."""
    across, along = floor_nodes(domain)
    step = domain.h / _ON_FLOOR
    x, z = np.meshgrid(np.arange(across) * step, np.arange(along) * step)
    vertices = np.stack([x, np.zeros_like(x), z], axis=-1).reshape(-1, 3)
    number = np.arange(across * along).reshape(along, across)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    faces = np.concatenate([np.stack(rows, axis=-1).reshape(-1, 3) for rows in ((a, d, b), (b, d, c))])
    normals = np.tile(np.array([0, 1, 0], np.float32), (len(vertices), 1))
    return Mesh(vertices.astype(np.float32), faces.astype(np.int32), normals)


@serial_kernel
def _meet(nearby, vertices, normals, places, volume, reach, nearest, held):
    """Distance of each sample to the nearest particle on its side, and the volume of those within reach."""
    low, count, size, starts, order = nearby
    for p in range(len(places)):
        x, y, z = places[p, 0], places[p, 1], places[p, 2]
        i, j, k = int((x - low[0]) / size), int((y - low[1]) / size), int((z - low[2]) / size)
        for c in range(max(k - 1, 0), min(k + 2, count[2])):
            for b in range(max(j - 1, 0), min(j + 2, count[1])):
                row = (c * count[1] + b) * count[0]
                for m in range(starts[row + max(i - 1, 0)], starts[row + min(i + 2, count[0])]):
                    s = order[m]
                    dx, dy, dz = x - vertices[s, 0], y - vertices[s, 1], z - vertices[s, 2]
                    square = dx * dx + dy * dy + dz * dz
                    if square >= reach * reach:
                        continue
                    if dx * normals[s, 0] + dy * normals[s, 1] + dz * normals[s, 2] < _BEFORE / _REACH * reach:
                        continue
                    nearest[s] = min(nearest[s], np.sqrt(square))
                    held[s] += volume[p]


@serial_kernel
def _judge(nearest, share, contact, under):
    for s in range(len(nearest)):
        contact[s] = 1 - smooth_step(nearest[s], _FILM, _REACH)
        under[s] = smooth_step(share[s], _THIN, _DEEP)
