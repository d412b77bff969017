"""Exports as stages of a run: asked for by the scene, made again when they must be, refused by name."""

import json
import shutil
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import plash
from plash.cli.main import _exit_code
from plash.errors import MissingPartError, SceneError
from plash.files.layout import RunFolder
from plash.pipeline.inspect import inspect_run
from plash.pipeline.stages.registry import EXPORTS, STAGES, read_run
from plash.scene.output import EXPORT_FORMATS

from ..exports.vdb_reader import read_vdb
from .conftest import checksums
from .test_stages import Counter

FRAMES = 3
PLAIN = ["ply", "obj", "glb", "npz", "vdb", "vtk"]  # those that need no further package


def scene(**settings):
    small = {"resolution": 16, "frames": FRAMES, "look.width": 32}
    return plash.load_scene("dam_break_2d", **{**small, **settings})


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports") / "run"
    plash.run(scene(**{"output.export": PLAIN}), folder)
    return folder


@pytest.fixture
def copy(straight, tmp_path):
    return shutil.copytree(straight, tmp_path / "run")


def test_every_word_of_the_scene_language_has_its_stage():
    assert sorted(EXPORTS) == sorted(EXPORT_FORMATS)


def test_a_scene_that_asks_for_none_gets_none(tmp_path):
    plash.run(scene(), tmp_path / "run")
    manifest = read_run(RunFolder(tmp_path / "run"))
    assert manifest.wanted == [*manifest.stages] == ["simulate", "mesh", "render", "video", "report"]
    assert "OBJ" not in (tmp_path / "run/report.html").read_text()


def test_every_format_has_a_file_for_each_frame(straight):
    for folder, ending in (("ply", "ply"), ("obj", "obj"), ("glb", "glb"), ("npz", "npz"), ("vdb", "vdb")):
        assert len(list((straight / folder).glob(f"*.{ending}"))) == FRAMES
    assert sorted(checksums(straight, "vtk")) == sorted(
        [f"{what}.{n:04d}.vtp" for n in range(1, FRAMES + 1) for what in ("particles", "surface")] + ["run.pvd"]
    )
    assert inspect_run(straight, with_checksums=True).damaged == ()
    assert "<th>OBJ</th>" in (straight / "report.html").read_text()


def test_exports_are_added_to_a_run_and_nothing_else_is_made_again(straight, tmp_path):
    plash.run(scene(), tmp_path / "run")
    counter = Counter()
    plash.resume(tmp_path / "run", exports=["ply"], progress=counter)
    assert counter.made_by == {"ply": [1, 2, 3], "report": [0]}
    plash.resume(tmp_path / "run", exports=[word for word in PLAIN if word != "ply"])
    for folder in ("ply", "obj", "glb", "vdb", "npz"):
        assert checksums(tmp_path / "run", folder) == checksums(straight, folder)
    assert read_run(RunFolder(tmp_path / "run")).stage("ply").status == "done"


def test_what_is_lost_is_made_again_and_what_is_asked_for_otherwise_too(straight, copy):
    (copy / "obj/surface.0002.obj").unlink()
    (copy / "vtk/run.pvd").write_bytes(b"other")
    counter = Counter()
    plash.resume(copy, progress=counter)
    counter.made_by.pop("report", None)  # it is made again unless the files took exactly as long as before
    assert counter.made_by == {"obj": [2], "vtk_series": [0]}
    counter = Counter()
    up: Any = {"output.export_up": "z"}
    plash.resume(copy, progress=counter, **up)
    assert set(counter.made_by) == {"ply", "obj", "vdb", "vtk", "vtk_particles", "vtk_series", "report"}
    counter = Counter()
    half: Any = {"output.export_half": True}
    plash.resume(copy, progress=counter, **half)
    assert set(counter.made_by) == {"vdb", "report"}
    sizes = [(folder / "vdb/grids.0002.vdb").stat().st_size for folder in (straight, copy)]
    assert sizes[1] < sizes[0]


def test_an_export_that_is_not_asked_for_any_more_is_left_as_it_is(straight, copy):
    none: Any = {"output.export": []}
    counter = Counter()
    plash.resume(copy, progress=counter, **none)
    assert counter.made_by == {"report": [0]}
    assert checksums(copy, "vdb") == checksums(straight, "vdb")
    assert "vdb" not in read_run(RunFolder(copy)).wanted


def test_a_run_made_longer_writes_only_the_new_frames(copy):
    counter = Counter()
    plash.resume(copy, frames=FRAMES + 1, progress=counter)
    assert counter.made_by["npz"] == counter.made_by["vdb"] == counter.made_by["ply"] == [FRAMES + 1]


def test_an_npz_file_has_all_there_is_of_a_frame(straight):
    frame = plash.open_run(straight)[2]
    with np.load(straight / "npz/frame.0002.npz") as found:
        assert np.array_equal(found["cell_velocity"], frame.velocity, equal_nan=True)
        assert np.array_equal(found["position"], frame.particles.position)
        assert np.array_equal(found["surface_vertices"], frame.surface.vertices)
        assert json.loads(str(found["ledger"])) == frame.ledger
        assert json.loads(str(found["scene"]))["domain"]["size"] == [*scene().domain.size]
        assert (int(found["frame"]), float(found["time"])) == (2, 1 / 24)


def test_a_vdb_file_has_the_surface_of_the_liquid(straight):
    """The distance along a column changes its sign at the level of the pool at the start, and its slope is one."""
    asked = scene()
    grid = read_vdb((straight / "vdb/grids.0001.vdb").read_bytes())["surface"]
    spacing = asked.domain.h / asked.mesh.detail
    assert grid.transform[1][3] == pytest.approx(spacing)
    box = asked.fill[0].shape
    column = round(0.5 * box.max[0] / spacing)
    told = {y: float(value[0]) for (x, y, z), value in grid.active.items() if x == column}
    below = max(y for y, value in told.items() if value < 0)
    assert below * spacing - told[below] == pytest.approx(box.max[1], abs=0.1 * asked.domain.h)
    slope = np.diff([told[y] for y in range(below - 1, below + 4)]) / spacing
    assert slope == pytest.approx(1.0, abs=0.1)


def test_without_usd_core_the_run_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr.Sdf", None)
    with pytest.raises(MissingPartError, match=r'usd-core.*pip install "plash\[usd\]"'):
        plash.run(scene(**{"output.export": ["usd"]}), tmp_path / "run")
    assert not (tmp_path / "run/particles").exists()


def test_a_stage_that_the_scene_does_not_ask_for_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"'ply': name it in output\.export"):
        plash.run(scene(), tmp_path / "run", stages=["simulate", "mesh", "ply"])


def test_an_unknown_format_is_refused_by_name():
    with pytest.raises(SceneError, match=r'output\.export.*"fbx" is not one of usd, vdb'):
        scene(**{"output.export": ["fbx"]})


def test_without_blosc_the_run_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "blosc", None)
    with pytest.raises(MissingPartError, match=r'blosc.*pip install "plash\[vdb\]"'):
        plash.run(scene(**{"output.export": ["vdb"], "output.export_pack": "blosc"}), tmp_path / "run")
    assert not list(tmp_path.glob("run/particles/*"))


def test_the_command_packs_what_it_writes(straight, copy):
    assert _exit_code(["export", str(copy), "--to", "vdb", "--pack", "zip", "--quiet"]) == 0
    plain, packed = (read_vdb((folder / "vdb/grids.0002.vdb").read_bytes()) for folder in (straight, copy))
    assert packed.keys() == plain.keys()
    for name, grid in plain.items():
        assert all(np.array_equal(packed[name].active[place], value) for place, value in grid.active.items())
    sizes = [(folder / "vdb/grids.0002.vdb").stat().st_size for folder in (straight, copy)]
    assert sizes[1] < sizes[0]


def test_the_command(copy, capsys):
    assert _exit_code(["export", str(copy), "--to", "ply", "--up", "z", "--quiet"]) == 0
    assert b"z is up" in (copy / "ply/surface.0001.ply").read_bytes()[:200]
    assert _exit_code(["export", str(copy), "--to", "fbx"]) == 2
    assert "'usd', 'vdb', 'ply'" in capsys.readouterr().err


def test_no_more_than_two_frames_are_in_memory(copy, monkeypatch):
    """Whatever was read for the frames before is gone when another is read."""
    from plash.files import frames, ply

    read: list[Any] = []
    alive: list[int] = []

    def watched(function):
        def wrapper(*arguments):
            alive.append(sum(reference() is not None for reference in read))
            found = function(*arguments)
            read.append(weakref.ref(found))
            return found

        return wrapper

    monkeypatch.setattr(ply, "read_surface", watched(ply.read_surface))
    monkeypatch.setattr(frames, "read_frame", watched(frames.read_frame))
    for folder in ("ply", "obj", "glb", "npz", "vdb", "vtk"):
        shutil.rmtree(copy / folder)
    plash.resume(copy, stages=[stage for stage in STAGES if stage in (*PLAIN, "vtk_particles", "vtk_series")])
    assert len(read) == FRAMES * 8
    assert max(alive) <= 2
