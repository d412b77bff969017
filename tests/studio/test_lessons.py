"""Lessons: what they name exists, and each can be taken from its first step to its last.

Here every second one is taken with the mouse; `test_lessons_by_keys.py` takes the others.
`PLASH_TEST_ALL_SIZES=1` takes all with both.
"""

from __future__ import annotations

import os

import pytest

from plash.scene.language.read import parse_scene
from plash.studio.controls import controls, values_of
from plash.studio.kinds import live
from plash.studio.lessons import Answer, Do, Question, all_lessons
from plash.studio.presets import preset_text
from plash.studio.twins import Twins, with_values

from .page import Page

LESSONS = {lesson.name: lesson for lesson in all_lessons()}
STEPS = [(lesson.name, number) for lesson in all_lessons() for number in range(len(lesson.step))]
ALL = os.environ.get("PLASH_TEST_ALL_SIZES") == "1"
STAGES = {"grid", "advect", "forces", "project", "extrapolate", "move"}


def scene_of(name: str, number: int):
    """The scene that a step has: its own, or that of the step before it that opened one."""
    steps = LESSONS[name].step[: number + 1]
    start = max(k for k, step in enumerate(steps) if step.preset)
    scene = parse_scene(preset_text(steps[start].preset), "lesson")
    for step in steps[start:]:
        scene = with_values(scene, step.settings)
    return scene, steps[start].compare


def test_there_are_the_six_of_the_issue():
    assert list(LESSONS) == ["advection", "projection", "pic", "free_surface", "cfl", "viscosity"]
    assert all(lesson.step[0].preset for lesson in LESSONS.values())


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_every_scene_setting_view_and_stage_of_a_step_exists(name, number):
    step = LESSONS[name].step[number]
    scene, compare = scene_of(name, number)
    simulation = live(scene)
    wanted = step.do
    for view in filter(None, (step.view, wanted.view)):
        assert view in simulation.views
    if wanted.stage:
        assert wanted.stage in STAGES
    if compare:
        beside = Twins(scene, compare).beside
        assert step.view is None or step.view in beside.views
        assert all(values_of(beside.scene)[key] != values_of(scene)[key] for key in compare)
    if wanted.setting:
        control = {control["key"]: control for control in controls()}[wanted.setting]
        now = values_of(scene)[wanted.setting]
        if wanted.word is not None:
            assert wanted.word in control["words"]
            assert now != wanted.word
        else:
            least, most = wanted.least or control["least"], wanted.most or control["most"]
            assert control["least"] <= least < most <= control["most"]
            assert not least <= now <= most
    assert any(value not in (None, False) for value in wanted.model_dump().values())


def test_a_question_has_one_right_answer():
    wrong = Answer(text="a", feedback="b")
    with pytest.raises(ValueError, match="exactly one right answer"):
        Question(text="why", answers=(wrong, wrong))
    with pytest.raises(ValueError, match="view"):
        Do(view="nothing")


# In a browser


def do(page: Page, wanted: Do) -> None:
    """Do what a step asks for, as a pupil would."""
    tab = page.tab
    if wanted.setting:
        tab.click('[data-tab="settings"]')
        box = f'.control[data-key="{wanted.setting}"]'
        if wanted.word is not None:
            tab.select_option(f"{box} select", wanted.word)
        else:
            tab.fill(f"{box} input[type=number]", str(wanted.most if wanted.least is None else wanted.least))
            tab.keyboard.press("Enter")
        tab.wait_for_timeout(900)
    if wanted.stage:
        while tab.evaluate("document.querySelector('#fluid').dataset.stage") != wanted.stage:
            tab.click("#stage")
            tab.wait_for_timeout(120)
    if wanted.view:
        tab.click('[data-tab="view"]')
        tab.click(f'#views [data-view="{wanted.view}"]')
        page.wait(f"d.view === {wanted.view!r}")
    if wanted.steps:
        page.step(wanted.steps)
    if wanted.seconds:
        page.run_until(wanted.seconds)
    box = tab.locator("#overlay").bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.6 * box["height"]
    if wanted.tool:
        tab.click(f'[data-tool="{wanted.tool}"]')
        tab.mouse.move(x, y)
        tab.mouse.down()
        tab.mouse.move(x + 9, y + 5)
        tab.mouse.up()
    if wanted.probe:
        tab.mouse.move(x, y)
        tab.wait_for_selector("#probe:not([hidden])")
    if wanted.tab:
        tab.click(f'[data-tab="{wanted.tab}"]')


def answer(tab, question: Question) -> None:
    """Choose a wrong answer, then the right one."""
    for chosen in sorted(question.answers, key=lambda one: one.right)[-2:]:
        tab.click(f'.question label:has-text("{chosen.text[:40]}")')
        tab.wait_for_selector(f".feedback.{'right' if chosen.right else 'wrong'}")
        assert tab.locator(".feedback").text_content() == chosen.feedback
        assert tab.locator("#lesson-next").is_disabled() is not chosen.right


# Entries of the line below the picture that are seen, and those that are cut off
STATUS = """() => {
  const line = document.querySelector(".status").getBoundingClientRect();
  const entries = [...document.querySelectorAll(".status span")].filter((entry) => entry.textContent);
  const boxes = entries.map((entry) => [entry.textContent, entry.getBoundingClientRect()]);
  const seen = boxes.filter(([, box]) => box.top < line.bottom - 1);
  const whole = ([, box]) => box.bottom <= line.bottom && box.right <= line.right && box.left >= line.left;
  return [seen, seen.filter((entry) => !whole(entry))].map((some) => some.map(([text]) => text));
}"""


def look_at_both(tab) -> None:
    """In a small window with two pictures and the panel the line says that it is paused, and cuts nothing off."""
    tab.set_viewport_size({"width": 800, "height": 600})
    tab.click("#panel-toggle")
    seen, cut = tab.evaluate(STATUS)
    assert seen[1] == "paused"
    assert cut == []
    tab.click("#panel-toggle")
    tab.set_viewport_size({"width": 1160, "height": 560})


@pytest.mark.slow
@pytest.mark.parametrize("name", list(LESSONS)[:: 1 if ALL else 2])
def test_a_lesson_is_taken_from_start_to_end(page, name):
    tab, lesson = page.tab, LESSONS[name]
    tab.select_option("#speed", "2")
    tab.click('[data-tab="lessons"]')
    tab.click(f'[data-lesson="{name}"]')
    for number, step in enumerate(lesson.step, 1):
        tab.wait_for_selector(f'#tab-lessons small:has-text("Step {number} of {len(lesson.step)}")')
        if step.preset:
            title = parse_scene(preset_text(step.preset), "lesson").title
            page.wait(f"d.title === {title!r} && Number(d.steps) === 0")
        assert tab.locator(".question input").first.is_disabled()
        tab.wait_for_timeout(300)
        do(page, step.do)
        tab.click('[data-tab="lessons"]')
        tab.wait_for_selector(".question:enabled", timeout=60_000)
        has_two = bool(scene_of(name, number - 1)[1])
        assert tab.locator("#beside").is_visible() == has_two
        if has_two:
            look_at_both(tab)
        answer(tab, step.question)
        tab.click("#lesson-next")
    tab.wait_for_selector(f'[data-lesson="{name}"]:has-text("✓")')
    tab.select_option("#speed", "1")
