"""The scenes that the studio offers: its own, and those of the gallery with two dimensions and no files."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from plash.errors import Problem, SceneError
from plash.scene.functions import functions_named
from plash.scene.language.gallery import gallery
from plash.scene.language.read import gallery_text
from plash.scene.sets import LIGHTS

FIRST = "dam"


def presets() -> list[dict[str, str]]:
    """Name, title and what it shows, in the order to offer them."""
    own = [file.name.removesuffix(".toml") for file in _own().iterdir() if file.name.endswith(".toml")]
    names = [*sorted(own, key=lambda name: (name != FIRST, name)), *gallery()]
    return [_described(name) for name in names if _can_be_shown(_read(name))]


def preset_text(name: str) -> str:
    """The text of a scene file.

    Raises:
        SceneError: There is no such scene.
    """
    if name not in {preset["name"] for preset in presets()}:
        raise SceneError([Problem("", "there is no scene of that name in the studio")], name[:60])
    return _text(name)


def _own() -> Any:
    return resources.files("plash").joinpath("studio", "presets")


def _text(name: str) -> str:
    file = _own().joinpath(f"{name}.toml")
    return str(file.read_text("utf-8")) if file.is_file() else gallery_text(name)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(_text(name))


def _can_be_shown(data: dict[str, Any]) -> bool:
    """Whether a scene has two dimensions, and names no file, which a page may not do."""
    return len(data["domain"]["size"]) == 2 and not names_a_file(data)


def _described(name: str) -> dict[str, str]:
    first = _text(name).partition("\n")[0].lstrip("# ")
    return {"name": name, "title": str(_read(name).get("title", name)), "sentence": first}


def names_a_file(data: dict[str, Any]) -> bool:
    """Whether the tables of a scene name files of the machine: meshes, pictures, or Python functions."""
    look = data.get("look")
    light = look.get("light", LIGHTS[0]) if isinstance(look, dict) else LIGHTS[0]
    return light not in LIGHTS or _has_mesh_or_function(data)


def _has_mesh_or_function(data: Any) -> bool:
    level = [data]
    while level:
        item = level.pop()
        if isinstance(item, dict):
            if item.get("kind") == "mesh" or "file" in item or "texture" in item or functions_named(item):
                return True
            level += item.values()
        elif isinstance(item, list):
            level += item
    return False
