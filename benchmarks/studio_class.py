"""A class at the studio: many tabs by `plash studio --lan` on this machine.

    python -m benchmarks.studio_class [--tabs 30] [--places 30] [--seconds 20] [--cells 96]

Every tab enters with the password, opens the dam break and runs it. Told are, over all tabs: seconds until something
was answered (a simulation, or that it waits), seconds until its first picture, then pictures a second and seconds from
a question (the value at a point, which is told with the next picture) to its answer; how many tabs ended early; and
the memory of the simulations. Times depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import httpx
import numpy as np
import websockets

from plash.studio.messages import frame_of
from plash.studio.presets import preset_text

PASSWORD = "benchmark-class"
_WIDTH = 1.6  # m, of the dam break


@dataclass
class Pupil:
    """What one tab saw."""

    answered: float = np.nan
    waits: int = 0
    first_picture: float = np.nan
    pictures: int = 0
    questions: list[float] = field(default_factory=list)
    silence: float = 0.0  # longest time without a text or a picture, s
    ended: str = ""


class Room:
    """Where those who have a picture wait until all places are taken."""

    def __init__(self, places: int) -> None:
        self._missing = places
        self._full = asyncio.Event()

    async def all_there(self) -> None:
        """Take a place, and wait for the others."""
        self._missing -= 1
        if self._missing <= 0:
            self._full.set()
        await self._full.wait()


async def attend(port: str, cookie: str, text: str, seconds: float, cells: int, pupil: Pupil, room: Room) -> None:
    """Be a tab: begin, wait for the others, then run for a while."""
    origin = websockets.Origin(f"http://127.0.0.1:{port}")
    begin = time.perf_counter()
    try:
        async with websockets.connect(
            f"ws://127.0.0.1:{port}/live", origin=origin, additional_headers={"Cookie": cookie}, max_size=None
        ) as socket:
            await socket.send(json.dumps({"kind": "start"}))
            await socket.send(json.dumps({"kind": "open", "text": text}))
            heard = begin
            while np.isnan(pupil.first_picture):
                data = await socket.recv()
                now = time.perf_counter()
                pupil.silence, heard = max(pupil.silence, now - heard), now
                if np.isnan(pupil.answered):
                    pupil.answered = now - begin
                if isinstance(data, str):
                    pupil.waits += json.loads(data)["kind"] == "waiting"
                else:
                    pupil.first_picture = now - begin
                    await socket.send(json.dumps({"kind": "seen", "frame": frame_of(data)[0]["number"]}))
            await room.all_there()
            await _run(socket, seconds, cells, pupil)
    except (websockets.ConnectionClosed, OSError) as error:
        pupil.ended = str(error)


async def _run(socket, seconds: float, cells: int, pupil: Pupil) -> None:  # type: ignore[no-untyped-def]
    await socket.send(json.dumps({"kind": "play", "running": True}))
    start = time.perf_counter()
    asked: float | None = None
    point = 0.11
    while time.perf_counter() - start < seconds:
        if asked is None:
            point = 0.11 if point > 0.4 else point + 0.05
            asked = time.perf_counter()
            await socket.send(json.dumps({"kind": "probe", "x": point, "y": 0.2}))
        data = await socket.recv()
        if isinstance(data, str):
            continue
        header, _ = frame_of(data)
        pupil.pictures += 1
        await socket.send(json.dumps({"kind": "seen", "frame": header["number"]}))
        if header.get("probe") and header["probe"]["cell"][0] == int(point * cells / _WIDTH):
            pupil.questions.append(time.perf_counter() - asked)
            asked = None


async def lesson(options: argparse.Namespace) -> None:
    """Start a studio, fill it with tabs, and tell what they saw."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "plash", "studio", "--lan", "--password", PASSWORD, "--no-browser"]
        command += ["--port", "0", "--tabs", str(options.places), "--runs", folder]
        studio = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert studio.stdout is not None
            found = re.search(r"127\.0\.0\.1:(\d+)", studio.stdout.readline())
            assert found is not None
            await _teach(found.group(1), options, studio.pid)
        finally:
            studio.terminate()
            studio.wait()


async def _teach(port: str, options: argparse.Namespace, server: int) -> None:
    address = f"http://127.0.0.1:{port}"
    entered = httpx.post(f"{address}/api/enter", json={"password": PASSWORD}, headers={"origin": address})
    cookie = entered.headers["set-cookie"].partition(";")[0]
    text = preset_text("dam").replace("resolution = 128", f"resolution = {options.cells}")
    pupils = [Pupil() for _ in range(options.tabs)]
    room = Room(min(options.tabs, options.places))
    tasks = [
        asyncio.create_task(attend(port, cookie, text, options.seconds, options.cells, one, room)) for one in pupils
    ]
    await asyncio.gather(*tasks)
    memory = _memory_of_children(server)

    def column(name: str) -> np.ndarray:
        return np.array([getattr(pupil, name) for pupil in pupils], float)

    questions = np.array([seconds for pupil in pupils for seconds in pupil.questions])
    print(f"{options.tabs} tabs, {options.places} places, {options.cells} cells, {options.seconds:g} s")
    print(f"first answer: median {np.nanmedian(column('answered')):.2f} s, last {np.nanmax(column('answered')):.2f} s")
    print(f"told to wait: {int((column('waits') > 0).sum())} tabs; longest silence {column('silence').max():.1f} s")
    first = column("first_picture")
    print(f"first picture: median {np.nanmedian(first):.1f} s, last {np.nanmax(first):.1f} s")
    print(f"pictures a second and tab: median {np.median(column('pictures')) / options.seconds:.1f}")
    if len(questions):
        late = 100 * (questions > 1).mean()
        most = np.quantile(questions, 0.99)
        print(f"a question: median {np.median(questions):.2f} s, 99 % {most:.2f} s, above 1 s {late:.1f} %")
    print(f"ended early: {sum(bool(pupil.ended) for pupil in pupils)}; simulations use {memory / 1e3:.1f} GB")


def _memory_of_children(server: int) -> float:
    """Memory of the processes of a server, MB; what they share is counted once for each."""
    found = subprocess.run(["ps", "-o", "rss=", "--ppid", str(server)], capture_output=True, text=True, check=False)
    return sum(int(size) for size in found.stdout.split()) / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tabs", type=int, default=30)
    parser.add_argument("--places", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--cells", type=int, default=96)
    asyncio.run(lesson(parser.parse_args()))


if __name__ == "__main__":
    main()
