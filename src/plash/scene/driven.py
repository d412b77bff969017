"""What goes together with a velocity that is given: a liquid that is driven feels nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plash.scene.language.words import Finding
from plash.scene.solver import Solver


def faults_of_flow(solver: Solver, parts: Mapping[str, Sequence[Any]]) -> list[Finding]:
    """Parts of a scene, by the key of their tables, that a liquid does not feel whose velocity is given."""
    if getattr(solver, "flow", None) is None:
        return []
    sentence = "has no meaning with solver.flow, which moves the liquid alone: take it out, or take solver.flow out"
    found: list[Finding] = [((key, 0), sentence) for key, bodies in parts.items() if bodies]
    return found
