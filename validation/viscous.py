"""Thick liquids: python -m validation.viscous [rest] [level] [column] [spin] [melt] [coil] [--courant 3].

rest     honey in a box that holds it: exact is no motion at all, and a flat surface
level    waves on a thick liquid: exact is that each falls as exp(-g t/(2 ν k))
column   of a thick liquid that spreads on a floor that holds it, on finer and finer grids
spin     a free ball turns ten times: exact is that it keeps its angular momentum
melt     a block of wax is melted by a heater and frozen again: its volume, and its heat against the ledger
coil     the scene honey_coil: turns of the strand just above its pile, how soon they have one sense, and their speed
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
    """Honey at rest. What is left is that its surface levels, the slowest where it is uneven from cell to cell."""
    heads = (
        "honey at rest",
        "jitter",
        "fastest after 5 s, m/s",
        "after 10 s",
        "falls in a second",
        "a wave of 2 h does",
    )
    print("| " + " | ".join((*heads, "uneven, h", "volume")) + " |\n" + "| --- " * 8 + "|")
    gap = ", and 2 mm less than the box is wide"
    for dimension, cells, jitter, depth, what in (
        (2, 32, 0.25, 0.072, ""),
        (2, 32, 0.0, 0.072, ""),
        (3, 20, 0.25, 0.072, ""),
        (3, 20, 0.25, 0.07, gap),
    ):
        size, top = (0.12, 0.09, 0.072)[:dimension], (0.12, 0.052, depth)[:dimension]
        scene = plash.Scene(
            domain={"size": size, "resolution": cells, "friction": 1},
            liquid={"material": "honey"},
            fill=[{"shape": plash.Box(min=(0,) * dimension, max=top)}],
            solver=plash.Solver(courant=courant, jitter=jitter),
        )
        solver: Any = plash.build(scene)
        fastest: dict[int, float] = {}
        for second in range(1, 11):
            go_on(solver, 1.0)
            fastest[second] = float(np.abs(solver.state.particles.velocity).max())
        falls = (fastest[3] / fastest[10]) ** (1 / 7)
        level = np.exp(9.81 * scene.domain.h / (2 * np.pi * scene.liquid.nu))
        uneven = np.ptp(surface_heights(solver, scene)) / 2
        volume = solver.ledger.volume / solver.ledger.target_volume - 1
        print(
            f"| {dimension}-D, {cells} cells{what} | {jitter:g} | {fastest[5]:.1e} | {fastest[10]:.1e} "
            f"| {falls:.1f} times | {level:.1f} times | {uneven:.4f} | {volume:+.2%} |",
            flush=True,
        )


def level(courant: float) -> None:
    """Waves of 0.3 h on a liquid so thick that its inertia does not count."""
    h, depth, width, nu = 0.01, 20.5, 32, 0.5
    print("| length of the wave, h | falls by, 1/s | g/(2 ν k) | ratio |\n| --- | --- | --- | --- |")
    for length in (32, 16, 8, 4):
        k = 2 * np.pi / (length * h)
        shape = plash.HeightShape(height=lambda x, k=k: h * (depth + 0.3 * np.cos(k * x)))
        scene = plash.Scene(
            domain={"size": (width * h, 30 * h), "cell_size": h},
            liquid={"kinematic_viscosity": nu},
            fill=[{"shape": shape}],
            solver=plash.Solver(courant=courant, jitter=0.0),
        )
        exact = 9.81 / (2 * nu * k)
        solver, seconds = advanced(scene, 0.25), 1.0
        wave = np.cos(k * h * (np.arange(width) + 0.5))
        before = float(surface_heights(solver, scene) @ wave)
        go_on(solver, seconds)
        found = np.log(before / float(surface_heights(solver, scene) @ wave)) / seconds
        print(f"| {length} | {found:.4f} | {exact:.4f} | {found / exact:.3f} |", flush=True)


def surface_heights(solver: Any, scene: plash.Scene) -> NDArray[np.float64]:
    """Heights of the surface over columns of cells now, in cells."""
    _, _, cells, _ = solver.label()
    phi = to_dense(cells.phi.pool, cells.tiles, (0,) * scene.dimension, scene.domain.cells) / solver.h
    return _heights(phi)


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
    heads = ("column, 0.6 s", "courant", "liquid, cells", "front, m", "height, m", "volume", "furthest off on the way")
    print("| " + " | ".join(heads) + " |\n" + "| --- " * 7 + "|")
    for cells, number in ((16, courant), (32, courant), (64, courant), (32, 1.0)):
        scene = plash.Scene(
            domain={"size": (1.0, 0.6), "resolution": cells, "friction": {"y_min": 1}},
            liquid={"kinematic_viscosity": 0.03},
            fill=[{"shape": plash.Box(min=(0, 0), max=(0.25, 0.45))}],
            solver=plash.Solver(courant=number),
        )
        solver: Any = plash.build(scene)
        errors = []
        for _ in range(round(0.6 * _FPS)):
            go_on(solver, 1 / _FPS)
            errors.append(solver.ledger.volume / solver.ledger.target_volume - 1)
        place = solver.state.particles.position(solver.h)
        front, height = (np.average(place, axis=0, weights=solver.state.particles.volume) * 2).tolist()
        liquid = f"{solver.state.particles.total_volume():.0f}"
        row = (f"{cells} cells", f"{number:g}", liquid, f"{front:.4f}", f"{height:.4f}", f"{errors[-1]:+.2%}")
        print("| " + " | ".join((*row, f"{max(errors, key=abs):+.2%}")) + " |", flush=True)


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


def coil(courant: float) -> None:
    """A strand that coils: how long it folds to and fro at first, and the turns from then on."""
    heads = ("coil", "seed", "folds, s", "turns in one sense", "rad/s, each turn", "furthest off after the first")
    print("| " + " | ".join((*heads, "(g Q³/(ν a⁸))^¼")) + " |\n" + "| --- " * 7 + "|", flush=True)
    for seed in range(3):
        print(_coiled(courant, seed), flush=True)


def _coiled(courant: float, seed: int) -> str:
    scene = plash.load_scene("honey_coil", courant=courant, seed=seed)
    solver: Any = plash.build(scene)
    spout: Any = scene.source[0]
    places = []
    for frame in range(1, scene.time.frames + 1):
        while solver.state.time < frame / scene.time.fps - 1e-9:
            solver.advance(frame / scene.time.fps)
            places += _strand(solver, spout.shape)
    begins = next(number for number, (_, x, z, _) in enumerate(places) if np.hypot(x, z) > spout.shape.radius)
    time, x, z, radius = np.array(places[begins:]).T
    turned = np.unwrap(np.arctan2(z, x)) / (2 * np.pi)
    settled = _settles(turned)
    ahead = np.maximum.accumulate(abs(turned[settled:] - turned[settled]))
    when = np.interp(np.arange(int(ahead[-1]) + 1), ahead, time[settled:])
    rates = 2 * np.pi / np.diff(when)
    each, off = " ".join(f"{rate:.1f}" for rate in rates), abs(rates[1:] / rates[1:].mean() - 1).max()
    flow, thin = np.pi * spout.shape.radius**2 * spout.speed, float(np.median(radius))
    usual = (9.81 * flow**3 / (scene.liquid.nu * thin**8)) ** 0.25
    turns = turned[-1] - turned[settled]
    span = f"{time[0]:.2f} to {time[-1]:.2f} s"
    return f"| {span} | {seed} | {time[settled] - time[0]:.2f} | {turns:+.2f} | {each} | {off:.0%} | {usual:.1f} |"


def _settles(turned: NDArray[np.float64]) -> int:
    """From where on an angle, in turns, goes on in its last sense, but for a tenth of a turn."""
    onwards = turned * np.sign(turned[-1] - turned[len(turned) // 2])
    least_to_come = np.minimum.accumulate(onwards[::-1])[::-1]
    back = np.flatnonzero(onwards - least_to_come > 0.1)
    return int(back[-1]) + 1 if len(back) else 0


def _strand(solver: Any, opening: Any) -> list[tuple[float, float, float, float]]:
    """Time, place about the axis of the opening and radius of a strand just above its pile; none if there is no pile.

    The pile ends where slices of a cell's height hold less than 1.6 times what the opening lets through.
    """
    particles, h, a = solver.state.particles, solver.h, opening.radius
    place, volume = particles.position(h), particles.volume * h**3
    slices = np.arange(0.0, opening.center[1], h)
    area = np.histogram(place[:, 1], slices, weights=volume)[0] / h
    thick = np.flatnonzero(area > 1.6 * np.pi * a**2)
    low = (slices[thick[-1] + 1] if len(thick) else np.inf) + a
    chosen = (place[:, 1] >= low) & (place[:, 1] < low + a)
    if low + a > opening.center[1] - 2 * a or not chosen.any():
        return []
    x, _, z = np.average(place[chosen], axis=0, weights=volume[chosen]) - opening.center
    return [(solver.state.time, x, z, float(np.sqrt(volume[chosen].sum() / (np.pi * a))))]


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
    parser.add_argument("cases", nargs="*", default=["rest", "level", "column", "spin", "melt"])
    asked = parser.parse_args()
    for case in asked.cases:
        {"rest": rest, "level": level, "column": column, "spin": spin, "melt": melt, "coil": coil}[case](asked.courant)
        print()
