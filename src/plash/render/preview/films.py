"""Wet solids and a wet floor: darker than dry ones, and with a gloss."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.grid.loops import chunk_range
from plash.mesh.mesh import Mesh, joined
from plash.render.camera import View
from plash.render.preview.raster import BANDS, Layer, draw_triangles
from plash.render.preview.surfaces import DrawnTriangles, Seen, ray, see_triangles
from plash.render.preview.water import studio_light
from plash.render.wet_look import WetLook

Floats = NDArray[np.float32]

_ALIKE = np.float32(3e-5)  # of the depth: a film so little behind what is opaque lies on it
_STRAIGHT = 0.02  # share of light that a film mirrors from straight ahead
_SMEARED = 0.75  # of what a mirror would show: a film is not quite even


def see_films(view: View, opaque: Floats, parts: Sequence[tuple[Mesh, Floats]], near: float) -> Floats | None:
    """How much of a film is on what is seen at each sample, from 0 to 1; None if there is none at all.

    Args:
        view: The camera.
        opaque: Depth of everything opaque, m.
        parts: Wet triangles, and the film at their corners.
        near: How far (m) from a body its samples may be.
    """
    wet = joined([mesh for mesh, _ in parts])
    if len(wet.faces) == 0:
        return None
    layer = Layer.empty(view)
    draw_triangles(layer, view, wet.vertices, wet.faces)
    film = np.concatenate([film for _, film in parts])
    colors = np.ascontiguousarray(np.repeat(film[:, None], 3, axis=1), np.float32)
    seen = Seen.nothing(view, np.zeros(3))
    see_triangles(seen, view, layer, DrawnTriangles(wet.vertices, wet.faces, wet.normals, colors))
    amount: Floats = np.where(
        layer.depth <= opaque * (1 + _ALIKE) + np.float32(near), seen.color[:, :, 0], np.float32(0)
    )
    return amount if amount.any() else None


def with_film(seen: Seen, film: Floats, look: WetLook) -> Seen:
    """What is seen under a film."""
    color, at = seen.color.copy(), np.flatnonzero(film)
    samples = color.reshape(-1, 3)
    dry = samples[at]
    samples[at] = dry + film.reshape(-1)[at, None] * (look.color(dry) - dry)
    return Seen(seen.normal, color)


def add_gloss(light: Floats, view: View, seen: Seen, film: Floats, key: Floats, studio: NDArray[np.float64]) -> None:
    """Let films mirror the studio."""
    _add_gloss(light, view.packed, seen.normal, film, key, studio, BANDS)


@kernel
def _add_gloss(light, view, normal, film, key, studio, bands):
    rows, columns = film.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                if film[i, j] <= 0:
                    continue
                x, y, z = ray(view, i, j)
                scale = 1 / np.sqrt(x * x + y * y + z * z)
                x, y, z = x * scale, y * scale, z * scale
                nx, ny, nz = normal[i, j, 0], normal[i, j, 1], normal[i, j, 2]
                if nx == 0 and ny == 0 and nz == 0:
                    ny = np.float32(1)
                towards = -(x * nx + y * ny + z * nz)
                if towards <= 0:
                    continue
                x, y, z = x + 2 * towards * nx, y + 2 * towards * ny, z + 2 * towards * nz
                mirror = _STRAIGHT + (1 - _STRAIGHT) * (1 - towards) ** 5
                shown = _SMEARED * mirror * film[i, j] * studio_light(studio, x, y, z)
                for k in range(3):
                    # What hides the lamp hides its image
                    seen = shown * studio[k] * (0.3 + 0.7 * min(key[i, j, k], np.float32(1)))
                    light[i, j, k] = (1 - mirror * film[i, j]) * light[i, j, k] + seen
