"""Surfaces and particles for ParaView: vtk/surface.0001.vtp, vtk/particles.0001.vtp, and vtk/NAME.pvd that lists them.

Stable fluids have no particles; their files of particles hold none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plash.pipeline.stages.export_motes import VTK_MOTES
from plash.pipeline.stages.exported import export_of_frames, read_export, whole_for
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import WHOLE, FileStage, Inputs, Source, Stage, every_frame
from plash.pipeline.stages.surfaces import SURFACES
from plash.scene.model import Scene


def _make_surface(inputs: Inputs) -> bytes:
    from plash.exports.vtk import vtp_surface_bytes

    return vtp_surface_bytes(inputs.read(SURFACES), inputs.time, inputs.scene.output.export_up)


def _make_particles(inputs: Inputs) -> bytes:
    from plash.exports.vtk import vtp_particles_bytes

    return vtp_particles_bytes(inputs.read(SIMULATION).dots(), inputs.time, inputs.scene.output.export_up)


def _listed(scene: Scene, number: int) -> Sequence[Source]:
    return [(stage, frame) for frame in every_frame(scene) for stage in _parts(scene)]


def _parts(scene: Scene) -> tuple[Stage[Any], ...]:
    """The stages whose files the list names."""
    return (VTK, VTK_PARTICLES, VTK_MOTES) if scene.whitewater.amount > 0 else (VTK, VTK_PARTICLES)


def _make_series(inputs: Inputs) -> bytes:
    from plash.exports.vtk import pvd_bytes

    fps = inputs.scene.time.fps
    parts = list(enumerate(_parts(inputs.scene)))
    return pvd_bytes(
        ((frame - 1) / fps, part, inputs.file(stage, frame).path.name)
        for frame in every_frame(inputs.scene)
        for part, stage in parts
    )


VTK = export_of_frames(
    "vtk",
    title="VTK surfaces",
    file="vtk/surface.{frame:04d}.vtp",
    after=(SURFACES,),
    settings=lambda scene, frame: [scene.output.export_up, scene.time.fps],
    make=_make_surface,
)

VTK_PARTICLES = export_of_frames(
    "vtk_particles",
    title="VTK particles",
    file="vtk/particles.{frame:04d}.vtp",
    after=(SIMULATION,),
    settings=lambda scene, frame: [scene.output.export_up, scene.time.fps],
    make=_make_particles,
    export="vtk",
)

VTK_SERIES: FileStage[bytes] = FileStage(
    name="vtk_series",
    title="VTK series",
    edition=1,
    folders=("vtk",),
    numbers=range(WHOLE, WHOLE + 1),
    wanted=whole_for("vtk", WHOLE),
    after=(VTK, VTK_PARTICLES, VTK_MOTES),
    file=lambda paths, number: paths.folder.root / "vtk" / f"{paths.name}.pvd",
    inputs=_listed,
    settings=lambda scene, number: [scene.time.fps],
    make=_make_series,
    read=read_export,
)
