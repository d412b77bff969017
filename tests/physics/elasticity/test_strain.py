"""Strain of particles in a flow that is the same everywhere: rotation, growth and yield have closed forms."""

import numpy as np
import pytest

from plash.particles.particles import Particles
from plash.particles.sort import sort_particles
from plash.physics.elasticity.particle_strain import Constants, StrainHow, particle_load, strain_particles
from plash.physics.elasticity.rates import Rates
from plash.physics.elasticity.samples import StressSamples, entry_count

H = 0.37
NEVER = Constants(np.array([[1.0], [1e9], [1e9]]))


def pairs(dimension):
    return [(a, b) for a in range(dimension) for b in range(a + 1, dimension)]


class Sample:
    """Some particles, and samples all round them."""

    def __init__(self, dimension, count=5):
        places = np.random.default_rng(3).uniform(4, 12, (count, dimension))
        self.particles = Particles.at(places)
        self.particles.volume[:] = 0.3
        self.particles.give_rows({"strain_tensor": entry_count(dimension), "strain": 1})
        sort_particles(self.particles, 3)
        self.dimension, tiles = dimension, self.particles.tiles
        share = np.ones((entry_count(dimension), tiles.count + 1, *tiles.shape), np.float32)
        mass = np.ones((dimension, *share.shape[1:]), np.float32)
        self.samples = StressSamples(tiles, share, share, mass)

    def go(self, gradient, dt, constants=NEVER, corotated=True):
        """Strain for dt in a velocity of this gradient, 1/s."""
        d, pool = self.dimension, self.samples.share
        strain, spin = np.zeros_like(pool), np.zeros_like(pool[d:])
        for a in range(d):
            strain[a] = gradient[a, a] * H
        for number, (a, b) in enumerate(pairs(d)):
            strain[d + number] = (gradient[a, b] + gradient[b, a]) / 2 * H
            spin[number] = (gradient[a, b] - gradient[b, a]) / 2 * H
        rates = Rates(strain, spin)
        strain_particles(self.particles, constants, rates, self.samples, dt, StrainHow(H, corotated))

    def put(self, tensor):
        for a in range(self.dimension):
            self.particles.strain_tensor[a] = tensor[a, a]
        for number, (a, b) in enumerate(pairs(self.dimension)):
            self.particles.strain_tensor[self.dimension + number] = tensor[a, b]

    def tensor(self):
        values, d = self.particles.strain_tensor[:, 0], self.dimension
        found = np.diag(values[:d])
        for number, (a, b) in enumerate(pairs(d)):
            found[a, b] = found[b, a] = values[d + number]
        return found

    def size(self):
        return float(np.linalg.norm(self.tensor()))


def rotation(dimension, angle):
    """About z in 2-D, about an oblique axis in 3-D."""
    if dimension == 2:
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    x, y, z = np.array([2.0, -1.0, 2.0]) / 3
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def stretched(dimension):
    tensor = np.array([[0.2, 0.1, -0.05], [0.1, -0.3, 0.15], [-0.05, 0.15, 0.1]])[:dimension, :dimension]
    return tensor - np.eye(dimension) * np.trace(tensor) / dimension


@pytest.mark.parametrize("steps", [12, 200])
def test_rigid_rotation_makes_no_stress(dimension, steps):
    """On the straight paths of long and of short steps: less than 1e-6 of the modulus in a turn."""
    sample, dt = Sample(dimension), 0.1
    gradient = (rotation(dimension, 2 * np.pi / steps) - np.eye(dimension)) / dt
    for _ in range(steps):
        sample.go(gradient, dt)
    assert np.abs(sample.particles.strain_tensor).max() < 1e-6


@pytest.mark.parametrize("steps", [12, 200])
def test_rotation_takes_strain_along(dimension, steps):
    """A turn brings it back, with the same energy all the way; as in the paper it stays where it was."""
    sample, start, dt = Sample(dimension), stretched(dimension), 0.1
    turn = rotation(dimension, 2 * np.pi / steps)
    sample.put(start)
    for step in range(1, steps + 1):
        sample.go((turn - np.eye(dimension)) / dt, dt)
        assert sample.size() == pytest.approx(np.linalg.norm(start), rel=1e-5)
        if step == steps // 3:
            far = rotation(dimension, 2 * np.pi * step / steps)
            assert np.allclose(sample.tensor(), far @ start @ far.T, atol=1e-5)
    assert np.allclose(sample.tensor(), start, atol=1e-5)


def test_strain_of_the_paper_does_not_turn(dimension):
    sample, start = Sample(dimension), stretched(dimension)
    sample.put(start)
    spin = rotation(dimension, 0.1) - rotation(dimension, -0.1)
    for _ in range(10):
        sample.go(spin, 0.1, corotated=False)
    assert np.allclose(sample.tensor(), start, atol=1e-6)


@pytest.mark.parametrize("corotated", [True, False])
def test_a_small_shear_is_half_of_its_angle(dimension, corotated):
    sample = Sample(dimension)
    gradient = np.zeros((dimension, dimension))
    gradient[0, 1] = 1e-3
    for _ in range(5):
        sample.go(gradient, 0.2, corotated=corotated)
    assert sample.tensor()[0, 1] == pytest.approx(0.5e-3, rel=1e-3)


def test_stretching_adds_up_to_the_logarithm(dimension):
    """In steps of any length: a body twice as long has the strain log 2 along it."""
    found = []
    for steps in (4, 40):
        sample = Sample(dimension)
        factor = 2 ** (1 / steps)
        motion = np.diag([factor, *[factor ** (-1 / (dimension - 1))] * (dimension - 1)])
        for _ in range(steps):
            sample.go((motion - np.eye(dimension)) / 0.1, 0.1)
        found.append(sample.tensor()[0, 0])
    assert found == pytest.approx([np.log(2)] * 2, rel=6e-3)


def log_of_stretch(motion):
    """dev ln(F Fᵀ)/2."""
    squares, axes = np.linalg.eigh(motion @ motion.T)
    tensor = axes * (np.log(squares) / 2) @ axes.T
    return tensor - np.eye(len(tensor)) * np.trace(tensor) / len(tensor)


@pytest.mark.parametrize("steps", [3, 30])
@pytest.mark.parametrize("angle", [0.5, 2.0, 6.0])
def test_shear_has_the_strain_of_its_stretch_however_far_it_goes(dimension, angle, steps):
    """By Jaumann's rate it would be sin(angle)/2, and push back from half a turn on."""
    sample = Sample(dimension)
    gradient = np.zeros((dimension, dimension))
    gradient[0, 1] = angle
    for _ in range(steps):
        sample.go(gradient / 0.1, 0.1 / steps)
    assert sample.tensor() == pytest.approx(log_of_stretch(np.eye(dimension) + gradient), abs=1e-5)
    assert sample.tensor()[0, 1] > 0.23


def test_what_comes_back_to_its_shape_by_another_way_is_not_strained(dimension):
    """Sheared one way, stretched, sheared back, and all of it undone at once: no work is gained on the way."""
    sample, unit = Sample(dimension), np.eye(dimension)
    shear, stretch = unit.copy(), unit.copy()
    shear[0, 1] = 0.8
    stretch[0, 0], stretch[1, 1] = 1.5, 1 / 1.5
    whole = unit
    for motion in (shear, stretch, shear.T, stretch @ shear):
        whole = motion @ whole
        sample.go((motion - unit) / 0.1, 0.1)
    assert sample.tensor() == pytest.approx(log_of_stretch(whole), abs=2e-6)
    assert sample.size() > 0.5
    sample.go((np.linalg.inv(whole) - unit) / 0.1, 0.1)
    assert sample.size() < 5e-6


def test_a_step_that_would_crush_liquid_is_survived(dimension):
    sample = Sample(dimension)
    sample.go(-5 * np.eye(dimension) + rotation(dimension, 1.0), 1.0)
    assert np.isfinite(sample.particles.strain_tensor).all()


@pytest.mark.parametrize("dt", [1e-3, 0.07, 5.0])
def test_strain_yields_at_its_rate(dimension, dt):
    """The closed form k + (E - k) exp(-r t) for every step, to 1e-6, in the direction that it has."""
    sample, start = Sample(dimension), stretched(dimension)
    point, rate = 0.15, 0.8
    sample.put(start)
    constants = Constants(np.array([[1.0], [point], [rate]]))
    size = np.linalg.norm(start)
    for step in range(1, 6):
        sample.go(np.zeros((dimension, dimension)), dt, constants)
        exact = point + (size - point) * np.exp(-rate * step * dt)
        assert sample.size() == pytest.approx(exact, rel=1e-6)
    assert np.allclose(sample.tensor() / sample.size(), start / size, atol=1e-12)


def test_each_particle_may_yield_by_itself(dimension):
    sample = Sample(dimension, count=2)
    sample.put(stretched(dimension))
    own = np.array([[1.0, 1.0], [1e9, 0.0], [1e9, 1e9]])
    sample.go(np.zeros((dimension, dimension)), 0.1, Constants(own))
    sizes = np.linalg.norm(sample.particles.strain_tensor, axis=0)
    assert (sizes > 0).sum() == 1


def test_what_particles_bring_is_what_the_grid_takes(dimension):
    """The sum over samples of the load is the sum over particles of volume times stress."""
    sample, rho = Sample(dimension), 700.0
    sample.put(stretched(dimension))
    load = particle_load(sample.particles, Constants(np.array([[50.0], [1e9], [1e9]])), sample.samples, rho)
    brought = 2 * 50.0 / rho * (sample.particles.volume * sample.particles.strain_tensor).sum(axis=1)
    assert load.sum(axis=(1, 2, 3, 4)) == pytest.approx(brought, rel=1e-5)
