"""A solver taken step by step, or one stage of a step at a time."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

from plash.grid.fields import FaceField
from plash.scene.model import Scene
from plash.solvers.ledger import Ledger
from plash.solvers.step_stage import StepStage
from plash.timing import StepReport


class Staged(Protocol):
    """A solver on tiles whose step can be looked into."""

    report: StepReport
    ledger: Ledger
    state: Any

    def next_step(self, frame_time: float) -> float:
        """Length of the next step on the way to a frame, s."""

    def stages(self, dt: float, *more: Any) -> Iterator[StepStage[FaceField]]:
        """Take one step, pausing after each stage."""

    def advance(self, frame_time: float) -> StepReport:
        """Take one step towards a frame."""


S = TypeVar("S", bound=Staged)


class Walking(Generic[S]):
    """What all live simulations on tiles share: time, and how it goes on.

    Attributes:
        last_stage: Of a step.
        scene: What it is made from.
        beside: Nothing: it is shown alone.
    """

    last_stage: str
    scene: Scene
    beside: None = None
    _own: tuple[str, ...] = ()  # what changes beside the state of the solver

    def __init__(self, solver: S) -> None:
        self._solver = solver
        self._walk: Iterator[StepStage[FaceField]] | None = None  # of a step under way

    @property
    def time(self) -> float:
        """Simulated time, s."""
        time: float = self._solver.state.time
        return time

    def advance(self, frame_time: float) -> None:
        """Take one step towards a time; a step that is under way stage by stage is finished instead."""
        if self._walk is not None:
            self._finish()
        else:
            self._solver.advance(frame_time)

    def next_stage(self, frame_time: float) -> str:
        """Take the next stage of a step, and return its name."""
        solver = self._solver
        if self._walk is None:
            solver.report = StepReport()
            self._walk = solver.stages(solver.next_step(frame_time))
        stage = next(self._walk, StepStage(""))
        if stage.name in (self.last_stage, ""):
            self._finish()
        return stage.name

    def change(self, scene: Scene) -> None:
        """Go on with other parameters and other solids."""
        raise NotImplementedError

    def moment(self) -> bytes | None:
        """All that changes, to come back to; None while a step is under way."""
        if self._walk is not None:
            return None
        solver, own = self._solver, {name: getattr(self, name) for name in self._own}
        parts = self.scene, own, solver.state, solver.ledger, solver.report, self._beyond_state()
        return pickle.dumps(parts, protocol=5)

    def go_back(self, moment: bytes) -> None:
        """Go back to a moment, and to the scene of it."""
        self._finish()
        scene, own, state, ledger, report, beyond = pickle.loads(moment)
        is_other = scene != self.scene or any(getattr(self, name) != value for name, value in own.items())
        for name, value in own.items():
            setattr(self, name, value)
        if is_other:
            self.change(scene)
        solver = self._solver
        solver.state, solver.ledger, solver.report = state, ledger, report
        self._bring_back(beyond)

    def _beyond_state(self) -> Any:
        """What a solver remembers from step to step that is not in its state."""
        return None

    def _bring_back(self, beyond: Any) -> None:
        """Give the solver back what it remembered."""

    def _finish(self) -> None:
        """End a step that is under way."""
        if self._walk is not None:
            for _ in self._walk:
                pass
            self._walk = None
