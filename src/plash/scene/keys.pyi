"""What each table of a scene may be made from, in Python: as keywords, or as a dictionary in its place.

Written by ``python -m plash.scene.language.signatures src/plash/scene/keys.pyi``; do not edit it by hand. It is
read by type checkers only.
"""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, Required, TypedDict

from numpy.typing import NDArray

from plash.scene.animation import NodeMotion
from plash.scene.bodies import Fill, Solid
from plash.scene.camera import Camera, CameraKey
from plash.scene.domain import Domain, SideFriction, Sides, WarmSides
from plash.scene.drops import Drops
from plash.scene.forces import Attractor, ConstantForce, FunctionForce, Pump, Vortex
from plash.scene.liquid import Liquid
from plash.scene.look import Look, SolidLook
from plash.scene.mesh_shape import MeshShape
from plash.scene.meshing import Meshing
from plash.scene.motion import Motion, MotionKey, MotionPath, Oscillation
from plash.scene.moves import Rotation
from plash.scene.openings import Disc, Rectangle
from plash.scene.output import Output
from plash.scene.own_stage import OwnStage
from plash.scene.ramps import ModulusPoint, ViscosityPoint
from plash.scene.settings import Time
from plash.scene.shapes import Box, Capsule, Cylinder, Difference, FunctionShape, HalfSpace, HeightShape, Sphere, Union
from plash.scene.solver import Solver
from plash.scene.sources import Blob, DyeSource, HeatSource, Sink, SmokeSource, Spout
from plash.scene.whitewater import Whitewater

class AttractorKeys(TypedDict, total=False):
    """Keys of `Attractor`."""

    kind: Literal["attractor"]
    falloff: float
    point: Required[Vector]
    strength: Required[float | str]
    radius: Required[float | str]
    name: str
    shape: Shape | None
    start: float | str
    stop: float | str | None

class BlobKeys(TypedDict, total=False):
    """Keys of `Blob`."""

    name: str
    kind: Literal["blob"]
    shape: Required[Shape]
    time: float | str
    velocity: Vector
    temperature: float | str | None
    viscosity: float | str | None
    color: str | None
    shear_modulus: float | str | None
    yield_strain: float | None
    yield_rate: float | str | None

class BoxKeys(TypedDict, total=False):
    """Keys of `Box`."""

    kind: Literal["box"]
    min: Required[Vector]
    max: Required[Vector]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

CameraKeys = TypedDict(
    "CameraKeys",
    {
        "to": Vector | None,
        "up": Sequence[float] | NDArray[Any],
        "fov": float | str | None,
        "turn": float | str,
        "key": Sequence[CameraKey | CameraKeyKeys],
        "animation": NodeMotion | NodeMotionKeys | None,
        "aperture": float | str,
        "focus": float | str | None,
        "from": Vector | None,
    },
    total=False,
)

CameraKeyKeys = TypedDict(
    "CameraKeyKeys",
    {
        "time": Required[float | str],
        "to": Vector | None,
        "fov": float | str | None,
        "from": Vector | None,
    },
    total=False,
)

class CapsuleKeys(TypedDict, total=False):
    """Keys of `Capsule`."""

    kind: Literal["capsule"]
    base: Required[Vector]
    top: Required[Vector]
    radius: Required[float | str]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class ConstantForceKeys(TypedDict, total=False):
    """Keys of `ConstantForce`."""

    kind: Literal["constant"]
    acceleration: Required[Vector]
    name: str
    shape: Shape | None
    start: float | str
    stop: float | str | None

class CylinderKeys(TypedDict, total=False):
    """Keys of `Cylinder`."""

    kind: Literal["cylinder"]
    base: Required[Vector]
    top: Required[Vector]
    radius: Required[float | str]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class DifferenceKeys(TypedDict, total=False):
    """Keys of `Difference`."""

    kind: Literal["difference"]
    of: Required[Sequence[Shape]]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class DiscKeys(TypedDict, total=False):
    """Keys of `Disc`."""

    kind: Literal["disc"]
    radius: Required[float | str]
    center: Required[Vector]
    normal: Required[Sequence[float] | NDArray[Any]]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class DomainKeys(TypedDict, total=False):
    """Keys of `Domain`."""

    size: Required[Vector]
    resolution: int | None
    cell_size: float | str | None
    gravity: Vector
    sides: Sides | SidesKeys | Literal["closed", "open", "unbounded"]
    friction: SideFriction | SideFrictionKeys | float
    side_temperature: WarmSides | WarmSidesKeys

class DropsKeys(TypedDict, total=False):
    """Keys of `Drops`."""

    name: str
    kind: Literal["drops"]
    shape: Required[Shape]
    rate: Required[float | str]
    radius: Required[float | str]
    largest: float | str | None
    velocity: Vector
    temperature: float | str | None
    viscosity: float | str | None
    color: str | None
    start: float | str
    stop: float | str | None
    shear_modulus: float | str | None
    yield_strain: float | None
    yield_rate: float | str | None

class DyeSourceKeys(TypedDict, total=False):
    """Keys of `DyeSource`."""

    name: str
    kind: Literal["dye"]
    shape: Required[Shape]
    color: Required[str]
    rate: float | str | None
    start: float | str
    stop: float | str | None

class FillKeys(TypedDict, total=False):
    """Keys of `Fill`."""

    shape: Shape | None
    inside: str
    level: float | str | None
    velocity: Vector
    velocity_at: Callable[..., Any] | str | None
    time: float | str
    temperature: float | str | None
    viscosity: float | str | None
    color: str | None
    density: float | str | None
    shear_modulus: float | str | None
    yield_strain: float | None
    yield_rate: float | str | None

class FunctionForceKeys(TypedDict, total=False):
    """Keys of `FunctionForce`."""

    kind: Literal["function"]
    function: Required[Callable[..., Any] | str]
    name: str
    shape: Shape | None
    start: float | str
    stop: float | str | None

class FunctionShapeKeys(TypedDict, total=False):
    """Keys of `FunctionShape`."""

    kind: Literal["function"]
    function: Required[Callable[..., Any] | str]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class HalfSpaceKeys(TypedDict, total=False):
    """Keys of `HalfSpace`."""

    kind: Literal["half_space"]
    point: Required[Vector]
    normal: Required[Sequence[float] | NDArray[Any]]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class HeatSourceKeys(TypedDict, total=False):
    """Keys of `HeatSource`."""

    name: str
    kind: Literal["heat"]
    shape: Required[Shape]
    temperature: Required[float | str]
    start: float | str
    stop: float | str | None

class HeightShapeKeys(TypedDict, total=False):
    """Keys of `HeightShape`."""

    kind: Literal["height"]
    height: Required[Callable[..., Any] | str]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class LiquidKeys(TypedDict, total=False):
    """Keys of `Liquid`."""

    material: str
    density: float | str | None
    dynamic_viscosity: float | str | None
    kinematic_viscosity: float | str | None
    shear_modulus: float | str | None
    yield_strain: float | None
    yield_rate: float | str | None
    gas_pressure: float | str
    temperature: float | str
    thermal_expansion: float | str
    thermal_diffusivity: float | str
    viscosity_at: Sequence[ViscosityPoint | ViscosityPointKeys] | None
    viscosity_between: Literal["exponential", "linear"]
    shear_modulus_at: Sequence[ModulusPoint | ModulusPointKeys] | None
    shear_modulus_between: Literal["linear", "exponential"]
    color: str | None
    colors: Literal["keep", "mix"]
    color_diffusivity: float | str | None

class LookKeys(TypedDict, total=False):
    """Keys of `Look`."""

    quality: Literal["draft", "preview", "final"]
    samples: int | None
    show: Literal["surface", "particles", "cells", "volume"]
    shading: Literal["smooth", "flat"]
    width: int
    height: int | None
    camera: Camera | CameraKeys | None
    set: Literal["studio", "pool", "lab", "table", "outdoors", "dark"]
    color: str | None
    color_by: Literal["material", "speed", "age", "temperature", "log_viscosity", "strain"] | None
    top_speed: float | str | None
    smoke: Literal["volume", "billboards"]
    smoke_color: str
    smoke_opacity: float | str | None
    fire_brightness: float
    background: str | None
    drying_time: float | str
    floor: bool
    edges: bool
    liquid: Literal["water", "clear", "milk", "honey", "oil", "paint", "lava", "jelly", "mercury"] | None
    ior: float | None
    absorption: Vector | None
    roughness: float | None
    tank: Literal["none", "glass"] | None
    tank_color: str
    light: str | None
    exposure: float
    tone: Literal["filmic", "plain"]
    shutter: float | None

class MeshShapeKeys(TypedDict, total=False):
    """Keys of `MeshShape`."""

    kind: Literal["mesh"]
    file: Required[str | PathLike[str]]
    scale: float
    repair: bool
    thickness: float | str | None
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class MeshingKeys(TypedDict, total=False):
    """Keys of `Meshing`."""

    detail: int
    placement: Literal["interpolated", "midpoint"]
    smoothing: int | None
    subdivide: int
    drops: bool
    films: bool
    smallest: float
    walls: Literal["closed", "open"]
    normals: Literal["faces", "field"]

class ModulusPointKeys(TypedDict, total=False):
    """Keys of `ModulusPoint`."""

    temperature: Required[float | str]
    shear_modulus: Required[float | str]

class MotionKeys(TypedDict, total=False):
    """Keys of `Motion`."""

    velocity: Vector | None
    spin: float | str
    axis: Sequence[float] | NDArray[Any] | None
    center: Vector | None
    oscillation: Oscillation | OscillationKeys | None
    keys: Sequence[MotionKey | MotionKeyKeys]
    path: MotionPath | MotionPathKeys | None
    animation: NodeMotion | NodeMotionKeys | None
    between: Literal["smooth", "linear"]
    start: float | str
    stop: float | str | None

class MotionKeyKeys(TypedDict, total=False):
    """Keys of `MotionKey`."""

    time: Required[float | str]
    offset: Vector | None
    angle: float | str
    axis: Sequence[float] | NDArray[Any] | None

class MotionPathKeys(TypedDict, total=False):
    """Keys of `MotionPath`."""

    points: Required[Sequence[Vector] | NDArray[Any]]
    speed: float | str | None
    times: Vector | None
    loop: bool
    oriented: bool

class NodeMotionKeys(TypedDict, total=False):
    """Keys of `NodeMotion`."""

    file: Required[str | PathLike[str]]
    node: Required[str]
    clip: str
    scale: float
    loop: bool

class OscillationKeys(TypedDict, total=False):
    """Keys of `Oscillation`."""

    amplitude: Vector | None
    angle: float | str
    frequency: float | str | None
    period: float | str | None
    phase: float | str

class OutputKeys(TypedDict, total=False):
    """Keys of `Output`."""

    checkpoint_every: int
    movies: Sequence[Literal["mp4", "webm", "gif", "webp"]]
    video_quality: int
    clip_width: int
    export: Sequence[Literal["usd", "vdb", "ply", "obj", "glb", "npz", "vtk"]]
    measure: Callable[..., Any] | str | None
    export_up: Literal["y", "z"]
    export_half: bool
    export_pack: Literal["none", "zip", "blosc"]

class OwnStageKeys(TypedDict, total=False):
    """Keys of `OwnStage`."""

    after: Required[str]
    function: Required[Callable[..., Any] | str]

class PumpKeys(TypedDict, total=False):
    """Keys of `Pump`."""

    name: str
    shape: Required[Shape]
    velocity: Vector | None
    acceleration: Vector | None
    start: float | str
    stop: float | str | None

class RectangleKeys(TypedDict, total=False):
    """Keys of `Rectangle`."""

    kind: Literal["rectangle"]
    size: Required[Vector]
    center: Required[Vector]
    normal: Required[Sequence[float] | NDArray[Any]]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class RotationKeys(TypedDict, total=False):
    """Keys of `Rotation`."""

    angle: Required[float | str]
    axis: Sequence[float] | NDArray[Any] | None
    about: Vector | None

class SceneKeys(TypedDict, total=False):
    """Keys of `Scene`."""

    version: int
    title: str
    domain: Required[Domain | DomainKeys]
    time: Time | TimeKeys
    solver: Solver | SolverKeys
    liquid: Liquid | LiquidKeys
    source: Sequence[
        Blob
        | BlobKeys
        | Spout
        | SpoutKeys
        | Drops
        | DropsKeys
        | HeatSource
        | HeatSourceKeys
        | DyeSource
        | DyeSourceKeys
        | SmokeSource
        | SmokeSourceKeys
    ]
    fill: Sequence[Fill | FillKeys]
    solid: Sequence[Solid | SolidKeys]
    sink: Sequence[Sink | SinkKeys]
    pump: Sequence[Pump | PumpKeys]
    force: Sequence[
        ConstantForce
        | ConstantForceKeys
        | Attractor
        | AttractorKeys
        | Vortex
        | VortexKeys
        | FunctionForce
        | FunctionForceKeys
    ]
    stage: Sequence[OwnStage | OwnStageKeys]
    mesh: Meshing | MeshingKeys
    whitewater: Whitewater | WhitewaterKeys
    look: Look | LookKeys
    output: Output | OutputKeys

class SideFrictionKeys(TypedDict, total=False):
    """Keys of `SideFriction`."""

    x_min: float
    x_max: float
    y_min: float
    y_max: float
    z_min: float
    z_max: float

class SidesKeys(TypedDict, total=False):
    """Keys of `Sides`."""

    x_min: Literal["closed", "open", "unbounded"]
    x_max: Literal["closed", "open", "unbounded"]
    y_min: Literal["closed", "open", "unbounded"]
    y_max: Literal["closed", "open", "unbounded"]
    z_min: Literal["closed", "open", "unbounded"]
    z_max: Literal["closed", "open", "unbounded"]

class SinkKeys(TypedDict, total=False):
    """Keys of `Sink`."""

    name: str
    shape: Required[Shape]
    match: str
    flow_rate: float | str | None
    start: float | str
    stop: float | str | None

class SmokeSourceKeys(TypedDict, total=False):
    """Keys of `SmokeSource`."""

    name: str
    kind: Literal["smoke"]
    shape: Required[Shape]
    mass_rate: float | str | None
    density_rate: float | None
    temperature: float | str | None
    color: str | None
    fuel: float
    velocity: Vector | None
    motion: Motion | MotionKeys | None
    start: float | str
    stop: float | str | None

class SolidKeys(TypedDict, total=False):
    """Keys of `Solid`."""

    name: str
    shape: Required[Shape]
    friction: float
    motion: Motion | MotionKeys | None
    temperature: float | str | None
    look: SolidLook | SolidLookKeys
    collide: bool

class SolidLookKeys(TypedDict, total=False):
    """Keys of `SolidLook`."""

    color: str | None
    material: Literal["matte", "plastic", "metal", "glass"]
    roughness: float
    texture: str | None
    texture_size: float | str | None

class SolverKeys(TypedDict, total=False):
    """Keys of `Solver`."""

    kind: Literal["liquid", "stable_fluids", "smoke"]
    min_dt: float | str
    max_dt: float | str | None
    courant: float
    tolerance: float
    max_volume_error: float | None
    transfer: Literal["semi_lagrangian", "pic", "flip", "apic"]
    flip_ratio: float
    seed: int
    steps_cross_frames: bool
    free_surface: Literal["ghost", "staircase", "cells"]
    surface: Literal["particles", "levelset"]
    levelset_particles: bool
    levelset_scheme: Literal["cubic", "linear"]
    levelset_volume: Literal["none", "shift"]
    flow: Callable[..., Any] | str | None
    density_projection: bool
    solids: Literal["cut", "voxel"]
    viscosity: Literal["auto", "explicit", "implicit", "coupled"]
    elasticity: Literal["auto", "explicit"]
    strain: Literal["corotated", "paper"] | None
    yielding: Literal["tensor", "components"]
    viscosity_mean: Literal["harmonic", "geometric"]
    separating_walls: bool
    particles_per_cell: int | None
    jitter: float
    advection: Literal["semi_lagrangian", "maccormack"]
    diffusion: float | str
    confinement: float | str
    isovalue: float
    isotherm: float | str | None
    conserve: bool
    threshold: float | str
    warmth_threshold: float
    rise: float | None
    fall: float
    up: Sequence[float] | NDArray[Any] | None
    wind: Vector
    wind_rate: float | str
    dissipation: float
    decay: float | str
    cooling: float | str
    burn_rate: float | str
    ignition: float
    burn_heat: float
    soot: float | str
    expansion: float

class SphereKeys(TypedDict, total=False):
    """Keys of `Sphere`."""

    kind: Literal["sphere"]
    center: Required[Vector]
    radius: Required[float | str]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class SpoutKeys(TypedDict, total=False):
    """Keys of `Spout`."""

    name: str
    kind: Literal["spout"]
    shape: Required[Disc | DiscKeys | Rectangle | RectangleKeys]
    speed: float | str | None
    ramp: float | str
    motion: Motion | MotionKeys | None
    inherit: float
    temperature: float | str | None
    viscosity: float | str | None
    color: str | None
    flow_rate: float | str | None
    start: float | str
    stop: float | str | None
    shear_modulus: float | str | None
    yield_strain: float | None
    yield_rate: float | str | None

class TimeKeys(TypedDict, total=False):
    """Keys of `Time`."""

    fps: float
    frames: int

class UnionKeys(TypedDict, total=False):
    """Keys of `Union`."""

    kind: Literal["union"]
    of: Required[Sequence[Shape]]
    rotation: Rotation | RotationKeys | None
    translation: Vector | None

class ViscosityPointKeys(TypedDict, total=False):
    """Keys of `ViscosityPoint`."""

    temperature: Required[float | str]
    dynamic_viscosity: Required[float | str]

class VortexKeys(TypedDict, total=False):
    """Keys of `Vortex`."""

    kind: Literal["vortex"]
    axis: Sequence[float] | NDArray[Any] | None
    falloff: float
    point: Required[Vector]
    strength: Required[float | str]
    radius: Required[float | str]
    name: str
    shape: Shape | None
    start: float | str
    stop: float | str | None

class WarmSidesKeys(TypedDict, total=False):
    """Keys of `WarmSides`."""

    x_min: float | str | None
    x_max: float | str | None
    y_min: float | str | None
    y_max: float | str | None
    z_min: float | str | None
    z_max: float | str | None

class WhitewaterKeys(TypedDict, total=False):
    """Keys of `Whitewater`."""

    amount: float
    trapped_air: Vector | None
    wave_crest: Vector | None
    energy: Sequence[float] | NDArray[Any] | None
    lifetime: float | str | None
    mote_size: float
    most: int

Vector = Sequence[float | str] | NDArray[Any]
Shape = (
    Box
    | BoxKeys
    | Sphere
    | SphereKeys
    | Cylinder
    | CylinderKeys
    | Capsule
    | CapsuleKeys
    | HalfSpace
    | HalfSpaceKeys
    | MeshShape
    | MeshShapeKeys
    | Union
    | UnionKeys
    | Difference
    | DifferenceKeys
    | FunctionShape
    | FunctionShapeKeys
    | HeightShape
    | HeightShapeKeys
    | Callable[[NDArray[Any]], Any]
    | str
)
