"""Vorticity confinement."""

import numpy as np
import pytest

from plash.physics.box.vorticity import NoConfinement, VorticityConfinement, confining_force

H = 0.37


def rotation(shape, h=H):
    """Solid-body rotation about z, in 2-D and 3-D, on faces."""
    index = np.indices(shape)
    x, y = index[-1] * h, index[-2] * h
    velocity = np.zeros((len(shape), *shape))
    velocity[0], velocity[1] = -(y + h / 2 - 2.0), x + h / 2 - 1.5
    return 3.0 * velocity


@pytest.mark.parametrize("shape", [(20, 27), (9, 14, 17)])
def test_an_even_rotation_is_left_alone(shape):
    force = confining_force(rotation(shape), H, 1.0)
    inner = (slice(None), *(slice(2, -3),) * len(shape))
    assert np.abs(force[inner]).max() < 1e-8


@pytest.mark.parametrize("shape", [(8, 9), (5, 6, 7)])
def test_rest_stays_rest(shape):
    velocity = np.zeros((len(shape), *shape))
    VorticityConfinement(2.0, H).add(velocity, 0.1)
    assert not velocity.any()


def vortex(n):
    """A Gaussian vortex on faces of a box of side 4, and its cell size."""
    h = 4.0 / n
    velocity = np.zeros((2, n, n))
    for axis, offset in enumerate(((0.0, 0.5), (0.5, 0.0))):
        y, x = np.indices((n, n))
        x, y = (x + offset[0]) * h - 2.0, (y + offset[1]) * h - 2.0
        velocity[axis] = (-y, x)[axis] * np.exp(-2 * (x**2 + y**2))
    return velocity, h


def test_a_vortex_is_spun_up():
    velocity, h = vortex(48)
    spun = velocity.copy()
    VorticityConfinement(0.5, h).add(spun, 0.1)
    assert (spun * velocity).sum() > 1.005 * (velocity**2).sum()


def test_the_effect_vanishes_under_refinement():
    """The force carries the cell size: half of it on cells of half the size."""
    sizes = []
    for n in (32, 64):
        velocity, h = vortex(n)
        sizes.append(np.sqrt((confining_force(velocity, h, 1.0) ** 2).mean()))
    assert sizes[0] / sizes[1] == pytest.approx(2.0, rel=0.05)


def test_none_changes_no_bit():
    velocity, h = vortex(16)
    for confinement in (NoConfinement(), VorticityConfinement(0.0, h)):
        after = velocity.copy()
        confinement.add(after, 0.1)
        assert (after == velocity).all()


def test_same_bits_for_any_number_of_threads(threads):
    velocity = np.random.default_rng(0).standard_normal((3, 7, 8, 9))
    found = []
    for n in (1, 2):
        threads(n)
        found.append(confining_force(velocity, H, 1.0).tobytes())
    assert found[0] == found[1]
