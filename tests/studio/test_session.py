"""A session without a server: what it answers, when it shows frames, and what it does with nonsense."""

import numba
import numpy as np
import pytest

import plash
from plash.pipeline.compiling import watched_compilation
from plash.studio import messages as m
from plash.studio import session as sessions
from plash.studio.kinds import live
from plash.studio.session import Session

from .conftest import SCENE
from .listener import Page


def test_the_first_frame_shows_the_start_and_its_solids():
    page = Page()
    header, arrays = page.frames[0]
    assert (header["time"], header["steps"], header["running"]) == (0.0, 0, False)
    assert arrays["phi"].shape == (20, 32)
    assert "solid" in arrays
    assert page.last("scene")["cells"] == [32, 20]


def test_no_more_than_two_frames_wait_for_the_page(monkeypatch):
    monkeypatch.setattr(sessions, "_PATIENCE", 1e9)  # however long a kernel takes to compile
    page = Page()
    page.say("play", running=True)
    page.work(10)
    assert len(page.frames) == 2
    assert page.session._live.time > 0.05
    page.seen()
    page.work(1)
    assert len(page.frames) == 3
    assert page.header["steps"] >= 10


def test_nothing_is_computed_while_nobody_watches(monkeypatch):
    page = Page()
    page.say("play", running=True)
    page.work(5)
    monkeypatch.setattr(sessions, "_PATIENCE", 0.0)
    before = page.session._live.time
    page.work(5)
    assert page.session._live.time == before
    page.seen()
    page.work(5)
    assert page.session._live.time > before


def test_recorded_frames_are_evenly_spaced_in_simulated_time():
    page = Page()
    page.say("record", fps=25)
    page.seen()
    page.say("play", running=True)
    for _ in range(60):
        page.work()
        page.seen()
    times = np.unique([header["time"] for header, _ in page.frames])
    assert len(times) > 5
    assert np.allclose(np.diff(times), 1 / 25, atol=1e-9)
    page.say("stop_recording")


def test_speed_is_simulated_time_for_each_frame():
    page = Page()
    page.say("speed", value=0.25)
    page.say("play", running=True)
    for _ in range(12):
        page.work()
        page.seen()
    assert page.header["time"] == pytest.approx(12 * 0.25 / 60, rel=0.2)


def test_a_drawn_wall_is_one_change_and_undo_brings_back_what_was_there():
    page = Page()
    page.say("draw", begins=True, x0=0.8, y0=0.1, x1=0.8, y1=0.3, radius=0.03)
    page.say("draw", begins=False, x0=0.8, y0=0.3, x1=1.0, y1=0.5, radius=0.03)
    page.work()
    assert page.last("scene")["undo"] == 1
    assert page.last("scene")["solids"] == ["wall 1"]
    page.say("undo")
    assert page.last("scene")["solids"] == []
    page.say("redo")
    assert page.last("scene")["solids"] == ["wall 1"]
    page.say("save")
    assert [solid.name for solid in plash.parse_scene(page.last("file")["text"]).solid] == ["wall 1"]


@pytest.mark.parametrize("kind", ["liquid", "stable_fluids"])
def test_a_saved_scene_has_what_was_poured_when_it_was(kind):
    page = Page(SCENE.replace("[solver]", f'[solver]\nkind = "{kind}"'))
    page.say("step")
    time = page.session._live.time
    for _ in range(2):
        page.say("pour", x=1.0, y=0.6, radius=0.2)
    page.work()
    page.say("save")
    saved = plash.parse_scene(page.last("file")["text"])
    assert [(blob.name, blob.time) for blob in saved.source if isinstance(blob, plash.Blob)] == [("poured 1", time)]
    solver = plash.build(saved)
    while solver.state.time < 3 * time:
        solver.advance(3 * time)
    poured = page.session._live.facts()["inflow"]
    assert poured > 0
    assert solver.ledger.inflow == pytest.approx(poured, rel=0.15)
    page.say("reset")
    page.say("save")
    assert not plash.parse_scene(page.last("file")["text"]).source


SMOKE = SCENE.replace("[solver]", '[solver]\nkind = "smoke"').replace("tolerance = 1e-3\n", "")


@pytest.mark.parametrize("text", [SCENE, SMOKE, SMOKE.replace('"smoke"', '"stable_fluids"')])
def test_a_saved_scene_has_what_was_poured_and_heated_and_runs(text):
    page = Page(text)
    page.say("step")
    time = page.session._live.time
    page.say("pour", x=1.0, y=0.6, radius=0.2)
    assert "temperature" not in page.last("scene")["views"]
    for k in range(3):
        page.say("heat", x=1.0 + 0.001 * k, y=0.6, radius=0.15, warmth=60.0)
    page.say("heat", x=0.3, y=0.3, radius=0.1, warmth=-1e4)
    assert "temperature" in page.last("scene")["views"]
    page.say("view", name="temperature")
    page.work()
    assert page.header["scale"]["high"] == pytest.approx(80.0)
    page.say("save")
    saved = plash.parse_scene(page.last("file")["text"])
    heat = [source for source in saved.source if source.kind == "heat"]
    assert [(source.name, round(source.temperature, 2)) for source in heat] == [("heated 1", 353.15), ("heated 2", 1.0)]
    assert len(saved.fill) + len(saved.source) == 4
    solver = plash.build(saved)
    while solver.state.time < 2 * time:
        solver.advance(2 * time)
    assert solver.ledger.inflow == pytest.approx(page.session._live.facts()["inflow"], rel=0.2)
    page.say("reset")
    assert "temperature" not in page.last("scene")["views"]


def test_smoke_is_simulated_undone_and_recorded_as_liquids_are():
    page = Page(SMOKE)
    assert (page.last("scene")["method"], page.last("scene")["counts"]) == ("smoke", "mass")
    page.say("set", key="solver.wind", value=[0.5, 0.0])
    page.say("draw", begins=True, x0=0.8, y0=0.1, x1=0.8, y1=0.3, radius=0.03)
    page.work()
    assert page.last("scene")["values"]["solver.wind"] == [0.5, 0.0]
    page.say("undo")
    page.say("undo")
    assert (page.last("scene")["values"]["solver.wind"], page.last("scene")["solids"]) == ([0.0, 0.0], [])
    page.say("redo")
    page.say("record", fps=20)
    page.seen()
    page.say("play", running=True)
    for _ in range(30):
        page.work()
        page.seen()
    times = np.unique([header["time"] for header, _ in page.frames])
    assert np.allclose(np.diff(times), 1 / 20, atol=1e-9)


def test_a_level_set_saves_what_is_poured_and_cannot_be_warmed():
    page = Page(SCENE)
    page.say("set", key="solver.surface", value="levelset")
    page.work()
    assert (page.last("scene")["method"], page.last("scene")["warmth"]) == ("levelset", [])
    page.say("heat", x=0.3, y=0.3, radius=0.1, warmth=10.0)
    assert "the heat brush does not reach a level set" in page.last("note")["text"]
    page.say("step")
    page.say("pour", x=1.0, y=0.6, radius=0.2, color="#ff0000")
    page.say("save")
    (poured,) = plash.parse_scene(page.last("file")["text"]).source
    assert isinstance(poured, plash.Blob)
    assert poured.time > 0
    page.say("set", key="solver.surface", value="particles")
    page.work()
    assert page.last("scene")["method"] == "liquid"


def test_other_scenes_and_settings_can_be_undone_too():
    page = Page()
    page.say("set", key="solver.courant", value=1.5)
    page.say("start", preset="honey")
    page.work()
    assert page.last("scene")["title"] == "Honey"
    page.say("undo")
    assert (page.last("scene")["title"], page.last("scene")["values"]["solver.courant"]) == ("Small tank", 1.5)
    page.say("undo")
    assert page.last("scene")["values"]["solver.courant"] == 2.0


def test_what_cannot_be_is_told_and_changes_nothing():
    page = Page()
    page.work()
    before = page.last("scene")
    for kind, data in (
        ("set", {"key": "solver.courant", "value": 1e6}),
        ("set", {"key": "solver.nothing", "value": 1}),
        ("set", {"key": "domain.resolution", "value": 4000}),
        ("open", {"text": "version = 2"}),
        ("open", {"text": SCENE.replace("[1.6, 1.0]", "[1.6, 1.0, 1.0]")}),
        ("start", {"preset": "nothing"}),
    ):
        told = len(page.texts)
        page.say(kind, **data)
        page.work()
        assert [text["level"] for text in page.texts[told:] if text["kind"] == "note"] == ["error"], (kind, data)
    assert page.session._live.scene.title == before["title"]
    page.say("step")
    assert page.session._live.facts()["steps"] == 1


def test_a_wall_over_all_liquid_leaves_a_session_that_works():
    page = Page()
    for k in range(12):
        page.say("draw", begins=k == 0, x0=0.0, y0=0.07 * k, x1=0.6, y1=0.07 * k, radius=0.06)
        page.work()
    page.say("step")
    page.say("pour", x=1.2, y=0.5, radius=0.1)
    page.say("step")
    assert page.session._live.facts()["particles"] > 0
    page.say("drain", x=1.2, y=0.5, radius=5.0)
    page.say("step")
    assert page.session._live.facts()["particles"] == 0
    page.say("pour", x=1.2, y=0.5, radius=0.1)
    page.say("step")
    assert page.session._live.facts()["particles"] > 0


def test_stages_and_reset():
    page = Page()
    names = []
    for _ in range(7):
        page.say("stage")
        page.work()
        page.seen()
        names.append(page.header["stage"])
    assert names == ["grid", "advect", "forces", "project", "extrapolate", "move", "grid"]
    page.say("push", x=0.2, y=0.2, u=1.0, v=0.0, radius=0.1)
    page.say("reset")
    page.work()
    assert (page.header["time"], page.header["stage"]) == (0.0, "")


def test_a_page_that_comes_back_is_shown_all_that_it_had():
    page = Page()
    page.say("speed", value=0.5)
    page.say("view", name="pressure", arrows=True)
    page.say("draw", begins=True, x0=0.8, y0=0.1, x1=0.8, y1=0.3, radius=0.03)
    page.say("play", running=True)
    page.work(5)
    before, time = len(page.frames), page.session._live.time
    page.texts.clear()
    page.say("return", name="whatever")
    page.work()
    assert page.last("returned") == {
        "kind": "returned",
        "view": "pressure",
        "arrows": True,
        "speed": 0.5,
        "solver": "liquid",
    }
    assert (page.last("scene")["solids"], page.last("scene")["undo"]) == (["wall 1"], 1)
    assert len(page.frames) == before + 1
    header, arrays = page.frames[-1]
    assert (header["running"], header["view"]) == (True, "pressure")
    assert header["time"] >= time > 0
    assert {"solid", "value", "velocity"} <= set(arrays)


def test_nothing_is_computed_while_the_page_is_away():
    page = Page()
    page.say("play", running=True)
    page.work(5)
    page.say("leave")
    before = page.session._live.time
    page.work(5)
    assert page.session._live.time == before
    page.say("return", name="whatever")
    page.work(2)
    assert page.session._live.time > before


def test_a_page_that_comes_back_before_there_was_anything_begins():
    page = Page.__new__(Page)
    page.frames, page.texts = [], []
    page.session = Session(SCENE, page.receive)
    page.say("return", name="whatever")
    page.work()
    assert page.header["steps"] == 0
    assert page.last("scene")["title"] == "Small tank"


@pytest.mark.slow
def test_a_page_is_told_what_compiles_before_it_is_told_of_the_scene(monkeypatch):
    page = Page()

    def slow(scene):
        simulation = live(scene)
        usual = simulation.arrays

        def arrays(view, arrows):
            numba.njit(lambda x: x + 1)(1)
            return usual(view, arrows)

        monkeypatch.setattr(simulation, "arrays", arrays)
        return simulation

    monkeypatch.setattr(sessions, "live", slow)
    with watched_compilation(lambda kernels, seconds, is_busy: page.receive(m.TEXT, b'{"kind": "compiling"}')):
        page.texts.clear()
        page.say("start", preset="honey")
    *before, last = [text["kind"] for text in page.texts]
    assert (set(before), last) == ({"compiling"}, "scene")
