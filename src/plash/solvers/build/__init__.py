"""From a scene to a solver: the one place where the words of a scene become objects, and that knows every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plash.scene.language.read import as_scene
from plash.scene.model import Scene
from plash.scene.settings import LiquidSettings, StableFluidsSettings
from plash.scene.smoke_settings import SmokeSettings
from plash.scene.solver import Solver
from plash.solvers.frame import FrameGrids, FrameParticles, Snapshot
from plash.solvers.own_stages import with_own_stages
from plash.solvers.solver import SceneSolver
from plash.solvers.stored import StoredArrays


@dataclass(frozen=True)
class _Kind:
    """A kind of solver: how it is built, without and with fluid, what it begins with, and how its frames are read."""

    solver: Callable[[Scene], SceneSolver]
    filled: Callable[[Scene], SceneSolver]
    state: Callable[[Scene], Any]
    snapshot: Callable[[StoredArrays, Scene], Snapshot]


def _liquid_snapshot(arrays: StoredArrays, scene: Scene) -> Snapshot:
    """What a frame of a liquid shows: its particles, or its level set."""
    from plash.solvers.frame_level_set import FrameLevelSet

    is_level_set = isinstance(scene.solver, LiquidSettings) and scene.solver.surface == "levelset"
    return FrameLevelSet.read(arrays, scene) if is_level_set else FrameParticles.read(arrays, scene)


# Each imports its own solver when a scene asks for it: a scene of one kind need not wait for the others
def _liquid() -> _Kind:
    from plash.solvers.build.liquid import build_liquid, liquid_solver, liquid_state

    return _Kind(liquid_solver, build_liquid, liquid_state, _liquid_snapshot)


def _stable_fluids() -> _Kind:
    from plash.solvers.build.box import box_solver, box_state, build_box

    return _Kind(box_solver, build_box, box_state, FrameGrids.read)


def _smoke() -> _Kind:
    from plash.solvers.build.smoke import build_smoke, smoke_solver, smoke_state
    from plash.solvers.frame_smoke import FrameSmoke

    return _Kind(smoke_solver, build_smoke, smoke_state, FrameSmoke.read)


_KINDS: dict[type[Solver], Callable[[], _Kind]] = {
    LiquidSettings: _liquid,
    StableFluidsSettings: _stable_fluids,
    SmokeSettings: _smoke,
}


def build(scene: Scene | str | Path) -> SceneSolver:
    """The solver of a scene, with its fluid, at time zero.

    Args:
        scene: A scene, a name from `plash.gallery()`, or the path of a scene file.

    Example:
        >>> import plash
        >>> solver = build(plash.load_scene("still_pool", resolution=16))
        >>> solver.state.particles.count > 0
        True
    """
    scene = as_scene(scene)
    return with_own_stages(_KINDS[type(scene.solver)]().filled(scene), scene)


def build_solver(scene: Scene) -> SceneSolver:
    """The solver of a scene without any fluid: cheap, and ready to be given a state."""
    return with_own_stages(_KINDS[type(scene.solver)]().solver(scene), scene)


def initial_state(scene: Scene) -> Any:
    """The fluid of a scene at time zero, for `begin` of its solver."""
    return _KINDS[type(scene.solver)]().state(scene)


def read_snapshot(arrays: StoredArrays, scene: Scene) -> Snapshot:
    """What the file of a frame shows.

    Raises:
        DamagedError: It is nothing that a frame of the scene can show.
    """
    return _KINDS[type(scene.solver)]().snapshot(arrays, scene)
