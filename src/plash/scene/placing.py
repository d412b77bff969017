"""Whether the bodies of a scene make sense in its domain: as many axes, and a part of them inside.

Each function checks one body, given the parts of the scene that were read before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import ValidationInfo

from plash.scene.bodies import Fill, Solid
from plash.scene.domain import Domain
from plash.scene.drops import Drops
from plash.scene.forces import Force, Pump, Vortex
from plash.scene.language.base import wrong_dimensions
from plash.scene.language.words import Finding, nearest, refusal_at, refusals, shown
from plash.scene.shapes import misfits_of
from plash.scene.sources import Blob, DyeSource, HeatSource, Sink, SmokeSource, Source, Spout

FillOrBlob = TypeVar("FillOrBlob", Fill, Blob, Drops)
SinkOrPump = TypeVar("SinkOrPump", Sink, Pump)


def placed_fill(fill: FillOrBlob, info: ValidationInfo) -> FillOrBlob:
    """A fill that starts in the domain, with a velocity along its axes."""
    domain: Domain | None = info.data.get("domain")
    if domain is None:
        return fill
    if "velocity" not in fill.model_fields_set:
        fill = fill.model_copy()
        fill.__dict__["velocity"] = (0.0,) * domain.dimension
    if fill.shape is None:  # it is in a container, which is placed itself
        _refuse_misplaced(fill, domain.dimension)
    else:
        _refuse_outside(fill, domain)
    solver = info.data.get("solver")
    comes_later = isinstance(fill, Fill) and fill.velocity_at is not None and fill.time > 0
    if comes_later and solver is not None and (solver.has_smoke or getattr(solver, "surface", "") == "levelset"):
        sentence = "is for what is there at the start, of smoke and of level sets"
        raise refusal_at("velocity_at", f"{sentence}: take it out, or time")
    return fill


def faults_of_containers(fills: Sequence[Fill], solids: Sequence[Solid]) -> list[Finding]:
    """Fills that are inside something that is no solid of the scene."""
    names = [solid.name for solid in solids]
    found: list[Finding] = []
    for index, fill in enumerate(fills):
        if fill.inside and fill.inside not in names:
            known = f"{nearest(fill.inside, names)} Known: {', '.join(names) or 'none'}"
            found.append((("fill", index, "inside"), f"{shown(fill.inside)} is not the name of a solid.{known}"))
    return found


def placed_solid(solid: Solid, info: ValidationInfo) -> Solid:
    """A solid that stands and moves along the axes of the domain."""
    domain: Domain | None = info.data.get("domain")
    if domain is not None:
        _refuse_misplaced(solid, domain.dimension)
        unclear = solid.motion.misfits(domain.dimension) if solid.motion is not None else []
        if unclear:
            raise refusals([(("motion", *place), text) for place, text in unclear])
    return solid


def placed(body: SinkOrPump, info: ValidationInfo) -> SinkOrPump:
    """A sink or a pump along the axes of the domain."""
    domain: Domain | None = info.data.get("domain")
    if domain is not None:
        _refuse_misplaced(body, domain.dimension)
    return body


def placed_source(source: Source, info: ValidationInfo) -> Source:
    """A source that can bring liquid, heat or dye into the domain."""
    domain: Domain | None = info.data.get("domain")
    if isinstance(source, Blob):
        return placed_fill(source, info)
    if isinstance(source, Drops):
        return placed_fill(source, info)
    if domain is None:
        return source
    if isinstance(source, HeatSource | DyeSource):
        _refuse_outside(source, domain)
        return source
    if isinstance(source, SmokeSource):
        return _placed_smoke(source, domain)
    _refuse_misplaced(source, domain.dimension)
    unclear = source.motion.misfits(domain.dimension) if source.motion is not None else []
    if unclear:
        raise refusals([(("motion", *place), text) for place, text in unclear])
    if source.moves:
        return source
    center, (normal, *_) = source.shape.place
    low, high = source.shape.bounds(domain.dimension)
    ahead = tuple(part * domain.h / 2 for part in normal)
    ends = zip(low, high, ahead, domain.size, strict=True)
    if not all(a + step < side and b + step > 0 for a, b, step, side in ends):
        bounds = f"the domain reaches from {_metres((0.0,) * len(center))} to {_metres(domain.size)} m"
        raise refusal_at(
            "shape", f"opens at {_metres(center)} m towards {_metres(normal)}, out of the domain: {bounds}"
        )
    return source


def _placed_smoke(source: SmokeSource, domain: Domain) -> SmokeSource:
    if source.moves:
        _refuse_misplaced(source, domain.dimension)
    else:
        _refuse_outside(source, domain)
    unclear = source.motion.misfits(domain.dimension) if source.motion is not None else []
    if unclear:
        raise refusals([(("motion", *place), text) for place, text in unclear])
    return source


def placed_force(force: Force, info: ValidationInfo) -> Force:
    """A force along the axes of the domain."""
    domain: Domain | None = info.data.get("domain")
    if domain is None:
        return force
    _refuse_misplaced(force, domain.dimension)
    if isinstance(force, Vortex) and (force.axis is None) == (domain.dimension == 3):
        if force.axis is None:
            raise refusal_at("axis", "is missing: a vortex in 3-D needs an axis, such as [0, 1, 0]")
        raise refusal_at("axis", f"{shown(force.axis)} has no use: a 2-D vortex turns in its own plane")
    return force


def _refuse_outside(body: Fill | Blob | Drops | HeatSource | DyeSource | SmokeSource, domain: Domain) -> None:
    """Refuse what makes no sense in the domain's axes, or has no part in it."""
    _refuse_misplaced(body, domain.dimension)
    origin = (0.0,) * domain.dimension
    if not body.shape.may_overlap(origin, domain.size):
        low, high = body.shape.bounds(domain.dimension)
        reach = f"reaches from {_metres(low)} to {_metres(high)} m"
        bounds = f"from {_metres(origin)} to {_metres(domain.size)} m"
        raise refusal_at("shape", f"lies wholly outside the domain: it {reach}, the domain {bounds}")


def _refuse_misplaced(body: Fill | Solid | Source | Sink | Pump | Force, dimension: int) -> None:
    """Refuse vectors, rotations and units that make no sense in the domain's axes."""
    found = wrong_dimensions(body, dimension)
    if not found and body.shape is not None:
        found = [(("shape", *place), text) for place, text in misfits_of(body.shape, dimension)]
    if isinstance(body, Spout | Sink):
        found += body.wrong_unit(dimension)
    if found:
        raise refusals(found)


def _metres(point: tuple[float, ...]) -> str:
    return f"({', '.join(f'{part:.4g}' for part in point)})"
