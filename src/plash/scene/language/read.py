"""From a scene file to a scene, with every problem in it reported at once, by line.

A scene is found by its path, or by its name in the gallery that comes with plash.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from plash.errors import Problem, SceneError
from plash.scene.functions import functions_named, located
from plash.scene.language.amount import too_much_text
from plash.scene.language.base import validated
from plash.scene.language.gallery import gallery
from plash.scene.language.lines import LineIndex
from plash.scene.language.overrides import apply_overrides
from plash.scene.language.words import Finding, key_of, nearest, shown
from plash.scene.light_file import LIGHT_FILES
from plash.scene.model import VERSION, Scene

LARGEST_FILE = 4 * 2**20


def load_scene(name_or_path: str | Path, /, **overrides: Any) -> Scene:
    """The scene of a file or of the gallery, with some of its parameters replaced.

    Args:
        name_or_path: A name from ``gallery()``, or the path of a TOML file.
        overrides: New values of parameters, by name where one table alone has it (``resolution=32``), or by
            place in the scene (``**{"solver.transfer": "flip", "fill[0].velocity": [1, 0, 0]}``).

    Raises:
        SceneError: Lists everything that is wrong, each with its line.

    >>> load_scene("dam_break", resolution=32, frames=10).domain.cells
    (32, 16, 16)
    """
    source, text, folder = _text_of(name_or_path)
    return parse_scene(text, source, folder, **overrides)


def parse_scene(text: str, source: str = "scene", folder: str | Path = "", /, **overrides: Any) -> Scene:
    """The scene that a TOML text describes.

    Args:
        text: What stands in the file.
        source: What messages call it.
        folder: Where relative paths in it start; those in overrides start at the working directory.
        overrides: As for ``load_scene``.

    Raises:
        SceneError: Lists everything that is wrong, each with its line.

    >>> parse_scene('version = 1\\n[domain]\\nsize = [1, 1]\\n[[fill]]\\nshape = { kind = "ball" }')
    Traceback (most recent call last):
    plash.errors.SceneError: scene: line 5: fill[0].shape: kind = "ball" is not one of ...
    """
    data, lines = _parsed(text, source)
    found: list[Finding] = []
    if "version" not in data:
        found.append((("version",), f"is missing: the file must say version = {VERSION}"))
    _give_folder(data, folder)
    replaced, misnamed = apply_overrides(data, overrides)
    for place in [*replaced, *(place for place, _ in misnamed)]:
        lines.forget(place)
    scene, wrong = validated(Scene, data)
    found += misnamed + wrong
    if scene is None or found:
        problems = [Problem(key_of(place), sentence, lines.line(place)) for place, sentence in found]
        raise SceneError(sorted(problems, key=lambda problem: (not problem.key, problem.line or 0)), source)
    return scene


def as_scene(scene: Scene | str | Path) -> Scene:
    """A scene as it is, or the one of a name or path.

    Raises:
        SceneError: There is no such scene, or something is wrong in it.
        TypeError: It is none of these.

    >>> as_scene("dam_break").title
    'Dam break'
    """
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, str | Path):
        return load_scene(scene)
    raise TypeError(f"a scene is a Scene, a name from plash.gallery() or the path of a scene file, not {shown(scene)}")


def gallery_text(name: str) -> str:
    """The text of a scene file of the gallery, comments and all.

    Raises:
        SceneError: There is no scene of that name.
    """
    names = gallery()
    if name not in names:
        known = f"{nearest(name, names)} The gallery has: {', '.join(names)}"
        raise _broken(name, f"there is no scene of that name in the gallery.{known}")
    return resources.files("plash").joinpath("scenes", f"{name}.toml").read_text("utf-8")


def _give_folder(data: dict[str, Any], folder: str | Path) -> None:
    """Make the relative paths of meshes and animations, of functions' files, lights and textures start at a folder."""
    look = data.get("look")
    if isinstance(look, dict) and str(look.get("light")).lower().endswith(LIGHT_FILES):
        look["light"] = os.path.join(folder, str(look["light"]))
    level: list[Any] = [data]
    while level:
        item = level.pop()
        if isinstance(item, dict):
            is_mesh, is_animation = item.get("kind") == "mesh", "node" in item
            if (is_mesh or is_animation) and isinstance(item.get("file"), str):
                item["file"] = os.path.join(folder, item["file"])
            if isinstance(item.get("texture"), str):
                item["texture"] = os.path.join(folder, item["texture"])
            item |= {key: located(text, folder) for key, text in functions_named(item).items()}
            level += item.values()
        elif isinstance(item, list):
            level += item


def _text_of(name_or_path: str | Path) -> tuple[str, str, Path]:
    """What messages call the scene, its text, and the folder it is in."""
    source = str(name_or_path)
    if isinstance(name_or_path, str) and name_or_path in gallery():
        folder = Path(str(resources.files("plash").joinpath("scenes")))
        return f"{name_or_path}.toml", gallery_text(name_or_path), folder
    path = Path(name_or_path)
    return source, _decoded(_bytes_of(path, source), source), path.parent


def _bytes_of(path: Path, source: str) -> bytes:
    try:
        if path.is_dir():
            raise _broken(source, "is a directory: give a scene file in it")
        if not path.exists():
            names = gallery()
            raise _broken(
                source,
                f"there is no such file, and no scene of that name in the gallery."
                f"{nearest(path.name.removesuffix('.toml'), names)} The gallery has: {', '.join(names)}",
            )
        if not path.is_file():
            raise _broken(source, "is a device or pipe, not a file")
        if path.stat().st_size > LARGEST_FILE:
            raise _broken(source, f"has {path.stat().st_size} bytes: a scene file may have {LARGEST_FILE}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _broken(source, f"cannot be read: {reason}") from None


def _decoded(data: bytes, source: str) -> str:
    if b"\0" in data:
        raise _broken(source, "is a binary file, not a TOML text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {data[error.start]:#04x} is not UTF-8: save the file in that encoding"
        raise _broken(source, message, line) from None
    if not text.strip():
        raise _broken(source, "the file is empty: a scene has at least version, [domain] and [[fill]]")
    return text


def _parsed(text: str, source: str) -> tuple[dict[str, Any], LineIndex]:
    too_much = too_much_text(text)
    if too_much:
        raise _broken(source, *too_much)
    try:
        return tomllib.loads(text), LineIndex(text)
    except tomllib.TOMLDecodeError as error:
        message, line = _toml_message(str(error), text)
        raise _broken(source, f"not valid TOML: {message}", line) from None
    except RecursionError:
        raise _broken(source, "brackets are nested too deep") from None
    except ValueError as error:
        digits = re.search(rf"\d{{{sys.get_int_max_str_digits()},}}", text)
        if digits is None:
            raise _broken(source, f"not valid TOML: {error}") from None
        line = text.count("\n", 0, digits.start()) + 1
        raise _broken(source, f"a number has {len(digits.group())} digits: that is too many to read", line) from None


def _toml_message(message: str, text: str) -> tuple[str, int]:
    """The message without the line in it, and the line."""
    match = re.search(r" \(at line (\d+), column \d+\)", message)
    if match:
        return message.replace(match.group(), ""), int(match.group(1))
    return message, text.rstrip().count("\n") + 1


def _broken(source: str, message: str, line: int | None = None) -> SceneError:
    return SceneError([Problem("", message, line)], source)
