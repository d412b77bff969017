"""A frame as a layer of USD: what moves without keeping its parts, the liquid's surface and its particles.

A layer holds values at one time code, the frame's number. The root (`usd_scene.py`) names the layers as value clips, so
that a program opens those it shows. `velocities` are in m/s: programs make motion blur from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import scalars
from plash.errors import MissingPartError
from plash.mesh.mesh import Mesh
from plash.solvers.frame import FrameParticles

LIQUID = "/Liquid"  # in the layers of frames
_SLABS = 256  # into which the vertices of a surface are sorted
Colors = Callable[[NDArray[np.floating], Any], NDArray[np.float32]]


def load_usd() -> Any:
    """The modules of USD.

    Raises:
        MissingPartError: They are not installed.
    """
    try:
        import pxr.Sdf
        import pxr.Usd
        import pxr.UsdGeom
        import pxr.UsdLux
        import pxr.UsdShade
        import pxr.UsdVol
        import pxr.Vt
    except ImportError:
        raise MissingPartError(
            'USD needs the package usd-core, which is not installed. Install it with: pip install "plash[usd]"'
        ) from None
    return pxr


def _nothing_more(stage: Any) -> None:
    """What a layer holds beside the liquid, unless somebody says more."""


def usd_frame_bytes(
    pxr: Any,
    mesh: Mesh,
    particles: FrameParticles,
    frame: int,
    colors: Colors,
    add_more: Callable[[Any], None] = _nothing_more,
) -> bytes:
    """The layer of a frame.

    Args:
        pxr: The modules of USD.
        mesh: The liquid's surface.
        particles: The liquid's particles; none of stable fluids.
        frame: Its number, and time code.
        colors: Light that liquid of a velocity (n, axes) returns, by what else it carries.
        add_more: Adds what else there is to the stage.
    """

    def fill(stage: Any) -> None:
        _add_surface(pxr, stage, in_order(mesh), frame, colors)
        _add_particles(pxr, stage, particles, frame, colors)
        add_more(stage)

    return written(pxr, fill, "frame.usdc")


def usd_manifest_bytes(pxr: Any, declare_more: Callable[[Any], None] = _nothing_more) -> bytes:
    """The layer that says what values the layers of frames may hold, so that nobody has to open them all."""

    def fill(stage: Any) -> None:
        declare_liquid(pxr, stage, LIQUID, scalars())
        declare_more(stage)

    return written(pxr, fill, "manifest.usda")


def declare_liquid(pxr: Any, stage: Any, path: str, carried: Iterable[str]) -> tuple[Any, Any]:
    """The prims of surface and particles under a path, and what values they may have, without any.

    Args:
        pxr: The modules of USD.
        stage: Where they stand.
        path: What they stand under.
        carried: What the liquid carries beside its velocity.
    """
    surface = pxr.UsdGeom.Mesh.Define(stage, f"{path}/surface")
    for attribute in (
        surface.CreateFaceVertexCountsAttr(),
        surface.CreateFaceVertexIndicesAttr(),
        surface.CreateNormalsAttr(),
    ):
        attribute.SetVariability(pxr.Sdf.VariabilityVarying)
    points = pxr.UsdGeom.Points.Define(stage, f"{path}/particles")
    points.CreateWidthsAttr()
    for prim in (surface, points):
        prim.CreatePointsAttr()
        prim.CreateVelocitiesAttr()
        prim.CreateExtentAttr()
        prim.CreateDisplayColorPrimvar("vertex")
        for name in carried:
            _primvar(pxr, prim, name)
    return surface, points


def _primvar(pxr: Any, prim: Any, name: str) -> Any:
    api, kind = pxr.UsdGeom.PrimvarsAPI(prim), pxr.Sdf.ValueTypeNames.FloatArray
    return api.CreatePrimvar(name, kind, "vertex")


def _add_surface(pxr: Any, stage: Any, mesh: Mesh, frame: int, colors: Colors) -> None:
    surface = pxr.UsdGeom.Mesh.Define(stage, f"{LIQUID}/surface")
    vt = pxr.Vt
    counts = np.full(len(mesh.faces), 3, np.int32)
    surface.CreateFaceVertexCountsAttr().Set(vt.IntArray.FromNumpy(counts), frame)
    surface.CreateFaceVertexIndicesAttr().Set(vt.IntArray.FromNumpy(np.ascontiguousarray(mesh.faces).ravel()), frame)
    if mesh.normals is not None:
        surface.CreateNormalsAttr().Set(vectors(pxr, mesh.normals), frame)
    velocity = mesh.velocity if mesh.velocity is not None else np.zeros_like(mesh.vertices)
    set_points(pxr, surface, (mesh.vertices, velocity), frame)
    _set_carried(pxr, surface, mesh.scalars, colors(velocity, mesh.scalars), frame)


def in_order(mesh: Mesh) -> Mesh:
    """The same surface, its vertices in order along its longest side; its triangles stay as they were.

    usd-core packs the numbers of vertices by how far each is from the one before, and counts how often it meets each
    distance. Where many distances are large its table has them in each other's places, and packing takes 20 times as
    long. In this order they are small.
    """
    if not len(mesh.vertices):
        return mesh
    along = max(mesh.vertices.T, key=np.ptp)
    low, high = float(along.min()), float(along.max())
    slab = (along - low) * (_SLABS / (high - low) if high > low else 0.0)
    order = np.argsort(slab.astype(np.uint16), kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    normals, velocity = (None if each is None else each[order] for each in (mesh.normals, mesh.velocity))
    carried = {name: values[order] for name, values in mesh.scalars.items()}
    return Mesh(mesh.vertices[order], number[mesh.faces], normals, velocity, scalars=carried)


def _add_particles(pxr: Any, stage: Any, particles: FrameParticles, frame: int, colors: Colors) -> None:
    points = pxr.UsdGeom.Points.Define(stage, f"{LIQUID}/particles")
    volume, d = np.maximum(particles.volume, 0), particles.position.shape[1]
    width = 2 * (np.cbrt(3 / (4 * np.pi) * volume) if d == 3 else np.sqrt(volume / np.pi))
    points.CreateWidthsAttr().Set(pxr.Vt.FloatArray.FromNumpy(width.astype(np.float32)), frame)
    deep = ((0, 0), (0, 3 - d))
    position = np.pad(particles.position.astype(np.float32), deep)
    set_points(pxr, points, (position, np.pad(particles.velocity, deep)), frame, float(width.max(initial=0.0)) / 2)
    _set_carried(pxr, points, particles.scalars, colors(particles.velocity, particles.scalars), frame)


def set_points(
    pxr: Any,
    prim: Any,
    moving: tuple[NDArray[np.float32], NDArray[np.float32]],
    frame: int,
    radius: float = 0.0,
) -> None:
    """Places, velocities and bounds."""
    places, velocity = moving
    prim.CreatePointsAttr().Set(vectors(pxr, places), frame)
    prim.CreateVelocitiesAttr().Set(vectors(pxr, velocity), frame)
    ends = np.zeros((2, 3), np.float32)
    if len(places):
        low, high = zip(*((along.min(), along.max()) for along in places.T), strict=True)  # faster than along axis 0
        ends = np.array([np.array(low) - radius, np.array(high) + radius], np.float32)
    prim.CreateExtentAttr().Set(vectors(pxr, ends), frame)


def _set_carried(pxr: Any, prim: Any, carried: Any, color: NDArray[np.float32], frame: int) -> None:
    """Colours, and what else the liquid carries."""
    prim.CreateDisplayColorPrimvar("vertex").Set(vectors(pxr, color), frame)
    for name in (name for name in carried if name in scalars()):
        values = carried[name]
        _primvar(pxr, prim, name).Set(pxr.Vt.FloatArray.FromNumpy(values.astype(np.float32)), frame)


def vectors(pxr: Any, values: NDArray[np.floating]) -> Any:
    """Vectors (n, 3) as USD holds them."""
    return pxr.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def written(pxr: Any, fill: Callable[[Any], None], name: str) -> bytes:
    """The bytes of a layer that `fill` fills; USD writes to files only."""
    with TemporaryDirectory(prefix="plash") as folder:
        path = Path(folder) / name
        stage = pxr.Usd.Stage.CreateNew(str(path))
        fill(stage)
        stage.GetRootLayer().Save()
        del stage
        return path.read_bytes()
