"""What will go wrong with a scene, found before it does: each with a code, the object, the number and the edit."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plash.levelset.shapes import distance, thickness
from plash.pipeline.check.color_findings import color_findings
from plash.pipeline.check.elastic_findings import elastic_findings
from plash.pipeline.check.finding import Finding
from plash.pipeline.check.flow_findings import flow_findings
from plash.pipeline.check.heat_findings import heat_findings
from plash.pipeline.check.smoke_findings import lift_findings, wind_findings
from plash.pipeline.check.step_findings import MANY_STEPS, step_findings, times_of, top_speed
from plash.scene.bodies import Fill, Solid
from plash.scene.drops import Drops
from plash.scene.model import Scene
from plash.scene.shapes import Shape, Union
from plash.scene.sources import Blob, Spout
from plash.solvers.build.containers import filling, with_shapes

_SAMPLES = 200_000  # points at which shapes are compared
_FEW_CELLS = 2.0


def findings(scene: Scene) -> list[Finding]:
    """Everything that can be found without simulating."""
    with_shapes(scene)  # first of all, since a container that holds no liquid ends everything
    samples = _sample_points(scene)
    inside = [distance(solid.shape, samples, solid.name) < 0 for solid in scene.solids_at(0.0)]
    found = [*_rounding(scene)]
    for index, fill in enumerate(scene.fill):
        found += [_filled(scene, index, fill)] if fill.inside else _fill_findings(scene, index, fill, samples, inside)
    for index, solid in enumerate(scene.solid):
        found += _solid_findings(scene, index, solid) if solid.collide else ()
    found += _film_findings(scene)
    found += flow_findings(scene)
    found += heat_findings(scene)
    found += color_findings(scene)
    found += elastic_findings(scene)
    found += wind_findings(scene)
    found += lift_findings(scene)
    found += step_findings(scene)
    order = ("error", "warning", "note")
    return sorted(found, key=lambda finding: order.index(finding.level))


def liquid_volume(scene: Scene) -> float:
    """Most liquid there may be, m³ (m² in 2-D), to about a per cent: fills and blobs, and all that spouts bring in.

    What lies in solids is left out, and there is no more than the domain holds. Liquid removed by sinks is not
    subtracted, except by sinks that match a spout.
    """
    kept = _last_volume.get(id(scene))
    if kept is None:
        kept = scene, _measured_volume(scene)
        _last_volume.clear()
        _last_volume[id(scene)] = kept
    return kept[1]


# Of the scene that was asked about last, since a check asks several times; it is kept, so that no other has its id
_last_volume: dict[int, tuple[Scene, float]] = {}


def _measured_volume(scene: Scene) -> float:
    samples = _sample_points(scene)
    wet = np.zeros(len(samples), np.bool_)
    for index, fill in enumerate(with_shapes(scene).fill):
        wet |= distance(fill.shape, samples, f"fill[{index}].shape") < 0
    matched = {sink.match for sink in scene.sink}
    brought = 0.0
    for source in scene.source:
        if isinstance(source, Blob):
            wet |= distance(source.shape, samples, source.name) < 0
        elif isinstance(source, Drops):
            lasts = max(min(scene.time.frames / scene.time.fps, source.end) - source.start, 0.0)
            brought += source.rate * lasts * source.mean_volume(scene.dimension)
        elif isinstance(source, Spout) and source.name not in matched:
            rate = source.peak(scene.dimension) * source.shape.area(scene.dimension)
            brought += rate * source.run_time(scene.time.frames / scene.time.fps)
    for solid in scene.solids_at(0.0):
        wet &= distance(solid.shape, samples, solid.name) >= 0
    whole = math.prod(scene.domain.size)
    share = max(int(np.count_nonzero(wet)), 1) / len(samples)
    return min(share * whole + brought, whole)


def _film_findings(scene: Scene) -> Iterator[Finding]:
    """Liquid that is less than a cell deep when it has run out over the floor."""
    domain = scene.domain
    has_floor = domain.gravity[1] < 0 and domain.side("y_min") == "closed"
    if not has_floor or not scene.solver.has_free_surface:
        return
    floor = math.prod(side for axis, side in enumerate(domain.size) if axis != 1)
    depth = liquid_volume(scene) / floor / domain.h
    if depth < 1:
        yield Finding(
            "note",
            "film",
            "domain.resolution",
            f"spread over the whole floor the liquid is {depth:.2g} cells deep: films thinner than about half a cell "
            "are carried, but not measured as volume (the ledger has them as films), and shown as drops",
            f"raise domain.resolution to {math.ceil(max(domain.cells) / depth)} or more, or make the domain smaller, "
            "if it spreads that far",
        )


def _rounding(scene: Scene) -> Iterator[Finding]:
    """The domain is made of whole cells."""
    domain = scene.domain
    for index, (side, cells) in enumerate(zip(domain.size, domain.cells, strict=True)):
        rounded = cells * domain.h
        if abs(rounded - side) > 1e-6 * side:
            yield Finding(
                "note",
                "domain-rounded",
                f"domain.size[{index}]",
                f"{side:.6g} m is {side / domain.h:.2f} cells: it becomes {rounded:.6g} m, {cells} cells",
                f"make it a multiple of the cell size, {domain.h:.6g} m",
            )


def _filled(scene: Scene, index: int, fill: Fill) -> Finding:
    """How much liquid is in a container."""
    liquid = filling(scene, index)
    volume = f"{liquid.volume:.4g} m^{scene.dimension}" + (
        f" ({1e3 * liquid.volume:.3g} L)" if scene.dimension == 3 else ""
    )
    rooms = [room for room, _ in liquid.parts]
    spare = min(room.rim - surface for room, surface in liquid.parts)
    left = f"about {spare:.2g} m below where it would run over" if math.isfinite(spare) else "in a room that is closed"
    bottoms = ", ".join(f"{room.bottom:.4g}" for room in rooms)
    return Finding(
        "note",
        "filled",
        f"fill[{index}]",
        f"holds {volume} inside {fill.inside!r}, from a height of {bottoms} m up; its surface is {left}",
        f"change fill[{index}].level for more or less",
    )


def _fill_findings(
    scene: Scene, index: int, fill: Fill, samples: NDArray[np.float64], inside: list[NDArray[np.bool_]]
) -> Iterator[Finding]:
    where, h = f"fill[{index}]", scene.domain.h
    in_fill = distance(fill.shape, samples, f"{where}.shape") < 0
    count = int(np.count_nonzero(in_fill))
    free = in_fill.copy()
    for solid, in_solid in zip(scene.obstacles, inside, strict=True):
        share = np.count_nonzero(in_fill & in_solid) / max(count, 1)
        free &= ~in_solid
        if share > 0.01:
            yield Finding(
                "note" if _is_endless(fill.shape, scene.dimension) else "warning",
                "fill-in-solid",
                where,
                f"{share:.0%} of it lies inside the solid {solid.name!r} and stays empty",
                f"move {where}.shape or the solid, or cut it out with a difference",
            )
    if count and not free.any():
        yield Finding(
            "error",
            "fill-in-solid",
            where,
            "all of it lies inside solids: no liquid is left",
            f"move {where}.shape out of the solids",
        )
    yield from _outside(scene, where, fill.shape, "what is outside is cut off")
    thickness = _thinnest(fill.shape)
    if thickness < _FEW_CELLS * h:
        yield _too_small(scene, where, thickness, "small-feature", "the liquid hardly fills a cell there")


def _solid_findings(scene: Scene, index: int, solid: Solid) -> Iterator[Finding]:
    where, h = f'solid[{index}] "{solid.name}"', scene.domain.h
    if solid.moves:
        yield from _motion_findings(scene, where, solid)
    else:
        yield from _outside(scene, where, solid.shape, "that part has no effect")
    thickness = _thinnest(solid.shape)
    if thickness < h:
        yield _too_small(scene, where, thickness, "thin-solid", "it is simulated thicker, as a shell")
    elif thickness < _FEW_CELLS * h:
        yield _too_small(scene, where, thickness, "small-feature", "its shape is hardly seen by the liquid")


def _motion_findings(scene: Scene, where: str, solid: Solid) -> Iterator[Finding]:
    """A solid that moves: how fast, and whether it is ever seen."""
    times, origin = times_of(scene), (0.0,) * scene.dimension
    if not any(solid.at(time, scene.dimension).shape.may_overlap(origin, scene.domain.size) for time in times):
        sentence = f"is outside the domain at all times from 0 to {times[-1]:.4g} s: it does not meet the liquid"
        yield Finding("warning", "outside-domain", where, sentence, "let its motion lead into the domain")
        return
    speed = top_speed(scene, solid)
    cells = speed / (scene.time.fps * scene.domain.h)
    if cells / scene.solver.courant_of_solids > MANY_STEPS:
        return  # that is said with all else that needs many steps
    yield Finding(
        "note",
        "solid-speed",
        f"{where}.motion",
        f"{speed:.4g} m/s at the most crosses {cells:.1f} cells a frame: "
        f"{max(1, math.ceil(cells / scene.solver.courant_of_solids))} steps for each, or more",
        "lower its speed or domain.resolution, or raise time.fps, if that is too many",
    )


def _too_small(scene: Scene, where: str, thickness: float, code: str, why: str) -> Finding:
    domain = scene.domain
    needed = math.ceil(_FEW_CELLS * max(domain.size) / thickness - 1e-9)
    return Finding(
        "warning",
        code,
        where,
        f"{thickness:.4g} m at its thinnest, {thickness / domain.h:.2f} cells of {domain.h:.4g} m: {why}",
        f"make it at least {_FEW_CELLS * domain.h:.4g} m thick, or set domain.resolution = {needed}",
    )


def _outside(scene: Scene, where: str, shape: Shape, effect: str) -> Iterator[Finding]:
    """An object that reaches beyond the domain; shapes without end always do."""
    if _is_endless(shape, scene.dimension):
        return
    low, high = shape.bounds(scene.dimension)
    size = scene.domain.size
    if not shape.may_overlap((0.0,) * scene.dimension, size):
        reach = f"reaches from {_point(low)} to {_point(high)}, the domain from 0 to {_point(size)}"
        sentence = f"lies outside the domain: it {reach}. It does not meet the liquid; pictures show it"
        yield Finding("warning", "outside-domain", where, sentence, "move it inside, if it is not part of the set")
        return
    beyond = max(max(-a, b - side) for a, b, side in zip(low, high, size, strict=True))
    if beyond > scene.domain.h:
        sentence = f"reaches {beyond:.4g} m beyond the domain, {beyond / scene.domain.h:.1f} cells: {effect}"
        yield Finding("note", "outside-domain", where, sentence, "shorten it, or enlarge domain.size, if not meant")


def _is_endless(shape: Shape, dimension: int) -> bool:
    low, high = shape.bounds(dimension)
    return not all(map(math.isfinite, (*low, *high)))


def _thinnest(shape: Shape) -> float:
    """How thick a shape is where it is thinnest, or the thinnest of its parts, in metres; infinite if not known."""
    return min(map(_thinnest, shape.of)) if isinstance(shape, Union) else thickness(shape)


def _sample_points(scene: Scene) -> NDArray[np.float64]:
    """Points spread evenly over the domain."""
    domain = scene.domain
    spacing = (math.prod(domain.size) / _SAMPLES) ** (1 / scene.dimension)
    counts = [max(1, round(side / spacing)) for side in domain.size]
    axes = [(np.arange(count) + 0.5) * (side / count) for side, count in zip(domain.size, counts, strict=True)]
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _point(point: tuple[float, ...]) -> str:
    return f"({', '.join(f'{part:.4g}' for part in point)}) m"
