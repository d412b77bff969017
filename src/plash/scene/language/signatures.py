"""What the tables of a scene may be made from, for type checkers: keys, units as text, tables as dictionaries.

``python -m plash.scene.language.signatures src/plash/scene/keys.pyi`` writes a `TypedDict` for each model, read from
its fields, so that they cannot differ. A model names its own as the keywords of its constructor.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable as CallableType
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from plash.scene.bodies import Solid
from plash.scene.language.fields import fields_of, models_in
from plash.scene.language.units import Quantity
from plash.scene.model import Scene
from plash.scene.solver import SOLVER_KINDS, Solver

_HEAD = '''\
"""What each table of a scene may be made from, in Python: as keywords, or as a dictionary in its place.

Written by ``python -m plash.scene.language.signatures src/plash/scene/keys.pyi``; do not edit it by hand. It is
read by type checkers only.
"""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, Required, TypedDict

from numpy.typing import NDArray

'''
_LONGEST_LINE = 120
# What a field takes beside what its type says, made of it before it is checked
_ALSO = {
    "Domain.sides": 'Literal["closed", "open", "unbounded"]',
    "Domain.friction": "float",
    "MeshShape.file": "PathLike[str]",
    "NodeMotion.file": "PathLike[str]",
}


def keys_module() -> str:
    """The text of the module."""
    models = _models(Scene, {})
    homes: dict[str, list[str]] = {}
    for model in (model for model in models.values() if model is not Scene):
        homes.setdefault(model.__module__, []).append(model.__name__)
    imports = [_import(home, sorted(names)) for home, names in sorted(homes.items())]
    shapes = "".join(f"    | {kind}\n" for kind in _shapes()).replace("    | ", "    ", 1)
    aliases = f"Vector = Sequence[float | str] | NDArray[Any]\nShape = (\n{shapes})\n"
    return "\n".join(["".join([_HEAD, *imports]), *(_table(models[name]) for name in sorted(models)), aliases])


def _import(home: str, names: list[str]) -> str:
    line = f"from {home} import {', '.join(names)}\n"
    rows = "".join(f"    {name},\n" for name in names)
    return line if len(line) <= _LONGEST_LINE else f"from {home} import (\n{rows})\n"


def _shapes() -> list[str]:
    """The types that a shape may have; a bare function stands for a shape too."""
    kinds = _kinds(Solid.model_fields["shape"].annotation)
    return [*kinds, "Callable[[NDArray[Any]], Any]", "str"]


def _models(model: type[BaseModel], found: dict[str, type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """The model, and all that its fields may hold."""
    if model.__name__ not in found:
        found[model.__name__] = model
        for field in _fields(model).values():
            for part in models_in(field.annotation):
                _models(_whole(part), found)
    return found


def _whole(model: type[BaseModel]) -> type[BaseModel]:
    """What stands for a model in Python: `Solver` for each kind of settings."""
    return Solver if issubclass(model, Solver) else model


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The keys of a model; of `Solver`, those of all kinds."""
    kinds = SOLVER_KINDS.values() if model is Solver else ()
    return fields_of(model) | {
        name: field for kind in kinds for name, field in fields_of(kind).items() if name not in model.model_fields
    }


def _table(model: type[BaseModel]) -> str:
    name, fields = f"{model.__name__}Keys", _fields(model)
    entries = {key: _entry(model, key, field) for key, field in fields.items()}
    if any(map(iskeyword, fields)):
        rows = "".join(f'        "{key}": {entry},\n' for key, entry in entries.items())
        return f'{name} = TypedDict(\n    "{name}",\n    {{\n{rows}    }},\n    total=False,\n)\n'
    rows = "".join(map(_row, entries, entries.values()))
    return f'class {name}(TypedDict, total=False):\n    """Keys of `{model.__name__}`."""\n\n{rows}'


def _row(key: str, entry: str) -> str:
    line = f"    {key}: {entry}\n"
    if len(line) <= _LONGEST_LINE:
        return line
    outer, _, inner = entry.removesuffix("]").partition("[")
    return f"    {key}: {outer}[\n        {inner.replace(' | ', chr(10) + '        | ')}\n    ]\n"


def _entry(model: type[BaseModel], name: str, field: FieldInfo) -> str:
    also = _ALSO.get(f"{model.__name__}.{name}")
    kinds = [*_kinds(field.annotation, field.metadata), *([also] if also else [])]
    text = " | ".join(dict.fromkeys(kinds))
    text = text.replace(" | ".join(_shapes()[:-2]), "Shape").replace("Sequence[float | str] | NDArray[Any]", "Vector")
    return f"Required[{text}]" if field.is_required() else text


def _kinds(annotation: Any, marks: list[Any] | tuple[Any, ...] = ()) -> list[str]:
    """The types that a value may have, as text."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kinds(parts[0], (*marks, *parts[1:]))
    if origin in (Union, types.UnionType):
        return [kind for part in parts for kind in _kinds(part, marks)]
    if origin is Literal:
        return [f"Literal[{', '.join(repr(word) for word in parts)}]".replace("'", '"')]
    if origin is tuple:
        entries = " | ".join(dict.fromkeys(_kinds(parts[0])))
        is_vector = parts[-1] is Ellipsis and not models_in(parts[0])
        return [f"Sequence[{entries}]", *(["NDArray[Any]"] if is_vector and "float" in entries else [])]
    if origin is CallableType:
        return ["Callable[..., Any]", "str"]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [_whole(annotation).__name__, f"{_whole(annotation).__name__}Keys"]
    if annotation is float and any(isinstance(mark, Quantity) and mark.name for mark in marks):
        return ["float", "str"]
    return ["None" if annotation is type(None) else annotation.__name__]


def main(path: str) -> None:
    """Write the module to a file."""
    Path(path).write_text(keys_module(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
