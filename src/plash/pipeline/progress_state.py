"""How far a run is, for whoever shows it: the command line, a bar in a terminal, a notebook."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from plash.pipeline.machine import peak_memory
from plash.pipeline.progress import clock
from plash.solvers.ledger import Ledger
from plash.timing import StepReport

_RECENT = 20  # frames that the time left is judged by
_ENOUGH = 3


@dataclass
class ProgressState:
    """How far a run is, how fast it goes, and when it will be done."""

    frames: int = 0
    to_do: dict[str, int] = field(default_factory=dict)
    planned: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    stage: str = ""
    frame: int = 0
    steps: int = 0
    report: StepReport = field(default_factory=StepReport)
    volume_error: float | None = None
    compiling: str = ""
    began: float = 0.0

    def begin(self, frames: int, to_do: Mapping[str, int]) -> None:
        """Note what is planned."""
        self.frames, self.to_do, self.planned = frames, dict(to_do), dict(to_do)
        self.began = time.monotonic()

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """Note a time step."""
        self.steps = self.steps + 1 if report.frame == self.report.frame else 1
        from plash.pipeline.stages.simulation import SIMULATION

        self.report, self.frame, self.stage = report, report.frame, SIMULATION.name
        self.volume_error = ledger.volume_error

    def make(self, stage: str, frame: int, seconds: float) -> None:
        """Note a finished file."""
        self.stage, self.frame = stage, frame or self.frames
        self.to_do[stage] = max(0, self.to_do.get(stage, 0) - 1)
        self.seconds.setdefault(stage, []).append(seconds)

    @property
    def share_done(self) -> float:
        """How much of the plan is done, by number of files."""
        planned = sum(self.planned.values())
        return 1 - sum(self.to_do.values()) / planned if planned else 1.0

    def typical(self, stage: str) -> float:
        """Time of a frame in a stage: the median of the last few."""
        return median(self.seconds[stage][-_RECENT:])

    @property
    def at_once(self) -> float:
        """How many files are in work at once, on average: more than one where lanes or workers make them."""
        spent = [seconds for files in self.seconds.values() for seconds in files]
        passed = max(time.monotonic() - self.began, max(spent, default=0.0))
        return max(1.0, sum(spent) / passed) if passed > 0 else 1.0

    @property
    def seconds_per_frame(self) -> float:
        """Time of a frame through all stages, by the clock."""
        return sum(self.typical(name) for name in _frame_stages() if name in self.seconds) / self.at_once

    @property
    def seconds_left(self) -> float | None:
        """Time left by the clock, from the last frames of each stage; None while a stage has too few to tell."""
        left, of_frames = 0.0, _frame_stages()
        for stage, count in self.to_do.items():
            if len(self.seconds.get(stage, ())) >= _ENOUGH:
                left += count * self.typical(stage)
            elif count and stage in of_frames:
                return None
        return left / self.at_once

    def __str__(self) -> str:
        # On a narrow terminal the end of the line is lost: what matters most comes first
        r = self.report
        parts = [f"frame {self.frame}/{self.frames} {100 * self.share_done:3.0f} % {self.compiling or self.stage:8s}"]
        if self.seconds:
            parts.append(f"{self.seconds_per_frame:.2f} s/frame")
        if self.seconds_left:
            parts.append(f"{clock(self.seconds_left)} left")
        if self.volume_error is not None:
            parts.append(f"volume {100 * self.volume_error:+.1f} %")
        if r.dt:
            parts.append(f"step {self.steps} dt {1e3 * r.dt:.2f} ms courant {r.courant:.2f}")
        parts.append(f"{peak_memory() / 1e6:.0f} MB")
        return "  ".join(parts)


def compiling_text(kernels: int, seconds: float, total: int = 0) -> str:
    """What is said while a kernel is compiled.

    >>> compiling_text(24, 41.3)
    'compiling, once for this version: kernel 24, 41 s so far'
    >>> compiling_text(24, 41.3, total=97)
    'compiling, once for this version: 24 of 97 kernels, 41 s so far'
    """
    which = f"{kernels} of {total} kernels" if total else f"kernel {kernels}"
    return f"compiling, once for this version: {which}, {seconds:.0f} s so far"


def _frame_stages() -> list[str]:
    """The stages that make something for each frame. Whoever shows no run need not load them."""
    from plash.pipeline.stages.registry import frame_stages

    return [stage.name for stage in frame_stages()]
