"""Motions that another program has made: animations of a node of a glTF file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Self, Unpack

from pydantic import AfterValidator, BeforeValidator, Field, computed_field, model_validator

from plash.errors import SceneError
from plash.scene.language.base import FURTHEST, Number, SceneModel, Switch, Text, Vector
from plash.scene.language.words import refusal, refusal_at
from plash.scene.mesh_shape import text_of_path, whole_path
from plash.scene.moves import Matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plash.scene.keys import NodeMotionKeys

_RIGID = 1e-3  # how far a motion may be from one of a rigid body


def _animated(path: str) -> str:
    if not path.lower().endswith((".glb", ".gltf")):
        raise refusal(f"{path} holds no animation: it must be a .glb or .gltf file")
    return path


AnimationPath = Annotated[Text, BeforeValidator(text_of_path), AfterValidator(whole_path), AfterValidator(_animated)]


class NodeMotion(SceneModel):
    """The animation of a node of a glTF file, with that of all nodes above it; only in 3-D.

    A body moves as the node does, counted from where the file has the node without the animation. So a mesh of the
    same file follows it as in the program that made it.
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[NodeMotionKeys]) -> None: ...

    file: AnimationPath = Field(
        description="Path of a .glb or .gltf file; a relative one starts at the scene's folder."
    )
    node: Text = Field(description="Name of the node, an object in most programs.")
    clip: Text = Field(
        default="",
        description="Name of the animation.",
        json_schema_extra={"default_text": "of each node the first that moves it"},
    )
    scale: Number = Field(default=1.0, gt=0, le=FURTHEST, description="Metres for one unit of the file, as for a mesh.")
    loop: Switch = Field(default=False, description="Begin again after the last key, without end.")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sha256(self) -> str:
        """Hash of the animation; part of ``model_dump``, so that its change is a change of the scene."""
        from plash.scene.mesh_files.gltf_animation import read_animation

        return read_animation(self.file, self.node, self.clip).sha256

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        from plash.scene.mesh_files.gltf_animation import read_animation

        try:
            read_animation(self.file, self.node, self.clip)
        except SceneError as error:
            raise refusal_at(error.problems[0].key, error.problems[0].message) from None
        return self

    @property
    def fault(self) -> str:
        """Why it is no motion of a rigid body; empty if it is one."""
        import numpy as np

        from plash.scene.mesh_files.gltf_animation import read_animation

        found = read_animation(self.file, self.node, self.clip)
        if abs(np.linalg.det(found.rest)) < 1e-12:
            return f"{self.node!r} has no size in {self.file}: a body cannot follow it"
        keys = found.key_times()
        for time in (*keys, *((a + b) / 2 for a, b in pairwise(keys))):
            turn = self._moved(time)[0][:3, :3]
            if float(np.abs(turn @ turn.T - np.eye(3)).max()) > _RIGID or np.linalg.det(turn) < 0:
                return f"{self.node!r} grows or shrinks at {time:.4g} s: a body is rigid; take its keys of scale out"
        return ""

    def placed(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the node is at a time (4, 4), in metres, and its rate."""
        import numpy as np

        from plash.scene.mesh_files.gltf_animation import read_animation

        found = read_animation(self.file, self.node, self.clip)
        matrix, rate = found.at(time % found.end if self.loop and found.end > 0 else time)
        metres = np.array([1.0, 1.0, 1.0, 0.0])[:, None] * np.array([0.0, 0.0, 0.0, self.scale - 1.0])
        return matrix + matrix * metres, rate + rate * metres

    def _moved(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far the node is moved from its place without animation (4, 4), and the rate."""
        import numpy as np

        from plash.scene.mesh_files.gltf_animation import read_animation

        rest = read_animation(self.file, self.node, self.clip).rest
        rest[:3, 3] *= self.scale
        matrix, rate = self.placed(time)
        back = np.linalg.inv(rest)
        return matrix @ back, rate @ back

    def at(self, time: float) -> tuple[Matrix, Vector, Vector, Vector]:
        """Matrix and shift of the body at a time, its velocity at the origin (m/s) and its spin (rad/s)."""
        import numpy as np

        moved, rate = self._moved(time)
        turn, shift = moved[:3, :3], moved[:3, 3]
        spinning = rate[:3, :3] @ turn.T
        spin = np.array([spinning[2, 1], spinning[0, 2], spinning[1, 0]])
        velocity = rate[:3, 3] - np.cross(spin, shift)
        rows: Matrix = tuple(map(tuple, turn.tolist()))
        return rows, tuple(shift.tolist()), tuple(velocity.tolist()), tuple(spin.tolist())
