"""What is wrong with a mesh that shall bound a liquid: for messages, before light is sent through it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.mesh.mesh import Mesh
from plash.mesh.topology import edges_of


def defects(mesh: Mesh) -> list[str]:
    """Each thing that is wrong with a mesh, as a sentence; none if it is closed and its volume is positive.

    Example:
        >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)
        >>> defects(Mesh(corners, faces))
        []
        >>> defects(Mesh(corners, faces[:3]))
        ['it has holes: 3 open edges, one of them at (0.5, 0.5, 0)']
        >>> defects(Mesh(corners, faces[:, ::-1]))
        ['it is inside out: its volume is -0.166667 m³']
        >>> defects(Mesh.empty())
        ['it is empty: it has no triangles']
    """
    if len(mesh.faces) == 0:
        return ["it is empty: it has no triangles"]
    if mesh.faces.min() < 0 or mesh.faces.max() >= len(mesh.vertices):
        return [f"a face has vertex {int(mesh.faces.max())}, but there are {len(mesh.vertices)}"]
    if not np.isfinite(mesh.vertices).all():
        return [f"{int((~np.isfinite(mesh.vertices)).any(axis=1).sum())} of its vertices are not finite"]
    found = []
    places = _open_places(mesh)
    if len(places):
        what = "ends of its outline" if mesh.dimension == 2 else "open edges"
        found.append(f"it has holes: {len(places)} {what}, one of them at {_shown(places[0])}")
    volume = mesh.volume
    if volume < 0:
        found.append(f"it is inside out: its volume is {volume:.6g} {'m²' if mesh.dimension == 2 else 'm³'}")
    elif volume == 0 and not found:
        found.append("it has no volume")
    return found


def _open_places(mesh: Mesh) -> NDArray[np.floating]:
    """Where edges lack a face, or have too many; in 2-D, where the outline ends or branches."""
    if mesh.dimension == 2:
        out, into = (np.bincount(mesh.edges[:, side], minlength=len(mesh.vertices)) for side in range(2))
        ends: NDArray[np.floating] = mesh.vertices[(out != into) | (out > 1)]
        return ends
    edges = edges_of(mesh.faces, len(mesh.vertices))
    middles: NDArray[np.floating] = mesh.vertices[edges.ends[~edges.is_sound]].mean(axis=1)
    return middles


def _shown(place: NDArray[np.floating]) -> str:
    return "(" + ", ".join(f"{float(x):.4g}" for x in place) + ")"
