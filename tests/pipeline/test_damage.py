"""Damaged, moved and hostile run folders: what is not what was written is made again, and nothing crashes."""

import hashlib
import json
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

import plash
from plash.errors import DamagedError, StorageError
from plash.files.checkpoint import read_checkpoint
from plash.files.frames import read_frame
from plash.files.layout import RunFolder
from plash.files.log import LARGEST_FILE, read_log
from plash.files.manifest import Item
from plash.files.ply import mesh_from_ply, ply_bytes, read_surface
from plash.pipeline import damage
from plash.pipeline.inspect import inspect_run
from plash.pipeline.progress import Silent
from plash.pipeline.stages.registry import STAGES, read_run
from plash.solvers.build import build
from plash.solvers.build.liquid import build_liquid

from .conftest import checksums

LIQUID = plash.load_scene("dam_break_2d", resolution=16, frames=4, **{"look.width": 32})
FLUID = plash.load_scene("lava_lamp", resolution=8, frames=3, **{"look.width": 32})
FILES = ["particles/particles.0003.npz", "mesh/surface.0002.ply", "render/frame.0004.png", "run.mp4", "contact.png"]


class Notes(Silent):
    def __init__(self):
        self.texts = []

    def note(self, text):
        self.texts.append(text)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight") / "run"
    plash.run(LIQUID, folder)
    return folder


@pytest.fixture(scope="module")
def fluid(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fluid") / "run"
    plash.run(FLUID, folder, stages=["simulate"])
    return folder


@pytest.fixture
def copy(straight, tmp_path):
    return shutil.copytree(straight, tmp_path / "run")


def spoil(path):
    """Change a bit in the middle; size and time of change stay, as when a disk decays."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("name", FILES)
def test_what_the_disk_changed_is_mended_by_resume_with_verify(straight, copy, name):
    spoil(copy / name)
    assert inspect_run(copy).damaged == ()
    (found,) = inspect_run(copy, with_checksums=True).damaged
    assert str(copy / name) in found
    assert f"`plash resume {copy} --verify` makes it again" in found
    notes = Notes()
    plash.resume(copy, verify=True, progress=notes)
    assert name in notes.texts[0]
    assert (copy / name).read_bytes() == (straight / name).read_bytes()
    assert inspect_run(copy, with_checksums=True).damaged == ()


@pytest.mark.parametrize("name", FILES)
def test_what_somebody_changed_is_mended_by_resume(straight, copy, name):
    data = (copy / name).read_bytes()
    (copy / name).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    plash.resume(copy)
    assert (copy / name).read_bytes() == (straight / name).read_bytes()
    assert inspect_run(copy, with_checksums=True).damaged == ()


def test_a_damaged_checkpoint_is_forgotten_by_resume_with_verify(copy):
    latest = max((copy / "checkpoints").iterdir())
    spoil(latest)
    plash.resume(copy, verify=True)
    assert not latest.exists()
    assert inspect_run(copy, with_checksums=True).damaged == ()


@pytest.mark.parametrize("verified", [False, True])
def test_a_missing_checkpoint_is_told_and_forgotten(copy, verified):
    latest = max((copy / "checkpoints").iterdir())
    latest.unlink()
    (found,) = inspect_run(copy, with_checksums=True).damaged
    assert f"{latest}: is missing. `plash resume {copy} --verify` does without it" in found
    plash.resume(copy, verify=verified)
    assert inspect_run(copy, with_checksums=True).damaged == ()


def test_a_file_of_any_size_is_refused_before_it_is_read(straight, copy):
    """A hole of 64 GB, which takes minutes to read."""
    os.truncate(copy / FILES[0], 64 * 2**30)
    (found,) = inspect_run(copy, with_checksums=True).damaged
    assert f"it has {64 * 2**30} bytes" in found
    plash.resume(copy, verify=True)
    assert (copy / FILES[0]).read_bytes() == (straight / FILES[0]).read_bytes()


def test_a_log_that_is_too_large_is_refused(copy):
    os.truncate(copy / "log.jsonl", LARGEST_FILE + 1)
    for deed in (plash.resume, lambda folder: inspect_run(folder, with_checksums=True)):
        with pytest.raises(StorageError, match=r"log.jsonl: has 1073741825 bytes, .* Move it away"):
            deed(copy)


def test_files_that_nobody_touched_are_not_read(copy, monkeypatch):
    looked_at = []
    monkeypatch.setattr(damage, "verify", lambda path, *rest: looked_at.append(path))
    plash.resume(copy)
    assert looked_at == []
    os.utime(copy / FILES[0])
    for _ in range(2):  # the second time it is known
        plash.resume(copy)
    assert looked_at == [copy / FILES[0]]


def test_a_damaged_log_is_told_and_marked(copy):
    lines = (copy / "log.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "log.jsonl").write_bytes(b"".join([lines[0], *lines[2:]]))
    (found,) = inspect_run(copy, with_checksums=True).damaged
    assert "log.jsonl: is damaged: 1 of" in found
    notes = Notes()
    plash.resume(copy, progress=notes)
    assert "1 lines were damaged or missing" in notes.texts[0]
    assert inspect_run(copy, with_checksums=True).damaged == ()
    assert [entry["step"] for entry in read_log(copy / "log.jsonl")] == [1, *range(3, 1 + len(lines))]


def test_a_moved_run_keeps_its_movie(straight, tmp_path):
    moved = shutil.copytree(straight, tmp_path / "Wasser 2 'neu'")
    assert inspect_run(moved, with_checksums=True).damaged == ()
    notes = Notes()
    outcome = plash.resume(moved, frames=5, progress=notes)
    assert notes.texts == []
    assert outcome.movie == moved / "run.mp4"
    assert [path.name for path in moved.glob("*.mp4")] == ["run.mp4"]


def hostile(folder, path, **changes):
    """Change arrays of a file, and the manifest along with it: every checksum is right."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **{name: values for name, values in {**arrays, **changes}.items() if values is not None})
    forge(folder, path)


def forge(folder, path):
    manifest = read_run(RunFolder(folder))
    found = next(kept for kept in damage.files_of(RunFolder(folder), manifest, STAGES) if kept.path == path)
    data = path.read_bytes()
    written = Item(len(data), hashlib.sha256(data).hexdigest(), changed=path.stat().st_mtime_ns)
    about = {name: getattr(written, name) for name in ("bytes", "sha256", "changed")}
    found.items[found.number] = replace(found.item, **about)
    manifest.write(RunFolder(folder))


def edited(values, index, value):
    values = values.copy()
    values[index] = value
    return values


LIES = {
    "cell": [lambda a: a.astype(np.int64), lambda a: a[:, :-1], lambda a: edited(a, (0, 3), 2**30), lambda a: a[None]],
    "offset": [lambda a: edited(a, (1, 5), np.nan), lambda a: edited(a, (0, 0), -0.5), lambda a: edited(a, (0, 0), 1)],
    "velocity": [lambda a: edited(a, (1, 5), np.inf), lambda a: a[:1], lambda a: edited(a, (0, 0), 1e30)],
    "volume": [lambda a: edited(a, 0, -1), lambda a: a[:-1], lambda a: edited(a, 0, np.nan), lambda a: a[:, None]],
    "affine": [lambda a: a[:1], lambda a: a[:0], lambda a: edited(a, (0, 0), np.nan)],
    "ballistic": [lambda a: np.full(a.shape, 7, np.uint8).view(np.bool_), lambda a: a[:-1]],
    "age": [lambda a: edited(a, 0, -1), lambda a: a[:-1], lambda a: edited(a, 0, np.nan), lambda a: a[None]],
    "tiles": [lambda a: a[::-1].copy(), lambda a: a * 0, lambda a: a - 2**62, lambda a: a[:-1], lambda a: a + 2**42],
    "starts": [lambda a: a[:-1], lambda a: a + 10**6, lambda a: a[::-1].copy(), lambda a: edited(a, 2, -5)],
    "face_tiles": [lambda a: a[:-1], lambda a: a[::-1].copy()],
    "face_velocity": [
        lambda a: a[:, :-1],
        lambda a: edited(a, (0, 1, 0, 3, 3), np.inf),
        lambda a: a.astype(np.float64),
    ],
    "label": [lambda a: a + 50, lambda a: a[:-1]],
    "faces": [lambda a: a | 128, lambda a: a[:, :-1]],
    "wet": [lambda a: a[:-1]],
    "phi": [lambda a: a[:-1], lambda a: edited(a, (1, 0, 2, 2), np.inf)],
    "about": [lambda a: a[:-9], lambda a: np.frombuffer(b"[" * 100_000, np.uint8), lambda a: None],
}
BOX_LIES = {
    "faces": [lambda a: a[:, :-1], lambda a: edited(a, (0, 1, 1), np.nan), lambda a: a.astype(np.float32)],
    "density": [lambda a: a[:-1], lambda a: edited(a, (1, 1), np.inf), lambda a: None],
    "pressure": [lambda a: a[None], lambda a: edited(a, (1, 1), np.nan)],
    "scalar.temperature": [lambda a: a[:-1], lambda a: None, lambda a: edited(a, (1, 1), np.nan)],
    "scalar.gold": [lambda a: np.zeros((8, 8))],
}
FRAME_LIES = {
    "position": [
        lambda a: edited(a, (3, 0), np.nan),
        lambda a: edited(a, (3, 0), 1e9),
        lambda a: a[:-1],
        lambda a: a.T,
    ],
    "velocity": [lambda a: edited(a, (3, 0), np.inf), lambda a: a.astype(np.float64)],
    "volume": [lambda a: edited(a, 3, -1), lambda a: edited(a, 3, 1e30), lambda a: None, lambda a: a[:-1]],
    "age": [lambda a: edited(a, 3, -1), lambda a: edited(a, 3, np.inf), lambda a: a[:-1], lambda a: a.astype(float)],
    "frame": [lambda a: a + 1, lambda a: a.astype(np.float64)],
}
GRID_LIES = {
    "density": [lambda a: a[:-1], lambda a: edited(a, (1, 1), np.nan)],
    "velocity": [lambda a: a[:1], lambda a: edited(a, (0, 1, 1), np.inf)],
    "h": [lambda a: a * 2, lambda a: a * np.nan],
    "temperature": [lambda a: None, lambda a: a[:-1]],
}


def lies(table):
    return [pytest.param(name, lie, id=f"{name}-{n}") for name in table for n, lie in enumerate(table[name])]


def damaged_copy(source, tmp_path, file, name, lie):
    path = shutil.copy(source / file, tmp_path / "file.npz")
    with np.load(path) as found:
        arrays = {key: found[key] for key in found.files}
    arrays[name] = lie(arrays.get(name))
    np.savez(path, **{key: values for key, values in arrays.items() if values is not None})
    return path


@pytest.mark.parametrize(("name", "lie"), lies(LIES))
def test_a_lying_checkpoint_of_liquid_is_refused(straight, tmp_path, name, lie):
    path = damaged_copy(straight, tmp_path, "checkpoints/checkpoint.0004.npz", name, lie)
    solver = build_liquid(LIQUID)
    with pytest.raises(DamagedError, match=r"file\.npz: is damaged.*Use another"):
        read_checkpoint(path, solver, LIQUID, None, "Use another")
    assert solver.state.steps == 0


@pytest.mark.parametrize(("name", "lie"), lies(BOX_LIES))
def test_a_lying_checkpoint_of_stable_fluids_is_refused(fluid, tmp_path, name, lie):
    path = damaged_copy(fluid, tmp_path, "checkpoints/checkpoint.0003.npz", name, lie)
    with pytest.raises(DamagedError, match=r"file\.npz: is damaged"):
        read_checkpoint(path, build(FLUID), FLUID, None, "")


@pytest.mark.parametrize(("name", "lie"), lies(FRAME_LIES))
def test_a_lying_frame_of_particles_is_refused(straight, tmp_path, name, lie):
    path = damaged_copy(straight, tmp_path, "particles/particles.0003.npz", name, lie)
    with pytest.raises(DamagedError, match=r"file\.npz: is damaged"):
        read_frame(path, LIQUID, 3, None, "")


@pytest.mark.parametrize(("name", "lie"), lies(GRID_LIES))
def test_a_lying_frame_of_grids_is_refused(fluid, tmp_path, name, lie):
    path = damaged_copy(fluid, tmp_path, "grids/grids.0003.npz", name, lie)
    with pytest.raises(DamagedError, match=r"file\.npz: is damaged"):
        read_frame(path, FLUID, 3, None, "")


def test_sound_files_are_read(straight, fluid):
    read_checkpoint(straight / "checkpoints/checkpoint.0004.npz", build(LIQUID), LIQUID, None, "")
    read_checkpoint(fluid / "checkpoints/checkpoint.0003.npz", build(FLUID), FLUID, None, "")
    read_frame(straight / "particles/particles.0003.npz", LIQUID, 3, None, "")
    read_frame(fluid / "grids/grids.0003.npz", FLUID, 3, None, "")


@pytest.mark.parametrize("change", ["numbers", "far", "text"])
def test_a_lying_surface_is_refused(straight, tmp_path, change):
    mesh = mesh_from_ply((straight / "mesh/surface.0003.ply").read_bytes(), "")
    mesh.vertices[5, 0] = {"numbers": np.nan, "far": 1e30, "text": 0}[change]
    data = b"ply\n" if change == "text" else ply_bytes(mesh)
    (tmp_path / "surface.ply").write_bytes(data)
    with pytest.raises(DamagedError, match=r"surface\.ply.*Again"):
        read_surface(tmp_path / "surface.ply", LIQUID.domain, None, "Again")


def test_files_with_forged_checksums_are_made_again(straight, copy):
    for name in ("particles/particles.0003.npz", "mesh/surface.0003.ply", "render/frame.0003.png"):
        path = copy / name
        if path.suffix == ".npz":
            hostile(copy, path, position=np.full((7, 2), np.nan))
        else:
            path.write_bytes(b"no such thing")
            forge(copy, path)
    hostile(copy, copy / "checkpoints/checkpoint.0004.npz", cell=np.full((2, 96), 2**30, np.int32))
    shutil.rmtree(copy / "mesh")
    (copy / "run.mp4").unlink()
    plash.resume(copy)
    plash.resume(copy, frames=5, stages=["simulate"])
    for part in ("mesh", "render"):
        assert checksums(copy, part) == checksums(straight, part)
    assert checksums(straight).items() <= checksums(copy).items()
    assert inspect_run(copy, with_checksums=True).damaged == ()


@pytest.mark.parametrize("place", [("scene", "[[["), ("scene", "solver = 3"), ("source", "x" * 9), ("seed", 2**70)])
def test_manifests_with_odd_contents_end_with_a_named_error_or_work(copy, place):
    data = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**data, place[0]: place[1]}))
    if place[0] == "source":
        assert inspect_run(copy, with_checksums=True).damaged == ()
        return
    with pytest.raises((StorageError, plash.SceneError)):
        plash.resume(copy)
