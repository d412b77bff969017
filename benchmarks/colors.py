"""What colours cost: a step of a dam break of two colours against one of the same liquid in one colour.

    python -m benchmarks.colors [--steps 24]

Both are stepped in turn by the same dt, with one thread, and the time of the processor counts: other programs change
that least. The middle of the ratios of steps is taken.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

import numba

import plash
from benchmarks.viscosity import take

SIZES = ((160, 2), (48, 3))  # cells along the longest side, and dimension
WARM_UP = 3  # steps, the first of which compile
KINDS: dict[str, dict[str, Any]] = {
    "one": {},
    "keep": {"colors": "keep"},
    "mix": {"colors": "mix", "color_diffusivity": "1 cm^2/s"},
}


def dam_break(resolution: int, dimension: int, kind: str) -> plash.Scene:
    """A column of liquid whose lower half may have a colour of its own."""
    size = (1.2, 1.0, 0.6)[:dimension]
    fills = []
    for low, high, color in ((0.0, 0.3, "#c02020"), (0.3, 0.6, "#2040c0")):
        corners = (0.0, low, 0.0)[:dimension], (0.5, high, 0.6)[:dimension]
        shape = plash.Box(min=corners[0], max=corners[1])
        fills.append(plash.Fill(shape=shape) if kind == "one" else plash.Fill(shape=shape, color=color))
    liquid = plash.Liquid(**KINDS[kind])
    return plash.Scene(domain={"size": size, "resolution": resolution}, liquid=liquid, fill=fills)


def ratios(resolution: int, dimension: int, steps: int) -> dict[str, float]:
    """Processor time of a step with colours over that of one without, by what colours do."""
    dt = 0.3 * (1.2 / resolution / 9.81) ** 0.5
    solvers: dict[str, Any] = {kind: plash.build(dam_break(resolution, dimension, kind)) for kind in KINDS}
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for step in range(WARM_UP + steps):
        for kind, solver in solvers.items():
            taken = take(solver, dt)
            if step >= WARM_UP:
                seconds[kind].append(taken)
    return {
        kind: median(mine / plain for mine, plain in zip(seconds[kind], seconds["one"], strict=True))
        for kind in KINDS
        if kind != "one"
    }


def measure(steps: int) -> None:
    """Print the table."""
    numba.set_num_threads(1)
    print("| cells | keep | mix |\n| --- | --- | --- |")
    for resolution, dimension in SIZES:
        found = ratios(resolution, dimension, steps)
        print(f"| {resolution}, {dimension}-D | {found['keep']:.3f} | {found['mix']:.3f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=24)
    measure(parser.parse_args().steps)
