"""What a run says while it works: on a terminal, in a file, to a program."""

import io
import json

import pytest
from rich.console import Console

from plash.cli.show import JsonLines, Line, Plain
from plash.pipeline.progress_state import ProgressState


@pytest.fixture
def watched(monkeypatch):
    """A line on a terminal of 120 columns, and what was written to it."""
    written = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console", lambda **_: Console(file=written, force_terminal=True, width=120, legacy_windows=False)
    )
    return Line(), written


def test_the_line_says_that_kernels_are_compiled_for_as_long_as_it_takes(watched):
    line, written = watched
    line.begin(1, {"simulate": 1})
    line.compiling(24, 41.3, True)
    assert "frame 0/1   0 % compiling, once for this version: kernel 24, 41 s so far" in written.getvalue()
    written.truncate(0)
    line.compiling(24, 43.1, False)
    line.made("simulate", 1, 0.25)
    line.end()
    assert "compiling" not in written.getvalue()
    assert "0.25 s/frame" in written.getvalue()


def test_what_is_compiled_before_the_plan_is_known_is_said_too(watched, capfd):
    line, _ = watched
    line.compiling(1, 0.0, True)
    assert capfd.readouterr().err == "compiling, once for this version: kernel 1, 0 s so far\n"


def test_plain_lines_say_it_now_and_then(capfd, monkeypatch):
    plain, now = Plain(), 1000.0
    monkeypatch.setattr("plash.cli.show.time.monotonic", lambda: now)
    for kernel in range(1, 9):
        plain.compiling(kernel, now - 1000, True)
        now += 2
        plain.compiling(kernel, now - 1000, False)
    kernels = [line.split("kernel ")[1] for line in capfd.readouterr().err.splitlines()]
    assert kernels == ["1, 0 s so far", "4, 6 s so far", "7, 12 s so far"]


def test_json_has_an_event_for_each(capfd):
    JsonLines().compiling(3, 4.5, True)
    event = {"event": "compiling", "kernels": 3, "seconds": 4.5, "busy": True}
    assert json.loads(capfd.readouterr().out) == event


@pytest.mark.parametrize(("at_once", "a_frame", "left"), [(1, 2.0, 14.0), (2, 1.0, 7.0)])
def test_the_time_left_is_that_of_frames_by_the_clock(monkeypatch, at_once, a_frame, left):
    now = 1000.0
    monkeypatch.setattr("plash.pipeline.progress_state.time.monotonic", lambda: now)
    state = ProgressState()
    state.begin(10, {"simulate": 10})
    for frame in range(1, 4):
        now += 2.0 / at_once
        state.make("simulate", frame, 2.0)
    assert state.seconds_per_frame == pytest.approx(a_frame)
    assert state.seconds_left == pytest.approx(left)
