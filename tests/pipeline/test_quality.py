"""Quality levels of a run: what they make again, and what happens without the ray tracer."""

import hashlib
import importlib.util
from typing import Any

import numpy as np
import pytest

import plash
from plash.cli.main import _exit_code
from plash.errors import MissingPartError
from plash.pipeline.progress import Silent
from plash.render.mitsuba import variant


class Messages(Silent):
    def __init__(self):
        self.made_by, self.notes = {}, []

    def made(self, stage, frame, seconds):
        self.made_by.setdefault(stage, []).append(frame)

    def note(self, text):
        self.notes.append(text)


@pytest.fixture(autouse=True)
def plain_variant(monkeypatch):
    monkeypatch.setenv("PLASH_MITSUBA_VARIANT", "scalar_rgb")
    variant.variant.cache_clear()
    variant.load_mitsuba.cache_clear()


@pytest.fixture
def without_mitsuba(monkeypatch):
    """As if the extra were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mitsuba" else find(name))


def scene(frames=2, **settings):
    small = {"resolution": 12, "frames": frames, "look.width": 48, "look.height": 28}
    return plash.load_scene("drop_in_pool", **small, **settings)


def pictures(folder):
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "render").iterdir())]


def test_another_quality_only_renders_again(tmp_path):
    plash.run(scene(), tmp_path / "run")
    drawn = pictures(tmp_path / "run")
    messages = Messages()
    plash.run(scene(**{"look.quality": "preview"}), tmp_path / "run", progress=messages)
    assert messages.made_by == {"render": [1, 2], "video": [0, 0], "report": [0]}  # the movie, and the contact sheet
    assert messages.notes == []
    traced = pictures(tmp_path / "run")
    assert not set(drawn) & set(traced)
    draft: Any = {"look.quality": "draft"}
    plash.resume(tmp_path / "run", **draft)
    assert pictures(tmp_path / "run") == drawn


def test_ray_traced_frames_resume_to_the_same_pictures(tmp_path):
    plash.run(scene(**{"look.quality": "preview"}), tmp_path / "run")
    before = pictures(tmp_path / "run")
    (tmp_path / "run" / "render" / "frame.0002.png").unlink()
    messages = Messages()
    plash.resume(tmp_path / "run", progress=messages)
    assert messages.made_by["render"] == [2]
    assert pictures(tmp_path / "run") == before


def test_without_mitsuba_a_run_still_makes_its_movie_and_says_so(tmp_path, without_mitsuba, monkeypatch):
    messages = Messages()
    outcome = plash.run(scene(**{"look.quality": "preview"}), tmp_path / "run", progress=messages)
    assert outcome.movie.exists()
    assert 'pip install "plash[render]"' in messages.notes[0]
    assert outcome.notes == tuple(messages.notes)
    # Once it is installed, the pictures are made again, and nothing else
    monkeypatch.undo()
    monkeypatch.setenv("PLASH_MITSUBA_VARIANT", "scalar_rgb")
    messages = Messages()
    assert plash.run(scene(**{"look.quality": "preview"}), tmp_path / "run", progress=messages).notes == ()
    assert set(messages.made_by) == {"render", "video", "report"}


def test_without_mitsuba_rendering_alone_ends_with_the_command_to_install_it(tmp_path, without_mitsuba, capfd):
    plash.run(scene(), tmp_path / "run", stages=["simulate", "mesh", "render"])
    preview: Any = {"look.quality": "preview"}
    with pytest.raises(MissingPartError):
        plash.resume(tmp_path / "run", stages=["render"], **preview)
    assert _exit_code(["render", str(tmp_path / "run"), "--quality", "preview"]) == 7
    assert 'pip install "plash[render]"' in capfd.readouterr().err
    # The run is as it was, and goes on
    assert plash.open_run(tmp_path / "run").scene.look.quality == "draft"
    assert plash.resume(tmp_path / "run", stages=["video"]).movie is not None


def test_two_dimensions_are_drawn_and_that_is_said(tmp_path):
    flat = plash.load_scene("dam_break_2d", resolution=16, frames=1, **{"look.quality": "final", "look.width": 48})
    outcome = plash.run(flat, tmp_path / "run")
    assert outcome.movie.exists()
    assert "2-D" in outcome.notes[0]


def test_the_camera_moves_from_frame_to_frame(tmp_path):
    plash.run(
        scene(3, **{"look.camera": {"turn": "360 deg/s"}}), tmp_path / "run", stages=["simulate", "mesh", "render"]
    )
    assert len(set(pictures(tmp_path / "run"))) == 3


@pytest.mark.skipif(not variant.is_installed(), reason="needs Mitsuba")
def test_a_light_that_cannot_be_read_is_found_before_the_first_step(tmp_path):
    whole = tmp_path / "sky.exr"
    variant.load_mitsuba().Bitmap(np.ones((64, 128, 3), np.float32)).write(str(whole))
    whole.write_bytes(whole.read_bytes()[:600])
    messages = Messages()
    cut = scene(quality="preview", **{"look.light": str(whole)})
    with pytest.raises(plash.SceneError, match=r"look\.light: .*sky\.exr cannot be read as a picture"):
        plash.run(cut, tmp_path / "run", progress=messages)
    assert messages.made_by == {}
