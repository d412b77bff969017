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
        by_threads = bench_steps(plan, resolution, transfer)
        threads = max(by_threads)
        taken = by_threads[threads]
        shares = {stage: _share(stage, taken) for step in taken for stage in (*step.report.seconds, REST)}
        for stage in sorted(shares, key=lambda stage: -shares[stage]):
            case = f"{transfer} {resolution}: {stage}"
            is_judged = shares[stage] >= _WORTH_JUDGING
            yield Figure(case, "share", 100 * shares[stage], "%")
            yield from _per_cell(case, stage, by_threads, is_judged)
            if stage in PARTICLE_STAGES:
                least = min(1e9 * _seconds(stage, step) / step.report.particles for step in taken)
                yield Figure(case, "per particle", least, "ns", "time", threads, judged=False)
            yield from _bandwidth(case, stage, transfer, taken, triad[f"memory_{threads}"])


def _per_cell(case: str, stage: str, by_threads: dict[int, list[Step]], is_judged: bool) -> Iterator[Figure]:
    """Least and median with all threads, least with one, and how much faster all are."""
    threads = max(by_threads)
    costs = {count: [_cost(stage, step) for step in taken] for count, taken in by_threads.items()}
    least = min(costs[threads])
    yield Figure(case, "per cell", least, "ns", "time", threads, is_judged)
    yield Figure(case, "median", median(costs[threads]), "ns", "time", threads, judged=False)
    if threads > 1:
        yield Figure(case, "1 thread", min(costs[1]), "ns", "time", 1, judged=False)
        if least > 0:
            yield Figure(case, "1 to 2", min(costs[1]) / least, "", "gain", judged=False)


def _bandwidth(case: str, stage: str, transfer: str, taken: list[Step], triad: float) -> Iterator[Figure]:
    """Bytes moved in the quickest step, for stages where they can be counted."""
    best = min(taken, key=lambda step: _cost(stage, step))
    moved, seconds = bytes_moved(stage, transfer, best), _seconds(stage, best)
    if moved is None or seconds <= 0:
        return
    is_of_particles = stage in PARTICLE_STAGES
    count = best.report.particles if is_of_particles else best.report.liquid_cells
    yield Figure(case, "moved", moved / count, "B/particle" if is_of_particles else "B/cell")
    yield Figure(case, "rate", 1e-9 * moved / seconds, "GB/s")
    yield Figure(case, "of triad", 100e-9 * moved / seconds / triad, "%")


def _cost(stage: str, step: Step) -> float:
    """Nanoseconds per liquid cell."""
    return 1e9 * _seconds(stage, step) / step.report.liquid_cells


def _seconds(stage: str, step: Step) -> float:
    if stage == REST:
        return max(0.0, step.seconds - sum(step.report.seconds.values()))
    return step.report.seconds.get(stage, 0.0)


def _share(stage: str, taken: list[Step]) -> float:
    return sum(_seconds(stage, step) for step in taken) / sum(step.seconds for step in taken)
