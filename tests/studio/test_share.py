"""Work that is kept: a link that opens a scene, the last scene of a browser, charts as a table."""

from __future__ import annotations

import base64
import csv
import io
import os
import signal
import zlib

import numpy as np
import pytest

import plash

from .conftest import SCENE, open_tab
from .page import Page
from .test_server import children_of

pytestmark = pytest.mark.slow


def packed(text: str) -> str:
    data = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(data.compress(text.encode()) + data.flush()).decode().rstrip("=")


def unpacked(link: str) -> str:
    letters = link.partition("#scene=")[2]
    return zlib.decompress(base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4)), -15).decode()


def test_a_link_has_the_scene_and_opens_it(page, browser, studio):
    tab = page.tab
    tab.click('[data-tool="box"]')
    page.drag((0.9, 0.1), (1.1, 0.3))
    page.until("document.querySelector('#shapes fieldset')")
    tab.keyboard.press("l")
    tab.wait_for_selector("#link-dialog[open]")
    link = tab.input_value("#link-text")
    tab.keyboard.press("Escape")
    assert len(link) < 1000
    scene = plash.parse_scene(unpacked(link))
    assert [solid.name for solid in scene.solid] == ["box 1"]
    other = tab.context.new_page()
    other.goto(link)
    other.wait_for_selector("#busy", state="hidden", timeout=180_000)
    Page(other).wait(f"d.title === {scene.title!r}")
    assert other.locator("#shapes legend").text_content() == "box 1, m"
    assert other.evaluate("location.hash") == ""
    other.close()


@pytest.mark.parametrize(
    "scene",
    ["!!!", "AAAA", packed("version = 7"), packed(" " * 3_000_000), packed(SCENE + 'x = "')],
    ids=["letters", "bytes", "version", "too long", "toml"],
)
def test_a_link_that_is_none_is_told_and_the_page_works(page, studio, scene):
    tab = page.tab.context.new_page()
    tab.goto(f"{studio.origin}/#scene={scene}")
    tab.wait_for_selector(".toast.error", timeout=180_000)
    tab.wait_for_selector("#busy", state="hidden", timeout=180_000)
    assert tab.locator("#preset").input_value() == ""
    tab.close()


def test_charts_are_saved_as_a_table_of_both_methods(page):
    tab = page.tab
    tab.select_option("#compare-key", "solver.transfer")
    tab.select_option(".compare-value select", "pic")
    tab.click("#compare-start")
    tab.wait_for_selector("#beside:not([hidden])")
    assert tab.locator("#caption-beside").text_content() == "transfer: pic"
    page.run_until(0.3)
    tab.click('[data-tab="charts"]')
    text = page.download(lambda: tab.click("#csv")).decode()
    head, *rows = list(csv.reader(io.StringIO(text)))
    table = np.array([[float(text or "nan") for text in row] for row in rows])
    assert head[:3] == ["time [s]", "steps", "substeps"]
    columns = {name: table[:, k] for k, name in enumerate(head)}
    assert len(rows) > 5
    assert (np.diff(columns["time [s]"]) > 0).all()
    assert columns["kinetic [J/m]"][-1] == pytest.approx(page.fact("kinetic"))
    assert columns["kinetic [J/m] of the second"][-1] != columns["kinetic [J/m]"][-1]
    tab.click("#back")
    tab.click('[data-tab="view"]')
    tab.click("#compare-stop")
    page.until("document.querySelector('#beside').hidden")


def test_the_last_scene_is_kept_in_the_browser_and_comes_back_when_its_simulation_is_gone(studio, browser):
    """The last of this file, as it ends the simulations of all tabs."""
    with open_tab(browser, studio) as tab:
        page = Page(tab)
        before = children_of(studio.process.pid)
        page.open(SCENE)
        title = tab.evaluate("document.querySelector('#fluid').dataset.title")
        tab.click("#add-disc")
        page.until("(localStorage.getItem('plash-last-scene') ?? '').includes('disc 1')")
        for child in children_of(studio.process.pid) & before:
            os.kill(child, signal.SIGKILL)
        tab.wait_for_selector("#busy.bad")
        tab.reload()
        page.wait(f"d.title === {title!r}")
        assert tab.locator("#shapes legend").text_content() == "disc 1, m"
        again = tab.context.new_page()
        again.goto(studio.origin)
        again.wait_for_selector("#busy", state="hidden", timeout=180_000)
        again.select_option("#preset", "last scene")
        Page(again).wait(f"d.title === {title!r}")
