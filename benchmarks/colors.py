"""What colours cost: a step of a dam break of two colours against one of the same liquid in one colour.

    python -m benchmarks.colors [--steps 60]

Both are stepped in turn by the same dt, with one thread, and the time of the processor counts: other programs change
that least. Colours that are kept cost the same in each step, so the middle of the ratios of steps is taken. Those that
mix do so in doses, here every sixth step: what the middle one takes over the middle plain step is told, and with
colours that spread at 1 cm²/s that comes to the rest once in so many steps.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

import numba
import numpy as np

import plash
from benchmarks.viscosity import take

SIZES = ((160, 2), (48, 3))  # cells along the longest side, and dimension
WARM_UP = 12  # steps, of which the first and the first dose compile
STEPS_A_DOSE = 6  # while it is measured
KINDS = ("one", "keep", "mix")


def dam_break(resolution: int, dimension: int, kind: str, dt: float) -> plash.Scene:
    """A column of liquid whose lower half may have a colour of its own."""
    size = (1.2, 1.0, 0.6)[:dimension]
    fills = []
    for low, high, color in ((0.0, 0.3, "#c02020"), (0.3, 0.6, "#2040c0")):
        corners = (0.0, low, 0.0)[:dimension], (0.5, high, 0.6)[:dimension]
        shape = plash.Box(min=corners[0], max=corners[1])
        fills.append(plash.Fill(shape=shape) if kind == "one" else plash.Fill(shape=shape, color=color))
    keys: dict[str, Any] = {} if kind == "one" else {"colors": kind}
    if kind == "mix":
        keys["color_diffusivity"] = (size[0] / resolution) ** 2 / (12 * STEPS_A_DOSE * dt)
    liquid = plash.Liquid(**keys)
    return plash.Scene(domain={"size": size, "resolution": resolution}, liquid=liquid, fill=fills)


def ratios(resolution: int, dimension: int, steps: int) -> dict[str, float]:
    """Processor time of a step with colours over that of one without, by what colours do; and that of a dose."""
    dt = 0.3 * (1.2 / resolution / 9.81) ** 0.5
    solvers: dict[str, Any] = {kind: plash.build(dam_break(resolution, dimension, kind, dt)) for kind in KINDS}
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for step in range(WARM_UP + steps):
        for kind, solver in solvers.items():
            taken = take(solver, dt)
            if step >= WARM_UP:
                seconds[kind].append(taken)
    one, keep, mix = (np.array(seconds[kind]) for kind in KINDS)
    same, plain = median(keep / one), median(one)
    dose = median((mix - keep).reshape(-1, STEPS_A_DOSE).max(axis=1)) / plain
    apart = (1.2 / resolution) ** 2 / (12 * 1e-4 * dt)
    return {"keep": same, "dose": dose, "steps": apart, "mix": same + dose / max(apart, 1.0)}


def measure(steps: int) -> None:
    """Print the table."""
    numba.set_num_threads(1)
    print("| cells | keep | a dose | steps of one | mix |\n| --- | --- | --- | --- | --- |")
    for resolution, dimension in SIZES:
        found = ratios(resolution, dimension, steps)
        row = f"{found['keep']:.3f} | {found['dose']:.2f} | {found['steps']:.1f} | {found['mix']:.3f}"
        print(f"| {resolution}, {dimension}-D | {row} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    measure(parser.parse_args().steps)
