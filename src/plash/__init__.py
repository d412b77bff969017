"""plash: a liquid from a short scene file.

    import plash
    for frame in plash.simulate(plash.load_scene("dam_break")):
        print(frame.number, frame.particles.position.shape)

The parts of a scene (`Scene`, `Domain`, `Box`, ...) have the names and keys of the scene file.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from plash import version

if TYPE_CHECKING:
    from plash.errors import DivergedError, PlashError, Problem, SceneError, SealedError
    from plash.physics.level_set.level_set import LevelSet
    from plash.pipeline.branch import branch
    from plash.pipeline.check.check import CheckReport, check
    from plash.pipeline.designs import Between
    from plash.pipeline.import_mesh import import_mesh, undo_import
    from plash.pipeline.open_run import OpenRun, RunFrame, open_run
    from plash.pipeline.run import Outcome, resume, run
    from plash.pipeline.simulate import simulate
    from plash.pipeline.wedge import Wedge, wedge
    from plash.scene import (
        Attractor,
        Blob,
        Box,
        Camera,
        CameraKey,
        Capsule,
        ConstantForce,
        Cylinder,
        Difference,
        Disc,
        Domain,
        DyeSource,
        Fill,
        FunctionForce,
        FunctionShape,
        HalfSpace,
        HeatSource,
        HeightShape,
        Liquid,
        Look,
        Meshing,
        MeshShape,
        Motion,
        MotionKey,
        MotionPath,
        Oscillation,
        Output,
        Pump,
        Rectangle,
        Rotation,
        Scene,
        SideFriction,
        Sides,
        Sink,
        SmokeSource,
        Solid,
        SolidLook,
        Solver,
        Sphere,
        Spout,
        Time,
        Union,
        ViscosityPoint,
        Vortex,
        WarmSides,
        Whitewater,
        gallery,
        load_scene,
        parse_scene,
        scene_text,
        write_scene,
    )
    from plash.solvers.build import build
    from plash.solvers.frame import Frame

__version__ = version.VERSION

_HOMES = {
    "plash.errors": ["DivergedError", "PlashError", "Problem", "SceneError", "SealedError"],
    "plash.pipeline.branch": ["branch"],
    "plash.pipeline.check.check": ["CheckReport", "check"],
    "plash.pipeline.designs": ["Between"],
    "plash.pipeline.import_mesh": ["import_mesh", "undo_import"],
    "plash.pipeline.open_run": ["OpenRun", "RunFrame", "open_run"],
    "plash.pipeline.run": ["Outcome", "resume", "run"],
    "plash.pipeline.simulate": ["simulate"],
    "plash.pipeline.wedge": ["Wedge", "wedge"],
    "plash.physics.level_set.level_set": ["LevelSet"],
    "plash.solvers.build": ["build"],
    "plash.solvers.frame": ["Frame"],
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Attractor",
    "Between",
    "Blob",
    "Box",
    "Camera",
    "CameraKey",
    "Capsule",
    "CheckReport",
    "ConstantForce",
    "Cylinder",
    "Difference",
    "Disc",
    "DivergedError",
    "Domain",
    "DyeSource",
    "Fill",
    "Frame",
    "FunctionForce",
    "FunctionShape",
    "HalfSpace",
    "HeatSource",
    "HeightShape",
    "LevelSet",
    "Liquid",
    "Look",
    "MeshShape",
    "Meshing",
    "Motion",
    "MotionKey",
    "MotionPath",
    "OpenRun",
    "Oscillation",
    "Outcome",
    "Output",
    "PlashError",
    "Problem",
    "Pump",
    "Rectangle",
    "Rotation",
    "RunFrame",
    "Scene",
    "SceneError",
    "SealedError",
    "SideFriction",
    "Sides",
    "Sink",
    "SmokeSource",
    "Solid",
    "SolidLook",
    "Solver",
    "Sphere",
    "Spout",
    "Time",
    "Union",
    "ViscosityPoint",
    "Vortex",
    "WarmSides",
    "Wedge",
    "Whitewater",
    "branch",
    "build",
    "check",
    "gallery",
    "import_mesh",
    "load_scene",
    "open_run",
    "parse_scene",
    "resume",
    "run",
    "scene_text",
    "simulate",
    "undo_import",
    "wedge",
    "write_scene",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name: str) -> Any:
        # Imported on first use: reading a scene needs no compiler, and asking for help needs neither
        if name not in __all__:
            raise AttributeError(f"module 'plash' has no attribute {name!r}")
        value = getattr(importlib.import_module(_HOME.get(name, "plash.scene")), name)
        globals()[name] = value
        return value
