"""Every lesson from start to end by keys alone, on a large screen, in a small window and on a phone.

Here every second one is taken, each at another size. `PLASH_TEST_ALL_SIZES=1` takes all at all three.
"""

from __future__ import annotations

import pytest

from plash.scene.language.read import parse_scene
from plash.studio.presets import preset_text

from .keys import Keys
from .test_lessons import ALL, LESSONS
from .test_reach import faults

pytestmark = pytest.mark.slow

SIZES = [(1440, 900), (800, 600), (390, 844)]
TAKEN = [
    (name, size)
    for number, name in enumerate(LESSONS)
    for place, size in enumerate(SIZES)
    if ALL or number == 1 + 2 * place
]

# The next stage, the step and the picture: what is seen of each, at its middle
IN_SIGHT = """selector => {
  const { left, top, width, height } = document.querySelector(selector).getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return Boolean(hit?.closest(selector));
}"""


@pytest.mark.parametrize(("name", "size"), TAKEN, ids=lambda part: part if isinstance(part, str) else f"{part[0]}")
def test_a_lesson_is_taken_by_keys_alone(page, name, size):
    tab, lesson, keys = page.tab, LESSONS[name], Keys(page)
    tab.select_option("#speed", "2")
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        tab.evaluate("document.activeElement.blur()")
        keys.open_tab("lessons")
        keys.go_to(f"e.dataset.lesson === {name!r}")
        keys.press("Enter")
        for number, step in enumerate(lesson.step, 1):
            tab.wait_for_selector(f'#tab-lessons small:has-text("Step {number} of {len(lesson.step)}")')
            if step.preset:
                title = parse_scene(preset_text(step.preset), "lesson").title
                page.wait(f"d.title === {title!r} && Number(d.steps) === 0")
            tab.wait_for_timeout(300)
            keys.do(step.do)
            keys.open_tab("lessons")
            tab.wait_for_selector(".question:enabled", timeout=60_000)
            keys.answer(step.question)
            assert tab.evaluate(IN_SIGHT, "#stage")
            assert tab.evaluate(IN_SIGHT, "#overlay")
            assert tab.evaluate(IN_SIGHT, "#panel")
            if number == 1:
                assert faults(tab) == []
            keys.go_to("e.id === 'lesson-next'")
            keys.press("Enter")
        tab.wait_for_selector(f'[data-lesson="{name}"]:has-text("✓")')
    finally:
        tab.set_viewport_size({"width": 1160, "height": 560})
        tab.select_option("#speed", "1")
