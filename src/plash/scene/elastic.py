"""Whether what a scene says about elasticity makes sense with its solver.

Each function gives what is wrong with one part, given those that were read before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plash.scene.language.words import Finding, shown
from plash.scene.liquid import Liquid
from plash.scene.solver import Solver
from plash.scene.warmth import no_meaning

KEYS = ("shear_modulus", "yield_strain", "yield_rate")


def faults_of_elastic_liquid(liquid: Liquid, solver: Solver | None) -> list[Finding]:
    """That a liquid is elastic, with a solver that knows no strain."""
    if solver is None:
        return []
    given = [key for key in KEYS if key in liquid.model_fields_set]
    if not solver.has_elasticity:
        return [((key,), no_meaning(solver)) for key in given]
    if liquid.elastic[0] > 0:
        return _faults_of_level_set(solver, "material" if "shear_modulus" not in given else "shear_modulus")
    return []


def faults_of_elastic_bodies(bodies: Sequence[Any], solver: Solver | None) -> list[Finding]:
    """That fills or sources are elastic, with a solver that knows no strain, or carries it on the grid."""
    if solver is None:
        return []
    found: list[Finding] = []
    for index, body in enumerate(bodies):
        for key in KEYS:
            if getattr(body, key, None) is None:
                continue
            if not solver.has_elasticity:
                found.append(((index, key), no_meaning(solver)))
            elif getattr(solver, "transfer", "") == "semi_lagrangian":
                sentence = 'is carried by particles, and transfer = "semi_lagrangian" has one liquid on its grid'
                found.append(((index, key), f"{sentence}: take it out, or use another transfer"))
    return found


def _faults_of_level_set(solver: Solver, key: str) -> list[Finding]:
    if getattr(solver, "surface", "particles") != "levelset":
        return []
    sentence = f"makes the liquid elastic, and surface = {shown('levelset')} carries no strain"
    return [((key,), f'{sentence}: use surface = "particles", or a shear_modulus of 0')]
