"""Flow along walls that hold liquid: Z10 to Z13, as exact as solves are, for every scheme."""

import numpy as np
import pytest

from .liquids import Channel, H, scheme

SCHEMES = ("explicit", "implicit", "coupled")


def steady(channel, kind, nu, acceleration=0.0, viscosity=None, harmonic=True):
    """Push and let viscosity act until nothing changes."""
    highest = nu if viscosity is None else float(viscosity.pool.max())
    number = 0.15 if kind == "explicit" else 30.0
    dt = number * H**2 / highest
    acts = scheme(kind, nu, harmonic=harmonic)
    last = channel.profile()
    for _ in range(8000):
        channel.push(acceleration * dt)
        acts.apply(channel.velocity, channel.cells, channel.solids, viscosity, dt)
        now = channel.profile()
        if np.abs(now - last).max() <= 2e-7 * np.abs(now).max():
            return now + (acceleration * dt if kind == "explicit" else 0.0)  # what its stress is that of
        last = now
    raise AssertionError("not steady")


@pytest.mark.parametrize("kind", SCHEMES)
def test_poiseuille_flow_is_its_discrete_parabola(dimension, kind):
    """u_j = G/(2 nu) (y_j (H - y_j) + h²/4): the ghost beyond a wall is the mirror image."""
    nu, push, n = 0.3, 0.7, 6
    u = steady(Channel.of(dimension, n), kind, nu, push)
    y = (np.arange(n) + 0.5) * H
    assert np.allclose(u, push / (2 * nu) * (y * (n * H - y) + H**2 / 4), rtol=3e-4)


@pytest.mark.parametrize("kind", SCHEMES)
def test_couette_flow_is_linear(dimension, kind):
    lid, n = 1.7, 6
    u = steady(Channel.of(dimension, n, lid=lid), kind, nu=0.3)
    assert np.allclose(u, lid * (np.arange(n) + 0.5) / n, rtol=3e-4)


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize("harmonic", [True, False], ids=["harmonic", "geometric"])
def test_layers_carry_the_same_stress(kind, harmonic):
    """Exact with harmonic means; with geometric ones h (1/√(ν₁ν₂) - (1/ν₁ + 1/ν₂)/2) is added to H₁/ν₁ + H₂/ν₂."""
    low, high, n, boundary, lid = 0.02, 0.4, 6, 2, 1.3
    channel = Channel.of(2, n, lid=lid)
    u = steady(channel, kind, high, viscosity=channel.layered(low, high, boundary), harmonic=harmonic)
    resistance = H * (boundary / low + (n - boundary) / high)
    if not harmonic:
        resistance += H * (1 / np.sqrt(low * high) - 0.5 * (1 / low + 1 / high))
    stress = lid / resistance
    assert np.allclose(low * u[0] / (H / 2), stress, rtol=2e-4)
    assert np.allclose(high * (lid - u[-1]) / (H / 2), stress, rtol=2e-3)


@pytest.mark.parametrize("kind", ["implicit", "coupled"])
def test_two_layers_under_a_force(dimension, kind):
    """The stress falls by G h from edge to edge, and vanishes at y* = [H₁²/2ν₁ + (H₁H₂ + H₂²/2)/ν₂]/(H₁/ν₁ + H₂/ν₂)."""
    low, high, n, boundary, push = 0.05, 0.3, 6, 3, 0.9
    channel = Channel.of(dimension, n)
    u = steady(channel, kind, high, push, channel.layered(low, high, boundary))
    nu = np.where(np.arange(n) < boundary, low, high)
    inside = 2 / (1 / nu[1:] + 1 / nu[:-1]) * np.diff(u) / H
    assert np.allclose(np.diff(inside), -push * H, rtol=1e-3)
    lower, upper = boundary * H, (n - boundary) * H
    rest = (lower**2 / (2 * low) + (lower * upper + upper**2 / 2) / high) / (lower / low + upper / high)
    assert np.allclose(inside, push * (rest - H * np.arange(1, n)), atol=0.02 * push * H)


@pytest.mark.parametrize("kind", SCHEMES)
def test_walls_without_friction_do_not_hold(dimension, kind):
    """A plug of liquid goes on as it is."""
    channel = Channel.of(dimension, friction=0.0)
    channel.solids.holds_liquid = False
    channel.push(1.25)
    before = channel.profile()
    scheme(kind, 0.3).apply(channel.velocity, channel.cells, channel.solids, None, 0.05)
    assert (channel.profile() == before).all()
