"""Elastic liquid against what is known of it: python -m validation.elastic [PART ...].

A free block swings, against the exact frequency; a block of jelly falls on a plate that holds it, in 2-D, with and
without steps that are smoothed, and on a floor without friction; the scene `jelly_drop` for ten seconds on several
grids; a rope of toothpaste; and how long elastic steps take against those of the same liquid without a modulus.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import plash
from plash.grid.cells import NEAR_LIQUID
from plash.scene.settings import LiquidSettings
from plash.solvers.build.liquid import build_liquid
from plash.solvers.liquid import LiquidSolver

RHO, GRAVITY, SIDE = 1040.0, 9.81, 0.1
MODULUS, STIFF = 5e3, 1e5  # Pa
GRIDS = (24, 32, 48)
FPS = 24
RESTS = 1.0  # s, after which a body has bounced for the last time and only wobbles
_HEAD = (
    "  modulus  elasticity  resolution  "
    "steps  lowest/m  at rest/m  inside  volume, least, most  swings/Hz  energy  gained  furthest/h"
)


class Drop(NamedTuple):
    """What became of a body that fell.

    Attributes:
        steps: How many there were.
        lowest: Lowest height of its centre (m), times two.
        height: At rest, m: that of its surface over its middle.
        density: Largest error of how full its inside is.
        surface: Least and largest volume inside its surface, once it only wobbles, over that of the same body set down.
        frequency: At which its centre swings, once it only wobbles, 1/s; 0 if it does not swing three times.
        energy: At the end over that at the start.
        gain: Largest energy of any step over that of any earlier one, less one, of those after it landed.
        furthest: Of a particle from its next one, cells.
    """

    steps: int
    lowest: float
    height: float
    density: float
    surface: tuple[float, float]
    frequency: float
    energy: float
    gain: float
    furthest: float


def block(resolution: int, modulus: float = MODULUS, **solver: Any) -> plash.Scene:
    """A block in the air, 5 cm above the floor, in 2-D."""
    return plash.Scene(
        domain={"size": (0.3, 0.2), "resolution": resolution, "friction": 1.0},
        liquid={"density": RHO, "dynamic_viscosity": 2.0, "shear_modulus": modulus},
        fill=[{"shape": {"kind": "box", "min": (0.1, 0.05), "max": (0.2, 0.15)}}],
        solver=plash.Solver(**solver),
    )


def step_on(solver: LiquidSolver, scene: plash.Scene, frame_time: float) -> float:
    """Take a step on the way to a frame.

    Returns:
        Kinetic, potential and elastic energy at its start, J (J/m in 2-D). Velocities belong to the middle of steps, so
        the kinetic energy is half the mass times the last one times the next. A particle's velocity is the mean of
        the liquid round it, and its gradient has the rest: linear weights have the variance h²/6.
    """
    dt, start = solver.next_step(frame_time), 0.0
    for part in solver.stages(dt, dt):
        if part.name == "extrapolate":
            before, start = _motion(solver), _resting_energy(solver, scene)
    volume = solver.state.particles.volume * solver.h**scene.dimension
    return start + float(0.5 * scene.liquid.rho * (volume * before * _motion(solver)).sum())


def _motion(solver: LiquidSolver) -> NDArray[np.float64]:
    """Rows of velocities (m/s) whose squares add up to twice the kinetic energy for each mass."""
    p = solver.state.particles
    return np.concatenate([p.velocity, p.affine / np.sqrt(6)], dtype=np.float64)


def _resting_energy(solver: LiquidSolver, scene: plash.Scene) -> float:
    """Potential and elastic energy, J (J/m in 2-D)."""
    p, d = solver.state.particles, scene.dimension
    volume = p.volume.astype(np.float64) * solver.h**d
    size = (p.strain_tensor[:d] ** 2).sum(axis=0) + 2 * (p.strain_tensor[d:] ** 2).sum(axis=0)
    weight = -scene.liquid.rho * (p.position(solver.h) @ np.array(scene.domain.gravity))
    return float((volume * (weight + scene.shear_modulus * size)).sum())


def dropped(scene: plash.Scene, seconds: float) -> Drop:
    """Let the body of a scene fall."""
    solver = build_liquid(scene)
    energies: list[float] = []
    volumes, density, furthest = [], 0.0, 0.0
    path: list[tuple[float, float]] = []
    for frame in range(1, round(FPS * seconds) + 1):
        while solver.state.time < frame / FPS - 1e-9:
            energies.append(step_on(solver, scene, frame / FPS))
            path.append((solver.state.time, float(solver.state.particles.position(solver.h)[:, 1].mean())))
        places = solver.state.particles.position(solver.h)
        if solver.state.time > RESTS:
            volumes.append(solver.ledger.volume)
        density = max(density, abs(_fullness(solver) - 1))
        furthest = max(furthest, float(np.asarray(cKDTree(places).query(places, k=2)[0])[:, 1].max()) / solver.h)
    times, heights = np.array(path).T
    later = np.array(energies[int(np.argmin(heights[times < 0.5])) :])
    gain = float((later[1:] / np.minimum.accumulate(later)[:-1]).max()) - 1
    set_down = _volume_set_down(scene)
    surface = (min(volumes) / set_down, max(volumes) / set_down)
    swings = frequency(times, heights)
    height = _height(solver, scene)
    steps = solver.state.steps
    return Drop(
        steps, 2 * float(heights.min()), height, density, surface, swings, energies[-1] / energies[0], gain, furthest
    )


def _volume_set_down(scene: plash.Scene) -> float:
    """Volume inside the surface of the body before it moves, with its lower side on the floor.

    The surface rounds edges, but not those on the floor: in the air it holds less.
    """
    shape = scene.fill[0].shape
    assert isinstance(shape, plash.Box)
    low = shape.min[1]
    corners = ([x - low * (axis == 1) for axis, x in enumerate(corner)] for corner in (shape.min, shape.max))
    box = shape.model_copy(update=dict(zip(("min", "max"), map(tuple, corners), strict=True)))
    solver = build_liquid(scene.model_copy(update={"fill": [scene.fill[0].model_copy(update={"shape": box})]}))
    solver.label()
    return solver.ledger.volume


def _fullness(solver: LiquidSolver) -> float:
    """Mean share of the cells that liquid fills, of those with nothing but liquid round them."""
    cells = solver.state.cells
    assert cells is not None
    assert cells.fill is not None
    inside = cells.surroundings[0] == NEAR_LIQUID
    return float(cells.fill.pool[inside].mean(dtype=np.float64))


def _height(solver: LiquidSolver, scene: plash.Scene) -> float:
    """Height (m) of the surface over the middle of the body, which is twice as wide as what is looked at."""
    vertices = solver.snapshot().surface(scene, solver.state.time).vertices
    across = [axis for axis in range(vertices.shape[1]) if axis != 1 and axis < scene.dimension]
    middle = solver.state.particles.position(solver.h).mean(axis=0)
    near = np.all(np.abs(vertices[:, across] - middle[across]) < SIDE / 4, axis=1)
    heights = vertices[near, 1]
    return float(heights[heights > heights.max() - solver.h].mean())


def frequency(times: NDArray[np.float64], heights: NDArray[np.float64]) -> float:
    """Frequency (1/s) of the first six wobbles of a height, by when it passes its mean of the last second.

    What comes before is left out: a body that bounces swings more slowly, by the time that it is in the air.
    """
    away = heights - heights[times > times[-1] - 1].mean()
    changes = np.flatnonzero((np.sign(away[1:]) != np.sign(away[:-1])) & (times[:-1] > RESTS))[:13]
    if len(changes) < 3:
        return 0.0
    share = away[changes] / (away[changes] - away[changes + 1])
    passed = times[changes] + share * (times[changes + 1] - times[changes])
    return float((len(passed) - 1) / (2 * (passed[-1] - passed[0])))


def free(resolution: int) -> tuple[float, float]:
    """Lame's mode u = (sin kx cos ky, -cos kx sin ky), k = π/L, of a free block: its sides then bear no stress.

    Returns:
        Its frequency over c/(L √2), which is exact, and how fast the whole block is in the end, over its swings.
    """
    scene = block(resolution)
    domain = scene.domain.model_copy(update={"gravity": (0.0, 0.0)})
    liquid = scene.liquid.model_copy(update={"dynamic_viscosity": 0.0})
    solver = build_liquid(scene.model_copy(update={"domain": domain, "liquid": liquid}))
    exact, wave, samples = np.sqrt(MODULUS / RHO / 2) / SIDE, np.pi / SIDE, 24

    def mode() -> NDArray[np.float64]:
        x, y = wave * (solver.state.particles.position(solver.h) - (0.15, 0.1)).T
        return np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)])

    speed = 0.2
    solver.state.particles.velocity[:] = speed * mode()
    seen: list[float] = []
    for number in range(1, 6 * samples + 1):
        while solver.state.time < number / (samples * exact) - 1e-9:
            solver.advance(number / (samples * exact))
        p = solver.state.particles
        seen.append(float((p.volume * p.velocity * mode()).sum()))
    spectrum = np.abs(np.fft.rfft(np.array(seen) * np.hanning(len(seen)), 1 << 16))
    drift = np.hypot(*(p.volume * p.velocity).sum(axis=1) / p.volume.sum())
    return samples * float(np.argmax(spectrum)) / (1 << 16), float(drift) / speed


def slides(resolution: int) -> tuple[float, float]:
    """How fast (m/s) and how far (m) a block moves sideways in a second that falls 3 cm on a floor without friction."""
    scene = block(resolution)
    domain = scene.domain.model_copy(update={"friction": type(scene.domain.friction)()})
    box = plash.Box(min=(0.103, 0.03), max=(0.203, 0.13))
    fill = [scene.fill[0].model_copy(update={"shape": box})]
    solver = build_liquid(scene.model_copy(update={"domain": domain, "fill": fill}))
    speed = way = 0.0
    for frame in range(1, FPS + 1):
        while solver.state.time < frame / FPS - 1e-9:
            solver.advance(frame / FPS)
        p = solver.state.particles
        share = p.volume / p.volume.sum()
        speed = max(speed, abs(float((share * p.velocity[0]).sum())))
        way = max(way, abs(float((share * p.position(solver.h)[:, 0]).sum()) - 0.153))
    return speed, way


def rope(resolution: int, dimension: int = 2) -> tuple[float, float, float]:
    """The cross-section of a rope of toothpaste, 1 cm thick, that lies on a floor; in 3-D along all of a box.

    Returns:
        Its width and height (m) after half a second, by the particles, and by which share of themselves the one that
        changes more has changed five seconds later.
    """
    shape: plash.Sphere | plash.Cylinder = plash.Sphere(center=(0.015, 0.005), radius=0.005)
    if dimension == 3:
        shape = plash.Cylinder(base=(0.015, 0.005, 0), top=(0.015, 0.005, 0.02), radius=0.005)
    scene = plash.Scene(
        domain={"size": (0.03, 0.015, 0.02)[:dimension], "resolution": resolution, "friction": {"y_min": 1.0}},
        liquid={"material": "toothpaste"},
        fill=[{"shape": shape}],
    )
    solver = build_liquid(scene)
    found = []
    for frame in range(1, round(5.5 * FPS) + 1):
        while solver.state.time < frame / FPS - 1e-9:
            solver.advance(frame / FPS)
        if frame in (FPS // 2, round(5.5 * FPS)):
            places = solver.state.particles.position(solver.h)[:, :2]
            low, high = np.quantile(places, (0.01, 0.99), axis=0)
            found.append(high - low)
    return float(found[0][0]), float(found[0][1]), float(np.abs(found[1] / found[0] - 1).max())


def cost(resolution: int, modulus: float, elasticity: str, steps: int = 40) -> float:
    """Processor time of elastic steps over that of plain ones of the same length, taken in turns."""
    limit = build_liquid(block(resolution, modulus, elasticity=elasticity)).time_step.own_limit
    solvers = [build_liquid(block(resolution, value, max_dt=limit, elasticity=elasticity)) for value in (modulus, 0.0)]
    spent = np.zeros(2)
    for step in range(1, steps + 1):
        for number, solver in enumerate(solvers):
            begin = time.process_time()
            solver.advance(step * limit)
            spent[number] += (time.process_time() - begin) * (step > 3)
    return float(spent[0] / spent[1])


def main(*words: str) -> None:
    """Print the tables, or those that are named."""
    parts: dict[str, Callable[[], None]] = {
        "free": _print_free,
        "floor": _print_floor,
        "block": _print_blocks,
        "stiff": _print_stiff_blocks,
        **{f"drop{resolution}": partial(_print_jelly_drop, resolution) for resolution in GRIDS},
        "rope": _print_ropes,
        "cost": _print_costs,
    }
    unknown = set(words) - set(parts)
    if unknown:
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    for name in words or parts:
        parts[name]()


def _print_free() -> None:
    for resolution in (16, *GRIDS):
        found, drift = free(resolution)
        cells = SIDE * resolution / 0.3
        print(f"free block, {cells:.1f} cells: {found:.4f} of its frequency, drifts at {drift:.4f}", flush=True)


def _print_floor() -> None:
    for resolution in GRIDS:
        speed, way = slides(resolution)
        print(f"smooth floor, resolution {resolution}: {100 * speed:.3f} cm/s, {1e3 * way:.2f} mm", flush=True)


def _print_blocks() -> None:
    sag = RHO * GRAVITY * SIDE**2 / (8 * MODULUS)
    print(f"2-D block; height on a floor without friction, to first order: {SIDE - sag:.5f} m")
    print(_HEAD)
    for resolution in (16, 32, 64):
        _print_drop(block(resolution), MODULUS, resolution, 3.0)


def _print_stiff_blocks() -> None:
    print(_HEAD)
    for elasticity in ("explicit", "auto"):
        for resolution in (16, 24, 32):
            _print_drop(block(resolution, STIFF, elasticity=elasticity), STIFF, resolution, 2.0)


def _print_jelly_drop(resolution: int) -> None:
    scene = plash.load_scene("jelly_drop", resolution=resolution, fps=FPS)
    print(f"jelly_drop, 10 s\n{_HEAD}")
    _print_drop(scene, scene.shear_modulus, resolution, 10.0)


def _print_drop(scene: plash.Scene, modulus: float, resolution: int, seconds: float) -> None:
    assert isinstance(scene.solver, LiquidSettings)
    name = f"{modulus:9.0f}  {scene.solver.elasticity:10s}  {resolution:10d}"
    print(f"{name}  {_row(dropped(scene, seconds))}", flush=True)


def _print_ropes() -> None:
    for resolution, dimension in ((24, 2), (48, 2), (24, 3)):
        wide, high, change = rope(resolution, dimension)
        name = f"{dimension}-D rope of toothpaste, resolution {resolution}"
        print(f"{name}: {wide:.4f} by {high:.4f} m, changes by {change:.5f} in 5 s", flush=True)


def _print_costs() -> None:
    for modulus, elasticity in ((MODULUS, "explicit"), (STIFF, "auto")):
        ratio = cost(64, modulus, elasticity)
        print(f"{elasticity} elastic step over plain step, resolution 64: {ratio:.2f}", flush=True)


def _row(found: Drop) -> str:
    least, most = found.surface
    volume = f"{found.density:6.4f}  {least:13.4f}  {most:5.4f}"
    return (
        f"{found.steps:5d}  {found.lowest:8.5f}  {found.height:9.5f}  {volume}  {found.frequency:9.3f}  "
        f"{found.energy:6.3f}  {found.gain:6.3f}  {found.furthest:10.2f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
