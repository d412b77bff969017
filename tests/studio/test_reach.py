"""Everybody can use it: by keys alone, with a reader of screens, on a phone and in a small window."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from .page import Page
from .test_layout import PICTURE, open_if_closed

pytestmark = pytest.mark.slow

# The share of the window in which a click reaches the panel
PANEL = PICTURE.replace('?.id === "overlay"', '?.closest("#panel") ? 1 : 0')
SERIOUS = {"serious", "critical"}


def faults(tab) -> list[str]:
    """What axe finds that is serious: rule, and the first places."""
    found = Axe().run(tab).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {[node['target'] for node in fault['nodes'][:4]]}"
        for fault in found
        if fault["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_fault(page, theme):
    tab = page.tab
    tab.evaluate(f"document.documentElement.dataset.theme === {theme!r} || document.querySelector('#theme').click()")
    tab.click("#add-box")
    tab.wait_for_selector("#shapes fieldset")
    tab.mouse.move(*page.at(0.3, 0.3))
    try:
        for name in ("view", "settings", "inside", "charts", "lessons"):
            tab.click(f'[data-tab="{name}"]')
            assert faults(tab) == [], name
        tab.click('[data-lesson="cfl"]')
        assert faults(tab) == [], "a lesson"
        tab.click("#lesson-leave")
        tab.keyboard.press("?")
        tab.wait_for_selector("#help-dialog[open]")
        assert faults(tab) == [], "help"
        tab.keyboard.press("Escape")
        tab.click('[data-room="runs"]')
        tab.click('.run[data-name="ball"]')
        tab.wait_for_selector("#space[data-frame]")
        assert faults(tab) == [], "runs"
    finally:
        tab.evaluate("document.documentElement.dataset.theme === 'light' || document.querySelector('#theme').click()")
        tab.click('[data-room="simulate"]')


def focused(tab) -> str:
    return tab.evaluate(
        "(() => { const e = document.activeElement;"
        " return e.id || e.dataset.tool || e.dataset.view || e.ariaLabel || e.tagName; })()"
    )


def tab_to(tab, wanted: str, most: int = 90) -> None:
    """Press Tab until something has the focus."""
    for _ in range(most):
        if focused(tab) == wanted:
            return
        tab.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is not reached by the key Tab")


def test_a_wall_a_box_a_setting_and_a_lesson_by_keys_alone(page: Page):
    tab, keys = page.tab, page.tab.keyboard
    tab.evaluate("document.activeElement.blur()")
    tab_to(tab, "play")
    keys.press("Enter")
    page.wait("Number(d.time) > 0.05")
    keys.press("Enter")
    page.until("document.querySelector('#s-fps').textContent === 'paused'")
    assert "Paused at" in tab.locator("#said").text_content()
    # The picture: a wall, and values that are told
    keys.press("4")
    tab_to(tab, "overlay")
    for _ in range(4):
        keys.press("ArrowRight")
    keys.press("Shift+ArrowUp")
    keys.press("Enter")
    page.until("document.querySelector('#overlay') && !document.querySelector('#undo').disabled")
    tab.locator("#probe").wait_for(state="visible")
    page.until("document.querySelector('#said').textContent.includes('m/s') || document.querySelector('#probe dl')")
    # A box, by its numbers
    tab_to(tab, "add-box")
    keys.press("Enter")
    tab.wait_for_selector("#shapes fieldset")
    tab_to(tab, "left of box 1, m")
    keys.press("Control+A")
    keys.type("0.25")
    keys.press("Enter")
    page.until("document.querySelector('#shapes input').value === '0.25'")
    # Tabs by arrows, a setting by its number field
    tab.focus("#of-view")
    keys.press("ArrowRight")
    assert focused(tab) == "of-settings"
    tab_to(tab, "courant, number")
    keys.press("Control+A")
    keys.type("0.75")
    keys.press("Enter")
    page.until("document.querySelector('[data-key=\"solver.courant\"] input[type=range]').ariaValueText === '0.75'")
    # One step forth and back
    tab.evaluate("document.activeElement.blur()")
    before = page.fact("steps")
    keys.press(".")
    page.wait(f"Number(d.steps) === {before + 1}")
    keys.press(",")
    page.wait(f"Number(d.steps) === {before}")
    # A lesson begins, and its heading has the focus
    tab.focus("#of-settings")
    for _ in range(3):
        keys.press("ArrowRight")
    assert focused(tab) == "of-lessons"
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Enter")
    page.wait("d.title === 'Stable fluids'")
    assert focused(tab) == "H2"
    assert tab.locator("#tab-lessons h2").text_content() == "Advection"


@pytest.mark.parametrize(
    "size", [(1440, 900), (800, 600), (390, 844), (844, 390)], ids=lambda size: f"{size[0]}x{size[1]}"
)
def test_picture_panel_and_next_stage_are_seen_together(page, size):
    tab = page.tab
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        tab.wait_for_timeout(150)
        open_if_closed(tab, "#panel-toggle", "#panel")
        for name in ("view", "settings", "inside", "charts", "lessons"):
            tab.click(f'[data-tab="{name}"]')
            assert tab.evaluate(PICTURE) > 0.25, name
            assert tab.evaluate(PANEL) > 0.15, name
            for button in ("stage", "step", "back", "play"):
                box = tab.locator(f"#{button}").bounding_box()
                middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
                hit = tab.evaluate("([x, y]) => document.elementFromPoint(x, y)?.closest('button')?.id", middle)
                assert hit == button, (name, button)
        tab.click("#stage")
        page.wait("d.stage === 'grid'")
    finally:
        tab.set_viewport_size({"width": 1160, "height": 560})


def test_streamlines_follow_the_flow_and_are_drawn_in_liquid_alone(page):
    tab = page.tab
    page.run_until(0.2)
    tab.check("#streamlines")
    page.until("Number(document.querySelector('#overlay').dataset.lines) > 3")
    wet = page.pixels((0.05, 0.05), (0.5, 0.3))
    dry = page.pixels((1.1, 0.6), (1.5, 0.9))

    def purple(part) -> int:
        return int(((part[..., 0] > part[..., 1] + 30) & (part[..., 2] > part[..., 1] + 10)).sum())

    assert purple(wet) > 50
    assert purple(dry) == 0
    tab.uncheck("#streamlines")


def test_boxes_are_moved_and_resized_with_the_pointer(page):
    tab = page.tab
    tab.click('[data-tool="box"]')
    page.drag((0.9, 0.4), (1.1, 0.6))
    read = "[...document.querySelectorAll('#shapes input')].map(({ value }) => Number(value))"
    page.until(f"({read}).length === 4 && ({read})[2] > 0.19")
    page.drag((1.0, 0.5), (1.2, 0.7))
    page.until(f"({read})[0] > 1.085")
    left, bottom, width, height = tab.evaluate(read)
    assert (left, bottom, width, height) == pytest.approx((1.1, 0.6, 0.2, 0.2), abs=0.02)
    page.drag((1.3, 0.8), (1.4, 0.9))
    page.until(f"({read})[2] > 0.28")
    assert tab.evaluate(read) == pytest.approx([1.1, 0.6, 0.3, 0.3], abs=0.03)
    tab.click("#shapes button[aria-label^=Take]")
    page.until("!document.querySelector('#shapes fieldset')")
