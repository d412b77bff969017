"""`plash check`: what is wrong with a scene, and what a run of it will cost, before it starts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from plash.errors import Problem, SceneError
from plash.pipeline.check.cost import Estimate
from plash.pipeline.check.estimate import estimate
from plash.pipeline.check.finding import Finding
from plash.pipeline.check.findings import findings
from plash.pipeline.machine import free_disk, free_memory
from plash.scene.language.read import as_scene
from plash.scene.model import Scene


@dataclass(frozen=True)
class CheckReport:
    """What was found about a scene, and what it will cost; no estimate if it cannot run."""

    findings: tuple[Finding, ...]
    estimate: Estimate | None

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)

    def raise_errors(self, source: str = "scene") -> None:
        """Refuse a scene that cannot run.

        Raises:
            SceneError: One of the findings is an error.
        """
        errors = [finding for finding in self.findings if finding.level == "error"]
        if errors:
            problems = [Problem(f.where, f"{f.message} [{f.code}]: {f.edit}") for f in errors]
            raise SceneError(problems, source)


def check(scene: Scene | str | Path, *, with_steps: bool = True, out: str | Path = "out") -> CheckReport:
    """Look for trouble in a scene, and predict what a run of it will cost.

    Args:
        scene: A scene, a name from `plash.gallery()`, or the path of a scene file.
        with_steps: Take a few coarse steps, which tell the time it will take.
        out: Where the run will be written.

    Example:
        >>> import plash
        >>> report = plash.check(plash.load_scene("dam_break_2d", resolution=32), with_steps=False)
        >>> report.findings, report.estimate.cells
        ((), 512)
    """
    scene = as_scene(scene)
    found = findings(scene)
    if any(finding.level == "error" for finding in found):
        return CheckReport(tuple(found), None)
    cost = estimate(scene, with_steps)
    return CheckReport((*found, *_limits(scene, cost, Path(out))), cost)


def _limits(scene: Scene, cost: Estimate, out: Path) -> list[Finding]:
    """Where a run will not fit."""
    found = []
    memory, disk = free_memory(), free_disk(out)
    if cost.memory > 0.9 * memory:
        smaller = _resolution(scene, memory / cost.memory, scene.dimension)
        sentence = f"about {cost.memory / 1e9:.1f} GB, of which {memory / 1e9:.1f} GB are free"
        found.append(Finding("warning", "memory", "domain.resolution", sentence, smaller))
    if cost.disk > 0.9 * disk:
        smaller = f"free some space, choose another --out, or lower time.frames below {scene.time.frames}"
        sentence = f"about {cost.disk / 1e9:.1f} GB, of which {disk / 1e9:.1f} GB are free"
        found.append(Finding("warning", "disk", "time.frames", sentence, smaller))
    return found


def _resolution(scene: Scene, share: float, power: int) -> str:
    now = round(max(scene.domain.size) / scene.domain.h)
    return f"set domain.resolution = {max(1, int(0.9 * now * share ** (1 / power)))} or less (now {now})"
