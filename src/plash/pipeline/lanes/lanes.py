"""Lanes: processes that make surfaces, pictures and exports while the next frames are simulated.

Drawing has long stretches that one core does, and so has a step: side by side they fill the cores. A lane reads and
writes files, as any stage does, and tells what it made; the runner writes the manifest. Whatever a lane cannot do, or
left undone when it died, is done by the runner itself: a lane makes a run faster, and does not change a bit of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from queue import Empty, SimpleQueue
from typing import Any

import numba

from plash.files.manifest import Item
from plash.pipeline.check.estimate import estimate
from plash.pipeline.machine import free_memory, threads
from plash.pipeline.maker import FileMaker, Maker, Run
from plash.pipeline.stages.stage import FileStage, Source, Stage
from plash.scene.language.write import names_functions

_WORKER = "plash.pipeline.lanes.worker"
_MOST = 4
_AHEAD = 2  # frames that a lane has been asked for: the one in work, and one more
_SECONDS_WORTH_IT = 8.0  # of work that is left: a process takes about two to begin
_LOOK = 0.2  # s between two looks at whether somebody wants to stop
_SOME = 2  # a frame that has one before it
_ONE_CORE = {"NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def made_apart(makers: Mapping[Stage[Any], Maker]) -> dict[FileStage[Any], FileMaker]:
    """Those stages of frames, and who makes their files, that need no other frame and that no other stage waits for.

    What keeps all cores busy by itself, such as a ray tracer, gains nothing beside something else.
    """
    apart = {
        stage: maker
        for stage, maker in makers.items()
        if isinstance(stage, FileStage)
        and isinstance(maker, FileMaker)
        and not stage.uses_all_cores(maker.scene)
        and all(number == _SOME for _, number in stage.inputs(maker.scene, _SOME))
    }
    while True:
        others = {stage: maker for stage, maker in makers.items() if stage not in apart}
        waited_for = {source for source, _ in _sources(others, _SOME)}
        if not waited_for.intersection(apart):
            return apart
        apart = {stage: maker for stage, maker in apart.items() if stage not in waited_for}


def _sources(makers: Mapping[Any, Maker], frame: int) -> set[Source]:
    """What the files of a frame are made from."""
    return {
        source
        for stage, maker in makers.items()
        if isinstance(maker, FileMaker)
        for source in stage.inputs(maker.scene, frame)
    }


class Lanes:
    """The lanes of a run, and the frames whose files they are to make.

    Args:
        run: The run.
        makers: The stages that are done apart, and who would make their files here.

    Attributes:
        waiting: Frames that no lane has been asked for yet.
        returned: Frames that a lane could not finish: they are to be made here.
    """

    def __init__(self, run: Run, makers: Mapping[FileStage[Any], FileMaker]) -> None:
        self._run, self._makers, self._cores = run, makers, threads()
        self._may_open = self._cores > 1 and not names_functions(run.manifest.scene)
        self._lanes: list[_Lane] = []
        self._answers: SimpleQueue[tuple[_Lane, dict[str, Any] | None]] = SimpleQueue()
        self.waiting: deque[int] = deque()
        self.returned: deque[int] = deque()

    @property
    def are_open(self) -> bool:
        """Whether there are any."""
        return bool(self._lanes)

    @property
    def are_busy(self) -> bool:
        """Whether one has something to do."""
        return any(lane.frames for lane in self._lanes)

    def open_if_worth_it(self, frame: int) -> None:
        """Open them, once, if the files of a frame, made here, took so long that having others made apart pays."""
        run = self._run
        items = [run.item(stage, frame) for stage in self._makers]
        seconds = sum(item.seconds for item in items if item is not None) * (run.frames - frame)
        if not self._may_open or seconds < _SECONDS_WORTH_IT:
            return
        self._may_open = False
        briefing = {
            "folder": str(run.folder.root.absolute()),
            "stages": [stage.name for stage in self._makers],
            "or_plainer": run.or_plainer,
        }
        run.manifest.write(run.folder)  # they read it
        memory = estimate(run.scene, with_steps=False).memory  # what a frame is made from is part of that
        count = int(min(self._cores // 2, _MOST, free_memory() / memory))
        self._lanes = [_Lane(briefing, self._answers) for _ in range(count)]

    def ask(self, frame: int) -> None:
        """Have the files of a frame made as soon as a lane is free; what they are made from is there."""
        self.waiting.append(frame)
        self._send()

    def share_cores(self) -> None:
        """Leave a core to each lane that is at work, and use the others here: results do not depend on it."""
        numba.set_num_threads(max(1, self._cores - sum(bool(lane.frames) for lane in self._lanes)))

    def made(self, wait: bool) -> Iterator[tuple[str, int, Item]]:
        """What lanes have made since the last time: stage, number, and what the manifest is to say of it.

        Args:
            wait: Wait a moment if there is nothing yet.
        """
        while True:
            try:
                lane, facts = self._answers.get(wait, _LOOK)
            except Empty:
                return
            wait = False
            if facts is None:  # it has ended
                self._lanes.remove(lane)
                self.returned += lane.frames
                lane.kill()
            elif "item" in facts:
                yield facts["stage"], facts["number"], Item(**facts["item"])
            else:
                lane.frames.remove(facts["through"])
                if not facts["is_whole"]:
                    self.returned.append(facts["through"])
                self._send()

    def close(self) -> None:
        """End them, in the middle of what they do."""
        for lane in self._lanes:
            lane.kill()
        self._lanes.clear()
        numba.set_num_threads(self._cores)

    def _send(self) -> None:
        for lane in sorted(self._lanes, key=lambda lane: len(lane.frames)):
            if self.waiting and len(lane.frames) < _AHEAD:
                frame = self.waiting.popleft()
                lane.ask(frame, self._known(frame))

    def _known(self, frame: int) -> list[Any]:
        """What the manifest says of the files of a frame, and of those that they are made from."""
        places = _sources(self._makers, frame) | {(stage, frame) for stage in self._makers}
        items = [(stage.name, number, self._run.item(stage, number)) for stage, number in places]
        return [(name, number, None if item is None else asdict(item)) for name, number, item in items]


class _Lane:
    """A process, and the frames that it has been asked for and is not through with."""

    def __init__(self, briefing: dict[str, Any], answers: SimpleQueue[tuple[_Lane, dict[str, Any] | None]]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | _ONE_CORE,
        )
        self.frames: list[int] = []
        threading.Thread(target=self._listen, args=(answers,), daemon=True).start()
        self._tell(briefing)

    def ask(self, frame: int, known: list[Any]) -> None:
        """Have the files of a frame made."""
        self.frames.append(frame)
        self._tell({"frame": frame, "known": known})

    def kill(self) -> None:
        """End it: files are whole or not there."""
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):  # something was still on its way
            self._process.stdin.close()

    def _tell(self, facts: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, and who listens is told of that
            self._process.stdin.write(json.dumps(facts) + "\n")
            self._process.stdin.flush()

    def _listen(self, answers: SimpleQueue[tuple[_Lane, dict[str, Any] | None]]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                if not line.endswith("\n"):  # it died while it wrote
                    break
                answers.put((self, json.loads(line)))
        answers.put((self, None))
