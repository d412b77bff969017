"""Scenes, meshes and views for tests of pictures."""

from __future__ import annotations

import numpy as np
import pytest

from plash.mesh.mesh import Mesh
from plash.mesh.shapes import shape_mesh
from plash.render.moment import Moment
from plash.scene import Box, Domain, Fill, Look, Scene, Solid, Sphere
from plash.solvers.frame import FrameParticles

DOMAIN = Domain(size=(2, 1, 1.2), resolution=20)


@pytest.fixture
def ball():
    """ball(center, radius): a closed mesh with normals."""

    def make(center=(1.0, 0.5, 0.6), radius=0.3) -> Mesh:
        return shape_mesh(Sphere(center=center, radius=radius), DOMAIN)

    return make


@pytest.fixture
def make_scene():
    """make_scene(dimension, solids=True, **look): a domain half as high as it is long, with one solid."""

    def make(dimension=3, solids=True, **look) -> Scene:
        size = (2, 1, 1.2)[:dimension]
        block = Box(min=(0,) * dimension, max=(0.7, 0.6, 0.9)[:dimension])
        disc = Sphere(center=(1.5, 0.3, 0.5)[:dimension], radius=0.2)
        return Scene(
            domain=Domain(size=size, resolution=20),
            fill=[Fill(shape=block)],
            solid=[Solid(shape=disc, look={"color": "red"})] if solids else [],
            look=Look(**{"width": 160, **look}),
        )

    return make


@pytest.fixture
def block_of_liquid():
    """block_of_liquid(dimension, time): liquid at rest at one end of the domain."""

    def make(dimension=3, time=0.0):
        high = (0.7, 0.6, 0.9)[:dimension]
        mesh = shape_mesh(Box(min=(0,) * dimension, max=high), Domain(size=(2, 1, 1.2)[:dimension]))
        points = np.stack(np.meshgrid(*[np.arange(0.025, side, 0.05) for side in high]), axis=-1)
        position = points.reshape(-1, dimension)
        velocity = np.zeros((len(mesh.vertices), 3), np.float32)
        mesh = Mesh(mesh.vertices, mesh.faces, mesh.normals, velocity, mesh.edges)
        volume = np.full(len(position), 0.05**dimension)
        velocity, age = np.zeros_like(position, np.float32), np.zeros(len(position), np.float32)
        particles = FrameParticles(position, {"velocity": velocity, "volume": volume, "age": age})
        return Moment(mesh, particles, time)

    return make
