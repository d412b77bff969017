"""What a step of a level set costs: python -m benchmarks.level_set [CELLS] [STEPS].

A column falls over in a box of 1 m. Prints processor time for each liquid cell and step, in all and by stage; with
NUMBA_NUM_THREADS=1 that is the time of one core.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

import plash

_WARM = 3  # steps that compile kernels and are not counted


def main(cells: int = 48, steps: int = 10) -> None:
    """Take steps, and print what they cost."""
    scene = plash.Scene(
        domain={"size": (1, 1, 1), "resolution": cells},
        solver={"surface": "levelset"},
        fill=[{"shape": plash.Box(min=(0, 0, 0), max=(0.4, 0.5, 1))}],
    )
    solver, frame, spent, counted = plash.build(scene), 1, 0.0, 0
    stages: Counter[str] = Counter()
    for number in range(_WARM + steps):
        begun = time.process_time()
        report = solver.advance(frame / 24)
        if number >= _WARM:
            spent += time.process_time() - begun
            counted += report.liquid_cells
            stages.update(report.seconds)
        frame += report.time >= frame / 24
    print(f"{cells}³, {counted // steps} liquid cells: {1e6 * spent / counted:.2f} us of processor a cell and step")
    for name, seconds in stages.most_common(12):
        print(f"  {name:40} {1e6 * seconds / counted:.3f} us by the clock")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
