"""What forces tiny steps: fast liquid and solids, waves and viscosity on small cells, a limit set by hand.

Said by `plash check`, and by a run before it begins: each with the steps a frame, the limit and the edit to make.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from plash.physics.elasticity.elasticity import longest_elastic_step
from plash.physics.solids.rigid_motion import Prescribed
from plash.pipeline.check.finding import Finding
from plash.scene.bodies import Solid
from plash.scene.model import Scene
from plash.scene.sources import SmokeSource, Spout
from plash.solvers.build.liquid_elasticity import long_elastic_steps
from plash.solvers.timestep import wave_step

MANY_STEPS = 40  # a frame
_LOOKS = 32  # times at which solids that move are looked at


def step_findings(scene: Scene) -> Iterator[Finding]:
    """Everything that is known to need many steps in each frame, before the first is taken."""
    for index, fill in enumerate(scene.fill):
        yield from _speed_findings(scene, f"fill[{index}].velocity", math.hypot(*fill.velocity))
    for index, source in enumerate(scene.source):
        if isinstance(source, Spout):
            yield from _speed_findings(scene, f'source[{index}] "{source.name}"', source.peak(scene.dimension))
        elif isinstance(source, SmokeSource) and source.velocity is not None:
            yield from _speed_findings(scene, f'source[{index}] "{source.name}".velocity', math.hypot(*source.velocity))
    for index, pump in enumerate(scene.pump):
        yield from _speed_findings(scene, f'pump[{index}] "{pump.name}"', math.hypot(*(pump.velocity or (0.0,))))
    for index, solid in enumerate(scene.solid):
        if solid.moves and solid.collide:
            where, speed = f'solid[{index}] "{solid.name}".motion', top_speed(scene, solid)
            yield from _speed_findings(scene, where, speed, " at the most", scene.solver.courant_of_solids)
    if scene.solver.has_free_surface:
        yield from _limit_findings(scene)
    longest = scene.solver.max_dt
    if longest is not None and _steps(scene, longest) > MANY_STEPS:
        yield Finding(
            "warning",
            "tiny-steps",
            "solver.max_dt",
            f"{longest:.3g} s makes {_steps(scene, longest):.0f} steps for each frame",
            f"raise solver.max_dt, to {1 / (scene.time.fps * MANY_STEPS):.3g} s or more, or leave it out",
        )


def top_speed(scene: Scene, solid: Solid) -> float:
    """Highest speed of any point of a solid that moves, in the time of the scene, m/s."""
    body = Prescribed([solid], scene.domain.h, scene.domain.size)
    return max(body.fastest(time, time) for time in times_of(scene))


def times_of(scene: Scene) -> list[float]:
    """Times at which solids that move are looked at, s."""
    last = (scene.time.frames - 1) / scene.time.fps
    return [last * look / _LOOKS for look in range(_LOOKS + 1)]


def _speed_findings(
    scene: Scene, where: str, speed: float, when: str = "", most: float | None = None
) -> Iterator[Finding]:
    """Liquid or a solid that crosses many cells in a frame, and may cross so many at most in a step."""
    h = scene.domain.h
    if speed <= 0:
        return
    most = scene.solver.courant if most is None else most
    steps = _steps(scene, most * h / speed)
    limit = f"solver.courant = {most:g} cells" if most == scene.solver.courant else f"{most:g} cells, for a solid,"
    if steps > MANY_STEPS:
        yield Finding(
            "warning",
            "tiny-steps",
            where,
            f"{speed:.4g} m/s{when} crosses {speed / (scene.time.fps * h):.0f} cells a frame: {steps:.0f} steps for "
            f"each, since {limit} is the most for one",
            f"lower the speed, {_coarser(scene, steps, 1)}, or raise time.fps"
            + (" or solver.courant" if most == scene.solver.courant else ""),
        )


def _limit_findings(scene: Scene) -> Iterator[Finding]:
    """Waves and explicit viscosity, which need the shorter steps the smaller the cells are."""
    h, nu = scene.domain.h, scene.dynamic_viscosities[1] / scene.liquid.rho
    gravity = math.hypot(*scene.domain.gravity)
    if gravity > 0:
        longest = wave_step(h, gravity)
        steps = _steps(scene, longest)
        if steps > MANY_STEPS:
            yield Finding(
                "warning",
                "tiny-steps",
                "domain.gravity",
                f"{gravity:.3g} m/s^2 makes waves that allow steps of {longest:.3g} s on cells of {h:.4g} m: "
                f"{steps:.0f} for each frame of {1 / scene.time.fps:.3g} s",
                f"raise time.fps, {_coarser(scene, steps, 0.5)}, or lower the gravity",
            )
    firmness = scene.shear_modulus / scene.liquid.rho
    if firmness > 0:
        longest = longest_elastic_step(firmness, h, scene.dimension, long_elastic_steps(scene))
        steps = _steps(scene, longest)
        if steps > 1:
            yield Finding(
                "warning" if steps > MANY_STEPS else "note",
                "tiny-steps",
                "liquid.shear_modulus",
                f"{scene.shear_modulus:.4g} Pa makes elastic waves of {math.sqrt(firmness):.3g} m/s, which allow steps "
                f"of {longest:.3g} s on cells of {h:.4g} m: {steps:.0f} for each frame",
                f"lower the modulus, {_coarser(scene, steps, 1)}, or raise time.fps"
                if steps > MANY_STEPS
                else "lower the modulus or domain.resolution for fewer",
            )
    if nu > 0 and scene.solver.viscosity_shortens_steps:
        longest = h**2 / (2 * scene.dimension * nu)
        steps = _steps(scene, longest)
        if steps > MANY_STEPS:
            yield Finding(
                "warning",
                "tiny-steps",
                "liquid viscosity",
                f"{nu:.3g} m^2/s allows steps of {longest:.3g} s on cells of {h:.4g} m, h^2/{2 * scene.dimension} nu: "
                f"{steps:.0f} for each frame",
                f'set solver.viscosity = "auto", {_coarser(scene, steps, 2)}, or lower the viscosity',
            )


def _steps(scene: Scene, longest: float) -> float:
    """Steps in a frame, if none may be longer than this, s, but for the shortest that is allowed."""
    return 1 / (scene.time.fps * max(longest, scene.solver.min_dt))


def _coarser(scene: Scene, steps: float, power: float) -> str:
    """The resolution at which steps that grow as a power of it are few enough."""
    now = max(scene.domain.size) / scene.domain.h
    wanted = int(now * (MANY_STEPS / steps) ** (1 / power))
    return f"set domain.resolution = {wanted} or less (now {now:.0f})" if wanted >= 1 else "use larger cells"
