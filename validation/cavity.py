"""The lid-driven cavity at Reynolds number 100: walls that hold liquid, and a lid that takes it along.

A unit box full of liquid, the lid a solid that slides over it for ever with speed 1. Compared on both middle lines with
Ghia, Ghia & Shin 1982.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import plash
from plash.grid.dense import to_dense
from plash.solvers.build.liquid import build_liquid

# Place along the line and velocity across it there
ALONG_Y = np.array(
    [
        (0.0547, -0.03717),
        (0.0625, -0.04192),
        (0.0703, -0.04775),
        (0.1016, -0.06434),
        (0.1719, -0.10150),
        (0.2813, -0.15662),
        (0.4531, -0.21090),
        (0.5000, -0.20581),
        (0.6172, -0.13641),
        (0.7344, 0.00332),
        (0.8516, 0.23151),
        (0.9531, 0.68717),
        (0.9609, 0.73722),
        (0.9688, 0.78871),
        (0.9766, 0.84123),
    ]
)
ALONG_X = np.array(
    [
        (0.0625, 0.09233),
        (0.0703, 0.10091),
        (0.0781, 0.10890),
        (0.0938, 0.12317),
        (0.1563, 0.16077),
        (0.2266, 0.17507),
        (0.2344, 0.17527),
        (0.5000, 0.05454),
        (0.8047, -0.24533),
        (0.8594, -0.22445),
        (0.9063, -0.16914),
        (0.9453, -0.10313),
        (0.9531, -0.08864),
        (0.9609, -0.07391),
        (0.9688, -0.05906),
    ]
)
_LID = 4  # cells


@dataclass(frozen=True)
class Cavity:
    """The velocity on the middle lines, in cells from one wall to the other: u along y, and v along x."""

    u: NDArray[np.float64]
    v: NDArray[np.float64]

    @property
    def errors(self) -> tuple[float, float]:
        """Largest difference from the table, of u and of v."""
        return _largest(self.u, ALONG_Y, lid=1.0), _largest(self.v, ALONG_X, lid=0.0)


def _largest(values: NDArray[np.float64], table: NDArray[np.float64], lid: float) -> float:
    places = np.concatenate([[0.0], (np.arange(len(values)) + 0.5) / len(values), [1.0]])
    between = np.interp(table[:, 0], places, np.concatenate([[0.0], values, [lid]]))
    return float(np.abs(between - table[:, 1]).max())


def cavity(cells: int, seconds: float = 12.0, fps: float = 4.0, **solver: object) -> Cavity:
    """Run a cavity of so many cells along each side, and take the mean of its last two seconds."""
    h = 1.0 / cells
    lid = {
        "name": "lid",
        "shape": plash.Box(min=(-seconds - 1, 1.0), max=(2.0, 2.0)),
        "friction": 1,
        "motion": {"velocity": (1.0, 0.0)},
    }
    parts: dict[str, object] = {
        "domain": {"size": (1.0, 1.0 + _LID * h), "cell_size": h, "gravity": (0, 0), "friction": 1},
        "time": {"fps": fps, "frames": 2},
        "solver": {"courant": 1} | solver,
        "liquid": {"kinematic_viscosity": 0.01},
        "fill": [{"shape": plash.Box(min=(0, 0), max=(1, 1))}],
        "solid": [lid],
    }
    running = build_liquid(plash.Scene.model_validate(parts))
    seen = []
    for frame in range(1, round(seconds * fps) + 1):
        while running.state.time < frame / fps - 1e-9:
            running.advance(frame / fps)
        if running.state.time > seconds - 2:
            faces = running.state.velocity
            assert faces is not None
            seen.append([to_dense(part, faces.tiles, (0, 0), (cells, cells)) for part in faces.pool])
    mean = np.array(seen, np.float64).mean(axis=0)
    return Cavity(mean[0, cells // 2], mean[1, :, cells // 2])
