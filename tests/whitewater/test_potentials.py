"""What makes whitewater is zero where nothing should: in liquid that moves as a rigid body, however it does."""

import numpy as np
import pytest

from plash.scene import Domain, Whitewater
from plash.whitewater.births import Ranges, born
from plash.whitewater.chance import Draw
from plash.whitewater.flow import flow_of
from plash.whitewater.potentials import potentials

H = 0.04
SIDES = {2: (0.8, 0.6), 3: (0.8, 0.6, 0.4)}
BLOCK = {2: ((0.2, 0.2), (0.5, 0.4)), 3: ((0.2, 0.2, 0.1), (0.5, 0.4, 0.3))}


def block(dimension, velocity, jitter=0.6):
    """The flow of a block of jittered particles, two along the edge of a cell, with a velocity by place."""
    low, high = BLOCK[dimension]
    counts = [round((b - a) / (H / 2)) for a, b in zip(low, high, strict=True)]
    index = np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), axis=-1).reshape(-1, dimension)
    shift = np.random.default_rng(2).uniform(-0.5, 0.5, index.shape) * jitter
    place = np.array(low) + (index + 0.5 + shift) * H / 2
    volume = np.full(len(place), (H / 2) ** dimension)
    domain = Domain(size=SIDES[dimension], cell_size=H)
    return flow_of(place, velocity(place).astype(np.float32), volume, domain, ()), domain


def spinning(place):
    away = place - place.mean(axis=0)
    turned = np.zeros_like(away)
    turned[:, 0], turned[:, 1] = -7.0 * away[:, 1], 7.0 * away[:, 0]
    return turned


RIGID = {
    "still": np.zeros_like,
    "falling": lambda place: np.tile([0.0, -3.0, 0.0][: place.shape[1]], (len(place), 1)),
    "flying": lambda place: np.tile([2.0, 1.0, -0.5][: place.shape[1]], (len(place), 1)),
    "spinning": spinning,
}


@pytest.mark.parametrize("motion", RIGID)
def test_rigid_motion_makes_no_whitewater(dimension, motion):
    flow, domain = block(dimension, RIGID[motion])
    found = potentials(flow, -1.0)
    assert len(found.number) > 0.1 * flow.particles.count
    fastest = max(float(np.abs(flow.particles.velocity).max()), 1.0)
    assert np.abs(found.approach).max() < 1e-6 * fastest
    assert np.abs(found.crest).max() < 1e-6 * fastest
    assert len(born(flow, Whitewater(amount=1000), domain, Draw(0, 5), 1.0)) == 0


def test_liquid_that_closes_in_traps_air_and_what_runs_ahead_is_a_crest(dimension):
    """Both are the speeds they say: with u = -k (x - x₀) a neighbour at r approaches at k r, with +k it recedes."""
    closing, _ = block(dimension, lambda place: -3.0 * (place - place.mean(axis=0)))
    parting, _ = block(dimension, lambda place: 3.0 * (place - place.mean(axis=0)))
    inward, outward = potentials(closing, -1.0), potentials(parting, -1.0)
    assert inward.approach.max() > 0.3 * 3.0 * H
    assert inward.approach.max() < 3.0 * H
    assert inward.crest.max() == 0
    assert outward.approach.max() == 0
    assert 0.1 * 3.0 * H < outward.crest.max() < 3.0 * H


def test_deep_liquid_traps_nothing(dimension):
    flow, _ = block(dimension, lambda place: -3.0 * (place - place.mean(axis=0)), jitter=0.0)
    found = potentials(flow, -1.0)
    place = (flow.particles.cell + flow.particles.offset).T[found.number] * H
    low, high = (np.array(end) for end in BLOCK[dimension])
    depth = np.minimum(place - low, high - place).min(axis=1)
    assert depth.max() < 1.5 * H


def test_ranges_grow_with_the_scene():
    """In a domain four times as high, of the same gravity, speeds and times double, and energies are four times."""
    small, large = (Ranges.of(Whitewater(amount=1), Domain(size=(s, s, s), resolution=16)) for s in (0.5, 2.0))
    assert np.allclose(large.trapped_air, 2 * np.array(small.trapped_air))
    assert np.allclose(large.wave_crest, 2 * np.array(small.wave_crest))
    assert np.allclose(large.energy, 4 * np.array(small.energy))
    assert np.isclose(large.lifetime, 2 * small.lifetime)
    given = Whitewater(amount=1, trapped_air=(0.1, "50 cm/s"), energy=(1, 2), lifetime="2 s")
    ranges = Ranges.of(given, Domain(size=(1, 1), resolution=16))
    assert (ranges.trapped_air, ranges.energy, ranges.lifetime) == ((0.1, 0.5), (1.0, 2.0), 2.0)


def test_amount_scales_births(dimension):
    flow, domain = block(dimension, lambda place: -40.0 * (place - place.mean(axis=0)))
    few, many = (len(born(flow, Whitewater(amount=amount), domain, Draw(0, 3), 0.04)) for amount in (2, 8))
    assert few > 100
    assert many == pytest.approx(4 * few, rel=0.1)
