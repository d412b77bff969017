"""How far from the truth three distance fields put a surface: fill fraction, Zhu & Bridson's average, union of balls.

    python -m benchmarks.distance

All are sampled at cell centres and read by linear interpolation between them. Pools at 20 heights within a cell, and
planes at a slope of 1:2, with the particles on a lattice and jittered within their parts of the cells. Prints, in
cells, the largest mean error of the level over all heights, and the spread round the mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from plash.grid.dense import to_dense
from plash.particles.particles import Particles
from plash.particles.seed import seed
from plash.particles.sort import sort_particles
from plash.particles.surface import fill_fraction, liquid_distance
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.physics.solids.voxel import Voxel

Array = NDArray[np.float64]
CELLS = {2: (24, 28), 3: (14, 22, 12)}
RADII = {"Zhu & Bridson": {2: 0.3, 3: 0.35}, "union of balls": {2: 0.45, 3: 0.55}}  # the best of 0.25, 0.3, ... 0.7


def by_fill(particles: Particles, cells: tuple[int, ...]) -> Array:
    sort_particles(particles, 3)
    assert particles.tiles is not None
    solids = SceneSolids(Voxel([], DomainBox(cells, ((CLOSED, CLOSED),) * len(cells)), 1.0)).at(particles.tiles)
    phi = liquid_distance(fill_fraction(particles, solids.inverse_kernel_weight, solids.box.closed_sides()), 1.0)
    return to_dense(phi.pool, phi.tiles, (0,) * len(cells), cells).astype(np.float64)


def centres(cells: tuple[int, ...]) -> Array:
    return np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in cells], indexing="ij"), axis=-1).reshape(-1, len(cells))


def by_average(particles: Particles, cells: tuple[int, ...]) -> Array:
    """|x - mean of x_p| - r with weights (1 - s²)³ within one cell (Zhu & Bridson 2005)."""
    radius = RADII["Zhu & Bridson"][len(cells)]
    places = particles.position(1.0)
    tree = cKDTree(places)
    result = np.ones(np.prod(cells))
    points = centres(cells)
    for i, near in enumerate(tree.query_ball_point(points, 1.0)):
        if near:
            weight = (1 - ((places[near] - points[i]) ** 2).sum(axis=1)) ** 3
            mean = (weight[:, None] * places[near]).sum(axis=0) / weight.sum()
            result[i] = np.linalg.norm(points[i] - mean) - radius
    return result.reshape(cells)


def by_balls(particles: Particles, cells: tuple[int, ...]) -> Array:
    """Distance to the nearest ball. Balls of the particles' own volume would leave holes between them."""
    radius = RADII["union of balls"][len(cells)]
    gap, _ = cKDTree(particles.position(1.0)).query(centres(cells))
    result: Array = np.reshape(gap, cells) - radius
    return result


def levels(phi: Array) -> Array:
    """Height of the surface in every column, by the last crossing upwards; NaN if there is none."""
    columns = np.moveaxis(phi, 1, -1).reshape(-1, phi.shape[1])
    crosses = (columns[:, :-1] < 0) & (columns[:, 1:] >= 0)
    low = columns.shape[1] - 2 - crosses[:, ::-1].argmax(axis=1)
    rows = np.arange(len(low))
    a, b = columns[rows, low], columns[rows, low + 1]
    height: Array = np.where(crosses.any(axis=1), low + 0.5 + a / np.where(a == b, 1.0, a - b), np.nan)
    return height


def errors(way, dimension: int, jitter: float, slope: float) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    cells = CELLS[dimension]
    means, spread = [], []
    for height in np.arange(20) / 20 + 7.02:

        def gap(points: Array, height: float = height) -> Array:
            distance: Array = (points[:, 1] - height - slope * points[:, 0]) / np.hypot(1, slope)
            return distance

        particles = seed(gap, cells, 1.0, 2**dimension, jitter, np.random.default_rng(0), (0.0, 0.0, 0.0))
        across = centres(cells).reshape(*cells, dimension)[:, 0]
        truth = (height + slope * across[..., 0]).reshape(-1)
        off = (levels(way(particles, cells)) - truth).reshape(across.shape[:-1])
        inner = tuple(slice(2, -2) for _ in off.shape)
        means.append(np.nanmean(off[inner]) / np.hypot(1, slope))
        spread.append(np.nanstd(off[inner]) / np.hypot(1, slope))
    return float(np.nanmax(np.abs(means))), float(np.mean(spread))


def main() -> None:
    ways = {"fill fraction": by_fill, "Zhu & Bridson": by_average, "union of balls": by_balls}
    for dimension in (2, 3):
        for name, way in ways.items():
            row = [errors(way, dimension, jitter, slope) for slope in (0.0, 0.5) for jitter in (0.0, 1.0)]
            words = " | ".join(f"{bias:.3f} ± {spread:.3f}" for bias, spread in row)
            print(f"| {dimension}-D | {name} | {words} |", flush=True)


if __name__ == "__main__":
    main()
