"""What pictures of a scene can show: not every solver has a surface, or particles."""

from __future__ import annotations

from plash.carried import CARRIED
from plash.scene.domain import Domain
from plash.scene.language.base import wrong_dimensions
from plash.scene.language.words import Finding, shown
from plash.scene.look import Look
from plash.scene.solver import Solver


def fit_to_show(look: Look, solver: Solver) -> Look:
    """The look, with what the solver's pictures show unless something else is asked for."""
    if "show" in look.model_fields_set or look.show == solver.shows[0]:
        return look
    return look.showing(solver.shows[0])


def faults_of_showing(look: Look, solver: Solver) -> list[Finding]:
    """What a look asks for and the solver does not have."""
    if look.show not in solver.shows:
        return [(("show",), _not_shown(look, solver))]
    if not solver.has_no_particles:
        return []
    nobody = f"cannot be shown: {solver.has_no_particles}"
    if look.show not in ("surface", "volume"):
        return [(("show",), f'{shown(look.show)} {nobody}; use "surface"')]
    if look.color_by in CARRIED and not (solver.shows_temperature and look.color_by == "temperature"):
        return [(("color_by",), f'{shown(look.color_by)} {nobody}; use "speed" or "material"')]
    return []


def _not_shown(look: Look, solver: Solver) -> str:
    instead = f'use "{solver.shows[0]}"'
    if look.show == "volume":
        return f'"volume" is for smoke: {instead}'
    reason = f"{solver.kind.replace('_', ' ')} have no particles"
    if solver.shows == ("volume",):
        reason = "smoke has no surface and no particles"
    return f"{shown(look.show)} cannot be shown: {reason}; {instead}"


def faults_of_camera(look: Look, domain: Domain) -> list[Finding]:
    """What is wrong with a camera in a domain."""
    if look.camera is None:
        return []
    if domain.dimension == 2:
        return [(("camera",), "has no use: a 2-D scene is seen whole; take it out")]
    return [(("camera", *place), text) for place, text in wrong_dimensions(look.camera, 3)]
