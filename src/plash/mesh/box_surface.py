"""The liquid's surface from its density in a box (Kuo 5): where the density is at a level.

The density is known at the centres of cells. Samples stand on a lattice that walls pass through, as for a liquid made
of particles, and are interpolated. Into solids the density goes on for two cells, so that no gap shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import cell_centres, interpolated_at
from plash.levelset.shapes import distance
from plash.mesh.mesh import Mesh
from plash.mesh.sampled import surface_of_density
from plash.scene.bodies import Solid
from plash.scene.meshing import Meshing
from plash.timing import stage

Array = NDArray[np.float64]

_LAYERS = 2  # cells that the density goes on into solids


@stage
def box_surface(
    density: NDArray[np.float32],
    velocity: NDArray[np.float32],
    level: float,
    h: float,
    meshing: Meshing,
    solids: Sequence[Solid],
    scalars: Mapping[str, NDArray[np.float32]] = MappingProxyType({}),
) -> Mesh:
    """The surface of a liquid (in 2-D the region it fills), with normals (in 3-D) and velocities at its vertices.

    Args:
        density: In cells [[z,] y, x].
        velocity: At their centres [axis, [z,] y, x], m/s.
        level: Density at the surface.
        h: Cell size, m.
        meshing: How fine, how smooth, and whether it is closed; `drops` has no meaning here.
        solids: What stands in the box.
        scalars: What else the fluid carries in cells, by name, to be found at the vertices.
    """
    values = density.astype(np.float64)
    if solids:
        values = _into_solids(values, h, solids)
    samples = _on_lattice(values, meshing.detail)
    if not (samples > level).any():
        return Mesh.empty()
    mesh = surface_of_density(samples, level, h / meshing.detail, meshing=meshing)
    points = mesh.vertices[:, : density.ndim].astype(np.float64)
    found = {
        name: interpolated_at(carried[None], points, h)[:, 0].astype(np.float32) for name, carried in scalars.items()
    }
    return replace(mesh, velocity=_at_vertices(velocity, mesh.vertices, h), scalars=found)


def _into_solids(density: Array, h: float, solids: Sequence[Solid]) -> Array:
    """The density, going on into solids as the mean of the neighbours that are known."""
    centres = cell_centres(density.shape, h)
    is_known = np.ones(density.shape, np.bool_)
    for number, solid in enumerate(solids):
        is_known &= (distance(solid.shape, centres, solid.name or f"solid {number + 1}") >= 0).reshape(density.shape)
    for _ in range(_LAYERS):
        total, count = np.zeros(density.shape), np.zeros(density.shape)
        for axis in range(density.ndim):
            for step in (-1, 1):
                known, values = _shifted(is_known, axis, step), _shifted(np.where(is_known, density, 0.0), axis, step)
                total += values
                count += known
        reached = ~is_known & (count > 0)
        density = np.where(reached, total / np.maximum(count, 1.0), density)
        is_known = is_known | reached
    return density


def _shifted(values: NDArray[np.generic], axis: int, step: int) -> Array:
    """The values one place further along an axis; zero where they come from outside."""
    result = np.zeros(values.shape)
    ahead = (*(slice(None),) * axis, slice(1, None))
    behind = (*(slice(None),) * axis, slice(None, -1))
    target, source = (ahead, behind) if step > 0 else (behind, ahead)
    result[target] = values[source]
    return result


def _on_lattice(values: Array, detail: int) -> Array:
    """Samples at every multiple of h/detail from wall to wall, interpolated; beyond the last centre they stay the same.

    >>> _on_lattice(np.array([[0.0, 1.0], [0.0, 1.0]]), 2)[0]
    array([0. , 0. , 0.5, 1. , 1. ])
    """
    for axis, count in enumerate(values.shape):
        places = np.clip(np.arange(count * detail + 1) / detail - 0.5, 0, count - 1)
        first = np.minimum(places.astype(np.int64), max(count - 2, 0))
        share = (places - first).reshape([-1 if a == axis else 1 for a in range(values.ndim)])
        low, high = np.take(values, first, axis), np.take(values, np.minimum(first + 1, count - 1), axis)
        values = low + share * (high - low)
    return values


def _at_vertices(velocity: NDArray[np.float32], vertices: NDArray[np.float32], h: float) -> NDArray[np.float32]:
    """The velocity at points (n, 3), interpolated; the z component is 0 in 2-D."""
    d = len(velocity)
    result = np.zeros((len(vertices), 3), np.float32)
    result[:, :d] = interpolated_at(velocity, vertices[:, :d].astype(np.float64), h)
    return result
