"""A page that is loaded again, loses its connection, or waits for a scene that takes long."""

from __future__ import annotations

import json

import pytest

import plash

from .conftest import open_tab
from .page import Page

pytestmark = pytest.mark.slow


def reload(page: Page) -> None:
    page.tab.reload()
    page.tab.wait_for_selector("#busy", state="hidden", timeout=60_000)


def test_a_page_that_is_loaded_again_is_as_it_was(page):
    tab = page.tab
    tab.select_option("#preset", "drop")
    page.wait("d.title === 'Drop'")
    tab.click('[data-tool="draw"]')
    page.drag((0.9, 0.2), (1.2, 0.5))
    page.drag((0.2, 0.7), (0.4, 0.7), button="right")
    page.step(3)
    tab.click('#views [data-view="pressure"]')
    page.wait("d.view === 'pressure'")
    tab.select_option("#speed", "0.5")
    tab.click('[data-tab="settings"]')
    before = {name: page.fact(name) for name in ("steps", "time", "volume", "kinetic")}
    picture = page.picture()
    reload(page)
    page.wait("d.view === 'pressure'")
    assert {name: page.fact(name) for name in before} == before
    assert abs(page.picture() - picture).max() < 60
    assert tab.title().startswith("Drop")
    assert tab.input_value("#preset") == "drop"
    assert tab.input_value("#speed") == "0.5"
    assert tab.get_attribute('[data-tool="draw"]', "aria-pressed") == "true"
    assert tab.locator("#tab-settings").is_visible()
    assert tab.inner_text("#play") == "Run"
    scene = plash.parse_scene(page.download(lambda: tab.click("#save")).decode())
    assert [solid.name for solid in scene.solid] == ["wall 1"]
    assert scene.source
    tab.click("#undo")
    page.until("!document.querySelector('#redo').disabled")
    tab.select_option("#speed", "1")


def test_a_page_that_is_loaded_again_while_it_runs_goes_on(page):
    page.tab.click("#play")
    page.wait("Number(d.steps) > 5")
    steps = page.fact("steps")
    reload(page)
    page.wait(f"Number(d.steps) > {steps}")
    page.until("document.querySelector('#play').ariaPressed === 'true'")


def test_another_tab_begins_with_a_simulation_of_its_own(page, studio, browser):
    page.step(2)
    with open_tab(browser, studio) as other:
        assert Page(other).fact("steps") == 0
        # A tab that was duplicated has what the first one kept
        kept = page.tab.evaluate("sessionStorage.getItem('plash-studio')")
        other.evaluate("kept => sessionStorage.setItem('plash-studio', kept)", kept)
        other.reload()
        other.wait_for_selector("#busy", state="hidden", timeout=60_000)
        assert (
            other.evaluate("JSON.parse(sessionStorage.getItem('plash-studio')).session") != json.loads(kept)["session"]
        )
        assert Page(other).fact("steps") == 0
    page.step()
    assert page.fact("steps") == 3


class Wire:
    """The socket of a page, with somebody in between."""

    def __init__(self, tab) -> None:
        self.is_held = False
        self.held: list[str | bytes] = []
        tab.route_web_socket("**/live", self._route)

    def _route(self, route) -> None:
        self.route, self.server = route, route.connect_to_server()
        self.server.on_message(self._pass)
        route.on_message(self.server.send)

    def _pass(self, message) -> None:
        if self.is_held:
            self.held.append(message)
        else:
            self.route.send(message)

    def let_go(self) -> None:
        self.is_held = False
        for message in self.held:
            self.route.send(message)
        self.held.clear()


@pytest.fixture
def wired(studio, browser):
    with open_tab(browser, studio, Wire) as tab:
        yield Page(tab), tab.extra


def test_a_scene_that_takes_long_says_so_over_the_picture_of_before(wired):
    page, wire = wired
    tab = page.tab
    wire.is_held = True
    tab.select_option("#preset", "stable")
    tab.wait_for_selector("#busy", state="visible")
    assert "Stable fluids" in tab.inner_text("#busy")
    wire.route.send('{"kind": "compiling"}')
    wire.route.send('{"kind": "compiling"}')
    page.until("document.querySelector('#busy').textContent.includes('2 functions')")
    assert "once for this version" in tab.inner_text("#busy")
    hit = "document.elementFromPoint(500, 300)?.closest('#busy, #overlay').id"
    assert tab.evaluate(hit) == "busy"
    assert tab.title().startswith("Small tank")
    wire.let_go()
    page.wait("d.title === 'Stable fluids'", timeout=120_000)
    assert tab.locator("#busy").is_hidden()
    assert tab.title().startswith("Stable fluids")
    assert tab.evaluate(hit) == "overlay"


def test_a_scene_that_cannot_be_opened_gives_the_picture_and_its_title_back(wired):
    page, wire = wired
    tab = page.tab
    before = tab.locator("#preset option:checked").inner_text()
    wire.is_held = True
    tab.select_option("#preset", "honey")
    tab.wait_for_selector("#busy", state="visible")
    wire.held.clear()
    wire.route.send('{"kind": "note", "level": "error", "text": "It cannot be."}')
    tab.wait_for_selector("#busy", state="hidden")
    assert tab.locator("#preset option:checked").inner_text() == before
    assert "It cannot be." in tab.inner_text(".toast.error")


def test_a_lost_connection_is_made_again(wired):
    page, wire = wired
    page.step(2)
    wire.server.close(code=1000)
    wire.route.close(code=1012, reason="")
    page.tab.wait_for_selector("#busy", state="visible")
    page.tab.wait_for_selector("#busy", state="hidden", timeout=30_000)
    page.step()
    assert page.fact("steps") == 3


def test_a_wall_is_seen_from_when_it_is_drawn_though_its_frame_comes_later(wired):
    page, wire = wired
    tab = page.tab
    tab.click('[data-tool="draw"]')
    wire.is_held = True
    for x in (0.9, 1.3):
        page.drag((x, 0.3), (x, 0.7))
        while not any(isinstance(message, bytes) for message in wire.held):
            tab.wait_for_timeout(50)
    tab.mouse.move(5, 5)
    first = next(i for i, message in enumerate(wire.held) if isinstance(message, bytes))
    for message in wire.held[: first + 1]:
        wire.route.send(message)
    tab.wait_for_timeout(500)
    box = tab.locator(".stage").bounding_box()
    places = [page.at(x, 0.5) for x in (0.9, 1.3)]
    picture = page.picture()
    assert all(picture[int(y - box["y"]), int(x - box["x"])].max() < 170 for x, y in places)
