"""The shape whose surface is a file of triangles.

Whether there is such a file is checked with the rest of the scene; how far it reaches, and whether its triangles make
a body, when the shape is placed in a scene.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Unpack

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    computed_field,
    model_serializer,
    model_validator,
)

from plash.errors import SceneError
from plash.scene.language.base import FURTHEST, Length, Number, Switch, Text
from plash.scene.language.words import Finding, refusal, refusal_at
from plash.scene.mesh_files.file import file_fault, read_mesh
from plash.scene.mesh_files.surface import Body, surface_of
from plash.scene.moves import Bounds, Movable

if TYPE_CHECKING:
    from plash.scene.keys import MeshShapeKeys


def text_of_path(value: object) -> object:
    """A path as text; anything else as it is."""
    return str(value) if isinstance(value, os.PathLike) else value


def whole_path(value: str) -> str:
    """The path from the root, so that it means the same wherever the program goes."""
    path = str(Path(value).absolute())
    fault = file_fault(path)
    if fault:
        raise refusal(fault)
    return path


MeshPath = Annotated[Text, BeforeValidator(text_of_path), AfterValidator(whole_path)]


class MeshShape(Movable):
    """A body made of the triangles or polygons of a file: STL, OBJ, PLY, GLB or glTF. Only in 3-D.

    They must close up without a hole and face outwards, those of a cavity into it; `repair` and `thickness` make a
    body of other surfaces. Parts are joined, and they may overlap: inside is what any of them encloses. Coordinates
    count as metres until they are scaled, and y is up. See [meshes.md](meshes.md) for each format and program.
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[MeshShapeKeys]) -> None: ...

    kind: Literal["mesh"] = "mesh"
    file: MeshPath = Field(description="Path of the file; a relative one starts at the folder of the scene file.")
    scale: Number = Field(
        default=1.0,
        gt=0,
        le=FURTHEST,
        description="Metres for one unit of the file, such as 0.001 for millimetres; made first, about its origin.",
    )

    repair: Switch = Field(
        default=False,
        description="Take what the surface goes round for more than half as inside: holes are closed over, and "
        "triangles may cross, lie inside or face the wrong way.",
    )
    thickness: Length | None = Field(
        default=None,
        gt=0,
        le=FURTHEST,
        description="Make a wall of the surface, open or closed: all points within half of this of a triangle.",
        json_schema_extra={"default_text": "none: the triangles enclose the body"},
    )

    @model_validator(mode="after")
    def _is_one_body(self) -> Self:
        if self.repair and self.thickness is not None:
            sentence = "has no use with thickness, since a wall needs no inside: take one of them out"
            raise refusal_at("repair", f"true {sentence}")
        return self

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without keys that are not used: runs made before there were any stay as good as they were."""
        unused = {"repair": False, "thickness": None}
        data: dict[str, Any] = handler(self)
        return {name: part for name, part in data.items() if name not in unused or part != unused[name]}

    @property
    def body(self) -> Body:
        """What is made of the triangles."""
        if self.thickness is not None:
            return "shell"
        return "repaired" if self.repair else "closed"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sha256(self) -> str:
        """Hash of the triangles in the file; part of ``model_dump``, so that their change is a change of the scene."""
        return read_mesh(self.file).sha256

    def own_bounds(self, dimension: int) -> Bounds:
        """The box around the triangles, and around the wall of a shell.

        Raises:
            SceneError: The file cannot be read.
        """
        vertices = read_mesh(self.file).vertices * self.scale
        wall = (self.thickness or 0.0) / 2
        return tuple((vertices.min(axis=0) - wall).tolist()), tuple((vertices.max(axis=0) + wall).tolist())

    def misfits(self, dimension: int) -> list[Finding]:
        """Why the mesh has no place in a scene: too few axes, an unreadable file, out of all bounds, no body."""
        if dimension != 3:
            return [((), "is a mesh of triangles, only in 3-D: give domain.size three entries, or use another kind")]
        try:
            low, high = self.own_bounds(dimension)
            furthest = max(map(abs, (*low, *high)))
            if furthest > FURTHEST:
                return [(("scale",), f"{self.scale:g} makes the mesh reach {furthest:.4g} m: at most {FURTHEST:g} m")]
            surface_of(self.file, self.body, self.scale)
        except SceneError as error:
            return [((problem.key,), problem.message) for problem in error.problems]
        return []
