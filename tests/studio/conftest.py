"""One studio and one browser for all tests; a small run to play back."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest
from plash.files.ply import ply_bytes
from plash.mesh.mesh import Mesh
from plash.pipeline.stages.registry import STAGES
from plash.render.video.video import write_video

from .page import Page

SCENE = """version = 1
title = "Small tank"
[domain]
size = [1.6, 1.0]
resolution = 32
[solver]
courant = 2
tolerance = 1e-3
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.5, 0.7] }
"""
INSTALL = "apt-get install chromium (Debian, Ubuntu), or set PLASH_NO_BROWSER=1 to leave these tests out"


@dataclass
class Studio:
    address: str
    origin: str
    token: str
    port: int
    runs: Path
    process: subprocess.Popen

    @property
    def socket(self) -> str:
        return f"ws://127.0.0.1:{self.port}/live?token={self.token}"


def start(runs: Path, *arguments: str) -> Studio:
    command = [sys.executable, "-m", "plash", "studio", *arguments, "--no-browser", "--port", "0", "--runs", str(runs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "NUMBA_NUM_THREADS": "1"})
    line = process.stdout.readline()
    address, port, token = re.search(r"(http://127\.0\.0\.1:(\d+)/\?token=(\S+))", line).groups()
    return Studio(address, f"http://127.0.0.1:{port}", token, int(port), runs, process)


def stop(studio: Studio) -> int:
    if studio.process.poll() is None:
        studio.process.send_signal(signal.SIGTERM)
    code = studio.process.wait(10)
    studio.process.stdout.close()
    return code


@pytest.fixture(scope="session")
def studio(tmp_path_factory) -> Iterator[Studio]:
    runs = tmp_path_factory.mktemp("runs")
    make_run(runs / "ball")
    scene = tmp_path_factory.mktemp("scene") / "small.toml"
    scene.write_text(SCENE)
    found = start(runs, str(scene))
    yield found
    stop(found)


def make_run(root: Path, frames: int = 3) -> None:
    """A finished run of a ball that rises, without simulating it."""
    folder = RunFolder(root)
    for part in folder.parts(STAGES):
        part.mkdir(parents=True, exist_ok=True)
    scene = (
        SCENE.replace("[1.6, 1.0]", "[1.6, 1.0, 1.0]").replace("0.5, 0.7", "0.5, 0.7, 1").replace("[0, 0]", "[0, 0, 0]")
    )
    scene += f"[time]\nframes = {frames}\nfps = 24\n"
    manifest = Manifest(
        scene.replace("Small tank", "Rising ball"), "ball", "", 0, wanted=["simulate", "mesh", "render"]
    )
    for frame in range(1, frames + 1):
        data = ply_bytes(ball(center=(0.8, 0.2 + 0.2 * frame, 0.5), radius=0.3))
        folder.surface(frame).write_bytes(data)
        for stage in ("simulate", "mesh", "render"):
            manifest.stage(stage).items[frame] = Item(len(data), "")
        write_picture(folder.picture(frame), frame)
    write_video([np.full((64, 96, 3), 40 * n, np.uint8) for n in range(1, 6)], folder.movie("ball", "mp4"), 24, 30)
    folder.report.write_text("<!doctype html><title>Report</title><h1>Report of the ball</h1>")
    manifest.write(folder)


def write_picture(path: Path, frame: int) -> None:
    from PIL import Image

    Image.new("RGB", (96, 64), (20, 60 * frame, 200)).save(path)


def ball(center: tuple[float, ...], radius: float, rows: int = 16) -> Mesh:
    """A sphere of triangles, with normals."""
    theta, turn = np.meshgrid(np.linspace(0, np.pi, rows), np.linspace(0, 2 * np.pi, 2 * rows), indexing="ij")
    normals = np.stack([np.sin(theta) * np.cos(turn), np.cos(theta), np.sin(theta) * np.sin(turn)], axis=-1)
    index = np.arange(normals[..., 0].size).reshape(normals.shape[:2])
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    faces = np.concatenate([np.stack([a, c, b], axis=1), np.stack([a, d, c], axis=1)]).astype(np.int32)
    flat = normals.reshape(-1, 3).astype(np.float32)
    return Mesh(
        (flat * radius + np.array(center, np.float32)).astype(np.float32), faces, flat, None, np.zeros((0, 2), np.int32)
    )


@pytest.fixture(scope="module")  # as long as it runs, so does an event loop in this process
def browser():
    if os.environ.get("PLASH_NO_BROWSER") == "1":
        pytest.skip("PLASH_NO_BROWSER=1")
    path = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    if path is None:
        pytest.fail(f"these tests need a browser, and none was found: {INSTALL}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        options = ["--no-sandbox", "--enable-unsafe-swiftshader"]
        running = play.chromium.launch(executable_path=path, args=options)
        yield running
        running.close()


@contextmanager
def open_tab(browser, studio: Studio, prepare: Callable[[Any], Any] = lambda tab: None) -> Iterator[Any]:
    """A tab of the studio that shows its scene; what prepares it before it loads is its `extra`."""
    context = browser.new_context(viewport={"width": 1160, "height": 560}, accept_downloads=True, color_scheme="light")
    tab = context.new_page()
    tab.set_default_timeout(15_000)
    tab.problems = []
    tab.on(
        "console", lambda message: tab.problems.append(message.text) if message.type in ("error", "warning") else None
    )
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.extra = prepare(tab)
    tab.goto(studio.address)
    tab.wait_for_selector("#busy", state="hidden", timeout=180_000)
    yield tab
    context.close()


@pytest.fixture(scope="module")
def tab(studio, browser):
    with open_tab(browser, studio) as tab:
        yield tab


@pytest.fixture
def page(tab) -> Iterator[Page]:
    tab.problems.clear()
    if tab.evaluate("document.body.dataset.room") == "runs":
        tab.click('[data-room="simulate"]')
    tab.click('[data-tab="view"]')
    tab.click('[data-tool="push"]')
    page = Page(tab)
    page.open(SCENE)
    tab.click('#views [data-view="surface"]')
    page.wait("d.view === 'surface'")
    yield page
    if tab.locator("#play").get_attribute("aria-pressed") == "true":
        tab.click("#play")
    assert not [text for text in tab.problems if "GPU stall" not in text]
