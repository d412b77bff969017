"""What covers floor and solids: the pattern of a set, and pictures from files."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.render.camera import View
from plash.render.patterns import Pattern, looked_up
from plash.render.preview.raster import Layer
from plash.render.preview.surfaces import DrawnTriangles, Seen
from plash.render.textures import texture_of, texture_places
from plash.scene.bodies import Solid
from plash.scene.model import Scene

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


class Covered(NamedTuple):
    """A solid with a texture, and which of the triangles of all solids are its own: from `first` to before `last`."""

    solid: Solid
    first: int
    last: int


def cover_floor(seen: Seen, view: View, depth: Floats, on_floor: NDArray[np.bool_], pattern: Pattern) -> None:
    """Multiply the colour of the floor, where it is seen at a depth (m), by its pattern."""
    rows, columns = np.nonzero(on_floor)
    points, rays = _points(view, depth, rows, columns)
    # A sample is longer on the floor, the flatter it is looked at
    slant = np.maximum(np.abs(rays[:, 1]) / np.linalg.norm(rays, axis=1), 0.02)
    width = depth[rows, columns] / view.focal / np.sqrt(slant)
    seen.color[rows, columns] *= pattern.at(points[:, 0], points[:, 2], width)


def cover_solids(
    seen: Seen, view: View, layer: Layer, things: DrawnTriangles, scene: Scene, covered: list[Covered], time: float
) -> None:
    """Set the colour of solids that have a texture, where a layer shows them at a time."""
    for solid, first, last in covered:
        texture = texture_of(solid)
        rows, columns = np.nonzero((layer.index >= first) & (layer.index < last))
        if texture is None or len(rows) == 0:
            continue
        points, _ = _points(view, layer.depth, rows, columns)
        corners = things.vertices[things.faces[layer.index[rows, columns]]].astype(np.float64)
        sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        places = texture_places(solid, scene.domain, time, points, sides)
        seen.color[rows, columns] = looked_up(texture, places[:, 0], places[:, 1])


def _points(view: View, depth: Floats, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> tuple[Array, Array]:
    """Points (n, 3) that are seen at a depth, and the rays to them, of depth 1."""
    u = (columns + 0.5 - view.width / 2) / view.focal
    v = (view.height / 2 - rows - 0.5) / view.focal
    rays = np.stack([u, v, np.ones_like(u)], axis=1) @ view.axes
    return view.position + depth[rows, columns].astype(np.float64)[:, None] * rays, rays
