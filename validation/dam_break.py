"""Martin & Moyce's collapsing column: how far its front comes, and how high it still stands at the wall.

A column of width a and height 2a against a wall; time in units of sqrt(a/2g) for the front and sqrt(a/g) for the
height. The experiment's clock starts when the membrane breaks; published codes add 0.175 to theirs, as is done here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import plash

A = 0.05715
G = 9.81
OPENING = 0.175  # of T: what the membrane takes to open
DATA = Path(__file__).parents[1] / "tests" / "validation" / "data"


@dataclass(frozen=True)
class Collapse:
    """One run: T and Z of the front, tau and H of the height, and the largest error of measured volume."""

    cells: int
    transfer: str
    front_time: NDArray[np.float64]
    front: NDArray[np.float64]
    height_time: NDArray[np.float64]
    height: NDArray[np.float64]
    volume_error: float

    def front_error(self) -> float:
        """Mean of |dZ|/Z at the published points."""
        time, wanted = measured("front")
        found = np.interp(time, self.front_time + OPENING, self.front)
        return float(np.mean(np.abs(found - wanted) / wanted))

    def height_error(self) -> float:
        """Mean of |dH| at the published points."""
        time, wanted = measured("height")
        return float(np.mean(np.abs(np.interp(time, self.height_time, self.height) - wanted)))


def measured(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Published points of the "front" or the "height"."""
    table = np.loadtxt(DATA / f"martin_moyce_n2_2_{name}.csv", delimiter=",", skiprows=2)
    return table[:, 0], table[:, 1]


def collapse(cells: int, transfer: str = "apic", until: float = 7.4) -> Collapse:
    """Run the column on a grid with so many cells along a, until tau."""
    fps = 400.0
    frames = math.ceil(until * math.sqrt(A / G) * fps) + 2
    scene = plash.Scene(
        domain={"size": (20 * A, 3 * A), "cell_size": A / cells, "gravity": (0, -G)},
        time={"fps": fps, "frames": frames},
        solver=plash.Solver.model_validate({"transfer": transfer}),
        liquid={"kinematic_viscosity": 0},
        fill=[{"shape": plash.Box(min=(0, 0), max=(A, 2 * A))}],
    )
    h = scene.domain.h
    times, front, height, errors = [], [], [], []
    for frame in plash.simulate(scene):
        x, y = frame.particles.position.T
        times.append(frame.time)
        # The third from the end, and half the distance between particles: single ones that fly ahead are not the front
        low = np.sort(x[y < 0.5 * A])
        front.append(low[-3] + 0.25 * h)
        wall = np.sort(y[x < 2 * h])
        height.append(wall[-3] + 0.25 * h if len(wall) >= 3 else 0.0)
        errors.append(frame.ledger.volume / frame.ledger.target_volume - 1)
    t = np.array(times)
    return Collapse(
        cells,
        transfer,
        t * math.sqrt(2 * G / A),
        np.array(front) / A,
        t * math.sqrt(G / A),
        np.array(height) / (2 * A),
        float(max(errors, key=abs)),
    )
