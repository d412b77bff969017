"""Threads of TBB run kernels where that library is installed; the bits do not depend on who runs them."""

import ctypes
import os
import subprocess
import sys
from importlib import metadata

import numba
import pytest

from plash.grid.threads import layer_text, load_tbb

_RUN = """
import hashlib, sys
import numba, plash
solver = plash.build(plash.load_scene("dam_break_2d", resolution=24))
numba.set_num_threads(int(sys.argv[1]))
for _ in range(4):
    solver.advance(1.0)
particles = solver.state.particles
bits = particles.offset.tobytes() + particles.velocity.tobytes()
print(numba.threading_layer(), hashlib.sha256(bits).hexdigest())
"""


def run(layer, count):
    environment = {**os.environ, "NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "2"}
    program = [sys.executable, "-c", _RUN, str(count)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(not load_tbb(), reason="TBB is not installed")
def test_both_layers_give_the_same_bits():
    default, bits = run("default", 2)
    assert default == "tbb"
    for layer, count in (("tbb", 1), ("workqueue", 2), ("omp", 2)):
        if layer == "omp" and sys.platform != "linux":
            continue
        assert run(layer, count) == [layer, bits]


def test_a_layer_that_the_user_chose_stays(monkeypatch):
    monkeypatch.setattr(numba.config, "THREADING_LAYER", "workqueue")
    assert not load_tbb()
    assert "pip install tbb" in layer_text()


def test_without_the_package_numba_chooses(monkeypatch):
    def nowhere(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", nowhere)
    assert not load_tbb()


def test_a_library_of_another_system_is_passed_over(monkeypatch):
    def broken(*_, **__):
        raise OSError("wrong ELF class")

    monkeypatch.setattr(ctypes, "CDLL", broken)
    assert not load_tbb()
