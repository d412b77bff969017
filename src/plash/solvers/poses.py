"""Poses of solids as arrays of a file: `pose.NAME` for each solid that moves, its rotation and its shift (m).

Three rows of four numbers: x = R x₀ + s is `pose[:, :3] @ x0 + pose[:, 3]`, x₀ the place of a point in the scene.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.physics.solids.rigid_motion import Poses
from plash.scene.poses import Pose
from plash.solvers.stored import StoredArrays

_POSE = "pose."
_FURTHEST = 1e18  # m
_ROUND_OFF = 1e-6  # of a rotation


def pose_arrays(poses: Poses) -> dict[str, NDArray[Any]]:
    """The poses of solids as arrays."""
    return {_POSE + name: np.column_stack([pose.matrix, pose.shift]) for name, pose in poses.items()}


def poses_from(arrays: StoredArrays, prescribed: Poses) -> Poses:
    """The poses of solids in a file.

    Args:
        arrays: What is in the file.
        prescribed: Where the solids that move should be; they are there in files of an earlier plash, without poses.

    Raises:
        DamagedError: A pose is none.
    """
    return {name: _pose(arrays, name) if _POSE + name in arrays else pose for name, pose in prescribed.items()}


def _pose(arrays: StoredArrays, name: str) -> Pose:
    rows = arrays.take(_POSE + name, np.float64, (3, 4), -_FURTHEST, _FURTHEST)
    matrix, shift = rows[:, :3], rows[:, 3]
    turns = np.abs(matrix).max() < 2 and np.abs(matrix @ matrix.T - np.eye(3)).max() < _ROUND_OFF
    if not turns or np.linalg.det(matrix) < 0:
        raise arrays.damaged(f"the solid {name!r} is turned by what is no rotation")
    return Pose(tuple(map(tuple, matrix.tolist())), tuple(shift.tolist()))
