"""Does the liquid keep its volume? Ten seconds of a dam break that comes to rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import plash


@dataclass(frozen=True)
class Settling:
    """One run: time (s) and (measured - target)/target volume at every frame."""

    dimension: int
    cells: int
    transfer: str
    time: NDArray[np.float64]
    error: NDArray[np.float64]
    carried: float

    def by_minute(self) -> list[str]:
        """The mean error in each minute."""
        minute = (self.time // 60).astype(int)
        return [f"{self.error[minute == which].mean():+.3%}" for which in range(minute[-2] + 1)]

    def settled(self, seconds: float = 2.0) -> str:
        """The range of errors at the end."""
        last = self.error[self.time > self.time[-1] - seconds]
        return f"{last.min():+.2%} ... {last.max():+.2%}"


def settle(dimension: int, cells: int, transfer: str, seconds: float = 10.0) -> Settling:
    """Run the benchmark's dam break, or the same in 2-D."""
    scene = plash.load_scene(
        "bench_dam_break", resolution=cells, frames=round(24 * seconds) + 1, **{"solver.transfer": transfer}
    )
    if dimension == 2:
        scene = plash.Scene(
            domain={"size": (1, 1), "resolution": cells},
            time={"fps": 24, "frames": round(24 * seconds) + 1},
            solver=plash.Solver.model_validate({"transfer": transfer}),
            fill=[{"shape": plash.Box(min=(0, 0), max=(0.4, 0.5))}],
        )
    times, errors, carried = [], [], 0.0
    for frame in plash.simulate(scene):
        ledger = frame.ledger
        times.append(frame.time)
        errors.append(ledger.volume / ledger.target_volume - 1)
        carried = max(carried, abs(ledger.particle_volume / ledger.target_volume - 1))
    return Settling(dimension, cells, transfer, np.array(times), np.array(errors), carried)
