"""Colours at vertices: those of the particles round them, and of no other body of liquid."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.files.ply import mesh_from_ply, ply_bytes
from plash.mesh.topology import parts_of
from plash.scene.colors import light_of, screen

RED, BLUE = light_of("#ff2000"), light_of("#0040ff")
H = 0.8 / 32


def surface(gap, dimension, **keys):
    """Two drops, a red one left of a blue one, some cells apart; with their meshing of h and detail."""
    centers = [(0.2, 0.25, 0.2), (0.4 + gap * H, 0.25, 0.2)]
    fills: Any = [
        {"shape": {"kind": "sphere", "center": center[:dimension], "radius": 0.1}, "color": color}
        for center, color in zip(centers, ("#ff2000", "#0040ff"), strict=True)
    ]
    mesh: Any = keys
    domain: Any = {"size": (0.8, 0.5, 0.4)[:dimension], "resolution": 32, "gravity": (0,) * dimension}
    scene = plash.Scene(domain=domain, fill=fills, mesh=mesh)
    return next(iter(plash.simulate(scene))).snapshot.surface(scene, 0.0)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("mesh", [{"detail": 1}, {"detail": 2}, {"detail": 3}, {"detail": 2, "subdivide": 1}])
def test_two_drops_side_by_side_keep_their_colours(dimension, mesh):
    """Less than a cell apart, where particles of both are round the vertices of each."""
    found = surface(1.2 if mesh["detail"] == 1 else 0.8, dimension, **mesh)
    parts = parts_of(found.faces, len(found.vertices))
    assert parts.max() == 1
    is_left = found.vertices[:, 0] < 0.3 + 0.5 * H
    colors = found.scalars["color"]
    assert colors[is_left] == pytest.approx(np.tile(RED, (is_left.sum(), 1)), abs=1e-6)
    assert colors[~is_left] == pytest.approx(np.tile(BLUE, ((~is_left).sum(), 1)), abs=1e-6)


@pytest.mark.parametrize("dimension", [2, 3])
def test_within_a_body_one_colour_passes_into_the_next(dimension):
    found = surface(-0.5, dimension, detail=2)
    assert parts_of(found.faces, len(found.vertices)).max() == 0
    blue = found.scalars["color"][:, 2]
    x = found.vertices[:, 0] - 0.3 + 0.25 * H
    between = (blue > 0.02) & (blue < 0.98)
    assert between.any()
    assert np.abs(x[between]).max() < 1.5 * H
    assert (blue[x < -1.5 * H] < 1e-6).all()
    assert (blue[x > 1.5 * H] > 1 - 1e-6).all()


def test_a_bubble_in_a_body_does_not_part_it():
    """Vertices round a cavity belong to the liquid round it."""
    ball = {"kind": "sphere", "center": (0.3, 0.3, 0.3), "radius": 0.2}
    hole = {**ball, "radius": 0.08}
    half = {"kind": "half_space", "point": (0.3, 0, 0), "normal": (-1, 0, 0)}
    shell = {"kind": "difference", "of": [ball, hole]}
    left = {"kind": "difference", "of": [ball, hole, half]}
    domain: Any = {"size": (0.6, 0.6, 0.6), "resolution": 24, "gravity": (0, 0, 0)}
    fills: Any = [{"shape": left, "color": "#ff2000"}, {"shape": shell, "color": "#0040ff"}]
    scene = plash.Scene(domain=domain, fill=fills)
    found = next(iter(plash.simulate(scene))).snapshot.surface(scene, 0.0)
    away = np.linalg.norm(found.vertices - 0.3, axis=1)
    for of_surface in (away < 0.14, away > 0.14):
        x, colors = found.vertices[of_surface, 0] - 0.3, found.scalars["color"][of_surface]
        assert np.abs(colors[x < -0.05] - RED).max() < 1e-6
        assert np.abs(colors[x > 0.05] - BLUE).max() < 1e-6


def test_ply_files_hold_what_viewers_and_plash_read():
    found = surface(0.8, 3)
    data = ply_bytes(found)
    again = mesh_from_ply(data, "surface")
    assert np.array_equal(again.scalars["color"], found.scalars["color"])
    assert np.array_equal(again.normals, found.normals)
    header = data[: data.index(b"end_header")].decode()
    names = [line.split()[1:] for line in header.splitlines() if line.startswith("property")]
    assert names[-4:-1] == [["uchar", "red"], ["uchar", "green"], ["uchar", "blue"]]
    floats = sum(kind == "float" for kind, *_ in names)
    row = np.dtype([("floats", "<f4", floats), ("shown", "u1", 3)])
    rows = np.frombuffer(data, row, len(found.vertices), len(header) + len("end_header\n"))
    assert np.abs(rows["shown"] - 255 * screen(found.scalars["color"])).max() <= 0.5
    with pytest.raises(ValueError, match="bytes follow the header"):
        mesh_from_ply(data.replace(b"property uchar blue\n", b""), "surface")


def test_threads_do_not_change_a_bit(threads):
    found = []
    for count in (1, 2):
        threads(count)
        found.append(surface(-0.5, 3).scalars["color"])
    assert np.array_equal(*found)
