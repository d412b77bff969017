"""The bar of `plash.run`: in a terminal, in a notebook, and nowhere else."""

import io
import sys
import types

import pytest

import plash
from plash.pipeline.progress import Silent
from plash.pipeline.progress_bar import Bar, bar_text, watcher

SCENE = {"resolution": 12, "frames": 2}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_nobody_watches_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(watcher(None), Silent)
    assert isinstance(watcher(True), Bar)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert isinstance(watcher(None), Bar)
    assert isinstance(watcher(False), Silent)
    somebody = Silent()
    assert watcher(somebody) is somebody


def test_a_terminal_shows_a_bar_that_fills(monkeypatch, tmp_path):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    plash.run(plash.load_scene("dam_break_2d", **SCENE), tmp_path / "run", stages=["simulate"])
    *_, last, end = terminal.getvalue().split("\r")[-1], terminal.getvalue()[-1]
    assert last.startswith("█" * 30 + " frame 2/2 100 %")
    assert end == "\n"


def test_a_notebook_shows_one_bar_that_is_brought_up_to_date(monkeypatch, tmp_path):
    IPython = pytest.importorskip("IPython")
    shown = []
    handle = types.SimpleNamespace(update=lambda view: shown.append(view.data))
    monkeypatch.setattr(IPython, "get_ipython", lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setattr("IPython.display.display", lambda view, display_id: handle)
    plash.run(plash.load_scene("dam_break_2d", **SCENE), tmp_path / "run", stages=["simulate"])
    assert 'value="1.0000"' in shown[-1]
    assert "frame 2/2" in shown[-1]


def test_a_bar_is_as_long_as_what_is_done():
    assert bar_text(0.0, "", 80).count("█") == 0
    assert bar_text(0.4, "", 80).count("█") == 12
    assert len(bar_text(1.0, "x" * 200, 80)) == 79


def test_runs_show_themselves_in_a_notebook(tmp_path):
    scene = plash.load_scene("dam_break_2d", **SCENE)
    outcome = plash.run(scene, tmp_path / "run")
    run = plash.open_run(tmp_path / "run")
    for shown in (outcome, run):
        assert '<video controls loop muted playsinline width="480" src="data:video/mp4;base64,' in shown._repr_html_()
    assert "2 of 2" in run._repr_html_()
    assert "<pre>version = 1" in scene._repr_html_()
    assert "frame 2" in run[2]._repr_html_()
    folder = tmp_path / "run"
    assert [repr(run), repr(run[2])] == [f"<OpenRun {folder}: 2 frames>", f"<RunFrame 2 of {folder}>"]
