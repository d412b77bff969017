"""Every button in reach and the picture in sight, on a phone, a tablet, a small window and a large screen."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

SIZES = [
    (360, 640),
    (640, 360),
    (390, 844),
    (844, 390),
    (500, 480),
    (600, 900),
    (768, 1024),
    (861, 500),
    (961, 600),
    (1000, 560),
    (1081, 700),
    (1241, 700),
    (1366, 768),
    (1920, 1080),
]

# Controls below a selector that a finger cannot get at: hidden, outside the window, or under something else
OUT_OF_REACH = """selector => [...document.querySelectorAll(selector)].flatMap(root =>
    [...root.querySelectorAll("button, select, input:not([type=file])")]).filter(control => {
  if (control.closest("[hidden], dialog, #recording, body[data-room=runs] .only-simulate")) return false;
  if (control.matches("#panel-close, #panel-toggle, #more-toggle")) return false;
  control.scrollIntoView({ block: "nearest", behavior: "instant" });
  const box = control.getBoundingClientRect();
  const inside = box.width > 0 && box.left >= -0.5 && box.top >= -0.5 &&
    box.right <= innerWidth + 0.5 && box.bottom <= innerHeight + 0.5;
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return !inside || !(control === hit || control.contains(hit) || control.closest("label")?.contains(hit));
}).map(control => control.id || control.textContent || control.ariaLabel)"""

# The share of the window in which a click reaches the picture
PICTURE = """() => {
  const many = 40;
  let seen = 0;
  for (let i = 0; i < many; i++)
    for (let j = 0; j < many; j++)
      seen += document.elementFromPoint((i + 0.5) * innerWidth / many, (j + 0.5) * innerHeight / many)
        ?.id === "overlay";
  return seen / many ** 2;
}"""


@pytest.fixture
def resized(page):
    def resize(width: int, height: int) -> None:
        page.tab.set_viewport_size({"width": width, "height": height})
        page.tab.wait_for_timeout(150)

    yield resize
    if page.tab.locator("#more.open").count():
        page.tab.keyboard.press("Escape")
    resize(1160, 560)


def open_if_closed(tab, toggle: str, box: str) -> bool:
    """Press a button that shows a part of the page, if there is one; whether there was."""
    if not tab.locator(toggle).is_visible():
        return False
    if not tab.locator(f"{box}.open").count():
        tab.click(toggle)
        tab.wait_for_selector(f"{box}.open")
    return True


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_control_can_be_reached_and_the_picture_is_always_in_sight(page, resized, size):
    tab = page.tab
    resized(*size)
    assert tab.evaluate("[document.documentElement.scrollWidth <= innerWidth, scrollX, scrollY]") == [True, 0, 0]
    assert tab.evaluate(PICTURE) > 1 / 3
    assert tab.evaluate(OUT_OF_REACH, ".bar > :not(#more), .tools") == []
    tab.click('[data-tool="heat"]')
    assert tab.locator("#warmth").is_visible()
    assert tab.evaluate(OUT_OF_REACH, ".tools") == []
    tab.click('[data-tool="push"]')
    if open_if_closed(tab, "#more-toggle", "#more"):
        assert tab.evaluate(OUT_OF_REACH, "#more") == []
        tab.click("#more-toggle")
        assert not tab.locator("#save").is_visible()
    else:
        assert tab.evaluate(OUT_OF_REACH, "#more") == []
    has_toggle = open_if_closed(tab, "#panel-toggle", "#panel")
    for name in ("view", "settings", "inside", "charts", "lessons"):
        tab.click(f'[data-tab="{name}"]')
        assert tab.evaluate(OUT_OF_REACH, "#panel") == [], name
        assert tab.evaluate(PICTURE) > 1 / 3, name
        assert tab.evaluate(OUT_OF_REACH, ".tools") == []
    if has_toggle:
        tab.click("#panel-toggle")
        assert not tab.locator('[data-tab="view"]').is_visible()
        tab.click("#panel-toggle")
        tab.click("#panel-close")
        assert not tab.locator('[data-tab="view"]').is_visible()
        tab.click("#panel-toggle")


@pytest.mark.parametrize(
    "size", [(360, 640), (640, 360), (768, 1024), (1920, 1080)], ids=lambda size: f"{size[0]}x{size[1]}"
)
def test_every_control_of_the_runs_can_be_reached(page, resized, size):
    tab = page.tab
    tab.click('[data-room="runs"]')
    tab.click('.run[data-name="ball"]')
    tab.wait_for_selector("#space[data-frame]")
    resized(*size)
    assert tab.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert tab.evaluate(OUT_OF_REACH, "#runs, .rooms") == []
    box = tab.locator("#space").bounding_box()
    assert box["width"] * box["height"] > size[0] * size[1] / 3
    if open_if_closed(tab, "#more-toggle", "#more"):
        assert tab.evaluate(OUT_OF_REACH, "#more") == []


@pytest.mark.parametrize(
    "size", [(360, 640), (640, 360), (1000, 560), (1366, 768)], ids=lambda size: f"{size[0]}x{size[1]}"
)
def test_the_next_stage_and_its_button_stay_in_sight(page, resized, size):
    tab = page.tab
    resized(*size)
    open_if_closed(tab, "#panel-toggle", "#panel")
    tab.click('[data-tab="inside"]')
    for stage in ("grid", "advect", "forces", "project", "extrapolate", "move", "grid"):
        x, y = middle = tab.evaluate(
            "(({ left, top, width, height }) => [left + width / 2, top + height / 2])"
            "(document.querySelector('#next-stage').getBoundingClientRect())"
        )
        assert tab.evaluate("([x, y]) => document.elementFromPoint(x, y)?.id", middle) == "next-stage", stage
        tab.mouse.click(x, y)
        tab.wait_for_selector(f'li.now[data-stage="{stage}"]')
        title = f'li[data-stage="{stage}"] b'
        page.until(
            f"""(() => {{
              const title = document.querySelector({title!r}), box = title.getBoundingClientRect();
              return document.elementFromPoint(box.left + 4, box.top + box.height / 2) === title;
            }})()""",
            timeout=5000,
        )
