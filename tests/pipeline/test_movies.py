"""What is made of all pictures: the movie in several formats, and the contact sheet."""

import os
import shutil
import signal
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence

import plash
from plash.errors import StoppedError
from plash.files.layout import RunFolder
from plash.pipeline.inspect import inspect_run
from plash.pipeline.progress import Silent
from plash.pipeline.stages.registry import read_run
from plash.scene.output import FORMATS

FRAMES = 6


def scene(**settings):
    small = {"resolution": 24, "frames": FRAMES, "look.width": 160, "output.clip_width": 100}
    return plash.load_scene("dam_break_2d", **{**small, **settings})


class Counter(Silent):
    def __init__(self):
        self.made_by = {}

    def made(self, stage, frame, seconds):
        self.made_by.setdefault(stage, []).append(frame)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """A run with the movie in every format."""
    folder = tmp_path_factory.mktemp("straight") / "run"
    outcome = plash.run(scene(**{"output.movies": list(FORMATS)}), folder)
    assert outcome.movie == folder / "run.mp4"
    assert outcome.movies == tuple(folder / f"run.{kind}" for kind in FORMATS)
    assert outcome.report == folder / "report.html"
    return folder


@pytest.fixture
def copy(straight, tmp_path):
    return shutil.copytree(straight, tmp_path / "run")


def whole_files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix[1:] in (*FORMATS, "png")}


@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_a_movie_has_every_frame(straight, kind):
    with av.open(str(straight / f"run.{kind}")) as file:
        frames = list(file.decode(file.streams.video[0]))
        assert file.duration / av.time_base == pytest.approx(FRAMES / 24, abs=1e-3)
    with Image.open(straight / "render/frame.0001.png") as picture:
        assert [(frame.width, frame.height) for frame in frames] == [picture.size] * FRAMES


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_a_clip_is_reduced_and_as_long_as_the_movie(straight, kind):
    with Image.open(straight / f"run.{kind}") as file:
        lasting = []
        for frame in ImageSequence.Iterator(file):
            frame.load()
            lasting.append(frame.info["duration"])
        assert file.size[0] == 100
    assert sum(lasting) == 250


def test_the_contact_sheet_shows_the_frames(straight):
    with Image.open(straight / "contact.png") as file:
        sheet = np.array(file)
    with Image.open(straight / "render/frame.0005.png") as file:
        picture = np.array(file)
    height, width, _ = picture.shape
    top = 12 + height + 26 + 12
    assert np.array_equal(sheet[top : top + height, 12 : 12 + width], picture)


def test_the_manifest_knows_every_file(straight):
    assert len(read_run(RunFolder(straight)).stage("video").items) == 5
    assert inspect_run(straight, with_checksums=True).damaged == ()
    stages = {stage.name: stage for stage in inspect_run(straight).stages}
    assert (stages["video"].files, stages["report"].files) == (5, 1)


def test_other_runs_give_the_same_bytes(straight, tmp_path):
    plash.run(scene(), tmp_path / "run", stages=["simulate", "mesh", "render"])
    plash.resume(tmp_path / "run", stages=["video"], formats=["webm", "gif", "webp"])
    assert whole_files(tmp_path / "run") == whole_files(straight)


@pytest.mark.parametrize("name", [*(f"run.{kind}" for kind in FORMATS), "contact.png", "report.html"])
@pytest.mark.parametrize("damage", ["deleted", "cut short"])
def test_what_is_lost_is_made_again(straight, copy, name, damage):
    path = copy / name
    if damage == "deleted":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-7])
    assert name in inspect_run(copy, with_checksums=True).damaged[0]
    counter = Counter()
    plash.resume(copy, progress=counter)
    assert counter.made_by.get("video", []) == ([] if name == "report.html" else [0])
    assert whole_files(copy) == whole_files(straight)
    assert inspect_run(copy, with_checksums=True).damaged == ()


def test_a_movie_that_was_changed_is_found_by_the_report_and_made_again(straight, copy):
    whole = (copy / "run.mp4").read_bytes()
    (copy / "run.mp4").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    (copy / "report.html").unlink()
    plash.resume(copy)
    assert whole_files(copy) == whole_files(straight)
    assert inspect_run(copy, with_checksums=True).damaged == ()


def test_a_format_is_added_to_those_there_are(tmp_path):
    folder = tmp_path / "run"
    plash.run(scene(frames=2), folder, stages=["simulate", "mesh", "render", "video"])
    counter = Counter()
    outcome = plash.resume(folder, stages=["mesh", "render", "video"], formats=["gif", "gif"], progress=counter)
    assert counter.made_by == {"video": [0]}
    assert [movie.name for movie in outcome.movies] == ["run.mp4", "run.gif"]
    narrower: Any = {"look.width": 120}
    plash.resume(folder, **narrower)  # both show the new pictures
    assert inspect_run(folder, with_checksums=True).damaged == ()
    with Image.open(folder / "run.gif") as clip, av.open(str(folder / "run.mp4")) as movie:
        assert clip.size[0] == 100
        assert movie.streams.video[0].width == 120


def test_a_run_can_have_no_mp4(tmp_path):
    outcome = plash.run(scene(frames=2, **{"output.movies": ["webm"]}), tmp_path / "run")
    assert outcome.movie == tmp_path / "run" / "run.webm"
    assert "data:video/webm;base64," in outcome.report.read_text(encoding="utf-8")


class StopAfterMaking(Silent):
    """Asks for a stop when a stage has made a frame, as Ctrl-C would."""

    def __init__(self, stage, frame):
        self.last = (stage, frame)

    def made(self, stage, frame, seconds):
        if (stage, frame) == self.last:
            os.kill(os.getpid(), signal.SIGINT)


def test_a_stop_takes_effect_between_the_pictures_of_a_movie(straight, tmp_path, capfd):
    with pytest.raises(StoppedError, match=r"stopped while run\.webm was made: go on with `plash resume"):
        plash.run(scene(**{"output.movies": list(FORMATS)}), tmp_path / "run", progress=StopAfterMaking("video", 0))
    assert set(whole_files(tmp_path / "run")) == {"run.mp4"}
    plash.resume(tmp_path / "run")
    assert whole_files(tmp_path / "run") == whole_files(straight)


def test_a_stop_before_the_movie_leaves_none_behind(straight, tmp_path, capfd):
    with pytest.raises(StoppedError, match="plash resume"):
        plash.run(
            scene(**{"output.movies": list(FORMATS)}), tmp_path / "run", progress=StopAfterMaking("render", FRAMES)
        )
    assert "once more to stop at once" in capfd.readouterr().err
    assert whole_files(tmp_path / "run") == {}
    plash.resume(tmp_path / "run")
    assert whole_files(tmp_path / "run") == whole_files(straight)


@pytest.mark.parametrize(
    ("movies", "message"),
    [
        (["avi"], '"avi" is not one of mp4, webm, gif, webp'),
        (["mp4", "gifs"], 'Did you mean "gif"'),
        ([], "at least 1"),
        ("gif", "must be a list"),
    ],
)
def test_formats_that_are_none_are_refused(movies, message):
    with pytest.raises(plash.SceneError, match=r"output\.movies") as error:
        scene(**{"output.movies": movies})
    assert message in str(error.value)
