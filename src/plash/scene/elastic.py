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
_OF_LIQUID = (*KEYS, "shear_modulus_at", "shear_modulus_between")
_ONE_ON_GRID = 'transfer = "semi_lagrangian" has one liquid on its grid: take it out, or use another transfer'
_BY_TEMPERATURE = "Pa is given together with liquid.shear_modulus_at, by which it follows the temperature: keep one"


def faults_of_elastic_liquid(liquid: Liquid, solver: Solver | None) -> list[Finding]:
    """That a liquid is elastic, with a solver that knows no strain."""
    if solver is None:
        return []
    given = [key for key in _OF_LIQUID if key in liquid.model_fields_set]
    if not solver.has_elasticity:
        return [((key,), no_meaning(solver)) for key in given]
    if liquid.modulus_ramp is not None or liquid.elastic[0] > 0:
        named = next((key for key in ("shear_modulus_at", "shear_modulus") if key in given), "material")
        return _faults_of_level_set(solver, named)
    return []


def faults_of_elastic_bodies(bodies: Sequence[Any], liquid: Liquid | None, solver: Solver | None) -> list[Finding]:
    """That fills or sources are elastic, with a solver that knows no strain, or carries it on the grid.

    Or that they have a modulus of their own, while that of the liquid follows the temperature.
    """
    if solver is None:
        return []
    found: list[Finding] = []
    if liquid is not None and liquid.shear_modulus_at is not None:
        for index, body in enumerate(bodies):
            if getattr(body, "shear_modulus", None) is not None:
                found.append(((index, "shear_modulus"), f"{body.shear_modulus:g} {_BY_TEMPERATURE}"))
    for index, body in enumerate(bodies):
        for key in KEYS:
            if getattr(body, key, None) is None:
                continue
            if not solver.has_elasticity:
                found.append(((index, key), no_meaning(solver)))
            elif getattr(solver, "transfer", "") == "semi_lagrangian":
                found.append(((index, key), f"is carried by particles, and {_ONE_ON_GRID}"))
    return found


def _faults_of_level_set(solver: Solver, key: str) -> list[Finding]:
    if getattr(solver, "surface", "particles") != "levelset":
        return []
    sentence = f"makes the liquid elastic, and surface = {shown('levelset')} carries no strain"
    return [((key,), f'{sentence}: use surface = "particles", or a shear_modulus of 0')]
