"""Solids that liquid cannot enter: whole cells, as in Cline (`solids = "voxel"`).

A cell is solid if its centre lies in a solid or beyond a closed side of the domain. Velocities through the faces of
solid cells are the solid's own, here zero, on both sides: liquid slides along walls and never goes through.
Particles that end up in a solid cell are put back along the solid's normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import Cells, CutCells
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.levelset.shapes import distance
from plash.particles.collide import Start
from plash.particles.collide_voxels import collide_with_voxels
from plash.particles.particles import Particles
from plash.particles.sides import CLOSED, OPEN, UNBOUNDED
from plash.physics.compatibility import SolidFluxes
from plash.physics.solids.distance import FAR, Bodies
from plash.physics.solids.friction import Friction, FrictionAtRest
from plash.physics.solids.wall_velocity import enforce_no_flux
from plash.scene.bodies import Solid
from plash.timing import stage

__all__ = ["CLOSED", "OPEN", "UNBOUNDED", "DomainBox", "SceneSolids", "Solids", "StaticSolids"]


@dataclass(frozen=True)
class DomainBox:
    """The domain's box in cells and what its sides are: UNBOUNDED, CLOSED or OPEN, as (low, high) by axis."""

    cells: tuple[int, ...]
    sides: tuple[tuple[int, int], ...]

    def limits(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """First cell and one past the last by axis (x, y, z), and the kinds of the sides, as kernels want them."""
        dimension = len(self.cells)
        limits = np.zeros((3, 2), np.int32)
        kinds = np.zeros((3, 2), np.int32)
        limits[:dimension, 1] = self.cells
        kinds[:dimension] = self.sides
        return limits, kinds

    def closed_sides(self) -> list[tuple[int, int, int]]:
        """Axis, the last cell inside, and the way out of each closed side."""
        return [
            (axis, (self.cells[axis] - 1) * high, 2 * high - 1)
            for axis, kinds in enumerate(self.sides)
            for high, kind in enumerate(kinds)
            if kind == CLOSED
        ]


@dataclass(frozen=True, eq=False)
class Solids:
    """The solids on one set of tiles.

    Attributes:
        tiles: Where the cells are.
        is_solid: By cell.
        distance: Signed distance of cell centres to the nearest solid body, in cells; walls do not count.
        near: By slot, whether a particle of this tile can meet a wall, a solid or a side in a step.
        box: The domain.
        inverse_kernel_weight: 1/S by cell, S the part of the hat kernel round the cell's centre that lies in open space
            (7/8 beside one body; sides of the domain are mirrors and take nothing away); NaN in solid cells.
        friction: Friction of bodies, if any has some.
    """

    tiles: Tiles
    is_solid: NDArray[np.bool_]
    distance: NDArray[np.float32]
    near: NDArray[np.bool_]
    box: DomainBox
    inverse_kernel_weight: NDArray[np.float32]
    friction: Friction | None = None

    @property
    def cut_cells(self) -> CutCells | None:
        """Open fractions of the faces and cells that solids cut; None, as whole cells are solid here."""
        return None

    @stage
    def enforce_no_flux(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Let friction act for dt on liquid along bodies, and set the velocity through every closed face to zero."""
        if self.friction is not None:
            self.friction.slow_open_faces(velocity, cells, dt)
        enforce_no_flux(velocity, cells)

    @stage
    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Make a velocity that was continued into solids one along them, slowed by friction for dt.

        Here: zero through every face of a solid; inside solids it is left as it is, but for friction.
        """
        if self.friction is not None:
            self.friction.slow_closed_faces(velocity, cells, dt)
        enforce_no_flux(velocity, cells)

    def remember(self, particles: Particles) -> Start | None:
        """Where particles are before a move, if their way will have to be known."""
        return None

    def collide_displaced(self, particles: Particles, start: Start | None, keep_velocity: bool = False) -> int:
        """Put particles back that went into a body on their way from the start; returns how many could not be.

        Nothing here: particles in solid cells are found by `collide`.
        """
        return 0

    def solid_fluxes(self) -> SolidFluxes:
        """What solids push out of cells: those that stand, nothing."""
        return SolidFluxes.none()

    @stage
    def collide(
        self, particles: Particles, start: Start | None = None, time: float = 0.0, dt: float = 0.0
    ) -> tuple[NDArray[np.int8] | None, int]:
        """Put particles back that went into a solid or through a closed side.

        Args:
            particles: After they moved for dt.
            start: Where they were at this time, if `remember` told.
            time: When the move began, s.
            dt: How long it took, s.

        Returns:
            For each particle 0, or 1 + 2·axis + (0 low, 1 high) if it left through an open side, None if none
            did; and how many could not be put back.
        """
        return collide_with_voxels(particles, self.tiles, self.is_solid, self.distance, self.near, *self.box.limits())


class SceneSolids(Protocol):
    """All solids of a scene, on whatever tiles exist and at any time."""

    def at(self, tiles: Tiles, time: float, dt: float) -> Solids:
        """The solids on these tiles where they are at a time, and how they move from then for dt."""

    def fastest(self, time: float, until: float) -> float:
        """Largest speed of any surface between two times, m/s."""

    def count_inside(self, particles: Particles, time: float) -> dict[str, int]:
        """How many particles lie inside each body at a time."""


@dataclass(eq=False)
class StaticSolids:
    """The solids of a scene, evaluated on whatever tiles exist; tiles seen before are not evaluated again."""

    bodies: Sequence[Solid]
    box: DomainBox
    h: float
    _last: Solids | None = field(default=None, init=False)
    _rubbing: FrictionAtRest = field(init=False)

    def __post_init__(self) -> None:
        """Friction is of the bodies that have some."""
        rough = [body for body in self.bodies if body.friction > 0]
        self._rubbing = FrictionAtRest(Bodies(rough, self.h, len(self.box.cells)))

    @stage
    def at(self, tiles: Tiles, time: float = 0.0, dt: float = 0.0) -> Solids:
        """The solids on these tiles, at any time."""
        if self._last is None or self._last.tiles is not tiles:
            self._last = self._evaluate(tiles)
        return self._last

    def _evaluate(self, tiles: Tiles) -> Solids:
        known = self._last.tiles.slots_of(tiles.keys) if self._last is not None else np.zeros(tiles.count, np.int32)
        solid_phi = np.full((tiles.count + 1, *tiles.shape), FAR, np.float32)
        is_solid = np.zeros(solid_phi.shape, np.bool_)
        inverse_kernel_weight = np.ones(solid_phi.shape, np.float32)
        if self._last is not None:
            kept = np.flatnonzero(known)
            solid_phi[kept + 1] = self._last.distance[known[kept]]
            is_solid[kept + 1] = self._last.is_solid[known[kept]]
            inverse_kernel_weight[kept + 1] = self._last.inverse_kernel_weight[known[kept]]
        new = (np.flatnonzero(known == 0) + 1).astype(np.int32)
        near = np.zeros(tiles.count + 1, np.bool_)
        made = Solids(tiles, is_solid, solid_phi, near, self.box, inverse_kernel_weight, self._rubbing.at(tiles))
        return self.with_tiles_anew(made, new)

    def with_tiles_anew(self, known: Solids, slots: NDArray[np.int32]) -> Solids:
        """The solids on the same tiles, of which some are evaluated again."""
        tiles = known.tiles
        solid_phi, is_solid, inverse_kernel_weight = (
            known.distance.copy(),
            known.is_solid.copy(),
            known.inverse_kernel_weight.copy(),
        )
        if len(slots):
            solid_phis, solid = self._with_halo(tiles, slots)
            core = (slice(None), *(slice(1, -1) if n > 1 else slice(None) for n in tiles.shape))
            solid_phi[slots], is_solid[slots] = solid_phis[core], solid[core]
            inverse_kernel_weight[slots] = np.where(
                solid[core], np.nan, 1 / np.maximum(_open_share(solid_phis >= 0), 1e-6)
            )
        near = self._near(tiles, is_solid)
        return replace(
            known, distance=solid_phi, is_solid=is_solid, inverse_kernel_weight=inverse_kernel_weight, near=near
        )

    def _with_halo(self, tiles: Tiles, slots: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Distance in cells to the nearest body and whether it is solid, for cells of some tiles and one more round.

        Closed sides are mirrors: beyond them bodies are as far away as from the last cell inside.
        """
        ranges = [np.arange(-1, n + 1) if n > 1 else np.zeros(1, np.int64) for n in tiles.shape[::-1]]
        cells = [tiles.origins[slots, axis, None] + reach for axis, reach in enumerate(ranges)]
        shape = (len(slots), *(len(reach) for reach in ranges[::-1]))
        along = [
            cells[axis].reshape(len(slots), *[len(ranges[axis]) if a == axis else 1 for a in (2, 1, 0)])
            for axis in range(3)
        ]
        nearest = np.full(shape, FAR)
        if self.bodies:
            inside = list(along[: tiles.dimension])
            for axis, last, outwards in self.box.closed_sides():
                inside[axis] = np.minimum(inside[axis], last) if outwards > 0 else np.maximum(inside[axis], last)
            centres = np.stack([np.broadcast_to((c + 0.5) * self.h, shape).ravel() for c in inside], axis=1)
            for body in self.bodies:
                solid_phis = distance(body.shape, centres, body.name) / self.h
                np.minimum(nearest, solid_phis.reshape(shape), out=nearest)
        solid = nearest < 0
        for axis, (low, high) in enumerate(self.box.sides):
            cell = along[axis]
            solid |= ((cell < 0) & (low == CLOSED)) | ((cell >= self.box.cells[axis]) & (high == CLOSED))
        return nearest.astype(np.float32), solid

    def open_with_halo(self, tiles: Tiles, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether no body fills the cells of some tiles, and of one more cell round them; sides are mirrors."""
        return self._with_halo(tiles, slots)[0] >= 0

    def fastest(self, time: float, until: float) -> float:
        """Largest speed of any surface between two times, m/s: they stand."""
        return 0.0

    def count_inside(self, particles: Particles, time: float = 0.0) -> dict[str, int]:
        """How many particles lie inside each body."""
        return Bodies(self.bodies, self.h, particles.dimension).count_inside(particles)

    def _near(self, tiles: Tiles, is_solid: NDArray[np.bool_]) -> NDArray[np.bool_]:
        holds = np.asarray(is_solid.reshape(len(is_solid), -1).any(axis=1))
        near = np.asarray(holds[tiles.neighbours].any(axis=1))
        for axis, (low, high) in enumerate(self.box.sides):
            size = tiles.shape[2 - axis]
            first = tiles.origins[:, axis]
            if low == OPEN:
                near |= first < size
            if high == OPEN:
                near |= first + 2 * size > self.box.cells[axis]
        near[0] = False
        return near


def _open_share(is_open: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Integral over open cells of the product of hats of half-width h, for all cells but the outermost.

    Exact for solids of whole cells: a hat has 3/4 of its integral in its own cell and 1/8 in each neighbour.
    """
    share = is_open.astype(np.float64)
    for axis in range(1, share.ndim):
        if share.shape[axis] > 1:
            before, here, after = (
                np.take(share, np.arange(first, share.shape[axis] - 2 + first), axis) for first in range(3)
            )
            share = 0.125 * before + 0.75 * here + 0.125 * after
    return share
