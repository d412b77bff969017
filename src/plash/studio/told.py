"""What a page is told of a scene and of each frame."""

from __future__ import annotations

import math
from typing import Any

from plash.scene.model import Scene
from plash.studio.controls import values_of, warmth_of
from plash.studio.drawing import takes_colors
from plash.studio.live import Arrays, Live, solid_distance
from plash.studio.placing import shapes_of
from plash.studio.probe import probed
from plash.studio.scales import TEMPERATURE, fluid_color, poured_color, smoke_color

OTHER = "other_"  # before the names of arrays and units of a simulation that is shown beside
_COMPARED = ("time", "steps", "kinetic", "potential", "target_volume", "particle_volume", "volume", "milliseconds")


def scene_told(simulation: Live) -> dict[str, Any]:
    """All that a page knows of a scene, and of the one beside it."""
    scene = simulation.scene
    beside = simulation.beside
    return {
        "title": scene.title,
        **_picture_told(simulation),
        "solver": scene.solver.kind,
        "counts": scene.solver.counts,
        "warmth": warmth_of(scene),
        "paints": takes_colors(scene),
        "paint": poured_color(scene),
        "solids": [solid.name for solid in scene.solid],
        "shapes": shapes_of(scene),
        "sides": scene.domain.sides.model_dump(),
        "beside": None if beside is None else _picture_told(beside),
    }


def _picture_told(simulation: Live) -> dict[str, Any]:
    """What is needed to draw a simulation, and its parameters."""
    scene = simulation.scene
    return {
        "size": [n * scene.domain.h for n in scene.domain.cells],
        "cells": scene.domain.cells,
        "h": scene.domain.h,
        "method": simulation.method,
        "color": fluid_color(scene),
        "smoke": smoke_color(scene),
        "views": simulation.views,
        "quantities": {
            name: {"title": name.replace("_", " ").capitalize(), "about": quantity.about, "unit": quantity.unit}
            for name, quantity in simulation.quantities.items()
        },
        "values": values_of(scene, has_heat=TEMPERATURE in simulation.views),
    }


def frame_told(
    simulation: Live, view: str, arrows: bool, with_solids: bool, point: tuple[float, float] | None
) -> tuple[dict[str, Any], Arrays]:
    """The header of a frame and its arrays; those of a simulation beside are called "other_..."."""
    header, arrays = _own_told(simulation, view, arrows, with_solids, point)
    header |= simulation.facts()
    other = simulation.beside
    if other is not None:
        its_view = view if view in other.views else other.views[0]
        beside, its_arrays = _own_told(other, its_view, arrows, with_solids, point)
        facts = other.facts()
        header["other"] = {"view": its_view, **beside, **{name: finite(facts[name]) for name in _COMPARED}}
        arrays |= {f"{OTHER}{name}": array for name, array in its_arrays.items()}
    return {key: finite(value) for key, value in header.items()}, arrays


def _own_told(
    simulation: Live, view: str, arrows: bool, with_solids: bool, point: tuple[float, float] | None
) -> tuple[dict[str, Any], Arrays]:
    arrays, units = simulation.arrays(view, arrows)
    scale = simulation.scale(view)
    if with_solids:
        arrays["solid"] = solid_distance(simulation.scene, simulation.time)
    header = {"units": units, "scale": scale.told() if scale is not None else None}
    if point is not None:
        header["probe"] = probed(simulation, view, point, arrays, units)
    return header, arrays


def finite(value: Any) -> Any:
    """A value that JSON can hold: no infinity, no NaN."""
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def file_name(scene: Scene) -> str:
    """A name for the file of a scene, after its title."""
    words = "".join(letter if letter.isalnum() else " " for letter in scene.title.lower()).split()
    return "_".join(words)[:60] or "scene"
