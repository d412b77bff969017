from __future__ import annotations

import numpy as np
import pytest

from plash.particles.particles import Particles


@pytest.fixture
def make_particles():
    """make_particles(positions in cells (n, d), velocity (n, d) or None, affine): unsorted particles."""

    def make(places, velocity=None, affine=False) -> Particles:
        places = np.asarray(places, np.float64)
        n, dimension = places.shape
        particles = Particles(dimension, n)
        cell = np.floor(places)
        particles.cell = np.ascontiguousarray(cell.T.astype(np.int32))
        particles.offset = np.ascontiguousarray((places - cell).T.astype(np.float32))
        speed = np.zeros((n, dimension)) if velocity is None else np.asarray(velocity)
        particles.velocity = np.ascontiguousarray(speed.T.astype(np.float32))
        particles.volume = np.full(n, 1 / 2**dimension, np.float32)
        particles.affine = np.zeros((dimension**2 if affine else 0, n), np.float32)
        return particles

    return make
