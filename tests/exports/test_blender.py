"""Exports in Blender itself, where its Python module is installed: `pip install bpy`, in an environment of its own."""

import os
import subprocess
import sys

import numpy as np
import pytest

import plash
from plash.exports.vdb import vdb_bytes
from plash.grid.dense import tiles_over
from plash.grid.volume import Volume

bpy = pytest.importorskip("bpy")

FRAMES = 5


@pytest.fixture
def blank():
    """Blender with nothing in it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with a solid that moves, exported by a process of its own: Blender has another USD in it.

    PLASH_PYTHON names the interpreter with plash and usd-core, if that is another one.
    """
    folder = tmp_path_factory.mktemp("blender") / "run"
    words = ["run", "stirring", "--resolution", "16", "--frames", str(FRAMES), "--set", 'output.export=["usd"]']
    python = os.environ.get("PLASH_PYTHON", sys.executable)
    subprocess.run([python, "-m", "plash", *words, "--out", str(folder), "--quiet"], check=True)
    return folder


def shown(name, frame):
    """Places and velocities of an object's vertices at a frame, as Blender has them."""
    bpy.context.scene.frame_set(frame)
    found = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = found.to_mesh()
    places, velocity = np.empty(3 * len(mesh.vertices)), np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", places)
    if "velocity" in mesh.attributes:
        mesh.attributes["velocity"].data.foreach_get("vector", velocity)
    matrix = np.array(found.matrix_world)
    return places.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], velocity.reshape(-1, 3)


def test_usd_opens_upright_with_every_frame(blank, run):
    bpy.ops.wm.usd_import(filepath=str(run / "usd/run.usda"))
    scene, opened = bpy.context.scene, plash.open_run(run)
    assert scene.render.fps / scene.render.fps_base == opened.scene.time.fps
    assert (scene.frame_start, scene.frame_end) == (1, FRAMES)
    for frame in opened:
        wanted = frame.surface
        places, velocity = shown("surface", frame.number)
        x, y, z = wanted.vertices.T
        assert np.abs(places - np.stack([x, -z, y], axis=1)).max() < 1e-5
        assert np.abs(velocity - wanted.velocity).max() < 1e-5  # in the axes of the object, which is turned
    moving = [solid for solid in opened.scene.solid if solid.moves]
    for solid in moving:
        first, last = (shown(solid.name.replace(" ", "_"), frame)[0] for frame in (1, FRAMES))
        assert np.abs(first - last).max() > 1e-3
    assert moving


def test_vdb_stands_where_the_grid_is(blank, tmp_path):
    h, cells = 0.25, (12, 20, 9)
    tiles = tiles_over((0, 0, 0), cells)
    density = np.random.default_rng(2).random((tiles.count + 1, *tiles.shape)).astype(np.float32)
    path = tmp_path / "smoke.vdb"
    path.write_bytes(vdb_bytes(Volume(tiles, {"density": density}, h), up="z"))
    bpy.ops.object.volume_import(filepath=str(path))
    volume = bpy.context.object
    assert volume.data.grids.load()
    (grid,) = volume.data.grids
    assert (grid.name, grid.data_type) == ("density", "FLOAT")
    matrix = np.array(grid.matrix_object)
    x, y, z = matrix[:3, :3] @ [1, 2, 3] + matrix[:3, 3]
    assert (x, y, z) == pytest.approx((1.5 * h, -3.5 * h, 2.5 * h))
