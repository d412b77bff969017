"""Spray, foam and bubbles of each frame, from the particles and the frame before: whitewater/whitewater.0001.npz.

A frame follows from the one before, as in the simulation, but all that is needed is in files: so it is a function of
them, and a run that lost some goes on from those it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plash.pipeline.fingerprint import fingerprint, physics
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, FileStage, Inputs, Source, every_frame
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.whitewater.flow import Flow
    from plash.whitewater.motes import Motes


def _wanted(scene: Scene) -> Sequence[int]:
    return every_frame(scene) if scene.whitewater.amount > 0 else ()


def whitewater_of_frame(scene: Scene, frame: int) -> Sequence[Source]:
    """The file of a frame, of a scene that asks for whitewater; else none."""
    return [(WHITEWATER, frame)] if scene.whitewater.amount > 0 else []


def _inputs(scene: Scene, frame: int) -> Sequence[Source]:
    if frame == 1:
        return []
    return [(SIMULATION, frame - 1), (SIMULATION, frame), (WHITEWATER, frame - 1)]


def _settings(scene: Scene, frame: int) -> Sequence[object]:
    drawn = {"mote_size"}
    return scene.whitewater.model_dump(exclude=drawn), fingerprint(physics(scene)), scene.time.fps


def _make(inputs: Inputs) -> bytes:
    from plash.files.motes import motes_bytes
    from plash.whitewater.advance import advanced
    from plash.whitewater.motes import Motes

    scene, frame = inputs.scene, inputs.number
    motes = Motes.none(scene.dimension)
    if frame > 1:
        flows = _flow(inputs, frame - 1), _flow(inputs, frame)
        motes = advanced(inputs.read(WHITEWATER, frame - 1), flows, scene, frame)
    return motes_bytes(motes, frame)


def _flow(inputs: Inputs, frame: int) -> Flow | None:
    from plash.whitewater.flow import flow_of

    particles, scene = inputs.read(SIMULATION, frame).as_particles(), inputs.scene
    solids = scene.solids_at((frame - 1) / scene.time.fps)
    return flow_of(particles.position, particles.velocity, particles.volume, scene.domain, solids)


def _read(file: File, scene: Scene, frame: int) -> Motes:
    from plash.files.motes import read_motes

    return read_motes(file.path, scene, frame, file.written, file.remedy)


WHITEWATER: FileStage[Motes] = FileStage(
    name="whitewater",
    title="whitewater",
    edition=1,
    folders=("whitewater",),
    wanted=_wanted,
    after=(SIMULATION,),
    file=lambda paths, frame: paths.folder.root / "whitewater" / f"whitewater.{frame:04d}.npz",
    inputs=_inputs,
    settings=_settings,
    make=_make,
    read=_read,
)
