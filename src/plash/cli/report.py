"""Longer answers as text: what a check found, what a benchmark measured, what machine this is."""

from __future__ import annotations

import os
import platform
from importlib import metadata

from plash.files.manifest import versions
from plash.grid.threads import layer_text
from plash.pipeline.bench import Measurement
from plash.pipeline.check.check import CheckReport
from plash.pipeline.check.cost import Estimate
from plash.pipeline.machine import free_memory, threads
from plash.pipeline.progress import clock
from plash.render.mitsuba.variant import variant_text


def check_lines(report: CheckReport) -> list[str]:
    """Findings, then what a run will cost."""
    lines = []
    for finding in report.findings:
        lines += [f"{finding.level}: {finding.where}: {finding.message} [{finding.code}]", f"  edit: {finding.edit}"]
    if not report.findings:
        lines.append("no findings")
    return lines + (_cost_lines(report.estimate) if report.estimate else [])


def _cost_lines(cost: Estimate) -> list[str]:
    lines = [
        f"{'cells':11}{cost.cells:,} in the domain, {cost.liquid_cells:,} of {cost.fluid}",
        f"{'particles':11}{cost.particles:,}",
        f"{'memory':11}about {_size(cost.memory)}",
        f"{'disk':11}about {_size(cost.disk)}",
    ]
    if not cost.seconds:
        return [*lines, f"{'time':11}unknown without coarse steps"]
    whole = sum(cost.seconds.values())
    parts = ", ".join(f"{stage} {clock(seconds)}" for stage, seconds in cost.seconds.items())
    unseen = f" (the last {cost.unseen} frames are taken to be like those before)" if cost.unseen else ""
    lines += [
        f"{'steps':11}about {cost.steps:,}{unseen}; {cost.fluid} reaches {cost.fastest:.3g} m/s",
        f"{'time':11}about {clock(whole)} on {threads()} threads ({parts})",
    ]
    return lines


def bench_lines(measured: Measurement) -> list[str]:
    """A table of stages."""
    cells, step = max(measured.liquid_cells, 1), measured.seconds
    head = f"{measured.scene}: {cells:,} liquid cells, {measured.particles:,} particles, {measured.threads} threads"
    lines = [head, f"{'stage':28}{'ms':>9}{'us/cell':>10}{'share':>8}"]
    rest = {"(between stages)": step - sum(measured.stages.values())}
    for name, seconds in [*measured.stages.items(), *rest.items()]:
        lines.append(f"{name:28}{1e3 * seconds:9.2f}{1e6 * seconds / cells:10.3f}{seconds / step:8.1%}")
    lines.append(f"{'a step':28}{1e3 * step:9.2f}{1e6 * step / cells:10.3f}{1:8.0%}")
    lines.append(f"pressure: {measured.iterations:.0f} iterations (median of {measured.steps} steps)")
    lines.append(f"memory bandwidth (triad): {measured.triad / 1e9:.1f} GB/s")
    return lines


def machine() -> dict[str, str]:
    """What plash runs on."""
    return {
        **versions(),
        "scipy": metadata.version("scipy"),
        "system": platform.platform(),
        "cores": str(os.cpu_count()),
        "threads": layer_text(),
        "memory": f"{free_memory() / 1e9:.1f} GB free",
        "ray tracer": variant_text(),
    }


def _size(count: float) -> str:
    """Bytes for people.

    >>> _size(3.2e8), _size(4.5e9)
    ('320 MB', '4.5 GB')
    """
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count, 1e6) / 1e6:.0f} MB"
