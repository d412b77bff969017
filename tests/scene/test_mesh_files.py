"""Files of triangles as programs write them, and as nobody should: what is read, and what is refused in which words."""

import base64
import json
import os
import struct

import numpy as np
import pytest
import trimesh

from plash.errors import SceneError
from plash.scene import MeshShape, parse_scene
from plash.scene.mesh_files.file import read_mesh
from plash.scene.mesh_files.polygons import MOST_TRIANGLES, MeshFileError, Polygons, triangulated

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
# An L of height one: its floor and lid have six corners and a dent, at the fourth
ELL = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
TYPES = {"uchar": "B", "char": "b", "uint8": "B", "ushort": "H", "int": "i", "uint": "I", "int32": "i", "short": "h"}


def ell(first):
    """The L with polygons that begin at a corner of it."""
    turned = [(first + k) % 6 for k in range(6)]
    vertices = [(x, y, z) for z in (0, 1) for x, y in ELL]
    sides = [(k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6)]
    return vertices, [tuple(reversed(turned)), tuple(k + 6 for k in turned), *sides]


def ply(vertices, faces, order="<", length="uchar", number="uint", extra=False):
    """A PLY file; with extra, normals and colours of vertices, a flag of faces, and edges."""
    kind = {"<": "binary_little_endian", ">": "binary_big_endian", "": "ascii"}[order]
    more = ["property float nx", "property uchar red"] if extra else []
    head = ["ply", f"format {kind} 1.0", "comment made by hand", f"element vertex {len(vertices)}"]
    head += [f"property float {axis}" for axis in "xyz"] + more + [f"element face {len(faces)}"]
    head += [f"property list {length} {number} vertex_indices"]
    head += ["property uchar flag", "property list uchar float texcoord"] if extra else []
    head += ["element edge 1", "property int vertex1", "property int vertex2"] if extra else []
    rows = []
    for vertex in vertices:
        rows.append([("f", part) for part in vertex] + ([("f", 0.5), ("B", 7)] if extra else []))
    for face in faces:
        row = [(TYPES[length], len(face)), *((TYPES[number], k) for k in face)]
        rows.append(row + ([("B", 1), ("B", 2), ("f", 0.1), ("f", 0.2)] if extra else []))
    rows += [[("i", 0), ("i", 1)]] if extra else []
    header = "\n".join([*head, "end_header", ""]).encode()
    if not order:
        return header + "\n".join(" ".join(str(value) for _, value in row) for row in rows).encode() + b"\n"
    return header + b"".join(struct.pack(order + letter, value) for row in rows for letter, value in row)


def obj(vertices, faces):
    lines = ["# by hand", "o Würfel", "mtllib none.mtl", "s off"]
    lines += [f"v {x} {y} {z}" for x, y, z in vertices] + ["vn 0 0 1"]
    return "\n".join([*lines, *("f " + " ".join(f"{k + 1}//1" for k in face) for face in faces)]).encode()


def volume_and_area(path):
    mesh = read_mesh(str(path))
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return np.linalg.det(np.stack([a, b, c], axis=1)).sum() / 6, np.linalg.norm(
        np.cross(b - a, c - a), axis=1
    ).sum() / 2


def refusal_of(path):
    with pytest.raises(SceneError) as error:
        read_mesh(str(path))
    (problem,) = error.value.problems
    assert path.name in problem.message
    return problem.message


@pytest.mark.parametrize("extra", [False, True], ids=["plain", "more properties"])
@pytest.mark.parametrize("order", ["<", ">", ""], ids=["little", "big", "text"])
@pytest.mark.parametrize(
    ("length", "number"), [("uchar", "uint"), ("uchar", "int"), ("int32", "ushort"), ("uint8", "int32")]
)
def test_polygons_of_any_ply_are_a_body(tmp_path, order, length, number, extra):
    (tmp_path / "cube.ply").write_bytes(ply(CORNERS, QUADS, order, length, number, extra))
    assert volume_and_area(tmp_path / "cube.ply") == pytest.approx((1, 6))
    vertices, faces = ell(0)
    (tmp_path / "ell.ply").write_bytes(ply(vertices, faces, order, length, number, extra))
    assert volume_and_area(tmp_path / "ell.ply") == pytest.approx((3, 2 * 3 + 8))


@pytest.mark.parametrize("first", range(6))
@pytest.mark.parametrize("suffix", ["ply", "obj"])
def test_polygon_with_a_dent_is_cut_inside_itself(tmp_path, suffix, first):
    """Triangles beyond a dent would be taken off again by others: the volume is right, but not the area."""
    path = tmp_path / f"ell.{suffix}"
    path.write_bytes({"ply": ply, "obj": obj}[suffix](*ell(first)))
    assert volume_and_area(path) == pytest.approx((3, 14))
    assert MeshShape(file=path).misfits(3) == []


@pytest.mark.parametrize("turn", range(5))
def test_star_and_dart_are_cut_inside_themselves(turn):
    angles = np.arange(10) * np.pi / 5
    radii = np.where(np.arange(10) % 2, 0.3, 1.0)
    star = np.stack([radii * np.cos(angles), radii * np.sin(angles), 0.1 * np.cos(angles)], axis=1)
    dart = np.array([[0, 0, 0], [2, 1, 0], [0, 2, 0], [0.5, 1, 0]])
    for polygon in (np.roll(star, turn, axis=0), np.roll(dart, turn, axis=0), np.roll(star, turn, axis=0)[::-1]):
        count = len(polygon)
        vertices, triangles = triangulated(Polygons(polygon, np.arange(count), np.array([count])))
        a, b, c = np.moveaxis(vertices[triangles], 1, 0)
        areas = np.cross(b - a, c - a)[:, 2]
        assert len(triangles) == count - 2
        assert (areas > 0).all() or (areas < 0).all()


def test_relative_numbers_continued_lines_and_comments_of_obj(tmp_path):
    text = "".join(f"v {x} {y} {z} 1.0\n" for x, y, z in CORNERS)
    text += "".join(
        "f " + " ".join(str(k - 8) for k in face[:2]) + " \\\n" + f"{face[2] - 8} {face[3] - 8} # a face\n"
        for face in QUADS
    )
    (tmp_path / "cube.obj").write_text(text)
    assert volume_and_area(tmp_path / "cube.obj") == pytest.approx((1, 6))


# Damage


@pytest.mark.parametrize("order", ["<", ">", ""], ids=["little", "big", "text"])
def test_ply_with_a_corner_that_is_no_vertex_is_refused(tmp_path, order):
    (tmp_path / "cube.ply").write_bytes(ply(CORNERS, [*QUADS[:-1], (1, 5, 8, 3)], order))
    message = refusal_of(tmp_path / "cube.ply")
    assert "face, number 6, with a corner at vertex 8" in message
    assert "8 vertices count from 0" in message
    (tmp_path / "cube.ply").write_bytes(ply(CORNERS, [*QUADS[:-1], (1, -5, 7, 3)], order, number="int"))
    assert "vertex -5" in refusal_of(tmp_path / "cube.ply")


@pytest.mark.parametrize("order", ["<", ">", ""], ids=["little", "big", "text"])
@pytest.mark.parametrize("what", ["vertex", "face"])
@pytest.mark.parametrize("count", [10**12, 10**17, 99])
def test_ply_that_lies_about_its_rows_is_refused_at_once(tmp_path, order, what, count):
    data = ply(CORNERS, QUADS, order)
    there = len(CORNERS) if what == "vertex" else len(QUADS)
    (tmp_path / "cube.ply").write_bytes(
        data.replace(f"element {what} {there}".encode(), f"element {what} {count}".encode())
    )
    message = refusal_of(tmp_path / "cube.ply")
    assert f"speaks of {count} rows of {what}" in message or "number" in message
    assert "export it again" in message


@pytest.mark.parametrize("order", ["<", ">", ""], ids=["little", "big", "text"])
def test_ply_cut_short_anywhere_is_refused(tmp_path, order):
    data = ply(CORNERS, QUADS, order, extra=True)
    for cut in range(0, len(data) - 12, 7):
        (tmp_path / "cube.ply").write_bytes(data[:cut])
        assert "export" in refusal_of(tmp_path / "cube.ply")


def test_lists_of_absurd_lengths_are_refused(tmp_path):
    for length, value in (("uint", 2**32 - 1), ("int", -7)):
        data = ply(CORNERS, [(0, 1, 2)], length=length)
        whole = len(data) - 4 - 12
        letter = "<I" if length == "uint" else "<i"
        (tmp_path / "a.ply").write_bytes(data[:whole] + struct.pack(letter, value) + data[whole + 4 :])
        assert "export" in refusal_of(tmp_path / "a.ply")


def test_vertices_that_are_no_numbers_are_refused_in_every_format(tmp_path):
    broken = [*CORNERS[:-1], (1, np.nan, 1)]
    (tmp_path / "a.ply").write_bytes(ply(broken, QUADS))
    (tmp_path / "b.ply").write_bytes(ply(broken, QUADS, ""))
    (tmp_path / "c.obj").write_bytes(obj([*CORNERS[:-1], (1, np.inf, 1)], QUADS))
    (tmp_path / "d.stl").write_bytes(b"\0" * 80 + struct.pack("<I12fH", 1, *[0.0] * 11, np.nan, 0))
    for name in ("a.ply", "b.ply", "c.obj", "d.stl"):
        assert "not finite" in refusal_of(tmp_path / name)
    (tmp_path / "e.obj").write_bytes(obj(CORNERS, QUADS).replace(b"v 0 0 0", b"v 0 zero 0"))
    assert "no number" in refusal_of(tmp_path / "e.obj")


def test_stl_that_lies_or_is_cut_short_is_refused(tmp_path):
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.stl")
    data = (tmp_path / "box.stl").read_bytes()
    (tmp_path / "box.stl").write_bytes(data[:-9])
    assert "speaks of 12 triangles, 684 bytes, but has 675" in refusal_of(tmp_path / "box.stl")
    (tmp_path / "box.stl").write_bytes(data[:80] + b"\xff" * 4 + data[84:])
    assert "speaks of 4294967295 triangles" in refusal_of(tmp_path / "box.stl")


def test_too_many_triangles_are_refused_by_number():
    count = MOST_TRIANGLES + 1
    corners = np.broadcast_to(np.int64(0), 3 * count)
    with pytest.raises(MeshFileError, match=rf"has {count} triangles: at most {MOST_TRIANGLES}; decimate it"):
        triangulated(Polygons(np.zeros((1, 3)), corners, np.broadcast_to(np.int64(3), count)))


# glTF


def gltf(nodes=({"mesh": 0},), uri=None, **changes):
    """A cube of twelve triangles, as text with its numbers in a link."""
    cube = trimesh.creation.box((1, 1, 1))
    numbers = np.array(cube.faces, "<u2").tobytes() + np.array(cube.vertices, "<f4").tobytes()
    accessors = [
        {"bufferView": 0, "componentType": 5123, "count": 36, "type": "SCALAR"},
        {"bufferView": 1, "componentType": 5126, "count": 8, "type": "VEC3"},
    ]
    views = [
        {"buffer": 0, "byteLength": 72},
        {"buffer": 0, "byteOffset": 72, "byteLength": 96},
    ]
    inline = "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": list(nodes),
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}, "indices": 0}]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(numbers), "uri": uri or inline}],
    }
    return json.dumps({**document, **changes}).encode(), numbers


def test_gltf_stands_where_its_nodes_put_it(tmp_path):
    half = np.sqrt(0.5)
    nodes = [
        {"children": [1], "translation": [5, 0, 0]},
        {"mesh": 0, "scale": [2, 1, 1], "rotation": [0, half, 0, half]},
    ]
    (tmp_path / "a.gltf").write_bytes(gltf(nodes)[0])
    mesh = read_mesh(str(tmp_path / "a.gltf"))
    # Twice as long along x, which a quarter turn about y brings to -z
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), [1, 1, 2], atol=1e-6)
    np.testing.assert_allclose(mesh.vertices.mean(axis=0), [5, 0, 0], atol=1e-6)


def test_strips_fans_and_changed_rows_of_gltf(tmp_path):
    document = json.loads(gltf()[0])
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "<f4").tobytes()
    changed = struct.pack("<H2x3f", 3, 1, 1, 5)
    data = base64.b64encode(places + changed).decode()
    document["buffers"] = [{"byteLength": 64, "uri": f"data:;base64,{data}"}]
    document["bufferViews"] = [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 16}]
    sparse = {
        "count": 1,
        "indices": {"bufferView": 1, "componentType": 5123},
        "values": {"bufferView": 1, "byteOffset": 4},
    }
    document["accessors"] = [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": sparse}]
    for mode, last in ((5, [2, 1, 3]), (6, [0, 2, 3])):
        document["meshes"] = [{"primitives": [{"attributes": {"POSITION": 0}, "mode": mode}]}]
        (tmp_path / "a.gltf").write_text(json.dumps(document))
        mesh = read_mesh(str(tmp_path / "a.gltf"))
        assert mesh.vertices[3].tolist() == [1, 1, 5]
        assert mesh.triangles.tolist() == [[0, 1, 2], last]
        os.utime(tmp_path / "a.gltf", ns=(0, mode))


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([{"children": [0], "mesh": 0}], "node, number 0, that stands below itself"),
        ([{"children": [1]}, {"children": [2]}, {"children": [0], "mesh": 0}], "below itself"),
        ([{"children": [1, 1]}, {"mesh": 0}], "below two others"),
        ([{"children": [7]}], "nodes[7], but there are 1"),
        ([{"mesh": 9}], "meshes[9], but there are 1"),
        ([{"mesh": "0"}], "meshes[0]"),
        ([{"mesh": 0, "matrix": [1, 2, 3]}], "ValueError"),
        ([{"mesh": 0, "scale": "big"}], "ValueError"),
        ([7], "cannot be read as glTF"),
    ],
)
def test_gltf_with_impossible_nodes_is_refused(tmp_path, nodes, words):
    (tmp_path / "a.gltf").write_bytes(gltf(nodes)[0])
    assert words in refusal_of(tmp_path / "a.gltf")


@pytest.mark.parametrize(
    "uri",
    ["http://127.0.0.1:9/a.bin", "https://example.com/a.bin", "file:///etc/passwd", "//host/a.bin", "/etc/passwd",
     "../secret.bin", "%2e%2e/secret.bin", "link.bin", "folder", "pipe.bin", "nothing.bin", "ftp:a"],
)  # fmt: skip
def test_gltf_reads_nothing_but_files_in_its_folder(tmp_path, uri):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.bin").write_bytes(b"\0" * 999)
    (home / "link.bin").symlink_to(tmp_path / "secret.bin")
    (home / "folder").mkdir()
    os.mkfifo(home / "pipe.bin")
    (home / "a.gltf").write_bytes(gltf(uri=uri)[0])
    message = refusal_of(home / "a.gltf")
    assert "folder" in message
    assert "GLB" in message
    data, numbers = gltf(uri="my%20numbers.bin")
    (home / "b.gltf").write_bytes(data)
    (home / "my numbers.bin").write_bytes(numbers)
    assert volume_and_area(home / "b.gltf") == pytest.approx((1, 6))


@pytest.mark.parametrize(
    "changes",
    [
        {"bufferViews": [{"buffer": 0, "byteOffset": 10**9}, {"buffer": 0, "byteOffset": 72}]},
        {"bufferViews": [{"buffer": 0, "byteOffset": -50}, {"buffer": 0, "byteOffset": 72}]},
        {"bufferViews": [{"buffer": 0, "byteStride": -2}, {"buffer": 0, "byteOffset": 72}]},
        {"bufferViews": [{"buffer": 5}, {"buffer": 0}]},
        {"accessors": [{"bufferView": 0, "componentType": 5123, "count": 10**12, "type": "SCALAR"}]},
        {"accessors": [{"bufferView": 0, "componentType": 5125, "count": 36}, {"bufferView": 1, "count": 8}]},
        {"accessors": [{"bufferView": 1, "componentType": 5123, "count": 36}, {"componentType": 5126, "count": 8}]},
        {"buffers": [{"byteLength": 168, "uri": "data:;base64,????"}]},
        {"buffers": [{"byteLength": 168}]},
        {"buffers": [{"byteLength": 168, "uri": "a\0b"}]},
        {"extensionsRequired": ["KHR_draco_mesh_compression"]},
        {"meshes": "mesh"},
        {"scenes": {}, "nodes": []},
    ],
)
def test_gltf_with_numbers_that_are_not_there_is_refused(tmp_path, changes):
    (tmp_path / "a.gltf").write_bytes(gltf(**changes)[0])
    refusal_of(tmp_path / "a.gltf")


def test_glb_cut_short_anywhere_is_refused(tmp_path):
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.glb")
    data = (tmp_path / "box.glb").read_bytes()
    for cut in range(4, len(data), 13):
        (tmp_path / "box.glb").write_bytes(data[:cut])
        assert "cannot be read as GLB" in refusal_of(tmp_path / "box.glb")


# In scenes

SCENE = """\
version = 1
[domain]
size = [1, 1, 1]
[[fill]]
shape = { kind = "box", min = [0, 0, 0], max = [1, 0.5, 1] }
[[solid]]
shape = { kind = "mesh", file = "FILE", scale = 0.1, translation = [0.5, 0.5, 0.5] }
"""


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("open.ply", ply(CORNERS, QUADS[:-1]), ["4 open edges around 1 hole", "repair = true", 'thickness = "3 mm"']),
        ("turned.ply", ply(CORNERS, [*QUADS[:-1], QUADS[-1][::-1]]), ["facing against", "repair = true"]),
        ("inside.ply", ply(CORNERS, [quad[::-1] for quad in QUADS]), ["inside out", "repair = true"]),
        ("sheet.ply", ply(CORNERS, QUADS[:1]), ["4 open edges", 'thickness = "3 mm"']),
        ("far.ply", ply(CORNERS, [*QUADS, (0, 1, 99)]), ["corner at vertex 99"]),
        ("empty.ply", ply(CORNERS, []), ["holds no triangles, a cloud of points"]),
        ("lines.obj", b"v 0 0 0\nv 1 0 0\nl 1 2\n", ["holds no triangles"]),
        ("loop.gltf", gltf([{"children": [0]}])[0], ["stands below itself"]),
    ],
)  # fmt: skip
def test_every_mesh_error_names_the_line_of_the_scene_and_the_mesh_file(tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SceneError) as error:
        parse_scene(SCENE.replace("FILE", name), "scene.toml", tmp_path)
    (problem,) = error.value.problems
    assert (problem.line, problem.key) == (7, "solid[0].shape.file")
    assert str(error.value).startswith("scene.toml: line 7: solid[0].shape.file: ")
    assert all(word in problem.message for word in [name, *words]), problem.message


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_folder_or_pipe_is_no_mesh(tmp_path, make):
    make(tmp_path / "odd.ply")
    with pytest.raises(SceneError) as error:
        parse_scene(SCENE.replace("FILE", "odd.ply"), "scene.toml", tmp_path)
    (problem,) = error.value.problems
    assert problem.line == 7
    assert "odd.ply" in problem.message
