"""Elastic bodies whose sides lie anywhere between the faces of cells: what particles at the surface bring and take."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.grid.fields import FaceField
from plash.physics.elasticity.elasticity import Elastic, OnParticles
from plash.physics.elasticity.force import add_elastic_force
from plash.physics.elasticity.particle_strain import Constants, strain_particles
from plash.physics.elasticity.rates import rates_of
from plash.physics.elasticity.samples import stress_samples
from plash.physics.viscosity.viscous_faces import FREE, ViscousFaces
from plash.solvers.build.liquid import build_liquid

RHO, MODULUS, H = 1300.0, 5e3, 0.0125


class Body:
    """A block in the air whose last cells are filled to some share, as a step of elastic liquid sees it."""

    def __init__(self, dimension, share):
        low = np.array([4.0, 5.0, 4.0][:dimension]) * H
        high = low + np.array([6.0, 5.0, 7.0][:dimension]) * H + share * H
        parts: dict[str, Any] = {
            "domain": {"size": tuple(np.array([16, 18, 15][:dimension]) * H), "resolution": 18},
            "liquid": {"density": RHO, "shear_modulus": MODULUS},
            "fill": [{"shape": {"kind": "box", "min": tuple(low), "max": tuple(high)}}],
        }
        made = plash.Scene(**parts)
        self.solver, self.middle = build_liquid(made), (low + high) / 2
        assert isinstance(self.solver.elasticity, Elastic)
        self.scheme, self.strain = self.solver.elasticity.scheme, self.solver.elasticity.strain
        assert isinstance(self.strain, OnParticles)
        solids, _, cells, _ = self.solver.label(1e-3)
        self.velocity, _ = self.solver.transfer.to_grid(self.solver.state, cells)
        self.faces = ViscousFaces.of(self.velocity, cells, solids)
        self.samples = stress_samples(self.faces, cells, self.scheme, on_particles=True)

    def take(self, velocity, dt):
        """Strain the particles by a velocity on faces for dt (s), without turning it."""
        assert isinstance(self.strain, OnParticles)
        constants = Constants(np.array([[MODULUS], [1e9], [1e9]]))
        how = self.strain.how._replace(corotated=False)
        strain_particles(
            self.solver.state.particles, constants, rates_of(velocity, self.samples), self.samples, dt, how
        )


@pytest.mark.parametrize("share", [0.0, 0.03, 0.3, 0.45, 0.53, 0.7, 0.9])
def test_the_force_is_the_transpose_of_the_strain_rate(dimension, share):
    """What a stress takes from any velocity is what strain gains, that of particles beyond the last samples too."""
    body, random = Body(dimension, share), np.random.default_rng(5)
    p, is_free = body.solver.state.particles, body.faces.kinds == FREE
    velocity = np.where(is_free, random.uniform(-1, 1, is_free.shape), 0).astype(np.float32)
    stress = random.uniform(-1, 1, p.strain_tensor.shape)
    p.strain_tensor[:] = stress
    force = FaceField(body.velocity.tiles, np.zeros_like(velocity))
    add_elastic_force(force, body.strain.load(body.solver.state, body.samples), body.samples, 1 / H)
    power = (body.samples.mass * velocity * force.pool).sum(dtype=np.float64)
    p.strain_tensor[:] = 0
    body.take(velocity, 1.0)
    twice = np.where(np.arange(len(stress)) < dimension, 1, 2)[:, None]
    gained = (2 * MODULUS / RHO * p.volume * twice * stress * p.strain_tensor).sum(dtype=np.float64)
    assert power == pytest.approx(-gained, rel=1e-4)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45, 0.53, 0.7])
def test_a_body_is_strained_to_its_surface(dimension, share):
    """In a velocity that is linear all particles are strained alike, those beyond the last face too; none by a turn."""
    body = Body(dimension, share)
    p = body.solver.state.particles
    gradient = np.array([[0.3, 0.7, -0.2], [-0.1, -0.5, 0.4], [0.6, 0.1, 0.2]])[:dimension, :dimension]
    gradient[1, 1] = gradient[1, 1] - np.trace(gradient)
    velocity = linear(body, gradient)
    body.take(velocity, 1.0)
    rate = (gradient + gradient.T) / 2
    pairs = [(a, b) for a in range(dimension) for b in range(a + 1, dimension)]
    expected = np.array([*np.diag(rate), *(rate[pair] for pair in pairs)])
    assert np.abs(p.strain_tensor - expected[:, None]).max() < 1e-4
    body.take(linear(body, (gradient - gradient.T) / 2), 1.0)
    assert np.abs(p.strain_tensor - expected[:, None]).max() < 2e-4


def linear(body, gradient):
    """A velocity of this gradient (1/s) on free faces, m/s."""
    tiles = body.velocity.tiles
    velocity = np.zeros_like(body.velocity.pool)
    for axis in range(tiles.dimension):
        place = tiles.cell_centres(tiles.slots, H)
        place[:, axis] -= H / 2
        values = ((place - body.middle) @ gradient[axis]).reshape(velocity[axis, 1:].shape)
        velocity[axis, 1:] = np.where(body.faces.kinds[axis, 1:] == FREE, values, 0)
    return velocity
