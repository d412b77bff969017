"""Where the time goes: functions marked as a stage add their seconds to the running step's report.

The clock belongs to the callee, so that a time step reads as physics. Stages nest: a stage's seconds do not include
those of stages it calls.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class StepReport:
    """What one time step did.

    Attributes:
        frame: Number of the frame the step works towards.
        time: Simulated time at the end of the step, s.
        dt: Length of the step, s.
        courant: Fastest motion of the step in cells.
        liquid_cells: Number of liquid cells.
        tiles: Number of tiles.
        particles: Number of particles.
        iterations: Conjugate-gradient iterations of the pressure solve.
        residual: True relative residual of the pressure solve.
        density_iterations: The same of the density solve.
        density_residual: The same of the density solve.
        viscosity_iterations: The same of the viscous solve; 0 if there was none.
        viscosity_residual: True residual of the viscous solve over the change of momentum that viscosity made.
        heat_iterations: The same of the conduction of heat.
        heat_residual: The same of the conduction of heat.
        excess: Largest mean divergence (1/s) that a closed component could not get rid of; 0 when consistent.
        retries: How often the step diverged and was taken again with half its length.
        unknown_reads: Samples of the velocity that met no known value at all; 0 in a sound step.
        volume: Measured liquid volume, m³ (m² in 2-D).
        removed: Volume of the particles removed in this step by reason, m³ (m² in 2-D).
        seconds: Wall-clock seconds by stage; those of compiling kernels are apart, as "compiling".
    """

    frame: int = 0
    time: float = 0.0
    dt: float = 0.0
    courant: float = 0.0
    liquid_cells: int = 0
    tiles: int = 0
    particles: int = 0
    iterations: int = 0
    residual: float = 0.0
    density_iterations: int = 0
    density_residual: float = 0.0
    viscosity_iterations: int = 0
    viscosity_residual: float = 0.0
    heat_iterations: int = 0
    heat_residual: float = 0.0
    excess: float = 0.0
    retries: int = 0
    unknown_reads: int = 0
    volume: float = 0.0
    removed: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


_seconds: dict[str, float] = {}
_running: list[float] = []  # seconds of inner stages, one entry per stage under way


def stage(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a function as a stage of the time step, named after the function (or its class, for a method)."""
    *owner, name = function.__qualname__.split(".")
    label = f"{owner[-1]}.{name}" if owner and owner[-1] != "<locals>" else name

    @functools.wraps(function)
    def timed(*args: P.args, **kwargs: P.kwargs) -> R:
        _running.append(0.0)
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            elapsed = time.perf_counter() - start
            inner = _running.pop()
            _seconds[label] = _seconds.get(label, 0.0) + elapsed - inner
            if _running:
                _running[-1] += elapsed

    return timed


def set_apart(label: str, seconds: float) -> None:
    """Count seconds that just passed under a name of their own, not as those of the stage under way."""
    _seconds[label] = _seconds.get(label, 0.0) + seconds
    if _running:
        _running[-1] += seconds


@contextmanager
def timing() -> Iterator[dict[str, float]]:
    """Collect the seconds of every stage that runs inside.

    Example:
        >>> @stage
        ... def rest() -> None: ...
        >>> with timing() as seconds:
        ...     rest()
        >>> list(seconds)
        ['rest']
    """
    global _seconds
    outer, _seconds = _seconds, {}
    try:
        yield _seconds
    finally:
        _seconds = outer
