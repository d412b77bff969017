"""stages: where the time of those steps goes, and how far each stage is from the bandwidth of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from benchmarks.plan import Plan
from benchmarks.results import Figure
from benchmarks.stepping import Step, bench_cases, bench_steps
from benchmarks.traffic import PARTICLE_STAGES, bytes_moved

REST = "outside any stage"
_WORTH_JUDGING = 0.05  # share of the step from which a stage is more than noise


def stages(plan: Plan, triad: dict[str, float]) -> Iterator[Figure]:
    """Nanoseconds per liquid cell and per particle, share of the step, and bytes a second against the triad."""
    for resolution, transfer in bench_cases(plan):
        for threads, taken in bench_steps(plan, resolution, transfer).items():
            case = f"{transfer} {resolution}, {threads} threads"
            shares = {stage: _share(stage, taken) for step in taken for stage in (*step.report.seconds, REST)}
            for stage in sorted(shares, key=lambda stage: -shares[stage]):
                yield from _figures(stage, shares[stage], transfer, taken, case, threads, triad)


def _figures(
    stage: str, share: float, transfer: str, taken: list[Step], case: str, threads: int, triad: dict[str, float]
) -> Iterator[Figure]:
    row = f"{case}: {stage}"
    costs = [1e9 * _seconds(stage, step) / step.report.liquid_cells for step in taken]
    is_judged = share >= _WORTH_JUDGING
    yield Figure(row, "share", 100 * share, "%")
    yield Figure(row, "min per cell", min(costs), "ns", "time", threads, is_judged)
    yield Figure(row, "median per cell", median(costs), "ns", "time", threads, judged=False)
    best = taken[costs.index(min(costs))]
    seconds = _seconds(stage, best)
    if stage in PARTICLE_STAGES:
        per_particle = min(1e9 * _seconds(stage, step) / step.report.particles for step in taken)
        yield Figure(row, "min per particle", per_particle, "ns", "time", threads, judged=False)
    moved = bytes_moved(stage, transfer, best)
    if moved is not None and seconds > 0:
        unit = best.report.particles if stage in PARTICLE_STAGES else best.report.liquid_cells
        yield Figure(row, "moved per particle" if stage in PARTICLE_STAGES else "moved per cell", moved / unit, "B")
        yield Figure(row, "rate", 1e-9 * moved / seconds, "GB/s")
        yield Figure(row, "of triad", 100e-9 * moved / seconds / triad[f"memory_{threads}"], "%")


def _seconds(stage: str, step: Step) -> float:
    if stage == REST:
        return max(0.0, step.seconds - sum(step.report.seconds.values()))
    return step.report.seconds.get(stage, 0.0)


def _share(stage: str, taken: list[Step]) -> float:
    return sum(_seconds(stage, step) for step in taken) / sum(step.seconds for step in taken)
