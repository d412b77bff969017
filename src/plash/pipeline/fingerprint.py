"""What a result depends on, as a hash: equal hashes, equal results.

The simulation depends on neither the title, the number of frames, the mesh nor the look: changing those never
simulates again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from plash.files.manifest import Origin
from plash.scene.liquid import HEAT_OF_LIQUID
from plash.scene.look import SMOKE_KEYS, Look
from plash.scene.materials import MATERIALS
from plash.scene.model import Scene
from plash.scene.settings import keys_of_all_kinds

_OF_FILLS = ("density", "velocity_at", "shape", "inside", "level")
_ELASTIC_EDITION = 7  # of what only elastic liquid does
_LEVEL_SET_EDITION = 3  # of what only level sets do
_MIX_EDITION = 1  # of colours that spread
_SPOUT_EDITION = 2  # of what comes out of spouts
_NOT_PHYSICS = ("version", "title", "mesh", "whitewater", "look", "output")


def physics(scene: Scene) -> dict[str, Any]:
    """Everything the simulation depends on, as plain data."""
    data = {name: part for name, part in scene.model_dump().items() if name not in _NOT_PHYSICS}
    data["solver"] = keys_of_all_kinds(scene.solver)
    for key in ("max_volume_error", "isovalue", "isotherm"):
        del data["solver"][key]
    del data["time"]["frames"]
    data["solid"] = _solids(solid for solid in data["solid"] if solid["collide"])
    for solid in data["solid"]:
        del solid["look"]
    if not scene.has_heat:
        _forget_heat(data)
    if not (scene.has_colors or scene.smoke_colors):
        _forget_colors(data)
    if scene.shear_modulus == 0:
        _forget_elasticity(data)
    _forget_what_nobody_said(data)
    return data


def simulation(scene: Scene) -> str:
    """A hash of everything the simulation depends on, the method itself included."""
    asked = physics(scene)
    elastic = (_ELASTIC_EDITION,) if scene.shear_modulus > 0 else ()
    level_set = (_LEVEL_SET_EDITION,) if asked["solver"].get("surface") == "levelset" else ()
    has_spouts = not scene.solver.has_no_particles and any(source["kind"] == "spout" for source in asked["source"])
    spouts = (_SPOUT_EDITION,) if has_spouts else ()
    mixes = (_MIX_EDITION,) if scene.has_colors and scene.liquid.colors == "mix" else ()
    return fingerprint(asked, *scene.solver.edition, *elastic, *level_set, *spouts, *mixes)


def branched(simulated: str, origin: Origin | None) -> str:
    """The hash of a simulation that went on from a frame of another one; its own, if it did not."""
    return simulated if origin is None else fingerprint(simulated, origin.physics, origin.frame)


def isovalue(scene: Scene) -> tuple[float, ...]:
    """What the surface depends on, beside the mesh settings and the frame: of stable fluids, which value it has."""
    return scene.solver.surface_keys


def appearance(scene: Scene) -> dict[str, Any]:
    """Everything the pictures depend on, beside the liquid itself."""
    data = scene.model_dump()
    data["solid"] = _solids(data["solid"])
    _forget_heat(data)
    _forget_elasticity(data)
    _forget_what_nobody_said(data)
    for key in SMOKE_KEYS:
        if data["look"][key] == Look.model_fields[key].default:
            del data["look"][key]
    parts = {name: data[name] for name in ("domain", "liquid", "solid", "look")}
    scale = scene.color_scale(scene.look.color_by or "")
    parts |= {} if scale is None else {"scale": scale}
    # That of the liquid, and of the look, is among them already
    own = any(body.get("color") is not None for body in (*data["fill"], *data["source"]))
    seen = {"smoke_color": scene.smoke_color} if scene.solver.has_smoke else {"color": scene.liquid_color}
    return parts | seen if own else parts


def _solids(solids: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Solids without what they do not have: runs made before they could move stay as good as they were."""
    unused = {"motion": None, "collide": True}
    return [
        {name: part for name, part in solid.items() if name not in unused or part != unused[name]} for solid in solids
    ]


def _forget_heat(data: dict[str, Any]) -> None:
    """Leave out temperatures that change nothing: runs made before there were any stay as good as they were."""
    liquid = data["liquid"]
    is_thick_by_warmth = liquid["viscosity_at"] is not None or MATERIALS[liquid["material"]].viscosity_at
    is_firm_by_warmth = liquid["shear_modulus_at"] is not None
    for key in HEAT_OF_LIQUID:
        if key != "temperature" or not (is_thick_by_warmth or is_firm_by_warmth):
            del liquid[key]
    for body in (*data["fill"], *data["source"]):
        body.pop("temperature", None)


def _forget_colors(data: dict[str, Any]) -> None:
    """Leave out the one colour that all liquid has: it changes pictures, and not the simulation."""
    for key in ("color", "colors", "color_diffusivity"):
        del data["liquid"][key]
    for body in (*data["fill"], *data["source"]):
        body.pop("color", None)


def _forget_elasticity(data: dict[str, Any]) -> None:
    """Leave out what changes nothing where no liquid is elastic: runs made before any was stay as good as they were."""
    for key in ("shear_modulus", "yield_strain", "yield_rate"):
        for body in (data["liquid"], *data["fill"], *data["source"]):
            body.pop(key, None)
    for key in ("shear_modulus_at", "shear_modulus_between"):
        data["liquid"].pop(key, None)
    for key in ("strain", "yielding"):
        data["solver"].pop(key, None)


def _forget_what_nobody_said(data: dict[str, Any]) -> None:
    """Leave out keys that came later and are not given: runs made before there were any stay as good as they were."""
    warm = {side: value for side, value in data["domain"].pop("side_temperature").items() if value is not None}
    data["domain"] |= {"side_temperature": warm} if warm else {}
    if data["liquid"]["viscosity_at"] is None:
        del data["liquid"]["viscosity_at"], data["liquid"]["viscosity_between"]
    liquid, liquids = data["liquid"], (*data["fill"], *data["source"])
    if liquid.get("shear_modulus_at") is None:
        liquid.pop("shear_modulus_at", None)
        liquid.pop("shear_modulus_between", None)
    if not data["stage"]:
        del data["stage"]
    if liquid.get("colors") == "keep":
        del liquid["colors"]
    keys = ("viscosity", liquids), ("color", (*liquids, liquid)), ("temperature", data["solid"])
    for key, bodies in (*keys, ("color_diffusivity", (liquid,)), *((key, data["fill"]) for key in _OF_FILLS)):
        for body in bodies:
            if not body.get(key) and body.get(key) != 0:
                body.pop(key, None)


def fingerprint(*parts: object) -> str:
    """A hash of plain data.

    >>> fingerprint({"b": 1, "a": (0.5, None)}) == fingerprint({"a": [0.5, None], "b": 1})
    True
    """
    text = json.dumps(parts, sort_keys=True, default=_identity)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _identity(function: object) -> str:
    """What stands for a Python function: itself, in this process. Nobody can tell whether another one does the same."""
    if not callable(function):
        raise TypeError(f"{type(function).__name__} is no plain data")
    return _identities.setdefault(id(function), (uuid4().hex, function))[0]


# The functions are kept, so that no other ever gets the same id
_identities: dict[int, tuple[str, object]] = {}


def differences(before: object, now: object, key: str = "") -> list[str]:
    """Where two trees of plain data differ: a line each.

    >>> differences({"solver": {"courant": 1.0}}, {"solver": {"courant": 2.0}})
    ['solver.courant: 1.0 in the run, 2.0 now']
    """
    if isinstance(before, dict) and isinstance(now, dict):
        pairs = [(f"{key}.{name}" if key else name, name) for name in {**before, **now}]
        return [line for place, name in pairs for line in differences(before.get(name), now.get(name), place)]
    if isinstance(before, list | tuple) and isinstance(now, list | tuple) and _tables(before, now):
        longest = range(max(len(before), len(now)))
        entries = [(_entry(before, i), _entry(now, i), f"{key}[{i}]") for i in longest]
        return [line for old, new, place in entries for line in differences(old, new, place)]
    return [] if before == now else [f"{key}: {_short(before)} in the run, {_short(now)} now"]


def _tables(before: list[Any] | tuple[Any, ...], now: list[Any] | tuple[Any, ...]) -> bool:
    return any(isinstance(item, dict) for item in (*before, *now))


def _entry(items: list[Any] | tuple[Any, ...], index: int) -> object:
    return items[index] if index < len(items) else None


def _short(value: object) -> str:
    if value is None:
        return "none"
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
