"""Spray, foam and bubbles for other programs: points with their velocity, radius, age and kind.

A kind is 0 for spray, 1 for foam and 2 for bubbles. In PLY points are vertices without faces; in USD they are a prim
`whitewater` beside the liquid's surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.exports.axes import Up, upright
from plash.exports.usd_frame import set_points
from plash.exports.vtk import in_space
from plash.whitewater.motes import Motes

_FLOATS = ("x", "y", "z", "velocity_x", "velocity_y", "velocity_z", "radius", "age")
_WHITE = (0.93, 0.94, 0.95)


def motes_ply_bytes(motes: Motes, largest: float, up: Up) -> bytes:
    """Motes as the points of a PLY file; `largest` (m) is the radius of the largest."""
    rows = np.empty(len(motes), np.dtype([(name, "<f4") for name in _FLOATS] + [("kind", "u1")]))
    place, velocity = (upright(_in_space(each), up) for each in (motes.position, motes.velocity))
    for axis in range(3):
        rows[_FLOATS[axis]], rows[_FLOATS[3 + axis]] = place[:, axis], velocity[:, axis]
    rows["radius"], rows["age"], rows["kind"] = largest * motes.size, motes.age, motes.kind
    lines = ["ply", "format binary_little_endian 1.0", f"comment plash; metres, {up} is up"]
    lines += ["comment kind: 0 spray, 1 foam, 2 bubbles", f"element vertex {len(rows)}"]
    lines += [f"property float {name}" for name in _FLOATS] + ["property uchar kind", "end_header", ""]
    return "\n".join(lines).encode() + rows.tobytes()


def declare_motes(pxr: Any, stage: Any, path: str) -> Any:
    """The prim of motes under a path in USD, and what values it may have, without any."""
    points = pxr.UsdGeom.Points.Define(stage, f"{path}/whitewater")
    points.CreateWidthsAttr()
    points.CreatePointsAttr()
    points.CreateVelocitiesAttr()
    points.CreateExtentAttr()
    for name, values in (("age", pxr.Sdf.ValueTypeNames.FloatArray), ("kind", pxr.Sdf.ValueTypeNames.IntArray)):
        pxr.UsdGeom.PrimvarsAPI(points).CreatePrimvar(name, values, "vertex")
    return points


def show_motes(pxr: Any, points: Any) -> None:
    """Give the prim of motes its one colour."""
    points.CreateDisplayColorPrimvar("constant").Set(pxr.Vt.Vec3fArray([_WHITE]))


def add_motes(pxr: Any, stage: Any, path: str, motes: Motes, largest: float, frame: int) -> None:
    """Motes of a frame in its layer of USD."""
    points = declare_motes(pxr, stage, path)
    points.CreateWidthsAttr().Set(pxr.Vt.FloatArray.FromNumpy((2 * largest * motes.size).astype(np.float32)), frame)
    set_points(pxr, points, (_in_space(motes.position), _in_space(motes.velocity)), frame, largest)
    primvars = pxr.UsdGeom.PrimvarsAPI(points)
    primvars.GetPrimvar("age").Set(pxr.Vt.FloatArray.FromNumpy(motes.age.astype(np.float32)), frame)
    primvars.GetPrimvar("kind").Set(pxr.Vt.IntArray.FromNumpy(motes.kind.astype(np.int32)), frame)


def _in_space(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    deep: NDArray[np.float32] = in_space(vectors.astype(np.float32))
    return deep
