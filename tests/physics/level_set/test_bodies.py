"""Bodies of liquid keep their volumes apart: numbers, what they become, and how their surfaces move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plash.grid.cells import label_cells
from plash.particles.surface import liquid_volume
from plash.physics.level_set.bodies import Bodies, numbered, volumes
from plash.physics.level_set.distancing import level_set_of
from plash.physics.level_set.volume import shares_inside, volume_inside

H = 0.04


def balls(dimension: int, *which: tuple[float, float]) -> Any:
    """The level set of balls at places along x, with their radii, in cells."""
    middle = 15.3 + np.zeros(dimension - 1)

    def distance(points: Any) -> Any:
        away = [np.linalg.norm(points / H - np.array([x, *middle]), axis=1) - radius for x, radius in which]
        return H * np.min(away, axis=0)

    high = (np.array([60, *middle * 2]) * H).tolist()
    return level_set_of(distance, [0.0] * dimension, high, H)


def bodies_of(phi: Any) -> Bodies:
    return Bodies.of(phi, np.zeros(phi.pool.shape, np.bool_), shares_inside(phi, H), H)


@pytest.mark.parametrize("dimension", [2, 3])
def test_each_ball_is_a_body_with_its_volume(dimension: int) -> None:
    phi = balls(dimension, (12.2, 5.0), (30.7, 7.1), (50.1, 4.2))
    bodies = bodies_of(phi)
    assert bodies.count == 3
    exact = [np.pi * r**2 if dimension == 2 else 4 / 3 * np.pi * r**3 for r in (5.0, 7.1, 4.2)]
    assert np.sort(bodies.wanted[1:]) == pytest.approx(np.sort(exact), rel=0.04)
    assert bodies.wanted.sum() == pytest.approx(volume_inside(phi, H), rel=1e-6)
    # Round each, all that counts has its number
    assert not (shares_inside(phi, H)[bodies.number.pool == 0] > 0).any()


@pytest.mark.parametrize("dimension", [2, 3])
def test_volume_is_that_of_the_labels_beside_walls_and_where_phi_jumps_too(dimension: int) -> None:
    phi = balls(dimension, (12.2, 5.0), (30.7, 7.1), (50.1, 4.2))
    origin = phi.tiles.cell_centres(phi.tiles.slots, 1.0).reshape(-1, *phi.tiles.shape, dimension)
    closed, fractions = np.zeros(phi.pool.shape, np.bool_), np.ones(phi.pool.shape, np.float32)
    closed[1:] = origin[..., 1] < 13
    fractions[1:] = np.where(origin[..., 1] < 14, 0.6, 1.0)
    phi.pool[1:][(origin[..., 0] > 33) & (phi.pool[1:] < 0.5 * H)] = np.float32(0.5 * H)
    cells = label_cells(phi.tiles, phi.pool < 0, closed, phi)
    assert volume_inside(phi, H, closed) == pytest.approx(liquid_volume(phi, cells, H), rel=1e-6)
    shares = shares_inside(phi, H, closed, fractions)
    assert shares.sum(dtype=np.float64) == pytest.approx(volume_inside(phi, H, closed, fractions), rel=1e-6)
    assert shares[closed].max() == 0


def test_lone_cells_and_a_thread_one_cell_wide_are_bodies() -> None:
    phi = balls(2, (12.2, 5.0), (50.1, 4.2))
    phi.pool[:] = H
    at = phi.tiles.slots[0], 0, 3, 2
    phi.pool[at] = -0.2 * H
    phi.pool[phi.tiles.slots[0], 0, 5:9, 7] = -0.2 * H
    number = numbered(phi, np.zeros(phi.pool.shape, np.bool_), H)
    assert number.pool.max() == 2
    assert np.unique(number.pool[phi.tiles.slots[0], 0, 5:9, 7]).size == 1


def test_what_bodies_should_have_goes_with_them_as_they_move_part_and_meet() -> None:
    before = bodies_of(balls(2, (14.0, 5.0), (36.0, 6.0)))
    assert before.count == 2
    before.wanted = np.array([0.0, 70.0, 130.0])

    # Both moved by more than their radius, and know where they came from
    moved = balls(2, (14.0 + 8.0, 5.0), (36.0 + 8.0, 6.0))
    now = before.followed(
        moved, np.zeros(moved.pool.shape, np.bool_), shares_inside(moved, H), H, lambda x: x - [8.0 * H, 0]
    )
    assert np.sort(now.wanted) == pytest.approx([0.0, 70.0, 130.0])

    # They meet: one has all
    met = balls(2, (22.0, 5.0), (29.0, 6.0))
    one = now.followed(
        met,
        np.zeros(met.pool.shape, np.bool_),
        shares_inside(met, H),
        H,
        lambda x: np.where(x[:, :1] > 26 * H, x + np.array([15.0 * H, 0]), x),
    )
    assert one.count == 1
    assert one.wanted[1] == pytest.approx(200.0)

    # It parts: both have a share by their volume
    parted = balls(2, (18.0, 5.0), (34.0, 6.0))
    shares = shares_inside(parted, H)
    two = one.followed(parted, np.zeros(parted.pool.shape, np.bool_), shares, H, lambda x: np.clip(x, 20 * H, 30 * H))
    measured = volumes(two.number, shares, 2)
    assert two.wanted[1:] == pytest.approx(200.0 * measured[1:] / measured.sum())


def test_what_vanishes_or_comes_from_nowhere_is_shared_out_by_volume() -> None:
    before = bodies_of(balls(2, (14.0, 5.0), (36.0, 6.0)))
    alone = balls(2, (14.0, 5.0), (52.0, 3.0))
    shares = shares_inside(alone, H)
    now = before.followed(alone, np.zeros(alone.pool.shape, np.bool_), shares, H, lambda x: x)
    assert now.wanted[0] == pytest.approx(np.pi * 36, rel=0.02)
    whole = before.wanted.sum()
    now.balance(whole)
    assert now.wanted.sum() == pytest.approx(whole)
    ratio = now.wanted[1:] / volumes(now.number, shares, 2)[1:]
    assert ratio[0] == pytest.approx(ratio[1], rel=1e-6)


@pytest.mark.parametrize("dimension", [2, 3])
def test_surface_of_one_body_moves_and_the_other_stays_to_the_last_bit(dimension: int) -> None:
    phi = balls(dimension, (14.0, 5.0), (38.0, 6.0))
    bodies, before = bodies_of(phi), phi.pool.copy()
    grows = int(np.argmax(bodies.wanted))
    missing = np.zeros(3)
    missing[grows] = 0.02 * bodies.wanted[grows]
    bodies.shift(phi, np.zeros(phi.pool.shape, np.bool_), missing, 0.2, H)
    changed = phi.pool != before
    assert not changed[bodies.number.pool == 3 - grows].any()
    after = volumes(bodies.number, shares_inside(phi, H), 2)
    assert after[grows] == pytest.approx(1.02 * bodies.wanted[grows], rel=2e-3)
    assert after[3 - grows] == pytest.approx(bodies.wanted[3 - grows], rel=1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_surface_stays_where_it_is_held_and_moves_elsewhere(dimension: int) -> None:
    phi = balls(dimension, (14.0, 5.0), (38.0, 6.0))
    bodies, before = bodies_of(phi), phi.pool.copy()
    x = phi.tiles.cell_centres(phi.tiles.slots, 1.0)[:, 0]
    held = np.zeros(phi.pool.shape, np.bool_)
    held[1:] = (x < 14).reshape(-1, *phi.tiles.shape)
    missing = np.full(3, 0.5)
    bodies.shift(phi, np.zeros(phi.pool.shape, np.bool_), missing, 0.2, H, held)
    changed = phi.pool != before
    assert not changed[held].any()
    assert changed[~held & (np.abs(before) < H)].all()


def test_no_number_reaches_through_a_wall() -> None:
    """What is traced back into a wall belongs to nobody, and not to the tank behind it."""
    phi = balls(2, (14.0, 5.0), (26.0, 5.0))
    x = phi.tiles.cell_centres(phi.tiles.slots, 1.0)[:, 0].reshape(-1, *phi.tiles.shape)
    wall = np.zeros(phi.pool.shape, np.bool_)
    wall[1:] = np.abs(x - 20) < 1.6
    number = numbered(phi, wall, H).pool
    assert not number[wall].any()
    left, right = (set(np.unique(number[1:][side & ~wall[1:]])) - {0} for side in (x < 20, x > 20))
    assert len(left) == len(right) == 1
    assert left != right
