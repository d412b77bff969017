import numpy as np

from plash.mesh.defects import defects
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh


def ball(dimension):
    axes = np.mgrid[(slice(-5, 6),) * dimension] * 0.2
    return mesh_of_array(np.sqrt((axes**2).sum(axis=0)) - 0.71, 0.2, (-1.0,) * dimension)


def test_a_closed_mesh_has_none(dimension):
    assert defects(ball(dimension)) == []


def test_holes_are_counted_and_placed(dimension):
    whole = ball(dimension)
    if dimension == 2:
        found = defects(Mesh(whole.vertices, whole.faces, edges=whole.edges[1:]))
        assert found[0].startswith("it has holes: 2 ends of its outline, one of them at (")
    else:
        found = defects(Mesh(whole.vertices, whole.faces[1:]))
        assert found[0].startswith("it has holes: 3 open edges, one of them at (")
    assert len(found) == 1


def test_inside_out_is_told(dimension):
    whole = ball(dimension)
    turned = Mesh(whole.vertices, whole.faces[:, ::-1].copy(), edges=whole.edges[:, ::-1].copy())
    assert len(defects(turned)) == 1
    assert "inside out" in defects(turned)[0]
    assert ("m²" if dimension == 2 else "m³") in defects(turned)[0]


def test_empty_is_told():
    assert defects(Mesh.empty()) == ["it is empty: it has no triangles"]


def test_nonsense_is_told():
    whole = ball(3)
    assert "vertex 1000000" in defects(Mesh(whole.vertices, np.array([[0, 1, 1000000]], np.int32)))[0]
    broken = whole.vertices.copy()
    broken[3, 1] = np.nan
    assert "1 of its vertices" in defects(Mesh(broken, whole.faces))[0]
