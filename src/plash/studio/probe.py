"""The value under the pointer: what is known at a point, with its name and its unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles
from plash.studio.live import Arrays, Live

_ICE = 273.15  # K at 0 °C
# In the order in which they are told
_NAMES = {
    "u": ("Velocity along x", "m/s"),
    "v": ("Velocity along y", "m/s"),
    "speed": ("Speed", "m/s"),
    "pressure": ("Pressure", "Pa"),
    "distance": ("Distance to the surface", "m"),
    "density": ("Density", "kg/m³"),
    "share": ("Share of liquid", ""),
    "temperature": ("Temperature", "°C"),
    "viscosity": ("Viscosity", "Pa·s"),
}
_OF_VIEWS = {
    "divergence": ("Divergence after", "1/s"),
    "divergence_before": ("Divergence before", "1/s"),
    "vorticity": ("Vorticity", "1/s"),
}


def value_at(pool: NDArray[Any], tiles: Tiles, cell: tuple[int, int]) -> float:
    """The value of a 2-D pool [slot, 1, y, x] in a cell; that of the background where there is no tile."""
    _, height, width = tiles.shape
    place = np.array([[cell[0] // width, cell[1] // height, 0]], np.int64)
    slot = int(tiles.slots_of_coordinates(place)[0])
    return float(pool[slot, 0, cell[1] % height, cell[0] % width])


def velocity_at(field: FaceField | None, cell: tuple[int, int]) -> dict[str, float]:
    """The velocity (m/s) in the middle of a cell, from its faces; nothing where it is unknown."""
    if field is None:
        return {}
    i, j = cell
    u = (value_at(field.pool[0], field.tiles, (i, j)) + value_at(field.pool[0], field.tiles, (i + 1, j))) / 2
    v = (value_at(field.pool[1], field.tiles, (i, j)) + value_at(field.pool[1], field.tiles, (i, j + 1))) / 2
    return {"u": u, "v": v, "speed": math.hypot(u, v)} if math.isfinite(u) and math.isfinite(v) else {}


def cell_at(simulation: Live, x: float, y: float) -> tuple[int, int] | None:
    """The cell that a point (m) is in; None outside the domain."""
    domain = simulation.scene.domain
    i, j = math.floor(x / domain.h), math.floor(y / domain.h)
    return (i, j) if 0 <= i < domain.cells[0] and 0 <= j < domain.cells[1] else None


def probed(
    simulation: Live, view: str, point: tuple[float, float], arrays: Arrays, units: Mapping[str, float]
) -> dict[str, Any]:
    """What the page is told of a point (m): its cell, and each value that is known there with name and unit.

    Args:
        simulation: Whose values they are.
        view: What is shown.
        point: In metres.
        arrays: Of that view: they have the numbers that only some views know.
        units: Of those arrays.
    """
    cell = cell_at(simulation, *point)
    if cell is None:
        return {"cell": None, "values": []}
    known = simulation.values_at(*point)
    if "temperature" in known:
        known["temperature"] -= _ICE
    values: list[tuple[str, float, str]] = [
        (title, known[key], unit) for key, (title, unit) in _NAMES.items() if key in known
    ]
    if view in _OF_VIEWS and "value" in arrays:
        number = int(arrays["value"][cell[1], cell[0]])
        if number != -32768:
            title, unit = _OF_VIEWS[view]
            values.append((title, number * units["value"], unit))
    return {"cell": list(cell), "values": [list(value) for value in values if math.isfinite(value[1])]}
