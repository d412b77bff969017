"""Compare two runs: `python -m benchmarks.compare [OLD.json] NEW.json [--threshold 1.10]`.

Without OLD.json the run is compared with the stored baseline, `benchmarks/baseline.json`.

Times are normalised by the triad bandwidths of the two runs: a machine that is twice as fast today is expected to
need half the time. Exit code 0, 1 if a figure got worse by more than the threshold, 2 if the files do not compare.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import QUIET, Figure, Results, ResultsError, number, read_results, table

THRESHOLD = 1.10
BASELINE = Path(__file__).parent / "baseline.json"
RENEWAL = "python -m benchmarks.run --out benchmarks/baseline.json"
WORSE, INCOMPARABLE = 1, 2

_FACTS = ("cpu", "cores", "threads", "python", "numpy", "numba", "threading_layer", "environment")


@dataclass(frozen=True)
class Change:
    """One figure in both runs.

    Attributes:
        name: Full name of the figure.
        old: Its value then.
        new: Its value now.
        ratio: New over old; for times after normalising by the bandwidths.
        is_worse: Whether it is judged and beyond the threshold.
        is_better: Whether it is judged and beyond the threshold the other way.
    """

    name: str
    old: float
    new: float
    ratio: float
    is_worse: bool
    is_better: bool


def compare(old: Results, new: Results, threshold: float = THRESHOLD) -> list[Change]:
    """Every figure that both runs hold; raises ResultsError if the runs do not compare."""
    if old.quick != new.quick:
        raise ResultsError("one of the runs is quick and the other is not: their sizes differ")
    before, after = old.figures(), new.figures()
    common = [name for name in after if name in before]
    if not common:
        raise ResultsError("the runs have no figure in common")
    return [_change(name, before[name], after[name], old, new, threshold) for name in common]


def read_baseline() -> Results:
    """The stored run that later ones are measured against; raises ResultsError if there is none."""
    if not BASELINE.is_file():
        raise ResultsError(f"{BASELINE}: there is no baseline yet. On a quiet machine, make one with `{RENEWAL}`")
    return read_results(BASELINE)


def remarks(old: Results, new: Results) -> list[str]:
    """What a reader of the comparison should know: other machines, unfinished runs, figures without a partner."""
    said = [
        f"{fact} differs: {old.machine.get(fact)} then, {new.machine.get(fact)} now"
        for fact in _FACTS
        if old.machine.get(fact) != new.machine.get(fact)
    ]
    for word, run in (("old", old), ("new", new)):
        if run.unrest > QUIET:
            said.append(f"the machine was not quiet in the {word} run: its bandwidth varied by {run.unrest:.2f}")
        said += [
            f"{name} is {result.status} in the {word} run"
            for name, result in run.benchmarks.items()
            if result.status != "complete"
        ]
    before, after = old.figures(), new.figures()
    for word, mine, other in (("old", before, after), ("new", after, before)):
        alone = [name for name in mine if name not in other]
        if alone:
            said.append(f"only in the {word} run: {len(alone)} figures, such as {alone[0]}")
    return said


def _change(name: str, old: Figure, new: Figure, before: Results, after: Results, threshold: float) -> Change:
    if (old.unit, old.kind) != (new.unit, new.kind):
        raise ResultsError(f"{name} is a {old.kind} in {old.unit!r} then and a {new.kind} in {new.unit!r} now")
    ratio = _ratio(old.value, new.value)
    if new.kind == "time":
        ratio *= bandwidth(after, new.threads) / bandwidth(before, new.threads)
    is_judged = new.kind != "fact" and (old.judged or new.judged)
    too_large, too_small = ratio > threshold, ratio < 1 / threshold
    is_worse, is_better = (too_small, too_large) if new.kind == "gain" else (too_large, too_small)
    return Change(name, old.value, new.value, ratio, is_judged and is_worse, is_judged and is_better)


def bandwidth(results: Results, threads: int) -> float:
    """Triad bandwidth of a run for arrays in memory, GB/s."""
    value = results.triad.get(f"memory_{threads}", 0.0)
    if not value > 0.0:
        raise ResultsError(f"no triad bandwidth for {threads} threads: times cannot be normalised")
    return value


def _ratio(old: float, new: float) -> float:
    if old == 0.0:
        return 1.0 if new == 0.0 else math.inf
    return new / old


def report(changes: list[Change], threshold: float) -> str:
    """The comparison as a table, and a sentence."""
    rows = [["", "old", "new", "new/old", ""]]
    for change in changes:
        flag = "WORSE" if change.is_worse else ("better" if change.is_better else "")
        rows.append([change.name, number(change.old), number(change.new), f"{change.ratio:.3f}", flag])
    worse = sum(change.is_worse for change in changes)
    beyond = f"worse by more than a factor of {threshold:g}"
    return f"{table(rows)}\n\n{worse} of {len(changes)} figures {beyond} (times normalised by the triad bandwidth)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the files of the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description="Compare two benchmark runs.")
    parser.add_argument("old", type=Path, nargs="?", metavar="OLD.json", help="default: the stored baseline")
    parser.add_argument("new", type=Path, metavar="NEW.json")
    parser.add_argument("--threshold", type=_threshold, default=THRESHOLD, help="factor that counts (default 1.10)")
    options = parser.parse_args(arguments)
    try:
        new = read_results(options.new)
        old = read_baseline() if options.old is None else read_results(options.old)
        changes = compare(old, new, options.threshold)
    except ResultsError as error:
        print(f"cannot compare: {error}", file=sys.stderr)
        return INCOMPARABLE
    for remark in remarks(old, new):
        print(f"note: {remark}")
    print(report(changes, options.threshold))
    return WORSE if any(change.is_worse for change in changes) else 0


def _threshold(text: str) -> float:
    value = float(text)
    if not 1.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not above 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
