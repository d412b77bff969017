"""Smoke in Mitsuba's words: boxes full of a medium that is dense where the smoke is, and the light of its flames.

Mitsuba looks for places where light is scattered as if its box were everywhere as dense as at its densest place. So
there are many boxes, each about 32 cells wide and cut down to the smoke in it. They are kept apart, as all surfaces
are, by a few hundredths of a cell. Mitsuba has no medium that sends out light: flames are lamps for everything round
them, and what is seen of themselves, and what they hide, is put into the picture afterwards. Their soot is in no box:
it would keep back once more the light of the lamps in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.dense import to_dense
from plash.grid.volume import COLORS, Volume
from plash.render.mitsuba.materials import Part, rgb
from plash.render.mitsuba.placing import Placing
from plash.render.smoke.bricks import brick_tiles
from plash.render.smoke.fire import FireLamps
from plash.render.smoke.optics import SmokeOptics, tints

Array = NDArray[np.float64]

_GROUP = 4  # tiles along each side of a box
_LEAST = 1e-3  # of the light that fades in a cell: thinner smoke is not worth a box
_LAMPS = 0.5  # how often a ray looks for a flame, in times that it looks for the lamps of the room


def smoke_boxes(mi: Any, placing: Placing, volume: Volume, optics: SmokeOptics) -> Part:
    """The smoke of a volume."""
    if volume.tiles.count == 0:
        return {}
    tiles = brick_tiles(volume)
    made: Part = {}
    for index, first in enumerate(np.unique(tiles.coordinates[1:] // _GROUP, axis=0)):
        box = _Box(volume, optics, first * _GROUP * np.array(tiles.shape[::-1]), _GROUP * tiles.shape[2])
        if box.is_full:
            made[f"smoke_{index}"] = box.part(mi, placing)
    return made


def flame_lamps(placing: Placing, lamps: FireLamps) -> Part:
    """The light of flames on everything round them."""
    places = placing(lamps.places)
    return {
        f"flame_{index}": {
            "type": "point",
            "position": place.tolist(),
            "intensity": rgb(power * placing.scale**2),
            "sampling_weight": _LAMPS / len(places),
        }
        for index, (place, power) in enumerate(zip(places, lamps.power, strict=True))
    }


class _Box:
    """The cells of a cube of them that hold smoke, with one more all round, to interpolate from."""

    def __init__(self, volume: Volume, optics: SmokeOptics, corner: Array, cells: int) -> None:
        self._h = volume.h
        first = tuple(int(c) - 1 for c in corner)
        density, warmth = (
            to_dense(volume.pools[name], volume.tiles, first, (cells + 2,) * 3)
            if name in volume.pools
            else np.zeros((1, 1, 1), np.float32)
            for name in ("density", "temperature")
        )
        carried = None
        if COLORS[0] in volume.pools:
            pools = [volume.pools[name] for name in COLORS]
            carried = np.stack([to_dense(pool, volume.tiles, first, (cells + 2,) * 3) for pool in pools], axis=-1)
        self._fade = optics.opacity * np.maximum(density, 0)
        self._tints = tints(optics, warmth, carried)
        full = np.argwhere(self._fade * volume.h > _LEAST)
        self.is_full = len(full) > 0
        if self.is_full:
            # Where the smoke ends, and one cell more, but no further than the cube
            self._low = np.clip(full.min(axis=0) - 1, 1, cells)
            self._high = np.clip(full.max(axis=0) + 2, 2, cells + 1)
            self._corner = np.array(first)

    def part(self, mi: Any, placing: Placing) -> Part:
        """The box with what is in it."""
        low, high = self._low, self._high
        cut = tuple(slice(a - 1, b + 1) for a, b in zip(low, high, strict=True))
        fade = self._fade[cut]
        ends = [placing((self._corner + end) * self._h).astype(np.float64) for end in (low - 1, high + 1)]
        place = mi.ScalarTransform4f().translate(ends[0].tolist()).scale((ends[1] - ends[0]).tolist())
        inner = [placing((self._corner + end) * self._h).astype(np.float64) for end in (low, high)]
        half = (inner[1] - inner[0]) / 2 - placing.apart * placing.scale
        shape = mi.ScalarTransform4f().translate(((inner[0] + inner[1]) / 2).tolist()).scale(half.tolist())
        most = float(fade.max())
        color: Part = rgb(self._tints[0, 0, 0].astype(np.float64))
        if self._tints.size > 3:
            color = _grid(mi, self._tints[cut], place)
        medium = {
            "type": "heterogeneous",
            "albedo": color,
            "sigma_t": _grid(mi, fade[..., None] / most, place),
            "scale": most / placing.scale,
            "phase": {"type": "isotropic"},
        }
        return {"type": "cube", "to_world": shape, "bsdf": {"type": "null"}, "interior": medium}


def _grid(mi: Any, values: NDArray[np.floating], place: Any) -> Part:
    """Values [x, y, z, channel] at the middles of the cells of a box."""
    turned = np.ascontiguousarray(values.transpose(2, 1, 0, 3), np.float32)
    return {"type": "gridvolume", "grid": mi.VolumeGrid(turned), "raw": True, "to_world": place}
