"""How well volume is kept over a long run: the measured {phi < 0} of a dam break, frame by frame.

    python -m benchmarks.volume --resolution 32 64 --transfer flip apic --seconds 10 [--dimension 2] [--courant 5]
                                [--solver density_projection=false]

Prints, for each run: extremes over all frames, mean and extremes over the last two seconds, kinetic energy at the end
over m g H, and microseconds per liquid cell and step. Takes minutes; not part of the tests.
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

import numpy as np

import plash
from plash.solvers.build.liquid import build_liquid


def dam_break(dimension: int, resolution: int, **solver: object) -> plash.Scene:
    size = (1.0, 1.0, 1.0)[:dimension]
    return plash.Scene(
        domain={"size": size, "resolution": resolution, "sides": "closed"},
        solver=plash.Solver.model_validate(solver),
        fill=[{"shape": {"kind": "box", "min": (0.0, 0.0, 0.0)[:dimension], "max": (0.4, 0.5, 1.0)[:dimension]}}],
    )


def run(scene: plash.Scene, seconds: float, fps: float = 24.0) -> dict[str, Any]:
    solver = build_liquid(scene)
    volumes, cells, start = [], 0, time.perf_counter()
    for frame in range(1, round(seconds * fps) + 1):
        while solver.state.time < frame / fps:
            cells += solver.advance(frame / fps).liquid_cells
        volumes.append(solver.ledger.volume / solver.ledger.target_volume - 1)
    spent = time.perf_counter() - start
    percent = 100 * np.array(volumes)
    last = percent[-round(2 * fps) :]
    particles = solver.state.particles
    square = (particles.velocity.astype(np.float64) ** 2).sum(axis=0)
    mass = particles.volume.astype(np.float64)
    kinetic = 0.5 * (mass * square).sum() / (mass.sum() * 9.81 * 0.2)
    minutes = percent.reshape(-1, round(fps)).mean(axis=1) if len(percent) % round(fps) == 0 else percent
    return {
        "lowest": percent.min(),
        "highest": percent.max(),
        "last mean": last.mean(),
        "last lowest": last.min(),
        "last highest": last.max(),
        "second by second": minutes,
        "particle volume": solver.ledger.particle_volume / solver.ledger.target_volume - 1,
        "kinetic/mgH": kinetic,
        "steps": solver.state.steps,
        "us per cell and step": 1e6 * spent / max(cells, 1),
    }


def _value(text: str) -> object:
    words: dict[str, object] = {"true": True, "false": False}
    try:
        return words.get(text, float(text) if text not in words else None)
    except ValueError:
        return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimension", type=int, default=3)
    parser.add_argument("--resolution", type=int, nargs="+", default=[32, 64])
    parser.add_argument("--transfer", nargs="+", default=["flip", "apic"])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--solver", nargs="*", default=[], help="name=value of [solver]")
    options = parser.parse_args()
    settings = {name: _value(value) for name, value in (word.split("=") for word in options.solver)}
    for resolution, transfer in itertools.product(options.resolution, options.transfer):
        result = run(dam_break(options.dimension, resolution, transfer=transfer, **settings), options.seconds)
        trend = " ".join(f"{v:+.1f}" for v in np.atleast_1d(result.pop("second by second"))[:40])
        words = ", ".join(f"{name} {value:.4g}" for name, value in result.items())
        print(f"{options.dimension}-D {resolution} {transfer} {settings}: {words}\n    by second: {trend}", flush=True)


if __name__ == "__main__":
    main()
