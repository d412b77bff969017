"""Branches: what goes on unchanged has the same bits, what is shared is shared, and what is lost is named."""

import json
import os
import shutil
from typing import Any

import numpy as np
import pytest

import plash
from plash.cli.main import _exit_code
from plash.errors import MismatchError, SceneError, StorageError
from plash.files.layout import RunFolder
from plash.pipeline.inspect import inspect_run
from plash.pipeline.stages.registry import read_run

from .conftest import checksums

FRAMES, AT = 6, 3
MOON: dict[str, Any] = {"domain.gravity": [0, -1.6]}


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("branch") / "run"
    scene = plash.load_scene("dam_break_2d", resolution=16, frames=FRAMES, **{"output.checkpoint_every": 2})
    plash.run(scene, folder, stages=["simulate"])
    return folder


@pytest.fixture
def run(straight, tmp_path):
    return shutil.copytree(straight, tmp_path / "run")


@pytest.mark.parametrize("frame", [1, 2, 3, FRAMES - 1])
def test_a_branch_without_a_change_has_the_bits_of_the_run(run, tmp_path, frame):
    """Also where there is no checkpoint at the frame, or none at all before it."""
    plash.branch(run, tmp_path / "same", frame)
    assert checksums(tmp_path / "same") == checksums(run)


def test_a_branch_shares_what_was_before_and_differs_after(run, tmp_path):
    before = checksums(run)
    outcome = plash.branch(run, tmp_path / "moon", AT, **MOON)
    assert outcome.frames == FRAMES
    after = checksums(tmp_path / "moon")
    same = [name for name in before if before[name] == after[name]]
    assert same == sorted(before)[:AT]
    assert checksums(run) == before
    for name in same:
        assert os.path.samefile(run / "particles" / name, tmp_path / "moon/particles" / name)
    assert inspect_run(tmp_path / "moon", with_checksums=True).damaged == ()
    log = plash.open_run(tmp_path / "moon").log
    assert log["step"].tolist() == list(range(1, len(log["step"]) + 1))
    assert log["dt"].sum() == pytest.approx((FRAMES - 1) / 24)


def test_both_manifests_say_where_the_branch_is(run, tmp_path):
    plash.branch(run, tmp_path / "moon", AT, **MOON)
    origin = read_run(RunFolder(tmp_path / "moon")).origin
    assert (origin.folder, origin.frame) == (str(run), AT)
    assert origin.physics == read_run(RunFolder(run)).physics
    assert read_run(RunFolder(run)).branches == {str(tmp_path / "moon"): AT}
    assert "origin" not in json.loads((run / "manifest.json").read_text())


def test_the_liquid_falls_as_the_branch_says(run, tmp_path):
    """Of a block that falls freely: gravity changes what its middle gains in each second after the branch."""
    block = plash.Scene(
        domain=plash.Domain(size=(0.8, 1.6), cell_size=0.1),
        time=plash.Time(frames=5, fps=50),
        fill=[plash.Fill(shape=plash.Box(min=(0.2, 1.0), max=(0.6, 1.4)))],
    )
    plash.run(block, tmp_path / "block", stages=["simulate"])
    up: Any = {"domain.gravity": [0.0, 2.0]}
    plash.branch(tmp_path / "block", tmp_path / "up", 3, **up)
    speeds = [float(frame.particles.velocity[:, 1].mean()) for frame in plash.open_run(tmp_path / "up")]
    g = block.domain.gravity[1]
    # Velocities are kept in the middle of steps: the change is seen in whole from the second frame on
    assert np.diff(speeds)[:2] == pytest.approx([g / 50] * 2, rel=1e-3)
    assert np.diff(speeds)[-1] == pytest.approx(2.0 / 50, rel=1e-3)


def test_a_branch_is_resumed_and_made_longer(run, tmp_path):
    plash.branch(run, tmp_path / "moon", AT, **MOON)
    whole = checksums(tmp_path / "moon")
    (tmp_path / "moon/particles/particles.0005.npz").unlink()
    plash.resume(tmp_path / "moon")
    assert checksums(tmp_path / "moon") == whole
    assert plash.resume(tmp_path / "moon", frames=FRAMES + 4).frames == FRAMES + 4
    assert AT in read_run(RunFolder(tmp_path / "moon")).checkpoints  # nothing before it could be simulated again


def test_what_a_branch_shares_and_lost_comes_back_by_branching_again(run, tmp_path):
    plash.branch(run, tmp_path / "moon", AT, **MOON)
    whole = checksums(tmp_path / "moon")
    (tmp_path / "moon/particles/particles.0002.npz").unlink()
    with pytest.raises(StorageError, match=r"branched off .* at frame 3, .* lost\. `plash resume .* --from 3`"):
        plash.resume(tmp_path / "moon")
    plash.branch(run, tmp_path / "moon", AT, **MOON)
    assert checksums(tmp_path / "moon") == whole


def test_a_branch_of_a_branch(run, tmp_path):
    plash.branch(run, tmp_path / "moon", AT, **MOON)
    earth: Any = {"domain.gravity": [0, -9.81]}
    plash.branch(tmp_path / "moon", tmp_path / "back", AT + 1, **earth)
    first, second = checksums(tmp_path / "moon"), checksums(tmp_path / "back")
    assert [name for name in first if first[name] == second[name]] == sorted(first)[: AT + 1]
    with pytest.raises(StorageError, match="is a branch itself"):
        plash.branch(tmp_path / "moon", tmp_path / "early", AT - 1)


@pytest.mark.parametrize(
    ("change", "key"), [({"resolution": 32}, "domain"), ({"time.fps": 30}, "time.fps")], ids=["cells", "fps"]
)
def test_what_a_state_cannot_take_is_refused(run, tmp_path, change, key):
    with pytest.raises(SceneError, match=f"{key}: is .* and was .*: a branch goes on with the same cells"):
        plash.branch(run, tmp_path / "other", AT, **change)
    assert not (tmp_path / "other").exists()


def test_what_the_particles_do_not_carry_is_refused(run, tmp_path):
    warm: Any = {"fill[0].temperature": "350 K"}
    with pytest.raises(MismatchError, match=r"does not fit the changed scene: .*'temperature'"):
        plash.branch(run, tmp_path / "other", AT, **warm)
    assert not (tmp_path / "other").exists()


def test_frames_and_folders_that_cannot_be_are_refused(run, tmp_path):
    with pytest.raises(StorageError, match="frame 7 is not simulated"):
        plash.branch(run, tmp_path / "other", FRAMES + 1)
    with pytest.raises(StorageError, match="is the run itself"):
        plash.branch(run, run, AT)
    plash.branch(run, tmp_path / "moon", AT, **MOON)
    with pytest.raises(MismatchError, match="holds another run"):
        plash.branch(run, tmp_path / "moon", AT)


def test_the_command(run, tmp_path, capsys):
    moon = str(tmp_path / "moon")
    command = ["resume", str(run), "--from", "3", "--set", "domain.gravity=[0,-1.6]", "--out", moon, "--quiet"]
    assert _exit_code(command) == 0
    assert len(checksums(tmp_path / "moon")) == FRAMES
    assert _exit_code(["resume", str(run), "--from", "3"]) == 2
    assert "--from and --out go together" in capsys.readouterr().err
