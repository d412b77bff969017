"""What a level set does not know: it has liquid of one viscosity, and no rain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plash.scene.drops import Drops
from plash.scene.language.words import Finding, shown
from plash.scene.solver import Solver


def faults_of_level_set(bodies: Sequence[Any], solver: Solver | None) -> list[Finding]:
    """Bodies of liquid that a level set cannot have, if the solver has one."""
    if getattr(solver, "surface", "particles") != "levelset":
        return []
    remedy = 'use surface = "particles", or take it out'
    found: list[Finding] = []
    for index, body in enumerate(bodies):
        if isinstance(body, Drops):
            found.append(((index, "kind"), f"{shown(body.kind)} does not reach a level set: {remedy}"))
        if getattr(body, "viscosity", None) is not None:
            sentence = "is carried by particles, and a level set has none"
            found.append(((index, "viscosity"), f"{sentence}: {remedy}"))
    return found
