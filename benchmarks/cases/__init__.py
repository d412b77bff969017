"""The benchmarks by name. Each is a generator of figures, so that what is interrupted leaves what it has found.

To add one: a module here with one such function, and a line below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.cases.memory import memory
from benchmarks.cases.pressure import pressure
from benchmarks.cases.scaling import scaling
from benchmarks.cases.stages import stages
from benchmarks.cases.start import start
from benchmarks.cases.steps import steps
from benchmarks.cases.threads import threads
from benchmarks.plan import Plan
from benchmarks.results import Figure

Benchmark = Callable[[Plan, dict[str, float]], Iterator[Figure]]

BENCHMARKS: dict[str, Benchmark] = {
    "steps": steps,
    "stages": stages,
    "threads": threads,
    "scaling": scaling,
    "pressure": pressure,
    "memory": memory,
    "start": start,
}
