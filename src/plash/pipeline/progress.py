"""What a run tells while it works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from plash.solvers.ledger import Ledger
from plash.timing import StepReport


class Progress(Protocol):
    """Somebody who wants to know how a run is getting on."""

    def begin(self, frames: int, to_do: Mapping[str, int]) -> None:
        """The run has this many frames, and each stage so many left to do."""

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """A time step was taken."""

    def made(self, stage: str, frame: int, seconds: float) -> None:
        """A stage has finished a frame, or a file made of all frames (frame 0)."""

    def compiling(self, kernels: int, seconds: float, is_busy: bool, total: int = 0) -> None:
        """So many kernels were begun to be compiled, which took so long so far; whether one is in work now.

        Those that are compiled ahead of need are counted when they are ready, and the total is known.
        """

    def note(self, text: str) -> None:
        """Something the user should know; the run goes on."""

    def end(self) -> None:
        """The run is over, well or not."""


class Silent:
    """Nobody."""

    def begin(self, frames: int, to_do: Mapping[str, int]) -> None:
        """Say nothing."""

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """Say nothing."""

    def made(self, stage: str, frame: int, seconds: float) -> None:
        """Say nothing."""

    def compiling(self, kernels: int, seconds: float, is_busy: bool, total: int = 0) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


def clock(seconds: float) -> str:
    """A time for people.

    >>> [clock(t) for t in (0.25, 42, 126, 7300)]
    ['0.25 s', '42 s', '2:06 min', '2:01 h']
    """
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} min"
    return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d} h"
