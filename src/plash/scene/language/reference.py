"""The reference page of the scene file, and its JSON Schema: made from the models, so they cannot differ.

``python -m plash.scene.language.reference docs/scene_file.md`` writes the page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from plash.scene.animation import NodeMotion
from plash.scene.bodies import Fill, Solid
from plash.scene.camera import Camera, CameraKey
from plash.scene.domain import Domain, SideFriction, Sides, WarmSides
from plash.scene.drops import Drops
from plash.scene.forces import Pump
from plash.scene.language.amount import DEEPEST_KEY, MOST_VALUES
from plash.scene.language.base import FURTHEST, LONGEST_NAME
from plash.scene.language.fields import KEYS, fields_of, kind_of, marks_in, models_in, quantity_of, summary_of, words_in
from plash.scene.language.read import LARGEST_FILE
from plash.scene.language.units import DIMENSIONS
from plash.scene.language.words import shown
from plash.scene.liquid import Liquid
from plash.scene.look import Look, SolidLook
from plash.scene.materials import MATERIALS, Material
from plash.scene.meshing import Meshing
from plash.scene.model import VERSION, Scene
from plash.scene.motion import Motion, MotionKey, MotionPath, Oscillation
from plash.scene.moves import Movable, Rotation
from plash.scene.output import Output
from plash.scene.own_stage import OwnStage
from plash.scene.ramps import ModulusPoint, ViscosityPoint
from plash.scene.settings import Time
from plash.scene.shapes import DEEPEST
from plash.scene.solver import SOLVER_KINDS, Solver
from plash.scene.sources import Blob, DyeSource, HeatSource, Sink, SmokeSource, Spout
from plash.scene.whitewater import Whitewater

_MOTIONS: dict[str, type[BaseModel]] = {
    **{"motion": Motion, "oscillation": Oscillation, "keys": MotionKey, "path": MotionPath},
    "animation": NodeMotion,
}
INTRODUCTION = """\
# The scene file

![The dam break of the example](pictures/gallery/dam_break.jpg)

A scene file says what to simulate: a box of space, the liquid in it and what stands in its way. It is a
[TOML](https://toml.io) text of tables and keys. A complete one:

```toml
version = 1
title = "Dam break"

[domain]
size = ["2 m", "1 m", "1 m"]
resolution = 64

[time]
fps = 24
frames = 120

[liquid]
material = "water"

[[fill]]
shape = { kind = "box", min = [0, 0, 0], max = [0.5, 0.6, 1.0] }

[[solid]]
name = "ball"
shape = { kind = "sphere", center = [1.3, 0.2, 0.5], radius = "15 cm" }

[look]
camera = { from = [2.6, 1.4, 2.8], to = [1.0, 0.3, 0.5], fov = 35 }
```

`version` is required; every other table or key may be left out unless its default says otherwise. Tables in
double brackets, `[[fill]]` and `[[solid]]`, may occur any number of times. A key that is not on this page
is an error. Everything wrong in a file is reported at once, each with its line.

The same scene in Python, with the same names:

```python
from plash.scene import Box, Domain, Fill, Scene, Solid, Sphere, Time

scene = Scene(
    title="Dam break",
    domain=Domain(size=("2 m", "1 m", "1 m"), resolution=64),
    time=Time(fps=24, frames=120),
    fill=[Fill(shape=Box(min=(0, 0, 0), max=(0.5, 0.6, 1.0)))],
    solid=[Solid(name="ball", shape=Sphere(center=(1.3, 0.2, 0.5), radius="15 cm"))],
    look={"camera": {"from": (2.6, 1.4, 2.8), "to": (1.0, 0.3, 0.5), "fov": 35}},
)
```

## Axes

The domain stands at the origin; x goes to the right, y up and z towards you. All vectors have two entries
in a 2-D scene and three in a 3-D scene; `domain.size` decides which it is. In 2-D, volumes are per metre of
depth.

## Units

A number is in SI units. A text with a unit is converted: `"12 cm"`, `"50 cm/s"`, `"10 Pa*s"`, `"30 deg"`.
Units may be multiplied (`Pa*s`), divided (`g/cm^3`) and raised to whole powers (`m^2` or `m**2`). A unit of
the wrong kind is an error.
"""

LIMITS = f"""\
## Limits

A scene may have {MOST_VALUES:,} values in all, in a file of at most {LARGEST_FILE // 2**20} MiB. A key may have
{DEEPEST_KEY} names with dots between them, and shapes may be nested {DEEPEST} deep. The name of a body is one line
of up to {LONGEST_NAME} characters. Files that a scene names, meshes and lights, are looked at with the scene: whether
they are there, files, of the kind that their suffix promises, and of a sensible size.
"""

OVERRIDES = """\
## Overrides

A parameter can be replaced without editing the file:

```python
from plash.scene import load_scene

scene = load_scene("dam_break", resolution=32, frames=10)
scene = load_scene("my_scene.toml", **{"solver.transfer": "flip", "solid[0].shape.radius": "20 cm"})
```

The last word of a parameter is enough where one of the single tables has it (`domain`, `time`, `solver`,
`liquid`, `mesh`, `look` or `output`); others are named by their place in the scene, counted from 0 as in
the messages. `resolution` replaces a `cell_size` in the file and the other way round; so do the two
viscosities.

A scene in Python cannot be changed, but a copy of it can differ. The same names work, and a table given as a
dictionary replaces only the keys in it; the copy is checked as a file is:

```python
from plash.scene import load_scene

scene = load_scene("dam_break")
finer = scene.model_copy(update={"domain": {"resolution": 96}, "fill[0].velocity": (1, 0, 0)})
```

Wherever a table may stand, Python takes a dictionary with its keys. Type checkers know the keys of each table, and
that a quantity may be a text with a unit, without a plugin.
"""

SHAPES = """\
## Shapes

A shape is a table with a `kind`. Any shape can be turned and then shifted:
"""

SOURCES = """\
## `[[source]]`

Where liquid, heat or dye comes from during the run. The `kind` says how.
"""

FORCES = """\
## `[[force]]`

What moves liquid besides gravity; the `kind` says how. A force is an acceleration.
"""

FUNCTIONS = """\
## Functions

Where the tables above say *function*, a scene in Python takes any function:

```python
from plash.scene import Fill, FunctionForce, HeightShape

ring = Fill(shape=lambda points: abs(((points - 0.5) ** 2).sum(axis=1) ** 0.5 - 0.3) - 0.1)
slope = Fill(shape=HeightShape(height=lambda x, z: 0.1 + 0.2 * x))
waves = FunctionForce(function=lambda points, time: points * [0, 0, 0] + [0, 0, 2 * (time % 1 < 0.5)], stop=4)
```

A file names it: `"waves:height"` is the function `height` in the file waves.py beside the scene file,
`"lib.waves:height"` or `"lib/waves.py:height"` that in a folder below it. A shape may be such a name alone:

```toml
[[fill]]
shape = "waves:ring"

[[solid]]
shape = { kind = "height", height = "waves:floor" }

[[force]]
kind = "function"
function = "waves:wind"
```

A scene that names functions runs their code when it is simulated, as any Python program: read it first if it comes from
others. Reading the scene runs nothing; the studio opens no such scene from a page.
The text of the file is part of the simulation: a run goes on from its folder as long as the file says the
same, and else refuses. What the file imports is not looked at. Functions must give the same for the same
arguments, or two runs differ.
"""


def reference_page() -> str:
    """The page in Markdown."""
    parts = [INTRODUCTION, _dimensions(), LIMITS, OVERRIDES, "## The file as a whole\n", _table(Scene)]
    for title, model in (
        ("[domain]", Domain),
        ("sides", Sides),
        ("domain.friction", SideFriction),
        ("side_temperature", WarmSides),
        ("[time]", Time),
        ("[solver]", Solver),
    ):
        parts.append(_section(f"## `{title}`", model))
    parts += [_section(f'### `kind = "{kind}"`', model, Solver) for kind, model in SOLVER_KINDS.items()]
    parts += [_section("## `[liquid]`", Liquid), _section("### `viscosity_at`", ViscosityPoint)]
    parts += [_section("### `shear_modulus_at`", ModulusPoint), _materials()]
    parts += [_section("## `[[fill]]`", Fill), _section("## `[[solid]]`", Solid), _section("### `look`", SolidLook)]
    parts += [_section(f"### `{name}`", part) for name, part in _MOTIONS.items()]
    parts += _flows()
    parts += [_section("## `[mesh]`", Meshing), _section("## `[whitewater]`", Whitewater)]
    parts += [_section("## `[look]`", Look), _section("### `camera`", Camera)]
    parts.append(_section("### `camera.key`", CameraKey))
    parts += [_section("## `[output]`", Output), SHAPES, _table(Movable)]
    parts.append(_section("### `rotation`", Rotation))
    shapes = models_in(Fill.model_fields["shape"].annotation)
    parts += [_section(f"### `{kind_of(shape)}`", shape) for shape in shapes]
    parts.append(FUNCTIONS)
    return "\n".join(parts)


def _flows() -> list[str]:
    """The tables of what brings liquid in, takes it out and moves it."""
    openings = models_in(Spout.model_fields["shape"].annotation)
    forces = models_in(Scene.model_fields["force"].annotation)
    return [
        SOURCES,
        _section('### `kind = "blob"`', Blob),
        _section('### `kind = "spout"`', Spout),
        *(_section(f"#### `{kind_of(opening)}`", opening) for opening in openings),
        _section('### `kind = "drops"`', Drops),
        _section('### `kind = "heat"`', HeatSource),
        _section('### `kind = "dye"`', DyeSource),
        _section('### `kind = "smoke"`', SmokeSource),
        _section("## `[[sink]]`", Sink),
        _section("## `[[pump]]`", Pump),
        FORCES,
        *(_section(f"### `{kind_of(force)}`", force) for force in forces),
        _section("## `[[stage]]`", OwnStage),
    ]


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a scene file, for editors that complete and check keys."""
    schema: dict[str, Any] = _standard(Scene.model_json_schema())
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["required"] = ["version", "domain"]
    schema["anyOf"] = [{"required": ["fill"]}, {"required": ["source"]}]
    schema["properties"]["version"]["const"] = VERSION
    return schema


# Pydantic leaves these as they are where they apply to the entries of a list
_STANDARD_NAMES = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


def _standard(schema: Any) -> Any:
    """A schema without words of our own, in which every shape must say its kind."""
    if isinstance(schema, list):
        return [_standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    clean = {
        _STANDARD_NAMES.get(key, key): _standard(value)
        for key, value in schema.items()
        if key not in ("default_text", "type_text", "title") or isinstance(value, dict)
    }
    if isinstance(clean.get("description"), str):
        clean["description"] = clean["description"].partition(f"\n\n{KEYS}\n")[0]
    if "const" in clean.get("properties", {}).get("kind", {}) and "required" in clean:
        clean["required"] = list(dict.fromkeys(["kind", *clean["required"]]))
    return clean


def _section(title: str, model: type[BaseModel], shared: type[BaseModel] | None = None) -> str:
    summary = summary_of(model).partition(">>>")[0]
    paragraphs = [" ".join(paragraph.split()) for paragraph in summary.split("\n\n")]
    return "\n\n".join([title, *filter(None, paragraphs), _table(model, shared)])


def _table(model: type[BaseModel], shared: type[BaseModel] | None = None) -> str:
    """A row for each parameter, but for those shared with others: what it is, its unit, default, range and sentence."""
    rows = [("key", "type", "unit", "default", "range", "meaning"), ("---",) * 6]
    for name, field in fields_of(model).items():
        if name == "kind" and model is not Solver:
            continue
        if name in Movable.model_fields and model is not Movable:
            continue
        if shared is not None and name in shared.model_fields:
            continue
        quantity = quantity_of(field)
        unit = quantity.unit if quantity else ""
        rows.append((f"`{name}`", _type(field), unit, _default(field), _range(field), field.description or ""))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _type(field: FieldInfo) -> str:
    words, models, quantity = words_in(field.annotation), models_in(field.annotation), quantity_of(field)
    text = str(field.annotation)
    if said := _said(field, "type_text"):
        return said
    if len(models) > 1:
        what = "shape" if issubclass(models[0], Movable) else "table"
        return f"list of {what}s" if "tuple" in text else what
    if models:
        return "list of tables" if "tuple" in text else "table"
    if words:
        return " or ".join(f'`"{word}"`' for word in words)
    if quantity:
        name = quantity.name or "number"
        return f"vector of {name}" if "tuple" in text else name
    if "Callable" in text:
        return "function"
    for word, meaning in (("int", "whole number"), ("bool", "`true` or `false`"), ("str", "text")):
        if word in text:
            return meaning
    return "number"


def _said(field: FieldInfo, name: str) -> str:
    """What a field itself says for this column, if anything."""
    extra = field.json_schema_extra
    return str(extra.get(name, "")) if isinstance(extra, dict) else ""


def _default(field: FieldInfo) -> str:
    if said := _said(field, "default_text"):
        return said
    if field.is_required():
        return "required"
    if field.default is None:
        return "none"
    if isinstance(field.default, BaseModel):
        return "all defaults"
    return f"`{shown(field.default)}`"


def _range(field: FieldInfo) -> str:
    """The limits, but for those that only keep numbers from overflowing."""
    signs = ((Gt, "gt", ">"), (Ge, "ge", "≥"), (Le, "le", "≤"))
    found = [
        (sign, getattr(mark, name)) for mark in marks_in(field) for kind, name, sign in signs if isinstance(mark, kind)
    ]
    return ", ".join(
        f"{sign} {f'{limit:g}' if isinstance(limit, float) else limit}"
        for sign, limit in found
        if abs(limit) != FURTHEST
    )


def _dimensions() -> str:
    used = {quantity.name for quantity in map(quantity_of, _all_fields()) if quantity}
    rows = [f"| {d.name} | {d.unit} | {d.example} |\n" for d in DIMENSIONS.values() if d.name in used]
    return "".join(["| quantity | SI unit | example |\n", "| --- | --- | --- |\n", *rows])


def _all_fields() -> Iterator[FieldInfo]:
    shapes = models_in(Fill.model_fields["shape"].annotation)
    models: list[type[BaseModel]] = [
        Domain,
        Time,
        *SOLVER_KINDS.values(),
        Liquid,
        Fill,
        Solid,
        *_MOTIONS.values(),
        *models_in(Scene.model_fields["source"].annotation),
        Sink,
        Pump,
        Look,
        Camera,
        CameraKey,
        Rotation,
        *shapes,
    ]
    for model in models:
        yield from model.model_fields.values()


def _materials() -> str:
    head = "### Materials\n\n| name | density, kg/m^3 | dynamic viscosity, Pa*s | at, °C | by temperature | source |\n"
    rows = [
        f"| `{name}` | {m.density:g} | {m.dynamic_viscosity:g} | {m.temperature:g} | {_ramp(m)} | {m.source} |\n"
        for name, m in MATERIALS.items()
    ]
    return "".join([head, "| --- | --- | --- | --- | --- | --- |\n", *rows])


def _ramp(material: Material) -> str:
    """The first and the last viscosity that is known, in words."""
    if not material.viscosity_at:
        return ""
    (cold, thick), (warm, thin) = material.viscosity_at[0], material.viscosity_at[-1]
    return f"{thick:g} at {cold:g} °C to {thin:g} at {warm:g} °C"


def main(path: str) -> None:
    """Write the page to a file."""
    Path(path).write_text(reference_page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
