"""What a full, closed box costs on tiles, against plain arrays: python -m benchmarks.one_stack [--steps 20].

The same liquid of density 1 breaks in the same box with the stages of the smoke solver, all tiles of whose box are
followed (single precision, multigrid), and with stable fluids (doubles, cosine transforms). Both carry velocity and
density by MacCormack's scheme in steps of the same length, taken in turn. Prints processor time of a step: set
NUMBA_NUM_THREADS=1 to have that of one thread. The energy of both after the last step shows that they do the same.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import plash

_EVERYWHERE = 1e-5  # density of the air on tiles, so that all of it is followed
_WARMED_UP = 3  # steps before those that count


def scenes(size: tuple[float, ...], cells: int, diffusion: float, ball: bool) -> dict[str, plash.Scene]:
    """One scene on both stacks: a block of liquid that breaks, whose density diffuses or not."""
    d = len(size)
    block = plash.Box(min=(0.0, 0.0, 0.0)[:d], max=(0.4, 0.6, 1.0)[:d])
    rest: dict[str, Any] = {"domain": {"size": size, "resolution": cells}}
    if ball:
        rest["solid"] = [{"shape": plash.Sphere(center=(0.7, 0.2, 0.5)[:d], radius=0.15)}]
    whole = plash.Box(min=(0.0, 0.0, 0.0)[:d], max=size)
    on_tiles = {
        "kind": "smoke", "advection": "maccormack", "conserve": False, "fall": 9.81, "solids": "voxel",
        "threshold": _EVERYWHERE / 10, "diffusion": diffusion, "courant": 2,
    }  # fmt: skip
    in_box = {"kind": "stable_fluids", "advection": "maccormack", "diffusion": diffusion, "courant": 2}
    return {
        "box": plash.Scene(
            **rest,
            liquid={"kinematic_viscosity": 0},
            solver=plash.Solver.model_validate(in_box),
            fill=[{"shape": block}],
        ),
        "tiles": plash.Scene(
            **rest,
            solver=plash.Solver.model_validate(on_tiles),
            fill=[{"shape": whole, "density": _EVERYWHERE}, {"shape": block, "density": 1.0}],
        ),
    }


def _energy(solver: Any) -> float:
    """Mean of u² over the box, m²/s²."""
    if hasattr(solver.state, "faces"):
        return float((solver.state.faces**2).sum(axis=0).mean())
    cells = solver.cells
    return float((solver.state.velocity.pool.astype(np.float64) ** 2).sum(axis=0)[cells.label == 1].mean())


def _spent(solver: Any, dt: float) -> tuple[float, float]:
    """Processor time of a step, and of the pressure in it, s."""
    start = last = time.process_time()
    pressure = 0.0
    for stage in solver.stages(dt):
        now = time.process_time()
        if stage.name == "project":
            pressure = now - last
        last = now
    return last - start, pressure


def measured(size: tuple[float, ...], cells: int, steps: int, diffusion: float = 0.0, ball: bool = False) -> str:
    """One line of the table."""
    solvers: dict[str, Any] = {name: plash.build(s) for name, s in scenes(size, cells, diffusion, ball).items()}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in solvers}
    for step in range(_WARMED_UP + steps):
        for name, solver in solvers.items():
            taken = _spent(solver, 0.5 / cells)
            if step >= _WARMED_UP:
                spent[name].append(taken)
    (box, solved), (tiles, iterated) = (1e3 * np.median(spent[name], axis=0) for name in ("box", "tiles"))
    what = f"{cells}^{len(size)}" + (", ball" if ball else "") + (", diffusion" if diffusion else "")
    energy = [_energy(solvers[name]) for name in ("box", "tiles")]
    times = f"{box:9.1f}{solved:9.1f}{tiles:9.1f}{iterated:9.1f}{tiles / box:8.2f}"
    return f"{what:18}{times}{energy[0]:11.5f}{energy[1]:11.5f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20)
    steps = parser.parse_args().steps
    print(
        f"{'milliseconds':18}{'box':>9}{'pressure':>9}{'tiles':>9}{'pressure':>9}"
        f"{'ratio':>8}{'u² box':>11}{'u² tiles':>11}"
    )
    for size, cells in (((1.0, 1.0), 256), ((1.0, 1.0, 1.0), 64)):
        for diffusion, ball in ((0.0, False), (1e-6, False), (0.0, True)):
            print(measured(size, cells, steps, diffusion, ball), flush=True)


if __name__ == "__main__":
    main()
