"""The scene for programs that read USD: usd/NAME.usda, and the liquid of each frame: usd/frames/frame.0001.usdc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plash.pipeline.fingerprint import appearance
from plash.pipeline.stages.export_motes import largest_mote
from plash.pipeline.stages.export_vdb import VDB, VDB_FILE
from plash.pipeline.stages.exported import export_of_frames, read_export, whole_for
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import WHOLE, FileStage, Inputs, RunPaths, Source, every_frame
from plash.pipeline.stages.surfaces import SURFACES
from plash.pipeline.stages.whitewater import WHITEWATER, whitewater_of_frame
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.exports.usd_frame import Colors

_FRAME = "frames/frame.{frame:04d}.usdc"
_MANIFEST = WHOLE - 1  # what the layers of frames may hold, beside the root


def _settings(scene: Scene, number: int) -> Sequence[object]:
    drawn = [scene.whitewater.mote_size] if scene.whitewater.amount > 0 else []
    return appearance(scene), scene.time.frames, scene.time.fps, *drawn


def _root_settings(scene: Scene, number: int) -> Sequence[object]:
    return *_settings(scene, number), scene.output.export_up, len(_volumes(scene))


def _load(scene: Scene) -> Any:
    from plash.exports.usd_frame import load_usd

    return load_usd()


def _always(scene: Scene) -> bool:
    """Whether to look for usd-core before anything is computed."""
    return True


def liquid_colors(scene: Scene) -> Colors:
    """Light that a scene's liquid returns, as its pictures show it."""
    from plash.render.preview.tint import Tint

    tint = Tint(scene)
    return lambda velocity, carried: tint.colors(tint.values(velocity, carried))


def _make_frame(inputs: Inputs) -> bytes:
    from plash.exports.motes import add_motes
    from plash.exports.usd_frame import LIQUID, usd_frame_bytes

    scene, pxr, frame = inputs.scene, inputs.prepared(), inputs.number
    surface, particles = inputs.read(SURFACES), inputs.read(SIMULATION).dots()

    def add_whitewater(stage: Any) -> None:
        if scene.whitewater.amount > 0:
            add_motes(pxr, stage, LIQUID, inputs.read(WHITEWATER), largest_mote(scene), frame)

    return usd_frame_bytes(pxr, surface, particles, frame, liquid_colors(scene), add_whitewater)


def _file(paths: RunPaths, number: int) -> Path:
    folder = paths.folder.root / "usd"
    return folder / "frames" / "manifest.usda" if number == _MANIFEST else folder / f"{paths.name}.usda"


def _volumes(scene: Scene) -> Sequence[int]:
    """The frames whose VDB files are shown: those of a fluid without particles, if they are exported too."""
    return () if scene.solver.has_particles else VDB.wanted(scene)


def _declare_whitewater(pxr: Any, stage: Any, scene: Scene) -> None:
    """Say what values motes may have, in a scene that asks for them."""
    from plash.exports.motes import declare_motes
    from plash.exports.usd_frame import LIQUID

    if scene.whitewater.amount > 0:
        declare_motes(pxr, stage, LIQUID)


def _frame_inputs(scene: Scene, frame: int) -> Sequence[Source]:
    return [(SIMULATION, frame), (SURFACES, frame), *whitewater_of_frame(scene, frame)]


def _nothing(scene: Scene, number: int) -> Sequence[Source]:
    """What the root is made from: the scene alone. It names the files of frames, which may come later."""
    return ()


def _make_scene(inputs: Inputs) -> bytes:
    from plash.exports.usd_frame import usd_manifest_bytes
    from plash.exports.usd_scene import UsdFiles, usd_scene_bytes

    pxr, scene = inputs.prepared(), inputs.scene
    if inputs.number == _MANIFEST:
        return usd_manifest_bytes(pxr, lambda stage: _declare_whitewater(pxr, stage, scene))
    frames = [_FRAME.format(frame=frame) for frame in every_frame(scene)]
    volumes = [f"../{VDB_FILE.format(frame=frame)}" for frame in _volumes(scene)]
    return usd_scene_bytes(pxr, scene, UsdFiles([f"./{name}" for name in frames], "./frames/manifest.usda", volumes))


USD = replace(
    export_of_frames(
        "usd",
        title="USD",
        edition=2,
        file=f"usd/{_FRAME}",
        after=(SIMULATION, SURFACES, WHITEWATER),
        settings=_settings,
        make=_make_frame,
        prepared=_load,
        prepares_first=_always,
    ),
    inputs=_frame_inputs,
)

USD_SCENE: FileStage[bytes] = FileStage(
    name="usd_scene",
    title="USD scene",
    edition=4,
    folders=("usd",),
    numbers=range(_MANIFEST, WHOLE + 1),
    wanted=whole_for("usd", WHOLE, _MANIFEST),
    after=(USD,),
    file=_file,
    inputs=_nothing,
    settings=_root_settings,
    make=_make_scene,
    read=read_export,
    prepared=_load,
    prepares_first=_always,
)
