"""Takes the pictures of docs/studio.md from the page itself: python -m tests.studio.pictures docs/pictures."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from .conftest import start, stop
from .page import Page

Point = tuple[float, float]
Stroke = tuple[str, tuple[Point, ...]]

# By file: preset and its title, what is drawn into it, seconds, and the view
PICTURES: dict[str, tuple[str, str, tuple[Stroke, ...], float, str]] = {
    "studio": (
        *("dam", "Dam break"),
        (
            ("draw", ((0.72, 0.0), (0.82, 0.16), (0.88, 0.19))),
            ("draw", ((1.09, 0.34), (1.12, 0.26), (1.25, 0.2), (1.38, 0.25), (1.41, 0.34))),
        ),
        *(0.6, "surface"),
    ),
    "studio_smoke": (
        *("smoke_plume", "Plume of smoke"),
        (
            ("draw", ((0.55, 0.62), (0.8, 0.7), (1.0, 0.68))),
            ("heat", ((1.2, 0.12), (1.3, 0.12))),
            ("pour", ((1.2, 0.12), (1.3, 0.12))),
        ),
        *(1.5, "smoke"),
    ),
    "studio_colours": (
        *("smoke_plume", "Plume of smoke"),
        (
            ("pour #e2702c", ((0.35, 0.3), (0.5, 0.3))),
            ("pour #2f7fd6", ((1.1, 0.3), (1.25, 0.3))),
            ("heat", ((0.35, 0.3), (0.5, 0.3))),
            ("heat", ((1.1, 0.3), (1.25, 0.3))),
        ),
        *(0.7, "smoke"),
    ),
    "studio_honey": ("honey", "Honey", (), 0.5, "viscosity"),
    "studio_level_set": ("merging", "Two discs merge", (), 0.3, "phi"),
}

LESSON, GRID = "studio_lesson", "glossary_grid"
OTHERS = (LESSON, GRID)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.studio.pictures", description=__doc__)
    parser.add_argument("folder", type=Path, help="where they go")
    parser.add_argument("--only", nargs="+", choices=[*PICTURES, *OTHERS], default=[*PICTURES, *OTHERS])
    asked = parser.parse_args()
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as runs, sync_playwright() as play:
        studio = start(Path(runs))
        options = ["--no-sandbox", "--enable-unsafe-swiftshader"]
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        tab = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light").new_page()
        tab.goto(studio.address)
        tab.wait_for_selector("#busy", state="hidden", timeout=180_000)
        for name in asked.only:
            path = asked.folder / f"{name}.png"
            if name == LESSON:
                take_lesson(Page(tab), path)
            elif name == GRID:
                take_grid(Page(tab), path)
            else:
                take(Page(tab), path, *PICTURES[name])
        browser.close()
        stop(studio)


def take(
    page: Page, path: Path, preset: str, title: str, strokes: tuple[Stroke, ...], seconds: float, view: str
) -> None:
    """Take one picture."""
    tab = page.tab
    tab.click('[data-tab="view"]')
    tab.select_option("#preset", preset)
    page.wait(f"d.title === {title!r} && Number(d.steps) === 0", 300_000)
    for words, places in strokes:
        tool, _, color = words.partition(" ")
        if color:
            tab.fill("#paint", color)
        tab.click(f'[data-tool="{tool}"]')
        tab.mouse.move(*page.at(*places[0]))
        tab.mouse.down()
        for place in places[1:]:
            tab.mouse.move(*page.at(*place), steps=4)
            tab.wait_for_timeout(120)
        tab.mouse.up()
    tab.click('[data-tool="push"]')
    tab.click(f'#views [data-view="{view}"]')
    page.run_until(seconds)
    tab.wait_for_timeout(300)
    tab.screenshot(path=path)


def take_lesson(page: Page, path: Path) -> None:
    """Take the picture of a lesson that compares two methods."""
    tab = page.tab
    tab.click('[data-tab="lessons"]')
    tab.click('[data-lesson="pic"]')
    page.wait("d.title === 'Weightless' && Number(d.steps) === 0")
    tab.wait_for_selector("#beside:not([hidden])")
    page.run_until(0.9)
    tab.click('.question label:has-text("None should, but PIC does")')
    tab.wait_for_timeout(300)
    tab.screenshot(path=path)


def take_grid(page: Page, path: Path) -> None:
    """Take a picture of some cells, with their labels and the velocities on their faces."""
    tab = page.tab
    tab.click('[data-tab="view"]')
    tab.select_option("#preset", "dam")
    page.wait("d.title === 'Dam break' && Number(d.steps) === 0", 300_000)
    page.run_until(0.25)
    tab.click('#views [data-view="cells"]')
    tab.check("#arrows")
    tab.check("#gridlines")
    tab.mouse.move(*page.at(0.7, 0.2))
    for _ in range(6):
        tab.mouse.wheel(0, -200)
        tab.wait_for_timeout(60)
    tab.wait_for_timeout(500)
    tab.locator(".stage").screenshot(path=path)
    tab.dblclick("#overlay")
    tab.uncheck("#arrows")
    tab.uncheck("#gridlines")


if __name__ == "__main__":
    main()
