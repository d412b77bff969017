"""What particles carry is one table: whatever is declared there is sorted, kept, written, meshed and shown."""

import shutil

import numpy as np
import pytest

import plash
from plash.carried import CARRIED, Carried, scalars
from plash.files.ply import mesh_from_ply
from plash.studio.kinds import live

TEXT = """version = 1
[domain]
size = [0.9, 0.6]
resolution = 24
gravity = [0, -3.5]
sides = { y_max = "open" }
[time]
fps = 30
frames = 5
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.3, 0.4] }
[[source]]
kind = "blob"
time = 0.05
shape = { kind = "sphere", center = [0.65, 0.4], radius = 0.08 }
"""
STAGES = ["simulate", "mesh"]


def scene() -> plash.Scene:
    return plash.parse_scene(TEXT)


@pytest.fixture
def dye(monkeypatch):
    """A made-up quantity: every particle appears with half a gram of dye, and gains two a second."""
    made_up = Carried("grams of dye in it", unit="g", start=0.5, rate=2.0, is_in_frames=True, vertex=("dye",))
    monkeypatch.setitem(CARRIED, "dye", made_up)


def test_age_is_the_time_since_a_particle_appeared():
    for frame in plash.simulate(scene()):
        ages = np.unique(frame.particles.age.round(5))
        late = frame.time - 0.05
        steps = max((step.dt for step in frame.steps), default=0.0)
        assert ages.max() == pytest.approx(frame.time, abs=1e-5)
        assert len(ages) == (1 if late < 0 else 2)
        if late >= 0:
            assert late - steps <= ages.min() <= late + 1e-5
            young = frame.particles.position[frame.particles.age < frame.time - 0.01]
            assert (young[:, 0] > 0.45).all(), "ages stay with their particles"
    assert frame.particles.carried["age"] is frame.particles.age
    with pytest.raises(AttributeError, match="have position, velocity, volume, age"):
        _ = frame.particles.colour


def test_a_declaration_is_enough_for_frames_checkpoints_and_surfaces(tmp_path, dye):
    out = tmp_path / "run"
    plash.run(scene(), out, stages=STAGES)
    with np.load(out / "particles" / "particles.0005.npz") as frame:
        assert frame["dye"] == pytest.approx(0.5 + 2 * frame["age"], abs=1e-5)
        assert frame["dye"].dtype == np.float32
        most = frame["dye"].max()
    with np.load(out / "checkpoints" / "checkpoint.0005.npz") as checkpoint:
        assert checkpoint["dye"].shape == checkpoint["age"].shape == checkpoint["volume"].shape
    surface = mesh_from_ply((out / "mesh" / "surface.0005.ply").read_bytes(), "surface")
    assert set(surface.scalars) == {"age", "dye"}
    assert surface.scalars["dye"] == pytest.approx(0.5 + 2 * surface.scalars["age"], abs=1e-4)
    assert surface.scalars["dye"].max() == pytest.approx(most, abs=1e-4)


def test_a_run_goes_on_with_what_a_checkpoint_holds(tmp_path, dye):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    plash.run(scene(), whole, stages=["simulate"])
    shutil.copytree(whole, parts)
    last = "particles/particles.0005.npz"
    (parts / last).unlink()
    (parts / "checkpoints" / "checkpoint.0005.npz").unlink()
    plash.resume(parts)
    assert (parts / last).read_bytes() == (whole / last).read_bytes()


def test_a_declaration_is_enough_for_the_studio(dye):
    simulation = live(scene())
    simulation.advance(0.01)
    assert simulation.views[-2:] == ("age", "dye")
    assert simulation.quantities["dye"].unit == "g"
    arrays, units = simulation.arrays("dye", arrows=False)
    assert len(arrays["points"]) == len(arrays["shade"]) == simulation.facts()["particles"]
    assert arrays["shade"].max() * units["shade"] == pytest.approx(0.5 + 2 * simulation.time, rel=1e-3)


def test_frames_of_older_versions_are_without_an_age(tmp_path):
    from plash.files.frames import read_frame

    plash.run(scene(), tmp_path / "run", stages=["simulate"])
    path = tmp_path / "run" / "particles" / "particles.0002.npz"
    with np.load(path) as frame:
        older = {name: frame[name] for name in frame if name != "age"}
    np.savez(path, **older)
    assert not read_frame(path, scene(), 2, None, "").as_particles().age.any()
    np.savez(path, **{**older, "age": np.full(len(older["volume"]), -1, np.float32)})
    with pytest.raises(plash.PlashError, match="'age' has"):
        read_frame(path, scene(), 2, None, "")


def test_the_scale_of_what_grows_ends_with_the_scene():
    assert scalars()["age"].scale(4.0) == (0.0, 4.0)
    assert Carried("warmth", start=1.0, top=3.0).scale(4.0) == (1.0, 3.0)
