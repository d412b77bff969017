"""Which way is up: here y is, in Blender and some other programs z is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plash.mesh.mesh import Mesh

Up = Literal["y", "z"]

# x = matrix x₀; with z up a quarter turn about x: (x, y, z) becomes (x, -z, y)
TURNS: dict[str, NDArray[np.float64]] = {
    "y": np.eye(3),
    "z": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
}


def upright(vectors: NDArray[np.float32], up: Up) -> NDArray[np.float32]:
    """Vectors (n, 3) with another axis up: a quarter turn, which changes no bit of a number but its sign.

    >>> upright(np.array([[1, 2, 3]], np.float32), "z").tolist()
    [[1.0, -3.0, 2.0]]
    """
    if up == "y":
        return vectors
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def upright_mesh(mesh: Mesh, up: Up) -> Mesh:
    """A mesh with another axis up."""
    turned: dict[str, Any] = {
        name: upright(values, up)
        for name in ("vertices", "normals", "velocity")
        if (values := getattr(mesh, name)) is not None
    }
    return replace(mesh, **turned)
