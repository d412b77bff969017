"""The root of a USD export: opens as the scene, with camera, lights, materials, solids, and the frames as value clips.

Metres, y up, a time code for each frame. What keeps its parts stands here, with transforms at the time codes where it
moves; what changes its parts stands in the layers of frames (`usd_frame.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import scalars
from plash.exports.materials import SurfaceLook, liquid_surface_look, solid_surface_look
from plash.exports.usd_frame import LIQUID, declare_liquid, vectors, written
from plash.mesh.mesh import Mesh
from plash.mesh.shapes import shape_mesh
from plash.render.camera import View, camera_view, facing_view
from plash.render.framing import seen_size
from plash.render.preview.preview import picture_size
from plash.render.preview.studio import floor_height, lamp_directions
from plash.render.preview.tint import Tint
from plash.scene.colors import light_of
from plash.scene.model import Scene
from plash.scene.sets import LIGHTS

_WORLD = "/World"
_MATERIALS = f"{_WORLD}/Materials"
_FILM = 0.24  # height of the camera's film in tenths of a metre, as USD counts it
_FLOOR = 40.0  # half the side of the floor, in diagonals of the domain
_NEAR_FLOOR = 0.62  # light that the floor returns, as part of the background's
_LAMP, _FILL, _ROOM = 2.2, 0.5, 0.55  # how bright the lights are
_WIDE_LAMP = 20.0  # degrees across, as seen from the scene


@dataclass(frozen=True)
class UsdFiles:
    """Where the root finds the other files: paths from its own folder, in the order of frames.

    Attributes:
        frames: The layers of the frames.
        manifest: The layer that says what they may hold.
        volumes: The VDB files of the frames; none if they are not shown.
    """

    frames: Sequence[str]
    manifest: str
    volumes: Sequence[str] = ()


def usd_scene_bytes(pxr: Any, scene: Scene, files: UsdFiles) -> bytes:
    """The root layer, as text."""

    def fill(stage: Any) -> None:
        usd, geom = pxr.Usd, pxr.UsdGeom
        world = geom.Xform.Define(stage, _WORLD)
        stage.SetDefaultPrim(world.GetPrim())
        usd.ModelAPI(world).SetKind("component")
        geom.SetStageMetersPerUnit(stage, 1.0)
        geom.SetStageUpAxis(stage, geom.Tokens.y)
        stage.SetTimeCodesPerSecond(scene.time.fps)
        stage.SetFramesPerSecond(scene.time.fps)
        stage.SetStartTimeCode(1)
        stage.SetEndTimeCode(scene.time.frames)
        stage.SetMetadata("documentation", f"{scene.title or 'plash'}; made by plash")
        geom.Scope.Define(stage, _MATERIALS)
        _add_liquid(pxr, stage, scene, files)
        _add_volumes(pxr, stage, scene, files.volumes)
        _add_solids(pxr, stage, scene)
        _add_floor(pxr, stage, scene)
        _add_camera(pxr, stage, scene)
        _add_lights(pxr, stage, scene)

    return written(pxr, fill, "scene.usda")


def _time(scene: Scene, frame: int) -> float:
    return (frame - 1) / scene.time.fps


def _frames(scene: Scene) -> range:
    return range(1, scene.time.frames + 1)


def _add_liquid(pxr: Any, stage: Any, scene: Scene, files: UsdFiles) -> None:
    """Surface and particles, whose values are in the layers of the frames; only what the look shows is visible."""
    path = f"{_WORLD}{LIQUID}"
    liquid = pxr.UsdGeom.Xform.Define(stage, path)
    surface, particles = declare_liquid(pxr, stage, path, _carried(scene))
    surface.CreateSubdivisionSchemeAttr(pxr.UsdGeom.Tokens.none)
    surface.CreateDoubleSidedAttr(scene.dimension == 2)
    surface.SetNormalsInterpolation(pxr.UsdGeom.Tokens.vertex)
    hidden = particles if scene.look.show == "surface" else surface
    hidden.CreateVisibilityAttr(pxr.UsdGeom.Tokens.invisible)
    is_scale = Tint(scene).is_scale
    _bind(pxr, stage, surface, liquid_surface_look(scene), "liquid", painted=is_scale)
    _bind(pxr, stage, particles, liquid_surface_look(scene), "particles", painted=True)
    clips = pxr.Usd.ClipsAPI(liquid)
    clips.SetClipAssetPaths(pxr.Sdf.AssetPathArray([pxr.Sdf.AssetPath(name) for name in files.frames]))
    clips.SetClipManifestAssetPath(files.manifest)
    clips.SetClipPrimPath(LIQUID)
    codes = [float(frame) for frame in _frames(scene)]
    clips.SetClipActive(pxr.Vt.Vec2dArray([(code, place) for place, code in enumerate(codes)]))
    clips.SetClipTimes(pxr.Vt.Vec2dArray([(code, code) for code in codes]))


def _carried(scene: Scene) -> list[str]:
    """What the liquid of a scene carries beside its velocity."""
    if not scene.solver.has_particles:
        return []
    return [name for name, quantity in scalars().items() if quantity.is_everywhere or name in scene.carries]


def _add_volumes(pxr: Any, stage: Any, scene: Scene, names: Sequence[str]) -> None:
    """A fluid without a surface as a volume that points at VDB files."""
    if not names:
        return
    path = f"{_WORLD}/Fluid"
    volume = pxr.UsdVol.Volume.Define(stage, path)
    if scene.output.export_up == "z":
        volume.AddRotateXOp().Set(-90.0)
    high = np.array([*(np.array(scene.domain.cells) * scene.domain.h), 0.0, 0.0])[:3]
    high = high if scene.output.export_up == "y" else high[[0, 2, 1]] * [1, 0, 1]
    volume.CreateExtentAttr(vectors(pxr, np.stack([np.zeros(3), high])))
    fields = ["density", "velocity", *(["temperature"] if scene.has_heat else [])]
    for field in fields:
        asset = pxr.UsdVol.OpenVDBAsset.Define(stage, f"{path}/{field}")
        asset.CreateFieldNameAttr(field)
        attribute = asset.CreateFilePathAttr()
        for frame, name in zip(_frames(scene), names, strict=True):
            attribute.Set(pxr.Sdf.AssetPath(name), frame)
        volume.CreateFieldRelationship(field, asset.GetPath())


def _add_solids(pxr: Any, stage: Any, scene: Scene) -> None:
    taken: set[str] = set()
    folder = f"{_WORLD}/Solids"
    pxr.UsdGeom.Xform.Define(stage, folder)
    for solid in scene.solid:
        name = _identifier(pxr, solid.name, taken)
        mesh = shape_mesh(solid.shape, scene.domain)
        prim = _add_mesh(pxr, stage, f"{folder}/{name}", mesh)
        _bind(pxr, stage, prim, solid_surface_look(solid.look), f"solid_{name}")
        if solid.moves and solid.motion is not None:
            placed = prim.AddTransformOp()
            for frame in _frames(scene):
                matrix, shift = solid.motion.pose(_time(scene, frame))
                placed.Set(_transform(pxr, np.array(matrix), np.array(shift)), frame)


def _identifier(pxr: Any, name: str, taken: set[str]) -> str:
    """A name that USD allows, and nothing else has."""
    plain = str(pxr.Tf.MakeValidIdentifier(name))
    numbered = [plain, *(f"{plain}_{number}" for number in range(2, len(taken) + 3))]
    found = next(candidate for candidate in numbered if candidate not in taken)
    taken.add(found)
    return found


def _transform(pxr: Any, matrix: NDArray[np.float64], shift: NDArray[np.float64]) -> Any:
    """x = matrix x₀ + shift as USD has it, for row vectors."""
    rows = np.eye(4)
    rows[:3, :3] = matrix.T
    rows[3, :3] = shift
    return pxr.Gf.Matrix4d(rows.tolist())


def _add_mesh(pxr: Any, stage: Any, path: str, mesh: Mesh) -> Any:
    prim = pxr.UsdGeom.Mesh.Define(stage, path)
    prim.CreateSubdivisionSchemeAttr(pxr.UsdGeom.Tokens.none)
    prim.CreatePointsAttr(vectors(pxr, mesh.vertices))
    prim.CreateFaceVertexCountsAttr(pxr.Vt.IntArray.FromNumpy(np.full(len(mesh.faces), 3, np.int32)))
    prim.CreateFaceVertexIndicesAttr(pxr.Vt.IntArray.FromNumpy(np.ascontiguousarray(mesh.faces).ravel()))
    if mesh.normals is not None:
        prim.CreateNormalsAttr(vectors(pxr, mesh.normals))
        prim.SetNormalsInterpolation(pxr.UsdGeom.Tokens.vertex)
    if len(mesh.vertices):
        prim.CreateExtentAttr(vectors(pxr, np.stack([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)])))
    return prim


def _add_floor(pxr: Any, stage: Any, scene: Scene) -> None:
    if not scene.look.floor or scene.dimension == 2:
        return
    size = np.array(scene.domain.cells) * scene.domain.h
    half = _FLOOR * float(np.sqrt(size @ size))
    corners = np.array([[-half, 0, -half], [-half, 0, half], [half, 0, half], [half, 0, -half]])
    # Where the liquid's lower side lies in the floor, both would flicker
    middle = size * [0.5, 0.0, 0.5] + [0.0, floor_height(scene) - 1e-3 * float(size.max()), 0.0]
    faces = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    prim = _add_mesh(pxr, stage, f"{_WORLD}/Floor", Mesh((corners + middle).astype(np.float32), faces))
    color = _NEAR_FLOOR * light_of(scene.look.seen_background)
    _bind(pxr, stage, prim, SurfaceLook(color, 1.0, False, False, 1.5, np.zeros(3)), "floor")


def _bind(pxr: Any, stage: Any, prim: Any, look: SurfaceLook, name: str, painted: bool = False) -> None:
    """Give a prim a material; a painted one takes its colour from the vertices."""
    types = pxr.Sdf.ValueTypeNames
    material = pxr.UsdShade.Material.Define(stage, f"{_MATERIALS}/{name}")
    shader = pxr.UsdShade.Shader.Define(stage, f"{_MATERIALS}/{name}/surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    color = shader.CreateInput("diffuseColor", types.Color3f)
    color.Set(tuple(float(part) for part in look.color))
    shader.CreateInput("roughness", types.Float).Set(0.35 if painted else look.roughness)
    shader.CreateInput("metallic", types.Float).Set(float(look.metallic and not painted))
    shader.CreateInput("ior", types.Float).Set(look.ior)
    shader.CreateInput("opacity", types.Float).Set(1.0 if painted else look.opacity)
    if look.glow.any():
        shader.CreateInput("emissiveColor", types.Color3f).Set(tuple(float(part) for part in look.glow))
    if painted:
        reader = pxr.UsdShade.Shader.Define(stage, f"{_MATERIALS}/{name}/color")
        reader.CreateIdAttr("UsdPrimvarReader_float3")
        reader.CreateInput("varname", types.String).Set("displayColor")
        color.ConnectToSource(reader.CreateOutput("result", types.Float3))
    material.CreateSurfaceOutput().ConnectToSource(shader.CreateOutput("surface", types.Token))
    pxr.UsdShade.MaterialBindingAPI.Apply(prim.GetPrim()).Bind(material)


def _view(scene: Scene, frame: int) -> View:
    size = np.array(scene.domain.cells) * scene.domain.h
    if scene.dimension == 2:
        return facing_view(np.zeros(2), size, picture_size(scene))
    return camera_view(scene.look.camera, seen_size(scene), picture_size(scene), _time(scene, frame))


def _add_camera(pxr: Any, stage: Any, scene: Scene) -> None:
    """The camera: it looks along its own -z, with y up."""
    prim = pxr.UsdGeom.Camera.Define(stage, f"{_WORLD}/Camera")
    first, camera = _view(scene, 1), scene.look.camera
    prim.CreateVerticalApertureAttr(_FILM)
    prim.CreateHorizontalApertureAttr(_FILM * first.width / first.height)
    size = float(np.max(np.array(scene.domain.cells) * scene.domain.h))
    prim.CreateClippingRangeAttr(pxr.Gf.Vec2f(1e-3 * size, 1e3 * size))
    moves = camera is not None and camera.moves
    placed, focal = prim.AddTransformOp(), prim.CreateFocalLengthAttr()
    for frame in _frames(scene) if moves else [1]:
        view = _view(scene, frame)
        axes = np.stack([view.axes[0], view.axes[1], -view.axes[2]])
        when = [frame] if moves else []
        placed.Set(_transform(pxr, axes.T, view.position), *when)
        focal.Set(_FILM / 2 / math.tan(math.radians(view.fov) / 2), *when)
    if camera is not None and camera.aperture > 0:
        to = np.array(camera.to) if camera.to is not None else np.array(scene.domain.size) * [0.5, 0.0, 0.5]
        distance = camera.focus or float(np.linalg.norm(to - first.position))
        prim.CreateFocusDistanceAttr(distance)
        prim.CreateFStopAttr(float(focal.Get(1) / 10 / camera.aperture))
    shutter = scene.look.open_shutter / 2
    prim.CreateShutterOpenAttr(-shutter)
    prim.CreateShutterCloseAttr(shutter)


def _add_lights(pxr: Any, stage: Any, scene: Scene) -> None:
    """Two lamps and the light of the room; or the picture of all directions that the scene names."""
    lux, folder = pxr.UsdLux, f"{_WORLD}/Lights"
    pxr.UsdGeom.Xform.Define(stage, folder)
    room = lux.DomeLight.Define(stage, f"{folder}/room")
    if scene.look.seen_light not in LIGHTS:
        room.CreateTextureFileAttr(scene.look.seen_light)
        room.CreateTextureFormatAttr(lux.Tokens.latlong)
        room.CreateIntensityAttr(2.0**scene.look.exposure)
        return
    brighter = 2.0**scene.look.exposure
    room.CreateColorAttr(tuple(float(part) for part in light_of(scene.look.seen_background)))
    room.CreateIntensityAttr(_ROOM * brighter)
    for name, towards, power in zip(
        ("lamp", "fill"), lamp_directions(_view(scene, 1), scene.look.seen_light), (_LAMP, _FILL), strict=True
    ):
        lamp = lux.DistantLight.Define(stage, f"{folder}/{name}")
        lamp.CreateAngleAttr(_WIDE_LAMP)
        lamp.CreateIntensityAttr(power * brighter)
        side = np.cross([0.0, 1.0, 0.0], towards)
        side /= np.sqrt(side @ side)
        axes = np.stack([side, np.cross(towards, side), towards])  # it shines along its own -z
        lamp.AddTransformOp().Set(_transform(pxr, axes.T, np.zeros(3)))
