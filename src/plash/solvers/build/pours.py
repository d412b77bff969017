"""What a scene puts into a box of fluid: late fills, sources, pumps and forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import cell_centres
from plash.levelset.shapes import distance
from plash.physics.box.pouring import BoxSource, Push
from plash.scene.bodies import Fill
from plash.scene.model import Scene
from plash.scene.openings import Disc, Opening
from plash.scene.shapes import Shape
from plash.scene.sources import Blob, Spout

Array = NDArray[np.float64]

_MOMENT = 1e-9  # seconds that a blob takes to appear
_SPOUT = 2.0  # cells before an opening that are full of its liquid


def pours_of(scene: Scene) -> list[BoxSource]:
    """Where liquid appears, or is given a velocity."""
    pours = [_blob(scene, f"fill[{n}].shape", fill) for n, fill in enumerate(scene.fill) if fill.time > 0]
    pours += [_blob(scene, source.name, source) for source in scene.source if isinstance(source, Blob)]
    pours += [_spout(scene, source) for source in scene.source if isinstance(source, Spout)]
    for pump in scene.pump:
        if pump.velocity is not None:
            share = _share(scene, pump.shape, pump.name)
            pours.append(BoxSource(share, 0.0, tuple(pump.velocity), pump.start, pump.end))
    return pours


def pushes_of(scene: Scene) -> list[Push]:
    """Where all that is there is pushed."""
    pushes = []
    for body in (*scene.pump, *scene.force):
        acceleration = getattr(body, "acceleration", None)
        if acceleration is not None:
            everywhere = np.ones(scene.domain.cells[::-1])
            share = everywhere if body.shape is None else _share(scene, body.shape, body.name)
            pushes.append(Push(share, tuple(acceleration), body.start, body.end))
    return pushes


def share_inside(shape: Shape, cells: tuple[int, ...], h: float, name: str = "shape") -> Array:
    """How much of each cell ([z,] y, x) lies in a shape, 0 to 1: by the distance of its centre, as for a flat side."""
    return _share_of(distance(shape, cell_centres(cells, h), name).reshape(cells), h)


def share_of_spout(scene: Scene, spout: Spout) -> Array:
    """How much of each cell lies in the space that a spout keeps full."""
    cells, h = scene.domain.cells[::-1], scene.domain.h
    return _share_of(_distance_before(spout.shape, cell_centres(cells, h), _SPOUT * h).reshape(cells), h)


def temperature_of(scene: Scene, body: Fill | Blob | Spout) -> float:
    """Of the liquid that appears, K."""
    return scene.liquid.temperature if body.temperature is None else body.temperature


def _share(scene: Scene, shape: Shape, name: str) -> Array:
    return share_inside(shape, scene.domain.cells[::-1], scene.domain.h, name)


def _share_of(phi: Array, h: float) -> Array:
    share: Array = np.clip(0.5 - phi / h, 0.0, 1.0)
    return share


def _blob(scene: Scene, name: str, blob: Fill | Blob) -> BoxSource:
    return BoxSource(
        _share(scene, blob.shape, name),
        velocity=tuple(blob.velocity),
        start=blob.time,
        stop=blob.time + _MOMENT,
        temperature=temperature_of(scene, blob),
    )


def _spout(scene: Scene, spout: Spout) -> BoxSource:
    """Some cells before the opening are kept full, at the speed of the spout."""
    _, (normal, *_) = spout.shape.place
    speed = spout.peak(scene.dimension)
    return BoxSource(
        share_of_spout(scene, spout),
        velocity=tuple(speed * part for part in normal),
        start=spout.start,
        stop=spout.end,
        ramp=spout.share,
        temperature=temperature_of(scene, spout),
    )


def _distance_before(opening: Opening, points: Array, length: float) -> Array:
    """Signed distance to the space before an opening, up to a length along its normal."""
    center, (normal, *across) = opening.place
    away = points - np.array(center)
    ahead = away @ np.array(normal)
    aside = np.abs(away @ np.array(across).T)
    if isinstance(opening, Disc):
        beside = np.sqrt((aside**2).sum(axis=1)) - opening.radius
    else:
        beside = (aside - np.array(opening.half_sides(points.shape[1]))).max(axis=1)
    phi: Array = np.maximum(np.abs(ahead - length / 2) - length / 2, beside)
    return phi
