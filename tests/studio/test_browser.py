"""The studio as people use it: in a browser, with mouse and keys; checked on numbers and on pixels."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace

import av
import numpy as np
import pytest
from PIL import Image, ImageSequence

import plash
from plash.files.layout import RunFolder
from plash.files.ply import ply_bytes
from plash.studio.presets import presets

from .conftest import SCENE, ball, make_run

pytestmark = pytest.mark.slow

WEIGHTLESS = SCENE.replace("resolution = 32", "resolution = 32\ngravity = [0, 0]")


def test_the_page_shows_the_scene_it_was_started_with(page):
    assert page.wet_share((0.05, 0.05), (0.45, 0.6)) > 0.95
    assert page.wet_share((0.6, 0.05), (1.5, 0.9)) < 0.01
    offered = page.tab.locator("#preset option").all_text_contents()
    assert {preset["title"] for preset in presets()} <= set(offered)
    assert "token" not in page.tab.url


def test_dragging_moves_the_liquid_along(page):
    page.open(WEIGHTLESS)
    page.step()
    before = page.center()
    page.drag((0.15, 0.3), (0.4, 0.3))
    page.step(5)
    after = page.center()
    assert after[0] > before[0] + 4e-4  # the pointer is slow where the machine is busy
    assert page.fact("kinetic") > 0


def test_the_right_button_adds_liquid(page):
    before = page.fact("volume")
    page.drag((1.0, 0.5), (1.3, 0.5), button="right")
    page.wait(f"Number(d.volume) > {before} + 0.02")
    assert page.wet_share((1.1, 0.47), (1.2, 0.53)) > 0.9


def test_the_drain_takes_liquid_away(page):
    before = page.fact("volume")
    page.tab.click('[data-tool="drain"]')
    page.drag((0.1, 0.3), (0.3, 0.3))
    page.wait(f"Number(d.volume) < {before} - 0.02")


def test_a_drawn_wall_holds_the_liquid_back(page):
    behind = (0.85, 0.02), (1.5, 0.3)
    page.run_until(0.5)
    assert page.wet_share(*behind) > 0.2
    page.tab.click("#reset")
    page.wait("Number(d.steps) === 0")
    page.tab.click('[data-tool="draw"]')
    page.drag((0.7, -0.02), (0.7, 1.02), steps=16)
    page.until("!document.querySelector('#undo').disabled")
    page.run_until(0.5)
    assert page.wet_share(*behind) < 0.005


def test_undo_and_redo_take_a_wall_back_and_bring_it_again(page):
    stone = (0.98, 0.3), (1.02, 0.7)
    page.tab.click('[data-tool="draw"]')
    empty = page.picture()
    page.drag((1.0, 0.2), (1.0, 0.8))
    page.tab.wait_for_timeout(300)
    page.tab.mouse.move(5, 5)
    page.tab.keyboard.press("Control+z")
    page.until("!document.querySelector('#redo').disabled")
    page.tab.wait_for_timeout(300)
    assert np.abs(page.picture() - empty)[:, 400:].max() < 60
    page.tab.keyboard.press("Control+y")
    page.until("document.querySelector('#redo').disabled")
    page.tab.wait_for_timeout(300)
    box = page.tab.locator(".stage").bounding_box()
    x, y = page.at(1.0, 0.5)
    drawn = page.picture()[int(y - box["y"]), int(x - box["x"])]
    assert drawn.max() < 170, stone
    page.tab.click('[data-tool="erase"]')
    page.drag((1.0, 0.1), (1.0, 0.9), steps=16)
    page.tab.wait_for_timeout(400)
    page.tab.mouse.move(5, 5)
    assert page.picture()[int(y - box["y"]), int(x - box["x"])].min() > 200


def test_run_pause_step_and_reset_do_what_they_say(page):
    tab = page.tab
    tab.keyboard.press("Space")
    page.wait("Number(d.steps) > 5")
    tab.keyboard.press("Space")
    page.until("document.querySelector('#s-fps').textContent === 'paused'")
    tab.wait_for_timeout(200)
    paused = page.fact("steps")
    tab.wait_for_timeout(300)
    assert page.fact("steps") == paused
    page.step()
    assert page.fact("steps") == paused + 1
    tab.click("#reset")
    page.wait("Number(d.steps) === 0 && Number(d.time) === 0")


def test_a_preset_is_another_scene(page):
    page.tab.select_option("#preset", "honey")
    page.until("document.title.startsWith('Honey')")
    page.wait("Number(d.volume) < 0.1")
    assert "80 ×" in page.tab.inner_text("#s-cells")


def test_a_slider_changes_the_scene_under_way(page):
    page.step(2)
    page.tab.click('[data-tab="settings"]')
    slider = page.tab.locator('[data-key="domain.gravity"] input[type=range]').nth(1)
    slider.fill("20")
    page.tab.select_option('[data-key="solver.transfer"] select', "flip")
    page.tab.locator('[data-key="solver.separating_walls"] input').uncheck()
    page.tab.wait_for_timeout(300)
    before, steps = page.center(), page.fact("steps")
    page.step(10)
    assert page.center()[1] > before[1]
    assert page.fact("steps") > steps
    scene = plash.parse_scene(page.download(lambda: page.tab.click("#save")).decode())
    assert scene.domain.gravity == (0.0, 20.0)
    assert (scene.solver.transfer, scene.solver.separating_walls) == ("flip", False)


def test_every_view_shows_something_else(page):
    page.step(3)
    seen = {}
    for view in ("surface", "particles", "velocity", "pressure", "divergence", "divergence_before", "cells", "tiles"):
        page.tab.click(f'#views [data-view="{view}"]')
        page.step()
        page.wait(f"d.view === '{view}'")
        seen[view] = page.picture()
    names = list(seen)
    for i, one in enumerate(names):
        for other in names[:i]:
            changed = np.abs(seen[one] - seen[other]).max(axis=2) > 24
            assert changed.mean() > 0.002, (one, other)


def test_the_glass_box_goes_through_the_stages_one_by_one(page):
    page.tab.click('[data-tab="inside"]')
    for stage in ("grid", "advect", "forces", "project", "extrapolate", "move", "grid"):
        page.tab.click("#next-stage")
        page.tab.wait_for_selector(f'li.now[data-stage="{stage}"]')
    assert page.tab.locator("li.now math").count() == 1
    assert "sort_particles" in page.tab.inner_text("li.now code")
    page.tab.click('[data-tab="charts"]')
    assert page.tab.locator(".chart:visible").count() == 5


def test_what_is_saved_can_be_opened_and_run_by_the_command_line(page):
    page.tab.click('[data-tool="draw"]')
    page.drag((0.9, 0.2), (1.2, 0.5))
    page.tab.wait_for_timeout(400)
    text = page.download(lambda: page.tab.keyboard.press("s")).decode()
    scene = plash.parse_scene(text)
    assert [solid.name for solid in scene.solid] == ["wall 1"]
    page.open(text)
    frames = list(plash.simulate(plash.parse_scene(text, frames=2)))
    assert len(frames) == 2


def test_a_recording_is_a_movie_of_what_was_seen(page):
    tab = page.tab
    before = tab.viewport_size
    tab.click("#record")
    page.until("parseFloat(document.querySelector('#recording span').textContent) >= 0.1", timeout=30000)
    tab.set_viewport_size({"width": before["width"] - 200, "height": before["height"] - 60})
    page.until("parseFloat(document.querySelector('#recording span').textContent) >= 0.3", timeout=30000)
    tab.set_viewport_size(before)
    movie = page.download(lambda: tab.click("#stop-recording"))
    with av.open(io.BytesIO(movie), "r") as file:
        pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in file.decode(video=0)]
    assert len(pictures) >= 9
    assert np.abs(pictures[-1] - pictures[0]).max() > 80
    assert (pictures[0][..., 2] - pictures[0][..., 0] > 60).mean() > 0.1


def test_a_recording_can_be_a_gif_and_a_picture_a_png(page):
    tab = page.tab
    tab.evaluate("document.querySelector('#format').value = 'gif'")
    tab.keyboard.press("m")
    page.until("parseFloat(document.querySelector('#recording span').textContent) >= 0.1", timeout=30000)
    movie = Image.open(io.BytesIO(page.download(lambda: tab.keyboard.press("m"))))
    tab.evaluate("document.querySelector('#format').value = 'mp4'")
    assert (movie.format, len(list(ImageSequence.Iterator(movie))) >= 2) == ("GIF", True)
    picture = Image.open(io.BytesIO(page.download(lambda: tab.click("#screenshot"))))
    assert picture.format == "PNG"
    assert abs(picture.width / picture.height - 1.6) < 0.05


def test_a_bad_scene_is_refused_with_a_sentence_and_nothing_else_happens(page):
    page.tab.set_input_files(
        "#file", {"name": "x.toml", "mimeType": "text/plain", "buffer": b"version = 1\n[domain]\nsize = [1]"}
    )
    page.tab.wait_for_selector(".toast.error")
    assert "line 3" in page.tab.inner_text(".toast.error")
    page.step()


def test_runs_are_listed_and_played_back_in_space(page, studio):
    tab = page.tab
    tab.click('[data-room="runs"]')
    tab.click('.run[data-name="ball"]')
    tab.wait_for_selector("#space[data-frame='1']")
    tab.wait_for_timeout(300)

    def blue() -> np.ndarray:
        picture = np.asarray(Image.open(io.BytesIO(tab.locator("#space").screenshot())).convert("RGB")).astype(int)
        return picture[..., 2] - picture[..., 0] > 50

    first = blue()
    assert first.mean() > 0.01
    tab.locator("#t-frame").fill("3")
    tab.wait_for_selector("#space[data-frame='3']")
    tab.wait_for_timeout(200)
    last = blue()
    height = [np.argwhere(seen)[:, 0].mean() for seen in (first, last)]
    assert height[1] < height[0] - 10
    tab.check("#t-wire")
    tab.wait_for_timeout(200)
    assert blue().sum() < 0.9 * last.sum()
    tab.uncheck("#t-wire")
    tab.click('[data-mode="movie"]')
    page.until("document.querySelector('#movie').readyState > 0")
    tab.click('[data-mode="report"]')
    assert tab.frame_locator("#report").locator("h1").inner_text() == "Report of the ball"
    tab.click('[data-mode="surface"]')


def test_a_surface_of_several_colours_is_seen_in_them(page, studio, request):
    tab = page.tab
    make_run(studio.runs / "painted")
    request.addfinalizer(lambda: shutil.rmtree(studio.runs / "painted"))
    halves = ball(center=(0.8, 0.5, 0.5), radius=0.3)
    is_left = halves.vertices[:, :1] < 0.8
    colors = np.where(is_left, [[0.8, 0.0, 0.0]], [[0.0, 0.5, 0.0]]).astype(np.float32)
    surface = RunFolder(studio.runs / "painted").surface(2)
    surface.write_bytes(ply_bytes(replace(halves, scalars={"color": colors})))
    tab.click('[data-room="simulate"]')
    tab.click('[data-room="runs"]')
    tab.click('.run[data-name="painted"]')
    tab.wait_for_selector("#space[data-frame='1']")

    def shares(frame) -> list[float]:
        tab.locator("#t-frame").fill(str(frame))
        tab.wait_for_selector(f"#space[data-frame='{frame}']")
        tab.wait_for_timeout(200)
        picture = np.asarray(Image.open(io.BytesIO(tab.locator("#space").screenshot())).convert("RGB")).astype(int)
        red, green, blue = np.moveaxis(picture, 2, 0)
        return [float(found.mean()) for found in (red > green + 60, green > red + 40, blue > red + 50)]

    red, green, blue = shares(2)
    assert min(red, green) > 0.005
    assert blue < 0.002
    red, _, blue = shares(3)
    assert red < 0.002 < blue


def test_help_and_theme_are_a_key_away(page):
    page.tab.keyboard.press("?")
    assert page.tab.locator("#help-dialog kbd").count() > 10
    page.tab.keyboard.press("Escape")
    page.tab.keyboard.press("t")
    assert page.picture().mean() < 110
    page.tab.keyboard.press("t")
    assert page.picture().mean() > 110


def test_what_is_poured_has_the_colour_that_was_chosen(page):
    page.open(WEIGHTLESS)
    page.tab.locator("#paint").evaluate(
        "(box) => { box.value = '#ff2000'; box.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    assert page.tab.locator('[data-tool="pour"]').get_attribute("aria-pressed") == "true"
    page.drag((1.0, 0.5), (1.3, 0.5))
    page.until("document.querySelector('[data-view=\"color\"]') !== null")
    page.step()
    red, liquid = page.pixels((1.1, 0.48), (1.2, 0.52)), page.pixels((0.1, 0.1), (0.3, 0.3))
    assert (red[:, :, 0] > red[:, :, 2] + 100).mean() > 0.9
    assert (liquid[:, :, 2] > liquid[:, :, 0] + 60).mean() > 0.9
    page.tab.click('[data-view="color"]')
    page.wait("d.view === 'color'")
    dots = page.pixels((1.1, 0.48), (1.2, 0.52))
    assert (dots[:, :, 0] > dots[:, :, 2] + 100).mean() > 0.1
