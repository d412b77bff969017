"""What smoke must hold: python -m validation.smoke [CASE ...] [--cells 64] [--frames 200].

    wave        frequency of an internal wave against theory, 64² cells
    puff        a puff in an even wind: its mass, and how far it gets
    plume       of the scene `plume`: what became of all smoke that its source brought, and the largest divergence
    space       what a plume takes in a domain ten times as large: processor time, tiles and memory

Run it with one thread (NUMBA_NUM_THREADS=1). Without a case all are run.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

import plash
from plash.grid.differences import divergence
from plash.solvers.build.smoke import build_smoke
from plash.solvers.smoke import SmokeSolver
from validation.air import dense, filled

_FPS = 24


def internal_wave(cells: int = 64, conserve: bool = True) -> float:
    """Error of the frequency of an internal wave in a closed box of 1 m, as a share of it.

    In air whose warmth grows upwards by G K/m, N² = k_rise G and ω = N k_x/|k|. The wave begins as a small swirl; a
    quarter of its period is over when that stands still.
    """
    gradient, rise, h = 8.0, 0.5, 1 / cells
    kx, ky, a = 2 * math.pi, math.pi, 1e-3
    scene = plash.Scene(
        domain={"size": (1, 1), "cell_size": h},
        solver=plash.Solver.model_validate(
            {"kind": "smoke", "rise": rise, "max_dt": 0.02, "tolerance": 1e-6, "conserve": conserve}
        ),
        fill=[{"shape": plash.Sphere(center=(0.5, 0.5), radius=0.2), "temperature": 320.0}],
    )
    solver = filled(
        scene,
        (
            lambda x, y: a * ky * np.sin(kx * x) * np.cos(ky * y),
            lambda x, y: -a * kx * np.cos(kx * x) * np.sin(ky * y),
        ),
        warmth=lambda x, y: 20.0 + gradient * y,
    )
    mode = np.sin(kx * (np.arange(cells)[:, None]) * h) * np.cos(ky * (np.arange(cells)[None] + 0.5) * h)
    omega = math.sqrt(rise * gradient) * kx / math.hypot(kx, ky)
    times, sizes = [0.0], [math.inf]
    while sizes[-1] > 0:
        solver.advance(2 * math.pi / omega)
        times.append(solver.state.time)
        sizes.append(float((dense(solver, solver.state.velocity.pool[0]) * mode).sum()))
    share = sizes[-2] / (sizes[-2] - sizes[-1])
    quarter = times[-2] + share * (times[-1] - times[-2])
    return math.pi / 2 / omega / quarter - 1


def puff_in_wind(frames: int, conserve: bool = True, across: int = 12) -> tuple[float, float]:
    """A puff so many cells across in an even wind: its change of mass, and how far it is off its place, in cells."""
    wind, radius = (0.8, -0.3), 0.3
    h = 2 * radius / across
    scene = plash.Scene(
        domain={"size": (2, 2), "cell_size": h, "sides": "unbounded"},
        solver=plash.Solver.model_validate({"kind": "smoke", "wind": wind, "conserve": conserve}),
        fill=[{"shape": plash.Sphere(center=(1, 1), radius=radius), "velocity": wind}],
    )
    solver = build_smoke(scene)
    advance(solver, frames)
    volume = solver.snapshot().as_volume()
    mass = volume.density[1:].astype(np.float64)
    y, x = np.indices(mass.shape[-2:]) + 0.5
    corners = volume.tiles.origins[1:, :2]
    centre = [
        float((mass * (within + corners[:, axis, None, None, None])).sum() / mass.sum()) * h
        for axis, within in enumerate((x, y))
    ]
    away = np.array(centre) - 1 - np.array(wind) * frames / _FPS
    return solver.ledger.volume / solver.ledger.initial - 1, float(np.linalg.norm(away)) / h


def plume_ledger(cells: int, frames: int) -> None:
    """Print the ledger of the plume, as shares of what was brought, and the largest divergence of any cell and step."""
    scene = plash.load_scene("plume", resolution=cells)
    solver: Any = plash.build(scene)
    residual, largest = 0.0, 0.0
    for frame in range(1, frames + 1):
        while solver.state.time < frame / _FPS - 1e-9:
            residual = max(residual, solver.advance(frame / _FPS).residual)
            largest = max(largest, largest_divergence(solver) / solver.speed)
    ledger, tolerance = solver.ledger, scene.solver.tolerance
    parts = ", ".join(f"{reason} {amount / ledger.inflow:.2e}" for reason, amount in sorted(ledger.removed.items()))
    missing = ledger.inflow - sum(ledger.removed.values()) - ledger.volume
    print(f"plume, {cells} cells, {frames} frames: brought {ledger.inflow:.4g} kg; of it are there")
    print(f"    {ledger.volume / ledger.inflow:.4f}, {parts};")
    print(f"    not in the ledger {missing / ledger.inflow:.1e}")
    print(
        f"    pressure: residual {residual:.1e} at the most, asked {tolerance:.0e}; largest h ∇·u {largest:.1e} of the"
    )
    print("    fastest speed, of any cell in any step")


def largest_divergence(solver: SmokeSolver) -> float:
    """Largest |h ∇·u| of any cell of the envelope, m/s."""
    assert solver.cells is not None
    velocity = solver.state.velocity.copy()
    # Velocities of closed faces have been continued since; those of open ones are what the pressure left
    velocity.pool[(solver.cells.faces & 3) == 3] = 0.0
    return float(np.abs(divergence(velocity, solver.cells)).max())


def empty_space(cells: int, frames: int, times: int) -> dict[str, float]:
    """What a plume in a domain so many times as large costs: processor time (s), tiles, and memory (bytes)."""
    width, height, depth = (side * times for side in (1.4, 1.8, 1.2))
    scene = plash.Scene(
        domain={"size": (width, height, depth), "cell_size": 1.8 / cells, "sides": "open"},
        solver=plash.Solver(kind="smoke", confinement=6),
        source=[
            plash.SmokeSource(
                shape=plash.Sphere(center=(0.7, 0.3, 0.6), radius=0.15), density_rate=5, temperature="70 degC"
            )
        ],
    )
    solver: Any = plash.build(scene)
    advance(solver, 1)  # compiles
    start = time.process_time()
    advance(solver, frames)
    seconds = time.process_time() - start
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "tiles": solver.state.envelope.tiles.count, "memory": memory}


def print_space(cells: int, frames: int) -> None:
    """Print what a domain ten times as large costs, each in a process of its own, the small one first and last."""
    found = []
    for times in (1, 10, 1, 10):
        command = [sys.executable, "-m", "validation.smoke", "--cells", str(cells), "--frames", str(frames)]
        answer = subprocess.run([*command, "--times", str(times)], check=True, capture_output=True, text=True).stdout
        found.append(json.loads(answer.splitlines()[-1]))
    small, large = ({key: min(a[key], b[key]) for key in a} for a, b in (found[0::2], found[1::2]))
    print(f"a domain ten times as large, {cells} cells for 1.8 m, {frames} frames, the better of two each:")
    for key, unit, size in (("seconds", "s", 1.0), ("tiles", "tiles", 1.0), ("memory", "MB", 1e6)):
        a, b = small[key] / size, large[key] / size
        print(f"    {a:.4g} and {b:.4g} {unit}: {b / a:.3f} times")


def advance(solver: SmokeSolver, frames: int) -> None:
    """Go on to a frame."""
    for frame in range(1, frames + 1):
        while solver.state.time < frame / _FPS - 1e-9:
            solver.advance(frame / _FPS)


def main() -> None:
    """Print the figures."""
    cases = ("wave", "puff", "plume", "space")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(cases))
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--times", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    unknown = set(asked.cases) - set(cases)
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}. There are: {', '.join(cases)}")
    if asked.times:
        print(json.dumps(empty_space(asked.cells, asked.frames, asked.times)))
        return
    chosen = asked.cases or cases
    if "wave" in chosen:
        for conserve in (True, False):
            print(f"internal wave, {asked.cells}², conserve = {conserve}: {internal_wave(asked.cells, conserve):+.2%}")
    if "puff" in chosen:
        for conserve, across in ((True, 12), (True, 24), (False, 12), (False, 24)):
            mass, away = puff_in_wind(asked.frames, conserve, across)
            print(f"puff of {across} cells, {asked.frames} frames, conserve = {conserve}:", end=" ")
            print(f"mass {mass:+.1e}, {away:.3f} cells off its place")
    if "plume" in chosen:
        plume_ledger(asked.cells, asked.frames)
    if "space" in chosen:
        print_space(asked.cells, max(2, asked.frames // 8))


if __name__ == "__main__":
    main()
