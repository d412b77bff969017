"""A 2-D scene given depth: every shape goes on unchanged from the front wall to the back one, and so do motions."""

from __future__ import annotations

import math
import tomllib
from typing import Any

from plash.errors import PlashError
from plash.scene.language.read import parse_scene
from plash.scene.language.write import scene_text
from plash.scene.model import Scene

_AXIS = [0, 0, 1]
_BODIES = ("fill", "solid", "source", "sink", "pump", "force")


def extruded(scene: Scene, depth: float, resolution: int, frames: int) -> Scene:
    """The scene in 3-D, between walls a depth (m) apart.

    Discs become cylinders, stadiums boxes with round ends; a shape is a little longer than the tank is deep.

    Raises:
        SceneError: It cannot be simulated so.
    """
    if scene.dimension != 2:
        raise PlashError("only a 2-D scene can be given depth: this one has three dimensions already")
    data = tomllib.loads(scene_text(scene))
    domain = data["domain"]
    domain.pop("cell_size", None)
    domain |= {"size": [*domain["size"], depth], "resolution": resolution}
    if "gravity" in domain:
        domain["gravity"] = [*domain["gravity"], 0.0]
    solver = data.get("solver", {})
    solver.pop("particles_per_cell", None)
    solver |= {key: [*solver[key], 0.0] for key in ("wind", "up") if key in solver}
    for body in (body for table in _BODIES for body in data.get(table, [])):
        _deepen(body, depth)
    data["time"]["frames"] = frames
    data["title"] = f"{scene.title or 'Scene'} in 3-D"
    return parse_scene(_text(data), "the scene in 3-D")


def _text(data: dict[str, Any]) -> str:
    """The data as a file: parse, check and write it again in order."""
    return scene_text(Scene(**data))


def _deepen(body: dict[str, Any], depth: float) -> None:
    """Give depth to the data of a body."""
    if "shape" in body:
        is_opening = body["shape"]["kind"] in ("disc", "rectangle")
        body["shape"] = (_slot if is_opening else _deep)(body["shape"], depth)
    for key, third in (("velocity", 0.0), ("acceleration", 0.0), ("point", depth / 2)):
        if key in body:
            body[key] = [*body[key], third]
    for key in ("flow_rate", "mass_rate"):
        if key in body:
            body[key] *= depth
    if body.get("kind") == "vortex":
        body["axis"] = _AXIS
    if "motion" in body:
        body["motion"] = {**_flat_motion(body["motion"]), "axis": _AXIS}


def _flat_motion(part: Any, key: str = "") -> Any:
    """The data of a motion, that stays in its plane: vectors have a third entry, which is zero."""
    if isinstance(part, dict):
        return {name: _flat_motion(value, name) for name, value in part.items()}
    if isinstance(part, list) and key in ("velocity", "center", "amplitude", "offset", "point"):
        return [*part, 0.0]
    if isinstance(part, list) and key in ("points", "keys"):
        return [_flat_motion(item, "point" if key == "points" else "") for item in part]
    return part


def _slot(opening: dict[str, Any], depth: float) -> dict[str, Any]:
    """The data of an opening that goes from the front wall to the back one."""
    x, y = opening["normal"]
    across = 2 * opening["radius"] if opening["kind"] == "disc" else opening["size"][0]
    # The level side comes first: depth, unless the opening faces straight up or down
    sides = [depth, across] if x else [across, depth]
    slot = {"kind": "rectangle", "center": [*opening["center"], depth / 2], "normal": [x, y, 0.0], "size": sides}
    return {**slot, **_moves(opening)}


def _moves(shape: dict[str, Any]) -> dict[str, Any]:
    """The data of rotation and translation, with depth."""
    moves: dict[str, Any] = {key: shape[key] for key in ("rotation", "translation") if key in shape}
    if "rotation" in moves:
        about = moves["rotation"].get("about")
        moves["rotation"] = {**moves["rotation"], "axis": _AXIS, **({"about": [*about, 0.0]} if about else {})}
    if "translation" in moves:
        moves["translation"] = [*moves["translation"], 0.0]
    return moves


def _deep(shape: dict[str, Any], depth: float) -> dict[str, Any]:
    """The data of a shape, with depth."""
    moves = _moves(shape)
    made = _own_deep({key: value for key, value in shape.items() if key not in moves}, depth)
    return {"kind": "union", "of": [made], **moves} if moves else made


def _own_deep(shape: dict[str, Any], depth: float) -> dict[str, Any]:
    low, high = -depth, 2 * depth
    match shape["kind"]:
        case "box":
            return {"kind": "box", "min": [*shape["min"], low], "max": [*shape["max"], high]}
        case "sphere":
            return _pillar(shape["center"], shape["radius"], low, high)
        case "half_space":
            return {"kind": "half_space", "point": [*shape["point"], 0.0], "normal": [*shape["normal"], 0.0]}
        case "cylinder":
            return _slab(shape, low, high)
        case "capsule":
            ends = [_pillar(shape[end], shape["radius"], low, high) for end in ("base", "top")]
            return {"kind": "union", "of": [_slab(shape, low, high), *ends]}
        case "union" | "difference":
            return {"kind": shape["kind"], "of": [_deep(part, depth) for part in shape["of"]]}
    raise PlashError(f"a shape of kind {shape['kind']} cannot be given depth")


def _pillar(center: list[float], radius: float, low: float, high: float) -> dict[str, Any]:
    return {"kind": "cylinder", "base": [*center, low], "top": [*center, high], "radius": radius}


def _slab(rod: dict[str, Any], low: float, high: float) -> dict[str, Any]:
    """A box along the axis of a rod, as wide as two radii."""
    (x0, y0), (x1, y1), radius = rod["base"], rod["top"], rod["radius"]
    half, x, y = math.dist((x0, y0), (x1, y1)) / 2, (x0 + x1) / 2, (y0 + y1) / 2
    return {
        "kind": "box",
        "min": [x - half, y - radius, low],
        "max": [x + half, y + radius, high],
        "rotation": {"angle": math.atan2(y1 - y0, x1 - x0), "axis": _AXIS},
    }
