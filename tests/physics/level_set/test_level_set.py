"""A level set that is moved: what must be exact, what must come back, and what particles are for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

import plash
from plash.grid.dense import tiles_over
from plash.grid.fields import CellField
from plash.levelset.nearest import nearest_distances
from plash.levelset.redistance import redistance
from plash.levelset.sampling import sampled
from plash.levelset.smooth_sampling import sampled_smoothly
from plash.physics.level_set.band import BAND, cells_within, centres, in_its_tiles
from plash.physics.level_set.correction import correct
from plash.physics.level_set.distancing import level_set_of, mended_distance
from plash.physics.level_set.level_set import LevelSet
from plash.physics.level_set.reseeding import reseed
from plash.physics.level_set.signed_particles import LARGEST, REACH, SMALLEST, SignedParticles, seeded
from plash.physics.level_set.transport import MidpointPaths, carry

Array = NDArray[Any]

H = 0.037
BOXES = {2: ((0.0, 0.0), (1.3, 1.9)), 3: ((0.0, 0.0, 0.0), (0.9, 1.2, 1.0))}
CENTRES = {2: (0.61, 0.83), 3: (0.43, 0.52, 0.47)}

both_dimensions = pytest.mark.parametrize("dimension", [2, 3])
both_schemes = pytest.mark.parametrize("scheme", ["linear", "cubic"])


def ball(dimension: int, radius: float = 8 * H) -> plash.Sphere:
    return plash.Sphere(center=CENTRES[dimension], radius=radius)


def still(velocity: Array) -> Callable[[Array, float], Array]:
    return lambda points, time: np.broadcast_to(velocity, points.shape)


def turning(points: Array, time: float) -> Array:
    """One turn in a second, round the axis through (50, 50)."""
    return 2 * np.pi * np.stack([50 - points[:, 1], points[:, 0] - 50], axis=1)


def vortex(period: float, points: Array, time: float) -> Array:
    """A single vortex in the unit square that turns back at half of its period."""
    x, y = np.pi * points.T
    swirl = np.stack([-(np.sin(x) ** 2) * np.sin(2 * y), np.sin(y) ** 2 * np.sin(2 * x)], axis=1)
    return np.asarray(np.cos(np.pi * time / period) * swirl)


def deformation(period: float, points: Array, time: float) -> Array:
    """Two vortices across one another in the unit cube, that turn back at half of their period."""
    squares, doubles = np.sin(np.pi * points.T) ** 2, np.sin(2 * np.pi * points.T)
    u = 2 * squares[0] * doubles[1] * doubles[2]
    v = -doubles[0] * squares[1] * doubles[2]
    w = -doubles[0] * doubles[1] * squares[2]
    return np.asarray(np.cos(np.pi * time / period) * np.stack([u, v, w], axis=1))


def slotted_disc(points: Array) -> Array:
    """Zalesak's disc: radius 15 round (50, 75), with a slot of width 5 from below up to y = 85."""
    x, y = points[:, 0] - 50, points[:, 1] - 75
    slot = np.maximum(np.abs(x) - 2.5, y - 10)
    return np.asarray(np.maximum(np.hypot(x, y) - 15, -slot))


def fine_grid(low: float, high: float, count: int, dimension: int = 2) -> Array:
    line = low + (np.arange(count) + 0.5) * (high - low) / count
    return np.stack(np.meshgrid(*[line] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)


def difference(level_set: LevelSet, inside: Array, points: Array) -> float:
    """The volume in which a level set and a region differ, as a share of the region."""
    return float(((level_set.distance_at(points) < 0) != inside).sum() / inside.sum())


# Values between cell centres


@both_dimensions
@pytest.mark.parametrize("courant", [0.3, 2.7])
@pytest.mark.parametrize("way", [1, -1])
def test_carrying_a_trilinear_field_is_exact_at_any_courant_number(dimension: int, courant: float, way: int) -> None:
    """Cline's equations 32 to 35, whatever the sign of the velocity."""
    tiles = tiles_over((-16,) * dimension, (48,) * dimension)
    slopes = np.array([0.3, -0.5, 0.7])[:dimension]

    def field(points: Array) -> Array:
        return H * (0.1 + points @ slopes / H / 40 + 0.001 * np.prod(points / H, axis=1) / 16 ** (dimension - 2))

    phi = CellField.filled(tiles, 0.0)
    phi.pool[1:] = field(tiles.cell_centres(tiles.slots, H)).reshape(-1, *tiles.shape)
    cells = cells_within(phi, (BAND - 1e-3) * H)
    places = centres(tiles, cells, H)
    velocity = way * np.array([0.7, -0.4, 0.55])[:dimension]
    dt = courant * H / 0.7
    carry(phi, MidpointPaths(lambda points: np.broadcast_to(velocity, points.shape)), dt, H)
    inner = ((places > -12 * H) & (places < 28 * H)).all(axis=1)
    assert inner.sum() > 1000
    np.testing.assert_allclose(phi.pool[cells][inner], field(places - dt * velocity)[inner], atol=2e-5 * H, rtol=2e-6)


@both_dimensions
def test_cubic_samples_are_of_third_order_at_least(dimension: int) -> None:
    errors = []
    for cells in (8, 16, 32):
        tiles = tiles_over((-4,) * dimension, (cells + 8,) * dimension)
        phi = CellField.filled(tiles, 0.0, np.float64)
        wave = lambda points: np.sin(3 * points[:, 0] + 1) * np.cos(2 * points[:, 1])  # noqa: E731
        phi.pool[1:] = wave(tiles.cell_centres(tiles.slots, 1 / cells)).reshape(-1, *tiles.shape)
        points = np.random.default_rng(1).uniform(0.1, 0.9, (500, dimension))
        errors.append(float(np.abs(sampled_smoothly(phi, points * cells, 1.0) - wave(points)).mean()))
    assert np.all(np.log2(np.array(errors[:-1]) / errors[1:]) > 2.8), errors


def test_a_place_that_is_not_finite_is_refused() -> None:
    disc = LevelSet.of(ball(2), H, *BOXES[2], particles=False)
    with pytest.raises(plash.DivergedError, match="not finite"):
        disc.advance(still(np.array([np.nan, 0.0])), 0.1)
    with pytest.raises(ValueError, match="no cell size"):
        LevelSet.of(ball(2), 0.0, *BOXES[2])
    with pytest.raises(ValueError, match="no corners of a box"):
        LevelSet.of(ball(2), H, (0, 0), (1, 0))


@both_dimensions
def test_between_two_planes_samples_follow_the_kink_to_the_last_digit(dimension: int) -> None:
    """A sheet half a cell thick: a cubic through its middle would make it thicker."""
    tiles = tiles_over((-4,) * dimension, (24,) * dimension)
    middle, half = 8.5 * H, 0.3 * H

    def sheet(points: Array) -> Array:
        return np.asarray(np.abs(points[:, 1] - middle) - half)

    phi = CellField.filled(tiles, 0.0)
    phi.pool[1:] = sheet(tiles.cell_centres(tiles.slots, H)).reshape(-1, *tiles.shape)
    points = np.random.default_rng(4).uniform(4 * H, 14 * H, (400, dimension))
    np.testing.assert_allclose(sampled_smoothly(phi, points / H, H), sheet(points), atol=2e-4 * H)


@both_dimensions
@pytest.mark.parametrize("change", ["mirrored", "axes exchanged"])
def test_samples_and_distances_know_no_direction(dimension: int, change: str) -> None:
    """A shape with edges and a thin sheet, and the same seen from another side."""

    def turned(points: Array) -> Array:
        if change == "mirrored":
            return np.asarray(points * ([-1] + [1] * (dimension - 1)))
        return np.asarray(np.roll(points, 1, axis=1))

    def shape(points: Array) -> Array:
        ball = np.linalg.norm(points - 2.3 * H, axis=1) - 6.2 * H
        sheet = np.maximum(np.abs(points[:, 1] + 0.4 * points[:, 0]) - 0.6 * H, np.abs(points).max(axis=1) - 9.3 * H)
        return np.asarray(np.maximum(np.minimum(ball, sheet), points[:, -1] - 7.7 * H))

    low, high = (-12 * H,) * dimension, (12 * H,) * dimension
    phi, other = level_set_of(shape, low, high, H), level_set_of(lambda x: shape(turned(x)), low, high, H)
    points = np.random.default_rng(2).uniform(-11.0, 11.0, (4000, dimension))
    expected = sampled_smoothly(phi, turned(points), H)
    assert np.abs(expected).min() < 0.1 * H
    np.testing.assert_allclose(sampled_smoothly(other, points, H), expected, atol=1e-5 * H)
    again, other_again = (mended_distance(CellField(one.tiles, 1.3 * one.pool), H) for one in (phi, other))
    expected = sampled(again, turned(points))
    assert np.abs(expected - sampled(phi, turned(points))).max() > 1e-3 * H
    np.testing.assert_allclose(sampled(other_again, points), expected, atol=1e-4 * H)


@both_dimensions
def test_nearest_points_on_a_ball_are_found_and_its_surface_stays(dimension: int) -> None:
    """Whatever the slope of φ; the errors fall as the third power of h at least. Redistancing is of first order."""
    errors = []
    for radius in (6.0, 12.0):
        tiles = tiles_over((-24,) * dimension, (48,) * dimension)
        places = tiles.cell_centres(tiles.slots, 1.0)
        centre = np.array([0.3, -0.2, 0.45])[:dimension]
        exact = H * (np.linalg.norm(places - centre, axis=1) - radius)
        phi = CellField.filled(tiles, 0.0)
        phi.pool[1:] = (1.3 * exact + 0.2 * exact**2 / H / radius).reshape(-1, *tiles.shape)
        near = np.abs(exact) < 2.5 * H
        found = nearest_distances(phi, places[near], H)
        assert np.isfinite(found).mean() > 0.99
        errors.append(float(np.nanmax(np.abs(found - np.abs(exact[near]))) / H))
    assert errors[0] < 0.02
    assert errors[1] < errors[0] / 4


def test_where_a_level_set_is_flat_no_nearest_point_is_told() -> None:
    tiles = tiles_over((0, 0), (32, 32))
    phi = CellField.filled(tiles, np.float32(0.1 * H))
    places = tiles.cell_centres(tiles.slots, 1.0)[:20]
    assert np.isnan(nearest_distances(phi, places, H)).all()


# The band


@both_dimensions
def test_tiles_follow_the_surface(dimension: int) -> None:
    drop = LevelSet.of(ball(dimension, 6 * H), H, *BOXES[dimension], particles=False)
    start, before = drop.phi.tiles, drop.volume
    velocity = np.array([1.0, -0.6, 0.3])[:dimension]
    for _ in range(12):
        drop.advance(still(velocity), 3.1 * H)
    assert drop.phi.tiles.count < 1.7 * start.count
    assert not set(start.keys.tolist()) & set(drop.phi.tiles.keys.tolist())
    moved = np.array(CENTRES[dimension]) + 12 * 3.1 * H * velocity
    assert drop.distance_at([moved])[0] < -4 * H
    assert drop.volume == pytest.approx(before, rel=0.02)


@both_dimensions
def test_all_within_the_band_has_the_distance_and_all_else_its_width(dimension: int) -> None:
    phi = level_set_of(lambda x: 3 * (np.linalg.norm(x - CENTRES[dimension], axis=1) - 8 * H), *BOXES[dimension], H)
    points = phi.tiles.cell_centres(phi.tiles.slots, H)
    exact = np.clip(np.linalg.norm(points - CENTRES[dimension], axis=1) - 8 * H, -BAND * H, BAND * H)
    near = np.abs(exact) < 5 * H
    assert np.abs(phi.pool[1:].reshape(-1) - exact)[near].max() < 0.5 * H
    assert phi.pool[0].min() == phi.pool[0].max() == np.float32(BAND * H)


@both_schemes
def test_a_long_step_is_divided(scheme: Any) -> None:
    disc = LevelSet.of(ball(2), H, *BOXES[2], scheme=scheme)
    disc.advance(still(np.array([1.0, 0.7])), 20 * H)
    assert disc.steps == 7
    assert disc.time == pytest.approx(20 * H)
    assert disc.distance_at([np.add(CENTRES[2], (20 * H, 14 * H))])[0] < -6 * H


# The particles


@both_dimensions
def test_radii_touch_the_surface_and_signs_are_those_of_their_side(dimension: int) -> None:
    drop = LevelSet.of(ball(dimension), H, *BOXES[dimension])
    particles = drop.particles
    away = np.linalg.norm(particles.place * H - CENTRES[dimension], axis=1) - 8 * H
    assert np.all(np.sign(away) == particles.sign)
    assert np.abs(away).max() < (REACH + 0.5) * H
    wanted = np.clip(particles.sign * sampled(drop.phi, particles.place) / H, SMALLEST, LARGEST)
    np.testing.assert_allclose(particles.radius, wanted, rtol=1e-6)
    near = len(cells_within(drop.phi, REACH * H)[0])
    for sign in (-1, 1):
        assert 0.9 < (particles.sign == sign).sum() / (near * 4**dimension) <= 1


@both_dimensions
def test_plain_level_set_is_carrying_and_redistancing_to_the_last_bit(dimension: int) -> None:
    """METHODS 5, degenerate check: with particles off, nothing else happens."""
    drop = LevelSet.of(ball(dimension), H, *BOXES[dimension], particles=False, scheme="linear")
    other = CellField(drop.phi.tiles, drop.phi.pool.copy())
    velocity = np.array([0.9, 0.4, -0.3])[:dimension]
    drop.advance(still(velocity), 1.3 * H)
    carry(other, MidpointPaths(lambda points: np.broadcast_to(velocity, points.shape)), 1.3 * H, H)
    other = redistance(in_its_tiles(other, H), BAND * H, H)
    assert np.array_equal(other.tiles.keys, drop.phi.tiles.keys)
    assert np.array_equal(other.pool, drop.phi.pool)


@both_dimensions
def test_particles_bring_back_a_sliver_that_was_erased(dimension: int) -> None:
    """METHODS 5, degenerate check: every cell centre inside an escaped negative ball is inside again."""
    size = np.array(BOXES[dimension][1])
    low, high = 0.3 * size, 0.7 * size
    low[1], high[1] = 10.6 * H, 12.5 * H  # a sheet less than two cells thick
    phi = level_set_of(partial(_box_distance, low, high), *BOXES[dimension], H)
    particles = seeded(phi, H, 4**dimension, np.random.default_rng(3))
    erased = CellField(phi.tiles, np.maximum(phi.pool, np.float32(0.6 * H)))
    escaped = particles.depth(erased, H) < -particles.radius
    assert correct(erased, particles, H) == escaped.sum() > 100
    cells = cells_within(phi, 3 * H)
    points, found = centres(phi.tiles, cells, H) / H, erased.pool[cells]
    balls = escaped & (particles.sign < 0)
    depth = np.full(len(points), -np.inf)
    for place, radius in zip(particles.place[balls], particles.radius[balls], strict=True):
        depth = np.maximum(depth, radius - np.linalg.norm(points - place, axis=1))
    assert (depth > 1e-4).sum() > 10
    assert np.all(found[depth > 1e-4] < 0)


def _box_distance(low: Array, high: Array, points: Array) -> Array:
    beyond = np.abs(points - (low + high) / 2) - (high - low) / 2
    return np.asarray(np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0))


def test_particles_where_they_belong_correct_nothing() -> None:
    disc = LevelSet.of(ball(2), H, *BOXES[2])
    before = disc.phi.pool.copy()
    assert correct(disc.phi, disc.particles, H) == 0
    assert np.array_equal(disc.phi.pool, before)


@both_dimensions
def test_reseeding_fills_empty_cells_thins_crowded_ones_and_keeps_what_escaped(dimension: int) -> None:
    drop = LevelSet.of(ball(dimension), H, *BOXES[dimension])
    particles, per_cell = drop.particles, 2**dimension
    one_side = particles.place[:, 0] * H > CENTRES[dimension][0]
    particles.keep(one_side)
    # Outside by more than the radius, but not by half as much again: escaped, not deep
    outside = np.array(CENTRES[dimension]) / H + 8.12 * np.eye(dimension)[0]
    particles.add(SignedParticles(outside[None], np.array([-1], np.int8), np.array([0.1], np.float32)))
    depth = particles.depth(drop.phi, H)[-1]
    assert -0.15 < depth < -0.1
    spray = reseed(particles, drop.phi, H, per_cell, np.random.default_rng(0))
    assert len(spray) == 0
    assert (particles.place == outside).all(axis=1).any()
    near = len(cells_within(drop.phi, REACH * H)[0])
    assert 0.8 < particles.count / (2 * near * per_cell) < 1.1
    assert ((particles.place[:, 0] * H < CENTRES[dimension][0]).sum() / particles.count) > 0.3


def test_negative_particles_deep_outside_become_spray() -> None:
    disc = LevelSet.of(ball(2), H, *BOXES[2])
    far = np.array(CENTRES[2]) / H + np.array([0.0, 10.0])
    disc.particles.add(SignedParticles(far[None], np.array([-1], np.int8), np.array([0.3], np.float32)))
    spray = reseed(disc.particles, disc.phi, H, 16, np.random.default_rng(0))
    np.testing.assert_array_equal(spray, far[None])
    assert not (disc.particles.place == far).all(axis=1).any()


# Known motions


@pytest.mark.slow
def test_zalesak_disc_after_one_turn() -> None:
    """VALIDATION 5: 100², loss at most 2 %, symmetric difference at most 5 % of the area."""
    points = fine_grid(30, 100, 700)
    inside = slotted_disc(points) < 0
    disc = LevelSet.of(slotted_disc, 1.0, (30, 55), (70, 95))
    plain = LevelSet.of(slotted_disc, 1.0, (30, 55), (70, 95), particles=False, scheme="linear")
    for _ in range(628):
        disc.advance(turning, 1 / 628)
        plain.advance(turning, 1 / 628)
    assert abs(disc.volume / 582.207 - 1) < 0.01
    assert difference(disc, inside, points) < 0.025
    assert plain.volume < 0.2 * 582.207


@pytest.mark.slow
def test_vortex_that_turns_back_leaves_a_disc() -> None:
    disc = plash.Sphere(center=(0.5, 0.75), radius=0.15)
    points = fine_grid(0.2, 1.0, 400)
    inside = np.hypot(points[:, 0] - 0.5, points[:, 1] - 0.75) < 0.15
    found = {}
    for particles in (True, False):
        level_set = LevelSet.of(disc, 1 / 64, (0, 0), (1, 1), particles=particles)
        for _ in range(250):
            level_set.advance(partial(vortex, 5.0), 5.0 / 250)
        found[particles] = level_set.volume / (np.pi * 0.15**2) - 1, difference(level_set, inside, points)
    assert abs(found[True][0]) < 0.03
    assert found[True][1] < 0.04
    assert found[False][1] > 3 * found[True][1]


@pytest.mark.slow
def test_deformation_in_space_that_turns_back_leaves_a_ball() -> None:
    level_set = LevelSet.of(plash.Sphere(center=(0.35,) * 3, radius=0.15), 1 / 32, (0, 0, 0), (1, 1, 1), per_cell=16)
    before = level_set.volume
    for _ in range(40):
        level_set.advance(partial(deformation, 1.0), 1.0 / 40)
    points = fine_grid(0.15, 0.55, 60, 3)
    assert level_set.volume == pytest.approx(before, rel=0.03)
    assert difference(level_set, np.linalg.norm(points - 0.35, axis=1) < 0.15, points) < 0.05


@both_dimensions
def test_bits_do_not_depend_on_the_number_of_threads(dimension: int) -> None:
    found = []
    threads = numba.get_num_threads()
    try:
        for count in (1, threads):
            numba.set_num_threads(count)
            drop = LevelSet.of(ball(dimension), H, *BOXES[dimension], per_cell=4, reseed_every=2)
            for _ in range(4):
                drop.advance(still(np.array([0.9, 0.4, -0.3])[:dimension]), 1.7 * H)
            found.append((drop.phi.pool, drop.particles.place))
    finally:
        numba.set_num_threads(threads)
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_two_circles_that_grow_become_one_region() -> None:
    """The missing figure of Cline 10.1: the level set of two cones."""
    low, high = (-0.6, -0.4), (0.6, 0.4)
    away = lambda x: np.minimum(np.hypot(x[:, 0] - 0.2, x[:, 1]), np.hypot(x[:, 0] + 0.2, x[:, 1]))  # noqa: E731
    apart = LevelSet.of(lambda x: away(x) - 0.15, 0.02, low, high, particles=False)

    def outwards(points: Array, time: float) -> Array:
        nearest = np.stack([np.where(points[:, 0] > 0, 0.2, -0.2), np.zeros(len(points))], axis=1)
        return np.asarray(
            (points - nearest) / np.maximum(np.linalg.norm(points - nearest, axis=1, keepdims=True), 1e-9)
        )

    middle = [[0.0, 0.0]]
    assert apart.distance_at(middle)[0] > 0
    for _ in range(10):
        apart.advance(outwards, 0.01)
    assert apart.distance_at(middle)[0] < 0
    points = fine_grid(-0.6, 0.6, 300)
    assert difference(apart, away(points) < 0.25, points) < 0.02
