"""What a run needs of a solver, whatever it solves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Protocol

from plash.scene.model import Scene
from plash.solvers.frame import Snapshot
from plash.solvers.ledger import Ledger
from plash.solvers.step_stage import StepStage
from plash.solvers.stored import ArraysByName, StateNumbers, StoredArrays
from plash.timing import StepReport


class HasTime(Protocol):
    """The state of a solver: it has a time, s."""

    time: float


class SceneSolver(Protocol):
    """Something that takes a scene from frame to frame.

    Attributes:
        ledger: Volumes up to now.
        h: Cell size, m.
        report: What the last step did.
        numbers: What stands beside the arrays of its state in a checkpoint.
    """

    ledger: Ledger
    h: float
    report: StepReport
    numbers: ClassVar[type[StateNumbers]]

    @property
    def state(self) -> HasTime:
        """Everything that changes from step to step."""

    @property
    def speed(self) -> float:
        """Upper bound of the speed, m/s."""

    def begin(self, state: Any) -> None:
        """Begin with a state, whose liquid the ledger counts as that of the start."""

    def advance(self, frame_time: float) -> StepReport:
        """Take one step towards a frame, and not beyond it."""

    def stages(self, dt: float) -> Iterator[StepStage[Any]]:
        """Take one step of dt (s), pausing after each stage to show what it did."""

    def snapshot(self) -> Snapshot:
        """What a frame shows of the state: a copy that later steps do not change."""

    def stored(self) -> tuple[ArraysByName, dict[str, Any]]:
        """The state for a checkpoint: arrays, and numbers about them."""

    def restore(self, arrays: StoredArrays, numbers: Any, scene: Scene) -> None:
        """Go back to a state that was stored.

        Raises:
            DamagedError: It is no state that a solver of this scene can be in; then nothing is changed.
        """
