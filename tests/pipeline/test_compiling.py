"""Compiling is told while it goes on, and its seconds are not those of steps, frames or stages."""

import time

import numba
import pytest
from numba.core import event

import plash
from plash.files.layout import RunFolder
from plash.files.log import read_log
from plash.pipeline import simulation_maker
from plash.pipeline.compiling import watched_compilation
from plash.pipeline.progress import Silent
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages.registry import read_run
from plash.timing import stage, timing


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock)
    return clock


def compile_for(clock, seconds, inner=0):
    """As numba tells of a function whose compilation takes so long, and those that it needs."""
    with event.trigger_event("numba:compile"):
        for _ in range(inner):
            with event.trigger_event("numba:compile"):
                pass
        clock.now += seconds


def test_a_function_that_numba_compiles_is_counted_once():
    told = []

    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return 2 * inner(x)

    with watched_compilation(lambda *what: told.append(what)) as compilation:
        assert outer(3) == 8
        assert outer(4) == 10
    assert compilation.kernels == 1
    assert [(kernels, busy) for kernels, _, busy in told] == [(1, True), (1, False)]
    assert compilation.seconds == told[-1][1] > 0


def test_seconds_of_compiling_are_not_those_of_the_stage_that_waits_for_it(clock):
    @stage
    def inner():
        compile_for(clock, 8, inner=3)
        clock.now += 1

    @stage
    def outer():
        clock.now += 2
        inner()

    told = []
    with watched_compilation(lambda *what: told.append(what)) as compilation, timing() as seconds:
        stopwatch = compilation.stopwatch()
        outer()
        compile_for(clock, 4)
    assert {name.split(".")[-1]: value for name, value in seconds.items()} == {"compiling": 12, "inner": 1, "outer": 2}
    assert stopwatch() == (3, 12)
    assert told == [(1, 0, True), (1, 8, False), (2, 8, True), (2, 12, False)]


def test_a_run_tells_of_it_and_keeps_it_out_of_the_times_of_frames(clock, monkeypatch, tmp_path):
    class Listener(Silent):
        def __init__(self):
            self.told, self.made_in = [], []

        def compiling(self, kernels, seconds, is_busy, total=0):
            self.told.append((kernels, seconds, is_busy))

        def made(self, stage, frame, seconds):
            self.made_in.append(seconds)

    def slowly(solver, number, fps):
        compile_for(clock, 30)
        for report in steps_to_frame(solver, number, fps):
            clock.now += 0.5
            yield report

    monkeypatch.setattr(simulation_maker, "steps_to_frame", slowly)
    progress, scene = Listener(), plash.load_scene("dam_break_2d", resolution=16, frames=3)
    outcome = plash.run(scene, tmp_path / "run", progress=progress, stages=["simulate", "report"])
    assert [what for what in progress.told if what[2]][-1][0] >= 2
    folder = RunFolder(tmp_path / "run")
    items = read_run(folder).stage("simulate").items
    steps = [sum(entry["frame"] == frame for entry in read_log(folder.log)) for frame in (1, 2, 3)]
    assert [item.seconds for item in items.values()] == [0.5 * count for count in steps]
    assert progress.made_in[:3] == [0.5 * count for count in steps]
    assert sum(item.compiling for item in items.values()) == outcome.seconds["compiling"] == 60
    assert "compiling: 1:00 min, once" in folder.report.read_text()
