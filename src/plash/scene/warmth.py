"""Whether what a scene says about heat and viscosity makes sense together: with its solver, liquid and walls.

Each function gives what is wrong with one part, given those that were read before it; nothing of a part that is faulty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plash.scene.bodies import Solid
from plash.scene.domain import Domain
from plash.scene.language.words import Finding, shown
from plash.scene.liquid import Liquid
from plash.scene.solver import Solver

_NO_WARMTH = "warms nothing without conduction: raise liquid.thermal_diffusivity"
_BY_TEMPERATURE = "Pa*s is given together with liquid.viscosity_at, by which it follows the temperature: keep one"
_INVISCID = "Pa*s cannot be mixed with a liquid without any: give liquid.dynamic_viscosity a value above 0"


def no_meaning(solver: Solver, reason: str = "") -> str:
    """That a key has no meaning with a solver."""
    return f'has no meaning with solver.kind = "{solver.kind}"{reason}: take it out'


def faults_of_warm_sides(domain: Domain, solver: Solver) -> list[Finding]:
    """That sides are warm, of a solver whose walls are insulating."""
    if solver.has_warm_walls or not domain.side_temperature.given:
        return []
    sentence = "has insulating walls, but domain.side_temperature has values: take them out"
    return [(("kind",), f'{shown(solver.kind)} {sentence}, or use "liquid"')]


def faults_of_isotherm(solver: Solver, has_heat: bool) -> list[Finding]:
    """That a surface is asked for at a temperature where all is equally warm."""
    if getattr(solver, "isotherm", None) is None or has_heat:
        return []
    remedy = "give a fill or a source a temperature of its own, or take it out"
    return [(("solver", "isotherm"), f"cannot be found: everything is equally warm; {remedy}")]


def faults_of_liquid(liquid: Liquid, domain: Domain | None, solver: Solver | None) -> list[Finding]:
    """That the viscosity differs where it cannot, or that warm sides meet a liquid that does not conduct."""
    found: list[Finding] = []
    if solver is not None and not solver.has_varied_viscosity and liquid.viscosity_at is not None:
        found.append((("viscosity_at",), no_meaning(solver, ", which has one viscosity")))
    if domain is not None and liquid.thermal_diffusivity == 0:
        for side, warmth in list(domain.side_temperature.given.items())[:1]:
            sentence = f"is 0: domain.side_temperature.{side} = {warmth:g} K {_NO_WARMTH}"
            found.append((("thermal_diffusivity",), sentence))
    return found


def faults_of_viscosities(bodies: Sequence[Any], liquid: Liquid | None, solver: Solver | None) -> list[Finding]:
    """That fills or sources have a viscosity of their own where they cannot."""
    own = [(index, body.viscosity) for index, body in enumerate(bodies) if getattr(body, "viscosity", None)]
    if solver is not None and not solver.has_varied_viscosity:
        return [((index, "viscosity"), no_meaning(solver, ", which has one viscosity")) for index, _ in own]
    if liquid is None or (liquid.viscosity_at is None and liquid.nu > 0):
        return []
    sentence = _INVISCID if liquid.viscosity_at is None else _BY_TEMPERATURE
    return [((index, "viscosity"), f"{value:g} {sentence}") for index, value in own]


def faults_of_warm_solids(solids: Sequence[Solid], liquid: Liquid | None, solver: Solver | None) -> list[Finding]:
    """That solids are warm, in a liquid that does not conduct or with a solver whose walls are insulating."""
    warm = [(index, solid.temperature) for index, solid in enumerate(solids) if solid.temperature is not None]
    if solver is not None and not solver.has_warm_walls:
        return [((index, "temperature"), no_meaning(solver, ", where walls are insulating")) for index, _ in warm]
    if liquid is None or liquid.thermal_diffusivity > 0:
        return []
    return [((index, "temperature"), f"{warmth:g} K {_NO_WARMTH}, which is 0") for index, warmth in warm]


def faults_of_kinds(bodies: Sequence[Any], solver: Solver | None) -> list[Finding]:
    """That sources are of a kind that a solver does not have, or fills have a density of smoke where there is none."""
    if solver is None:
        return []
    found: list[Finding] = []
    for index, body in enumerate(bodies):
        kind = getattr(body, "kind", None)
        if kind is not None and kind not in solver.source_kinds:
            others = ", ".join(sorted(solver.source_kinds))
            found.append(
                ((index, "kind"), f'{shown(kind)} has no meaning with solver.kind = "{solver.kind}": use {others}')
            )
        if not solver.has_density and "density" in body.model_fields_set:
            found.append(((index, "density"), no_meaning(solver)))
    return found
