"""The fluid of each frame as sparse grids: vdb/grids.0001.vdb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plash.pipeline.fingerprint import fingerprint, physics
from plash.pipeline.stages.exported import export_of_frames
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import Inputs
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.exports.vdb_packing import Packing

VDB_FILE = "vdb/grids.{frame:04d}.vdb"


def _settings(scene: Scene, frame: int) -> Sequence[object]:
    output = scene.output
    return (
        scene.mesh.model_dump(),
        fingerprint(physics(scene)),
        (output.export_up, output.export_half, output.export_pack),
    )


def _packing(scene: Scene) -> Packing:
    from plash.exports.vdb_packing import packing

    return packing(scene.output.export_pack)


def _needs_package(scene: Scene) -> bool:
    """Whether to look for a package before anything is computed."""
    return scene.output.export_pack == "blosc"


def _make(inputs: Inputs) -> bytes:
    from plash.exports.vdb import vdb_file

    scene, output = inputs.scene, inputs.scene.output
    grids = inputs.read(SIMULATION).sparse_grids(scene, inputs.time)
    return vdb_file(grids, output.export_up, output.export_half, inputs.prepared())


VDB = export_of_frames(
    "vdb",
    title="VDB",
    file=VDB_FILE,
    after=(SIMULATION,),
    settings=_settings,
    make=_make,
    prepared=_packing,
    prepares_first=_needs_package,
)
