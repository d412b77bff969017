"""Thick liquids: python -m validation.viscous [rest] [column] [spin] [melt] [--courant 3].

rest     honey in a box that holds it: exact is no motion at all, and a flat surface
column   of a thick liquid that spreads on a floor that holds it, on finer and finer grids
spin     a free ball turns ten times: exact is that it keeps its angular momentum
melt     a block of wax is melted by a heater and frozen again: its volume, and its heat against the ledger
"""

from __future__ import annotations

import argparse
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import plash
from plash.grid.dense import to_dense

_FPS = 24


def advanced(scene: plash.Scene, seconds: float) -> Any:
    """The solver after some time."""
    solver = plash.build(scene)
    go_on(solver, seconds)
    return solver


def go_on(solver: Any, seconds: float) -> None:
    """Take a solver on for some time, frame by frame."""
    start = solver.state.time
    for frame in range(1, round(seconds * _FPS) + 1):
        while solver.state.time < start + frame / _FPS - 1e-9:
            solver.advance(start + frame / _FPS)


def rest(courant: float) -> None:
    """Honey at rest."""
    print("| honey at rest, 5 s | fastest, m/s | uneven, h | volume |\n| --- | --- | --- | --- |")
    for dimension, cells in ((2, 32), (3, 20)):
        size, top = (0.12, 0.09, 0.07)[:dimension], (0.12, 0.052, 0.07)[:dimension]
        scene = plash.Scene(
            domain={"size": size, "resolution": cells, "friction": 1},
            liquid={"material": "honey"},
            fill=[{"shape": plash.Box(min=(0,) * dimension, max=top)}],
            solver=plash.Solver(courant=courant),
        )
        solver = advanced(scene, 5.0)
        cells_now = solver.state.cells
        phi = to_dense(cells_now.phi.pool, cells_now.tiles, (0,) * dimension, scene.domain.cells) / solver.h
        uneven = np.ptp(_heights(phi)) / 2
        fastest = np.abs(solver.state.particles.velocity).max()
        volume = solver.ledger.volume / solver.ledger.target_volume - 1
        print(f"| {dimension}-D, {cells} cells | {fastest:.1e} | {uneven:.4f} | {volume:+.2%} |", flush=True)


def _heights(phi: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights of the surface over columns of cells, in cells, given φ [x, y[, z]] in cells."""
    columns = np.moveaxis(phi, 1, -1)
    low, high = columns[..., :-1], columns[..., 1:]
    *where, y = np.nonzero((low < 0) & (high >= 0))
    place = (*where, y)
    heights: NDArray[np.float64] = y + low[place] / (low[place] - high[place])
    return heights


def column(courant: float) -> None:
    """A column that spreads."""
    print("| column, 0.6 s | courant | front, m | height, m | volume |\n| --- | --- | --- | --- | --- |")
    for cells, number in ((16, courant), (32, courant), (64, courant), (32, 1.0)):
        scene = plash.Scene(
            domain={"size": (1.0, 0.6), "resolution": cells, "friction": {"y_min": 1}},
            liquid={"kinematic_viscosity": 0.03},
            fill=[{"shape": plash.Box(min=(0, 0), max=(0.25, 0.45))}],
            solver=plash.Solver(courant=number),
        )
        solver = advanced(scene, 0.6)
        place = solver.state.particles.position(solver.h)
        front, height = (np.average(place, axis=0, weights=solver.state.particles.volume) * 2).tolist()
        volume = solver.ledger.volume / solver.ledger.target_volume - 1
        print(f"| {cells} cells | {number:g} | {front:.4f} | {height:.4f} | {volume:+.2%} |", flush=True)


def spin(courant: float) -> None:
    """A free ball that spins, nu dt/h² = 100."""
    print("| angular momentum after turns | 1 | 3 | 5 | 7 | 10 |\n| --- | --- | --- | --- | --- | --- |")
    schemes: tuple[Literal["coupled", "implicit"], ...] = ("coupled", "implicit")
    for viscosity in schemes:
        kept = _spun(viscosity, (1, 3, 5, 7, 10), courant)
        print(f"| {viscosity} | " + " | ".join(f"{share:.4f}" for share in kept) + " |", flush=True)


def _spun(viscosity: Literal["coupled", "implicit"], turns: tuple[int, ...], courant: float) -> list[float]:
    h, dt, rate, dimension = 1 / 32, 1 / 72, 2.0, 2
    scene = plash.Scene(
        domain={"size": (1.0, 1.0), "cell_size": h, "gravity": (0, 0), "sides": "unbounded"},
        liquid={"kinematic_viscosity": 100 * h * h / dt},
        fill=[{"shape": plash.Sphere(center=(0.5, 0.5), radius=0.25)}],
        solver=plash.Solver(viscosity=viscosity, courant=courant, max_dt=dt),
    )
    solver: Any = plash.build(scene)
    particles = solver.state.particles
    away = particles.position(h) - 0.5
    particles.velocity[:] = rate * np.stack([-away[:, 1], away[:, 0]]).astype(np.float32)
    particles.affine[1], particles.affine[dimension] = -rate * h, rate * h
    start, kept = _angular_momentum(solver), []
    for turn in turns:
        go_on(solver, turn * 2 * np.pi / rate - solver.state.time)
        kept.append(_angular_momentum(solver) / start)
    return kept


def _angular_momentum(solver: Any) -> float:
    """About the middle of the domain, over the density."""
    particles = solver.state.particles
    place, velocity = particles.position(solver.h) - 0.5, particles.velocity.astype(np.float64)
    return float((particles.volume * (place[:, 0] * velocity[1] - place[:, 1] * velocity[0])).sum())


def melt(courant: float) -> None:
    """A block that is melted, and frozen again."""
    everywhere = plash.Box(min=(0, 0), max=(0.14, 0.1))
    scene = plash.Scene(
        domain={"size": (0.14, 0.1), "resolution": 40, "friction": 1},
        liquid={"material": "wax", "temperature": "20 degC"},
        fill=[{"shape": plash.Box(min=(0.04, 0), max=(0.1, 0.06))}],
        source=[
            {"kind": "heat", "name": "oven", "shape": everywhere, "temperature": "95 degC", "stop": "2 s"},
            {
                "kind": "heat",
                "name": "fridge",
                "shape": everywhere,
                "temperature": "20 degC",
                "start": "2 s",
                "stop": "3 s",
            },
        ],
        solver=plash.Solver(courant=courant),
    )
    solver: Any = plash.build(scene)
    print("| wax | temperature, K | mean height, cm | volume | heat off the ledger |\n| --- | --- | --- | --- | --- |")
    for name, seconds in (("melted", 2.0), ("frozen", 1.0), ("and 3 s later", 3.0)):
        go_on(solver, seconds)
        particles, ledger, cell = solver.state.particles, solver.ledger, solver.h**2
        held = float((particles.volume * particles.temperature[0]).sum(dtype=np.float64)) * cell
        told = sum(amount for why, amount in ledger.heat.items() if why != "now")
        height = 100 * np.average(particles.position(solver.h)[:, 1], weights=particles.volume)
        volume = ledger.volume / ledger.target_volume - 1
        warm = held / (particles.volume.sum() * cell)
        print(f"| {name} | {warm:.1f} | {height:.3f} | {volume:+.2%} | {held / told - 1:+.1e} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--courant", type=float, default=3.0)
    parser.add_argument("cases", nargs="*", default=["rest", "column", "spin", "melt"])
    asked = parser.parse_args()
    for case in asked.cases:
        {"rest": rest, "column": column, "spin": spin, "melt": melt}[case](asked.courant)
        print()
