"""From a scene to stable fluids: fields in its box, and what acts on them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plash.carried import TEMPERATURE
from plash.errors import Problem, SceneError
from plash.grid.box import at_faces, cell_centres
from plash.levelset.vectors import start_velocity
from plash.linear.transforms import BoxSolver
from plash.physics.box.advection import BackwardTrace, DenseAdvection, MacCormack
from plash.physics.box.diffusion import BoxDiffusion, Diffusion, DiffusionRoundSolids, NoDiffusion
from plash.physics.box.heat import mix
from plash.physics.box.obstacles import NoObstacles, Obstacles, SolidCells
from plash.physics.box.pouring import Weight
from plash.physics.box.pressure import BoxProjection, DenseProjection, ProjectionRoundSolids
from plash.physics.box.sides import BoxSides
from plash.physics.box.vorticity import Confinement, NoConfinement, VorticityConfinement
from plash.physics.solids.distance import Bodies
from plash.scene.model import Scene
from plash.scene.settings import StableFluidsSettings
from plash.solvers.box_state import BoxState
from plash.solvers.build.buoyancy import greatest_pull
from plash.solvers.build.containers import with_shapes
from plash.solvers.build.heat import heat_of
from plash.solvers.build.pours import forces_of, pours_of, share_inside, sinks_of
from plash.solvers.build.surroundings import greatest_push, is_layer_resolved
from plash.solvers.ledger import Ledger
from plash.solvers.stable_fluids import StableFluidsSolver
from plash.solvers.timestep import TimeStep

Array = NDArray[np.float64]

_ADVECTION: dict[str, type[DenseAdvection]] = {"semi_lagrangian": BackwardTrace, "maccormack": MacCormack}


def build_box(scene: Scene) -> StableFluidsSolver:
    """The solver of a scene of stable fluids, with its fluid, at time zero."""
    solver = box_solver(scene)
    solver.begin(_state(scene, solver.obstacles, solver.projection))
    return solver


def box_state(scene: Scene) -> BoxState:
    """The fluid of a scene at time zero."""
    return _state(scene, *obstacles_in(scene, BoxSolver(scene.domain.cells[::-1], scene.domain.h)))


def box_solver(scene: Scene) -> StableFluidsSolver:
    """The solver of a scene of stable fluids, without any liquid."""
    scene = with_shapes(scene)
    domain, settings = scene.domain, scene.solver
    assert isinstance(settings, StableFluidsSettings)
    h, gravity = domain.h, domain.gravity[: domain.dimension]
    box = BoxSolver(domain.cells[::-1], h)
    obstacles, projection = obstacles_in(scene, box)
    advection = _ADVECTION[settings.advection]()
    conduction = _diffusion(scene.liquid.thermal_diffusivity, box, obstacles)
    sides = BoxSides(domain.friction.by_axis(domain.dimension))
    held = sides.holding if is_layer_resolved(scene) else []
    return StableFluidsSolver(
        state=BoxState.at_rest(domain.cells[::-1]),
        ledger=Ledger(),
        h=h,
        rho=scene.liquid.rho,
        time_step=TimeStep(
            h=h,
            gravity=0.0,
            courant=settings.courant,
            shortest=settings.min_dt,
            longest=math.inf if settings.max_dt is None else settings.max_dt,
        ),
        obstacles=obstacles,
        forces=[Weight(tuple(gravity)), *forces_of(scene)],
        pours=pours_of(scene),
        confinement=_confinement(settings.confinement, h),
        advection=advection,
        viscosity=_diffusion(scene.liquid.nu, box, obstacles, held),
        diffusion=_diffusion(settings.diffusion, box, obstacles),
        projection=projection,
        heat=heat_of(scene, advection, conduction, obstacles),
        sides=sides.without(held),
        sinks=sinks_of(scene, obstacles),
        weight_speed=math.sqrt(h * (greatest_pull(scene) + greatest_push(scene))),
    )


def obstacles_in(scene: Scene, box: BoxSolver) -> tuple[Obstacles, DenseProjection]:
    """The solids of a scene as whole cells, those whose centre is inside, and the projection round them.

    Thin walls are thickened, as for a liquid, so that none is missed between the centres.
    """
    if not scene.obstacles:
        return NoObstacles(), BoxProjection(box)
    places = cell_centres(box.shape, 1.0)
    bodies = Bodies(scene.obstacles, box.h, scene.dimension)
    is_solid, friction = np.zeros(box.shape, np.bool_), np.zeros(box.shape)
    for number, solid in enumerate(scene.obstacles):
        inside = (bodies.distance_of(number, places) < 0).reshape(box.shape)
        is_solid |= inside
        friction[inside] = np.maximum(friction[inside], solid.friction)
    solids = SolidCells(is_solid, friction)
    return solids, ProjectionRoundSolids(box, solids, scene.solver.tolerance)


def _state(scene: Scene, obstacles: Obstacles, projection: DenseProjection) -> BoxState:
    """The fills, free of divergence: where they overlap the first one counts, and solids stay empty."""
    scene = with_shapes(scene)
    cells, h = scene.domain.cells[::-1], scene.domain.h
    state = BoxState.at_rest(cells)
    velocity = np.zeros((len(cells), *cells))
    temperature, places = np.full(cells, scene.liquid.temperature), cell_centres(cells, h)
    for number, fill in enumerate(scene.fill):
        if fill.time > 0:
            continue
        share = share_inside(fill.shape, cells, h, f"fill[{number}].shape")
        added = np.minimum(share, 1.0 - state.density)
        state.density += added
        velocity += added * start_velocity(fill, places, f"fill[{number}]").T.reshape(-1, *cells)
        if fill.temperature is not None:
            mix(temperature, added, state.density, fill.temperature)
    obstacles.clear(state.density)
    if not state.density.any() and not pours_of(scene):
        where = "every fill lies inside a solid, or is thinner than a cell"
        raise SceneError([Problem("fill", f"no liquid is left: {where}; move it, or raise domain.resolution")])
    state.faces[:] = at_faces(velocity)
    obstacles.close(state.faces)
    if scene.has_heat:
        obstacles.fill_in(temperature)
        state.scalars[TEMPERATURE] = temperature
    projection.project(state.faces)
    return state


def _confinement(strength: float, h: float) -> Confinement:
    return VorticityConfinement(strength, h) if strength > 0 else NoConfinement()


def _diffusion(
    coefficient: float, box: BoxSolver, obstacles: Obstacles, held: Sequence[tuple[int, int]] = ()
) -> Diffusion:
    if coefficient == 0:
        return NoDiffusion()
    if isinstance(obstacles, SolidCells):
        return DiffusionRoundSolids(coefficient, box, obstacles, held)
    if held:
        nothing = SolidCells(np.zeros(box.shape, np.bool_), np.zeros(box.shape))
        return DiffusionRoundSolids(coefficient, box, nothing, held)
    return BoxDiffusion(coefficient, box)
