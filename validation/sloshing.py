"""The first mode of a tank: omega² = g k tanh(k H), k = pi/L, started from a cosine of two cells' height."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import plash

DEPTH = 0.31
LENGTH = 2.5 * DEPTH  # a whole number of cells
G = 9.7


@dataclass(frozen=True)
class Slosh:
    """One run: time (s), amplitude of the mode over its start, and omega from its zero crossings (rad/s)."""

    cells: int
    transfer: str
    time: NDArray[np.float64]
    amplitude: NDArray[np.float64]
    omega: float

    @property
    def error(self) -> float:
        """Of the frequency."""
        return self.omega / exact_omega() - 1


def exact_omega() -> float:
    """Of small waves, rad/s."""
    k = math.pi / LENGTH
    return math.sqrt(G * k * math.tanh(k * DEPTH))


def slosh(cells: int, transfer: str = "apic", periods: float = 5.3, **solver: object) -> Slosh:
    """Run the wave with so many cells of depth."""
    h = DEPTH / cells
    k = math.pi / LENGTH
    period = 2 * math.pi / exact_omega()
    fps = 60 / period
    scene = plash.Scene(
        domain={"size": (LENGTH, 1.6 * DEPTH), "cell_size": h, "gravity": (0, -G)},
        time={"fps": fps, "frames": math.ceil(60 * periods) + 1},
        solver=plash.Solver.model_validate({"transfer": transfer, **solver}),
        liquid={"kinematic_viscosity": 0},
        fill=[{"shape": plash.HeightShape(height=lambda x: DEPTH + 2 * h * np.cos(k * x))}],
    )
    times, amplitude = [], []
    for frame in plash.simulate(scene):
        times.append(frame.time)
        # The integral of cos(k x) over the liquid is that over the surface's height: the bulk cancels
        amplitude.append(float(frame.particles.volume @ np.cos(k * frame.particles.position[:, 0])))
    t, wave = np.array(times), np.array(amplitude) / amplitude[0]
    return Slosh(cells, transfer, t, wave, _frequency(t, wave))


def _frequency(time: NDArray[np.float64], wave: NDArray[np.float64]) -> float:
    """From the first to the last zero crossing."""
    at = np.flatnonzero(wave[:-1] * wave[1:] < 0)
    crossings = time[at] + (time[at + 1] - time[at]) * wave[at] / (wave[at] - wave[at + 1])
    return float(math.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0]))
