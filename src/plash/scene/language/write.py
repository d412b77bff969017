"""From a scene to a scene file: the same text for the same scene, and the same scene when read again.

Values are SI numbers that read back to the last bit. What equals its default is left out, but for the
domain and the time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from plash.errors import Problem, SceneError
from plash.scene.animation import NodeMotion
from plash.scene.bodies import Fill
from plash.scene.domain import Domain, SideFriction, Sides
from plash.scene.drops import Drops
from plash.scene.functions import NamedFunction
from plash.scene.language.base import SceneModel
from plash.scene.language.fields import fields_of
from plash.scene.language.words import Finding, Location, key_of
from plash.scene.look import Look, SolidLook
from plash.scene.mesh_shape import MeshShape
from plash.scene.model import Scene
from plash.scene.settings import Time
from plash.scene.solver import Solver
from plash.scene.sources import Blob

_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_WITH_FUNCTIONS = "# Shapes or forces of this scene are Python functions, which no file can hold.\n"
_INSTEAD = 'keep this scene in Python, or name the function by its file, such as "waves:height"'


def write_scene(scene: Scene, path: str | Path) -> None:
    """Write a scene file; one already there is replaced whole, or not at all.

    The paths of meshes in the folder of the file, or below it, are relative, so that the folder can be moved.

    Raises:
        SceneError: It holds a Python function that is not named by its file.
        OSError: The file cannot be written.
    """
    path = Path(path)
    text = scene_text(scene, path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def scene_text(scene: Scene, folder: str | Path | None = None, *, name_functions: bool = False) -> str:
    """The text of a scene file.

    Args:
        scene: Any scene without Python functions, but for those named by their file.
        folder: Where the file will be; paths of meshes below it are relative, all others start at the root.
        name_functions: Let the text name Python functions, and say so in its first line: it can be shown, not read.

    Raises:
        SceneError: It holds a Python function that is not named by its file.

    >>> from plash.scene import load_scene
    >>> print(scene_text(load_scene("dam_break_2d", title="", frames=9)), end="")
    version = 1
    <BLANKLINE>
    [domain]
    size = [2.0, 1.0]
    resolution = 128
    <BLANKLINE>
    [time]
    fps = 24.0
    frames = 9
    <BLANKLINE>
    [[fill]]
    shape = { kind = "box", min = [0.0, 0.0], max = [0.5, 0.75] }
    """
    functions = list(_functions(scene))
    if functions and not name_functions:
        raise SceneError([Problem(key_of(place), sentence) for place, sentence in functions])
    top = (_WITH_FUNCTIONS if functions else "") + f"version = {scene.version}\n"
    if scene.title:
        top += f"title = {_value(scene.title)}\n"
    return "\n".join([top, *_tables(scene, Path(folder).absolute() if folder is not None else None)])


def names_functions(text: str) -> bool:
    """Whether a text of `scene_text` names Python functions, and so is no scene file."""
    return text.startswith(_WITH_FUNCTIONS)


def _tables(scene: Scene, folder: Path | None) -> Iterator[str]:
    """The paragraphs of the file, one for each table that has anything to say."""
    for name in Scene.model_fields:
        part = getattr(scene, name)
        many = isinstance(part, tuple)
        for table in part if many else (part,):
            items = _items(table, folder) if isinstance(table, SceneModel) else ()
            lines = [f"{key} = {value}\n" for key, value in items]
            if lines:
                yield "".join([f"[[{name}]]\n" if many else f"[{name}]\n", *lines])


def _items(table: SceneModel, folder: Path | None = None) -> Iterator[tuple[str, str]]:
    """Keys and values of a table as text, without those that would be the same if left out."""
    for name, field in fields_of(type(table)).items():
        value = getattr(table, name)
        default = field.default
        if isinstance(table, Domain) and name == "gravity":
            default = default[: table.dimension]
        if isinstance(table, Fill | Blob | Drops) and name == "velocity":
            default = (0.0,) * len(value)
        told = isinstance(table, Time) or name == "resolution" or (name == "kind" and not isinstance(table, Solver))
        if value is None or (value == default and not told):
            continue
        if isinstance(table, Domain) and name == "sides":
            yield name, _sides(value, table)
        elif isinstance(table, Domain) and name == "friction":
            yield name, _friction(value, table)
        elif (type(table), name) in _FILES:
            yield name, _value(_relative(value, folder))
        else:
            yield name, _value(value, folder)


# Keys that hold the path of a file
_FILES = {(MeshShape, "file"), (NodeMotion, "file"), (Look, "light"), (SolidLook, "texture")}


def _relative(file: str, folder: Path | None) -> str:
    """A path as it is written into a file of this folder."""
    path = Path(file)
    return path.relative_to(folder).as_posix() if folder is not None and path.is_relative_to(folder) else file


def _sides(sides: Sides, domain: Domain) -> str:
    """One word if all sides of the domain are alike."""
    kinds = {getattr(sides, name) for name in list(Sides.model_fields)[: 2 * domain.dimension]}
    return _value(kinds.pop()) if len(kinds) == 1 else _value(sides)


def _friction(friction: SideFriction, domain: Domain) -> str:
    """One number if all closed sides of the domain are alike."""
    names = list(Sides.model_fields)[: 2 * domain.dimension]
    values = {getattr(friction, name) for name in names if getattr(domain.sides, name) == "closed"}
    return _value(values.pop()) if len(values) == 1 else _value(friction)


def _value(value: Any, folder: Path | None = None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + re.sub(r'[\x00-\x1f\x7f"\\]', _escaped, value) + '"'
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item, folder) for item in value)}]"
    if isinstance(value, NamedFunction):
        return _value(value.text(folder))
    if callable(value):
        return _value(f"the function {getattr(value, '__name__', type(value).__name__)}")
    if isinstance(value, SceneModel):
        return f"{{ {', '.join(f'{key} = {text}' for key, text in _items(value, folder))} }}"
    return repr(value)


def _escaped(match: re.Match[str]) -> str:
    letter = match.group()
    return _ESCAPES.get(letter, f"\\u{ord(letter):04x}")


def _functions(model: BaseModel) -> Iterator[Finding]:
    """Every Python function that is not named by its file."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        if callable(value) and not isinstance(value, NamedFunction):
            yield (name,), f"is a Python function, which a scene file cannot hold: {_INSTEAD}"
        inside: list[tuple[Location, Any]] = [((name,), value)]
        if isinstance(value, tuple):
            inside = [((name, index), item) for index, item in enumerate(value)]
        for place, item in inside:
            if isinstance(item, BaseModel):
                yield from (((*place, *rest), sentence) for rest, sentence in _functions(item))
