"""The light of flames on floor and solids."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import kernel
from plash.grid.loops import chunk_range
from plash.render.camera import View
from plash.render.preview.raster import BANDS
from plash.render.preview.surfaces import Seen, ray
from plash.render.smoke.fire import FireLamps, fire_light

Floats = NDArray[np.float32]
Array = NDArray[np.float64]


def add_firelight(light: Floats, view: View, depth: Floats, seen: Seen, lamps: FireLamps, floor: Array) -> None:
    """Add what opaque things, at a depth (m) at each sample, return of the light of flames.

    Args:
        light: Of the picture.
        view: That it is seen from.
        depth: Of what is opaque, infinite where there is nothing.
        seen: Normals and colours; both zero on the floor.
        lamps: The flames.
        floor: Light that the floor returns.
    """
    if len(lamps.places):
        _add(light, view.packed, depth, seen.normal, seen.color, lamps, floor, BANDS)


@kernel
def _add(light, view, depth, normal, color, lamps, floor, bands):
    rows, columns = depth.shape
    for band in numba.prange(bands):
        for i in chunk_range(band, bands, rows):
            for j in range(columns):
                far = depth[i, j]
                if not np.isfinite(far):
                    continue
                x, y, z = ray(view, i, j)
                px, py, pz = view[0] + far * x, view[1] + far * y, view[2] + far * z
                nx, ny, nz = normal[i, j, 0], normal[i, j, 1], normal[i, j, 2]
                is_floor = nx == 0 and ny == 0 and nz == 0
                if is_floor:
                    ny = np.float32(1)
                falling = fire_light(lamps, px, py, pz, nx, ny, nz)
                for part in range(3):
                    returned = floor[part] if is_floor else color[i, j, part]
                    light[i, j, part] += np.float32(returned * falling[part] / np.pi)
