"""Runs on workers: the same bits as in one process, whoever dies on the way; and every way it can fail, by name."""

import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

pytest.importorskip("distributed")

from tests.pipeline.conftest import StopAfter, checksums

import plash
from plash.errors import MissingPartError, StoppedError, StorageError, WorkersError
from plash.files.atomic import errors_of_disk, write_bytes
from plash.pipeline.farm import orders, workers
from plash.pipeline.farm.local import local_workers
from plash.pipeline.inspect import inspect_run
from plash.pipeline.progress import Silent

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Dask leaves sockets to the garbage collector
FRAMES = 5
PARTS = ("particles", "mesh", "render", "obj")


@pytest.fixture(scope="module")
def scene():
    return plash.load_scene("dam_break_2d", resolution=24, frames=FRAMES, **{"output.export": ["obj", "npz"]})


@pytest.fixture(scope="module")
def alone(scene, tmp_path_factory):
    """The same run in one process."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    plash.run(scene, folder)
    return folder


@pytest.fixture
def thread():
    """A scheduler and a worker in threads of this process: what is changed here is changed there."""
    from distributed import LocalCluster

    own = {"scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}, "dashboard_address": None}
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **own) as cluster:
        yield cluster.scheduler_address


def assert_same(folder, alone, parts=PARTS):
    for part in parts:
        assert checksums(folder, part) == checksums(alone, part), part
    inspect_run(folder, with_checksums=True).raise_damage()
    steps = [[json.loads(line)["step"] for line in (run / "log.jsonl").open()] for run in (folder, alone)]
    assert steps[0] == steps[1]


class Watch(Silent):
    """Does something when a stage has made so many files."""

    def __init__(self, **deeds):
        self.deeds = deeds
        self.made_so_far = {}

    def made(self, stage, frame, seconds):
        count = self.made_so_far[stage] = self.made_so_far.get(stage, 0) + 1
        deed = self.deeds.get(f"{stage}{count}")
        if deed:
            deed()


def test_two_processes_give_the_same_bits(scene, alone, tmp_path):
    seen = Watch()
    outcome = plash.run(scene, tmp_path / "run", workers=2, progress=seen)
    assert outcome.frames == FRAMES
    assert outcome.movie.exists()
    assert seen.made_so_far["render"] == FRAMES
    assert_same(tmp_path / "run", alone)


def test_a_worker_and_then_the_scheduler_killed(scene, alone, tmp_path):
    with cluster(tmp_path) as (address, scheduler, pids):
        one = pids[0]
        watch = Watch(
            render1=lambda: os.kill(one, signal.SIGKILL),
            render3=lambda: os.kill(scheduler.pid, signal.SIGKILL),
        )
        with pytest.raises(WorkersError, match="scheduler of the workers is gone"):
            plash.run(scene, tmp_path / "run", workers=address, progress=watch)
    assert watch.made_so_far["render"] >= 3
    plash.resume(tmp_path / "run")
    assert_same(tmp_path / "run", alone)


def test_ctrl_c_stops_in_mid_frame_and_the_run_goes_on(scene, alone, thread, tmp_path):
    with pytest.raises(StoppedError, match="plash resume"):
        plash.run(scene, tmp_path / "run", workers=thread, progress=StopAfter(1))
    assert len(checksums(tmp_path / "run")) < FRAMES
    inspect_run(tmp_path / "run", with_checksums=True).raise_damage()
    plash.resume(tmp_path / "run", workers=thread)
    assert_same(tmp_path / "run", alone)


def test_what_is_lost_or_damaged_is_made_again(scene, alone, thread, tmp_path):
    folder = tmp_path / "run"
    plash.run(scene, folder, workers=thread)
    (folder / "mesh/surface.0002.ply").write_bytes(b"?" * (folder / "mesh/surface.0002.ply").stat().st_size)
    (folder / "particles/particles.0003.npz").unlink()
    for part in ("obj", "render"):
        (folder / part).joinpath(os.listdir(folder / part)[1]).unlink()
    plash.resume(folder, workers=thread)
    assert_same(folder, alone)


def test_files_that_go_on_from_one_another_are_made_in_a_row(thread, tmp_path):
    scene = plash.load_scene("dam_break", resolution=12, frames=4)
    alone, folder, seen = tmp_path / "alone", tmp_path / "run", Watch()
    plash.run(scene, alone, stages=["simulate"])
    shutil.copytree(alone, folder)
    plash.resume(alone, stages=["wet"])
    plash.resume(folder, stages=["wet"], workers=thread)
    assert_same(folder, alone, ("wet",))
    third = folder / "wet/wet.0003.npz"
    (folder / "wet/wet.0001.npz").unlink()
    third.write_bytes(b"?" * third.stat().st_size)
    (folder / "wet/wet.0004.npz").unlink()
    plash.resume(folder, stages=["wet"], workers=thread, progress=seen)
    assert seen.made_so_far == {"wet": 3}
    assert_same(folder, alone, ("wet",))


@pytest.mark.filterwarnings("error:Port 8787")
def test_workers_of_this_machine_serve_it_alone():
    """What Dask tells of itself is not for others; and the port that it would like may be taken."""
    from distributed import Client

    psutil: Any = pytest.importorskip("psutil")
    with socket.socket() as taken:
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with local_workers(1, 1) as address, Client(address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=120)
            here = psutil.Process()
            addresses = [
                {line.laddr.ip for line in process.net_connections() if line.status == psutil.CONN_LISTEN}
                for process in (here, *here.children(recursive=True))
            ]
    assert sum(map(bool, addresses)) >= 2
    assert set.union(*addresses) == {"127.0.0.1"}


def test_a_wedge_of_runs_side_by_side(thread, tmp_path):
    scene = plash.load_scene("dam_break_2d", resolution=16, frames=2)
    vary = {"solver.seed": plash.Between(1, 3)}
    here, there = (plash.wedge(scene, tmp_path / name, vary, workers=who) for name, who in (("a", None), ("b", thread)))
    assert [row.design for row in there.rows] == [row.design for row in here.rows]
    for one, other in zip(here.runs, there.runs, strict=True):
        assert checksums(one) == checksums(other)
        inspect_run(other, with_checksums=True).raise_damage()
    assert there.sheet.read_bytes() == here.sheet.read_bytes()


def test_a_python_function_of_a_scene_goes_along(thread, tmp_path):
    scene = plash.load_scene("dam_break_2d", resolution=16, frames=2)
    push = plash.FunctionForce(function=lambda points, time: np.full_like(points, 0.5))
    pushed = scene.model_copy(update={"force": [push]})
    here, there = tmp_path / "here", tmp_path / "there"
    plash.run(pushed, here, stages=["simulate"])
    plash.run(pushed, there, stages=["simulate"], workers=thread)
    assert checksums(here) == checksums(there)


def test_without_dask(scene, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPartError, match=r'pip install "plash\[farm\]"'):
        plash.run(scene, tmp_path / "run", workers=2)


def test_a_scheduler_that_does_not_answer(scene, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "SECONDS_TO_ANSWER", 1)
    with pytest.raises(WorkersError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        plash.run(scene, tmp_path / "run", workers="tcp://127.0.0.1:9")
    with pytest.raises(WorkersError, match="no scheduler answers at nowhere:/"):
        plash.run(scene, tmp_path / "run", workers="nowhere:/")


def test_workers_with_another_plash(scene, thread, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "program", lambda: ("0.0.1", "abcdef01"))
    with pytest.raises(WorkersError, match=r"worker inproc://.* has plash .* and this program is plash 0\.0\.1"):
        plash.run(scene, tmp_path / "run", workers=thread)
    # One that comes later is asked with each order
    monkeypatch.setattr(workers.Workers, "check", lambda self, folder: None)
    with pytest.raises(WorkersError, match="install the same on both"):
        plash.run(scene, tmp_path / "run", workers=thread)


def test_a_folder_that_is_not_shared(scene, alone, thread, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "write_bytes", lambda path, data: None)
    with pytest.raises(WorkersError, match="must be on a disk that all machines have"):
        plash.run(scene, tmp_path / "run", workers=thread)
    with pytest.raises(WorkersError, match="must be on a disk that all machines have"):
        orders.Workplace("", plash.open_run(alone).folder.__class__(tmp_path / "elsewhere"), None).refuse_unseen()


def test_a_disk_that_is_full_on_a_worker(scene, alone, thread, tmp_path, monkeypatch):
    def full(path, data):
        if path.name == "frame.0003.png":
            with errors_of_disk(path, "written"):
                raise OSError(errno.ENOSPC, "No space left on device")
        return write_bytes(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(orders, "write_bytes", full)
        with pytest.raises(
            StorageError, match=r"frame\.0003\.png: cannot be written: no space left .*\[on worker inproc"
        ):
            plash.run(scene, tmp_path / "run", workers=thread)
    plash.resume(tmp_path / "run")
    assert_same(tmp_path / "run", alone)


@contextlib.contextmanager
def cluster(tmp_path, count=2):
    """A scheduler and workers in processes of their own: the address, the scheduler, and the workers' numbers."""
    from distributed import Client

    file = tmp_path / "scheduler.json"
    common: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    words = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0", "--host", "127.0.0.1"]
    words += ["--scheduler-file", str(file)]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", *words], **common
    )
    started = [scheduler]
    try:
        while not file.exists() or not file.read_text().endswith("}"):
            time.sleep(0.1)
            assert scheduler.poll() is None
        words = ["--nthreads", "1", "--no-dashboard", "--memory-limit", "0", "--local-directory", str(tmp_path)]
        words += ["--scheduler-file", str(file)]
        for _ in range(count):
            started.append(subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", *words], **common))
        address = json.loads(file.read_text())["address"]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=120)
            pids = list(client.run(os.getpid).values())
        yield address, scheduler, pids
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Gone:
    """A connection to a scheduler that has just died."""

    status = "running"

    def subscribe_topic(self, topic, handler) -> None:
        pass

    def nthreads(self) -> None:
        raise OSError(errno.ECONNRESET, "Connection reset by peer")

    def run(self, function) -> None:
        raise OSError(errno.ECONNRESET, "Connection reset by peer")


def test_a_scheduler_that_dies_while_it_is_asked_is_named(tmp_path):
    found = workers.Workers(Gone())
    for ask in (found.addresses, lambda: found.check(tmp_path)):
        with pytest.raises(WorkersError, match="scheduler of the workers is gone"):
            ask()
    assert not list(tmp_path.iterdir())
