"""What a run needs of a solver, whatever it solves."""

from __future__ import annotations

from typing import Protocol

from plash.solvers.box_state import FrameGrids
from plash.solvers.ledger import Ledger
from plash.solvers.state import FrameParticles
from plash.timing import StepReport

Snapshot = FrameParticles | FrameGrids


class HasTime(Protocol):
    """The state of a solver: it has a time, s."""

    time: float


class Solver(Protocol):
    """Something that takes a scene from frame to frame.

    Attributes:
        ledger: Volumes up to now.
        h: Cell size, m.
        report: What the last step did.
    """

    ledger: Ledger
    h: float
    report: StepReport

    @property
    def state(self) -> HasTime:
        """Everything that changes from step to step."""

    @property
    def speed(self) -> float:
        """Upper bound of the speed, m/s."""

    def advance(self, frame_time: float) -> StepReport:
        """Take one step towards a frame, and not beyond it."""

    def snapshot(self) -> Snapshot:
        """What a frame shows of the state: a copy that later steps do not change."""
