"""The crust of lava: plates where it is cold, and cracks between them that show the glow beneath.

Plates are the cells of points scattered in space (Worley 1996): a crack is where the two nearest points are equally
far. They are carried by the liquid: places are looked up where the liquid was a while ago, by its velocity now, and
two such whiles that begin half a period apart are faded over into each other (Max and Becker 1995). Where nothing moves
the plates stand still.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, inlined, kernel
from plash.grid.loops import chunk_range

Array = NDArray[np.float64]

_COLD, _HOT = 0.55, 1.0  # of the heat: all crust, and none
_CRACK, _PLATE = 0.05, 0.15  # plate sizes from a crack's middle: all glow, and none
_UNDER = 0.45  # heat that cracks show at the least
_DARK = 0.02  # heat that plates show


def crust_glow(heat: Array, places: Array, flow: Array, time: float, plate: float, period: float) -> Array:
    """Heat (n,) that is seen at vertices, from 0 to 1: less on the plates of a crust, which is where heat is low.

    Args:
        heat: Of the liquid at vertices (n,), from 0 to 1.
        places: Of vertices (n, 3), m.
        flow: Velocity there (n, 3), m/s.
        time: Of the frame, s.
        plate: Size of plates, m.
        period: How long plates are carried until they fade into others, s.
    """
    away = np.zeros(len(heat))
    for half in (0.0, 0.5):
        phase = (time / period + half) % 1.0
        found = np.empty(len(heat))
        _find_cracks((places - phase * period * flow) / plate, found, chunk_count())
        away += (1 - abs(2 * phase - 1)) * found
    crack = 1 - _ramp(away, _CRACK, _PLATE)
    crust = 1 - _ramp(heat, _COLD, _HOT)
    beneath = np.maximum(heat, _UNDER)
    glow: Array = (1 - crust) * heat + crust * (_DARK + (beneath - _DARK) * crack)
    return glow


def _ramp(x: Array, start: float, end: float) -> Array:
    t = np.clip((x - start) / (end - start), 0, 1)
    ramp: Array = t * t * (3 - 2 * t)
    return ramp


@inlined
def _scattered(i, j, k, axis):
    """A number from 0 to 1 of a cell and an axis."""
    n = (
        np.uint32(i) * np.uint32(0x8DA6B343)
        ^ np.uint32(j) * np.uint32(0xD8163841)
        ^ np.uint32(k) * np.uint32(0xCB1AB31F)
    )
    n = (n ^ np.uint32(axis) * np.uint32(0x9E3779B1)) & np.uint32(0xFFFFFFFF)
    n = (n ^ (n >> np.uint32(15))) * np.uint32(0x2C1B3C6D) & np.uint32(0xFFFFFFFF)
    n = (n ^ (n >> np.uint32(12))) * np.uint32(0x297A2D39) & np.uint32(0xFFFFFFFF)
    n = n ^ (n >> np.uint32(15))
    return (n & np.uint32(0xFFFFFF)) / 16777216.0


@kernel
def _find_cracks(places, away, chunks):
    """How much further the second nearest of the scattered points is than the nearest."""
    n = len(places)
    for c in prange(chunks):
        for p in chunk_range(c, chunks, n):
            x, y, z = places[p, 0], places[p, 1], places[p, 2]
            i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
            first, second = 1e9, 1e9
            for a in range(i - 1, i + 2):
                for b in range(j - 1, j + 2):
                    for d in range(k - 1, k + 2):
                        dx = a + _scattered(a, b, d, 0) - x
                        dy = b + _scattered(a, b, d, 1) - y
                        dz = d + _scattered(a, b, d, 2) - z
                        square = dx * dx + dy * dy + dz * dz
                        if square < first:
                            first, second = square, first
                        elif square < second:
                            second = square
            away[p] = np.sqrt(second) - np.sqrt(first)
