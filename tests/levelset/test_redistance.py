"""Redistancing: spheres and planes whose distance is known, the equation it solves, and what must not change."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numba
import numpy as np
import pytest
import skfmm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from plash.grid.dense import tiles_over
from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.levelset.redistance import redistance
from plash.timing import timing

Array = NDArray[Any]

H = 0.013
WIDTH = 6 * H
BOXES = {2: ((-2, 2), (-1, 1), (0, 1)), 3: ((-3, 2), (-2, 2), (-2, 2))}  # tiles along x, y, z

both_dimensions = pytest.mark.parametrize("dimension", [2, 3])


def box(ranges: tuple[tuple[int, int], ...], dimension: int) -> Tiles:
    return Tiles.at(list(product(*(range(*pair) for pair in ranges))), dimension)


def sampled(tiles: Tiles, function: Callable[[Array], Array], h: float = H) -> CellField:
    field = CellField.filled(tiles, 5 * h)
    field.pool[1:] = function(tiles.cell_centres(tiles.slots, h)).reshape(-1, *tiles.shape)
    return field


def dense(field: CellField) -> Array:
    """A field on a full box as one array [z,] y, x in double precision."""
    tiles = field.tiles
    first = tiles.origins[1:] - tiles.origins[1:].min(axis=0)
    BZ, BY, BX = tiles.shape
    result = np.full(np.add(first.max(axis=0), (BX, BY, BZ))[::-1], np.nan)
    for tile, (x, y, z) in zip(field.pool[1:], first, strict=True):
        result[z : z + BZ, y : y + BY, x : x + BX] = tile
    return result[0] if tiles.dimension == 2 else result


def pairs(values: Array) -> list[tuple[Array, Array]]:
    """Each cell with its next neighbour, by axis."""
    first, last = slice(None, -1), slice(1, None)
    axes = [np.moveaxis(values, axis, 0) for axis in range(values.ndim)]
    return [(axis[first], axis[last]) for axis in axes]


def crossings(field: CellField) -> Array:
    """Where the surface cuts the grid lines, in cells from the cell before it, line by line."""
    places = []
    for before, after in pairs(dense(field)):
        cut = (before < 0) != (after < 0)
        places.append(before[cut] / (before[cut] - after[cut]))
    return np.concatenate(places)


def surface_motion(field: CellField, other: CellField) -> Array:
    """How far two surfaces between the same cells are apart along grid lines, in cells."""
    return np.abs(crossings(field) - crossings(other))


def is_beside_surface(values: Array) -> Array:
    beside = np.zeros(values.shape, bool)
    for axis, (before, after) in enumerate(pairs(values)):
        cut = (before < 0) != (after < 0)
        marks = np.moveaxis(beside, axis, 0)
        marks[:-1] |= cut
        marks[1:] |= cut
    return beside


def sphere(dimension: int, radius: float = 8 * H) -> Callable[[Array], Array]:
    centre = np.array([0.31, -0.22, 0.43])[:dimension] * H
    return lambda x: np.linalg.norm(x - centre, axis=1) - radius


def distorted(distance: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """The distance times a smooth factor between 0.6 and 1.4: the same surface, another slope."""
    return lambda x: distance(x) * (1 + 0.4 * np.sin(0.2 * x[:, 0] / H) * np.cos(0.15 * x[:, 1] / H + 0.3))


def noise(dimension: int, seed: int = 5) -> CellField:
    """Both signs everywhere, and the values that are hard to tell apart."""
    generator = np.random.default_rng(seed)
    field = CellField.filled(box(BOXES[dimension], dimension), 1.0)
    smooth = generator.normal(size=field.pool[1:].shape)
    hard = generator.choice(np.array([0.0, -0.0, 1e-42, -1e-42, 1e-30, -1e-30, 1e20, -1e20]), size=smooth.shape)
    field.pool[1:] = np.where(generator.random(smooth.shape) < 0.2, hard, smooth)
    return field


# How good the distance is


@both_dimensions
def test_distance_to_a_sphere_of_eight_cells_is_within_half_a_cell(dimension: int) -> None:
    tiles = box(BOXES[dimension], dimension)
    exact = dense(sampled(tiles, sphere(dimension)))
    error = np.abs(dense(redistance(sampled(tiles, distorted(sphere(dimension))), WIDTH, H)) - exact) / H
    band = np.abs(exact) < 5 * H
    assert error[band].max() < 0.5
    assert error[band].mean() < {2: 0.07, 3: 0.12}[dimension]
    assert error[is_beside_surface(exact)].max() < 0.08


@both_dimensions
def test_surface_of_a_sphere_hardly_moves(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))
    motion = surface_motion(redistance(phi, WIDTH, H), phi)
    assert motion.max() < 0.1
    assert motion.mean() < 0.02


@both_dimensions
def test_second_time_moves_a_sphere_by_less_than_a_fiftieth_of_a_cell_on_average(dimension: int) -> None:
    once = redistance(sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension))), WIDTH, H)
    motion = surface_motion(redistance(once, WIDTH, H), once)
    assert motion.mean() < 0.02
    assert motion.max() < 0.06


@both_dimensions
def test_error_falls_in_proportion_to_the_cell(dimension: int) -> None:
    radius, band = 0.1, 0.04
    errors = []
    for cells in {2: (8, 16, 32), 3: (8, 16)}[dimension]:
        h = radius / cells
        reach = -(-14 * cells // (8 * 8 if dimension == 3 else 8 * 16))
        tiles = box(((-reach, reach),) * dimension + ((0, 1),) * (3 - dimension), dimension)
        exact = sampled(tiles, sphere(dimension, radius), h).pool[1:]
        found = redistance(sampled(tiles, sphere(dimension, radius), h), 1.2 * band, h).pool[1:]
        errors.append(np.abs(found - exact)[np.abs(exact) < band].mean())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders > 0.8) & (orders < 1.3)), orders


@both_dimensions
@pytest.mark.parametrize("seed", range(4))
def test_plane_at_an_angle_is_exact_where_the_box_does_not_cut_it_off(dimension: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    normal = generator.normal(size=dimension)
    normal /= np.linalg.norm(normal)
    height = generator.random() * H
    plane = sampled(box(BOXES[dimension], dimension), lambda x: x @ normal - height)
    phi = CellField(plane.tiles, plane.pool * np.float32(3.7))
    found = redistance(phi, WIDTH, H)
    inner = (slice(8, -8),) * dimension
    exact = dense(plane)[inner]
    band = np.abs(exact) < 5 * H
    np.testing.assert_allclose(dense(found)[inner][band], exact[band], atol=1e-3 * H)
    assert surface_motion(found, phi).max() < 1e-3


@settings(max_examples=30, deadline=None)
@given(
    dimension=st.sampled_from([2, 3]),
    axis=st.sampled_from([0, 1, 2]),
    height=st.floats(-7, 7),
    h=st.sampled_from([0.013, 0.5, 3.0]),
    side=st.sampled_from([-1, 1]),
    slope=st.floats(0.01, 100),
)
def test_plane_along_the_grid_is_exact_at_any_height(
    dimension: int, axis: int, height: float, h: float, side: int, slope: float
) -> None:
    tiles = box(((-1, 2), (-1, 1), (-1, 2) if dimension == 3 else (0, 1)), dimension)
    plane = sampled(tiles, lambda x: side * (x[:, axis % dimension] - height * h), h)
    found = redistance(CellField(tiles, np.float32(slope) * plane.pool), 5 * h, h)
    np.testing.assert_allclose(found.pool[1:], np.clip(plane.pool[1:], -5 * h, 5 * h), atol=2e-4 * h)


def test_clamped_plane_along_the_grid_is_exact() -> None:
    """What a fill fraction gives: right beside the surface and flat farther off."""
    plane = sampled(box(BOXES[2], 2), lambda x: x[:, 1] - 0.3 * H)
    found = redistance(CellField(plane.tiles, np.clip(plane.pool, -H, H)), 4 * H, H)
    np.testing.assert_allclose(found.pool[1:], np.clip(plane.pool[1:], -4 * H, 4 * H), atol=1e-4 * H)


# The equation


@both_dimensions
@pytest.mark.parametrize("shape", ["sphere", "noise"])
def test_every_cell_away_from_the_surface_solves_the_upwind_equation(dimension: int, shape: str) -> None:
    phi = sampled(box(BOXES[dimension], dimension), sphere(dimension)) if shape == "sphere" else noise(dimension)
    found = np.abs(dense(redistance(phi, WIDTH, H))) / H
    padded = np.pad(found, 1, constant_values=np.inf)
    total = np.zeros_like(found)
    for axis in range(dimension):
        smaller = np.minimum(np.roll(padded, 1, axis), np.roll(padded, -1, axis))[(slice(1, -1),) * dimension]
        total += np.maximum(found - smaller, 0) ** 2
    free = ~is_beside_surface(dense(phi)) & (found < 6 * (1 - 1e-5))
    np.testing.assert_allclose(total[free], 1, atol=2e-3)
    if shape == "sphere":
        assert free.sum() > 500


@both_dimensions
def test_gradient_is_one_in_the_band(dimension: int) -> None:
    tiles = box(BOXES[dimension], dimension)
    exact = dense(sampled(tiles, sphere(dimension)))
    found = dense(redistance(sampled(tiles, distorted(sphere(dimension))), WIDTH, H))
    slope = np.sqrt(sum(part**2 for part in np.gradient(found, H)))
    band = (np.abs(exact) < 4 * H) & (np.abs(exact) > 2 * H)
    assert np.abs(slope[band] - 1).mean() < 0.05
    assert np.abs(slope[band] - 1).max() < 0.25


@both_dimensions
def test_distance_agrees_with_scikit_fmm(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))
    marched = skfmm.distance(dense(phi), dx=H, order=1)
    found = dense(redistance(phi, WIDTH, H))
    band = np.abs(marched) < 5 * H
    assert np.abs(found - marched)[band].mean() < 0.05 * H


@both_dimensions
def test_distance_agrees_closely_with_scikit_fmm_where_every_axis_of_the_surface_is_crossed(dimension: int) -> None:
    """Along the diagonal the two treat cells beside the surface alike, so that only the propagation could differ."""
    diagonal = sampled(box(BOXES[dimension], dimension), lambda x: x.sum(axis=1) / np.sqrt(dimension) - 0.2 * H)
    marched = skfmm.distance(dense(diagonal), dx=H, order=1)
    found = dense(redistance(diagonal, WIDTH, H))
    band = np.abs(marched) < 5 * H
    assert np.abs(found - marched)[band].mean() < 0.01 * H


# What holds for any φ


@both_dimensions
def test_every_cell_keeps_its_sign(dimension: int) -> None:
    for phi in (noise(dimension), sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))):
        found = redistance(phi, WIDTH, H)
        assert np.isfinite(found.pool).all()
        np.testing.assert_array_equal(found.pool[1:] < 0, phi.pool[1:] < 0)


@both_dimensions
def test_distance_is_clamped_to_the_width_and_so_is_the_background(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))
    wide = redistance(phi, WIDTH, H)
    narrow = redistance(phi, 3 * H, H)
    assert np.all(narrow.pool[0] == np.float32(3 * H))
    assert np.abs(narrow.pool).max() == np.float32(3 * H)
    np.testing.assert_allclose(narrow.pool[1:], np.clip(wide.pool[1:], -3 * H, 3 * H), atol=1e-3 * H)


@both_dimensions
def test_width_below_a_cell_still_keeps_every_sign(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), sphere(dimension))
    found = redistance(phi, 0.3 * H, H)
    assert np.abs(found.pool).max() == np.float32(0.3 * H)
    np.testing.assert_array_equal(found.pool[1:] < 0, phi.pool[1:] < 0)


@both_dimensions
@pytest.mark.parametrize("sign", [-1, 1])
def test_without_a_change_of_sign_everything_is_a_width_away(dimension: int, sign: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), lambda x: sign * (0.1 * H + np.abs(x[:, 0])))
    found = redistance(phi, WIDTH, H)
    assert np.all(found.pool[1:] == np.float32(sign * WIDTH))
    assert np.all(found.pool[0] == np.float32(WIDTH))


@both_dimensions
def test_no_tiles_give_no_distance(dimension: int) -> None:
    found = redistance(CellField.filled(Tiles.at([], dimension), 1.0), WIDTH, H)
    assert found.pool.shape[0] == 1
    assert np.all(found.pool == np.float32(WIDTH))


@both_dimensions
def test_absent_tiles_carry_no_distance(dimension: int) -> None:
    """Two tiles with a gap between them: the one without a surface learns nothing of the other's."""
    tiles = Tiles.at([[0, 0, 0], [2, 0, 0]], dimension)
    size = tiles.shape[2]
    phi = sampled(tiles, lambda x: (size - 1.5) * H - x[:, 0])
    found = redistance(phi, 100 * H, H)
    assert np.abs(found.pool[1]).max() < size * H
    assert np.all(found.pool[2] == np.float32(-100 * H))


@both_dimensions
def test_only_the_sign_and_the_ratios_of_phi_matter(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))
    found = redistance(phi, WIDTH, H).pool
    doubled = redistance(CellField(phi.tiles, 1024 * phi.pool), WIDTH, H).pool
    np.testing.assert_array_equal(doubled, found)
    for factor in (1e-6, 0.3, 7.7, 1e9):
        scaled = redistance(CellField(phi.tiles, np.float32(factor) * phi.pool), WIDTH, H).pool
        np.testing.assert_allclose(scaled, found, atol=1e-4 * H)


@both_dimensions
def test_both_sides_are_treated_alike(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))
    found = redistance(phi, WIDTH, H).pool[1:]
    np.testing.assert_array_equal(redistance(CellField(phi.tiles, -phi.pool), WIDTH, H).pool[1:], -found)


def test_level_at_cell_centres_has_distance_zero_there() -> None:
    """Zero counts as outside, whatever its sign bit."""
    plane = sampled(box(BOXES[2], 2), lambda x: x[:, 1] - 0.5 * H)
    plane.pool[np.abs(plane.pool) < 1e-6 * H] = 0
    for zero in (0.0, -0.0):
        phi = CellField(plane.tiles, np.where(plane.pool == 0, np.float32(zero), plane.pool))
        found = redistance(phi, 4 * H, H)
        np.testing.assert_allclose(found.pool[1:], np.clip(plane.pool[1:], -4 * H, 4 * H), atol=1e-4 * H)


# Same bits


@both_dimensions
def test_bits_do_not_depend_on_the_number_of_threads(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))
    threads = numba.get_num_threads()
    try:
        found = []
        settings: Any = numba.config
        for count in sorted({1, min(2, settings.NUMBA_NUM_THREADS)}):
            numba.set_num_threads(count)
            found += [redistance(field, WIDTH, H).pool for field in (phi, noise(dimension))]
    finally:
        numba.set_num_threads(threads)
    for one, other in zip(found[:2], found[-2:], strict=True):
        np.testing.assert_array_equal(other.view(np.uint32), one.view(np.uint32))


@both_dimensions
def test_bits_do_not_depend_on_empty_tiles_far_away(dimension: int) -> None:
    tiles = box(BOXES[dimension], dimension)
    phi = sampled(tiles, distorted(sphere(dimension)))
    far = [[-9, -9, 0], [-9, 8, 0], [0, -9, 0], [7, 0, 0], [40, 41, 0]]
    more = phi.moved_to(Tiles.at([*tiles.coordinates[1:].tolist(), *far], dimension))
    assert more.tiles.count == tiles.count + len(far)
    found = redistance(more, WIDTH, H).moved_to(tiles).pool
    np.testing.assert_array_equal(found.view(np.uint32), redistance(phi, WIDTH, H).pool.view(np.uint32))


@both_dimensions
def test_argument_is_left_alone_and_the_time_is_counted(dimension: int) -> None:
    phi = sampled(box(BOXES[dimension], dimension), distorted(sphere(dimension)))
    before = phi.pool.copy()
    with timing() as seconds:
        found = redistance(phi, WIDTH, H)
    np.testing.assert_array_equal(phi.pool, before)
    assert found.tiles is phi.tiles
    assert found.pool.dtype == np.float32
    assert list(seconds) == ["redistance"]


def test_distances_go_round_closed_cells_and_each_side_of_a_wall_has_its_own() -> None:
    h = 0.037
    tiles = tiles_over((0, 0), (48, 48))
    phi = CellField.filled(tiles, np.float32(7 * h))
    x, y = (tiles.cell_centres(tiles.slots, h) / h).T
    # Liquid 20 cells deep on the left of a wall of one cell, 10 deep on its right
    phi.pool[1:] = (h * (y - np.where(x < 24, 20.3, 10.6))).reshape(-1, *tiles.shape)
    is_wall = np.zeros(phi.pool.shape, np.bool_)
    is_wall[1:] = (np.floor(x) == 24).reshape(-1, *tiles.shape)
    found = redistance(phi, 6 * h, h, is_wall).pool[1:].reshape(-1) / h
    for side, level in ((x < 24, 20.3), (x > 25, 10.6)):
        exact = np.clip(y[side] - level, -6, 6)
        np.testing.assert_allclose(found[side], exact, atol=1e-3)
