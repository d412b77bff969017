"""A standing shear wave between walls that hold it has the frequency of the staggered grid, and keeps its energy."""

from types import SimpleNamespace

import numpy as np
import pytest

from plash.grid.dense import from_dense, to_dense
from plash.physics.elasticity.elasticity import Elastic
from plash.physics.elasticity.grid_strain import OnGrid
from plash.physics.elasticity.strain_field import StrainField
from plash.physics.viscosity.base import Inviscid
from plash.physics.viscosity.stress_weights import Scheme

from ..viscosity.liquids import Channel

MODULUS, RHO = 1.5, 2.0  # k_em = 2 G = 3


def alike(pool, channel):
    """The values of the middle of the channel, all along it: the wave does not depend on x."""
    tiles, first = channel.cells.tiles, (-3,) * len(channel.along)
    size = tuple(n + 6 for n in channel.along)
    dense = to_dense(pool, tiles, first, size)
    dense[:] = dense[size[0] // 2]
    return from_dense(dense, tiles, first, np.float32(np.nan))


def wave(dimension, n, steps, cells_a_step=0.3, amplitude=1e-3):
    """Times and velocities of the middle of the wave u = U sin(pi y), in a channel of height 1."""
    h = 1 / n
    channel = Channel.of(dimension, n, 12 if dimension == 2 else 6, h=h)
    dt = cells_a_step * h / np.sqrt(MODULUS / RHO)
    elastic = Elastic(OnGrid((MODULUS, 1e9, 1e9), RHO, h, False), MODULUS, RHO, Scheme(h, True, True, 0.5))
    tiles, first = channel.cells.tiles, (-3,) * dimension
    size = tuple(m + 6 for m in channel.along)
    profile = amplitude * np.sin(np.pi * (np.arange(-3, n + 3) + 0.5) * h)
    shape = (1, -1) if dimension == 2 else (1, -1, 1)
    start = np.broadcast_to(profile.reshape(shape), size).astype(np.float32)
    velocity = channel.velocity
    known = ~np.isnan(velocity.pool)
    velocity.pool[0] = np.where(known[0], from_dense(start, tiles, first, np.float32(0)), np.nan)
    zero = np.zeros((len(StrainField.unknown(tiles).pool), tiles.count + 1, *tiles.shape), np.float32)
    liquid = SimpleNamespace(
        particles=None, velocity=velocity, carried=None, viscosity=None, strain=StrainField(tiles, zero), lag=0.0
    )
    found = [channel.profile()[n // 2]]
    for step in range(steps):
        motion = elastic.at(liquid, channel.cells, channel.solids, dt)
        motion.apply(Inviscid(), velocity, dt if step else 0.0)
        for axis in range(dimension):
            velocity.pool[axis] = np.where(known[axis], alike(velocity.pool[axis], channel), np.nan)
        motion.strain(velocity)
        liquid.strain.pool[:] = [alike(pool, channel) for pool in liquid.strain.pool]
        liquid.lag = dt / 2
        found.append(channel.profile()[n // 2])
    return dt, np.array(found[1:])


def expected(n, dt):
    k = 2 * n * np.sin(np.pi / (2 * n))
    return 2 / dt * np.arcsin(np.sqrt(MODULUS / RHO) * k * dt / 2)


@pytest.mark.parametrize(
    ("dimension", "n"),
    [(2, 16), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((2, 32), (2, 64), (3, 16), (3, 32), (3, 64)))],
)
def test_a_standing_wave_has_the_frequency_of_the_grid(dimension, n):
    """Z15: sin(omega dt/2) = c K dt/2, within 1e-4, and no decay."""
    dt, u = wave(dimension, n, steps=(4 if n == 64 else 6) * n)
    omega = expected(n, dt)
    times = np.arange(len(u)) * dt

    def misfit(frequency):
        basis = np.stack([np.cos(frequency * times), np.sin(frequency * times)], axis=1)
        return float(np.linalg.lstsq(basis, u, rcond=None)[1][0])

    near = omega * (1 + np.linspace(-1e-3, 1e-3, 81))
    best = near[np.argmin([misfit(frequency) for frequency in near])]
    assert best == pytest.approx(omega, rel=1e-4)
    half = len(u) // 2
    assert np.abs(u[half:]).max() == pytest.approx(np.abs(u[:half]).max(), rel=5e-3)
