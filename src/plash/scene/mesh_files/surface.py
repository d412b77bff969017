"""The surface of a mesh shape: its triangles put together, and refused if they do not make the body asked for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from plash.errors import Problem, SceneError
from plash.scene.mesh_files.file import read_mesh, short, stamp

if TYPE_CHECKING:
    from plash.scene.mesh_files.check import Array, Numbers

Body = Literal["closed", "repaired", "shell"]
_WALL = 0.02  # of the diagonal: the thickness that messages suggest
_NO_INSIDE = (
    "has no inside, even with repair = true, since its triangles go round no point: take repair out, and set "
    'thickness = "{wall}", which makes a wall of the surface'
)


def surface_of(file: str, body: Body, scale: float = 1.0) -> tuple[Array, Numbers]:
    """Vertices, each once, and triangles of a file, in its own units.

    They enclose a body and face outwards; of a body to be repaired they face outwards as far as that can be told, and
    a shell may be any surface. Messages speak of a mesh to this scale.

    Raises:
        SceneError: The file cannot be read, or its triangles do not make such a body; names each defect and the edit.
    """
    import numpy as np

    vertices, triangles, found = _made(file, stamp(file), body)
    if found:
        wall = _length(_WALL * scale * float(np.linalg.norm(np.ptp(read_mesh(file).vertices, axis=0))))
        raise SceneError([Problem("file", f"{short(file)} {defect.replace('{wall}', wall)}") for defect in found])
    return vertices, triangles


@lru_cache(maxsize=16)
def _made(file: str, _stamp: tuple[int, int], body: Body) -> tuple[Array, Numbers, list[str]]:
    from plash.scene.mesh_files.check import defects, has_inside, oriented
    from plash.scene.mesh_files.merge import merged

    raw = read_mesh(file)
    vertices, triangles = merged(raw.vertices, raw.triangles)
    if body == "closed" or len(triangles) == 0:
        return vertices, triangles, defects(vertices, triangles)
    if body == "shell":
        return vertices, triangles, []
    triangles = oriented(vertices, triangles)
    return vertices, triangles, [] if has_inside(vertices, triangles) else [_NO_INSIDE]


def _length(metres: float) -> str:
    """A length with one digit, as a scene file has it.

    >>> _length(0.0213), _length(1.7)
    ('2 cm', '2 m')
    """
    for unit, factor in (("m", 1.0), ("cm", 100.0), ("mm", 1000.0)):
        if metres * factor >= 1:
            return f"{float(f'{metres * factor:.0e}'):g} {unit}"
    return f"{metres * 1000:.1g} mm"
