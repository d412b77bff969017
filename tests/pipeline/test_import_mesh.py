"""Surfaces edited by hand: taken in, drawn, told of, kept, and undone."""

import shutil
from typing import Any

import numpy as np
import pytest
from tests.pipeline.conftest import checksums

import plash
from plash.errors import DamagedError, SceneError, StorageError
from plash.exports.gltf import glb_bytes
from plash.exports.obj import obj_bytes
from plash.exports.ply import export_ply_bytes
from plash.mesh.mesh import Mesh
from plash.pipeline.inspect import inspect_run
from plash.pipeline.progress import Silent

pytestmark = pytest.mark.slow
FRAMES = 3


class Notes(Silent):
    def __init__(self):
        self.notes = []

    def note(self, text):
        self.notes.append(text)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("edited") / "run"
    scene = plash.load_scene("dam_break", resolution=16, frames=FRAMES)
    plash.run(scene, folder, stages=["simulate", "mesh", "render", "report"])
    return folder


@pytest.fixture
def run(original, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(original, folder)
    return folder


@pytest.fixture
def bumped(original):
    """The surface of frame 2 with a hill on it, and which vertices were moved."""
    mesh = plash.open_run(original)[2].surface
    places = mesh.vertices.copy()
    far = np.linalg.norm(places - places[places[:, 1].argmax()], axis=1)
    places[:, 1] += 0.1 * np.exp(-((far / 0.1) ** 2)) * (far < 0.3)
    return Mesh(places.astype(np.float32), mesh.faces, mesh.normals, mesh.velocity, scalars=mesh.scalars), far < 0.3


@pytest.mark.parametrize("form", ["obj", "ply", "glb"])
def test_an_edited_surface_is_drawn_told_and_undone(run, bumped, tmp_path, form):
    mesh, moved = bumped
    before = {part: checksums(run, part) for part in ("mesh", "render")}
    file = tmp_path / f"surface.0002.{form}"
    material = {"name": "water"}
    made = {
        "obj": lambda: obj_bytes(mesh, "surface", "y"),
        "ply": lambda: export_ply_bytes(mesh, "z"),
        "glb": lambda: glb_bytes(mesh, "surface", material),
    }
    file.write_bytes(made[form]())
    plash.import_mesh(run, file, up="z" if form == "ply" else None)

    opened = plash.open_run(run)
    taken = opened[2].surface
    assert opened.edited == {2: file.name}
    assert taken.open_edges() == 0
    assert taken.volume == pytest.approx(mesh.volume, rel=1e-4)
    # What was not moved has the velocity it had, what was moved that of the liquid below
    still = taken.vertices[:, 1].argsort()[: (~moved).sum() // 2]
    order = [np.linalg.norm(mesh.vertices - place, axis=1).argmin() for place in taken.vertices[still]]
    assert np.abs(taken.velocity[still] - mesh.velocity[order]).max() < 1e-4
    assert np.abs(taken.velocity).max() <= np.abs(mesh.velocity).max() * (1 + 1e-5)
    assert set(taken.scalars) == set(mesh.scalars)

    after = checksums(run, "render")
    assert [name for name in after if after[name] != before["render"][name]] == ["frame.0002.png"]
    assert f"frame 2 ({file.name})" in (run / "report.html").read_text()
    assert inspect_run(run, with_checksums=True).edited == {2: file.name}
    inspect_run(run, with_checksums=True).raise_damage()

    # It stays, whatever its surface would be made from
    other: dict[str, Any] = {"mesh.detail": 1}
    plash.resume(run, verify=True, **other)
    assert plash.open_run(run).edited == {2: file.name}
    assert checksums(run, "mesh")["surface.0002.ply"] != before["mesh"]["surface.0002.ply"]
    plash.undo_import(run)
    other["mesh.detail"] = plash.load_scene("dam_break").mesh.detail
    plash.resume(run, **other)
    assert {part: checksums(run, part) for part in before} == before
    assert plash.open_run(run).edited == {}


def test_a_lost_edit_is_told_and_the_frame_is_made_as_simulated(run, original):
    wanted = checksums(original, "mesh")
    plash.import_mesh(run, original / "mesh/surface.0003.ply")
    (run / "mesh/surface.0003.ply").write_bytes(b"ply")
    with pytest.raises(DamagedError, match="edited by hand"):
        inspect_run(run, with_checksums=True).raise_damage()
    heard = Notes()
    plash.resume(run, progress=heard)
    assert any("edited by hand" in note and "surface.0003.ply" in note for note in heard.notes)
    assert checksums(run, "mesh") == wanted
    assert plash.open_run(run).edited == {}


def test_a_run_that_is_not_finished_takes_an_edit_and_goes_on(run, original, bumped, tmp_path):
    plash.resume(run, frames=FRAMES + 1, stages=["report"])  # one frame more than there is
    file = tmp_path / "hill.obj"
    file.write_bytes(obj_bytes(bumped[0], "surface", "y"))
    outcome = plash.import_mesh(run, file, frame=2)
    assert "not all frames are simulated" in outcome.notes[0]
    plash.resume(run)
    assert plash.open_run(run).edited == {2: "hill.obj"}
    assert len(checksums(run, "render")) == FRAMES + 1


def test_what_cannot_be_taken_in_is_refused_by_name(run, bumped, tmp_path):
    before = (run / "manifest.json").read_bytes()

    def written(name, data):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    mesh, _ = bumped
    good = obj_bytes(mesh, "surface", "y")
    holed = Mesh(mesh.vertices, mesh.faces[1:], mesh.normals)
    with pytest.raises(SceneError, match=r"surface\.0002\.obj: has 3 open edges around 1 hole, the first at \("):
        plash.import_mesh(run, written("surface.0002.obj", obj_bytes(holed, "surface", "y")))
    inverted = Mesh(mesh.vertices, mesh.faces[:, ::-1].copy())
    with pytest.raises(SceneError, match="inside out"):
        plash.import_mesh(run, written("surface.0002.obj", obj_bytes(inverted, "surface", "y")))
    with pytest.raises(StorageError, match="frame 9, and the run has frames 1 to 3"):
        plash.import_mesh(run, written("surface.0009.obj", good))
    with pytest.raises(StorageError, match="of frame 9 by its name, and frame 2"):
        plash.import_mesh(run, tmp_path / "surface.0009.obj", frame=2)
    with pytest.raises(StorageError, match="does not tell the frame"):
        plash.import_mesh(run, written("hill.obj", good))
    with pytest.raises(SceneError, match="cannot be read as GLB"):
        plash.import_mesh(run, written("surface.0002.glb", b"glTF"))
    with pytest.raises(SceneError, match="no file"):
        plash.import_mesh(run, tmp_path / "surface.0001.stl")
    with pytest.raises(SceneError, match=r"out of the domain of 2 x 1 x 1 m.*--up"):
        plash.import_mesh(run, tmp_path / "hill.obj", frame=2, up="z")
    with pytest.raises(StorageError, match="frame 2 was not edited by hand"):
        plash.undo_import(run, frames=[2])
    assert (run / "manifest.json").read_bytes() == before
