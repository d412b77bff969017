"""Scenes that the studio begins with, and scenes that come from a page, which may not name a file of this machine."""

from __future__ import annotations

import tomllib

from plash.errors import Problem, SceneError
from plash.scene.language.amount import too_much_text
from plash.scene.language.read import load_scene, parse_scene
from plash.scene.language.write import scene_text
from plash.scene.model import Scene
from plash.studio.presets import FIRST, names_a_file, preset_text, presets

MOST_CELLS = 512 * 512


def start_text(name: str | None) -> str:
    """The text of the scene to begin with: a file, or a scene of the gallery or the studio.

    Raises:
        SceneError: There is no such scene, or the studio cannot show it.
    """
    if name is None or name in {preset["name"] for preset in presets()}:
        return preset_text(name or FIRST)
    return scene_text(checked(load_scene(name)))


def checked(scene: Scene) -> Scene:
    """A scene that the studio can show.

    Raises:
        SceneError: It has three dimensions, or too many cells.
    """
    if scene.dimension != 2:
        fault = "has three lengths: the studio shows 2-D scenes. `plash run` runs it, and the studio shows the run"
        raise SceneError([Problem("domain.size", fault)], scene.title or "scene")
    nx, ny = scene.domain.cells
    if nx * ny > MOST_CELLS:
        fault = f"makes {nx} x {ny} cells: the studio shows up to {MOST_CELLS}. Lower it, or use `plash run`"
        raise SceneError([Problem("domain.resolution", fault)], scene.title or "scene")
    return scene


def opened(text: str) -> Scene:
    """The scene of a text.

    Raises:
        SceneError: It is no scene, or names a file.
    """
    try:
        data = {} if too_much_text(text) else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        data = {}  # the reader says what is wrong, and where
    if names_a_file(data):
        fault = "names a file of this machine, which a page may not open: start the studio with the scene instead"
        raise SceneError([Problem("", fault)], "scene")
    return parse_scene(text, "scene")
