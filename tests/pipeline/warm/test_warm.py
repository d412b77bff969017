"""Kernels are compiled ahead of need, once, in processes that end by themselves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plash.errors import StoppedError
from plash.grid.compile import KernelName
from plash.grid.kernel_calls import KernelCall
from plash.pipeline.warm import warm as warming
from plash.pipeline.warm.warm import JOBS_VARIABLE, jobs_here, warm

SMALL = [
    KernelCall(KernelName("plash.linear.components", "_flatten", None), ("int64 1 C",)),
    KernelCall(KernelName("plash.grid.tiles", "_find_neighbours", None), ("int64 1 C", "int32 2 C", "int64", "int64")),
]
MISSING = KernelCall(KernelName("plash.grid.tiles", "_nobody", None), ("int64",))


@pytest.fixture
def new_cache(monkeypatch, tmp_path):
    """An empty cache of kernels, for processes that are started now."""
    monkeypatch.setenv("PLASH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warming, "cache_root", lambda: tmp_path)
    return tmp_path


def machine_code(cache):
    return sorted(path.name for path in cache.rglob("*.nbc"))


def test_kernels_are_compiled_once(new_cache):
    told = []
    assert warm(SMALL, 2, lambda *what: told.append(what[:2])) == []
    assert told[0] == (0, 2)
    assert told[-1] == (2, 2)
    first = machine_code(new_cache)
    assert any("_flatten" in name for name in first)
    assert any("_find_neighbours" in name for name in first)
    told.clear()
    assert warm(SMALL, 2, lambda *what: told.append(what[:2])) == []
    assert told == []
    # What was compiled there is what another process would compile: it finds it
    program = "from numba.core import event\nimport sys, json\nfrom plash.pipeline.warm.kernel_list import call_from\n"
    program += "seen = []\nclass Ear(event.Listener):\n on_start = on_end = lambda self, e: seen.append(e)\n"
    program += "with event.install_listener('numba:compile', Ear()):\n"
    program += " for entry in json.loads(sys.argv[1]): call_from(entry).compile()\nprint(len(seen))"
    entries = json.dumps([[*call.kernel, list(call.arguments)] for call in SMALL])
    done = subprocess.run([sys.executable, "-c", program, entries], check=True, capture_output=True, text=True)
    assert int(done.stdout) == 0
    assert machine_code(new_cache) == first


def test_a_process_that_nobody_listens_to_ends_without_a_word():
    words = [sys.executable, "-m", "plash.pipeline.warm.worker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdout.close()
        process.stdin.write(b"[]\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_what_cannot_be_compiled_is_told_and_tried_again(new_cache):
    told = []
    for _ in range(2):
        faults = warm([*SMALL, MISSING], 2, lambda *what: told.append(what[0]))
        assert len(faults) == 1
        assert "_nobody" in faults[0]
    assert told.count(0) >= 2


def test_a_worker_that_has_ended_is_told(new_cache, monkeypatch):
    monkeypatch.setattr(warming, "_WORKER", "__future__")  # a module that does nothing, and ends
    faults = warm(SMALL, 1, lambda *_: None)
    assert faults
    assert not list(Path(new_cache).glob("warm-*"))


def test_whoever_stops_it_does_not_wait(new_cache):
    def stop():
        raise StoppedError("stopped")

    with pytest.raises(StoppedError):
        warm(SMALL, 2, lambda *_: None, stop)
    assert not list(Path(new_cache).glob("warm-*"))


def test_a_variable_says_how_many_processes(monkeypatch):
    monkeypatch.setenv(JOBS_VARIABLE, "3")
    assert jobs_here() == 3
    monkeypatch.setenv(JOBS_VARIABLE, "many")
    assert 1 <= jobs_here() <= (os.cpu_count() or 1)
