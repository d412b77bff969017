"""Boxes and discs: solids that are placed, moved and made larger or smaller with the pointer, or by numbers."""

from __future__ import annotations

import re
from typing import Any

from plash.errors import PlashError
from plash.scene.bodies import Solid
from plash.scene.model import Scene
from plash.scene.shapes import Box, Sphere
from plash.studio.controls import roughness
from plash.studio.drawing import pieces_of

Point = tuple[float, float]

MOST = 60  # boxes and discs in a scene
_LEAST = 0.004  # size of one, of the longest side of the domain


def shapes_of(scene: Scene) -> list[dict[str, Any]]:
    """Those solids that are a box or a disc and stand still, but for drawn walls: name, kind, and two corners in m."""
    found = []
    for solid in scene.solid:
        shape = solid.shape
        if pieces_of(solid) or solid.motion is not None or shape.rotation is not None or shape.translation is not None:
            continue
        if isinstance(shape, Box):
            corners = (*shape.min, *shape.max)
        elif isinstance(shape, Sphere):
            (x, y), r = shape.center, shape.radius
            corners = (x - r, y - r, x + r, y + r)
        else:
            continue
        kind = "box" if isinstance(shape, Box) else "disc"
        found.append({"name": solid.name, "shape": kind, **dict(zip(("x0", "y0", "x1", "y1"), corners, strict=True))})
    return found


def next_shape(scene: Scene, kind: str) -> str:
    """A name for a new box or disc."""
    taken = [re.fullmatch(rf"{kind} (\d+)", solid.name) for solid in scene.solid]
    return f"{kind} {max((int(match.group(1)) for match in taken if match), default=0) + 1}"


def placed(scene: Scene, name: str, kind: str, start: Point, end: Point) -> Scene:
    """The scene with a box or a disc between two corners: the solid of that name, or a new one.

    A disc has the smaller side of the two corners' box as its diameter, and its middle. A new one is as rough as the
    walls of the scene.

    Raises:
        PlashError: There are too many, or the solid of that name is none of these.
    """
    least = _LEAST * max(scene.domain.size)
    low = tuple(min(a, b) for a, b in zip(start, end, strict=True))
    high = tuple(max(a, b, c + least) for a, b, c in zip(start, end, low, strict=True))
    shape: Box | Sphere = Box(min=low, max=high)
    if kind == "disc":
        middle = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
        shape = Sphere(center=middle, radius=min(b - a for a, b in zip(low, high, strict=True)) / 2)
    known = {item["name"] for item in shapes_of(scene)}
    if name in known:
        solids = [solid.with_values(shape=shape) if solid.name == name else solid for solid in scene.solid]
        return scene.with_values(solid=tuple(solids))
    if any(solid.name == name for solid in scene.solid):
        raise PlashError(f'"{name}" is no box or disc that stands still: draw or erase it instead')
    if len(known) >= MOST:
        raise PlashError(f"there are {len(known)} boxes and discs, and {MOST} is the most: take one away first")
    return scene.with_values(solid=(*scene.solid, Solid(name=name, shape=shape, friction=roughness(scene))))


def removed(scene: Scene, name: str) -> Scene:
    """The scene without the solid of a name.

    Raises:
        PlashError: There is none.
    """
    left = tuple(solid for solid in scene.solid if solid.name != name)
    if len(left) == len(scene.solid):
        raise PlashError(f'there is no solid called "{name}" to take away')
    return scene.with_values(solid=left)
