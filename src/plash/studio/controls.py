"""The sliders of the studio: which parameters of a scene are offered; all about them is said by the scene's models."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from plash.errors import Problem, SceneError
from plash.scene.language.fields import marks_in, models_in, quantity_of, words_in
from plash.scene.language.read import parse_scene
from plash.scene.language.write import scene_text
from plash.scene.liquid import HEAT_OF_LIQUID, Liquid
from plash.scene.materials import MATERIALS
from plash.scene.model import Scene
from plash.scene.solver import SOLVER_KINDS


@dataclass(frozen=True)
class _Reach:
    """From where to where a slider goes, within the limits of the parameter; evenly, or by powers of ten.

    Attributes:
        least: Left end.
        most: Right end.
        powers: Whether it goes by powers of ten.
    """

    least: float | None = None
    most: float | None = None
    powers: bool = False


_OFFERED = {
    "domain.gravity": _Reach(-20, 20),
    "domain.resolution": _Reach(16, 256),
    "domain.friction": _Reach(0, 1),
    "liquid.material": _Reach(),
    "liquid.density": _Reach(100, 15000, powers=True),
    "liquid.kinematic_viscosity": _Reach(1e-7, 1e-1, powers=True),
    "liquid.thermal_expansion": _Reach(-0.1, 0.1),
    "liquid.thermal_diffusivity": _Reach(1e-8, 1e-2, powers=True),
    "solver.surface": _Reach(),
    "solver.levelset_particles": _Reach(),
    "solver.levelset_volume": _Reach(),
    "solver.viscosity": _Reach(),
    "solver.transfer": _Reach(),
    "solver.flip_ratio": _Reach(),
    "solver.free_surface": _Reach(),
    "solver.courant": _Reach(0.2, 5),
    "solver.tolerance": _Reach(1e-8, 1e-1, powers=True),
    "solver.density_projection": _Reach(),
    "solver.separating_walls": _Reach(),
    "solver.solids": _Reach(),
    "solver.jitter": _Reach(),
    "solver.advection": _Reach(),
    "solver.diffusion": _Reach(0, 1e-3),
    "solver.confinement": _Reach(0, 10),
    "solver.wind": _Reach(-3, 3),
    "solver.wind_rate": _Reach(0, 10),
    "solver.rise": _Reach(0, 0.1),
    "solver.fall": _Reach(0, 20),
    "solver.decay": _Reach(0, 2),
    "solver.cooling": _Reach(0, 5),
    "solver.conserve": _Reach(),
    "solver.burn_rate": _Reach(0.5, 20, powers=True),
    "solver.burn_heat": _Reach(0, 3000),
    "solver.soot": _Reach(0, 5),
    "solver.expansion": _Reach(0, 5),
}
_TITLES = {"domain.friction": "roughness of walls"}
_SENTENCES = {
    "domain.friction": "How much all walls hold fluid back, sides and solids: 0 lets it slide freely, 1 stops it. "
    "It is the friction of the scene file.",
}
_OF_LEVEL_SETS = ("solver.levelset_particles", "solver.levelset_volume")
_OF_PARTICLES = (
    *("solver.transfer", "solver.flip_ratio", "solver.free_surface", "solver.density_projection"),
    *("solver.separating_walls", "solver.jitter"),
)
_OF_FIRE = ("solver.burn_rate", "solver.burn_heat", "solver.soot", "solver.expansion")
_OF_VISCOUS = ("liquid.material", "liquid.kinematic_viscosity", "liquid.thermal_expansion")
_BRUSH, _BRUSH_IN_AIR = (-40.0, 80.0), (-80.0, 400.0)  # K, between which a heat brush makes fluid warmer


def controls() -> list[dict[str, Any]]:
    """What the page needs to make a slider, a menu or a switch for each parameter."""
    return [_control(key, reach) for key, reach in _OFFERED.items()]


def values_of(scene: Scene, has_heat: bool | None = None) -> dict[str, Any]:
    """The present value of each parameter that is offered and that the scene's kind of solver has.

    Args:
        scene: As it is now.
        has_heat: Whether its fluid carries a temperature; as the scene says, if not given.
    """
    values: dict[str, Any] = {}
    for key in _OFFERED:
        table, name = key.split(".")
        part = getattr(scene, table)
        if name in type(part).model_fields:
            values[key] = getattr(part, name)
    # What a material says is what counts if the scene says nothing
    values["domain.friction"] = roughness(scene)
    values["liquid.density"] = scene.liquid.rho
    values["liquid.kinematic_viscosity"] = scene.liquid.nu
    if scene.domain.resolution is None:
        values["domain.resolution"] = max(scene.domain.cells)
    if "solver.wind" in values:
        values["solver.wind"] = list(values["solver.wind"][:2])
    if values.get("solver.rise", 0.0) is None:
        values["solver.rise"] = math.hypot(*scene.domain.gravity) / scene.liquid.temperature
    without = (
        set() if (scene.has_heat if has_heat is None else has_heat) else {f"liquid.{key}" for key in HEAT_OF_LIQUID}
    )
    without |= set() if scene.solver.has_viscosity else set(_OF_VISCOUS)
    without |= set(_OF_PARTICLES if getattr(scene.solver, "surface", "") == "levelset" else _OF_LEVEL_SETS)
    without |= set() if any(getattr(source, "fuel", 0.0) > 0 for source in scene.source) else set(_OF_FIRE)
    return {key: value for key, value in values.items() if key not in without}


def warmth_of(scene: Scene) -> list[float]:
    """How much colder and warmer than all fluid at the start a heat brush goes (K): at least as far as the scene does.

    Empty if its fluid carries no heat.
    """
    if _is_level_set(scene):
        return []
    low, high = _BRUSH_IN_AIR if scene.solver.has_smoke else _BRUSH
    own = scene.liquid.temperature
    known = [*scene.temperatures, *(point.temperature for point in scene.liquid.viscosity_points)]
    return [min(low, *(value - own for value in known)), max(high, *(value - own for value in known))]


def roughness(scene: Scene) -> float:
    """Friction of the walls of a scene: the largest of its sides and solids."""
    sides = scene.domain.friction.model_dump().values()
    return float(max([*sides, *(solid.friction for solid in scene.solid)]))


def with_value(scene: Scene, key: str, value: object) -> Scene:
    """The scene with a parameter replaced; it meets the same checks as one in a file.

    Raises:
        SceneError: The scene refuses it, or the studio does not offer it.

    >>> import plash
    >>> with_value(plash.load_scene("dam_break_2d"), "solver.flip_ratio", 0.5).solver.flip_ratio
    0.5
    """
    if key not in _OFFERED:
        raise SceneError([Problem(key, "cannot be changed here: edit the scene file")], "the studio")
    if key == "liquid.material":
        kept = {name: getattr(scene.liquid, name) for name in ("gas_pressure", *HEAT_OF_LIQUID)}
        scene = scene.with_values(liquid=Liquid(**kept))
    if key == "solver.surface":
        # What was chosen for the other surface has no meaning for this one
        others = {name.removeprefix("solver.") for name in (*_OF_PARTICLES, *_OF_LEVEL_SETS)} - {"jitter"}
        said = scene.solver.model_fields_set - others
        scene = scene.with_values(solver=type(scene.solver)(**{name: getattr(scene.solver, name) for name in said}))
    if key == "domain.resolution" and isinstance(value, float):
        value = round(value)
    if key == "domain.friction" and isinstance(value, int | float) and 0 <= value <= 1:
        # All walls are as rough as the sides
        scene = scene.with_values(solid=tuple(solid.with_values(friction=float(value)) for solid in scene.solid))
    return parse_scene(scene_text(scene), "the studio", "", **{key: value})


def _is_level_set(scene: Scene) -> bool:
    return getattr(scene.solver, "surface", "particles") == "levelset"


def _field(key: str) -> FieldInfo:
    table, name = key.split(".")
    models: list[type[BaseModel]] = models_in(Scene.model_fields[table].annotation)
    return next(model.model_fields[name] for model in models if name in model.model_fields)


def _control(key: str, reach: _Reach) -> dict[str, Any]:
    field = _field(key)
    table, name = key.split(".")
    quantity = quantity_of(field)
    least, most = _limits(field)
    words = list(MATERIALS) if key == "liquid.material" else words_in(field.annotation)
    return {
        "key": key,
        "table": table,
        "name": _TITLES.get(key, name.replace("_", " ")),
        "type": _type(field, words),
        "words": words,
        "unit": quantity.unit if quantity else "",
        "least": _within(reach.least, least, max),
        "most": _within(reach.most, most, min),
        "powers": reach.powers,
        "sentence": _SENTENCES.get(key, field.description or ""),
        "sentences": _sentences(key),
    }


def _sentences(key: str) -> dict[str, str]:
    """What each kind of solver says of a parameter of its own."""
    table, name = key.split(".")
    if table != "solver":
        return {}
    fields = {kind: model.model_fields.get(name) for kind, model in SOLVER_KINDS.items()}
    return {kind: field.description or "" for kind, field in fields.items() if field is not None}


def _type(field: FieldInfo, words: list[str]) -> str:
    text = str(field.annotation)
    if words:
        return "words"
    if "bool" in text:
        return "switch"
    if "tuple" in text:
        return "vector"
    return "whole" if "int" in text else "number"


def _within(wanted: float | None, limit: float | None, sterner: Any) -> float | None:
    known = [value for value in (wanted, limit) if value is not None]
    return sterner(known) if known else None


def _limits(field: FieldInfo) -> tuple[float | None, float | None]:
    least = most = None
    for mark in marks_in(field):
        if isinstance(mark, Ge):
            least = float(mark.ge)  # type: ignore[arg-type]
        elif isinstance(mark, Gt):
            least = float(mark.gt)  # type: ignore[arg-type]
        elif isinstance(mark, Le):
            most = float(mark.le)  # type: ignore[arg-type]
    return least, most
