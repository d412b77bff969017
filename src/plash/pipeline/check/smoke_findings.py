"""What will go wrong with smoke: sources that give nothing or are too small for the grid, wind that cannot blow."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plash.levelset.parts import is_small, parts_inside
from plash.levelset.shapes import distance
from plash.pipeline.check.finding import Finding
from plash.pipeline.check.step_findings import times_of
from plash.scene.domain import Domain, SideName
from plash.scene.model import Scene
from plash.scene.shapes import Shape
from plash.scene.smoke_settings import SmokeSettings
from plash.scene.sources import HeatSource, SmokeSource

_AXES = "xyz"
_SIDES: tuple[tuple[SideName, SideName], ...] = (("x_min", "x_max"), ("y_min", "y_max"), ("z_min", "z_max"))
_WIDE = 2.0  # cells that a source should be across
_LATTICE = 20  # points along each side of the box round a large shape, by which it is looked at


def smoke_source_findings(scene: Scene, where: str, source: SmokeSource | HeatSource) -> Iterator[Finding]:
    """A source in solids or outside the domain, one that does nothing, or one that is smaller than a cell."""
    shapes = _where_it_is(scene, source)
    points = [_points(scene, shape, where) for shape in shapes]
    in_domain = [some[_is_inside(scene.domain, some)] for some in points]
    free = [some[~_in_solids(scene, some)] for some in in_domain]
    effect = "it heats nothing" if isinstance(source, HeatSource) else "no smoke comes out"
    key = where.split()[0]
    if not any(map(len, free)):
        in_solids, always = any(map(len, in_domain)), " at all times" if len(shapes) > 1 else ""
        lies = "all of it lies inside solids" if in_solids else "has no part in the domain"
        yield Finding(
            "error",
            "region-in-solid" if in_solids else "empty-region",
            where,
            f"{lies}{always}: {effect}",
            f"move {key}.{'motion' if always else 'shape'} into the open",
        )
        return
    yield from _idle_source(scene, where, source)
    yield from _small_source(scene, where, source, shapes)


def wind_findings(scene: Scene) -> Iterator[Finding]:
    """Wind against sides that let no air through."""
    settings, domain = scene.solver, scene.domain
    if not isinstance(settings, SmokeSettings) or not any(settings.wind):
        return
    wind = settings.wind_in(scene.dimension)
    closed = [
        side
        for speed, sides in zip(wind, _SIDES, strict=False)
        for side in sides
        if speed != 0 and domain.side(side) == "closed"
    ]
    if not closed:
        return
    blown = "[" + ", ".join(f"{part:g}" for part in wind) + "] m/s"
    edit = f'set {", ".join(f"domain.sides.{side}" for side in closed)} to "open" or "unbounded"'
    if all(domain.side(side) == "closed" for both in _SIDES[: scene.dimension] for side in both):
        sentence = f"{blown} cannot blow: the domain is closed on all sides"
        yield Finding("warning", "no-effect", "solver.wind", sentence, edit)
        return
    verb = "lets" if len(closed) == 1 else "let"
    sentence = f"{blown} blows against {' and '.join(closed)}, which {verb} no air through: smoke piles up there"
    yield Finding("warning", "wind-at-wall", "solver.wind", sentence, edit)


def _idle_source(scene: Scene, where: str, source: SmokeSource | HeatSource) -> Iterator[Finding]:
    """A source that begins too late, gives nothing, or has fuel that nothing lights."""
    key, settings, air = where.split()[0], scene.solver, scene.liquid.temperature
    assert isinstance(settings, SmokeSettings)
    last = times_of(scene)[-1]
    if source.start >= last:
        sentence = f"begins at {source.start:g} s, and the last frame is at {last:.4g} s: nothing comes out"
        yield Finding("warning", "no-effect", f"{where}.start", sentence, f"lower {key}.start, or raise time.frames")
    if isinstance(source, HeatSource):
        return
    warmth = 0.0 if source.temperature is None else source.temperature - air
    if not (source.mass_rate or source.density_rate or source.fuel or warmth or any(source.velocity or ())):
        sentence = "gives neither smoke nor heat nor fuel, and does not blow: nothing comes out"
        yield Finding("warning", "no-effect", where, sentence, f"give it {key}.density_rate or {key}.temperature")
    warmest = max(scene.temperatures) - air
    if source.fuel > 0 and warmest < settings.ignition:
        sentence = (
            f"its fuel never burns: that begins {settings.ignition:g} K above the air (solver.ignition), and nothing "
            f"in the scene is more than {warmest:g} K above it"
        )
        edit = f"give it {key}.temperature = {math.ceil(air + settings.ignition)} or more"
        yield Finding("warning", "no-effect", f"{where}.fuel", sentence, edit)


def lift_findings(scene: Scene) -> Iterator[Finding]:
    """Heat that does not rise, since there is no gravity and the scene does not say how else it should."""
    settings = scene.solver
    if not isinstance(settings, SmokeSettings) or not scene.has_heat or settings.rise is not None:
        return
    if not any(scene.domain.gravity):
        edit = f"give solver.rise, such as 0.03, and solver.up, such as {[0, 1, 0][: scene.dimension]}, if it should"
        yield Finding("note", "no-effect", "solver.rise", "heat does not rise: domain.gravity is 0", edit)


def _where_it_is(scene: Scene, source: SmokeSource | HeatSource) -> list[Shape]:
    """Its shape, or where that is at several times if it moves."""
    if isinstance(source, HeatSource) or source.motion is None or not source.moves:
        return [source.shape]
    acting = [time for time in times_of(scene) if source.start <= time < source.end] or [source.start]
    return [source.shape.carried(*source.motion.pose(time), scene.dimension) for time in acting]


def _points(scene: Scene, shape: Shape, where: str) -> NDArray[np.float64]:
    """Centres of the cells that have a part in a shape, or of a large one points inside."""
    h, d = scene.domain.h, scene.dimension
    if is_small(shape, h, d):
        return np.asarray((parts_inside(shape, h, d, where)[0] + 0.5) * h, np.float64)
    ends = []
    for a, b, size in zip(*shape.bounds(d), scene.domain.size, strict=True):
        low, high = (a if math.isfinite(a) else 0.0), (b if math.isfinite(b) else size)
        inner = max(low, 0.0), min(high, size)
        ends.append(inner if inner[0] < inner[1] else (low, high))
    axes = [low + (np.arange(_LATTICE) + 0.5) / _LATTICE * (high - low) for low, high in ends]
    points = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    return points[distance(shape, points, where) < 0]


def _is_inside(domain: Domain, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points are in the domain; where a side is unbounded, beyond it too."""
    inside = np.ones(len(points), np.bool_)
    for axis, (size, (low, high)) in enumerate(zip(domain.size, _SIDES, strict=False)):
        if domain.side(low) != "unbounded":
            inside &= points[:, axis] > 0
        if domain.side(high) != "unbounded":
            inside &= points[:, axis] < size
    return inside


def _in_solids(scene: Scene, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    inside = np.zeros(len(points), np.bool_)
    for solid in scene.solids_at(0.0):
        inside |= distance(solid.shape, points, solid.name) < 0
    return inside


def _small_source(scene: Scene, where: str, source: SmokeSource | HeatSource, shapes: list[Shape]) -> Iterator[Finding]:
    """A source that holds no centre of a cell, or no face that it could blow on."""
    h, d = scene.domain.h, scene.dimension
    small = [shape for shape in shapes if is_small(shape, h, d)]
    if len(small) < len(shapes):
        return
    width = min(min(b - a for a, b in zip(*shape.bounds(d), strict=True)) for shape in small)
    remedy = (
        f"make {where.split()[0]}.shape at least {_WIDE * h:.4g} m across, or set domain.resolution = "
        f"{math.ceil(_WIDE * max(scene.domain.size) / width - 1e-9)}"
    )
    size = f"{width:.4g} m across, {width / h:.2f} cells of {h:.4g} m"
    centres = np.full(d, 0.5)
    if not all(_holds(shape, h, centres, where) for shape in small):
        cells = max(len(parts_inside(shape, h, d, where)[0]) for shape in small)
        spread = "the one cell" if cells == 1 else f"the {cells} cells"
        what = "it warms a part of" if isinstance(source, HeatSource) else "its smoke is right in all, but spread over"
        yield Finding("warning", "small-feature", where, f"{size}: {what} {spread} that it is in", remedy)
    if isinstance(source, HeatSource) or source.velocity is None:
        return
    for axis, speed in enumerate(source.velocity):
        faces = centres - 0.5 * np.eye(d)[axis]
        if speed != 0 and not all(_holds(shape, h, faces, where) for shape in small):
            message = f"{size}: no face of a cell is in it, so its velocity along {_AXES[axis]} moves nothing"
            yield Finding("warning", "small-feature", f"{where}.velocity", message, remedy)


def _holds(shape: Shape, h: float, offset: NDArray[np.float64], where: str) -> bool:
    """Whether a small shape holds a point that stands at an offset (in cells) from the low corner of a cell."""
    low, high = (np.array(end) / h for end in shape.bounds(len(offset)))
    first, last = np.floor(low - offset).astype(np.int64), np.ceil(high - offset).astype(np.int64) + 1
    cells = first + np.indices(tuple((last - first).tolist())).reshape(len(offset), -1).T
    return bool((distance(shape, (cells + offset) * h, where) < 0).any())
