"""Replacing parameters of a scene from outside, by name: ``resolution=32`` or ``solver.transfer = "flip"``.

Changes are made to the plain data of a file, before it is checked: a bad value meets the same checks as one
in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_origin

from pydantic import BaseModel

from plash.scene.language.base import said
from plash.scene.language.fields import models_in
from plash.scene.language.words import Finding, Location, key_of, nearest, shown
from plash.scene.model import Scene

# Setting one of these takes the other one out of the file.
_EITHER_OR = (
    ("domain", "resolution", "cell_size"),
    ("liquid", "dynamic_viscosity", "kinematic_viscosity"),
)


def apply_overrides(data: dict[str, Any], overrides: Mapping[str, Any]) -> tuple[list[Location], list[Finding]]:
    """Write overrides into the data of a scene.

    Returns:
        The places replaced, and what is wrong with the names that are no places.
    """
    replaced: list[Location] = []
    found: list[Finding] = []
    for name, value in overrides.items():
        place, fault = _place_of(name)
        fault = fault or _put(data, place, value)
        if fault:
            found.append((place or (name,), fault))
        else:
            replaced.append(place)
    for table, one, other in _EITHER_OR:
        for new, old in ((one, other), (other, one)):
            if (table, new) in replaced and (table, old) not in replaced:
                data[table].pop(old, None)
    return replaced, found


def updated(scene: Scene, update: Mapping[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """What a scene says once parameters have other values, named by table, by place, or by a word that one table has.

    Returns:
        Plain data to make a scene from, and what is wrong with names that are no places.
    """
    data: dict[str, Any] = _plain(scene)
    overrides: dict[str, Any] = {}
    for name, value in update.items():
        old = data.get(name, {})
        if name in Scene.model_fields and isinstance(value, Mapping) and isinstance(old, dict):
            for key, part in value.items():
                overrides.update(_flat(f"{name}.{key}", part, old.get(key)))
        elif name in Scene.model_fields:
            data[name] = value
        else:
            overrides[name] = value
    return data, apply_overrides(data, overrides)[1]


def _flat(name: str, value: Any, old: Any) -> Iterator[tuple[str, Any]]:
    """The place and value of each key that a dictionary gives a table; the whole of it if the kind is another one."""
    if isinstance(value, Mapping) and isinstance(old, dict) and value.get("kind") in (None, old.get("kind")):
        for key, part in value.items():
            yield from _flat(f"{name}.{key}", part, old.get(key))
    else:
        yield name, value


def _plain(value: Any) -> Any:
    """Tables as dictionaries of what they say, lists of them as lists; Python functions and numbers as they are."""
    if isinstance(value, BaseModel):
        return {name: _plain(part) for name, part in said(value).items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def parameter_names() -> dict[str, list[Location]]:
    """The places in the single tables of a scene, by the last word of each."""
    names: dict[str, list[Location]] = {"title": [("title",)]}
    for table, field in Scene.model_fields.items():
        if get_origin(field.annotation) is not tuple:
            for name in dict.fromkeys(name for model in models_in(field.annotation) for name in model.model_fields):
                names.setdefault(name, []).append((table, name))
    return names


def _place_of(name: str) -> tuple[Location, str]:
    """Where a name points, or the sentence that says why nowhere."""
    names = parameter_names()
    places = names.get(name, [])
    if len(places) == 1:
        return places[0], ""
    if places:
        return (), f"is ambiguous: say which of {', '.join(map(key_of, places))}"
    place = _steps(name)
    if len(place) > 1 and place[0] in Scene.model_fields:
        return place, ""
    known = [*names, *(key_of(place) for places in names.values() for place in places)]
    return (), f"is not a parameter.{nearest(name, known)} Name one by its place, such as solver.transfer"


def _steps(name: str) -> Location:
    """The place that a dotted name describes; empty if it describes none.

    >>> _steps("solid[1].shape.radius")
    ('solid', 1, 'shape', 'radius')
    """
    if not re.fullmatch(r"[\w-]+(\.[\w-]+|\[\d{1,9}\])*", name):
        return ()
    return tuple(int(step[1:-1]) if step[0] == "[" else step for step in re.findall(r"[\w-]+|\[\d+\]", name))


def _put(data: Any, place: Location, value: object) -> str:
    """Set one value, making tables on the way; returns the sentence that says why it cannot be."""
    for depth, step in enumerate(place, start=1):
        if isinstance(step, int) and not (isinstance(data, list) and step < len(data)):
            return f"{shown(value)} has no place: the scene has no {key_of(place[:depth])}"
        if isinstance(step, str) and not isinstance(data, dict):
            return f"{shown(value)} has no place: {key_of(place[: depth - 1])} is {shown(data)}, not a table"
        if depth == len(place):
            data[step] = value
        elif isinstance(step, str) and isinstance(place[depth], str):
            data = data.setdefault(step, {})
        else:
            data = data[step] if isinstance(step, int) else data.get(step)
    return ""
