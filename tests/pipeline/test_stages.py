"""The registry of stages: what a stage is made from, and that a new one needs nothing but a file and a line."""

import json
import os
import pickle
import shutil
import time
from dataclasses import replace
from typing import Any

import pytest

import plash
from plash.errors import DamagedError, StorageError
from plash.files import frames, ply
from plash.files.atomic import read_bytes
from plash.files.layout import RunFolder
from plash.pipeline.inspect import inspect_run
from plash.pipeline.progress import Silent
from plash.pipeline.stages.movies import MOVIES, NUMBERS
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.registry import STAGES, read_run, stages_of, with_those_before
from plash.pipeline.stages.report import REPORT
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, FileStage, Inputs, RunPaths
from plash.pipeline.stages.surfaces import SURFACES

from .conftest import checksums

FRAMES = 3


def scene(**settings):
    small = {"resolution": 16, "frames": FRAMES, "look.width": 32}
    return plash.load_scene("dam_break_2d", **{**small, **settings})


class Counter(Silent):
    def __init__(self):
        self.made_by, self.to_do = {}, {}

    def begin(self, frames, to_do):
        self.to_do = dict(to_do)

    def made(self, stage, frame, seconds):
        self.made_by.setdefault(stage, []).append(frame)


# An export that somebody adds: how many triangles each surface has

TRIANGLES = FileStage(
    name="triangles",
    title="counting",
    edition=1,
    after=(SURFACES,),
    folders=("triangles",),
    file=lambda paths, frame: paths.folder.root / "triangles" / f"triangles.{frame:04d}.txt",
    inputs=lambda scene, frame: [(SURFACES, frame)],
    settings=lambda scene, frame: [scene.title],
    make=lambda inputs: f"{inputs.scene.title}: {len(inputs.read(SURFACES).faces)} at {inputs.time:.3f} s".encode(),
    read=lambda file, scene, frame: read_bytes(file.path, file.written, file.remedy),
)


@pytest.fixture
def with_export(monkeypatch):
    """The registry with the export in it."""
    monkeypatch.setitem(STAGES, TRIANGLES.name, TRIANGLES)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """A run with the export, never disturbed."""
    folder = tmp_path_factory.mktemp("straight") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STAGES, TRIANGLES.name, TRIANGLES)
        plash.run(scene(), folder)
    return folder


@pytest.fixture
def copy(straight, tmp_path):
    return shutil.copytree(straight, tmp_path / "run")


def test_an_export_is_made_with_everything_else(straight, with_export):
    assert sorted(checksums(straight, "triangles")) == [f"triangles.{n:04d}.txt" for n in range(1, FRAMES + 1)]
    surface = ply.mesh_from_ply((straight / "mesh/surface.0002.ply").read_bytes(), "")
    text = (straight / "triangles/triangles.0002.txt").read_text()
    assert text == f"{scene().title}: {len(surface.faces)} at {1 / 24:.3f} s"
    manifest = read_run(RunFolder(straight))
    assert manifest.wanted == [name for name, stage in STAGES.items() if stage.wanted(scene())]
    assert "triangles" in manifest.wanted
    assert manifest.stage("triangles").status == "done"
    assert {stage.name: stage.files for stage in inspect_run(straight).stages}["triangles"] == FRAMES
    assert "<th>counting</th>" in (straight / "report.html").read_text()
    assert with_those_before(TRIANGLES) == ["mesh", "triangles"]


def test_an_export_is_added_to_a_run_that_has_none(tmp_path, straight, monkeypatch):
    plash.run(scene(), tmp_path / "run")
    monkeypatch.setitem(STAGES, TRIANGLES.name, TRIANGLES)
    counter = Counter()
    plash.resume(tmp_path / "run", stages=["triangles"], progress=counter)
    assert counter.to_do == {"triangles": FRAMES, "report": 1}
    assert counter.made_by == {"triangles": [1, 2, 3], "report": [0]}
    assert checksums(tmp_path / "run", "triangles") == checksums(straight, "triangles")


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({"title": "another"}, {"triangles"}),
        ({"mesh.smoothing": 0}, {"mesh", "triangles", "render", "video"}),
        ({"look.show": "particles"}, {"render", "video"}),
    ],
    ids=lambda value: " ".join(sorted(value)),
)
def test_an_export_is_made_again_when_what_it_is_made_from_has_changed(copy, with_export, change, again):
    counter = Counter()
    plash.run(scene(**change), copy, progress=counter)
    assert set(counter.made_by) == again | {"report"}


def test_an_export_that_is_lost_or_changed_is_made_again(straight, copy, with_export):
    (copy / "triangles/triangles.0001.txt").unlink()
    (copy / "triangles/triangles.0002.txt").write_bytes(b"7")
    assert [str(copy / "triangles") in found for found in inspect_run(copy, with_checksums=True).damaged] == [True] * 2
    counter = Counter()
    plash.resume(copy, progress=counter)
    # The report, which tells how long each file took, is as it was if they took as long as the first time
    assert counter.made_by in ({"triangles": [1, 2], "report": [0]}, {"triangles": [1, 2]})
    assert checksums(copy, "triangles") == checksums(straight, "triangles")


def test_what_an_export_cannot_read_is_made_again_by_the_stages_before_it(straight, copy, with_export):
    """The surface is found to be damaged when it is read, and its particles when that is made again."""
    for name in ("mesh/surface.0002.ply", "particles/particles.0002.npz"):
        before = (copy / name).stat()
        data = bytearray((copy / name).read_bytes())
        data[len(data) // 2] ^= 1
        (copy / name).write_bytes(data)
        os.utime(copy / name, ns=(before.st_atime_ns, before.st_mtime_ns))
    (copy / "triangles/triangles.0002.txt").unlink()
    with pytest.raises(DamagedError, match=r"surface\.0002\.ply: is damaged.*plash resume"):
        plash.resume(copy, stages=["triangles"])
    counter = Counter()
    plash.resume(copy, progress=counter)
    assert counter.made_by == {"simulate": [2], "mesh": [2], "triangles": [2], "report": [0]}
    for part in ("particles", "mesh", "triangles"):
        assert checksums(copy, part) == checksums(straight, part)


def test_an_export_goes_with_the_run_that_is_thrown_away(copy, with_export):
    plash.run(scene(seed=5), copy, stages=["simulate"], force=True)
    assert not (copy / "triangles").exists()


def test_the_folder_of_an_export_is_guarded_like_the_others(copy, tmp_path, with_export):
    shutil.move(copy / "triangles", tmp_path / "elsewhere")
    (copy / "triangles").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"triangles: is a link to .*elsewhere, not a folder"):
        plash.resume(copy)


def test_a_run_with_a_stage_that_is_not_registered_is_refused(copy):
    with pytest.raises(DamagedError, match=r"wanted\.5: 'triangles' is none of simulate, measure, mesh"):
        plash.resume(copy)


def test_what_cannot_be_read_twice_ends_the_run(copy, monkeypatch):
    def broken(file, scene, frame):
        raise DamagedError(f"{file.path}: is damaged. {file.remedy}")

    monkeypatch.setitem(STAGES, TRIANGLES.name, TRIANGLES)
    surfaces = replace(SURFACES, read=broken)
    monkeypatch.setitem(STAGES, SURFACES.name, surfaces)

    def make(inputs):
        return str(inputs.read(surfaces)).encode()

    blind = replace(TRIANGLES, edition=2, inputs=lambda scene, frame: [(surfaces, frame)], make=make)
    monkeypatch.setitem(STAGES, TRIANGLES.name, blind)
    counter = Counter()
    with pytest.raises(DamagedError, match=r"surface\.0001\.ply: is damaged"):
        plash.resume(copy, progress=counter)
    assert counter.made_by == {"mesh": [1]}
    assert read_run(RunFolder(copy)).stage("triangles").status == "failed"


# What a file is made from


def inputs_of(stage, folder, number):
    """What a file of a run is made from, as another process would get it: through plain bytes."""
    run, manifest, made = RunFolder(folder), read_run(RunFolder(folder)), scene()
    paths = RunPaths.of(run, manifest)
    files = {
        (source.name, place): File(source.file(paths, place), manifest.stage(source.name).items[place].written, "")
        for source, place in stage.inputs(made, number)
    }
    made, files = pickle.loads(pickle.dumps((made, files)))
    return Inputs(made, number, files, lambda: stage.prepared(made), lambda: None, lambda: None)


@pytest.mark.parametrize(
    ("stage", "number"),
    [(SURFACES, 2), (PICTURES, 3), (MOVIES, NUMBERS["mp4"]), (MOVIES, NUMBERS["contact"])],
    ids=["surface", "picture", "movie", "contact sheet"],
)
def test_a_file_follows_from_what_it_reads(straight, with_export, stage, number):
    path = stage.file(RunPaths(RunFolder(straight), "run", "particles"), number)
    assert stage.make(inputs_of(stage, straight, number)) == path.read_bytes()


def test_a_file_that_was_not_named_cannot_be_read(straight, with_export):
    inputs = inputs_of(PICTURES, straight, 2)
    assert list(inputs.files) == [("mesh", 2)]
    with pytest.raises(KeyError):
        inputs.read(SIMULATION)


def test_pictures_of_the_surface_need_no_particles_and_those_of_particles_no_surface(copy, with_export):
    shutil.move(copy / "particles", copy.parent / "particles")
    smaller: dict[str, Any] = {"look.width": 48}
    plash.resume(copy, stages=["render"], **smaller)
    shutil.move(copy.parent / "particles", copy / "particles")
    shutil.rmtree(copy / "mesh")
    counter = Counter()
    shown: dict[str, Any] = {"look.show": "particles"}
    plash.resume(copy, stages=["render"], progress=counter, **shown)
    assert counter.made_by == {"render": [1, 2, 3], "report": [0]}


def test_the_time_of_a_file_holds_that_of_reading(tmp_path, monkeypatch):
    plash.run(scene(frames=1), tmp_path / "run", stages=["simulate"])
    read = frames.read_frame

    def slowly(*arguments):
        time.sleep(0.5)
        return read(*arguments)

    monkeypatch.setattr(frames, "read_frame", slowly)
    plash.resume(tmp_path / "run", stages=["mesh"])
    item = read_run(RunFolder(tmp_path / "run")).stage("mesh").items[1]
    assert item.seconds > 0.5


def test_a_stage_that_is_none_is_refused_before_anything_is_made(tmp_path):
    with pytest.raises(ValueError, match=r"no stage 'bake': the stages of a run are simulate, measure, mesh"):
        plash.run(scene(), tmp_path / "run", stages=["simulate", "bake"])
    assert not (tmp_path / "run").exists()


def test_stages_come_in_order_whatever_is_asked_for():
    assert stages_of(["report", "mesh"]) == [SURFACES, REPORT]
    assert [name for name, stage in STAGES.items() if stage.wanted(scene())] == [
        *("simulate", "mesh", "render", "video", "report")
    ]


def test_the_names_and_numbers_in_manifests_stay(straight):
    data = json.loads((straight / "manifest.json").read_text())
    assert sorted(data["stages"]) == ["mesh", "render", "report", "simulate", "triangles", "video"]
    assert set(data["stages"]["video"]["items"]) == {"0", "-4"}
    assert NUMBERS == {"mp4": 0, "webm": -1, "gif": -2, "webp": -3, "contact": -4}
