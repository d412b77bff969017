"""Elastic liquid against what is known of it: python -m validation.elastic [--finest N].

A block of jelly falls on a plate that holds it, in 2-D, with and without steps that are smoothed; the scene
`jelly_drop` for ten seconds on several grids; and how long elastic steps take against those of the same liquid without
a modulus.
"""

from __future__ import annotations

import sys
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import plash
from plash.grid.cells import NEAR_LIQUID
from plash.solvers.build.liquid import build_liquid
from plash.solvers.liquid import LiquidSolver

RHO, GRAVITY, SIDE = 1040.0, 9.81, 0.1
MODULUS, STIFF = 5e3, 1e5  # Pa
GRIDS = (24, 32, 48)
FPS = 24


class Drop(NamedTuple):
    """What became of a body that fell.

    Attributes:
        steps: How many there were.
        lowest: Lowest height of its centre (m), times two.
        height: At rest, m: that of its surface over its middle.
        density: Largest error of how full its inside is.
        surface: Least and largest volume inside its surface over that at the start.
        frequency: At which its centre swings, 1/s; 0 if it does not swing three times.
        energy: At the end over that at the start.
        gain: Largest energy of any frame over that of any earlier one, less one, of those after it landed.
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


def energy(solver: LiquidSolver, scene: plash.Scene) -> float:
    """Kinetic, potential and elastic energy, J (J/m in 2-D)."""
    p, d = solver.state.particles, scene.dimension
    volume = p.volume.astype(np.float64) * solver.h**d
    kinetic = 0.5 * (volume * (p.velocity.astype(np.float64) ** 2).sum(axis=0)).sum()
    size = (p.strain_tensor[:d] ** 2).sum(axis=0) + 2 * (p.strain_tensor[d:] ** 2).sum(axis=0)
    rho, height = scene.liquid.rho, p.position(solver.h)[:, 1]
    return float(rho * kinetic + (volume * (rho * GRAVITY * height + scene.shear_modulus * size)).sum())


def dropped(scene: plash.Scene, seconds: float) -> Drop:
    """Let the body of a scene fall."""
    solver = build_liquid(scene)
    start, centres, energies, volumes = energy(solver, scene), [], [], []
    density = furthest = 0.0
    for frame in range(1, round(FPS * seconds) + 1):
        while solver.state.time < frame / FPS - 1e-9:
            solver.advance(frame / FPS)
        places = solver.state.particles.position(solver.h)
        centres.append(float(places[:, 1].mean()))
        energies.append(energy(solver, scene))
        volumes.append(solver.ledger.volume)
        density = max(density, abs(_fullness(solver) - 1))
        furthest = max(furthest, float(np.asarray(cKDTree(places).query(places, k=2)[0])[:, 1].max()) / solver.h)
    landed = int(np.argmin(np.array(centres[: FPS // 2])))
    later = np.array(energies[landed:])
    gain = float((later[1:] / np.minimum.accumulate(later)[:-1]).max()) - 1
    surface = (min(volumes) / volumes[0], max(volumes) / volumes[0])
    swings = frequency(np.array(centres[landed:]))
    height = _height(solver, scene)
    steps = solver.state.steps
    return Drop(steps, 2 * min(centres), height, density, surface, swings, energies[-1] / start, gain, furthest)


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


def frequency(heights: NDArray[np.float64]) -> float:
    """Frequency (1/s) of the first swings of a height, frame by frame, by when it passes its last value."""
    away = heights - heights[-FPS:].mean()
    changes = np.flatnonzero(np.sign(away[1:]) != np.sign(away[:-1]))[:6]
    if len(changes) < 3:
        return 0.0
    times = changes + away[changes] / (away[changes] - away[changes + 1])
    return float((len(times) - 1) / (2 * (times[-1] - times[0])) * FPS)


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
    """Print the tables."""
    finest = int(words[1]) if words[:1] == ("--finest",) else GRIDS[-1]
    head = "steps  lowest/m  at rest/m  inside  volume, least, most  swings/Hz  energy  gained  furthest/h"
    sag = RHO * GRAVITY * SIDE**2 / (8 * MODULUS)
    print(f"2-D block; height on a floor without friction, to first order: {SIDE - sag:.5f} m")
    print(f"  modulus  elasticity  resolution  {head}")
    for modulus, elasticity, seconds in ((MODULUS, "auto", 3.0), (STIFF, "explicit", 1.0), (STIFF, "auto", 1.0)):
        for resolution in (16, 32, 64):
            found = dropped(block(resolution, modulus, elasticity=elasticity), seconds)
            print(f"{modulus:9.0f}  {elasticity:10s}  {resolution:10d}  {_row(found)}", flush=True)
    print(f"jelly_drop, 10 s\nresolution  {head}")
    for resolution in sorted({*GRIDS, finest}):
        scene = plash.load_scene("jelly_drop", resolution=resolution, fps=FPS)
        print(f"{resolution:10d}  {_row(dropped(scene, 10.0))}", flush=True)
    for resolution, dimension in ((24, 2), (48, 2), (24, 3)):
        wide, high, change = rope(resolution, dimension)
        name = f"{dimension}-D rope of toothpaste, resolution {resolution}"
        print(f"{name}: {wide:.4f} by {high:.4f} m, changes by {change:.3f} in 5 s", flush=True)
    for modulus, elasticity in ((MODULUS, "explicit"), (STIFF, "auto")):
        print(f"{elasticity} elastic step over plain step, resolution 64: {cost(64, modulus, elasticity):.2f}")


def _row(found: Drop) -> str:
    least, most = found.surface
    volume = f"{found.density:6.4f}  {least:13.4f}  {most:5.4f}"
    return (
        f"{found.steps:5d}  {found.lowest:8.5f}  {found.height:9.5f}  {volume}  {found.frequency:9.3f}  "
        f"{found.energy:6.3f}  {found.gain:6.3f}  {found.furthest:10.2f}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
