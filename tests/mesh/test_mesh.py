import numpy as np

from plash.mesh.mesh import Mesh, joined

CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
FACES = np.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))], np.int32)


def box(sizes=(0.3, 0.7, 1.1), at=(0.0, 0.0, 0.0)) -> Mesh:
    return Mesh((CUBE * sizes + at).astype(np.float32), FACES)


def test_box_has_its_volume_and_area():
    assert np.isclose(box().volume, 0.231)
    assert np.isclose(box().area, 2 * (0.3 * 0.7 + 0.3 * 1.1 + 0.7 * 1.1))
    assert box().euler_number == 2
    assert box().open_edges() == 0


def test_volume_does_not_depend_on_where_it_is():
    assert np.isclose(box((0.5, 1.0, 2.0), at=(1024.0, -512.0, 0.0)).volume, 1.0)


def test_missing_and_turned_faces_are_open_edges():
    whole = box()
    assert Mesh(whole.vertices, FACES[:-1]).open_edges() == 3
    turned = FACES.copy()
    turned[0] = turned[0, ::-1]
    assert Mesh(whole.vertices, turned).open_edges() == 3


def test_doubled_faces_are_open_edges():
    assert Mesh(box().vertices, np.concatenate([FACES, FACES])).open_edges() == 18


def test_empty_mesh_has_nothing():
    empty = Mesh.empty()
    assert (empty.volume, empty.area, empty.euler_number, empty.open_edges()) == (0, 0, 0, 0)


def test_flat_mesh_measures_area_and_outline():
    square = np.array([[0, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0]], np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    outline = np.array([[0, 1], [1, 2], [2, 3], [3, 0]], np.int32)
    mesh = Mesh(square, faces, edges=outline)
    assert mesh.dimension == 2
    assert mesh.volume == mesh.area == 6
    assert mesh.open_edges() == 0
    assert Mesh(square, faces, edges=outline[:3]).open_edges() == 2


def test_joined_meshes_keep_what_both_have():
    one, two = box(), box(at=(3.0, 0.0, 0.0))
    both = joined([one, two])
    assert np.isclose(both.volume, one.volume + two.volume)
    assert both.euler_number == 4
    assert both.normals is None
    assert len(joined([]).faces) == 0
