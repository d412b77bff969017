"""What a scene puts into a box of fluid and takes out of it: late fills, sources, sinks, pumps and forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from plash.grid.box import cell_centres
from plash.levelset import inside
from plash.levelset.shapes import distance
from plash.physics.box.force_fields import BoxForceField
from plash.physics.box.obstacles import Obstacles
from plash.physics.box.pouring import BoxForce, BoxSource, Push
from plash.physics.box.sinks import BoxSink, BoxSinks
from plash.scene.bodies import Fill
from plash.scene.model import Scene
from plash.scene.openings import Disc, Opening
from plash.scene.shapes import Shape
from plash.scene.sources import Blob, Sink, Spout

Array = NDArray[np.float64]

_MOMENT = 1e-9  # seconds that a blob takes to appear
_CATCHING_UP = 2.0  # times the rate of a spout that a sink which matches it takes at most
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


def forces_of(scene: Scene) -> list[BoxForce]:
    """What acts on liquid, and the pumps that push all that is in their place."""
    forces: list[BoxForce] = []
    for force in scene.force:
        everywhere = np.ones(scene.domain.cells[::-1])
        share = everywhere if force.shape is None else _share(scene, force.shape, force.name)
        forces.append(BoxForceField(force, scene.domain.h, share))
    for pump in scene.pump:
        if pump.acceleration is not None:
            share = _share(scene, pump.shape, pump.name)
            forces.append(Push(share, tuple(pump.acceleration), pump.start, pump.end))
    return forces


def sinks_of(scene: Scene, obstacles: Obstacles) -> BoxSinks:
    """Where liquid goes: whole cells, those whose centre is inside, without those of bodies."""
    cells, h = scene.domain.cells[::-1], scene.domain.h
    is_open = np.ones(cells)
    obstacles.clear(is_open)
    spaces = np.asarray(label(is_open)[0], np.int32) if scene.sink else np.zeros(cells, np.int32)
    sinks = []
    for sink in scene.sink:
        within = (distance(sink.shape, cell_centres(cells, h), sink.name).reshape(cells) < 0) & (is_open > 0)
        for number in np.unique(spaces[within]):
            share = (within & (spaces == number)).astype(np.float64)
            part, rate = share.sum() / (within.sum() * h ** len(cells)), _most(scene, sink)
            most, space = None if rate is None else rate * part, spaces == number
            sinks.append(
                BoxSink(
                    f"sink {sink.name}", share, most, sink.start, sink.end, space, sink.match, part * h ** len(cells)
                )
            )
    return BoxSinks(sinks)


def _most(scene: Scene, sink: Sink) -> float | None:
    """Volume that a sink takes in a second at the most; None for all that is there."""
    if not sink.match:
        return sink.flow_rate
    (spout,) = (source for source in scene.source if isinstance(source, Spout) and source.name == sink.match)
    return _CATCHING_UP * spout.peak(scene.dimension) * spout.shape.area(scene.dimension)


def share_inside(shape: Shape, cells: tuple[int, ...], h: float, name: str = "shape") -> Array:
    """How much of each cell ([z,] y, x) lies in a shape, 0 to 1: by the distance of its centre, as for a flat side."""
    return inside.share_inside(distance(shape, cell_centres(cells, h), name).reshape(cells) / h)


def share_of_spout(scene: Scene, spout: Spout) -> Array:
    """How much of each cell lies in the space that a spout keeps full."""
    cells, h = scene.domain.cells[::-1], scene.domain.h
    return inside.share_inside(_distance_before(spout.shape, cell_centres(cells, h), _SPOUT * h).reshape(cells) / h)


def temperature_of(scene: Scene, body: Fill | Blob | Spout) -> float:
    """Of the liquid that appears, K."""
    return scene.liquid.temperature if body.temperature is None else body.temperature


def _share(scene: Scene, shape: Shape, name: str) -> Array:
    return share_inside(shape, scene.domain.cells[::-1], scene.domain.h, name)


def _blob(scene: Scene, name: str, blob: Fill | Blob) -> BoxSource:
    return BoxSource(
        _share(scene, blob.shape, name),
        velocity=tuple(blob.velocity),
        start=blob.time,
        stop=blob.time + _MOMENT,
        temperature=temperature_of(scene, blob),
        name=name.removesuffix(".shape"),
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
        name=spout.name,
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
