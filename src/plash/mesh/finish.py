"""The last steps to a mesh: subdivision, what lies on walls left out, normals, metres."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.mesh.draft import CLOSES, PLANES, RESTS, Draft
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals, gradient_normals
from plash.mesh.subdivide import refined
from plash.mesh.volumes import with_volumes
from plash.scene.meshing import Meshing


def shaped(draft: Draft, volumes: NDArray[np.float64], rounds: int) -> Draft:
    """The draft after some rounds of Loop subdivision, every part with its volume, in lattice units."""
    for _ in range(rounds):
        draft = refined(draft)
    return with_volumes(draft, draft.parts, volumes)


def finished(
    draft: Draft, field: CellField, meshing: Meshing, spacing: float, origin: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> Mesh:
    """The mesh of a draft, in metres, with normals in 3-D; in 2-D the outline tells all.

    Args:
        draft: A closed surface.
        field: What it was cut from, going on beyond walls.
        meshing: Which normals, and whether what lies on walls is left out.
        spacing: Of the samples, m.
        origin: Of the samples, m.
    """
    normals = None
    if field.tiles.dimension == 3:
        normals = _normals(draft, field, meshing)
    if meshing.walls == "open":
        draft, normals = _without_walls(draft, normals)
    vertices = draft.places * spacing
    vertices[:, : len(origin)] += origin
    return Mesh(vertices.astype(np.float32), draft.faces, normals, draft.velocity, draft.edges, draft.scalars)


def _normals(draft: Draft, field: CellField, meshing: Meshing) -> NDArray[np.float32]:
    """Normals of the free surface, up to the line where it meets a wall; of the wall on the wall."""
    if meshing.normals == "field":
        normals = gradient_normals(field, draft.places, 1.0)
    else:
        held = PLANES | RESTS if meshing.walls == "open" else PLANES
        is_free = draft.tags(draft.faces) & held == 0
        normals = face_normals(draft.places, draft.faces, draft.corners, is_free)
    closes = draft.walls & CLOSES > 0
    bare = closes | ~normals.any(axis=1)
    for side in range(6):
        outwards = np.eye(3, dtype=np.float32)[side // 2] * (2 * (side % 2) - 1)
        alone = closes & (draft.walls & PLANES == 1 << side)
        normals[alone] = outwards
        bare &= ~alone
    if bare.any():
        touching = draft.faces[bare[draft.faces].any(axis=1)]
        near, number = np.unique(touching, return_inverse=True)
        found = face_normals(draft.places[near], number.reshape(touching.shape).astype(np.int32))
        normals[near[bare[near]]] = found[bare[near]]
    return normals


def _without_walls(draft: Draft, normals: NDArray[np.float32] | None) -> tuple[Draft, NDArray[np.float32] | None]:
    """The draft and its normals without the faces on walls and solids; in 2-D, without that part of the outline."""
    if len(draft.edges):
        edges = draft.edges[draft.tags(draft.edges) == 0]
        return replace(draft, edges=edges), normals
    faces = draft.faces[draft.tags(draft.faces) == 0]
    kept = np.zeros(len(draft.places), np.bool_)
    kept[faces] = True
    number = np.cumsum(kept, dtype=np.int32) - 1
    smaller = Draft(draft.places[kept], draft.carried[kept], draft.walls[kept], number[faces], draft.edges, draft.names)
    return smaller, None if normals is None else normals[kept]
