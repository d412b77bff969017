"""What stands round any fluid on tiles, and acts on it: the domain's box, solids, forces and pumps."""

from __future__ import annotations

import math
from typing import Any

from plash.levelset.inside import Inside
from plash.physics.flow.pumps import Pumping
from plash.physics.force_fields import ForceField
from plash.physics.forces import Force, Forces
from plash.physics.heat.contacts import WarmWalls
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.domain_box import CLOSED, OPEN, UNBOUNDED, DomainBox
from plash.physics.solids.rigid_motion import AtRest, Prescribed
from plash.physics.solids.voxel import Voxel
from plash.scene.forces import Attractor, FunctionForce, Vortex
from plash.scene.model import Scene

_SIDE_KINDS = {"unbounded": UNBOUNDED, "closed": CLOSED, "open": OPEN}


def domain_box(scene: Scene) -> DomainBox:
    """The box of a scene's domain."""
    sides = tuple(
        (_SIDE_KINDS[scene.domain.side(f"{axis}_min")], _SIDE_KINDS[scene.domain.side(f"{axis}_max")])  # type: ignore[arg-type]
        for axis in "xyz"[: scene.domain.dimension]
    )
    return DomainBox(scene.domain.cells, sides, scene.domain.friction.by_axis(scene.dimension))


def scene_solids(scene: Scene, cuts_cells: bool, no_slip_by_viscosity: bool = False) -> SceneSolids[Any]:
    """How solids are seen, times how they move."""
    domain, moves = scene.domain, any(solid.moves for solid in scene.obstacles)
    standing = [solid for solid in scene.obstacles if not solid.moves]
    motion = Prescribed(scene.obstacles, domain.h, domain.size) if moves else AtRest()
    seen = standing, domain_box(scene), domain.h, no_slip_by_viscosity
    return SceneSolids(Cut(*seen, holds_films=scene.shear_modulus > 0) if cuts_cells else Voxel(*seen), motion)


def scene_forces(scene: Scene, *first: Force) -> Forces:
    """Some forces first, then those of the scene, pumps last: a velocity that is set is not changed any more."""
    h = scene.domain.h
    pumps = [Pumping(pump, Inside(pump.shape, h, pump.name)) for pump in scene.pump]
    fields = [
        ForceField(force, h, None if force.shape is None else Inside(force.shape, h, force.name))
        for force in scene.force
    ]
    return Forces([*first, *fields, *pumps], max((pump.speed for pump in pumps), default=0.0))


def greatest_push(scene: Scene) -> float:
    """The sum of all that pumps and forces may give, m/s²; of a function it is not known."""
    pumps = (math.hypot(*(pump.acceleration or (0.0,))) for pump in scene.pump)
    forces = (
        abs(force.strength) if isinstance(force, Attractor | Vortex) else math.hypot(*force.acceleration)
        for force in scene.force
        if not isinstance(force, FunctionForce)
    )
    return sum(pumps) + sum(forces)


def warm_walls(scene: Scene, solids: SceneSolids[Any], above: float = 0.0) -> WarmWalls:
    """The walls that have a temperature, in K above another one."""
    sides = {
        ("xyz".index(side[0]), int(side.endswith("max"))): warmth - above
        for side, warmth in scene.domain.side_temperature.given.items()
    }
    bodies = {solid.name: solid.temperature - above for solid in scene.obstacles if solid.temperature is not None}
    return WarmWalls(solids, sides, bodies)


def is_layer_resolved(scene: Scene) -> bool:
    """Whether stress, viscous or elastic, reaches half a cell into all of the liquid in 1/24 s, the time of friction.

    Then it stops liquid at walls of friction 1 by itself. A thinner layer is not seen by the grid, and the law of
    friction stands in for it.
    """
    squared_reach = scene.liquid.nu / 24 + scene.least_shear_modulus / scene.liquid.rho / 24**2
    return squared_reach >= (0.5 * scene.domain.h) ** 2
