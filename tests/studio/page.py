"""A tab of the studio in a browser, in the words of the tests."""

from __future__ import annotations

import io
import itertools
import re
import time

import numpy as np
from PIL import Image

NUMBERS = itertools.count(1)


class Page:
    """A tab of the studio, in the words of the tests."""

    def __init__(self, tab) -> None:
        self.tab = tab

    def open(self, text: str) -> None:
        title = f"Scene {next(NUMBERS)}"
        text = re.sub('title = ".*"', f'title = "{title}"', text)
        self.tab.set_input_files("#file", {"name": "x.toml", "mimeType": "text/plain", "buffer": text.encode()})
        self.wait(f"d.title === {title!r} && Number(d.steps) === 0")
        assert self.tab.evaluate("document.title").startswith(title)

    def wait(self, condition: str, timeout: float = 90000) -> None:
        """Wait until something holds of what the page knows about the last frame (d)."""
        self.until(f"(() => {{ const d = document.querySelector('#fluid').dataset; return {condition}; }})()", timeout)

    def until(self, condition: str, timeout: float = 90000) -> None:
        """Wait until something holds in the page; its policy allows no script of ours to wait there."""
        end = time.monotonic() + timeout / 1000
        while not self.tab.evaluate(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            time.sleep(0.03)

    def fact(self, name: str) -> float:
        return float(self.tab.evaluate(f"document.querySelector('#fluid').dataset.{name}"))

    def center(self) -> tuple[float, ...]:
        return tuple(map(float, self.tab.evaluate("document.querySelector('#fluid').dataset.center").split(",")))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where on the screen a point of the domain (m) is; the tank is 1.6 m by 1 m."""
        box = self.tab.locator("#overlay").bounding_box()
        scale = min((box["width"] - 52) / 1.6, (box["height"] - 78) / 1.0)
        return box["x"] + box["width"] / 2 + (x - 0.8) * scale, box["y"] + (box["height"] - 26) / 2 - (y - 0.5) * scale

    def drag(self, start, end, button: str = "left", steps: int = 8) -> None:
        mouse = self.tab.mouse
        mouse.move(*self.at(*start))
        mouse.down(button=button)
        for k in range(1, steps + 1):
            share = k / steps
            mouse.move(*self.at(*(a + share * (b - a) for a, b in zip(start, end, strict=True))))
            time.sleep(0.02)
        mouse.up(button=button)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            before = self.fact("steps")
            self.tab.click("#step")
            self.wait(f"Number(d.steps) > {before}")

    def run_until(self, seconds: float) -> None:
        self.tab.click("#play")
        self.wait(f"Number(d.time) > {seconds}")
        self.tab.click("#play")
        self.until("document.querySelector('#s-fps').textContent === 'paused'")

    def picture(self) -> np.ndarray:
        return np.asarray(Image.open(io.BytesIO(self.tab.locator(".stage").screenshot())).convert("RGB")).astype(int)

    def pixels(self, low, high) -> np.ndarray:
        """The pixels of a part of the domain."""
        box = self.tab.locator(".stage").bounding_box()
        (x0, y1), (x1, y0) = self.at(*low), self.at(*high)
        return self.picture()[int(y0 - box["y"]) : int(y1 - box["y"]), int(x0 - box["x"]) : int(x1 - box["x"])]

    def wet_share(self, low, high) -> float:
        """Share of the pixels of a part of the domain that are blue."""
        part = self.pixels(low, high)
        return float((part[..., 2] - part[..., 0] > 60).mean())

    def download(self, action) -> bytes:
        with self.tab.expect_download(timeout=90000) as waiting:
            action()
        return waiting.value.path().read_bytes()
