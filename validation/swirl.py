"""How much of a swirl is left: MacCormack's scheme against advection-reflection: python -m validation.swirl.

Advection-reflection (Zehnder, Narain & Thomaszewski 2018) advects for half a step, projects, turns what the projection
took out round, advects the rest of the step through the projected velocity, and projects again:

    a = A(u, u, dt/2),   p = P(a),   u' = P(A(2 p - a, p, dt/2))

A step costs as much as two of MacCormack's of half the length, which are the ones to compare with. Flows fill a closed
box without weight: a vortex that should go on for ever, and many of them, from a random stream function. Prints the
share of the kinetic energy that is left, and the processor time.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plash
from plash.grid.dense import tiles_over
from plash.grid.extrapolate import extrapolate
from plash.grid.fields import FaceField
from plash.physics.flow.inflow import Inflow
from plash.physics.smoke.envelope import Envelope
from plash.physics.smoke.still_air import settle
from plash.physics.solids.base import Solids
from plash.solvers.build.smoke import build_smoke
from plash.solvers.smoke import SmokeSolver

Array = NDArray[np.float64]


def air(cells: int, stream: Callable[[Array, Array], Array]) -> SmokeSolver:
    """A closed box of π by π full of followed air, which flows by a stream function of x and y, zero on walls."""
    scene = plash.Scene(
        domain={"size": (math.pi, math.pi), "resolution": cells, "gravity": (0, 0)},
        solver=plash.Solver(kind="smoke", tolerance=1e-6),
        fill=[{"shape": plash.Sphere(center=(1, 1), radius=0.5)}],
    )
    solver = build_smoke(scene)
    state, h = solver.state, solver.h
    state.envelope = Envelope.of_keys(tiles_over((0, 0), scene.domain.cells).keys, solver.solids.geometry.box)
    tiles = state.envelope.tiles
    x = (tiles.origins[:, 0, None, None, None] + np.arange(tiles.shape[2])) * h + np.zeros((1, *tiles.shape))
    y = (tiles.origins[:, 1, None, None, None] + np.arange(tiles.shape[1])[:, None]) * h + np.zeros((1, *tiles.shape))
    inside = (np.minimum(x, y) >= 0) & (np.maximum(x, y) < math.pi - h / 2)
    u = (stream(x, y + h) - stream(x, y)) / h
    v = -(stream(x + h, y) - stream(x, y)) / h
    state.velocity = FaceField(tiles, np.stack([np.where(inside, u, 0), np.where(inside, v, 0)]).astype(np.float32))
    state.velocity.pool[:, 0] = 0.0
    state.scalars = np.ones((1, tiles.count + 1, *tiles.shape), np.float32)
    return solver


class Flow:
    """The air of a solver, with its two sub-steps by themselves."""

    def __init__(self, solver: SmokeSolver) -> None:
        self._solver, self.h = solver, solver.h
        tiles = solver.state.envelope.tiles
        self._solids: Solids = solver.solids.at(tiles, {}, 0.0, 0.01)
        self._cells = solver.label(self._solids)
        self._is_open = self._cells.faces & 3 == 1
        self.u = self.projected(solver.state.velocity, 0.01)

    def advected(self, field: FaceField, through: FaceField, dt: float) -> FaceField:
        """A velocity carried through another one for dt, by MacCormack's scheme."""
        s = self._solver
        paths = s.advection.paths(through, self._cells, dt, s.h)
        return FaceField(field.tiles, s.advection.carried(field.pool, paths, self._cells, on_faces=True))

    def projected(self, field: FaceField, dt: float) -> FaceField:
        """The part of a velocity without divergence."""
        made = FaceField(field.tiles, field.pool.copy())
        self._solids.enforce_no_flux(made, self._cells, dt)
        self._solver.pressure.project(made, self._cells, dt, Inflow.none())
        settle(made, self._cells, (0.0, 0.0))
        extrapolate(made, 2)
        self._solids.enforce_slip(made, self._cells, dt)
        np.nan_to_num(made.pool, copy=False)
        return made

    def energy(self) -> float:
        """Σ u²."""
        return float((self.u.pool.astype(np.float64) ** 2)[self._is_open].sum())

    def step(self, dt: float) -> None:
        """MacCormack's scheme, then the projection."""
        self.u = self.projected(self.advected(self.u, self.u, dt), dt)

    def reflect(self, dt: float) -> None:
        """Advection-reflection."""
        before = self.advected(self.u, self.u, dt / 2)
        middle = self.projected(before, dt / 2)
        # In walls the velocity that goes on there is that of the projected one
        turned = np.where(self._is_open, 2 * middle.pool - before.pool, middle.pool)
        self.u = self.projected(self.advected(FaceField(before.tiles, turned), middle, dt / 2), dt / 2)


def one_vortex(x: Array, y: Array) -> Array:
    """A vortex that fills the box, of speed 1."""
    made: Array = np.sin(x) * np.sin(y)
    return made


def many_vortices(x: Array, y: Array) -> Array:
    """Waves of 2 to 6 half lengths along each side, of speeds about 1 together, always the same."""
    random = np.random.default_rng(5)
    total = np.zeros_like(x)
    for m in range(2, 7):
        for n in range(2, 7):
            total += random.standard_normal() / math.hypot(m, n) * np.sin(m * x) * np.sin(n * y) / 5
    return total


def left(cells: int, stream: Callable[[Array, Array], Array], courant: float, end: float) -> list[str]:
    """A line for each scheme: the energy that is left, and the time."""
    rows = []
    schemes: dict[str, tuple[int, Any]] = {
        "MacCormack": (1, Flow.step), "MacCormack, half the step": (2, Flow.step), "reflection": (1, Flow.reflect),
    }  # fmt: skip
    for name, (finer, take) in schemes.items():
        flow = Flow(air(cells, stream))
        fastest = float(np.abs(flow.u.pool).max())
        steps = finer * math.ceil(end * fastest / (courant * flow.h))
        whole, start = flow.energy(), time.process_time()
        for _ in range(steps):
            take(flow, end / steps)
        spent = time.process_time() - start
        rows.append(f"| {cells}² | {courant:g} | {name} | {flow.energy() / whole:.4f} | {spent:.2f} |")
    return rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, nargs="+", default=[64])
    parser.add_argument("--courant", type=float, nargs="+", default=[1.0, 2.0])
    parser.add_argument("--times", type=float, default=1.0, help="how many times as long")
    asked = parser.parse_args()
    for stream, end in ((one_vortex, 2 * math.pi * asked.times), (many_vortices, 4.0 * asked.times)):
        print(f"{stream.__name__}, {end:.2f} s")
        for cells in asked.cells:
            for courant in asked.courant:
                print("\n".join(left(cells, stream, courant, end)), flush=True)


if __name__ == "__main__":
    main()
