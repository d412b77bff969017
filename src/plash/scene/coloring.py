"""Whether what a scene says about colours makes sense together: with its solver, and with its look.

Each function gives what is wrong with one part, given those that were read before it; nothing of a part that is faulty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plash.scene.bodies import Fill
from plash.scene.colors import rgb
from plash.scene.language.words import Finding, shown
from plash.scene.liquid import Liquid
from plash.scene.look import SMOKE_COLOR, Look
from plash.scene.solver import Solver
from plash.scene.sources import DyeSource, SmokeSource
from plash.scene.warmth import no_meaning

_KEYS = ("colors", "color_diffusivity")


def has_colors(liquid: Liquid, bodies: Sequence[Any]) -> bool:
    """Whether any liquid is, or will be, of another colour than the rest."""
    if any(isinstance(body, DyeSource) for body in bodies):
        return True
    return len({rgb(color) for color in colors_of(liquid, bodies)}) > 1


def colors_of(liquid: Liquid, bodies: Sequence[Any]) -> list[str]:
    """The colours of all that puts liquid somewhere."""
    return [body.color or liquid.seen_color for body in bodies if hasattr(body, "color")]


def faults_of_coloring(liquid: Liquid, solver: Solver | None) -> list[Finding]:
    """That colours are to spread, with a solver that carries none."""
    if solver is None or solver.has_colors:
        return []
    return [((key,), no_meaning(solver)) for key in _KEYS if key in liquid.model_fields_set]


def faults_of_colors(bodies: Sequence[Any], solver: Solver | None) -> list[Finding]:
    """That fills or sources have a colour of their own, with a solver that carries none."""
    if solver is None or solver.has_colors or solver.has_smoke:
        return []
    reason = ", which has one colour"
    found: list[Finding] = []
    for index, body in enumerate(bodies):
        if isinstance(body, DyeSource):
            found.append(((index, "kind"), no_meaning(solver)))
        elif _own_color(body):
            found.append(((index, "color"), no_meaning(solver, reason)))
    return found


def smoke_colors(liquid: Liquid, bodies: Sequence[Any]) -> list[str]:
    """The colours of all smoke there is or will be, each once, that of what has none of its own first.

    Soot of fires has none of its own.
    """
    base = liquid.color or SMOKE_COLOR
    gives = [body for body in bodies if isinstance(body, Fill) or _gives_smoke(body)]
    found = [body.color or base for body in gives]
    if any(isinstance(body, SmokeSource) and body.fuel > 0 for body in bodies) or not gives:
        found.append(base)
    return list({rgb(color): color for color in sorted(found, key=lambda color: color != base)}.values())


def _gives_smoke(body: Any) -> bool:
    return isinstance(body, SmokeSource) and bool(body.mass_rate or body.density_rate)


def faults_of_look(look: Look, liquid: Liquid | None, bodies: Sequence[Any], solver: Solver | None) -> list[Finding]:
    """That all liquid or smoke is to have one colour in pictures, but has one of its own, or several."""
    given = "smoke_color" in look.model_fields_set and solver is not None and solver.has_smoke
    if given and any(_own_color(body) for body in bodies):
        sentence = "is given together with colours of fills or sources: write liquid.color for all others"
        return [(("smoke_color",), f"{shown(look.smoke_color)} {sentence}")]
    if look.color is None or liquid is None:
        return []
    if liquid.color is not None:
        return [(("color",), f"{shown(look.color)} is given together with liquid.color: keep one of them")]
    if any(_own_color(body) for body in bodies):
        sentence = "is given together with colours of fills or sources: write liquid.color for all others"
        return [(("color",), f"{shown(look.color)} {sentence}")]
    return []


def _own_color(body: Any) -> str | None:
    color: str | None = getattr(body, "color", None)
    return color
