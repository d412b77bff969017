"""Spray, foam and bubbles of each frame for other programs: ply/whitewater.0001.ply and vtk/whitewater.0001.vtp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from plash.pipeline.stages.exported import export_of_frames, frames_for
from plash.pipeline.stages.stage import Inputs
from plash.pipeline.stages.whitewater import WHITEWATER
from plash.scene.model import Scene


def _wanted(export: str) -> Callable[[Scene], Sequence[int]]:
    """Every frame of a scene that asks for an export and for whitewater, else none."""
    return lambda scene: frames_for(export)(scene) if scene.whitewater.amount > 0 else ()


def _settings(scene: Scene, frame: int) -> Sequence[object]:
    return [scene.output.export_up, scene.time.fps, scene.whitewater.mote_size, scene.domain.h]


def largest_mote(scene: Scene) -> float:
    """Radius of the largest mote of a scene, m."""
    return scene.whitewater.mote_size * scene.domain.h


def _make_ply(inputs: Inputs) -> bytes:
    from plash.exports.motes import motes_ply_bytes

    return motes_ply_bytes(inputs.read(WHITEWATER), largest_mote(inputs.scene), inputs.scene.output.export_up)


def _make_vtk(inputs: Inputs) -> bytes:
    from plash.exports.vtk import vtp_motes_bytes

    up = inputs.scene.output.export_up
    return vtp_motes_bytes(inputs.read(WHITEWATER), largest_mote(inputs.scene), inputs.time, up)


PLY_MOTES = replace(
    export_of_frames(
        "ply_whitewater",
        title="PLY of whitewater",
        file="ply/whitewater.{frame:04d}.ply",
        after=(WHITEWATER,),
        settings=_settings,
        make=_make_ply,
        export="ply",
    ),
    wanted=_wanted("ply"),
)

VTK_MOTES = replace(
    export_of_frames(
        "vtk_whitewater",
        title="VTK whitewater",
        file="vtk/whitewater.{frame:04d}.vtp",
        after=(WHITEWATER,),
        settings=_settings,
        make=_make_vtk,
        export="vtk",
    ),
    wanted=_wanted("vtk"),
)
