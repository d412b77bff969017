"""NPZ for learning and analysis: all there is of a frame in one file that `numpy.load` opens.

| name | what it is |
| --- | --- |
| `frame`, `time` | number of the frame, and its time, s |
| `h` | size of a cell, m |
| `cell_velocity` | velocity (m/s) at the centres of all cells, [axis, [z,] y, x]; NaN where no liquid is near |
| `cell_pressure` | pressure (Pa) of the last step in all cells, [[z,] y, x]; NaN where there was no liquid |
| `position`, `velocity`, `volume`, ... | of particles, one row each, as in the files of frames |
| `density`, `velocity`, ... | instead, the grids of stable fluids |
| `surface_vertices`, `surface_faces`, ... | of the surface |
| `ledger`, `scene` | as JSON: the volumes up to the frame, and all of the scene that the simulation depends on |
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from plash.mesh.mesh import Mesh
from plash.scene.model import Scene
from plash.solvers.frame import Snapshot


def npz_bytes(snapshot: Snapshot, mesh: Mesh, scene: Scene, frame: int, told: Mapping[str, object]) -> bytes:
    """All there is of a frame; what is `told` by name is written as JSON, Python functions in it by their names."""
    arrays: dict[str, Any] = {
        "frame": np.array(frame),
        "time": np.array((frame - 1) / scene.time.fps),
        "h": np.array(scene.domain.h),
        "cell_velocity": snapshot.cell_velocity(scene.domain),
        "cell_pressure": snapshot.cell_pressure(scene.domain),
        **snapshot.arrays(),
        "surface_vertices": mesh.vertices,
        "surface_faces": mesh.faces,
        **{name: np.array(json.dumps(data, default=_function_name)) for name, data in told.items()},
    }
    known = {"normals": mesh.normals, "velocity": mesh.velocity, **mesh.scalars}
    arrays |= {f"surface_{name}": values for name, values in known.items() if values is not None}
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _function_name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
