"""Flames as lamps: the light that they throw on everything round them.

A cell of volume V that sends out q on each metre of every ray lights a surface at a distance d, facing it, with
q V / d². Cells are taken together in boxes of tiles, each a lamp in the middle of its light. Near a lamp d² is larger
by the square of its size, so that light stays finite there. Soot keeps a part of its own light.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, inlined, kernel
from plash.grid.loops import chunk_slots
from plash.grid.volume import Volume
from plash.render.smoke.optics import SmokeFields, SmokeOptics, emitted, fades

Array = NDArray[np.float64]

_GROUP = 2  # tiles along each side of a box


class FireLamps(NamedTuple):
    """Lamps.

    Attributes:
        places: Where they are (n, 3), m.
        power: Light (n, 3) on a surface at a distance of 1 m that faces them.
        reach: Size of each, m.
    """

    places: NDArray[np.float64]
    power: NDArray[np.float64]
    reach: float


def fire_lamps(volume: Volume, optics: SmokeOptics) -> FireLamps:
    """The light of a 3-D volume that glows, as lamps; none where nothing does."""
    tiles, h = volume.tiles, volume.h
    sums = np.zeros((tiles.count, 6))
    if "flame" in volume.pools or "temperature" in volume.pools:
        _add_up(SmokeFields.of(volume, tiles), optics, h, sums, chunk_count())
    bright = np.flatnonzero(sums[:, :3].sum(axis=1) > 0)
    group = tiles.coordinates[1:][bright] // _GROUP
    _, which = np.unique(group, axis=0, return_inverse=True)
    which = which.reshape(-1)
    totals = np.stack([np.bincount(which, sums[bright, column]) for column in range(6)], axis=1).astype(np.float64)
    power: Array = totals[:, :3]
    places: Array = totals[:, 3:] / power.sum(axis=1, keepdims=True)
    return FireLamps(places, power * h**3, 0.4 * tiles.shape[2] * h)


@inlined
def fire_light(lamps, x, y, z, normal_x, normal_y, normal_z):
    """Light of all lamps at a place, on a surface with a normal, or on all sides alike if that is zero."""
    red = green = blue = 0.0
    for n in range(len(lamps.places)):
        dx, dy, dz = lamps.places[n, 0] - x, lamps.places[n, 1] - y, lamps.places[n, 2] - z
        square = dx * dx + dy * dy + dz * dz + lamps.reach * lamps.reach
        facing = 0.25
        if normal_x != 0 or normal_y != 0 or normal_z != 0:
            facing = max(dx * normal_x + dy * normal_y + dz * normal_z, 0.0) / np.sqrt(square)
        facing /= square
        red += facing * lamps.power[n, 0]
        green += facing * lamps.power[n, 1]
        blue += facing * lamps.power[n, 2]
    return red, green, blue


@kernel
def _add_up(fields, optics, h, sums, chunks):
    _, deep, high, wide = fields.density.shape
    for chunk in numba.prange(chunks):
        for slot in chunk_slots(chunk, chunks, len(fields.homes)):
            home, origin = fields.homes[slot - 1], fields.origins[slot]
            for z in range(deep):
                for y in range(high):
                    for x in range(wide):
                        by_smoke, by_flame = fades(fields, optics, home, z, y, x)
                        if by_smoke + by_flame <= 0:
                            continue
                        kept = 1 + 0.25 * wide * h * (by_smoke + by_flame)
                        bright = 0.0
                        for part in range(3):
                            light = emitted(fields, optics, home, z, y, x, part) / kept
                            sums[slot - 1, part] += light
                            bright += light
                        sums[slot - 1, 3] += bright * (origin[0] + x + 0.5) * h
                        sums[slot - 1, 4] += bright * (origin[1] + y + 0.5) * h
                        sums[slot - 1, 5] += bright * (origin[2] + z + 0.5) * h
