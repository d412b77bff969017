import json
import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import trimesh

from plash.errors import SceneError
from plash.levelset.mesh_load import load_body, mesh_problems
from plash.levelset.shapes import distance, thickened_distance
from plash.levelset.triangles import Triangles
from plash.scene import Box, Difference, MeshShape, Rotation, Sphere, Union
from plash.scene.mesh_files.check import defects, winding
from plash.scene.mesh_files.merge import merged

FORMATS = ("stl", "obj", "ply", "glb", "gltf")


def saved(mesh, path):
    """A mesh shape of a file of this mesh; glTF keeps its numbers in files of their own."""
    if path.suffix == ".gltf":
        for name, data in mesh.scene().export(file_type="gltf").items():
            (path.parent / name).write_bytes(data)
        (path.parent / "model.gltf").rename(path)
    else:
        mesh.export(path)
    return MeshShape(file=path)


def tree(mesh):
    return Triangles.of(*merged(np.array(mesh.vertices), np.array(mesh.faces)))


def tree_of_one(corners, points):
    """Distance to a single triangle."""
    return np.abs(Triangles.of(corners, np.array([[0, 1, 2]])).distance(points))


def joined(*meshes):
    return trimesh.util.concatenate(meshes)


def scattered(count=2000, reach=1.5, seed=0):
    return np.random.default_rng(seed).uniform(-reach, reach, (count, 3))


def lattice(count, reach):
    axes = np.meshgrid(*[np.linspace(-reach, reach, count)] * 3, indexing="ij")
    return np.stack(axes, axis=-1).reshape(-1, 3)


def test_fine_ball_is_a_ball_but_for_the_height_of_its_triangles():
    points = scattered()
    exact = np.linalg.norm(points, axis=1) - 1
    errors = [
        np.abs(tree(trimesh.creation.icosphere(subdivisions=n)).distance(points) - exact).max() for n in (2, 3, 4)
    ]
    assert errors[0] < 0.02
    # The triangles stand off the ball by the square of their size
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize("cut", [0, 1, 3])
def test_mesh_of_a_box_has_the_distance_of_the_box(cut):
    """On a lattice that holds all faces, edges and corners, so that rays run through every one of them."""
    mesh = trimesh.creation.box((1, 1, 1))
    for _ in range(cut):
        mesh = mesh.subdivide()
    points = lattice(17, 1.0)
    exact = distance(Box(min=(-0.5, -0.5, -0.5), max=(0.5, 0.5, 0.5)), points)
    assert tree(mesh).distance(points) == pytest.approx(exact, abs=1e-15)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((2, 0.1, 0.2), 1),
        ((4, 5, 0.3), 5),
        ((2, 3, 3), 3),
        ((0, 0.25, 0), -0.75),
        ((0, 0, 0), -1),
        ((0.9, 0.5, 0.5), -0.1),
    ],
)
def test_distance_to_face_edge_corner_and_inside(point, expected):
    assert tree(trimesh.creation.box((2, 2, 2))).distance(np.array([point])) == pytest.approx([expected], abs=1e-15)


def test_every_point_is_as_far_as_its_nearest_triangle():
    """Against all triangles one by one, and the solid angle for the sign."""
    mesh = trimesh.creation.icosphere(subdivisions=1)
    mesh.vertices *= np.random.default_rng(5).uniform(0.5, 1, (len(mesh.vertices), 1))
    points = scattered(200)
    found = tree(mesh).distance(points)
    for point, phi in zip(points, found, strict=True):
        nearest = trimesh.triangles.closest_point(mesh.triangles, np.tile(point, (len(mesh.faces), 1)))
        assert abs(phi) == pytest.approx(np.linalg.norm(nearest - point, axis=1).min(), abs=1e-12)
        assert (phi < 0) == (winding(point, np.array(mesh.triangles)) > 0.5)


def test_needles_and_fans_are_searched_as_exactly_as_round_triangles():
    """A cylinder as programs write it: sides as thin as needles, and caps that fan out from a point."""
    mesh = trimesh.creation.cylinder(radius=0.4, height=1.7, sections=61)
    points = np.concatenate([scattered(1000), lattice(12, 1.0)])
    phis = np.stack([tree_of_one(triangle, points) for triangle in np.array(mesh.triangles)])
    found = tree(mesh).distance(points)
    np.testing.assert_allclose(np.abs(found), phis.min(axis=0), rtol=0, atol=1e-14)


@pytest.mark.parametrize("sections", [3, 5, 9, 17, 35, 70, 140])
def test_trees_of_every_depth_find_the_nearest_triangle_to_the_last_bit(sections):
    """Searches go by three levels at once, so each remainder of that is another top of the tree."""
    mesh = trimesh.creation.cone(radius=0.7, height=1.3, sections=sections)
    points = scattered(300)
    body = tree(mesh)
    phis = np.stack([tree_of_one(triangle, points) for triangle in body.corners.reshape(-1, 3, 3)])
    assert np.array_equal(np.abs(body.distance(points)), phis.min(axis=0))


@pytest.mark.parametrize("least", [0.1, 0.3])
def test_swollen_walls_are_searched_exactly_too(least):
    """Against all triangles one by one, each with its own swelling; a wall that is thin here and thick there."""
    mesh = trimesh.creation.icosphere(subdivisions=2)
    hollow = trimesh.creation.icosphere(subdivisions=2, radius=0.8)
    hollow.apply_translation([0.12, 0.05, 0.0])
    hollow.invert()
    body = tree(joined(mesh, hollow))
    points = np.concatenate([scattered(1000), lattice(12, 1.2)])
    swell = np.maximum(least - body.thickness, 0.0) / 2
    assert swell.min() == 0 < swell.max()
    phis = np.stack([tree_of_one(triangle, points) for triangle in body.corners.reshape(-1, 3, 3)])
    inside = body.distance(points) < 0
    expected = np.where(inside, -(phis + swell[:, None]).min(axis=0), (phis - swell[:, None]).min(axis=0))
    found = body.distance(points, least)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    order = np.random.default_rng(0).permutation(len(points))
    assert body.distance(points[order], least).tobytes() == found[order].tobytes()


def test_torus_has_a_hole():
    mesh = trimesh.creation.torus(1.0, 0.4, major_sections=128, minor_sections=64)
    points = scattered()
    exact = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1, points[:, 2]) - 0.4
    found = tree(mesh).distance(points)
    assert found == pytest.approx(exact, abs=2e-3)
    assert tree(mesh).distance(np.array([[0.0, 0, 0], [1.0, 0, 0]])) == pytest.approx([0.6, -0.4], abs=2e-3)


def test_thin_plate_keeps_its_sides_apart():
    plate = trimesh.creation.box((1, 1e-4, 1)).subdivide().subdivide()
    points = lattice(21, 0.7)
    exact = distance(Box(min=(-0.5, -5e-5, -0.5), max=(0.5, 5e-5, 0.5)), points)
    assert tree(plate).distance(points) == pytest.approx(exact, abs=1e-15)
    assert (exact < 0).any()


@pytest.mark.parametrize("turn", range(20))
def test_rays_through_edges_never_leak(turn):
    """Points lined up with the vertices of turned meshes along the ray, where careless counting goes wrong."""
    mesh = trimesh.creation.box((1, 1, 1)).subdivide()
    mesh.apply_transform(trimesh.transformations.rotation_matrix(0.1 * turn, [1, turn % 3, 0]))
    along = np.linspace(-2, 2, 31)
    points = np.concatenate([[[x, y, z] for x in along] for _, y, z in mesh.vertices])
    found = tree(mesh).distance(points)
    back = trimesh.transformations.rotation_matrix(-0.1 * turn, [1, turn % 3, 0])[:3, :3]
    exact = distance(Box(min=(-0.5,) * 3, max=(0.5,) * 3), points @ back.T)
    assert found == pytest.approx(exact, abs=1e-14)


def test_needles_do_no_harm():
    """A triangle without area, of three vertices on a line, closes the gap between two others."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0.0]])
    triangles = np.array([[0, 2, 1], [1, 2, 4], [0, 1, 3], [0, 3, 2], [1, 4, 3], [4, 2, 3]])
    assert defects(vertices, triangles) == []
    plain = Triangles.of(vertices[:4], np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    points = np.concatenate([scattered(500), lattice(9, 1.0)])
    assert Triangles.of(vertices, triangles).distance(points) == pytest.approx(plain.distance(points), abs=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_moved_mesh_is_the_moved_shape(tmp_path, seed):
    random = np.random.default_rng(seed)
    low, size = random.uniform(-1, 1, 3), random.uniform(0.2, 1, 3)
    scale = float(random.uniform(0.01, 100))
    mesh = trimesh.creation.box(bounds=np.array([low, low + size]) / scale)
    moves: Any = {
        "rotation": Rotation(angle=float(random.uniform(-4, 4)), axis=tuple(random.normal(size=3))),
        "translation": tuple(random.uniform(-1, 1, 3)),
    }
    mesh.export(tmp_path / "box.obj", digits=17)
    shape = MeshShape(file=tmp_path / "box.obj", scale=scale, **moves)
    exact = Box(min=tuple(low), max=tuple(low + size), **moves)
    points = scattered(500)
    assert distance(shape, points) == pytest.approx(distance(exact, points), abs=1e-12)
    assert np.array(shape.bounds(3)) == pytest.approx(np.array(exact.bounds(3)), abs=1e-12)


def test_any_number_of_threads_and_any_order_gives_the_same_bits(threads):
    mesh = trimesh.creation.torus(1.0, 0.4, major_sections=48, minor_sections=24)
    points = np.concatenate([lattice(20, 1.5), scattered()])
    found = []
    for count in (1, 2):
        threads(count)
        found.append(tree(mesh).distance(points))
    assert found[0].tobytes() == found[1].tobytes()
    order = np.random.default_rng(0).permutation(len(points))
    assert tree(mesh).distance(points[order]).tobytes() == found[0][order].tobytes()
    assert tree(mesh).distance(points[777:778])[0] == found[0][777]


def test_scenes_without_meshes_compile_nothing_for_them():
    program = (
        "import plash, plash.levelset.triangles as triangles\n"
        "from plash.levelset.shapes import distance\n"
        "distance(plash.Sphere(center=(0, 0, 0), radius=1), [(0, 0, 0)])\n"
        "assert not triangles._search.signatures and not triangles._search_some.signatures"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_points_have_no_distances():
    assert tree(trimesh.creation.box((1, 1, 1))).distance(np.zeros((0, 3))).shape == (0,)


def test_mesh_may_be_part_of_a_group(tmp_path):
    ball = saved(trimesh.creation.icosphere(subdivisions=3), tmp_path / "ball.ply")
    box = Box(min=(0, -2, -2), max=(2, 2, 2))
    points = scattered(300)
    phi, other = distance(ball, points), distance(box, points)
    assert (distance(Union(of=[ball, box]), points) == np.minimum(phi, other)).all()
    assert (distance(Difference(of=[box, ball]), points) == np.maximum(other, -phi)).all()


# Files


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_holds_the_same_body(tmp_path, suffix):
    shape = saved(trimesh.creation.box((1, 2, 3)), tmp_path / f"box.{suffix}")
    points = scattered(300)
    exact = distance(Box(min=(-0.5, -1, -1.5), max=(0.5, 1, 1.5)), points)
    assert distance(shape, points) == pytest.approx(exact, abs=1e-7)
    body = load_body(shape)
    assert isinstance(body, Triangles)
    assert len(body.vertices) == 8


def test_ascii_and_capital_suffix_are_read(tmp_path):
    mesh = trimesh.creation.box((1, 1, 1))
    (tmp_path / "box.STL").write_text(trimesh.exchange.stl.export_stl_ascii(mesh))
    shape = MeshShape(file=tmp_path / "box.STL")
    assert distance(shape, [(0, 0, 0), (2, 0, 0)]) == pytest.approx([-0.5, 1.5])


def test_squares_are_cut_into_triangles(tmp_path):
    corners = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    faces = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
    (tmp_path / "cube.obj").write_text(f"mtllib missing.mtl\n{corners}{faces}")
    assert distance(MeshShape(file=tmp_path / "cube.obj"), [(0.5, 0.5, 0.5)]) == pytest.approx([-0.5])


def test_parts_of_a_scene_stand_where_the_scene_puts_them(tmp_path):
    box = trimesh.creation.box((1, 1, 1))
    scene = trimesh.Scene()
    scene.add_geometry(box, node_name="a", geom_name="box")
    scene.add_geometry(box, node_name="b", geom_name="box", transform=np.diag([-1.0, 1, 1, 1]) + 3 * np.eye(4, k=3))
    scene.export(tmp_path / "pair.glb")
    shape = MeshShape(file=tmp_path / "pair.glb")
    assert shape.own_bounds(3) == ((-0.5, -0.5, -0.5), (3.5, 0.5, 0.5))
    assert distance(shape, [(0, 0, 0), (1.5, 0, 0), (3, 0, 0)]) == pytest.approx([-0.5, 1.0, -0.5])


def test_overlapping_parts_are_one_body(tmp_path):
    pair = joined(trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1)).apply_translation((0.4, 0.3, 0.2)))
    shape = saved(pair, tmp_path / "pair.stl")
    points = scattered(1000)
    exact = distance(
        Union(of=[Box(min=(-0.5,) * 3, max=(0.5,) * 3), Box(min=(-0.1, -0.2, -0.3), max=(0.9, 0.8, 0.7))]), points
    )
    found = distance(shape, points)
    assert ((found < 0) == (exact < 0)).all()
    assert found[exact > 0] == pytest.approx(exact[exact > 0], abs=1e-7)


def test_bricks_that_share_an_edge_or_a_face_are_no_defect():
    brick = trimesh.creation.box((1, 1, 1))
    for shift in ((1, 1, 0), (1, 0, 0), (1, 1, 1)):
        both = joined(brick, brick.copy().apply_translation(shift))
        assert defects(*merged(np.array(both.vertices), np.array(both.faces))) == []
        assert tree(both).distance(np.array([[0.0, 0, 0], shift])) == pytest.approx([-0.5, -0.5])


def test_cavity_is_outside():
    hollow = joined(trimesh.creation.box((4, 4, 4)), trimesh.creation.box((2, 2, 2)))
    hollow.faces[12:] = hollow.faces[12:, ::-1]
    assert defects(*merged(np.array(hollow.vertices), np.array(hollow.faces))) == []
    points = np.array([[0.0, 0, 0], [1.5, 0, 0], [3, 0, 0]])
    assert tree(hollow).distance(points) == pytest.approx([1, -0.5, 1])


def test_very_many_cavities_are_taken_for_what_they_are(monkeypatch):
    """A body with more of them than there is time to look at."""
    monkeypatch.setattr("plash.scene.mesh_files.check._WORK", 100)
    hollow = joined(*(trimesh.creation.box((side,) * 3) for side in (4, 1)))
    hollow.faces[12:] = hollow.faces[12:, ::-1]
    assert defects(*merged(np.array(hollow.vertices), np.array(hollow.faces))) == []
    monkeypatch.setattr("plash.scene.mesh_files.check._WORK", 10)
    assert defects(*merged(np.array(hollow.vertices), np.array(hollow.faces))) == []


def test_cracks_of_rounding_are_welded():
    box = trimesh.creation.box((1, 1, 1))
    soup = np.array(box.triangles).reshape(-1, 3)
    soup *= 1 + np.random.default_rng(0).uniform(-1e-7, 1e-7, soup.shape)
    vertices, triangles = merged(soup, np.arange(36).reshape(-1, 3))
    assert len(vertices) == 8
    assert defects(vertices, triangles) == []


def test_changed_file_is_read_again(tmp_path):
    shape = saved(trimesh.creation.box((1, 1, 1)), tmp_path / "body.stl")
    before = shape.sha256
    assert distance(shape, [(0, 0, 0)]) == pytest.approx([-0.5])
    assert load_body(shape) is load_body(shape)
    saved(trimesh.creation.icosphere(subdivisions=2, radius=2), tmp_path / "body.stl")
    assert distance(shape, [(0, 0, 0)])[0] < -1.9
    assert shape.sha256 != before


# Defects


def without(mesh, *faces):
    return trimesh.Trimesh(mesh.vertices, np.delete(mesh.faces, faces, axis=0), process=False)


def with_flipped(mesh, *faces):
    turned = np.array(mesh.faces)
    turned[list(faces)] = turned[list(faces), ::-1]
    return trimesh.Trimesh(mesh.vertices, turned, process=False)


def with_fin(mesh):
    vertices = np.concatenate([mesh.vertices, [[0, 5, 0], [1, 5, 0]]])
    first, second = mesh.faces[0][:2]
    n = len(mesh.vertices)
    fins = [[first, second, n], [second, first, n + 1], [first, n, n + 1], [n, second, n + 1]]
    return trimesh.Trimesh(vertices, np.concatenate([mesh.faces, fins[:1]]), process=False)


def box():
    return trimesh.creation.box((2, 2, 2))


DEFECTS = {
    "hole": (
        lambda: without(box(), 0),
        ["has 3 open edges around 1 hole", "(-1", "repair = true", 'thickness = "7 cm"', "close the hole"],
    ),
    "two holes": (lambda: without(trimesh.creation.icosphere(), 0, 700), ["6 open edges around 2 holes"]),
    "sheet": (
        lambda: trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
        ["3 open edges around 1 hole", 'thickness = "3 cm"'],
    ),
    "flipped triangle": (
        lambda: with_flipped(box(), 3),
        ["1 triangle of 12 facing against the others", "repair = true", "flip their normals"],
    ),
    "flipped triangles": (lambda: with_flipped(trimesh.creation.icosphere(), 3, 99, 500), ["3 triangles of 1280"]),
    "inside out": (
        lambda: with_flipped(box(), *range(12)),
        ["is inside out", "-8", "repair = true", "flip the normals"],
    ),
    "one part inside out": (
        lambda: joined(box(), with_flipped(box().apply_translation((5, 0, 0)), *range(12))),
        ["1 of 2 parts inside out", "(5, 0, 0)", "repair = true", "flip the normals"],
    ),
    "doubled triangle": (
        lambda: trimesh.Trimesh(box().vertices, np.concatenate([box().faces, box().faces[:1]]), process=False),
        ["3 edges with more than two triangles", "repair = true", "delete"],
    ),
    "no volume": (
        lambda: trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 1]], process=False),
        ["encloses no volume", 'thickness = "3 cm"'],
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_defect_is_named_with_its_number_and_the_remedy(tmp_path, defect):
    make, words = DEFECTS[defect]
    shape = saved(make(), tmp_path / "broken.ply")
    with pytest.raises(SceneError) as error:
        distance(shape, [(0, 0, 0)], name="solid[2].shape")
    (problem,) = error.value.problems
    assert problem.key == "solid[2].shape.file"
    assert all(word in problem.message for word in [*words, "broken.ply"]), problem.message
    assert mesh_problems(shape, "solid[2].shape") == [problem]


def test_fin_has_an_edge_too_many_and_two_open_ones():
    crowd, hole = sorted(defects(*merged(np.array(with_fin(box()).vertices), np.array(with_fin(box()).faces))))
    assert "has 1 edge with more than two triangles" in crowd
    assert "has 2 open edges around 1 hole" in hole


def test_one_sided_surface_has_no_inside():
    """A Klein bottle of squares: a torus glued with a twist."""
    n = 8
    number = np.arange(n * n).reshape(n, n)
    beside = np.concatenate([number[1:], number[0, (-np.arange(n)) % n][None]])
    a, b = number, np.roll(number, -1, axis=1)
    d, c = beside, np.roll(beside, -1, axis=1)
    c[-1] = number[0, (-np.arange(n) - 1) % n]
    triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    (defect,) = defects(scattered(n * n), triangles)
    assert "is one-sided" in defect


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.stl", b"", ["empty.stl"]),
        ("empty.obj", b"# nothing\n", ["empty.obj"]),
        ("points.ply", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
         b"property float z\nend_header\n0 0 0\n", ["holds no triangles", "export"]),
        ("none.stl", b"\0" * 80 + struct.pack("<I", 0), ["none.stl"]),
        ("garbage.stl", bytes(range(256)) * 3, ["garbage.stl"]),
        ("garbage.ply", bytes(range(256)), ["cannot be read as PLY"]),
        ("garbage.glb", bytes(range(256)), ["cannot be read as glTF"]),
        ("garbage.gltf", b"{", ["cannot be read as glTF"]),
        ("garbage.obj", bytes(range(256)), ["garbage.obj"]),
        ("nan.obj", b"v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n", ["1 of 3 vertices that are not finite", "nan"]),
        ("web.gltf", json.dumps({"asset": {"version": "2.0"}, "buffers": [{"uri": "http://a/b.bin", "byteLength": 4}]})
         .encode(), ["web.gltf"]),
    ],
)  # fmt: skip
def test_file_that_is_no_mesh_is_refused(tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SceneError) as error:
        distance(MeshShape(file=tmp_path / name), [(0, 0, 0)], name="fill[0].shape")
    (problem,) = error.value.problems
    assert problem.key == "fill[0].shape.file"
    assert all(word in problem.message for word in words), problem.message


def test_file_that_vanishes_is_named(tmp_path):
    shape = saved(box(), tmp_path / "box.stl")
    (tmp_path / "box.stl").unlink()
    with pytest.raises(SceneError, match=r"box\.stl"):
        distance(shape, [(0, 0, 0)])


def test_scaled_sphere_is_a_sphere(tmp_path):
    ball = saved(trimesh.creation.icosphere(subdivisions=4, radius=50), tmp_path / "ball.stl")
    shape = MeshShape(file=ball.file, scale=0.002, translation=(0.1, 0.2, 0.3))
    points = scattered(500, 0.5)
    assert distance(shape, points) == pytest.approx(
        distance(Sphere(center=(0.1, 0.2, 0.3), radius=0.1), points), abs=2e-4
    )


def test_each_triangle_knows_how_thick_the_body_is_behind_it():
    plate = tree(trimesh.creation.box((1.3, 0.05, 0.9)))
    corners = plate.corners.reshape(-1, 3, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    along = np.argmax(np.abs(normals), axis=1)
    np.testing.assert_allclose(plate.thickness, np.array([1.3, 0.05, 0.9])[along], rtol=1e-9)
    assert plate.least_thickness == pytest.approx(0.05)
    ball = tree(trimesh.creation.icosphere(subdivisions=4, radius=0.7))
    np.testing.assert_allclose(ball.thickness, 1.4, rtol=0.01)


def test_a_thin_wall_is_thickened_on_both_sides_alike_and_a_thick_one_is_left_alone():
    plate = tree(trimesh.creation.box((2.0, 0.05, 2.0)))
    heights = np.linspace(-0.5, 0.5, 41)
    above_the_middle = np.stack([0.1 + 0 * heights, heights, -0.2 + 0 * heights], axis=1)
    np.testing.assert_allclose(plate.distance(above_the_middle, least=0.2), np.abs(heights) - 0.1, atol=1e-12)
    points = scattered()
    np.testing.assert_array_equal(plate.distance(points, least=0.05), plate.distance(points))
    # A dumb-bell of a thick and a thin part: only the thin one grows
    both = tree(joined(trimesh.creation.icosphere(radius=0.5), trimesh.creation.box((2.0, 0.05, 0.05))))
    beside_ball, beside_bar = np.array([[0.0, 0.6, 0.0]]), np.array([[0.9, 0.2, 0.0]])
    assert both.distance(beside_ball, least=0.2) == pytest.approx(both.distance(beside_ball))
    assert both.distance(beside_bar, least=0.2) == pytest.approx(both.distance(beside_bar) - 0.075)


def test_what_a_difference_leaves_is_thickened_where_it_is_thin():
    cup = Difference(of=[Sphere(center=(0, 0, 0), radius=1.0), Sphere(center=(0, 0.3, 0), radius=0.95)])
    below = np.array([[0.0, y, 0.0] for y in (-1.2, -0.9, -0.7, -0.5)])
    plain = distance(cup, below)
    np.testing.assert_array_equal(thickened_distance(cup, below, 0.2), plain)  # the wall is 0.35 thick there
    np.testing.assert_allclose(thickened_distance(cup, below, 0.55), plain - 0.1, atol=1e-12)
    above = np.array([[0.0, 2.0, 0.0], [0.0, 0.9, 0.0]])
    np.testing.assert_array_equal(thickened_distance(cup, above, 0.55), distance(cup, above))  # there is no wall
