"""What tests of exports share: a small surface that carries something."""

import numpy as np
import pytest

from plash.mesh.mesh import Mesh
from plash.mesh.normals import creased
from plash.mesh.shapes import shape_mesh
from plash.scene import Domain, Sphere


@pytest.fixture(scope="session")
def drop():
    """A ball off the origin, spinning about y and falling, with an age."""
    ball = shape_mesh(Sphere(center=(0.7, 1.3, -0.4), radius=0.25), Domain(size=(1.0, 2.0, 1.5)))
    places = ball.vertices.astype(np.float64)
    velocity = np.cross([0, 2.0, 0], places) - [0, 3.0, 0]
    age = 0.5 + places[:, 1]
    return creased(
        Mesh(
            ball.vertices,
            ball.faces,
            ball.normals,
            velocity.astype(np.float32),
            scalars={"age": age.astype(np.float32)},
        )
    )
