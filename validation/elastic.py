"""Elastic liquid against what is known of it: python -m validation.elastic.

A block of jelly falls on a plate that holds it, and rests: its height, volume and energy at several resolutions, and
how long elastic steps take against those of the same liquid without a modulus.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import plash
from plash.solvers.build.liquid import build_liquid
from plash.solvers.liquid import LiquidSolver

RHO, MODULUS, GRAVITY, SIDE = 1040.0, 5e3, 9.81, 0.1


def block(resolution: int, modulus: float = MODULUS, **solver: Any) -> LiquidSolver:
    """A block in the air, 5 cm above the floor."""
    return build_liquid(
        plash.Scene(
            domain={"size": (0.3, 0.2), "resolution": resolution, "friction": 1.0},
            liquid={"density": RHO, "dynamic_viscosity": 2.0, "shear_modulus": modulus},
            fill=[{"shape": {"kind": "box", "min": (0.1, 0.05), "max": (0.2, 0.15)}}],
            solver=plash.Solver(**solver),
        )
    )


def energy(solver: LiquidSolver) -> float:
    """Kinetic, potential and elastic energy, J/m."""
    p = solver.state.particles
    volume = p.volume.astype(np.float64) * solver.h**2
    kinetic = 0.5 * RHO * (volume * (p.velocity.astype(np.float64) ** 2).sum(axis=0)).sum()
    size = (p.strain_tensor[:2] ** 2).sum(axis=0) + 2 * p.strain_tensor[2] ** 2
    return float(kinetic + (volume * (RHO * GRAVITY * p.position(solver.h)[:, 1] + MODULUS * size)).sum())


def rest(resolution: int, seconds: float, elasticity: str) -> tuple[float, float, float, float, int, int]:
    """A block that comes to rest.

    Returns:
        Its lowest height (m), that at rest, the largest error of the volume, the last energy over the first, how many
        particles left the body, and how many steps there were.
    """
    solver = block(resolution, elasticity=elasticity)
    start, largest, alone, tops = energy(solver), 0.0, 0, [2 * SIDE]
    for frame in range(1, round(24 * seconds) + 1):
        while solver.state.time < frame / 24 - 1e-9:
            solver.advance(frame / 24)
        largest = max(largest, abs(solver.ledger.volume / solver.ledger.initial - 1))
        alone = int(np.count_nonzero(solver.state.particles.ballistic))
        tops.append(float(np.quantile(solver.state.particles.position(solver.h)[:, 1], 0.995)) + solver.h / 4)
    return min(tops), tops[-1], largest, energy(solver) / start, alone, solver.state.steps


def cost(resolution: int, elasticity: str, steps: int = 40) -> float:
    """Processor time of elastic steps over that of plain ones of the same length, taken in turns."""
    limit = block(resolution, elasticity=elasticity).time_step.own_limit
    solvers = [block(resolution, modulus, max_dt=limit, elasticity=elasticity) for modulus in (MODULUS, 0.0)]
    spent = np.zeros(2)
    for step in range(1, steps + 1):
        for number, solver in enumerate(solvers):
            begin = time.process_time()
            solver.advance(step * limit)
            spent[number] += (time.process_time() - begin) * (step > 3)
    return float(spent[0] / spent[1])


def main() -> None:
    """Print the tables."""
    sag = RHO * GRAVITY * SIDE**2 / (8 * MODULUS)
    print(f"height on a floor without friction, to first order: {SIDE - sag:.5f} m")
    print("elasticity  resolution  steps  lowest/m  at rest/m  volume error  energy at the end  alone")
    for elasticity in ("explicit", "auto"):
        for resolution in (16, 32, 64):
            lowest, top, largest, left, alone, steps = rest(resolution, 3.0, elasticity)
            row = f"{elasticity:10s}  {resolution:10d}  {steps:5d}  {lowest:8.5f}  {top:9.5f}  {largest:12.4f}"
            print(f"{row}  {left:17.4f}  {alone:5d}", flush=True)
    for elasticity in ("explicit", "auto"):
        print(f"{elasticity} elastic step over plain step, resolution 64: {cost(64, elasticity):.2f}")


if __name__ == "__main__":
    main()
