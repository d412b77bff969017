"""From a scene to a solver: the one place where the words of a scene become objects."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError
from plash.levelset.shapes import distance
from plash.particles.particles import Particles
from plash.particles.seed import Distance, seed
from plash.physics.bodies import Bodies
from plash.physics.cut_solids import StaticCutSolids
from plash.physics.density import DensityProjection, LeaveSpacing, Spacing
from plash.physics.forces import Forces, Gravity
from plash.physics.free_surface_cells import SurfaceCells
from plash.physics.free_surface_ghost import Ghost
from plash.physics.free_surface_staircase import FreeSurface, Staircase
from plash.physics.motions import MovingBodies
from plash.physics.moving_cut_solids import MovingCutSolids
from plash.physics.moving_solids import MovingSolids
from plash.physics.pressure import PressureSolver
from plash.physics.solids import CLOSED, OPEN, UNBOUNDED, Box, SceneSolids, StaticSolids
from plash.physics.viscosity import ExplicitViscosity, Inviscid, Viscosity
from plash.scene.model import Scene
from plash.solvers.ledger import Ledger
from plash.solvers.liquid import LiquidSolver
from plash.solvers.regions import FilledSpace, MarkedCells, Region
from plash.solvers.state import State
from plash.solvers.timestep import TimeStep
from plash.solvers.transfers import Apic, Flip, Pic, Trace, Transfer

_COARSER = 1e4  # how much coarser density errors are solved for than the pressure
_SIDE_KINDS = {"unbounded": UNBOUNDED, "closed": CLOSED, "open": OPEN}
_FREE_SURFACES: dict[str, type[FreeSurface]] = {"ghost": Ghost, "staircase": Staircase, "cells": SurfaceCells}


def build(scene: Scene) -> LiquidSolver:
    """The solver of a scene, at time zero.

    Example:
        >>> import plash
        >>> solver = build(plash.load_scene("still_pool", resolution=16))
        >>> solver.state.particles.count > 0
        True
    """
    domain, settings = scene.domain, scene.solver
    h = domain.h
    viscosity = _viscosity(scene)
    transfer = _transfer(scene)
    gravity = domain.gravity[: domain.dimension]
    solids = _solids(scene)
    free_surface = _FREE_SURFACES[settings.free_surface]()
    region, spacing = _region(scene, free_surface)
    particles = _particles(scene, transfer.affine_rows)
    initial = particles.total_volume() * h**domain.dimension
    return LiquidSolver(
        state=State(particles),
        ledger=Ledger(
            initial=initial,
            particle_volume=initial,
            volume=initial,
            leaks={solid.name: 0 for solid in scene.solid},
        ),
        h=h,
        time_step=TimeStep(
            h=h,
            gravity=math.hypot(*gravity),
            courant=settings.courant,
            own_limit=viscosity.longest_step(h, domain.dimension),
            shortest=settings.min_dt,
            longest=math.inf if settings.max_dt is None else settings.max_dt,
        ),
        solids=solids,
        region=region,
        transfer=transfer,
        forces=Forces([Gravity(tuple(gravity))]),
        viscosity=viscosity,
        pressure=PressureSolver(
            free_surface=free_surface,
            rho=scene.liquid.rho,
            h=h,
            tolerance=settings.tolerance,
            gas_pressure=scene.liquid.gas_pressure,
            parting=settings.parting and settings.free_surface != "cells",
        ),
        spacing=spacing,
        steps_cross_frames=settings.steps_cross_frames,
    )


def _cuts_cells(scene: Scene) -> bool:
    """Whether bodies are seen through the cells they cut; the rules of surface cells are for whole ones."""
    return scene.solver.solids == "cut" and scene.solver.free_surface != "cells" and len(scene.solid) > 0


def _solids(scene: Scene) -> SceneSolids:
    if any(solid.moves for solid in scene.solid):
        moving = MovingCutSolids if _cuts_cells(scene) else MovingSolids
        return moving(MovingBodies(scene.solid, scene.domain.h, scene.domain.size), _box(scene))
    standing = StaticCutSolids if _cuts_cells(scene) else StaticSolids
    return standing(scene.solid, _box(scene), scene.domain.h)


def _region(scene: Scene, free_surface: FreeSurface) -> tuple[Region, Spacing]:
    """What counts as liquid, and how particles are kept apart in it: only the ghost surface knows how full space is."""
    if scene.solver.free_surface != "ghost":
        return MarkedCells(), LeaveSpacing()
    tolerance = min(0.1, _COARSER * scene.solver.tolerance)
    spacing = DensityProjection(free_surface, tolerance) if scene.solver.density_projection else LeaveSpacing()
    return FilledSpace(scene.domain.h), spacing


def _viscosity(scene: Scene) -> Viscosity:
    nu = scene.liquid.nu
    return ExplicitViscosity(nu, scene.domain.h) if nu > 0 else Inviscid()


def _transfer(scene: Scene) -> Transfer:
    match scene.solver.transfer:
        case "trace":
            return Trace(scene.domain.h)
        case "pic":
            return Pic()
        case "flip":
            return Flip(scene.solver.flip_ratio)
        case "apic":
            return Apic(scene.domain.dimension)


def _box(scene: Scene) -> Box:
    sides = tuple(
        (_SIDE_KINDS[scene.domain.side(f"{axis}_min")], _SIDE_KINDS[scene.domain.side(f"{axis}_max")])  # type: ignore[arg-type]
        for axis in "xyz"[: scene.domain.dimension]
    )
    return Box(scene.domain.cells, sides)


def _particles(scene: Scene, affine_rows: int) -> Particles:
    """Particles of every fill: where fills overlap the first one counts, and solids stay empty."""
    domain = scene.domain
    random = np.random.Generator(np.random.PCG64(scene.solver.seed))
    particles = Particles.none(domain.dimension)
    bodies = Bodies(scene.solids_at(0.0), domain.h, domain.dimension)
    for number, fill in enumerate(scene.fill):
        part = seed(
            _wanted(scene, number, bodies),
            domain.cells,
            domain.h,
            scene.particles_per_cell,
            scene.solver.jitter,
            random,
            tuple(fill.velocity),
        )
        particles.add(part)
    particles.keep(_outside_solids(scene, particles, bodies))
    if particles.count == 0:
        where = "every fill lies inside a solid, or is thinner than a cell"
        raise SceneError([Problem("fill", f"no liquid is left: {where}; move it, or raise domain.resolution")])
    particles.affine = np.zeros((affine_rows, particles.count), np.float32)
    return particles


def _wanted(scene: Scene, number: int, bodies: Bodies) -> Distance:
    """Signed distance to where a fill puts liquid: not where an earlier one did, nor in bodies that cut cells."""

    def wanted(points: NDArray[np.float64]) -> NDArray[np.float64]:
        gap = distance(scene.fill[number].shape, points, f"fill[{number}].shape")
        for earlier in range(number):
            gap = np.maximum(gap, -distance(scene.fill[earlier].shape, points, f"fill[{earlier}].shape"))
        if _cuts_cells(scene):
            gap = np.maximum(gap, -scene.domain.h * bodies.distance(points / scene.domain.h))
        return gap

    return wanted


def _outside_solids(scene: Scene, particles: Particles, bodies: Bodies) -> NDArray[np.bool_]:
    """Whether each particle is outside every solid; of solids that stand as whole cells, the centre of its cell."""
    h = scene.domain.h
    if _cuts_cells(scene):
        return bodies.distance(particles.position(1.0)) >= 0
    outside = np.ones(particles.count, np.bool_)
    places, centres = particles.position(h), (np.ascontiguousarray(particles.cell.T) + 0.5) * h
    for solid, placed in zip(scene.solid, bodies.bodies, strict=True):
        outside &= distance(placed.shape, places if solid.moves else centres, solid.name) >= 0
    return outside
