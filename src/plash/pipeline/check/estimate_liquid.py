"""What a run of liquid in air will cost, from a few steps of the same scene on coarser grids.

Two coarse runs tell how fast the liquid gets, and so how many steps the fine one needs (`check/trial.py`). A third
grid with more cells tells, together with the finer of them, the time of a step, a + b × liquid cells; and its arrays
tell the memory.
"""

from __future__ import annotations

import itertools
import math
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from plash.carried import CARRIED
from plash.particles.particles import Particles
from plash.pipeline.check.cost import Estimate, estimated
from plash.pipeline.check.findings import liquid_volume
from plash.pipeline.check.trial import Trial, forecast, run_trial, seconds_of
from plash.pipeline.machine import peak_memory
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.surfaces import SURFACES
from plash.scene.model import Scene
from plash.scene.settings import LiquidSettings
from plash.solvers.build.containers import with_shapes
from plash.solvers.build.liquid import build_liquid, liquid_transfer
from plash.solvers.frame import FrameParticles
from plash.solvers.liquid import LiquidSolver
from plash.solvers.transfers import rows_of
from plash.timing import StepReport

_COARSE = {2: 1_000, 3: 4_000}  # liquid cells of the run that finds speeds, and how they grow against one with
_COARSER = {2: 150, 3: 500}  # so many
_MEDIUM = {2: 8_000, 3: 30_000}  # and of the one that finds times and memory
_MEDIUM_STEPS = 5
_LONGEST = 4.0  # seconds for each of the coarse runs
_PROGRAM = 5e8  # bytes: Python, NumPy, the compiled kernels and the buffers of a picture
# Where no step was taken to measure, bytes of fields a liquid cell, of a surface a sample, of a picture a pixel
_FIELDS = 160
_SAMPLE = 62
_PIXEL = 0.3


@estimated.register
def _(settings: LiquidSettings, scene: Scene, with_steps: bool) -> Estimate:
    """What a run of a scene of liquid in air will cost; without steps, no times."""
    scene = with_shapes(scene)
    d, h = scene.dimension, scene.domain.h
    liquid_cells = liquid_volume(scene) / h**d
    known = {
        "cells": math.prod(scene.domain.cells),
        "liquid_cells": round(liquid_cells),
        "particles": round(liquid_cells * scene.particles_per_cell),
    }
    if not with_steps:
        memory = _PROGRAM + liquid_cells * (2 * _particle_bytes(scene) * scene.particles_per_cell + _FIELDS)
        samples = liquid_cells ** (2 / d) * scene.mesh.detail**2
        disk = _disk(scene, _SAMPLE * samples, _PIXEL * scene.look.width**2)
        return Estimate(**known, memory=memory, disk=disk, steps=0, fastest=0.0, seconds={})
    trials = [
        run_trial(scene, _with_liquid_cells(scene, count[d]), _LONGEST)
        for count in (_COARSER, _COARSE)  # the quick one first: it compiles most
    ][::-1]
    foreseen = forecast(scene, trials)
    coarse, medium = _coarse(scene, trials[0]), _medium_trial(scene)
    finer = (coarse.h / h) ** 2  # a surface in 3-D, an area in 2-D
    seconds = {SIMULATION.name: foreseen.steps * _seconds_of_step(coarse, medium, liquid_cells)}
    seconds |= {
        SURFACES.name: coarse.pictures.meshing * finer * scene.time.frames,
        PICTURES.name: coarse.pictures.drawing * scene.time.frames,
    }
    return Estimate(
        **known,
        memory=peak_memory() + medium.bytes_per_cell * max(0.0, liquid_cells - medium.cells),
        disk=_disk(scene, coarse.pictures.surface * finer, coarse.pictures.picture),
        steps=foreseen.steps,
        fastest=foreseen.fastest,
        seconds=seconds,
        unseen=foreseen.unseen,
    )


@dataclass(frozen=True)
class _Coarse:
    """What the finer of the coarse runs found."""

    h: float
    cells: float
    seconds_of_step: float
    pictures: _Pictures


@dataclass(frozen=True)
class _Pictures:
    """Seconds to mesh and to draw a frame, and bytes of its surface and its picture."""

    meshing: float
    drawing: float
    surface: int
    picture: int


@dataclass(frozen=True)
class _Medium:
    cells: float
    seconds_of_step: float
    bytes_per_cell: float


def _seconds_of_step(coarse: _Coarse, medium: _Medium, liquid_cells: float) -> float:
    """Time of a step on so many cells: a straight line through both trials, which starts at zero or above."""
    if coarse.cells > 1.5 * medium.cells:  # hardly any liquid at the start
        slope = (coarse.seconds_of_step - medium.seconds_of_step) / (coarse.cells - medium.cells)
        return coarse.seconds_of_step + max(slope, 0.0) * (liquid_cells - coarse.cells)
    if medium.cells <= 1.5 * coarse.cells:
        return medium.seconds_of_step * liquid_cells / medium.cells
    slope = (medium.seconds_of_step - coarse.seconds_of_step) / (medium.cells - coarse.cells)
    slope = min(max(slope, 0.2 * medium.seconds_of_step / medium.cells), medium.seconds_of_step / medium.cells)
    return medium.seconds_of_step + slope * (liquid_cells - medium.cells)


def _coarse(scene: Scene, trial: Trial) -> _Coarse:
    solver = trial.solver
    cells = max(1.0, solver.ledger.particle_volume / solver.h**scene.dimension)
    return _Coarse(solver.h, cells, trial.seconds_of_step, _try_pictures(scene, solver))


def _medium_trial(scene: Scene) -> _Medium:
    """Take a few steps on a finer grid, then a few more under the eye of a memory meter."""
    medium = _with_liquid_cells(scene, _MEDIUM[scene.dimension])
    solver = build_liquid(medium)
    cells = max(1.0, solver.ledger.particle_volume / solver.h**scene.dimension)
    times = [seconds_of(report) for report in _first_steps(solver, scene.time.fps, _MEDIUM_STEPS)]
    if cells < _COARSE[scene.dimension] / 2:
        # Too little liquid at the start to tell
        return _Medium(cells, median(times), 2.0 * _particle_bytes(scene) * scene.particles_per_cell + _FIELDS)
    tracemalloc.start()
    try:
        solver = build_liquid(medium)
        for _ in _first_steps(solver, scene.time.fps, 2):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return _Medium(cells, median(times), peak / cells)


def _first_steps(solver: LiquidSolver, fps: float, count: int) -> Iterator[StepReport]:
    """Some steps, from frame to frame."""
    frames = (steps_to_frame(solver, number, fps) for number in itertools.count(2))
    return itertools.islice(itertools.chain.from_iterable(frames), count)


def _with_liquid_cells(scene: Scene, count: float) -> Scene:
    """The scene on cells so large that about so many hold liquid; never finer than it is."""
    domain = scene.domain
    wanted = (liquid_volume(scene) / count) ** (1 / scene.dimension)
    if wanted <= domain.h:
        return scene
    coarse = domain.with_values(resolution=None, cell_size=min(wanted, min(domain.size) / 4))
    return scene if coarse.h <= domain.h else scene.with_values(domain=coarse)


def _try_pictures(scene: Scene, solver: LiquidSolver) -> _Pictures:
    """Mesh and draw the present state; each is done twice, since the first time compiles."""
    from plash.files.ply import ply_bytes
    from plash.render.choice import drawable, renderer_of
    from plash.render.moment import Moment
    from plash.render.video.png import png_bytes

    seen, coarse = solver.snapshot(), _with_liquid_cells(scene, _COARSE[scene.dimension])
    renderer = renderer_of(drawable(scene, or_built_in=True)[0])
    for _ in range(2):
        start = time.perf_counter()
        surface = seen.surface(coarse, solver.state.time)
        middle = time.perf_counter()
        picture = png_bytes(renderer.picture(Moment(surface, seen.dots())))
        end = time.perf_counter()
    return _Pictures(middle - start, end - middle, len(ply_bytes(surface)), len(picture))


def _particle_bytes(scene: Scene) -> int:
    """Bytes of a particle in memory and in a checkpoint: all that it carries."""
    whole = Particles(scene.dimension, 1)
    whole.give_rows(rows_of(liquid_transfer(scene), scene))
    return sum(int(getattr(whole, name).nbytes) for name in CARRIED)


def _frame_bytes(scene: Scene) -> int:
    """Bytes of a particle in a frame."""
    one = Particles(scene.dimension, 1)
    one.give_rows(scene.carries)
    shown = FrameParticles.of(one, scene.domain.h)
    return sum(int(values.nbytes) for values in shown.arrays().values())


def _disk(scene: Scene, surface: float, picture: float) -> float:
    """Bytes of a whole run: frames, surfaces, pictures and the checkpoints that are kept."""
    d, frames = scene.dimension, scene.time.frames
    particles = liquid_volume(scene) / scene.domain.h**d * scene.particles_per_cell
    kept = 2 + math.log2(max(frames / scene.output.checkpoint_every, 1))
    return frames * (particles * _frame_bytes(scene) + surface + picture) + kept * particles * _particle_bytes(scene)
