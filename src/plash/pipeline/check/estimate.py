"""What a run of any scene will cost."""

from __future__ import annotations

from plash.pipeline.check import estimate_box, estimate_liquid, estimate_smoke
from plash.pipeline.check.cost import Estimate, estimated
from plash.scene.model import Scene

__all__ = [
    "estimate",
    "estimate_box",
    "estimate_liquid",
    "estimate_smoke",
]  # each kind of solver has registered its own


def estimate(scene: Scene, with_steps: bool = True) -> Estimate:
    """What a run of a scene will cost; without steps, no times."""
    return estimated(scene.solver, scene, with_steps)
