"""From a scene of liquid in air to its solver."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError
from plash.levelset.inside import Inside
from plash.levelset.shapes import distance
from plash.levelset.vectors import start_velocity
from plash.particles.films import FLYING
from plash.particles.particles import Particles
from plash.particles.seed import seed
from plash.particles.seed_parts import Distance
from plash.physics.density_projection import DensityCorrection, DensityProjection, NoDensityCorrection
from plash.physics.flow.inlets import Inlet
from plash.physics.flow.showers import Shower
from plash.physics.flow.sinks import Outlet, Sinks
from plash.physics.flow.sources import DelayedFill, Sources
from plash.physics.forces import Gravity
from plash.physics.free_surface import FreeSurface
from plash.physics.free_surface_cells import SurfaceCells
from plash.physics.free_surface_ghost import Ghost
from plash.physics.free_surface_staircase import Staircase
from plash.physics.pressure import PressureSolver
from plash.physics.solids.distance import Bodies
from plash.physics.solids.domain_box import CLOSED
from plash.physics.viscosity.auto import AutoViscosity
from plash.physics.viscosity.balance import PressureBalance
from plash.physics.viscosity.base import Inviscid, Viscosity
from plash.physics.viscosity.coupled import CoupledViscosity
from plash.physics.viscosity.explicit import ExplicitViscosity
from plash.physics.viscosity.implicit import ImplicitViscosity
from plash.scene.bodies import Fill
from plash.scene.drops import Drops
from plash.scene.model import Scene
from plash.scene.settings import LiquidSettings
from plash.scene.shapes import Sphere
from plash.scene.sources import Blob as BlobSource
from plash.scene.sources import Spout
from plash.solvers.build.buoyancy import greatest_pull
from plash.solvers.build.containers import with_shapes
from plash.solvers.build.level_set import level_set_state, with_level_set
from plash.solvers.build.liquid_colors import liquid_colors
from plash.solvers.build.liquid_elasticity import liquid_elasticity
from plash.solvers.build.liquid_heat import carried_by, liquid_heat, spout_viscosity, viscosity_field
from plash.solvers.build.surroundings import domain_box, greatest_push, is_layer_resolved, scene_forces, scene_solids
from plash.solvers.ledger import Ledger
from plash.solvers.liquid import LiquidSolver
from plash.solvers.state import State
from plash.solvers.surface_tracker import FillFraction, MarkerCells, SurfaceTracker
from plash.solvers.timestep import TimeStep
from plash.solvers.transfers import Apic, Flip, Pic, SemiLagrangian, Transfer, rows_of

Liquid = tuple[str, Fill | BlobSource]  # and what messages call it

_ELASTIC_FLYING = 0.9  # cells: corners of elastic bodies lie outside the rounded surface, and belong to them
_ELASTIC_SPREADING = 1 / 24  # s, in which density errors of elastic liquid fall to 1/e
_COARSER = 1e4  # how much coarser density errors are solved for than the pressure
_FREE_SURFACES: dict[str, type[FreeSurface]] = {"ghost": Ghost, "staircase": Staircase, "cells": SurfaceCells}


def build_liquid(scene: Scene) -> LiquidSolver:
    """The solver of a scene of liquid in air, with its liquid, at time zero."""
    solver = liquid_solver(scene)
    solver.begin(liquid_state(scene))
    return solver


def liquid_state(scene: Scene) -> State:
    """The liquid of a scene at time zero."""
    scene = with_shapes(scene)
    if _settings(scene).surface == "levelset":
        return level_set_state(scene, _settings(scene))
    return State(_particles(scene, rows_of(liquid_transfer(scene), scene)))


def liquid_solver(scene: Scene) -> LiquidSolver:
    """The solver of a scene of liquid in air, without any liquid."""
    scene = with_shapes(scene)
    domain, settings = scene.domain, _settings(scene)
    h = domain.h
    viscosity = _viscosity(scene)
    elasticity = liquid_elasticity(scene, settings)
    free_surface = _FREE_SURFACES[settings.free_surface]()
    surface_tracker, density_correction = _surface_tracker(scene, free_surface)
    sources = _sources(scene)
    solids = scene_solids(scene, _cuts_cells(scene), is_layer_resolved(scene))
    solver = LiquidSolver(
        state=State(Particles(domain.dimension)),
        ledger=Ledger(leaks={solid.name: 0 for solid in scene.obstacles}),
        h=h,
        time_step=TimeStep(
            h=h,
            gravity=_acceleration(scene),
            courant=settings.courant,
            own_limit=min(part.longest_step(h, domain.dimension) for part in (viscosity, elasticity)),
            shortest=settings.min_dt,
            longest=math.inf if settings.max_dt is None else settings.max_dt,
        ),
        solids=solids,
        surface_tracker=surface_tracker,
        transfer=liquid_transfer(scene),
        forces=scene_forces(scene, Gravity(tuple(scene.domain.gravity[: scene.dimension]))),
        viscosity=viscosity,
        pressure=PressureSolver(
            free_surface=free_surface,
            rho=scene.liquid.rho,
            h=h,
            tolerance=settings.tolerance,
            gas_pressure=scene.liquid.gas_pressure,
            separating_walls=settings.lets_liquid_separate,
        ),
        density_correction=density_correction,
        heat=liquid_heat(scene, solids),
        colors=liquid_colors(scene),
        viscosity_field=viscosity_field(scene),
        elasticity=elasticity,
        sources=sources,
        sinks=_sinks(scene, sources),
        steps_cross_frames=settings.steps_cross_frames,
    )
    return with_level_set(solver, scene, domain_box(scene), settings) if settings.surface == "levelset" else solver


def _settings(scene: Scene) -> LiquidSettings:
    assert isinstance(scene.solver, LiquidSettings)
    return scene.solver


def _cuts_cells(scene: Scene) -> bool:
    """Whether bodies are seen through the cells they cut; the rules of surface cells are for whole ones."""
    settings = _settings(scene)
    return settings.solids == "cut" and settings.free_surface != "cells" and len(scene.obstacles) > 0


def _surface_tracker(scene: Scene, free_surface: FreeSurface) -> tuple[SurfaceTracker, DensityCorrection]:
    """What counts as liquid, and how particles are kept apart in it: only the ghost surface knows how full space is."""
    settings = _settings(scene)
    if settings.free_surface != "ghost" or settings.surface == "levelset":
        return MarkerCells(), NoDensityCorrection()
    tolerance = min(0.1, _COARSER * settings.tolerance)
    is_elastic = scene.shear_modulus > 0
    density_correction = (
        DensityProjection(free_surface, tolerance, _ELASTIC_SPREADING if is_elastic else 0.0)
        if settings.density_projection
        else NoDensityCorrection()
    )
    flying = _ELASTIC_FLYING if is_elastic else FLYING
    return FillFraction(scene.domain.h, scene.domain.gravity[: scene.dimension], flying), density_correction


def _viscosity(scene: Scene) -> Viscosity:
    h, settings = scene.domain.h, _settings(scene)
    nu = scene.dynamic_viscosities[1] / scene.liquid.rho
    if nu == 0:
        return Inviscid()
    harmonic = settings.viscosity_mean == "harmonic"
    explicit = ExplicitViscosity(nu, h, harmonic, _walls_hold(scene))
    balance = PressureBalance(_FREE_SURFACES[settings.free_surface](), settings.tolerance)
    match settings.viscosity:
        case "auto":
            return AutoViscosity(explicit, CoupledViscosity(nu, h, balance, harmonic))
        case "explicit":
            return explicit
        case "implicit":
            return ImplicitViscosity(nu, h, balance, harmonic)
        case "coupled":
            return CoupledViscosity(nu, h, balance, harmonic)


def _walls_hold(scene: Scene) -> bool:
    """Whether any wall has friction 1."""
    sides = (value for pair in scene.domain.friction.by_axis(scene.dimension) for value in pair)
    return 1 in sides or any(solid.friction == 1 for solid in scene.obstacles)


def liquid_transfer(scene: Scene) -> Transfer:
    """How the velocity of a scene of liquid in air is carried along."""
    match _settings(scene).transfer:
        case "semi_lagrangian":
            return SemiLagrangian(scene.domain.h)
        case "pic":
            return Pic(_acceleration(scene), scene.domain.h)
        case "flip":
            return Flip(scene.domain.dimension, _settings(scene).flip_ratio, _acceleration(scene), scene.domain.h)
        case "apic":
            return Apic(scene.domain.dimension, _acceleration(scene), scene.domain.h)


def _acceleration(scene: Scene) -> float:
    """The sum of all that gravity, pumps and forces may give, m/s²; of a function it is not known."""
    return greatest_pull(scene) + greatest_push(scene)


def _sources(scene: Scene) -> Sources:
    """Spouts, and all liquid that appears after the start."""
    domain, settings = scene.domain, _settings(scene)
    seed = settings.seed
    moves = any(solid.moves for solid in scene.obstacles)
    at_start = Bodies(scene.solids_at(0.0), domain.h, domain.dimension)

    def bodies(time: float) -> Bodies:
        return Bodies(scene.solids_at(time), domain.h, domain.dimension) if moves else at_start

    def is_open(particles: Particles, time: float) -> NDArray[np.bool_]:
        return _outside_solids(scene, particles, bodies(time)) & _inside_sides(scene, particles)

    inlets = [
        Inlet(
            spout=source,
            h=domain.h,
            dimension=domain.dimension,
            per_cell=scene.particles_per_cell,
            jitter=settings.jitter,
            seed=(seed, number + 1),
            is_open=is_open,
            carried=carried_by(scene, source),
            nu=spout_viscosity(scene, source),
        )
        for number, source in enumerate(scene.source)
        if isinstance(source, Spout)
    ]
    delayed_fills = [
        DelayedFill(
            liquid[0],
            liquid[1].time,
            functools.partial(_seeded, scene, liquid, (seed, 0, number), bodies(liquid[1].time)),
        )
        for number, liquid in enumerate(_all_liquid(scene))
        if liquid[1].time > 0
    ]

    for inlet in inlets:
        if not inlet.spout.moves and not is_open(inlet.at_rest(inlet.spout.start), inlet.spout.start).any():
            raise SceneError([Problem(inlet.name, "opens inside a solid: nothing can come out; move it, or the solid")])
    return Sources(inlets, delayed_fills, _showers(scene, bodies), is_open, domain.h)


def _showers(scene: Scene, bodies: Callable[[float], Bodies]) -> list[Shower]:
    """Drops that appear at random."""
    size, seed = tuple(scene.domain.size), _settings(scene).seed

    def shower(number: int, drops: Drops) -> Shower:
        def seeded(shape: Sphere, which: int, time: float) -> Particles:
            drop = BlobSource(shape=shape, time=time, velocity=drops.velocity)
            key = (seed, 2, number, which)
            particles = _seeded(scene, (drops.name, drop), key, bodies(time))
            if particles.count == 0:  # too small for any cell to hold enough of it
                particles = _one_particle(scene, drop, shape)
            particles.carry(carried_by(scene, drops))
            return particles

        return Shower(drops, size, (seed, 1, number), seeded)

    return [shower(number, source) for number, source in enumerate(scene.source) if isinstance(source, Drops)]


def _one_particle(scene: Scene, drop: BlobSource, shape: Sphere) -> Particles:
    """A drop as a single particle."""
    h, d = scene.domain.h, scene.dimension
    particles = Particles.at(np.array([shape.center]) / h)
    particles.volume[:] = (math.pi if d == 2 else 4 / 3 * math.pi) * (shape.radius / h) ** d
    particles.velocity[:] = np.array(drop.velocity, np.float32)[:, None]
    return particles


def _sinks(scene: Scene, sources: Sources) -> Sinks:
    by_name = {inlet.name: inlet for inlet in sources.inlets}
    outlets = [
        Outlet(sink, Inside(sink.shape, scene.domain.h, sink.name), by_name.get(sink.match)) for sink in scene.sink
    ]
    return Sinks(outlets, scene.domain.h)


def _all_liquid(scene: Scene) -> list[Liquid]:
    """Fills and blobs."""
    fills: list[Liquid] = [(f"fill[{number}]", fill) for number, fill in enumerate(scene.fill)]
    return fills + [(source.name, source) for source in scene.source if isinstance(source, BlobSource)]


def _particles(scene: Scene, rows: Mapping[str, int]) -> Particles:
    """Particles at the start: where fills overlap the first one counts, and solids stay empty."""
    domain = scene.domain
    random = np.random.Generator(np.random.PCG64(_settings(scene).seed))
    particles = Particles(domain.dimension)
    bodies = Bodies(scene.solids_at(0.0), domain.h, domain.dimension)
    at_start = [liquid for liquid in _all_liquid(scene) if liquid[1].time == 0]
    for number in range(len(at_start)):
        particles.add(_seed(scene, at_start[: number + 1], bodies, random))
    particles.keep(_outside_solids(scene, particles, bodies))
    if particles.count == 0 and at_start:
        where = "every fill lies inside a solid, or is thinner than a cell"
        raise SceneError([Problem("fill", f"no liquid is left: {where}; move it, or raise domain.resolution")])
    particles.give_rows(rows)
    return particles


def _seeded(scene: Scene, liquid: Liquid, key: tuple[int, ...], bodies: Bodies) -> Particles:
    """Particles of liquid that appears after the start."""
    return _seed(scene, [liquid], bodies, np.random.Generator(np.random.PCG64(key)))


def _seed(scene: Scene, liquid: list[Liquid], bodies: Bodies, random: np.random.Generator) -> Particles:
    """Particles of the last of some liquid, where the others are not."""
    domain = scene.domain
    settings = (domain.cells, domain.h, scene.particles_per_cell, _settings(scene).jitter)
    name, last = liquid[-1]
    particles = seed(_wanted(scene, liquid, bodies), *settings, random, tuple(last.velocity))
    particles.velocity[:] = start_velocity(last, particles.position(domain.h), name).T
    particles.carry(carried_by(scene, last))
    return particles


def _wanted(scene: Scene, liquid: list[Liquid], bodies: Bodies) -> Distance:
    """Signed distance to where the last of some liquid is put: not where others are, nor in bodies that cut cells."""
    *earlier, (name, last) = liquid

    def wanted(points: NDArray[np.float64]) -> NDArray[np.float64]:
        phi = distance(last.shape, points, f"{name}.shape")
        for other_name, other in earlier:
            phi = np.maximum(phi, -distance(other.shape, points, f"{other_name}.shape"))
        if _cuts_cells(scene):
            phi = np.maximum(phi, -scene.domain.h * bodies.distance(points / scene.domain.h))
        return phi

    return wanted


def _inside_sides(scene: Scene, particles: Particles) -> NDArray[np.bool_]:
    """Whether each particle is on the inner side of every closed side of the domain."""
    inside = np.ones(particles.count, np.bool_)
    box = domain_box(scene)
    for axis, (low, high) in enumerate(box.sides):
        inside &= (low != CLOSED) | (particles.cell[axis] >= 0)
        inside &= (high != CLOSED) | (particles.cell[axis] < box.cells[axis])
    return inside


def _outside_solids(scene: Scene, particles: Particles, bodies: Bodies) -> NDArray[np.bool_]:
    """Whether each particle is outside every solid; of solids that stand as whole cells, the centre of its cell."""
    h = scene.domain.h
    if _cuts_cells(scene):
        return bodies.distance(particles.position(1.0)) >= 0
    outside = np.ones(particles.count, np.bool_)
    places, centres = particles.position(h), (np.ascontiguousarray(particles.cell.T) + 0.5) * h
    for solid, placed in zip(scene.obstacles, bodies.bodies, strict=True):
        outside &= distance(placed.shape, places if solid.moves else centres, solid.name) >= 0
    return outside
