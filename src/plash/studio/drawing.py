"""Walls drawn and liquid poured with the mouse, as parts of the scene, so that a saved one has them.

A stroke is one solid called "wall 1", "wall 2" and so on: a union of capsules, one for each stretch. What is poured is
a blob for each drop of the brush, called "poured 1" and so on, or smoke that appears; what is warmed or cooled a source
of heat that acts for a while.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np

from plash.levelset.shapes import distance
from plash.scene.bodies import Fill, Solid
from plash.scene.language.base import FURTHEST, said
from plash.scene.language.read import parse_scene
from plash.scene.language.write import scene_text
from plash.scene.look import Look
from plash.scene.model import Scene
from plash.scene.moves import Movable, added, times
from plash.scene.shapes import Capsule, Sphere, Union
from plash.scene.sources import Blob, DyeSource, HeatSource
from plash.studio.controls import roughness

Point = tuple[float, float]
Piece = Capsule | Sphere

MOST_PIECES = 600  # in all walls together: each costs time in every new tile
_NAME = re.compile(r"wall (\d+)")
_POURED, _HEATED = re.compile(r"poured (\d+)"), re.compile(r"heated (\d+)")
_TOUCH = 0.02  # s that a touch of the heat brush lasts
_STILL, _PAUSE = 0.3, 0.1  # of a radius, and s, within which touches are one


def next_wall(scene: Scene) -> str:
    """A name for a new wall."""
    return f"wall {_next(_NAME, (solid.name for solid in scene.solid))}"


def takes_colors(scene: Scene) -> bool:
    """Whether what is poured may have a colour of its own: smoke, and liquid that has particles to carry it."""
    return scene.solver.has_smoke or (scene.solver.has_colors and not scene.solver.has_no_particles)


def poured_part(scene: Scene, disc: Sphere, time: float, color: str | None) -> Blob | Fill:
    """What is poured at a time (s), as a part of a scene: a blob, or smoke that appears."""
    kind = Fill if scene.solver.has_density else Blob
    part = kind(shape=disc, time=time, velocity=(0.0, 0.0))
    return part if color is None else part.model_copy(update={"color": color})


def note_heat(parts: list[HeatSource], disc: Sphere, temperature: float, time: float) -> None:
    """Add a source of heat for what a brush warmed or cooled at a time (s). One that stands still is one that lasts.

    >>> parts, disc = [], Sphere(center=(0.5, 0.5), radius=0.1)
    >>> for now in (1.0, 1.01, 1.02):
    ...     note_heat(parts, disc, 330.0, now)
    >>> [(part.start, part.stop) for part in parts]
    [(1.0, 1.04)]
    """
    stop = round(time + _TOUCH, 9)
    last = parts[-1] if parts else None
    if last is not None and last.temperature == temperature and isinstance(last.shape, Sphere):
        is_same = last.shape.radius == disc.radius and math.dist(last.shape.center, disc.center) < _STILL * disc.radius
        if is_same and last.end >= time - _PAUSE:
            parts[-1] = last.with_values(stop=max(stop, last.end))
            return
    parts.append(HeatSource(shape=disc, temperature=temperature, start=time, stop=stop))


def with_poured(scene: Scene, parts: Iterable[Blob | Fill | HeatSource]) -> Scene:
    """The scene with what was poured and heated by hand, where and when it was.

    Raises:
        SceneError: Its solver takes no such parts.
    """
    fills = [part for part in parts if isinstance(part, Fill)]
    blobs = [part for part in parts if isinstance(part, Blob)]
    heat = [part for part in parts if isinstance(part, HeatSource)]
    taken = [source.name for source in scene.source]
    named = [blob.with_values(name=f"poured {number}") for number, blob in enumerate(blobs, _next(_POURED, taken))]
    warm = [part.with_values(name=f"heated {number}") for number, part in enumerate(heat, _next(_HEATED, taken))]
    if any(blob.color for blob in named) or any(fill.color for fill in fills):
        scene = colored_by_itself(scene)
    whole = scene.with_values(source=(*scene.source, *named, *warm), fill=(*scene.fill, *fills))
    return parse_scene(scene_text(whole), "what was poured") if fills or named or warm else whole


def colored_by_itself(scene: Scene) -> Scene:
    """The scene with a colour of all its fluid in place of one of its look: only so may parts have others."""
    key = "smoke_color" if scene.solver.has_smoke else "color"
    told = said(scene.look)
    color = told.pop(key, None)
    if color is None:
        return scene
    return scene.with_values(liquid=scene.liquid.with_values(color=color), look=Look(**told))


def with_smokes(scene: Scene) -> Scene:
    """The scene with black and white smoke that never appears: its smoke carries a colour, which may be any."""
    scene, never = colored_by_itself(scene), Sphere(center=(0.0, 0.0), radius=1.0)
    smokes = [Fill(shape=never, time=FURTHEST, color=color) for color in ("#000000", "#ffffff")]
    return scene.with_values(fill=(*scene.fill, *smokes))


def with_palette(scene: Scene) -> Scene:
    """The scene with dye that never acts: its liquid carries a colour, so that other colours can be poured."""
    dye = DyeSource(name="palette", shape=Sphere(center=(0.0, 0.0), radius=1.0), color="white", start=FURTHEST)
    liquid = scene.liquid.with_values(color=scene.liquid_color)
    return scene.with_values(liquid=liquid, source=(*scene.source, dye))


def with_heat(scene: Scene, temperatures: Iterable[float]) -> Scene:
    """The scene with sources of heat that never act: its fluid carries a temperature, and may get so warm (K)."""
    never = Sphere(center=(0.0, 0.0), radius=1.0)
    sources = [
        HeatSource(name=f"heat brush {number}", shape=never, temperature=temperature, start=FURTHEST)
        for number, temperature in enumerate(temperatures, 1)
    ]
    return scene.with_values(source=(*scene.source, *sources)) if sources else scene


def reaching(scene: Scene, heated: tuple[float, ...], temperature: float) -> tuple[float, ...]:
    """The lowest and the highest temperature (K) that a heat brush gave, now that it gives one more.

    They are as before if the scene speaks of temperatures as low and as high.
    """
    known = scene.temperatures if scene.has_heat else ()
    if known and min(known) <= temperature <= max(known):
        return heated
    ends = (*heated, temperature)
    return min(ends), max(ends)


def _next(pattern: re.Pattern[str], names: Iterable[str]) -> int:
    """One more than the highest number in a name."""
    return max((int(match.group(1)) for name in names if (match := pattern.fullmatch(name))), default=0) + 1


def drawn(scene: Scene, name: str, start: Point, end: Point, radius: float) -> Scene:
    """The scene with one more stretch of a wall.

    A stretch that goes on straight from the last one makes it longer instead. A new wall is as rough as the others.
    """
    if sum(len(pieces_of(solid)) for solid in scene.solid) >= MOST_PIECES:
        return scene
    solids = {solid.name: solid for solid in scene.solid}
    pieces = list(pieces_of(solids[name])) if name in solids else []
    piece = _piece(start, end, radius)
    last = pieces[-1] if pieces else None
    if last is not None and (longer := _joined(last, piece)) is not None:
        pieces[-1] = longer
    else:
        pieces.append(piece)
    new = Solid(name=name, shape=piece, friction=roughness(scene))
    solids[name] = _of(solids.get(name, new), pieces)
    return scene.with_values(solid=tuple(solids.values()))


def erased(scene: Scene, place: Point, radius: float, time: float = 0.0) -> Scene:
    """The scene without what an eraser touches at a time, s: that part of drawn walls, and other solids whole.

    What is left of a wall is the same solid: its friction, its look and its motion stay.
    """
    solids = []
    for solid in scene.solid:
        pieces = pieces_of(solid)
        if not pieces:
            gap = float(distance(solid.at(time, 2).shape, np.array([place]), solid.name)[0])
            if gap > radius:
                solids.append(solid)
            continue
        there = _at_rest(solid, place, time)
        left = [part for piece in pieces for part in _parts_left(piece, there, radius)]
        if left == list(pieces):
            solids.append(solid)
        elif left:
            solids.append(_of(solid, left))
    return scene.with_values(solid=tuple(solids))


def pieces_of(solid: Solid) -> tuple[Piece, ...]:
    """The stretches of a drawn wall, where they are before it moves; none for any other solid."""
    if not _NAME.fullmatch(solid.name):
        return ()
    shape = solid.shape
    parts = shape.of if isinstance(shape, Union) else (shape,)
    pieces = tuple(part for part in parts if isinstance(part, Capsule | Sphere))
    if len(pieces) != len(parts):
        return ()
    groups = (shape,) if isinstance(shape, Union) else ()
    return tuple(_placed(piece, (piece, *groups)) for piece in pieces)


def _placed(piece: Piece, movers: tuple[Movable, ...]) -> Piece:
    """A stretch whose points say where it is, in place of a rotation and a translation."""
    if all(mover.rotation is None and mover.translation is None for mover in movers):
        return piece

    def moved(point: tuple[float, ...]) -> tuple[float, ...]:
        for mover in movers:
            if mover.rotation is not None:
                pivot = mover.pivot(2)
                point = added(times(mover.rotation.matrix(), tuple(np.subtract(point, pivot))), pivot)
            point = added(point, mover.translation or (0.0, 0.0))
        return point

    if isinstance(piece, Sphere):
        return Sphere(center=moved(piece.center), radius=piece.radius)
    return Capsule(base=moved(piece.base), top=moved(piece.top), radius=piece.radius)


def _at_rest(solid: Solid, place: Point, time: float) -> Point:
    """Where the point of a solid that is at a place at a time, s, was before it moved."""
    if solid.motion is None:
        return place
    matrix, shift = solid.motion.pose(time)
    x, y = np.subtract(place, shift[:2])
    return float(matrix[0][0] * x + matrix[1][0] * y), float(matrix[0][1] * x + matrix[1][1] * y)


def _of(solid: Solid, pieces: list[Piece]) -> Solid:
    """A wall with these stretches in place of its own."""
    return solid.with_values(shape=pieces[0] if len(pieces) == 1 else Union(of=tuple(pieces)))


def _piece(start: Point, end: Point, radius: float) -> Piece:
    if math.dist(start, end) < 1e-3 * radius:
        return Sphere(center=start, radius=radius)
    return Capsule(base=start, top=end, radius=radius)


def _joined(last: Piece, piece: Piece) -> Piece | None:
    """Two stretches as one, if the second begins where the first ends and goes on within a tenth of the radius."""
    if isinstance(piece, Sphere):
        return last if _gap(last, _point(piece.center)) <= 0 and last.radius == piece.radius else None
    if last.radius != piece.radius:
        return None
    if isinstance(last, Sphere):
        return piece if last.center == piece.base else None
    if last.top != piece.base:
        return None
    ahead = np.subtract(piece.top, last.base)
    length = float(np.hypot(*ahead))
    turn = np.subtract(last.top, last.base)
    along = float(turn @ ahead) / max(length, 1e-300)
    aside = abs(float(turn[0] * ahead[1] - turn[1] * ahead[0])) / max(length, 1e-300)
    if not 0 <= along <= length or aside > 0.1 * last.radius:
        return None
    return Capsule(base=last.base, top=piece.top, radius=last.radius)


def _parts_left(piece: Piece, place: Point, radius: float) -> list[Piece]:
    """What is left of a stretch when its axis is cut out within a radius of a point."""
    if _gap(piece, place) > radius:
        return [piece]
    if isinstance(piece, Sphere):
        return []
    base, axis = np.array(piece.base), np.subtract(piece.top, piece.base)
    length = float(np.hypot(*axis))
    middle = float((np.array(place) - base) @ axis) / length
    aside = math.dist(place, base + middle / length * axis)
    half = math.sqrt(max((radius + piece.radius) ** 2 - aside**2, 0.0))
    ends = [(0.0, middle - half), (middle + half, length)]
    return [
        Capsule(base=tuple(base + a / length * axis), top=tuple(base + b / length * axis), radius=piece.radius)
        for a, b in ends
        if b - a > 0.2 * piece.radius
    ]


def _gap(piece: Piece, place: Point) -> float:
    """Signed distance of a point to a stretch, m."""
    return float(distance(piece, np.array([place]), "wall")[0])


def _point(vector: tuple[float, ...]) -> Point:
    return vector[0], vector[1]
