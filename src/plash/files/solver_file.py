"""A solver in a file of its own, with the scene it solves: to go on later, or elsewhere, to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plash.errors import Problem, SceneError
from plash.files.arrays import read_arrays
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.scene.language.read import as_scene, parse_scene
from plash.scene.language.write import names_functions, scene_text
from plash.scene.model import Scene
from plash.solvers.build import build_solver
from plash.solvers.solver import SceneSolver

_SCENE = "scene"
_REMEDY = "Save it again with plash.save_solver"


def save_solver(solver: SceneSolver, scene: Scene | str | Path, path: str | Path) -> None:
    """Write a solver's state and its scene to a file; one already there is replaced whole, or not at all.

    Args:
        solver: From `plash.build(scene)`, at any time between two steps.
        scene: What it solves: a scene, its name, or the path of its file.
        path: The file to write, an NPZ that `numpy.load` opens.

    Raises:
        StorageError: The file cannot be written.

    Example:
        >>> import plash, tempfile
        >>> scene = plash.load_scene("dam_break_2d", resolution=16)
        >>> solver = plash.build(scene)
        >>> _ = solver.advance(0.02)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     plash.save_solver(solver, scene, f"{folder}/state.npz")
        ...     plash.load_solver(f"{folder}/state.npz").state.time == solver.state.time
        True
    """
    text = scene_text(as_scene(scene), name_functions=True)
    write_checkpoint(Path(path), solver, Place(1, 0), {_SCENE: np.frombuffer(text.encode(), np.uint8)})


def load_solver(path: str | Path, scene: Scene | None = None) -> SceneSolver:
    """A solver as it was saved: its next step gives the same bits as it would have given then.

    Stages that were added by `plash.add_stage` are not in the file; those of the scene are.

    Args:
        path: A file of `plash.save_solver`.
        scene: What it solves, if that has Python functions which no file names: no file can hold them.

    Raises:
        DamagedError: The file is missing, or is not what was saved.
        SceneError: Its scene has Python functions and is not given, or is another one.
    """
    path = Path(path)
    arrays = read_arrays(path, None, _REMEDY)
    try:
        text = arrays.take(_SCENE, np.uint8, (None,)).tobytes().decode()
    except UnicodeDecodeError:
        raise arrays.damaged("its scene is no text") from None
    source = f"scene of {path}"
    if scene is not None and scene_text(scene, name_functions=True) != text:
        raise SceneError([Problem("", "is another one than the scene given: leave it out, or give that one")], source)
    if scene is None and names_functions(text):
        problem = "has Python functions, which no file can hold: give the scene too, plash.load_solver(path, scene)"
        raise SceneError([Problem("", problem)], source)
    known = scene or parse_scene(text, source)
    solver = build_solver(known)
    read_checkpoint(path, solver, known, None, _REMEDY)
    return solver
