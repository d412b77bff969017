"""Solids that move, through the cells they cut.

Bodies are where they are at the start of a step, as the particles are: the share of space that is open round a cell has
to be that of the liquid in it. Their velocity is the one that takes them to where they will be at its end
(`physics/solids/rigid_motion.py`), so that they move with the liquid, and it with them:

    Σ ± [f u + (1 - f) u_solid] = 0     in every cell, with f the open fraction of a face
    (u - u_solid)·n = 0                 on closed faces; friction acts on what is left of u - u_solid

Only tiles near bodies that move are looked at anew; what stands is kept (`physics/solids/cut.py`). Particles are traced
in the frame of each body in turn, and then put out of the exact shapes where they are at the end of the move.
Reference: Batty et al. 2007, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from plash.grid.cells import SIDE, Cells, SolidFlux
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.particles.collide import Start, collide_particles
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.particles.sides import keep_inside
from plash.physics.compatibility import SolidFluxes
from plash.physics.solids.cut import TOUCHES, CutSolids, StaticCutSolids, beside_tiles, cut_anew, walled_tiles
from plash.physics.solids.moving_voxel import MovingSolids, at_minimal_corners
from plash.physics.solids.passage import Passage
from plash.physics.solids.rigid_motion import BATCH, PlacedBodies
from plash.physics.solids.velocity import nearest_solid_velocity, outflow
from plash.physics.solids.voxel import Solids
from plash.timing import stage

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CutSolidsInMotion(CutSolids):
    """The solids on one set of tiles, some of which are near a body that moves.

    Attributes:
        ground: Those that stand, by themselves.
        passage: Those that move.
        solid_flux: What they push out of cells.
    """

    ground: CutSolids = field(kw_only=True)
    passage: Passage = field(kw_only=True)
    solid_flux: SolidFlux = field(kw_only=True)

    @stage
    def enforce_no_flux(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Let friction act for dt on liquid along bodies, and give closed faces the velocity of their body."""
        close = super().enforce_no_flux
        self.passage.as_seen_from_bodies(velocity, lambda relative: close(relative, cells, dt))

    @stage
    def enforce_slip(self, velocity: FaceField, cells: Cells, dt: float = 0.0) -> None:
        """Make a velocity that was continued into solids one along them, slowed by friction for dt.

        If no time goes by the field is a displacement, and bodies stand.
        """
        slide = super().enforce_slip
        if dt > 0:
            self.passage.as_seen_from_bodies(velocity, lambda relative: slide(relative, cells, dt))
        else:
            slide(velocity, cells)

    def solid_fluxes(self) -> SolidFluxes:
        """What bodies that move push out of cells."""
        return self.passage.solid_fluxes(self.solid_flux)

    @stage
    def collide(
        self, particles: Particles, start: Start | None = None, time: float = 0.0, dt: float = 0.0
    ) -> tuple[NDArray[np.int8] | None, int]:
        """Keep particles out of bodies, where these are at the end of the move, and inside closed sides."""
        start = start or Start.of(particles)
        ground, limits = self.ground, self.box.limits()
        close = []
        if ground.near.any():
            close.append(collide_particles(particles, start, self.tiles, ground.distance, ground.near, *limits))
        close += self.passage.trace(particles, start, time, dt)
        left = keep_inside(particles, *limits, self.near_sides)
        present = PlacedBodies(ground.bodies, self.passage.moving, time + dt)
        which = np.unique(np.concatenate(close))
        inside = project_out(particles, which, start, present.distance, *limits, solid_velocity=present.velocity)
        return left, inside


@dataclass(eq=False, repr=False)
class MovingCutSolids(MovingSolids):
    """The solids of a scene of which some move; only tiles near those are evaluated in every step."""

    _cut_ground: StaticCutSolids = field(init=False)

    def __post_init__(self) -> None:
        """What stands is kept from step to step."""
        self._cut_ground = StaticCutSolids(self.bodies.standing, self.box, self.bodies.h)

    @stage
    def at(self, tiles: Tiles, time: float = 0.0, dt: float = 0.0) -> Solids:
        """The solids on these tiles where they are at a time, and how they move from then for dt."""
        ground = self._cut_ground.on(tiles)
        moving = self.bodies.rigid_groups(time, dt)
        slots, near, reach = self.near(tiles, moving)
        if len(slots) == 0:
            return ground
        at_ground = ground.bodies.at_corners(tiles, slots, ground.bodies.near(tiles, slots))
        corners = [group.placed.at_corners(tiles, slots, rows) for group, rows in zip(moving, near, strict=True)]
        placed = [body for group in moving for body in group.placed.bodies]
        bodies = replace(ground.bodies, bodies=[*ground.bodies.bodies, *placed], batch=BATCH)
        made = cut_anew(ground, bodies, slots, np.minimum.reduce([at_ground, *corners]))

        touched = np.minimum.reduce(corners).reshape(len(slots), -1).min(axis=1) < TOUCHES
        near_by, rows = [solid_phi[touched] for solid_phi in (at_ground, *corners)], slots[touched]
        solid_velocity, owner = nearest_solid_velocity(tiles, rows, near_by, moving)
        solid_velocity *= (made.open_space.closed[:, rows] & SIDE) == 0
        solid_flux = SolidFlux(
            rows, outflow(tiles, rows, solid_velocity * (1.0 - made.open_space.face_fractions[:, rows]))
        )
        made = replace(made, open_space=replace(made.open_space, solid_flux=solid_flux), walled=walled_tiles(made))
        friction = self.friction(ground, rows, moving, near_by[1:])
        made = replace(made, near=beside_tiles(tiles, made.at_bodies), friction=friction)
        solid_phis = [at_minimal_corners(tiles, slots, corner) for corner in corners]
        beside = beside_tiles(tiles, slots)
        return CutSolidsInMotion(
            **{part.name: getattr(made, part.name) for part in fields(made)},
            ground=ground,
            passage=Passage(tiles, moving, beside, reach, solid_phis, rows, solid_velocity.astype(np.float32), owner),
            solid_flux=solid_flux,
        )
