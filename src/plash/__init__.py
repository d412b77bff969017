"""plash: a liquid, or smoke, from a short scene file.

    import plash
    for frame in plash.simulate("dam_break"):
        print(frame.number, frame.particles.position.shape)
    plash.run("dam_break", "out/dam_break")

Functions, described below:

    scenes     gallery, load_scene, parse_scene, write_scene, scene_text, check, look
    in memory  simulate (frame by frame), build (a solver to step yourself), add_stage, save_solver, load_solver
    runs       run, resume, branch, wedge, open_run (a run as data), import_mesh, undo_import

Classes; `help(plash.Fill)` shows the keys of one. Tables of a scene have the names and keys of the scene file:

    scene      Scene, Domain, Sides, SideFriction, WarmSides, Time, Solver, Output, OwnStage
    fluid      Liquid, ViscosityPoint, ModulusPoint, Fill, Whitewater, Meshing
    bodies     Solid, Motion, MotionKey, MotionPath, NodeMotion, Oscillation, Rotation
    flow       Spout, Blob, Drops, SmokeSource, HeatSource, DyeSource, Sink, Pump, Disc, Rectangle
    forces     ConstantForce, Attractor, Vortex, FunctionForce
    shapes     Box, Sphere, Cylinder, Capsule, HalfSpace, MeshShape, Union, Difference, FunctionShape, HeightShape
    pictures   Look, SolidLook, Camera, CameraKey
    results    Frame (of simulate), Outcome (of run), OpenRun, RunFrame, Wedge, Between, CheckReport
    other      LevelSet, a surface to carry along in a flow of your own
    errors     PlashError and those below it: SceneError (with each Problem), DivergedError, SealedError

Lengths are metres, times seconds, and so on in SI units; where a scene asks for a quantity, a text with a unit will do:
"12 cm". Positions are arrays with a row for each point, [x, y] or [x, y, z], and y is up.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from plash import version

if TYPE_CHECKING:  # by two names each: that is how a type checker knows that they are public
    from plash.errors import DivergedError as DivergedError
    from plash.errors import PlashError as PlashError
    from plash.errors import Problem as Problem
    from plash.errors import SceneError as SceneError
    from plash.errors import SealedError as SealedError
    from plash.files.solver_file import load_solver as load_solver
    from plash.files.solver_file import save_solver as save_solver
    from plash.physics.level_set.level_set import LevelSet as LevelSet
    from plash.pipeline.branch import branch as branch
    from plash.pipeline.check.check import CheckReport as CheckReport
    from plash.pipeline.check.check import check as check
    from plash.pipeline.designs import Between as Between
    from plash.pipeline.import_mesh import import_mesh as import_mesh
    from plash.pipeline.import_mesh import undo_import as undo_import
    from plash.pipeline.look import look as look
    from plash.pipeline.open_run import OpenRun as OpenRun
    from plash.pipeline.open_run import RunFrame as RunFrame
    from plash.pipeline.open_run import open_run as open_run
    from plash.pipeline.run import Outcome as Outcome
    from plash.pipeline.run import resume as resume
    from plash.pipeline.run import run as run
    from plash.pipeline.simulate import simulate as simulate
    from plash.pipeline.wedge import Wedge as Wedge
    from plash.pipeline.wedge import wedge as wedge
    from plash.scene import Attractor as Attractor
    from plash.scene import Blob as Blob
    from plash.scene import Box as Box
    from plash.scene import Camera as Camera
    from plash.scene import CameraKey as CameraKey
    from plash.scene import Capsule as Capsule
    from plash.scene import ConstantForce as ConstantForce
    from plash.scene import Cylinder as Cylinder
    from plash.scene import Difference as Difference
    from plash.scene import Disc as Disc
    from plash.scene import Domain as Domain
    from plash.scene import Drops as Drops
    from plash.scene import DyeSource as DyeSource
    from plash.scene import Fill as Fill
    from plash.scene import FunctionForce as FunctionForce
    from plash.scene import FunctionShape as FunctionShape
    from plash.scene import HalfSpace as HalfSpace
    from plash.scene import HeatSource as HeatSource
    from plash.scene import HeightShape as HeightShape
    from plash.scene import Liquid as Liquid
    from plash.scene import Look as Look
    from plash.scene import Meshing as Meshing
    from plash.scene import MeshShape as MeshShape
    from plash.scene import ModulusPoint as ModulusPoint
    from plash.scene import Motion as Motion
    from plash.scene import MotionKey as MotionKey
    from plash.scene import MotionPath as MotionPath
    from plash.scene import NodeMotion as NodeMotion
    from plash.scene import Oscillation as Oscillation
    from plash.scene import Output as Output
    from plash.scene import OwnStage as OwnStage
    from plash.scene import Pump as Pump
    from plash.scene import Rectangle as Rectangle
    from plash.scene import Rotation as Rotation
    from plash.scene import Scene as Scene
    from plash.scene import SideFriction as SideFriction
    from plash.scene import Sides as Sides
    from plash.scene import Sink as Sink
    from plash.scene import SmokeSource as SmokeSource
    from plash.scene import Solid as Solid
    from plash.scene import SolidLook as SolidLook
    from plash.scene import Solver as Solver
    from plash.scene import Sphere as Sphere
    from plash.scene import Spout as Spout
    from plash.scene import Time as Time
    from plash.scene import Union as Union
    from plash.scene import ViscosityPoint as ViscosityPoint
    from plash.scene import Vortex as Vortex
    from plash.scene import WarmSides as WarmSides
    from plash.scene import Whitewater as Whitewater
    from plash.scene import load_scene as load_scene
    from plash.scene import parse_scene as parse_scene
    from plash.scene import scene_text as scene_text
    from plash.scene import write_scene as write_scene
    from plash.scene.language.gallery import gallery as gallery
    from plash.solvers.build import build as build
    from plash.solvers.frame import Frame as Frame
    from plash.solvers.own_stages import add_stage as add_stage

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
    "plash.scene": [
        "Attractor",
        "Blob",
        "Box",
        "Camera",
        "CameraKey",
        "Capsule",
        "ConstantForce",
        "Cylinder",
        "Difference",
        "Disc",
        "Domain",
        "Drops",
        "DyeSource",
        "Fill",
        "FunctionForce",
        "FunctionShape",
        "HalfSpace",
        "HeatSource",
        "HeightShape",
        "Liquid",
        "Look",
        "Meshing",
        "MeshShape",
        "ModulusPoint",
        "Motion",
        "MotionKey",
        "MotionPath",
        "NodeMotion",
        "Oscillation",
        "Output",
        "OwnStage",
        "Pump",
        "Rectangle",
        "Rotation",
        "Scene",
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
        "Whitewater",
        "load_scene",
        "parse_scene",
        "scene_text",
        "write_scene",
    ],
    "plash.scene.language.gallery": ["gallery"],
    "plash.solvers.build": ["build"],
    "plash.solvers.frame": ["Frame"],
    "plash.solvers.own_stages": ["add_stage"],
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

# What `help(plash)` describes in full. The classes are named in the text above: there are too many for one page
__all__ = [
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
    return sorted([*_HOME, "__all__", "__doc__", "__version__"])


if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name: str) -> Any:
        # Imported on first use: reading a scene needs no compiler, and asking for help needs neither
        if name not in _HOME:
            raise AttributeError(f"module 'plash' has no attribute {name!r}")
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
