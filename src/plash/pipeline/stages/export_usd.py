"""The scene for programs that read USD: usd/NAME.usda, and the liquid of each frame: usd/frames/frame.0001.usdc."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plash.pipeline.fingerprint import appearance
from plash.pipeline.stages.export_vdb import VDB, VDB_FILE
from plash.pipeline.stages.exported import export_of_frames, read_export, whole_for
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import WHOLE, FileStage, Inputs, RunPaths, Source, every_frame
from plash.pipeline.stages.surfaces import SURFACES
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.exports.usd_frame import Colors

_FRAME = "frames/frame.{frame:04d}.usdc"
_MANIFEST = WHOLE - 1  # what the layers of frames may hold, beside the root


def _settings(scene: Scene, number: int) -> Sequence[object]:
    return appearance(scene), scene.time.frames, scene.time.fps


def _root_settings(scene: Scene, number: int) -> Sequence[object]:
    return *_settings(scene, number), scene.output.export_up, len(_volumes(scene))


def _load(scene: Scene) -> Any:
    from plash.exports.usd_frame import load_usd

    return load_usd()


def _always(scene: Scene) -> bool:
    """Whether to look for usd-core before anything is computed."""
    return True


def _colors(scene: Scene) -> Colors:
    from plash.render.preview.tint import Tint

    tint = Tint(scene)
    return lambda velocity, carried: tint.colors(tint.values(velocity, carried))


def _make_frame(inputs: Inputs) -> bytes:
    from plash.exports.usd_frame import usd_frame_bytes

    surface, particles = inputs.read(SURFACES), inputs.read(SIMULATION).dots()
    return usd_frame_bytes(inputs.prepared(), surface, particles, inputs.number, _colors(inputs.scene))


def _file(paths: RunPaths, number: int) -> Path:
    folder = paths.folder.root / "usd"
    return folder / "frames" / "manifest.usda" if number == _MANIFEST else folder / f"{paths.name}.usda"


def _volumes(scene: Scene) -> Sequence[int]:
    """The frames whose VDB files are shown: those of a fluid without particles, if they are exported too."""
    return () if scene.solver.has_particles else VDB.wanted(scene)


def _nothing(scene: Scene, number: int) -> Sequence[Source]:
    """What the root is made from: the scene alone. It names the files of frames, which may come later."""
    return ()


def _make_scene(inputs: Inputs) -> bytes:
    from plash.exports.usd_frame import usd_manifest_bytes
    from plash.exports.usd_scene import UsdFiles, usd_scene_bytes

    pxr, scene = inputs.prepared(), inputs.scene
    if inputs.number == _MANIFEST:
        return usd_manifest_bytes(pxr)
    frames = [_FRAME.format(frame=frame) for frame in every_frame(scene)]
    volumes = [f"../{VDB_FILE.format(frame=frame)}" for frame in _volumes(scene)]
    return usd_scene_bytes(pxr, scene, UsdFiles([f"./{name}" for name in frames], "./frames/manifest.usda", volumes))


USD = export_of_frames(
    "usd",
    title="USD",
    file=f"usd/{_FRAME}",
    after=(SIMULATION, SURFACES),
    settings=_settings,
    make=_make_frame,
    prepared=_load,
    prepares_first=_always,
)

USD_SCENE: FileStage[bytes] = FileStage(
    name="usd_scene",
    title="USD scene",
    edition=3,
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
