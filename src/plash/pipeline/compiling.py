"""Kernels are compiled when they are first used, once for each version: who wants to know, and the seconds set apart.

Numba tells of every function that it compiles, and of none that it loads from its cache. A function that is compiled
for the sake of another is part of that one. What compiling takes is not counted as time of a step, a frame or a stage:
it does not come again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from numba.core import event

from plash.timing import set_apart

Tell = Callable[[int, float, bool], None]

COMPILING = "compiling"  # the name of these seconds, in the report of a step and in the outcome of a run


@dataclass(eq=False)
class Compilation(event.Listener):
    """What was compiled since somebody began to listen.

    Attributes:
        tell: Is called when a kernel is begun and when it is ready: with how many were begun, the seconds they took so
            far, and whether one is in work.
        kernels: How many were begun.
        seconds: Time they took.
    """

    tell: Tell
    kernels: int = 0
    seconds: float = 0.0
    _depth: int = 0
    _began: float = 0.0

    def on_start(self, event: event.Event) -> None:
        """A function is begun."""
        self._depth += 1
        if self._depth == 1:
            self.kernels, self._began = self.kernels + 1, time.perf_counter()
            self.tell(self.kernels, self.seconds, True)

    def on_end(self, event: event.Event) -> None:
        """A function is ready, or could not be compiled."""
        self._depth -= 1
        if self._depth == 0:
            spent = time.perf_counter() - self._began
            self.seconds += spent
            set_apart(COMPILING, spent)
            self.tell(self.kernels, self.seconds, False)

    def stopwatch(self) -> Callable[[], tuple[float, float]]:
        """Start measuring; what is returned tells the seconds of work since then, and those of compiling."""
        start, before = time.perf_counter(), self.seconds

        def read() -> tuple[float, float]:
            apart = self.seconds - before
            return time.perf_counter() - start - apart, apart

        return read


@contextmanager
def watched_compilation(tell: Tell) -> Iterator[Compilation]:
    """What is compiled inside; `tell` is called for every kernel."""
    compilation = Compilation(tell)
    with event.install_listener("numba:compile", compilation):
        yield compilation


class _Count(event.Listener):
    """How many functions were begun to be compiled in this process."""

    begun = 0

    def on_start(self, event: event.Event) -> None:
        """A function is begun."""
        self.begun += 1

    def on_end(self, event: event.Event) -> None:
        """It is ready."""


_count = _Count()
_register: Any = event.register
_register("numba:compile", _count)


def begun_to_compile() -> int:
    """How many functions this process has begun to compile since this was imported; what it loads does not count."""
    return _count.begun
