"""Every name of a scene that users meet, imported at once."""

from plash.scene.animation import NodeMotion
from plash.scene.bodies import Fill, Solid
from plash.scene.camera import Camera, CameraKey
from plash.scene.domain import Domain, SideFriction, Sides, WarmSides
from plash.scene.drops import Drops
from plash.scene.forces import Attractor, ConstantForce, Force, FunctionForce, Pump, Vortex
from plash.scene.language.gallery import gallery
from plash.scene.language.read import load_scene, parse_scene
from plash.scene.language.write import scene_text, write_scene
from plash.scene.liquid import Liquid
from plash.scene.look import Look, SolidLook
from plash.scene.materials import MATERIALS, Material
from plash.scene.mesh_shape import MeshShape
from plash.scene.meshing import Meshing
from plash.scene.model import VERSION, Scene
from plash.scene.motion import Motion, MotionKey, MotionPath, Oscillation
from plash.scene.moves import Rotation
from plash.scene.openings import Disc, Rectangle
from plash.scene.output import Output
from plash.scene.own_stage import OwnStage
from plash.scene.ramps import ModulusPoint, ViscosityPoint
from plash.scene.settings import Time
from plash.scene.shapes import (
    Box,
    Capsule,
    Cylinder,
    Difference,
    FunctionShape,
    HalfSpace,
    HeightShape,
    Shape,
    Sphere,
    Union,
)
from plash.scene.solver import Solver
from plash.scene.sources import Blob, DyeSource, HeatSource, Sink, SmokeSource, Source, Spout
from plash.scene.whitewater import Whitewater

__all__ = [
    "MATERIALS",
    "VERSION",
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
    "Force",
    "FunctionForce",
    "FunctionShape",
    "HalfSpace",
    "HeatSource",
    "HeightShape",
    "Liquid",
    "Look",
    "Material",
    "MeshShape",
    "Meshing",
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
    "Shape",
    "SideFriction",
    "Sides",
    "Sink",
    "SmokeSource",
    "Solid",
    "SolidLook",
    "Solver",
    "Source",
    "Sphere",
    "Spout",
    "Time",
    "Union",
    "ViscosityPoint",
    "Vortex",
    "WarmSides",
    "Whitewater",
    "gallery",
    "load_scene",
    "parse_scene",
    "scene_text",
    "write_scene",
]
