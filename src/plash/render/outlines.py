"""What a picture of the liquid does not show, drawn over it in lines: where liquid comes from and goes, with names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.mesh.shapes import shape_mesh
from plash.render.camera import View, box_corners, camera_view
from plash.scene.bodies import Fill
from plash.scene.model import Scene
from plash.scene.openings import Disc, Opening
from plash.scene.shapes import Shape, Sphere, Union

Array = NDArray[np.float64]

_COLORS = {"fill": "#1f5f9e", "source": "#c2571a", "sink": "#7a3f93", "pump": "#1d7f6e", "force": "#1d7f6e"}
_AROUND = 48  # points round a circle
_FINER = 3  # times: lines are drawn so much larger and made smaller, which smooths them
_ARROW = 0.06  # of the longest side of the domain: the least length of an arrow
_HEAD = 0.35  # of an arrow's length
_TEXT = 1 / 45  # height of letters, of the picture's height


@dataclass(frozen=True, eq=False)
class Outline:
    """Something drawn in lines.

    Attributes:
        name: What is written beside it.
        color: As "#rrggbb".
        lines: Pairs of points (n, 2, 3), m.
    """

    name: str
    color: str
    lines: Array


def with_outlines(picture: NDArray[np.uint8], scene: Scene, time: float) -> NDArray[np.uint8]:
    """A picture (height, width, 3) of a scene with outlines over it, all of them where they are at a time (s)."""
    from PIL import Image, ImageDraw, ImageFont

    height, width, _ = picture.shape
    view = _view(scene, time, (width, height))
    found = list(outlines(scene, time))
    lines = Image.new("RGBA", (_FINER * width, _FINER * height))
    pen = ImageDraw.Draw(lines)
    for outline in found:
        for ends in _seen(view, outline.lines):
            pen.line([tuple(_FINER * end) for end in ends], fill=outline.color, width=2 * _FINER)
    drawn = Image.fromarray(picture).convert("RGBA")
    drawn.alpha_composite(lines.resize((width, height), Image.Resampling.BOX))
    pen, size = ImageDraw.Draw(drawn), max(11, round(_TEXT * height))
    font = ImageFont.load_default(size)
    for outline in found:
        ends = _seen(view, outline.lines).reshape(-1, 2)
        if len(ends):
            right, beside = ends[ends[:, 0].argmax()].tolist()
            room = pen.textlength(outline.name, font)
            place = (min(max(right + 4, 2), width - room - 2), min(max(beside - size / 2, 2), height - 1.4 * size))
            pen.text(place, outline.name, fill=outline.color, font=font, stroke_width=2, stroke_fill="#ffffff")
    return np.asarray(drawn.convert("RGB"))


def outlines(scene: Scene, time: float) -> Iterator[Outline]:
    """Late fills, sources, sinks, pumps and forces in a place, where they are at a time (s)."""
    late = [(f"fill[{n}] at {fill.time:g} s", fill) for n, fill in enumerate(scene.fill) if fill.time > 0]
    named: list[tuple[str, str, Any]] = [("fill", name, fill) for name, fill in late]
    for table in ("source", "sink", "pump", "force"):
        named += [(table, body.name, body) for body in getattr(scene, table) if body.shape is not None]
    for table, name, body in named:
        shape, motion = body.shape, getattr(body, "motion", None)
        if motion is not None:
            shape = shape.carried(*motion.pose(time), scene.dimension)
        lines = [_lines(shape, scene)]
        if getattr(body, "velocity", None) is not None and any(body.velocity) and not isinstance(body, Fill):
            lines.append(_arrow(_middle(shape, scene), _solid(body.velocity), _ARROW * max(scene.domain.size)))
        yield Outline(name, _COLORS[table], np.concatenate(lines))


def _view(scene: Scene, time: float, size: tuple[int, int]) -> View:
    domain = np.array(scene.domain.cells) * scene.domain.h
    if scene.dimension == 3:
        return camera_view(scene.look.camera, domain, size, time)
    from plash.render.preview.plane import plane_view

    return plane_view(domain, size)


def _seen(view: View, lines: Array) -> Array:
    """Both ends of those lines that are before the camera, in pixels (n, 2, 2)."""
    ends = view.project(lines.reshape(-1, 3)).reshape(-1, 2, 3)
    seen: Array = ends[(ends[..., 2] > 0).all(axis=1)][..., :2]
    return seen


def _lines(shape: Shape | Opening, scene: Scene) -> Array:
    """The outline of a shape as pairs of points (n, 2, 3)."""
    if isinstance(shape, Opening):
        return _of_opening(shape, scene)
    if scene.dimension == 2:
        region = shape_mesh(shape, scene.domain)
        flat: Array = np.asarray(region.vertices[region.edges], np.float64)
        return flat
    if isinstance(shape, Union) and shape.rotation is None and shape.translation is None:
        return np.concatenate([_lines(part, scene) for part in shape.of])
    if isinstance(shape, Sphere):
        center, axes = _middle(shape, scene), np.eye(3)
        return np.concatenate([_loop(center, shape.radius * axes[i], shape.radius * axes[i - 1]) for i in range(3)])
    low, high = (np.array(end) for end in shape.bounds(3))
    size = np.array(scene.domain.size)
    corners = box_corners(np.clip(low, 0.0, size), np.clip(high, 0.0, size))
    box: Array = corners[np.array([(k, k | bit) for bit in (1, 2, 4) for k in range(8) if not k & bit])]
    return box


def _of_opening(opening: Opening, scene: Scene) -> Array:
    """Its rim, and an arrow where the liquid goes."""
    center, (normal, *across) = opening.place
    middle, halves = _solid(center), opening.half_sides(scene.dimension)
    sides = [half * _solid(axis) for half, axis in zip(halves, across, strict=True)]
    if len(sides) == 1:
        rim = np.array([[middle - sides[0], middle + sides[0]]])
    elif isinstance(opening, Disc):
        rim = _loop(middle, *sides)
    else:
        a, b = sides
        corners = np.array([middle - a - b, middle + a - b, middle + a + b, middle - a + b])
        rim = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    length = max(2 * max(halves), _ARROW * max(scene.domain.size))
    return np.concatenate([rim, _arrow(middle, _solid(normal), length)])


def _arrow(start: Array, direction: Array, length: float) -> Array:
    along = length * direction / math.sqrt(float(direction @ direction))
    tip, side = start + along, np.cross(along, [0.0, 0.0, 1.0])
    if side @ side < 1e-12 * length**2:
        side = np.cross(along, [1.0, 0.0, 0.0])
    side *= _HEAD / 2 * length / math.sqrt(float(side @ side))
    neck = tip - _HEAD * along
    return np.array([[start, tip], [tip, neck + side], [tip, neck - side]])


def _loop(center: Array, a: Array, b: Array) -> Array:
    angle = np.linspace(0, 2 * math.pi, _AROUND + 1)[:, None]
    points = center + np.cos(angle) * a + np.sin(angle) * b
    return np.stack([points[:-1], points[1:]], axis=1)


def _middle(shape: Shape, scene: Scene) -> Array:
    """The middle of the part of a shape's box that is in the domain."""
    low, high = shape.bounds(scene.dimension)
    size = scene.domain.size
    return _solid([(max(a, 0.0) + min(b, s)) / 2 for a, b, s in zip(low, high, size, strict=True)])


def _solid(vector: Any) -> Array:
    """A vector with three entries."""
    return np.array([*vector, *(0.0,) * (3 - len(vector))], np.float64)
