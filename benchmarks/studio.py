"""How fast the studio is: steps of the live simulation alone, and pictures through the whole pipe.

    python -m benchmarks.studio [--cells 128 256] [--seconds 6] [--view surface] [--kind smoke] [--browser]

A square tank, 40 % liquid, sloshing; or a plume of smoke in a square box. *Steps alone* is the live simulation in this
process. *Whole pipe* is a studio on this machine with a page that does nothing but take frames: steps and frames a
second, bytes a frame. *In a browser* is chromium with the studio's page, and the pictures a second that it has drawn;
without a graphics card the processor draws them. On Linux it also tells what a picture takes of the processor in the
simulation, in chromium's process for graphics and in the page's. *Milliseconds* are those of each stage of a step.
Time *of the processor* is what other programs on the machine do not add to. Set NUMBA_NUM_THREADS to choose the threads
of all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from plash.scene.language.read import parse_scene
from plash.studio.messages import frame_bytes, frame_of
from plash.studio.simulations import THREADS

SCENE = """version = 1
title = "Benchmark"
[domain]
size = [1, 1]
resolution = {cells}
[solver]
kind = "{kind}"
courant = {courant}
tolerance = {tolerance}
[[fill]]
shape = {{ kind = "box", min = [0, 0], max = [0.8, 0.5] }}
"""

SMOKE = """version = 1
title = "Benchmark"
[domain]
size = [1, 1]
resolution = {cells}
[solver]
kind = "smoke"
confinement = 4
[[fill]]
shape = {{ kind = "sphere", center = [0.5, 0.35], radius = 0.25 }}
[[source]]
kind = "smoke"
shape = {{ kind = "sphere", center = [0.5, 0.1], radius = 0.06 }}
density_rate = 6
temperature = "150 degC"
"""


def alone(text: str, seconds: float, view: str) -> str:
    """Steps a second of the live simulation, without anybody who looks, and what a frame costs."""
    from plash.studio.kinds import live  # numba reads the number of threads when it is first imported

    simulation = live(parse_scene(text))
    for _ in range(5):
        simulation.advance(simulation.time + 1 / 60)
    stages: dict[str, list[float]] = {}
    start, steps, busy = time.perf_counter(), [], []
    while time.perf_counter() - start < seconds:
        before, cpu = time.perf_counter(), time.process_time()
        simulation.advance(simulation.time + 1 / 60)
        steps.append(time.perf_counter() - before)
        busy.append(time.process_time() - cpu)
        for name, ms in simulation.facts()["milliseconds"].items():
            stages.setdefault(name, []).append(ms)
    before = time.process_time()
    for _ in range(20):
        arrays, units = simulation.arrays(view, arrows=False)
        size = len(frame_bytes({**simulation.facts(), "units": units}, arrays))
    frame = (time.process_time() - before) / 20
    parts = ", ".join(f"{name} {np.median(ms):.2f}" for name, ms in stages.items())
    return (
        f"steps alone: {1 / np.median(steps):.0f} a second (best {1 / np.min(steps):.0f}), "
        f"{1e3 * np.median(busy):.1f} ms of the processor each; ms: {parts}; "
        f"a frame {1e3 * frame:.2f} ms of the processor, {size / 1e3:.0f} kB"
    )


async def pipe(text: str, seconds: float, view: str) -> str:
    """Frames and steps a second that a page receives from a studio."""
    import websockets

    with _studio() as (port, token):
        address = f"ws://127.0.0.1:{port}/live?token={token}"
        origin = websockets.Origin(f"http://127.0.0.1:{port}")
        async with websockets.connect(address, origin=origin, max_size=None) as socket:
            return await _watch(socket, text, seconds, view)


@contextmanager
def _studio() -> Iterator[tuple[str, str]]:
    """A studio on this machine: its port and its token."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "plash", "studio", "--no-browser", "--port", "0", "--runs", folder]
        studio = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert studio.stdout is not None
            found = re.search(r":(\d+)/\?token=(\S+)", studio.stdout.readline())
            assert found is not None
            yield found[1], found[2]
        finally:
            studio.terminate()
            studio.wait()


def in_browser(text: str, seconds: float) -> str:
    """Pictures a second that chromium draws, in a window of 1280 x 800."""
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox", "--enable-unsafe-swiftshader"]
    with _studio() as (port, token), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        tab.goto(f"http://127.0.0.1:{port}/?token={token}")
        tab.wait_for_selector("#busy", state="hidden", timeout=300_000)
        tab.set_input_files("#file", {"name": "x.toml", "mimeType": "text/plain", "buffer": text.encode()})
        told = "document.querySelector('#fluid').dataset"
        while tab.evaluate(f"{told}.title") != "Benchmark":
            time.sleep(0.1)
        tab.click("#play")
        while float(tab.evaluate(f"{told}.steps")) < 10:
            time.sleep(0.1)
        read = "Number(document.querySelector('#s-fps').textContent.split(' ')[0])"
        time.sleep(2)
        rates = []
        start, before = time.perf_counter(), _busy()
        while time.perf_counter() - start < seconds:
            time.sleep(0.5)
            rates.append(tab.evaluate(read))
        pictures = np.mean(rates) * (time.perf_counter() - start)
        spent = {part: 1e3 * (busy - before.get(part, 0.0)) / pictures for part, busy in _busy().items()}
        size = tab.evaluate(f"[{told.removesuffix('.dataset')}].map((c) => `${{c.width}} x ${{c.height}}`)[0]")
        browser.close()
    parts = ", ".join(f"{part} {ms:.1f}" for part, ms in spent.items())
    return (
        f"in a browser: {np.median(rates):.0f} pictures a second, least {np.min(rates):.0f}, {size} pixels; "
        f"ms of the processor for a picture: {parts or 'not known on this system'}"
    )


_PARTS = {"plash.studio.process": "simulation", "--type=gpu-process": "graphics", "--type=renderer": "page"}


def _busy() -> dict[str, float]:
    """Seconds of the processor that programs begun by this one have taken so far, by what they do."""
    found: dict[str, float] = dict.fromkeys(_PARTS.values(), 0.0)
    parents, spent, parts = {}, {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            text, command = (place / "stat").read_text(), (place / "cmdline").read_text()
        except OSError:  # it has just ended
            continue
        numbers = text.rpartition(")")[2].split()
        parents[place.name], spent[place.name] = numbers[1], int(numbers[11]) + int(numbers[12])
        parts[place.name] = next((part for mark, part in _PARTS.items() if mark in command), None)
    for number, part in parts.items():
        above = number
        while above in parents and above != str(os.getpid()):
            above = parents[above]
        if part is not None and above == str(os.getpid()):
            found[part] += spent[number] / os.sysconf("SC_CLK_TCK")
    return found if parents else {}


async def _watch(socket, text: str, seconds: float, view: str) -> str:  # type: ignore[no-untyped-def]
    async def say(kind: str, **data: object) -> None:
        await socket.send(json.dumps({"kind": kind, **data}))

    await say("start")
    await say("open", text=text)
    await say("view", name=view)
    await say("play", running=True)
    frames, size, first, start = 0, 0, None, 0.0
    while first is None or time.perf_counter() - start < seconds:
        data = await socket.recv()
        if isinstance(data, str):
            continue
        header, _ = frame_of(data)
        await say("seen", frame=header["number"])
        if first is None:
            if header["steps"] > 5 and header["liquid_cells"] > 0:
                first, start = header, time.perf_counter()
            continue
        frames, size = frames + 1, size + len(data)
    spent = time.perf_counter() - start
    steps, simulated = header["steps"] - first["steps"], header["time"] - first["time"]
    return (
        f"whole pipe: {frames / spent:.0f} frames and {steps / spent:.0f} steps a second, {simulated / spent:.2f} of "
        f"real time, {size / max(frames, 1) / 1e3:.0f} kB a frame"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--view", help="[surface, of smoke smoke]")
    parser.add_argument("--kind", choices=["liquid", "stable_fluids", "smoke"], default="liquid")
    parser.add_argument("--courant", type=float, default=2.0)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--browser", action="store_true", help="also draw the pictures, in chromium")
    options = parser.parse_args()
    view = options.view or ("smoke" if options.kind == "smoke" else "surface")
    threads = os.environ.setdefault("NUMBA_NUM_THREADS", str(THREADS))
    print(f"{os.cpu_count()} cores, {threads} for the simulation")
    for cells in options.cells:
        text = (SMOKE if options.kind == "smoke" else SCENE).format(
            cells=cells, kind=options.kind, courant=options.courant, tolerance=options.tolerance
        )
        print(f"{cells} x {cells}: {alone(text, options.seconds, view)}", flush=True)
        print(f"{cells} x {cells}: {asyncio.run(pipe(text, options.seconds, view))}", flush=True)
        if options.browser:
            print(f"{cells} x {cells}: {in_browser(text, options.seconds)}", flush=True)


if __name__ == "__main__":
    main()
