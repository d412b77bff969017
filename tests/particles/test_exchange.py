"""Particles that give part of what they carry to those round them: what stays, what bounds it, and how far it goes."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.particles.exchange import means_of_rows, reach_of_exchange, take_means
from plash.solvers.build.liquid import build_liquid

H = 0.05


def full_box(dimension, **parts):
    """A box of liquid at rest, whose cells are 5 cm wide."""
    size = (1.6, 0.4, 0.3)[:dimension]
    fill: Any = [{"shape": {"kind": "box", "min": (0.0,) * dimension, "max": size}}]
    solver = build_liquid(plash.Scene(domain={"size": size, "resolution": 32}, fill=fill, **parts))
    _, _, cells, _ = solver.label()
    return solver.state.particles, cells


def exchanged(particles, cells, values, share):
    """Values after an exchange of a share."""
    result = values.copy()
    means, _ = means_of_rows(particles, result, cells)
    take_means(particles, result, means, cells, share)
    return result


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_nothing_is_lost_and_no_extreme_is_made(dimension, share):
    solid = [{"shape": {"kind": "sphere", "center": (0.7, 0.2, 0.15)[:dimension], "radius": 0.12}}]
    particles, cells = full_box(dimension, solid=solid)
    rng = np.random.default_rng(5)
    particles.volume *= rng.uniform(0.5, 1.5, particles.count).astype(np.float32)
    values = rng.uniform(-3, 8, (3, particles.count))
    after = exchanged(particles, cells, values, share)
    assert (particles.volume * after).sum(axis=1) == pytest.approx((particles.volume * values).sum(axis=1), rel=1e-13)
    assert (after.min(axis=1) >= values.min(axis=1)).all()
    assert (after.max(axis=1) <= values.max(axis=1)).all()
    assert (np.abs(after - values).max(axis=1) > 0.3 * share).all()
    assert exchanged(particles, cells, np.full_like(values, 0.7), share) == pytest.approx(0.7, rel=1e-14)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_wave_fades_as_by_diffusion(dimension, share):
    """A standing wave between walls loses a share (k h)² reach of itself, k its wave number."""
    particles, cells = full_box(dimension)
    wave = np.cos(math.pi * particles.position(H)[:, 0] / 0.8)
    faded = exchanged(particles, cells, np.tile(wave, (3, 1)), share)
    left = (particles.volume * wave * faded[0]).sum() / (particles.volume * wave * wave).sum()
    lost = share * -math.expm1(-((math.pi * H / 0.8) ** 2) * reach_of_exchange(particles))
    assert 1 - left == pytest.approx(lost, rel=0.04)
