"""What happens to long runs: they are killed, stopped, run out of disk, and are started twice."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from ..fuzz.kills import checksums, finish, kill_again_and_again, plash

pytestmark = pytest.mark.slow

KILLS = 25
SCENE = ["dam_break_2d", "--resolution", "24", "--frames", "24"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    code, _, err = finish(plash("run", *SCENE, "--out", str(folder), "-q"))
    assert code == 0, err
    return folder


def test_killed_again_and_again_a_run_ends_up_the_same(undisturbed, tmp_path):
    folder = tmp_path / "run"
    kill_again_and_again(SCENE, folder, random.Random(3), KILLS, longest=0.25)
    assert checksums(folder) == checksums(undisturbed)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_stop_is_resumable(undisturbed, tmp_path, number):
    folder = tmp_path / "my runs" / "run"
    process = plash("run", *SCENE, "--out", str(folder), "--json")
    while json.loads(process.stdout.readline())["event"] != "step":
        pass
    process.send_signal(number)
    code, _, err = finish(process)
    assert code == 130
    assert "stopping after this step" in err
    assert f"go on with `plash resume '{folder}'`" in err
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["stages"]["simulate"]["status"] == "stopped"
    assert manifest["checkpoints"]
    assert finish(plash("resume", str(folder), "-q"))[0] == 0
    assert checksums(folder) == checksums(undisturbed)


def test_a_second_ctrl_c_stops_at_once(tmp_path):
    folder = tmp_path / "run"
    # One step of this takes many times longer than the test waits
    long_step = ["dam_break_2d", "--resolution", "1500", "--frames", "2", "--threads", "1"]
    process = plash("simulate", *long_step, "--out", str(folder), "--json")
    while json.loads(process.stdout.readline())["event"] != "made":
        pass
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - start < 20
    code, _, _ = finish(plash("info", str(folder), "--verify"))
    assert code == 0


def test_two_runs_into_one_folder_do_not_meet(tmp_path):
    folder = tmp_path / "run"
    first = plash("simulate", *SCENE, "--out", str(folder), "--json")
    first.stdout.readline()
    code, _, err = finish(plash("simulate", *SCENE, "--out", str(folder)))
    assert code == 5
    assert f"in use by another plash (process {first.pid})" in err
    assert finish(first)[0] == 0


@pytest.fixture
def small_disk(tmp_path):
    """A disk of two megabytes; grow(megabytes) makes it larger."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small disk needs an administrator")
    yield place, lambda options: subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_loses_nothing(undisturbed, small_disk):
    place, remount = small_disk
    folder = place / "run"
    (place / "ballast").write_bytes(bytes(1_200_000))
    code, _, err = finish(plash("run", *SCENE, "--out", str(folder), "-q"))
    assert code == 5
    assert "no space left on device" in err
    assert "plash resume" in err
    done = len(json.loads((folder / "manifest.json").read_text())["stages"]["simulate"]["items"])
    assert done > 0
    assert finish(plash("info", str(folder), "--verify"))[0] == 0
    (place / "ballast").unlink()
    remount("size=100m")
    assert finish(plash("resume", str(folder), "-q"))[0] == 0
    assert checksums(folder) == checksums(undisturbed)


@pytest.mark.parametrize("kind", ["mp4", "webm", "gif", "webp"])
def test_a_movie_that_does_not_fit_is_an_error_of_disk(undisturbed, small_disk, kind):
    place, remount = small_disk
    remount("size=100m")
    folder = shutil.copytree(undisturbed, place / "run")
    (folder / f"run.{kind}").unlink(missing_ok=True)
    free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
    (place / "ballast").write_bytes(bytes(free - 16384))
    code, _, err = finish(plash("video", str(folder), "--format", kind))
    assert code == 5
    assert "no space left on device" in err
    assert not list(folder.glob(".*.tmp"))
    (place / "ballast").unlink()
    assert finish(plash("video", str(folder), "--format", kind, "-q"))[0] == 0
    assert (folder / f"run.{kind}").exists()
    assert checksums(folder) == checksums(undisturbed)


def test_a_read_only_folder_is_refused(small_disk):
    place, remount = small_disk
    remount("ro")
    code, _, err = finish(plash("run", *SCENE, "--out", str(place / "run")))
    assert code == 5
    assert "read-only" in err
    assert "--out" in err
