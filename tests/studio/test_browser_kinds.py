"""Smoke, heat and level sets as people use them: in a browser, with the mouse; checked on numbers and on pixels."""

from __future__ import annotations

import numpy as np
import pytest

import plash

from .conftest import SCENE

pytestmark = pytest.mark.slow

SMOKE = SCENE.replace("[solver]", '[solver]\nkind = "smoke"').replace("tolerance = 1e-3\n", "")
LEVEL_SET = SCENE.replace("[solver]", '[solver]\nsurface = "levelset"')


def views_differ(page, views: tuple[str, ...]) -> None:
    seen = {}
    for view in views:
        page.tab.click(f'#views [data-view="{view}"]')
        page.step()
        page.wait(f"d.view === '{view}'")
        page.tab.wait_for_timeout(150)
        seen[view] = page.picture()
    for i, one in enumerate(views):
        for other in views[:i]:
            changed = np.abs(seen[one] - seen[other]).max(axis=2) > 24
            assert changed.mean() > 0.002, (one, other)


def test_smoke_is_poured_heated_and_walled_in_and_what_is_saved_runs(page):
    page.open(SMOKE)
    tab = page.tab
    page.wait("d.view === 'smoke'")
    spot = (1.05, 0.45), (1.15, 0.55)
    assert page.pixels(*spot).min() > 240
    assert page.pixels((0.2, 0.2), (0.3, 0.3)).max() < 140
    page.drag((1.0, 0.5), (1.2, 0.5), button="right")
    page.wait("Number(d.volume) > 0.37")
    page.step()
    assert page.pixels(*spot).max() < 160
    tab.click('[data-tool="heat"]')
    page.drag((1.0, 0.5), (1.2, 0.5))
    page.until("document.querySelector('[data-view=\"temperature\"]') !== null")
    tab.click('[data-tool="draw"]')
    page.drag((0.7, 0.1), (0.7, 0.6))
    page.until("!document.querySelector('#undo').disabled")
    before = page.center()[1]
    page.step(6)
    assert page.center()[1] > before
    views_differ(page, ("smoke", "density", "temperature", "velocity", "vorticity", "cells", "tiles"))
    assert "°C" in tab.locator("#legend").inner_text() or tab.locator("#legend").is_hidden()
    assert "mass" in tab.inner_text("#ledger")
    scene = plash.parse_scene(page.download(lambda: tab.click("#save")).decode(), frames=2)
    assert (len(scene.fill) > 1, len(scene.solid), scene.has_heat) == (True, 1, True)
    assert len(list(plash.simulate(scene))) == 2


def test_the_heat_brush_warms_and_cools_liquid_and_the_legend_says_how_much(page):
    tab = page.tab
    page.open(SCENE.replace("[solver]", '[liquid]\nmaterial = "honey"\n[solver]'))
    tab.keyboard.press("6")
    assert tab.inner_text("#warmth-text") == "+40 K"
    page.drag((0.1, 0.4), (0.2, 0.4))
    tab.locator("#warmth").fill("-0.5")
    assert tab.inner_text("#warmth-text") == "−20 K"
    page.drag((0.3, 0.2), (0.4, 0.2))
    page.until("document.querySelector('[data-view=\"viscosity\"]') !== null")
    tab.click('[data-view="temperature"]')
    page.step()
    page.wait("d.view === 'temperature'")
    legend = tab.inner_text("#legend").split()
    assert (legend[0], legend[1], legend[2:]) == ("Temperature", "0", ["60", "°C"])
    warm, cold = (
        page.pixels((0.13, 0.38), (0.17, 0.42)).mean((0, 1)),
        page.pixels((0.33, 0.18), (0.37, 0.22)).mean((0, 1)),
    )
    assert warm[0] > 220
    assert cold[0] < 80
    tab.click('[data-view="viscosity"]')
    page.wait("d.view === 'viscosity'")
    page.until("document.querySelector('#legend').textContent.includes('Pa·s')")
    tab.click("#reset")
    page.until("document.querySelector('[data-view=\"viscosity\"]') === null")


def test_a_level_set_shows_phi_its_band_and_signed_particles(page):
    page.open(LEVEL_SET)
    tab = page.tab
    assert not tab.locator('[data-tool="heat"]').is_visible()
    assert not tab.locator("#paint").is_visible()
    views_differ(page, ("surface", "phi", "band", "signed"))
    before = page.fact("volume")
    page.drag((1.0, 0.5), (1.3, 0.5), button="right")
    page.wait(f"Number(d.volume) > {before} + 0.02")
    tab.click('#views [data-view="surface"]')
    page.step()
    assert page.wet_share((1.1, 0.47), (1.2, 0.53)) > 0.9
    tab.click('[data-tab="inside"]')
    tab.click("#next-stage")
    tab.wait_for_selector('li.now[data-stage="grid"]')
    assert "LevelSetLiquid.label" in tab.inner_text("li.now code")


def test_smoke_is_poured_in_a_colour_and_saved_with_it(page):
    page.open(SMOKE)
    tab = page.tab
    tab.fill("#paint", "#ff8000")
    assert tab.locator('[data-tool="pour"]').get_attribute("aria-pressed") == "true"
    page.drag((1.0, 0.5), (1.2, 0.5))
    page.wait("Number(d.volume) > 0.37")
    page.step()
    red, green, blue = page.pixels((1.05, 0.45), (1.15, 0.55)).mean(axis=(0, 1))
    assert red > green + 60 > blue + 90
    grey = page.pixels((0.2, 0.2), (0.3, 0.3)).mean(axis=(0, 1))
    assert np.ptp(grey) < 20
    scene = plash.parse_scene(page.download(lambda: tab.click("#save")).decode())
    assert "#ff8000" in scene.smoke_colors


def test_brushes_have_number_fields(page):
    tab = page.tab
    tab.click('[data-tool="pour"]')
    tab.fill("#brush-radius", "0.25")
    tab.keyboard.press("Enter")
    before = float(tab.locator("#ledger").get_attribute("data-target"))
    tab.mouse.click(*page.at(1.2, 0.6))
    page.until(f"Number(document.querySelector('#ledger').dataset.target) > {before} + 0.1")
    added = float(tab.locator("#ledger").get_attribute("data-target")) - before
    assert added == pytest.approx(np.pi * 0.25**2, rel=0.1)
    tab.click('[data-tool="heat"]')
    tab.fill("#warmth-number", "55")
    tab.keyboard.press("Enter")
    assert tab.inner_text("#warmth-text") == "+55 K"
    tab.fill("#brush-radius", "0.08")
    tab.keyboard.press("Enter")
