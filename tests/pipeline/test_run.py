import json
import shutil
from typing import Any

import numpy as np
import pytest

import plash
from plash.errors import DamagedError, MismatchError, StoppedError, StorageError, VolumeError
from plash.files.layout import RunFolder
from plash.files.log import read_log
from plash.pipeline.checkpoints import obsolete_checkpoints
from plash.pipeline.inspect import inspect_run
from plash.pipeline.progress import Silent
from plash.pipeline.stages.registry import read_run

from .conftest import StopAfter, checksums


def scene(frames=6, **settings):
    """With two steps and more a frame."""
    short = {"solver.courant": 1.0}
    return plash.load_scene("dam_break_2d", resolution=24, frames=frames, **short | settings)


class Counter(Silent):
    """Counts what is made; may ask for a stop."""

    def __init__(self):
        self.made_by = {}
        self.notes = []

    def made(self, stage, frame, seconds):
        self.made_by.setdefault(stage, []).append(frame)

    def note(self, text):
        self.notes.append(text)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """A run of six frames through all stages, never disturbed."""
    folder = tmp_path_factory.mktemp("straight") / "run"
    outcome = plash.run(scene(), folder)
    assert outcome.movie == folder / "run.mp4"
    assert outcome.frames == 6
    return folder


@pytest.fixture
def copy(straight, tmp_path):
    return shutil.copytree(straight, tmp_path / "run")


def test_frames_on_disk_are_those_in_memory(straight):
    for frame in plash.simulate(scene()):
        found = np.load(straight / "particles" / f"particles.{frame.number:04d}.npz")
        assert np.array_equal(found["position"], frame.particles.position)
        assert np.array_equal(found["velocity"], frame.particles.velocity)
        assert np.array_equal(found["volume"], frame.particles.volume)
        assert float(found["time"]) == frame.time


@pytest.mark.parametrize(
    "settings",
    [
        {"solver.transfer": "apic"},
        {"solver.transfer": "flip"},
        {"solver.transfer": "semi_lagrangian"},
        {"solver.transfer": "pic", "solver.steps_cross_frames": True},
        {"output.checkpoint_every": 4},
        {"solver.free_surface": "staircase"},
        {"solver.free_surface": "cells"},
        {"solver.density_projection": False, "solver.separating_walls": False},
        {"solver.courant": 4.0, "solver.solids": "voxel"},
    ],
    ids=lambda settings: " ".join(map(str, settings.values())),
)
def test_a_longer_run_is_the_same_in_two_parts(tmp_path, settings):
    plash.run(scene(8, **settings), tmp_path / "whole", stages=["simulate"])
    plash.run(scene(3, **settings), tmp_path / "parts", stages=["simulate"])
    plash.resume(tmp_path / "parts", frames=8)
    assert checksums(tmp_path / "whole") == checksums(tmp_path / "parts")


@pytest.mark.parametrize("name", ["drop_in_pool", "dam_break"])
def test_three_dimensions_resume_too(tmp_path, name):
    def small(frames):
        return plash.load_scene(name, resolution=16, frames=frames)

    plash.run(small(4), tmp_path / "whole", stages=["simulate"])
    plash.run(small(2), tmp_path / "parts", stages=["simulate"])
    plash.resume(tmp_path / "parts", frames=4)
    assert checksums(tmp_path / "whole") == checksums(tmp_path / "parts")


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_a_stop_in_mid_frame_changes_nothing(straight, tmp_path, steps, capfd):
    with pytest.raises(StoppedError, match="plash resume") as error:
        plash.run(scene(), tmp_path / "run", progress=StopAfter(steps))
    assert error.value.exit_code == 130
    assert "once more to stop at once" in capfd.readouterr().err
    assert read_run(RunFolder(tmp_path / "run")).stage("simulate").status == "stopped"
    outcome = plash.resume(tmp_path / "run")
    for part in ("particles", "mesh", "render"):
        assert checksums(straight, part) == checksums(tmp_path / "run", part)
    assert outcome.movie.read_bytes() == (straight / "run.mp4").read_bytes()
    assert not RunFolder(tmp_path / "run").stop.exists()
    assert inspect_run(tmp_path / "run", with_checksums=True).damaged == ()


def test_steps_are_logged_once_each(straight):
    lines = list(read_log(straight / "log.jsonl"))
    assert [line["step"] for line in lines] == list(range(1, len(lines) + 1))
    assert {line["frame"] for line in lines} == {2, 3, 4, 5, 6}
    wanted = {"time", "dt", "courant", "liquid_cells", "tiles", "particles", "iterations", "residual", "volume"}
    assert wanted | {"removed", "seconds"} <= set(lines[0])


def test_a_run_that_is_done_is_left_alone(copy):
    counter = Counter()
    plash.run(scene(), copy, progress=counter)
    assert counter.made_by == {}


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({"title": "another"}, set()),
        ({"output.checkpoint_every": 3}, set()),
        ({"output.clip_width": 100}, set()),
        ({"output.video_quality": 30}, {"video"}),
        ({"output.movies": ["mp4", "gif"]}, {"video"}),
        ({"look.width": 320}, {"render", "video"}),
        ({"mesh.smoothing": 0}, {"mesh", "render", "video"}),
    ],
    ids=lambda value: " ".join(sorted(value)),
)
def test_only_what_depends_on_a_change_is_made_again(copy, change, again):
    before = checksums(copy)
    counter = Counter()
    plash.run(scene(**change), copy, progress=counter)
    assert set(counter.made_by) == again | {"report"}  # which shows the scene
    assert checksums(copy) == before


@pytest.mark.parametrize("change", [{"solver.courant": 2.0}, {"seed": 5}, {"fill[0].velocity": [1, 0]}, {"fps": 25}])
def test_another_simulation_is_refused_with_what_differs(copy, change):
    before = checksums(copy)
    with pytest.raises(MismatchError) as error:
        plash.run(scene(**change), copy)
    assert error.value.exit_code == 6
    key = next(iter(change)).rpartition(".")[2]
    assert key in str(error.value)
    assert "--out" in str(error.value)
    assert "--force" in str(error.value)
    assert checksums(copy) == before


def test_force_begins_anew(copy):
    plash.run(scene(frames=3, seed=5), copy, stages=["simulate"], force=True)
    assert len(checksums(copy)) == 3
    assert not (copy / "run.mp4").exists()
    assert not (copy / "contact.png").exists()
    assert not (copy / "render").exists()


def test_a_deleted_frame_is_made_again_bit_for_bit(straight, copy):
    (copy / "particles" / "particles.0004.npz").unlink()
    (copy / "mesh" / "surface.0002.ply").unlink()
    counter = Counter()
    plash.resume(copy, progress=counter)
    assert counter.made_by == {"simulate": [4], "mesh": [2], "report": [0]}
    assert checksums(copy) == checksums(straight)
    assert checksums(copy, "mesh") == checksums(straight, "mesh")


@pytest.mark.parametrize("part", ["particles/particles.0003.npz", "mesh/surface.0003.ply", "render/frame.0003.png"])
def test_a_truncated_file_is_made_again_bit_for_bit(straight, copy, part):
    whole = (copy / part).read_bytes()
    (copy / part).write_bytes(whole[: len(whole) // 2])
    assert inspect_run(copy, with_checksums=True).damaged[0].startswith(str(copy / part))
    plash.resume(copy)
    assert (copy / part).read_bytes() == whole
    assert inspect_run(copy, with_checksums=True).damaged == ()


@pytest.mark.parametrize("part", ["particles/particles.0003.npz", "mesh/surface.0003.ply", "render/frame.0003.png"])
def test_a_changed_file_is_found_when_it_is_read(copy, part):
    whole = (copy / part).read_bytes()
    (copy / part).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    changed: Any = {"mesh.smoothing": 1, "video_quality": 31}
    plash.resume(copy, **changed)  # reads every file
    assert inspect_run(copy, with_checksums=True).damaged == ()


def test_a_stage_alone_says_what_is_missing(copy):
    (copy / "particles" / "particles.0003.npz").write_bytes(b"")
    smoother: Any = {"mesh.smoothing": 1}
    with pytest.raises(DamagedError, match=r"particles\.0003\.npz: is damaged.*plash resume") as error:
        plash.resume(copy, stages=["mesh"], **smoother)
    assert error.value.exit_code == 5
    plash.resume(copy)
    assert inspect_run(copy, with_checksums=True).damaged == ()


def test_a_damaged_checkpoint_is_passed_over(straight, copy, tmp_path):
    latest = max((copy / "checkpoints").iterdir())
    latest.write_bytes(b"nothing")
    counter = Counter()
    plash.resume(copy, frames=8, progress=counter, stages=["simulate"])
    plash.run(scene(8), tmp_path / "whole", stages=["simulate"])
    assert checksums(copy) == checksums(tmp_path / "whole")
    assert "An earlier one is used" in counter.notes[0]


def test_without_any_checkpoint_it_starts_over(copy, tmp_path):
    shutil.rmtree(copy / "checkpoints")
    plash.resume(copy, frames=8, stages=["simulate"])
    plash.run(scene(8), tmp_path / "whole", stages=["simulate"])
    assert checksums(copy) == checksums(tmp_path / "whole")


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(StorageError, match=r"is not empty \(thesis\.tex\).*--out"):
        plash.run(scene(), tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_a_folder_may_have_spaces_and_any_letters(tmp_path):
    folder = tmp_path / "Wasser läuft 水 — №1"
    outcome = plash.run(scene(frames=2), folder)
    assert outcome.movie == folder / f"{folder.name}.mp4"
    assert outcome.movie.stat().st_size > 0


def test_a_run_over_its_volume_budget_fails_and_keeps_its_frames(tmp_path):
    with pytest.raises(VolumeError, match=r"frame \d+: the measured volume is .*max_volume_error = 1e-06") as error:
        plash.run(scene(max_volume_error=1e-6), tmp_path / "run", stages=["simulate"])
    assert error.value.exit_code == 4
    manifest = read_run(RunFolder(tmp_path / "run"))
    assert manifest.stage("simulate").status == "failed"
    assert "max_volume_error" in manifest.message
    plash.resume(tmp_path / "run", max_volume_error=0.9)


def test_a_run_that_a_sink_empties_goes_on_to_its_movie(tmp_path):
    """Most is gone after a step and all in the end: frames without a particle, and nothing left to judge."""
    made = plash.Scene(
        domain={"size": (1, 1), "resolution": 16},
        time={"fps": 12, "frames": 5},
        solver={"max_volume_error": 0.6},
        fill=[{"shape": {"kind": "box", "min": (0, 0.3), "max": (1, 0.7)}}],
        sink=[{"shape": {"kind": "box", "min": (0, 0), "max": (1, 0.6)}}],
    )
    outcome = plash.run(made, tmp_path / "run")
    assert outcome.movie.stat().st_size > 0
    assert outcome.ledger["particle_volume"] == 0
    assert "Volume at the end" in outcome.report.read_text()


def test_the_manifest_says_what_the_run_is(straight):
    data = json.loads((straight / "manifest.json").read_text())
    assert data["seed"] == 0
    assert {"plash", "numpy", "numba", "python", "machine"} <= set(data["versions"])
    assert plash.parse_scene(data["scene"]) == scene()
    assert data["stages"]["simulate"]["status"] == "done"
    ledger = data["stages"]["simulate"]["items"]["6"]["ledger"]
    assert ledger["particle_volume"] == pytest.approx(0.375)


def test_few_checkpoints_are_kept_and_recent_ones_are_close():
    for every in (1, 5):
        places = {}
        for frame in range(every, 40 * every + 1, every):
            places[frame] = frame
            for number in obsolete_checkpoints(places, every):
                del places[number]
            turns = [place // every for place in places]
            assert frame in places
            assert frame == every or frame - every in places
            assert len(places) <= 2 + 2 * np.log2(max(turns))
