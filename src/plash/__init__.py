"""plash: a liquid, or smoke, from a short scene file.

    import plash
    for frame in plash.simulate("dam_break"):
        print(frame.number, frame.particles.position.shape)
    plash.run("dam_break", "out/dam_break")

Scenes:     load_scene, parse_scene, write_scene, scene_text, gallery, check, look; Scene and its tables (Domain, ...),
            which have the names and keys of the scene file
In memory:  simulate (Frame by frame), build (a solver to step yourself), add_stage, save_solver, load_solver, LevelSet
Runs:       run, resume, branch, wedge, open_run (a run as data), import_mesh, undo_import
Errors:     PlashError and those below it: SceneError (with each Problem), DivergedError, SealedError

Lengths are metres, times seconds, and so on in SI units; where a scene asks for a quantity, a text with a unit will do:
"12 cm". Positions are arrays with a row for each point, [x, y] or [x, y, z], and y is up.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from plash import version

if TYPE_CHECKING:
    from plash.errors import DivergedError, PlashError, Problem, SceneError, SealedError
    from plash.files.solver_file import load_solver, save_solver
    from plash.physics.level_set.level_set import LevelSet
    from plash.pipeline.branch import branch
    from plash.pipeline.check.check import CheckReport, check
    from plash.pipeline.designs import Between
    from plash.pipeline.import_mesh import import_mesh, undo_import
    from plash.pipeline.look import look
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
        Drops,
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
        ModulusPoint,
        Motion,
        MotionKey,
        MotionPath,
        NodeMotion,
        Oscillation,
        Output,
        OwnStage,
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
    from plash.solvers.own_stages import add_stage

__version__ = version.VERSION

_HOMES = {
    "plash.errors": ["DivergedError", "PlashError", "Problem", "SceneError", "SealedError"],
    "plash.files.solver_file": ["load_solver", "save_solver"],
    "plash.pipeline.branch": ["branch"],
    "plash.pipeline.check.check": ["CheckReport", "check"],
    "plash.pipeline.designs": ["Between"],
    "plash.pipeline.import_mesh": ["import_mesh", "undo_import"],
    "plash.pipeline.look": ["look"],
    "plash.pipeline.open_run": ["OpenRun", "RunFrame", "open_run"],
    "plash.pipeline.run": ["Outcome", "resume", "run"],
    "plash.pipeline.simulate": ["simulate"],
    "plash.pipeline.wedge": ["Wedge", "wedge"],
    "plash.physics.level_set.level_set": ["LevelSet"],
    "plash.solvers.build": ["build"],
    "plash.solvers.frame": ["Frame"],
    "plash.solvers.own_stages": ["add_stage"],
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
    "Drops",
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
    "ModulusPoint",
    "Motion",
    "MotionKey",
    "MotionPath",
    "NodeMotion",
    "OpenRun",
    "Oscillation",
    "Outcome",
    "Output",
    "OwnStage",
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
    "add_stage",
    "branch",
    "build",
    "check",
    "gallery",
    "import_mesh",
    "load_scene",
    "load_solver",
    "look",
    "open_run",
    "parse_scene",
    "resume",
    "run",
    "save_solver",
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
