"""One picture before the whole run: `plash run SCENE --frame N`."""

import pytest
from tests.pipeline.conftest import checksums

import plash
from plash.cli.main import _exit_code
from plash.pipeline.inspect import inspect_run
from plash.pipeline.progress import Silent

SMALL = {"resolution": 16, "frames": 5, "look.width": 64}


@pytest.fixture
def scene():
    return plash.load_scene("dam_break_2d", **SMALL)


class Made(Silent):
    """Counts the files that are made, by stage."""

    def __init__(self):
        self.frames = {}

    def made(self, stage, frame, seconds):
        self.frames.setdefault(stage, []).append(frame)


def files(folder, part):
    return [path.name for path in sorted((folder / part).iterdir())]


@pytest.mark.slow
def test_a_still_simulates_up_to_its_frame_and_draws_it_alone(scene, tmp_path):
    outcome = plash.run(scene, tmp_path / "run", frame=3)
    assert outcome.picture == tmp_path / "run/render/frame.0003.png"
    assert files(tmp_path / "run", "render") == ["frame.0003.png"]
    assert files(tmp_path / "run", "mesh") == ["surface.0003.ply"]
    assert len(files(tmp_path / "run", "particles")) == 3
    assert outcome.movies == ()
    assert {stage.status for stage in inspect_run(tmp_path / "run").stages} == {"stopped"}


@pytest.mark.slow
@pytest.mark.parametrize("whole", [plash.run, lambda scene, out, **kw: plash.resume(out, **kw)])
def test_a_whole_run_uses_what_a_still_has_simulated(scene, tmp_path, whole):
    plash.run(scene, tmp_path / "whole")
    plash.run(scene, tmp_path / "run", frame=3)
    made = Made()
    outcome = whole(scene, tmp_path / "run", progress=made)
    assert made.frames["simulate"] == [4, 5]
    assert made.frames["render"] == [1, 2, 4, 5]
    assert outcome.movie is not None
    assert outcome.report is not None
    for part in ("particles", "mesh", "render"):
        assert checksums(tmp_path / "run", part) == checksums(tmp_path / "whole", part)


@pytest.mark.slow
def test_a_still_of_a_frame_that_is_there_makes_nothing_again(scene, tmp_path):
    plash.run(scene, tmp_path / "run", frame=3)
    made = Made()
    plash.run(scene, tmp_path / "run", frame=2, progress=made)
    assert made.frames == {"mesh": [2], "render": [2]}


@pytest.mark.parametrize("frame", [0, 6])
def test_a_frame_that_is_none_of_the_scene_is_refused(scene, tmp_path, frame):
    with pytest.raises(plash.SceneError, match=rf"frame: {frame} is no frame of the scene: it has 1 to 5"):
        plash.run(scene, tmp_path / "run", frame=frame)
    assert not (tmp_path / "run").exists()


def test_a_still_is_no_choice_of_stages(scene, tmp_path):
    with pytest.raises(ValueError, match="leave stages out"):
        plash.run(scene, tmp_path / "run", frame=2, stages=["simulate"])


@pytest.mark.slow
def test_the_program_names_the_picture(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert _exit_code(["run", "dam_break_2d", "--resolution", "16", "--frame", "2", "--quality", "draft"]) == 0
    assert "picture  out/dam_break_2d/render/frame.0002.png" in capfd.readouterr().out
