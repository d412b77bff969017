"""Surfaces edited by hand, taken back into a run and drawn.

A surface that was exported and edited in another program stands in place of the one that the simulation made, and the
manifest says so. What that program does not keep, velocities and what else the liquid carries, comes from the nearest
vertices of the surface that the simulation made. Reference: Kuo, section 6, where animators edit surfaces by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError, StorageError
from plash.exports.axes import TURNS, Up
from plash.files.atomic import write_bytes
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest
from plash.files.ply import ply_bytes
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals
from plash.pipeline.open_run import OpenRun, open_run
from plash.pipeline.progress import Progress
from plash.pipeline.run import Outcome, outcome, resume
from plash.pipeline.stages.registry import held_run
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import RunPaths
from plash.pipeline.stages.surfaces import SURFACES
from plash.scene.mesh_files.check import defects
from plash.scene.mesh_files.file import read_mesh
from plash.scene.mesh_files.merge import merged
from plash.scene.model import Scene
from plash.solvers.limits import cells_of

_ALWAYS_Y_UP = (".glb", ".gltf")
_NEAREST = 4  # vertices that a vertex takes its velocity from
_NEARER = 6.0  # cells to the domain than liquid can be: two beyond its sides
_UNMOVED = 1e-4  # cells: more than a file of text loses
_NUMBER = re.compile(r"\.(\d{4,9})\.\w+$")
_IN_BLENDER = "in Blender, Mesh > Clean Up > Fill Holes, and Mesh > Normals > Recalculate Outside"


def import_mesh(
    folder: str | Path,
    files: str | Path | Sequence[str | Path],
    *,
    frame: int | None = None,
    up: Up | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Take surfaces that were edited by hand into a run, and draw them if all of it is simulated.

    They stay whatever changes in the run, until `undo_import`. Velocities, and what else the liquid carries, come from
    the surface that the simulation made.

    Args:
        folder: The run's folder.
        files: PLY, OBJ, STL, GLB or glTF, in metres: one file, or several that are named as exports are, such as
            surface.0012.obj for frame 12.
        frame: The frame of a single file, if its name does not tell.
        up: The axis that points up in PLY, OBJ and STL files; that of the run's exports if not said. In GLB it is y.
        progress: Who wants to know how it is getting on.

    Raises:
        SceneError: A file cannot be read, or is no closed surface inside the domain.
        StorageError: There is no such frame.

    Example:
        >>> import plash, tempfile
        >>> scene = plash.load_scene("dam_break", resolution=8, frames=1)
        >>> with tempfile.TemporaryDirectory() as out:
        ...     _ = plash.run(scene, out, stages=["simulate", "mesh"])
        ...     outcome = plash.import_mesh(out, f"{out}/mesh/surface.0001.ply")
        ...     plash.open_run(out).edited
        {1: 'surface.0001.ply'}
    """
    given = [files] if isinstance(files, str | Path) else list(files)
    place = RunFolder(Path(folder))
    with held_run(place):
        run = open_run(place.root)
        if run.scene.dimension != 3:
            raise SceneError([Problem("", "is in 2-D: surfaces can be edited in 3-D only")], f"scene of {place.root}")
        numbered = _numbered([Path(file) for file in given], frame)
        taken = {number: _edited(run, file, number, up) for number, file in numbered.items()}
        for number, mesh in taken.items():
            path = SURFACES.file(RunPaths.of(place, run.manifest), number)
            written = write_bytes(path, ply_bytes(mesh))
            run.manifest.stage(SURFACES.name).items[number] = Item.of(written, edited=numbered[number].name)
            run.manifest.write(place)
    return _draw(place, run.manifest, run.scene, progress)


def undo_import(
    folder: str | Path, *, frames: Iterable[int] | None = None, progress: Progress | None = None
) -> Outcome:
    """Make surfaces that were edited by hand again as they were simulated, and draw them.

    Args:
        folder: The run's folder.
        frames: Those to undo; all that were edited if not said.
        progress: Who wants to know how it is getting on.

    Raises:
        StorageError: A frame was not edited.
    """
    place = RunFolder(Path(folder))
    with held_run(place):
        run = open_run(place.root)
        wanted = list(run.edited if frames is None else frames)
        for number in wanted:
            if number not in run.edited:
                known = ", ".join(map(str, run.edited)) or "none"
                raise StorageError(f"{place.root}: frame {number} was not edited by hand; frames that were: {known}")
        for number in wanted:
            del run.manifest.stage(SURFACES.name).items[number]
        run.manifest.write(place)
    return _draw(place, run.manifest, run.scene, progress)


def _draw(place: RunFolder, manifest: Manifest, scene: Scene, progress: Progress | None) -> Outcome:
    """Bring up to date what depends on surfaces, where every frame is simulated."""
    simulated = manifest.stage(SIMULATION.name).items
    if any(frame not in simulated for frame in range(1, scene.time.frames + 1)):
        note = f"not all frames are simulated yet: `{place.resume_command}` goes on, and draws what was edited"
        return replace(outcome(place, manifest), notes=(note,))
    stages = [SURFACES.name, *(name for name in manifest.wanted if name not in (SIMULATION.name, SURFACES.name))]
    return resume(place.root, stages=stages, progress=progress)


def _numbered(files: Sequence[Path], frame: int | None) -> dict[int, Path]:
    """Files by the frames they are of.

    Raises:
        StorageError: A name does not tell, tells another frame, or two files are of one.
    """
    if frame is not None and len(files) != 1:
        raise StorageError(f"there are {len(files)} files, and one frame, {frame}: leave it out, names tell the frames")
    numbered: dict[int, Path] = {}
    for file in files:
        found = _NUMBER.search(file.name)
        named = int(found[1]) if found else None
        if frame is None and named is None:
            raise StorageError(
                f"{file}: its name does not tell the frame, as surface.0012{file.suffix} does: name it so, or say "
                "--frame N"
            )
        if frame is not None and named is not None and named != frame:
            raise StorageError(f"{file}: is of frame {named} by its name, and frame {frame} is asked for: rename it")
        number = frame if named is None else named
        assert number is not None
        if number in numbered:
            raise StorageError(f"{file}: is of frame {number}, and so is {numbered[number]}: give one of them")
        numbered[number] = file
    return numbered


def _edited(run: OpenRun, file: Path, number: int, up: Up | None) -> Mesh:
    """The surface in a file, with all that a surface of a run has."""
    if number not in run.numbers:
        raise StorageError(f"{file}: is of frame {number}, and the run has {_frames(run.numbers)} simulated")
    scene, frame = run.scene, run[number]
    vertices, triangles = _read(file, scene)
    axis: Up = "y" if file.suffix.lower() in _ALWAYS_Y_UP else up or scene.output.export_up
    vertices = vertices @ TURNS[axis]  # the inverse turn: rows times the matrix are its transpose times columns
    _refuse_outside(file, vertices, scene, axis)
    faces = np.ascontiguousarray(triangles, np.int32)
    return _carrying(vertices.astype(np.float32), faces, frame.snapshot.surface(scene, frame.time), scene.domain.h)


def _read(file: Path, scene: Scene) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices, each once, and triangles of a file that close up, unless surfaces of the run are open at walls."""
    try:
        found = read_mesh(str(file))
    except SceneError as error:
        raise SceneError([Problem("", problem.message) for problem in error.problems], "import-mesh") from None
    vertices, triangles = merged(found.vertices, found.triangles)
    wrong = [] if scene.mesh.walls == "open" and len(triangles) else defects(vertices, triangles)
    if wrong:
        remedy = f"Mend it where it was edited ({_IN_BLENDER})"
        told = [Problem("", f"{defect.partition(': ')[0]}. {remedy}") for defect in wrong]
        raise SceneError(told, str(file))
    return vertices, triangles


def _refuse_outside(file: Path, vertices: NDArray[np.float64], scene: Scene, up: Up) -> None:
    """Refuse a surface where no liquid of the scene can be: of another scene, scale or axis."""
    low, high = cells_of(scene.domain)
    low, high = (low + _NEARER) * scene.domain.h, (high - _NEARER) * scene.domain.h
    first, last = vertices.min(axis=0), vertices.max(axis=0)
    if (first < low).any() or (last > high).any():
        size = " x ".join(f"{cells * scene.domain.h:.4g}" for cells in scene.domain.cells)
        raise SceneError(
            [
                Problem(
                    "",
                    f"reaches from {_point(first)} to {_point(last)} m, out of the domain of {size} m. It was read "
                    f"with {up} up: --up says otherwise. Lengths are metres, and the origin is that of the scene",
                )
            ],
            str(file),
        )


def _carrying(vertices: NDArray[np.float32], faces: NDArray[np.int32], made: Mesh, h: float) -> Mesh:
    """A surface with the velocity and all else that the nearest vertices of another one have.

    Vertices that were not moved keep all they had, their normals too unless something beside them was moved.
    """
    from scipy.spatial import cKDTree

    normals = face_normals(vertices, faces)
    if len(made.vertices) == 0:
        return Mesh(vertices, faces, normals, np.zeros_like(vertices))
    count = min(_NEAREST, len(made.vertices))
    found = cKDTree(made.vertices).query(vertices, k=range(1, count + 1))
    distances, nearest = np.asarray(found[0]), np.asarray(found[1])
    is_unmoved = distances[:, 0] <= _UNMOVED * h
    weights = 1 / np.maximum(distances, 1e-9 * h)
    weights[is_unmoved] = np.eye(count)[0]
    weights /= weights.sum(axis=1, keepdims=True)

    def taken(values: NDArray[np.float32]) -> NDArray[np.float32]:
        wide = values.reshape(len(values), -1)
        mean = np.einsum("nk,nka->na", weights, wide[nearest].astype(np.float64))
        return np.asarray(mean, np.float32).reshape(len(vertices), *values.shape[1:])

    if made.normals is not None:
        beside = np.zeros(len(vertices), np.bool_)
        beside[faces[~is_unmoved[faces].all(axis=1)]] = True
        kept = is_unmoved & ~beside
        normals[kept] = made.normals[nearest[kept, 0]]
    velocity = None if made.velocity is None else taken(made.velocity)
    return Mesh(vertices, faces, normals, velocity, scalars={name: taken(part) for name, part in made.scalars.items()})


def _point(place: NDArray[np.float64]) -> str:
    return f"({', '.join(f'{part:.4g}' for part in place)})"


def _frames(numbers: Sequence[int]) -> str:
    return f"frames {numbers[0]} to {numbers[-1]}" if numbers else "no frame"
