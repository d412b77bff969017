"""The surface of liquid as it begins, from the shapes of its fills: nothing is seeded, so it is there in a moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.carried import COLOR, TEMPERATURE
from plash.levelset.shapes import distance
from plash.levelset.vectors import start_velocity
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh
from plash.scene.bodies import Fill, Solid
from plash.scene.colors import light_of
from plash.scene.domain import Domain
from plash.scene.liquid import Liquid

Array = NDArray[np.float64]

_LEAST = 1e-3  # of a sample: how far the surface ends before a side of the domain, so that floors are below it


def fills_mesh(fills: Sequence[Fill], solids: Sequence[Solid], domain: Domain, liquid: Liquid, samples: int) -> Mesh:
    """The surface of all fills that are there at the start (in 2-D their region), outside solids and in the domain.

    Its vertices have the velocity, the colour and the temperature of the fill that they belong to. Fills must have
    shapes; `samples` is how many there are along the longest side of the domain.

    >>> from plash.scene.shapes import Box
    >>> pool = Fill(shape=Box(min=(0, 0, 0), max=(1, 0.5, 2)))
    >>> round(fills_mesh([pool], [], Domain(size=(1, 1, 2)), Liquid(), 32).volume, 1)
    1.0
    """
    d = domain.dimension
    there = [(number, fill) for number, fill in enumerate(fills) if fill.time == 0]
    if not there:
        return Mesh.empty()
    size = np.array(domain.cells) * domain.h
    count = np.maximum(np.rint(samples * size / size.max()), 2).astype(int)
    step = size / count
    along = [width * np.arange(-1, n + 2) for width, n in zip(step, count, strict=True)]
    points = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, d)
    gap = _nearest(there, points)[0]
    near = np.flatnonzero(gap < step.max())
    for solid in solids:
        gap[near] = np.maximum(gap[near], -distance(solid.at(0.0, d).shape, points[near], solid.name))
    beyond = np.max(np.maximum(-points, points - size), axis=1)
    gap = np.maximum(gap, beyond + _LEAST * step.min())
    lattice = np.ascontiguousarray(gap.reshape([n + 3 for n in count]).T.astype(np.float32))
    mesh = mesh_of_array(lattice, 1.0, (0.0,) * d)
    places = (mesh.vertices[:, :d].astype(np.float64) - 1) * step
    vertices = np.zeros((len(places), 3), np.float32)
    vertices[:, :d] = places
    if len(places) == 0:
        return Mesh.empty()
    owner = _nearest(there, places)[1]
    velocity = np.zeros((len(places), 3), np.float32)
    for place, (number, fill) in enumerate(there):
        own = owner == place
        velocity[own, :d] = start_velocity(fill, places[own], f"fill[{number}]")

    def of_each(value: Callable[[Fill], object]) -> NDArray[np.float32]:
        return np.array([value(fill) for _, fill in there], np.float32)[owner]

    scalars = {
        COLOR: of_each(lambda fill: light_of(fill.color or liquid.seen_color)),
        TEMPERATURE: of_each(lambda fill: liquid.temperature if fill.temperature is None else fill.temperature),
    }
    return Mesh(vertices, mesh.faces, velocity=velocity, edges=mesh.edges, scalars=scalars)


def _nearest(fills: Sequence[tuple[int, Fill]], points: Array) -> tuple[Array, NDArray[np.intp]]:
    """Distance of points to the nearest fill, and which one that is."""
    gaps = np.stack([distance(fill.shape, points, f"fill[{number}].shape") for number, fill in fills])
    which = gaps.argmin(axis=0)
    return gaps[which, np.arange(len(points))], which
