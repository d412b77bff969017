"""The shape whose surface is a file of triangles.

Whether there is such a file is checked with the rest of the scene; how far it reaches is read from it when the shape
is placed; whether its surface is closed is found where distances are computed, in ``plash.levelset.mesh_load``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, computed_field

from plash.errors import SceneError
from plash.scene.base import FURTHEST, Number, Text
from plash.scene.mesh_file import file_fault, read_mesh
from plash.scene.moves import Bounds, Movable
from plash.scene.words import Finding, refusal


def _text_of(value: object) -> object:
    return str(value) if isinstance(value, os.PathLike) else value


def _whole_path(value: str) -> str:
    """The path from the root, so that it means the same wherever the program goes."""
    path = str(Path(value).absolute())
    fault = file_fault(path)
    if fault:
        raise refusal(fault)
    return path


MeshPath = Annotated[Text, BeforeValidator(_text_of), AfterValidator(_whole_path)]


class MeshShape(Movable):
    """A body enclosed by triangles from a file: STL, OBJ, PLY, GLB or glTF. Only in 3-D.

    The triangles must close up without a hole and face outwards; those of a cavity face into it. Parts are joined,
    and they may overlap: inside is what any of them encloses. Coordinates count as metres until they are scaled.
    """

    kind: Literal["mesh"] = "mesh"
    file: MeshPath = Field(description="Path of the file; a relative one starts at the folder of the scene file.")
    scale: Number = Field(
        default=1.0,
        gt=0,
        le=FURTHEST,
        description="Metres for one unit of the file, such as 0.001 for millimetres; made first, about its origin.",
    )

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sha256(self) -> str:
        """Hash of the triangles in the file; part of ``model_dump``, so that their change is a change of the scene."""
        return read_mesh(self.file).sha256

    def own_bounds(self, dimension: int) -> Bounds:
        """The box around the triangles.

        Raises:
            SceneError: The file cannot be read.
        """
        vertices = read_mesh(self.file).vertices * self.scale
        return tuple(vertices.min(axis=0).tolist()), tuple(vertices.max(axis=0).tolist())

    def misfits(self, dimension: int) -> list[Finding]:
        """Why the mesh has no place in a scene: too few axes, an unreadable file, out of all bounds."""
        if dimension != 3:
            return [((), "is a mesh of triangles, only in 3-D: give domain.size three entries, or use another kind")]
        try:
            low, high = self.own_bounds(dimension)
        except SceneError as error:
            return [((problem.key,), problem.message) for problem in error.problems]
        furthest = max(map(abs, (*low, *high)))
        if furthest > FURTHEST:
            return [(("scale",), f"{self.scale:g} makes the mesh reach {furthest:.4g} m: at most {FURTHEST:g} m")]
        return []
