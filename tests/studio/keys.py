"""A tab of the studio used by keys alone, as by somebody who has no pointer."""

from __future__ import annotations

from plash.studio.controls import controls
from plash.studio.lessons import Do, Question

from .page import Page

NAMES = {control["key"]: control["name"] for control in controls()}
TABS = ("view", "settings", "inside", "charts", "lessons")
TOOLS = ("push", "pour", "drain", "draw", "erase", "heat", "box", "disc")


class Keys:
    """Keys that are pressed in a tab; nothing is clicked."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._keys = page.tab.keyboard

    def press(self, key: str) -> None:
        self._keys.press(key)

    def go_to(self, condition: str, most: int = 160) -> None:
        """Press Tab until something holds of the element e that has the focus."""
        for _ in range(most):
            if self.page.tab.evaluate(f"(e => Boolean({condition}))(document.activeElement)"):
                return
            self.press("Tab")
        raise AssertionError(f"the key Tab leads to no element for which {condition}")

    def open_tab(self, name: str) -> None:
        """Open a tab of the panel by its arrow keys, and the panel, where it is closed."""
        tab = self.page.tab
        if not tab.locator("#panel").is_visible():
            self.go_to("e.id === 'panel-toggle'")
            self.press("Enter")
        self.go_to("e.getAttribute('role') === 'tab' && e.closest('#panel')")
        now = TABS.index(tab.evaluate("document.activeElement.dataset.tab"))
        for _ in range((TABS.index(name) - now) % len(TABS)):
            self.press("ArrowRight")
        assert tab.evaluate("document.activeElement.dataset.tab") == name

    def run_until(self, seconds: float) -> None:
        self.go_to("e.id === 'play'")
        self.press("Enter")
        self.page.wait(f"Number(d.time) > {seconds}")
        self.press("Enter")
        self.page.until("document.querySelector('#s-fps').textContent === 'paused'")

    def set(self, key: str, value: str | float) -> None:
        """Set a parameter: a word in its menu, or a number in its field."""
        self.open_tab("settings")
        if isinstance(value, str):
            self.go_to(f"e.matches('.control[data-key=\"{key}\"] select')")
            words = self.page.tab.evaluate("[...document.activeElement.options].map(({ value }) => value)")
            way = words.index(value) - words.index(self.page.tab.evaluate("document.activeElement.value"))
            for _ in range(abs(way)):
                self.press("ArrowDown" if way > 0 else "ArrowUp")
        else:
            self.go_to(f"e.ariaLabel === {NAMES[key] + ', number'!r}")
            self.press("Control+A")
            self._keys.type(str(value))
            self.press("Enter")
        self.page.tab.wait_for_timeout(900)

    def do(self, wanted: Do) -> None:
        """Do what a step of a lesson asks for."""
        page, tab = self.page, self.page.tab
        if wanted.setting:
            number = wanted.most if wanted.least is None else wanted.least
            self.set(wanted.setting, wanted.word if wanted.word is not None else float(number))
        if wanted.stage:
            while tab.evaluate("document.querySelector('#fluid').dataset.stage") != wanted.stage:
                self.go_to("e.id === 'stage'")
                self.press("Enter")
                tab.wait_for_timeout(120)
        if wanted.view:
            self.open_tab("view")
            self.go_to(f"e.dataset.view === {wanted.view!r}")
            self.press("Enter")
            page.wait(f"d.view === {wanted.view!r}")
        for _ in range(wanted.steps or 0):
            before = page.fact("steps")
            self.go_to("e.id === 'step'")
            self.press("Enter")
            page.wait(f"Number(d.steps) > {before}")
        if wanted.seconds:
            self.run_until(wanted.seconds)
        if wanted.tool or wanted.probe:
            self.go_to("e.id === 'overlay'")
            if wanted.tool:
                self.press(str(TOOLS.index(wanted.tool) + 1))
            self.press("ArrowDown")
            self.press("Enter")
            if wanted.probe:
                tab.wait_for_selector("#probe", state="visible")  # values are read before one goes on
        if wanted.tab:
            self.open_tab(wanted.tab)

    def answer(self, question: Question) -> None:
        """Go through the answers from the first on, until the right one is chosen."""
        self.go_to("e.closest('.question')")
        for number, chosen in enumerate(question.answers):
            self.press("Space" if number == 0 else "ArrowDown")
            self.page.tab.wait_for_selector(f".feedback.{'right' if chosen.right else 'wrong'}")
            if chosen.right:
                return
