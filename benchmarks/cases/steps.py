"""steps: what a time step of the dam break costs per liquid cell."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, median

from benchmarks.plan import Plan
from benchmarks.results import Figure
from benchmarks.stepping import bench_cases, bench_steps


def steps(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Microseconds per liquid cell and sub-step, pressure iterations, particles and tiles."""
    for resolution, transfer in bench_cases(plan):
        for threads, taken in bench_steps(plan, resolution, transfer).items():
            case = f"{transfer} {resolution}, {threads} thread{'s' * (threads > 1)}"
            costs = [1e6 * step.seconds_per_cell for step in taken]
            yield Figure(case, "min per cell", min(costs), "us", "time", threads)
            yield Figure(case, "median", median(costs), "us", "time", threads, judged=False)
            yield Figure(case, "min per step", min(step.seconds for step in taken), "s", "time", threads, judged=False)
            reports = [step.report for step in taken]
            yield Figure(case, "iterations", mean(report.iterations for report in reports), "mean", "cost")
            yield Figure(case, "liquid cells", median(report.liquid_cells for report in reports))
            yield Figure(case, "particles", median(report.particles for report in reports))
            yield Figure(case, "tiles", median(report.tiles for report in reports))
