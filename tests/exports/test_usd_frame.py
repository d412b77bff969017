"""The order of vertices in USD: along the longest side, so that they are packed fast; nothing else changes."""

import numpy as np

from plash.exports.usd_frame import in_order
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh


def layers():
    """Many thin layers in a box that is longest along z, with something different at every vertex."""
    z, y, x = np.mgrid[0:60, 0:24, 0:40].astype(np.float32)
    bare = mesh_of_array(np.sin(x) + np.cos(1.3 * y) + np.sin(0.9 * z), 0.02, (0.3, -0.1, 0.2))
    at = bare.vertices
    normals = np.stack([at[:, 1], at[:, 2], at[:, 0]], axis=1)
    return Mesh(at, bare.faces, normals, 2 * at, scalars={"age": at[:, 0] + at[:, 1], "color": 3 * at})


def test_every_corner_keeps_what_it_has():
    given = layers()
    found = in_order(given)
    assert len(found.vertices) == len(given.vertices)
    for known, sorted_ in (
        (given.vertices, found.vertices),
        (given.normals, found.normals),
        (given.velocity, found.velocity),
        *((given.scalars[name], found.scalars[name]) for name in ("age", "color")),
    ):
        assert np.array_equal(sorted_[found.faces], known[given.faces])


def test_corners_of_triangles_are_near_each_other_in_the_list():
    given, found = layers(), in_order(layers())
    z = found.vertices[:, 2]
    assert (np.diff(z) > -np.ptp(z) / 100).all()
    spread = [np.ptp(mesh.faces, axis=1).max() for mesh in (given, found)]
    assert spread[1] < 0.1 * len(z)
    assert spread[1] < spread[0]


def test_surfaces_without_triangles_or_without_a_longest_side():
    assert len(in_order(Mesh.empty()).vertices) == 0
    point = Mesh(np.full((3, 3), 0.7, np.float32), np.array([[0, 1, 2]], np.int32))
    assert np.array_equal(in_order(point).faces, point.faces)
