"""Upwind differences instead of paths, WENO5 and RK3 on a plain array: python -m validation.upwind_level_set.

A prototype, to see whether they pay as a `levelset_scheme`. Zalesak's disc turns once on 100² cells and the vortex
turns back on 128², as in `validation/surface_tracking.py`, without particles. φ is made a distance again every ten
steps by the redistancing that plash has. Prints lost and differing area, and processor time a step beside that of
plash.

Reference: Jiang & Peng 2000 (WENO5 for Hamilton-Jacobi equations); Shu & Osher 1988 (RK3).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import plash
from plash.grid.dense import from_dense, tiles_over, to_dense
from plash.grid.fields import CellField
from plash.levelset.redistance import redistance
from plash.physics.level_set.level_set import LevelSet
from validation.surface_tracking import Points, moved, slotted_disc, turning, vortex

Array = NDArray[np.float64]


def one_sided(a: Array, b: Array, c: Array, d: Array, e: Array) -> Array:
    """The weighted slope of five differences, the first of which is farthest upwind."""
    slopes = (a / 3 - 7 * b / 6 + 11 * c / 6, -b / 6 + 5 * c / 6 + d / 3, c / 3 + 5 * d / 6 - e / 6)
    rough = (
        13 / 12 * (a - 2 * b + c) ** 2 + (a - 4 * b + 3 * c) ** 2 / 4,
        13 / 12 * (b - 2 * c + d) ** 2 + (b - d) ** 2 / 4,
        13 / 12 * (c - 2 * d + e) ** 2 + (3 * c - 4 * d + e) ** 2 / 4,
    )
    weights = [share / (1e-6 + how) ** 2 for share, how in zip((0.1, 0.6, 0.3), rough, strict=True)]
    total = sum(weight * slope for weight, slope in zip(weights, slopes, strict=True))
    return np.asarray(total / sum(weights))


def rate(phi: Array, velocity: Array, h: float) -> Array:
    """-u·∇φ, by differences from the side that the flow comes from."""
    result = np.zeros_like(phi)
    for axis in range(2):
        wide = np.pad(phi, [(3, 3) if other == axis else (0, 0) for other in range(2)], mode="edge")
        steps = np.diff(wide, axis=axis) / h
        cut = [np.take(steps, range(k, k + phi.shape[axis]), axis=axis) for k in range(6)]
        along = velocity[axis]
        slope = np.where(along > 0, one_sided(*cut[:5]), one_sided(*cut[:0:-1]))
        result -= along * slope
    return result


def carried(
    phi: Array, flow: Callable[[Points, float], Points], centres: Points, end: float, steps: int
) -> tuple[Array, float]:
    """φ after all steps, and processor seconds a step; cells are those of its points, along x first."""
    h = float(centres[1, 1] - centres[0, 1])
    tiles = tiles_over((0, 0), phi.shape)
    dt, begun = end / steps, time.process_time()

    def change(phi: Array, at: float) -> Array:
        return dt * rate(phi, flow(centres, at).T.reshape(2, *phi.shape), h)

    for number in range(steps):
        at = number * dt
        first = phi + change(phi, at)
        second = 0.75 * phi + 0.25 * (first + change(first, at + dt))
        phi = phi / 3 + 2 / 3 * (second + change(second, at + dt / 2))
        if number % 10 == 9:
            field = CellField(tiles, from_dense(phi.astype(np.float32), tiles))
            phi = to_dense(redistance(field, 7 * h, h).pool, tiles, (0, 0), phi.shape).astype(np.float64)
    return phi, (time.process_time() - begun) / steps


def main() -> None:
    """Print a row for each motion."""

    def disc(points: Points) -> Points:
        return np.asarray(np.hypot(points[:, 0] - 0.5, points[:, 1] - 0.75) - 0.15)

    shape = plash.Sphere(center=(0.5, 0.75), radius=0.15)
    print("| motion | lost | differs | ms a step | plash without particles: ms a step |")
    print("| --- | --- | --- | --- | --- |")
    for name, inside, region, flow, end, steps, cells, size in (
        ("disc", slotted_disc, slotted_disc, turning, 628.0, 628, 100, 100.0),
        ("vortex", disc, shape, vortex, 8.0, 1280, 128, 1.0),
    ):
        h = size / cells
        line = (np.arange(cells) + 0.5) * h
        centres = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
        start = np.clip(inside(centres), -7 * h, 7 * h).reshape(cells, cells)
        phi, seconds = carried(start, flow, centres, end, steps)
        share, shown = (np.clip(0.5 - values / h, 0, 1) for values in (start, phi))
        lost, other = 1 - shown.sum() / share.sum(), np.abs(shown - share).sum() / share.sum()
        level_set = LevelSet.of(region, h, (0, 0), (size, size), particles=False)
        begun = time.process_time()
        for _ in moved(level_set, flow, end / steps * 50, 50):
            pass
        own = (time.process_time() - begun) / 50
        print(f"| {name} | {lost:.1%} | {other:.1%} | {1e3 * seconds:.1f} | {1e3 * own:.1f} |", flush=True)


if __name__ == "__main__":
    main()
