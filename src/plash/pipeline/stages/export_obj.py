"""The surface of each frame as OBJ, with the axis up that the scene asks for: obj/surface.0001.obj."""

from __future__ import annotations

from plash.pipeline.stages.exported import export_of_frames
from plash.pipeline.stages.stage import Inputs
from plash.pipeline.stages.surfaces import SURFACES


def _make(inputs: Inputs) -> bytes:
    from plash.exports.obj import obj_bytes

    return obj_bytes(inputs.read(SURFACES), "surface", inputs.scene.output.export_up)


OBJ = export_of_frames(
    "obj",
    title="OBJ",
    file="obj/surface.{frame:04d}.obj",
    after=(SURFACES,),
    settings=lambda scene, frame: [scene.output.export_up],
    make=_make,
)
