"""Surfaces of fields in plain arrays: of a signed distance, or of a density (Kuo).

Samples stand at origin + spacing (i, j[, k]) in an array [y, x] or [z, y, x]. The array ends at walls: there the
surface is closed, as by one more layer of samples outside (Kuo 5.3), or left open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.grid.fields import CellField
from plash.mesh.draft import Draft
from plash.mesh.finish import finished, shaped
from plash.mesh.lattice import Lattice, cut_off, flush, solid_distance, walls_of
from plash.mesh.marching import field_of_array, march
from plash.mesh.mesh import Mesh
from plash.mesh.pieces import without_specks
from plash.mesh.smooth import swept
from plash.mesh.volumes import part_volumes
from plash.scene.meshing import Meshing

_PLAIN = Meshing(smoothing=0, normals="field")


def surface_of_distance(
    distance: ArrayLike, spacing: float, origin: tuple[float, ...] | None = None, meshing: Meshing = _PLAIN
) -> Mesh:
    """The surface where a distance is zero, with normals; velocities are zero. In 2-D the region inside.

    Args:
        distance: Samples [y, x] or [z, y, x], negative inside, in any unit.
        spacing: Of the samples, m.
        origin: Of the first sample (x, y[, z]), m.
        meshing: `placement`, `smoothing`, `subdivide`, `smallest` (in samples), `walls` and `normals` count here. If
            not given: interpolated, not smoothed, closed, normals from the field.

    Raises:
        ValueError: The array has not two or three axes of at least two samples, or a sample is not finite.

    Example:
        >>> z, y, x = np.mgrid[0:9, 0:9, 0:13]
        >>> pool = surface_of_distance(y - 4.25, 0.5)  # the lower half of a box of 6 m x 4 m x 4 m
        >>> round(pool.volume, 3), pool.open_edges()
        (51.0, 0)
    """
    # One more layer all round: cut off for the surface, going straight on for the slopes at walls
    samples = np.pad(_checked(distance), 1, mode="reflect", reflect_type="odd")
    dimension = samples.ndim
    field = field_of_array(samples)
    lattice = Lattice(spacing, 1, (1,) * dimension, tuple(n - 2 for n in samples.shape[::-1]), ())
    inside = cut_off(field.pool, field.tiles, lattice, solid_distance(field.tiles, lattice))
    cuts = march(CellField(field.tiles, inside), midpoints=meshing.placement == "midpoint")
    walls = walls_of(cuts.places, lattice)
    still = np.zeros((len(cuts.places), 3), np.float32)
    draft = Draft(flush(cuts.places, walls, lattice), still, walls, cuts.faces, cuts.edges)
    volumes = part_volumes(draft.places, draft.rows, draft.parts)
    draft = shaped(*without_specks(swept(draft, meshing.sweeps), volumes, meshing.smallest), meshing.subdivide)
    first = tuple(place - spacing for place in origin or (0.0,) * dimension)
    return finished(draft, field, meshing, spacing, first)


def surface_of_density(
    density: ArrayLike,
    level: float,
    spacing: float,
    origin: tuple[float, ...] | None = None,
    meshing: Meshing = _PLAIN,
) -> Mesh:
    """The surface where a density is at a level; inside it is above.

    Args:
        density: Samples [y, x] or [z, y, x].
        level: Density at the surface.
        spacing: Of the samples, m.
        origin: Of the first sample (x, y[, z]), m.
        meshing: As for `surface_of_distance`.

    Raises:
        ValueError: As `surface_of_distance`.

    Example:
        >>> y, x = np.mgrid[-8:9, -8:9]
        >>> disc = surface_of_density(np.exp(-(x**2 + y**2) / 16), np.exp(-1), 0.1)
        >>> bool(abs(disc.volume - np.pi * 0.4**2) < 0.02)
        True
    """
    return surface_of_distance(level - np.asarray(density, np.float64), spacing, origin, meshing)


def _checked(values: ArrayLike) -> NDArray[np.float32]:
    samples = np.asarray(values, np.float32)
    if samples.ndim not in (2, 3) or min(samples.shape) < 2:
        raise ValueError(f"a field of shape {samples.shape} has no surface: it needs 2 or 3 axes of at least 2 samples")
    wrong = int(samples.size - np.isfinite(samples).sum())
    if wrong:
        raise ValueError(f"{wrong} of the field's samples are not finite: it has no surface there")
    return samples
