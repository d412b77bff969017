"""How fast stable fluids are: milliseconds a step, the least of several. python -m benchmarks.stable_fluids [repeats].

The step has everything but confinement: MacCormack, viscosity and diffusion of the density. Round a ball the pressure
is found by conjugate gradients, preconditioned by the cosine solution; next to it the tiles' multigrid on the same
equation, for comparison.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import plash
from benchmarks.cases.pressure import _into_tiles
from plash.grid.dense import from_dense
from plash.linear import pcg
from plash.linear.multigrid import MultigridPreconditioner
from plash.linear.operators import PoissonOperator
from plash.linear.transforms import BoxSolver
from plash.physics.box.obstacles import SolidCells
from plash.solvers.stable_fluids import StableFluidsSolver


def scene(size: tuple[float, ...], resolution: int, ball: bool, **solver: object) -> plash.Scene:
    """A block of liquid in a box, with a ball in its way or not."""
    d = len(size)
    sphere = plash.Sphere(center=(0.7, 0.2, 0.5)[:d], radius=0.15)
    return plash.Scene(
        domain={"size": size, "resolution": resolution},
        solver=plash.Solver.model_validate({"kind": "stable_fluids", "courant": 2, "diffusion": 1e-6, **solver}),
        fill=[{"shape": plash.Box(min=(0, 0, 0)[:d], max=(0.4, 0.6, 1.0)[:d])}],
        solid=[{"shape": sphere}] if ball else [],
    )


def steps(made: plash.Scene, repeats: int) -> tuple[float, dict[str, float], float]:
    """Least seconds of a step, those of its stages, and the mean number of iterations."""
    solver = plash.build(made)
    assert isinstance(solver, StableFluidsSolver)
    for _ in range(3):
        solver.advance(1e3)
    reports, seconds = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        reports.append(solver.advance(1e3))
        seconds.append(time.perf_counter() - start)
    fastest = int(np.argmin(seconds))
    return min(seconds), reports[fastest].seconds, float(np.mean([report.iterations for report in reports]))


def least(work: Callable[[], object], repeats: int) -> float:
    """Least seconds of some work, after a first time that does not count."""
    taken = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken[1:])


def round_a_ball(n: int, repeats: int) -> str:
    """Conjugate gradients with the cosine solution, against multigrid, for one smooth right side at 1e-5."""
    centres = (np.arange(n) + 0.5) / n
    z, y, x = np.meshgrid(centres, centres, centres, indexing="ij")
    solid = (x - 0.5) ** 2 + (y - 0.4) ** 2 + (z - 0.5) ** 2 < 0.04
    right = np.sin(5 * x) * np.cos(3 * y) * ~solid
    right[~solid] -= right[~solid].mean()
    system = SolidCells(solid, np.zeros(solid.shape)).cells(BoxSolver(solid.shape, 1 / n))
    is_open = np.pad(~solid, 1).astype(np.float32)
    around = np.sum([np.roll(is_open, step, axis) for axis in range(3) for step in (-1, 1)], axis=0)
    diagonal = around[1:-1, 1:-1, 1:-1] * ~solid
    tiles, pool = _into_tiles(np.ascontiguousarray(diagonal, np.float32))
    in_tiles = from_dense(np.ascontiguousarray(right.T), tiles)

    def multigrid() -> pcg.Solution:
        operator = PoissonOperator(tiles, pool)
        target = 1e-5 * pcg.norm(operator, in_tiles)
        return pcg.solve(operator, MultigridPreconditioner(operator), in_tiles, operator.zeros(np.float64), target)

    times = [1e3 * least(lambda: system.poisson(right, 1e-5), repeats), 1e3 * least(multigrid, repeats)]
    counts = system.poisson(right, 1e-5)[1], multigrid().iterations
    return (
        f"{n}^3 round a ball: cosine CG {times[0]:.1f} ms ({counts[0]} iterations), multigrid {times[1]:.1f} ms "
        f"({counts[1]} iterations)"
    )


def main() -> None:
    """Print the table."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"{'box':16}{'advection':12}{'ball':6}{'ms a step':>10}{'steps a s':>10}{'iterations':>11}")
    for size, resolution in (((1.0, 1.0), 256), ((1.0, 1.0, 1.0), 64)):
        for advection, ball in (("maccormack", False), ("semi_lagrangian", False), ("maccormack", True)):
            seconds, stages, iterations = steps(scene(size, resolution, ball, advection=advection), repeats)
            box = f"{resolution}^{len(size)}"
            print(f"{box:16}{advection:12}{ball!s:6}{1e3 * seconds:10.1f}{1 / seconds:10.1f}{iterations:11.1f}")
            print("   ", ", ".join(f"{name} {1e3 * spent:.1f}" for name, spent in stages.items()))
    print(round_a_ball(64, max(3, repeats // 4)))


if __name__ == "__main__":
    main()
