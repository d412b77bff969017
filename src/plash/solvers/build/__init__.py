"""From a scene to a solver: the one place where the words of a scene become objects."""

from __future__ import annotations

from pathlib import Path

from plash.scene.language.read import as_scene
from plash.scene.model import Scene
from plash.solvers.build.box import build_box
from plash.solvers.build.liquid import build_liquid
from plash.solvers.frame import FrameGrids, FrameParticles, Snapshot
from plash.solvers.solver import SceneSolver
from plash.solvers.stored import StoredArrays


def build(scene: Scene | str | Path) -> SceneSolver:
    """The solver of a scene, at time zero.

    Args:
        scene: A scene, a name from `plash.gallery()`, or the path of a scene file.

    Example:
        >>> import plash
        >>> solver = build(plash.load_scene("still_pool", resolution=16))
        >>> solver.state.particles.count > 0
        True
    """
    scene = as_scene(scene)
    return build_box(scene) if scene.solver.kind == "stable_fluids" else build_liquid(scene)


def read_snapshot(arrays: StoredArrays, scene: Scene) -> Snapshot:
    """What the file of a frame shows.

    Raises:
        DamagedError: It is nothing that a frame of the scene can show.
    """
    return (FrameGrids if scene.solver.kind == "stable_fluids" else FrameParticles).read(arrays, scene)
