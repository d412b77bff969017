"""The process of a lane: python -m plash.pipeline.lanes.worker.

The first line of its standard input says which run it is and which stages to do, as JSON. Each further line is a
frame, with what is known of the files that its files are made from. It is answered by a line for each file, and by one
when the process is through with the frame. The process ends when its standard input does, in the middle of whatever it
does: files are whole or not there.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from plash.errors import PlashError
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest
from plash.pipeline.compiling import watched_compilation
from plash.pipeline.machine import keep_freed_memory
from plash.pipeline.maker import Run
from plash.pipeline.progress import Silent
from plash.pipeline.runner import Runner
from plash.pipeline.stages.registry import read_run, stages_of
from plash.pipeline.stop import Stop
from plash.scene.language.read import parse_scene

Answer = Callable[[dict[str, Any]], None]


def main() -> None:
    """Make what is asked for until nobody asks any more."""
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks
    told = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no answer

    def answer(facts: dict[str, Any]) -> None:
        told.write(json.dumps(facts) + "\n")
        told.flush()

    asked: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    briefing = asked.get()
    folder = RunFolder(Path(briefing["folder"]))
    manifest = read_run(folder)
    scene = parse_scene(manifest.scene, str(folder.root))
    with watched_compilation(lambda *facts: None) as compilation:
        told_of = _Told(manifest, answer)
        run = Run(folder, scene, manifest, told_of, Stop(), compilation, _NoLog(), briefing["or_plainer"])
        runner = Runner(run, stages_of(briefing["stages"]))
        while True:
            _make(runner, manifest, asked.get(), answer)


def _listen(asked: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        asked.put(json.loads(line))
    os._exit(0)


def _make(runner: Runner, manifest: Manifest, order: dict[str, Any], answer: Answer) -> None:
    """Make the files of a frame; whatever is in the way is left to whoever asked, and is found there again."""
    for stage, number, item in order["known"]:
        items = manifest.stage(stage).items
        if item is None:
            items.pop(number, None)
        else:
            items[number] = Item(**item)
    try:
        runner.make_frame(order["frame"])
    except PlashError:
        answer({"through": order["frame"], "is_whole": False})
    else:
        answer({"through": order["frame"], "is_whole": True})


class _Told(Silent):
    """Answers with every file that is made."""

    def __init__(self, manifest: Manifest, answer: Answer) -> None:
        self._manifest, self._answer = manifest, answer

    def made(self, stage: str, frame: int, seconds: float) -> None:
        """Tell what the manifest is to say of it."""
        self._answer({"stage": stage, "number": frame, "item": asdict(self._manifest.stage(stage).items[frame])})


class _NoLog:
    """Whoever simulates writes the log."""

    def append(self, step: int, entry: dict[str, Any]) -> None:
        """Nothing is simulated here."""

    def sync(self) -> None:
        """There is nothing to flush."""


if __name__ == "__main__":
    main()
