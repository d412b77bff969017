"""The liquid's surface in each frame, from its particles or grids: mesh/surface.0001.ply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plash.pipeline.fingerprint import fingerprint, isovalue, physics
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, FileStage, Inputs, Source
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.mesh.mesh import Mesh


def _inputs(scene: Scene, frame: int) -> Sequence[Source]:
    return [(SIMULATION, frame)]


def _settings(scene: Scene, frame: int) -> Sequence[object]:
    return scene.mesh.model_dump(), fingerprint(physics(scene)), *isovalue(scene)


def _make(inputs: Inputs) -> bytes:
    from plash.files.ply import ply_bytes

    return ply_bytes(inputs.read(SIMULATION).surface(inputs.scene, inputs.time))


def _read(file: File, scene: Scene, frame: int) -> Mesh:
    from plash.files.ply import read_surface

    return read_surface(file.path, scene.domain, file.written, file.remedy)


SURFACES: FileStage[Mesh] = FileStage(
    name="mesh",
    title="surface construction",
    edition=6,
    folders=("mesh",),
    after=(SIMULATION,),
    file=lambda paths, frame: paths.folder.surface(frame),
    inputs=_inputs,
    settings=_settings,
    make=_make,
    read=_read,
)
