"""The surface of each frame as binary glTF, in the colours of the liquid: glb/surface.0001.glb."""

from __future__ import annotations

from plash.pipeline.fingerprint import appearance
from plash.pipeline.stages.exported import export_of_frames
from plash.pipeline.stages.stage import Inputs
from plash.pipeline.stages.surfaces import SURFACES


def _make(inputs: Inputs) -> bytes:
    from plash.exports.gltf import glb_bytes
    from plash.exports.materials import gltf_material, liquid_surface_look

    return glb_bytes(inputs.read(SURFACES), "surface", gltf_material(liquid_surface_look(inputs.scene)))


GLB = export_of_frames(
    "glb",
    title="GLB",
    file="glb/surface.{frame:04d}.glb",
    after=(SURFACES,),
    settings=lambda scene, frame: [appearance(scene)],
    make=_make,
)
