"""The simulation of one tab: what it does with the messages of its page, and what it tells the page.

No frame is made before the page has drawn the last but one: frames are dropped, not queued.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import Any

from plash.errors import PlashError, SceneError
from plash.scene.language.read import parse_scene
from plash.scene.language.write import scene_text
from plash.scene.model import Scene
from plash.studio import messages as m
from plash.studio.by_hand import ByHand
from plash.studio.controls import with_value
from plash.studio.drawing import drawn, erased, next_wall
from plash.studio.history import History
from plash.studio.kinds import live
from plash.studio.live import Live, has_motion, must_restart
from plash.studio.placing import next_shape, placed, removed
from plash.studio.presets import preset_text
from plash.studio.probe import probed
from plash.studio.rewind import BETWEEN, Rewind
from plash.studio.scene_text import checked, opened
from plash.studio.told import file_name, finite, frame_told, scene_told
from plash.studio.twins import Twins

_FPS = 60.0  # frames a second that are shown at the most
_AHEAD = 2  # frames on the way to the page
_PATIENCE = 3.0  # s without a frame drawn, after which nobody watches: a tab in the background


class Session:
    """A scene, its simulation, and what the page has been told of them."""

    def __init__(self, text: str, send: Callable[[bytes, bytes], None]) -> None:
        self._send = send
        self._first = text
        self._history: History | None = None
        self._live: Live | None = None
        self._view, self._arrows = "surface", False
        self._running = False
        self._stage = ""
        self._speed = 1.0
        self._recording = 0  # frames a second, while recording
        self._frame_time = 0.0
        self._next_wall = 0.0  # clock time before which no step is due
        self._shown = 0.0  # clock time of the last frame
        self._number = 0
        self._seen = 0
        self._seen_at = 0.0  # clock time
        self._is_new = True  # whether something changed since the last frame
        self._solids_are_new = True
        self._wall = ""
        self._stretches = 0  # of walls, that the page has sent
        self._shape = ""  # box or disc that is being placed
        self._by_hand = ByHand()
        self._rewind = Rewind()
        self._kept_at = 0.0  # clock time of the last moment to go back to
        self._others: dict[str, Any] = {}  # parameters of a simulation that is shown beside
        self._point: tuple[float, float] | None = None  # whose values the page is told
        self._is_asked = False  # for the values at another point
        self._rate = _Rate()

    # What the page asks for

    def take(self, message: m.Message) -> None:
        """Do what a message says; what cannot be done is told to the page."""
        try:
            if not isinstance(message, m.Draw | m.Erase | m.Set | m.PlaceShape):
                self._settle()
            self._do(message)
        except PlashError as error:
            self.tell("note", level="error", text=str(error))

    def _do(self, message: m.Message) -> None:
        match message:
            case m.Begin():
                self._open(parse_scene(preset_text(message.preset) if message.preset else self._first, "scene"))
            case m.Return():
                self._return()
            case m.Leave():
                self._seen_at = -math.inf
            case m.Open():
                self._open(opened(message.text))
            case m.FrameDrawn():
                self._seen, self._seen_at = max(self._seen, message.frame), time.monotonic()
            case m.ChooseView():
                self._view, self._arrows, self._is_new = message.name, message.arrows, True
                if self._live is not None:
                    self._live.watch(message.name)
            case m.Speed():
                self._speed = message.value
            case m.Record():
                self._recording = message.fps
            case m.StopRecording():
                self._recording = 0
            case m.Probe():
                self._probe(message, self._live)
            case _ if self._history is not None and self._live is not None:
                self._is_new = True
                self._meddle(message, self._history, self._live)

    def _meddle(self, message: m.Message, history: History, simulation: Live) -> None:
        """Messages that need a simulation."""
        match message:
            case m.Play():
                self._running, self._stage, self._next_wall = message.running, "", 0.0
                self._seen_at = time.monotonic()
            case m.Step():
                self._running, self._stage = False, ""
                self._advance(simulation)
            case m.Back():
                self._go_back(history, simulation)
            case m.NextStage():
                self._running = False
                self._remember(simulation)
                self._stage = simulation.next_stage(self._goal(simulation))
            case m.Reset():
                self._begin(self._made(history.now))
            case m.Compare():
                self._compare(message.settings, history.now)
            case m.Save():
                self._save(history.now, message.purpose)
            case m.PushFluid():
                simulation.push(message.x, message.y, message.u, message.v, message.radius)
            case m.PourFluid() | m.HeatFluid():
                self._add(message, simulation)
            case m.Drain():
                simulation.drain(message.x, message.y, message.radius)
            case _:
                self._edit(message, history, simulation.time)

    def _add(self, message: m.PourFluid | m.HeatFluid, simulation: Live) -> None:
        """Pour or warm; the first time there may be more to see."""
        views = simulation.views
        if isinstance(message, m.PourFluid):
            self._by_hand.pour(message, simulation)
        else:
            self._by_hand.heat(message, simulation)
        if simulation.views != views:
            self._tell_scene()

    def _go_back(self, history: History, simulation: Live) -> None:
        """Go back to the moment before the last step, with the scene that it had."""
        self._running, self._stage = False, ""
        last = self._rewind.back()
        if last is None:
            self.tell("note", level="note", text="There is no earlier moment to go back to.")
            return
        before = simulation.scene
        moment, self._frame_time = last
        simulation.go_back(moment)
        self._by_hand.forget(since=simulation.time)
        history.change(simulation.scene)
        simulation.scene = history.now
        if simulation.scene != before:
            self._solids_are_new = True
            self._tell_scene()

    def _remember(self, simulation: Live) -> None:
        """Keep the present moment to go back to; while it runs, one now and then."""
        if self._running and time.monotonic() - self._kept_at < BETWEEN:
            return
        moment = simulation.moment()
        if moment is not None:
            self._rewind.keep(moment, self._frame_time)
            self._kept_at = time.monotonic()

    def _compare(self, others: dict[str, Any], scene: Scene) -> None:
        """Begin again with two simulations, or with one."""
        before, self._others = self._others, others
        try:
            simulation = self._made(scene)
            if simulation.beside is not None:
                checked(simulation.beside.scene)
        except PlashError:
            self._others = before
            raise
        self._begin(simulation)

    def _made(self, scene: Scene) -> Live:
        """The simulation of a scene, with one beside it if that is wanted."""
        return Twins(scene, self._others) if self._others else live(scene)

    def _probe(self, message: m.Probe, simulation: Live | None) -> None:
        """Tell the values at a point; while it runs, in a frame that comes before the next step."""
        self._point = None if message.x is None or message.y is None else (message.x, message.y)
        self._is_asked = self._running and self._point is not None
        if self._point is None or self._running or simulation is None:
            return
        told = []
        for one in filter(None, (simulation, simulation.beside)):
            view = self._view if self._view in one.views else one.views[0]
            told.append(probed(one, view, self._point, *one.arrays(view, arrows=False)))
        self.tell("probe", probe=told[0], other=told[1] if told[1:] else None)

    def _save(self, scene: Scene, purpose: str) -> None:
        """Send the scene with what was poured and heated; without that, if such a scene does not take it."""
        try:
            scene = self._by_hand.added_to(scene)
        except SceneError as error:
            reason = error.problems[0].message if error.problems else str(error)
            if purpose != "keep":
                self.tell("note", level="error", text=f"What was poured by hand is not in the file: {reason}")
        self.tell("file", text=scene_text(scene), name=file_name(scene), purpose=purpose)

    def _edit(self, message: m.Message, history: History, time: float) -> None:
        """Messages that change the scene; the simulation follows when all that wait are read."""
        match message:
            case m.Set():
                history.change(with_value(history.now, message.key, message.value), message.key)
            case m.Draw():
                self._stretches += 1
                if message.begins or not self._wall:
                    self._wall = next_wall(history.now)
                start, end = (message.x0, message.y0), (message.x1, message.y1)
                history.change(drawn(history.now, self._wall, start, end, message.radius), f"draw {self._wall}")
            case m.Erase():
                if message.begins:
                    history.pause()
                history.change(erased(history.now, (message.x, message.y), message.radius, time), "erase")
            case m.PlaceShape():
                if message.begins:
                    history.pause()
                    self._shape = message.name or next_shape(history.now, message.shape)
                name = message.name or self._shape or next_shape(history.now, message.shape)
                start, end = (message.x0, message.y0), (message.x1, message.y1)
                history.change(placed(history.now, name, message.shape, start, end), f"place {name}")
            case m.RemoveShape():
                history.change(removed(history.now, message.name))
            case m.Undo():
                history.undo()
                self._settle()
            case m.Redo():
                history.redo()
                self._settle()

    def _open(self, scene: Scene) -> None:
        simulation = live(checked(scene))
        self._others = {}
        if self._history is None:
            self._history = History(scene)
        else:
            self._history.change(scene)
            simulation.scene = self._history.now
        self._begin(simulation)

    def _return(self) -> None:
        """Show a page that was loaded again all that it had; frames on the way to it were lost."""
        if self._live is None:
            self._open(parse_scene(self._first, "scene"))
        assert self._live is not None
        self._recording = 0
        self._seen, self._seen_at = self._number, time.monotonic()
        self._is_new = self._solids_are_new = True
        kind = self._live.scene.solver.kind
        self.tell("returned", view=self._view, arrows=self._arrows, speed=self._speed, solver=kind)
        self._tell_scene()

    def _begin(self, simulation: Live) -> None:
        """Go on with another simulation, at time zero."""
        self._live = simulation
        self._by_hand.forget()
        self._rewind.forget()
        simulation.watch(self._view)
        self._stage, self._frame_time, self._next_wall = "", 0.0, 0.0
        self._is_new = self._solids_are_new = True
        simulation.arrays(self._view, self._arrows)  # so that the first frame follows what is said of the scene at once
        self._tell_scene()

    def _settle(self) -> None:
        """Make the simulation follow the scene: under way if that can be, else from the start."""
        if self._live is None or self._history is None or self._history.now is self._live.scene:
            return
        before, scene = self._live.scene, self._history.now
        try:
            checked(scene)
            if must_restart(before, scene):
                self._begin(self._made(scene))
            else:
                self._live.change(scene)
                self._stage = ""
                self._is_new, self._solids_are_new = True, self._solids_are_new or before.solid != scene.solid
        except PlashError as error:
            self._history.refuse(before)
            self.tell("note", level="error", text=str(error))
        self._tell_scene()

    # What the page is told

    def tell(self, kind: str, **data: Any) -> None:
        """Send a text."""
        self._send(m.TEXT, json.dumps({"kind": kind, **data}).encode())

    def _tell_scene(self) -> None:
        assert self._history is not None
        assert self._live is not None
        undo, redo = self._history.depths
        self.tell("scene", **scene_told(self._live), compare=self._others, undo=undo, redo=redo)

    def _show(self, simulation: Live) -> None:
        """Send a frame of what is there now."""
        self._number += 1
        with_solids = self._solids_are_new or has_motion(simulation.scene)
        told, arrays = frame_told(simulation, self._view, self._arrows, with_solids, self._point)
        header = {
            "number": self._number,
            "view": self._view,
            "running": self._running,
            "stage": self._stage,
            "stretches": self._stretches,
            "back": len(self._rewind),
            "steps_a_second": finite(round(self._rate.steps, 1)),
            "pace": finite(round(self._rate.pace, 4)),
        }
        self._send(m.FRAME, m.frame_bytes({**header, **told}, arrays))
        self._is_new = self._solids_are_new = self._is_asked = False
        self._shown = time.monotonic()

    # The loop

    def work(self) -> float:
        """Take a step if one is due, show a frame if the page wants one; returns how long it may wait, s."""
        self._settle()
        simulation = self._live
        if simulation is None:
            return math.inf
        is_late = self._number - self._seen >= (1 if self._recording else _AHEAD)
        is_watched = not is_late or (not self._recording and time.monotonic() - self._seen_at < _PATIENCE)
        may_run = self._running and is_watched
        if self._is_asked and not is_late and not self._recording and self._wait() <= 0:
            self._show(simulation)
        elif may_run:
            self._run(simulation)
        # While recording a frame is shown when its time has come, not before
        is_between = self._recording and self._running and simulation.time < self._frame_time
        if self._is_new and not is_late and not is_between and self._wait() <= 0:
            self._show(simulation)
        if may_run:
            return max(0.0, self._next_wall - time.monotonic())
        return max(self._wait(), 0.001) if self._is_new and not is_late else math.inf

    def _wait(self) -> float:
        """How long no other frame may be shown, s."""
        return self._shown + 0.9 / _FPS - time.monotonic()

    def _run(self, simulation: Live) -> None:
        if time.monotonic() < self._next_wall:
            return
        try:
            self._advance(simulation)
        except PlashError as error:
            self._running = False
            self.tell("note", level="error", text=f"The simulation stopped: {error}")

    def _advance(self, simulation: Live) -> None:
        self._remember(simulation)
        before = simulation.time
        simulation.advance(self._goal(simulation))
        self._is_new = True
        after = simulation.time
        self._rate.count(after - before)
        if after >= self._frame_time:
            # The next frame is due one picture later; what is late already is not made up for
            now = time.monotonic()
            self._next_wall = max(self._next_wall + 1 / _FPS, now - 1 / _FPS) if not self._recording else 0.0

    def _goal(self, simulation: Live) -> float:
        """The time of the next frame."""
        now = simulation.time
        if now >= self._frame_time:
            self._frame_time = now + self._speed / (self._recording or _FPS)
        return self._frame_time


class _Rate:
    """Steps and simulated seconds for each second of the clock, over the last second or so."""

    def __init__(self) -> None:
        self.steps = 0.0
        self.pace = 0.0
        self._start = time.monotonic()
        self._steps = 0
        self._time = 0.0

    def count(self, dt: float) -> None:
        """A step was taken."""
        self._steps += 1
        self._time += dt
        now = time.monotonic()
        if now - self._start > 0.5:
            seconds = now - self._start
            self.steps, self.pace = self._steps / seconds, self._time / seconds
            self._start, self._steps, self._time = now, 0, 0.0
