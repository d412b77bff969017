"""What a run of stable fluids will cost: every cell of the box takes part in every step.

A coarse run tells how fast the fluid gets, and so how many steps the fine one needs in each frame; what it has no time
for is taken to be like the second half of what it saw. The time of a step grows with the number of cells.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from statistics import median

from plash.pipeline.check.cost import Estimate, estimated
from plash.pipeline.check.findings import liquid_volume
from plash.pipeline.check.trial import over_all, patience, seconds_of
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.surfaces import SURFACES
from plash.scene.model import Scene
from plash.scene.settings import StableFluidsSettings
from plash.solvers.build.box import build_box
from plash.solvers.stable_fluids import StableFluidsSolver
from plash.timing import StepReport

_COARSE = {2: 10_000, 3: 30_000}  # cells of the run that finds speeds and times
_LONGEST = 4.0  # seconds for it
_PROGRAM = 5e8  # bytes: Python, NumPy, the compiled kernels and the buffers of a picture
_ARRAYS = 40  # numbers a cell that a step holds at once, in 3-D, and a surface
_SAMPLE = 62  # bytes of a surface a sample, and of a picture a pixel
_PIXEL = 0.3


@estimated.register
def _(settings: StableFluidsSettings, scene: Scene, with_steps: bool) -> Estimate:
    """What a run of a scene of stable fluids will cost; without steps, no times."""
    d, frames = scene.dimension, scene.time.frames
    cells = math.prod(scene.domain.cells)
    samples = cells ** (2 / d) * scene.mesh.detail**2
    kept = 2 + math.log2(max(frames / scene.output.checkpoint_every, 1))
    fields = d + 1 + scene.has_heat
    files = frames * (4 * cells * fields + _SAMPLE * samples + _PIXEL * scene.look.width**2)
    known = Estimate(
        cells=cells,
        liquid_cells=round(liquid_volume(scene) / scene.domain.h**d),
        particles=0,
        memory=_PROGRAM + 8 * cells * (_ARRAYS + scene.mesh.detail**d),
        disk=files + kept * 8 * cells * (fields + 1),
        steps=0,
        fastest=0.0,
        seconds={},
    )
    if not with_steps:
        return known
    trial = _trial(scene)
    steps = over_all(trial.needed, frames - 1)
    finer = cells / trial.cells
    seconds = {
        SIMULATION.name: steps * trial.seconds_of_step * finer,
        SURFACES.name: frames * trial.meshing * finer,
        PICTURES.name: frames * trial.drawing,
    }
    return replace(known, steps=steps, fastest=trial.fastest, seconds=seconds, unseen=frames - 1 - len(trial.needed))


@dataclass(frozen=True)
class _Trial:
    """What the coarse run found; `needed` are the steps that the scene's own grid needs, frame by frame."""

    cells: int
    seconds_of_step: float
    needed: list[int]
    fastest: float
    meshing: float
    drawing: float


def _trial(scene: Scene) -> _Trial:
    """Run the scene on a coarse grid for as long as it lasts, or some seconds."""
    solver = build_box(_coarser(scene))
    fine = replace(solver.time_step, h=scene.domain.h)
    solver.advance(1e-6 / scene.time.fps)  # compiles, and fills the caches
    is_over = patience(_LONGEST)
    reports: list[StepReport] = []
    needed: list[int] = []
    for number in range(2, scene.time.frames + 1):
        for report in steps_to_frame(solver, number, scene.time.fps):
            reports.append(report)
            if is_over():
                break  # in the midst of a frame, which may need very many steps
        needed.append(math.ceil(1 / (scene.time.fps * fine.limit(solver.speed + solver.weight_speed)) - 1e-9))
        if is_over():
            break
    return _Trial(
        solver.state.density.size,
        median(map(seconds_of, reports)) if reports else 0.0,
        needed,
        max((report.courant * solver.h / report.dt for report in reports), default=0.0),
        *_try_pictures(scene, solver),
    )


def _coarser(scene: Scene) -> Scene:
    """The scene on cells so large that there are about as many as a trial takes; never finer than it is."""
    domain = scene.domain
    wanted = (math.prod(domain.size) / _COARSE[scene.dimension]) ** (1 / scene.dimension)
    if wanted <= domain.h:
        return scene
    coarse = domain.with_values(resolution=None, cell_size=min(wanted, min(domain.size) / 4))
    return scene if coarse.h <= domain.h else scene.with_values(domain=coarse)


def _try_pictures(scene: Scene, solver: StableFluidsSolver) -> tuple[float, float]:
    """Seconds to mesh and to draw the present state; each is done twice, since the first time compiles."""
    from plash.render.choice import drawable, renderer_of
    from plash.render.moment import Moment

    renderer, none = renderer_of(drawable(scene, or_built_in=True)[0]), solver.snapshot().dots()
    for _ in range(2):
        start = time.perf_counter()
        surface = solver.snapshot().surface(scene, 0.0)
        middle = time.perf_counter()
        renderer.picture(Moment(surface, none))
        end = time.perf_counter()
    return middle - start, end - middle
