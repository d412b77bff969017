"""Run the benchmarks: `python -m benchmarks.run [--quick] [--out FILE.json] [--only NAME ...]`.

Prints a table per benchmark and writes one JSON file, again after every benchmark: Ctrl-C keeps what was found.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

# Threads that wander between cores make figures worthless. OpenMP reads this when the first kernel runs.
os.environ.setdefault("OMP_PROC_BIND", "true")

from benchmarks import machine, triad
from benchmarks.cases import BENCHMARKS
from benchmarks.children import ChildError
from benchmarks.plan import FULL, QUICK, Plan
from benchmarks.progress import progress
from benchmarks.results import QUIET, Result, Results, figure_table, number, write_results
from plash import PlashError

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 0, 1 if a benchmark failed, 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    plan = QUICK if options.quick else FULL
    path = options.out or Path("out") / f"benchmarks-{datetime.now():%Y%m%d-%H%M%S}.json"
    results = Results(quick=plan.quick)
    try:
        load_before = machine.load()
        for _ in range(3):  # the first benchmarks already divide by the best of these
            results.add_triad(triad.measure(plan.triad_seconds))
        results.machine |= {**machine.facts(), "load_before": load_before}
        for name in options.only or BENCHMARKS:
            _run(name, plan, results)
            results.add_triad(triad.measure(plan.triad_seconds))
            _save(results, path)
    except KeyboardInterrupt:
        print("\ninterrupted: the file holds what was found so far", file=sys.stderr)
        return INTERRUPTED
    finally:
        _save(results, path)
        print(_closing(results, path))
    return 1 if any(result.status == "failed" for result in results.benchmarks.values()) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Measure how fast plash is.")
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that everything works, not how fast")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="where results go (default: out/benchmarks-*)")
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    return parser


def _run(name: str, plan: Plan, results: Results) -> None:
    """Run one benchmark and print its table; what it found before a failure or an interruption is kept."""
    progress(name)
    result = results.benchmarks[name] = Result()
    start = time.perf_counter()
    try:
        for figure in BENCHMARKS[name](plan, results.triad):
            result.figures.append(figure)
        result.status = "complete"
    except (PlashError, ChildError, RuntimeError) as error:
        result.status, result.message = "failed", f"{type(error).__name__}: {error}"
        progress(f"{name} failed: {result.message}")
    finally:
        result.seconds = round(time.perf_counter() - start, 3)
        if result.figures:
            print(f"\n{name}\n{figure_table(result.figures)}\n", flush=True)


def _save(results: Results, path: Path) -> None:
    results.machine["load_after"] = machine.load()
    write_results(results, path)


def _closing(results: Results, path: Path) -> str:
    """The machine, its bandwidth and how steady that was."""
    facts = results.machine
    lines = [f"{facts.get('cpu', '')}, numba {facts.get('numba', '')}, layer {facts.get('threading_layer', '')}"]
    lines.append(f"load average before {facts.get('load_before')}, after {facts.get('load_after')}")
    lines.append("triad GB/s: " + ", ".join(f"{name} {number(value)}" for name, value in results.triad.items()))
    warning = ": the machine was not quiet" if results.unrest > QUIET else ""
    lines.append(f"triad varied by a factor of {results.unrest:.2f}{warning}")
    return "\n".join([*lines, f"written to {path}"])


if __name__ == "__main__":
    sys.exit(main())
