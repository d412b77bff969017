"""All there is of each frame as one NumPy file: npz/frame.0001.npz."""

from __future__ import annotations

from plash.pipeline.fingerprint import physics
from plash.pipeline.stages.exported import export_of_frames
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import Inputs
from plash.pipeline.stages.surfaces import SURFACES


def _make(inputs: Inputs) -> bytes:
    from plash.exports.npz import npz_bytes

    told = {"ledger": inputs.history().simulated[inputs.number].ledger, "scene": physics(inputs.scene)}
    return npz_bytes(inputs.read(SIMULATION), inputs.read(SURFACES), inputs.scene, inputs.number, told)


NPZ = export_of_frames(
    "npz",
    title="NPZ",
    file="npz/frame.{frame:04d}.npz",
    after=(SIMULATION, SURFACES),
    settings=lambda scene, frame: [physics(scene)],
    make=_make,
    edition=2,
)
