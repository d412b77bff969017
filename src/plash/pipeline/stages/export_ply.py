"""The surface of each frame as PLY, with the axis up that the scene asks for: ply/surface.0001.ply."""

from __future__ import annotations

from dataclasses import replace

from plash.pipeline.stages.export_motes import PLY_MOTES
from plash.pipeline.stages.exported import export_of_frames
from plash.pipeline.stages.stage import Inputs
from plash.pipeline.stages.surfaces import SURFACES


def _make(inputs: Inputs) -> bytes:
    from plash.exports.ply import export_ply_bytes

    return export_ply_bytes(inputs.read(SURFACES), inputs.scene.output.export_up)


_SURFACE = export_of_frames(
    "ply",
    title="PLY",
    file="ply/surface.{frame:04d}.ply",
    after=(SURFACES,),
    settings=lambda scene, frame: [scene.output.export_up],
    make=_make,
)
PLY = replace(_SURFACE, after=(SURFACES, PLY_MOTES))  # which are written beside it, and not read
