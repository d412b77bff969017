"""What a run of the benchmarks found, as objects and as a JSON file. Needs neither numpy nor numba."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

FORMAT = "plash-benchmarks"
VERSION = 1
QUIET = 1.2  # spread of the bandwidth up to which a run can be trusted

Kind = Literal["time", "cost", "gain", "fact"]
Status = Literal["complete", "interrupted", "failed"]


class ResultsError(Exception):
    """A results file that cannot be read, or two that cannot be compared."""


@dataclass(frozen=True)
class Figure:
    """One measured number.

    Attributes:
        case: What was measured, such as "flip 64, 2 threads": a row of the table.
        quantity: Which number of it, such as "min per cell": a column of the table.
        value: The number.
        unit: Its unit; empty for pure numbers.
        kind: "time" (less is better, depends on the machine's speed), "cost" (less is better whatever the machine:
            bytes, iterations), "gain" (more is better), "fact" (neither).
        threads: How many threads were at work; chooses the bandwidth that a time is normalised with.
        judged: Whether a comparison flags it. Medians and small stages are noise: shown, not judged.
    """

    case: str
    quantity: str
    value: float
    unit: str = ""
    kind: Kind = "fact"
    threads: int = 1
    judged: bool = True

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"{self.kind!r} is not one of {', '.join(get_args(Kind))}")
        if not math.isfinite(self.value):
            raise ValueError(f"{self.case}, {self.quantity}: {self.value} is not a finite number")

    @property
    def name(self) -> str:
        """What tells this figure from the others of its benchmark."""
        return f"{self.case}: {self.quantity}"


@dataclass
class Result:
    """What one benchmark found."""

    status: Status = "interrupted"
    seconds: float = 0.0
    message: str = ""
    figures: list[Figure] = field(default_factory=list)


@dataclass
class Results:
    """What a run found.

    Attributes:
        quick: Whether small sizes were used; such a run compares with none but its like.
        machine: Facts about the machine and the run, for people.
        triad: Best bandwidths of the run, GB/s, by place and threads: "memory_1", "memory_2", "cache_1", "cache_2".
        triad_samples: Every bandwidth measured: before, between and after the benchmarks.
        benchmarks: Results by benchmark.
    """

    quick: bool
    machine: dict[str, Any] = field(default_factory=dict)
    triad: dict[str, float] = field(default_factory=dict)
    triad_samples: list[dict[str, float]] = field(default_factory=list)
    benchmarks: dict[str, Result] = field(default_factory=dict)

    def add_triad(self, sample: dict[str, float]) -> None:
        """Take in one more measurement of the bandwidth; the best of the run counts, as minima do among times."""
        self.triad_samples.append(sample)
        self.triad = {name: max(value, self.triad.get(name, 0.0)) for name, value in sample.items()}

    @property
    def unrest(self) -> float:
        """Best bandwidth over the worst: 1 on a quiet machine."""
        spreads = [self.triad[name] / value for sample in self.triad_samples for name, value in sample.items()]
        return max(spreads, default=1.0)

    def figures(self) -> dict[str, Figure]:
        """Every figure by its full name."""
        return {
            f"{benchmark}: {figure.name}": figure
            for benchmark, result in self.benchmarks.items()
            for figure in result.figures
        }


def write_results(results: Results, path: Path) -> None:
    """Write a results file; a reader never sees half of one."""
    data = {"format": FORMAT, "version": VERSION, **asdict(results)}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n")
    os.replace(partial, path)


def read_results(path: Path) -> Results:
    """Read a results file; raises ResultsError with the reason if it is none."""
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ResultsError(f"{path}: not a results file of these benchmarks")
    if data.get("version") != VERSION:
        raise ResultsError(f"{path}: version {data.get('version')} of the format, but this reads version {VERSION}")
    try:
        return Results(
            quick=bool(data["quick"]),
            machine=dict(data["machine"]),
            triad=_bandwidths(data["triad"]),
            triad_samples=[_bandwidths(sample) for sample in data["triad_samples"]],
            benchmarks={name: _result(entry) for name, entry in data["benchmarks"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{path}: damaged: {type(error).__name__}: {error}") from error


def _bandwidths(entry: dict[str, Any]) -> dict[str, float]:
    found = {name: float(value) for name, value in entry.items()}
    if not all(0.0 < value < math.inf for value in found.values()):
        raise ValueError(f"a bandwidth of {found} is not above zero")
    return found


def _result(entry: dict[str, Any]) -> Result:
    return Result(**{**entry, "figures": [Figure(**figure) for figure in entry["figures"]]})


def number(value: float) -> str:
    """A number for people: four significant digits, whole numbers whole.

    >>> [number(value) for value in (524288.0, 0.71234, 1234.56, 0.0, 2.5e-7)]
    ['524288', '0.7123', '1235', '0', '2.5e-07']
    """
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.4g}"


def table(rows: Iterable[list[str]]) -> str:
    """Rows of text as aligned columns: the first to the left, the others to the right."""
    lines = list(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_aligned(row, widths) for row in lines)


def _aligned(row: list[str], widths: list[int]) -> str:
    first, *others = (text.rjust(width) for text, width in zip(row, widths, strict=True))
    return "  ".join([row[0].ljust(len(first)), *others]).rstrip()


def figure_table(figures: list[Figure]) -> str:
    """Figures as a table: a row per case, a column per quantity and unit."""
    quantities = list(dict.fromkeys(figure.quantity for figure in figures))
    columns = sorted(
        dict.fromkeys((figure.quantity, figure.unit) for figure in figures),
        key=lambda column: quantities.index(column[0]),
    )
    cases: dict[str, dict[tuple[str, str], str]] = {}
    for figure in figures:
        cases.setdefault(figure.case, {})[figure.quantity, figure.unit] = number(figure.value)
    rows = [["", *(quantity for quantity, _ in columns)], ["", *(unit for _, unit in columns)]]
    rows += [[case, *(values.get(column, "") for column in columns)] for case, values in cases.items()]
    return table(rows)
