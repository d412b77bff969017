"""The stages of a run, in order.

To add one: a file beside this one that says what a stage makes, and a line here. Everything else reads this list: the
runner, the manifest, what is cleared, verified and mended, the report, the command line, the studio.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from plash.files.layout import RunFolder
from plash.files.lock import locked
from plash.files.manifest import Manifest, read_manifest
from plash.pipeline.stages.export_glb import GLB
from plash.pipeline.stages.export_motes import PLY_MOTES, VTK_MOTES
from plash.pipeline.stages.export_npz import NPZ
from plash.pipeline.stages.export_obj import OBJ
from plash.pipeline.stages.export_ply import PLY
from plash.pipeline.stages.export_usd import USD, USD_SCENE
from plash.pipeline.stages.export_vdb import VDB
from plash.pipeline.stages.export_vtk import VTK, VTK_PARTICLES, VTK_SERIES
from plash.pipeline.stages.measure import MEASURE
from plash.pipeline.stages.movies import MOVIES
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.report import REPORT
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import Stage
from plash.pipeline.stages.surfaces import SURFACES
from plash.pipeline.stages.wetness import WETNESS
from plash.pipeline.stages.whitewater import WHITEWATER

STAGES: dict[str, Stage[Any]] = {
    stage.name: stage
    for stage in (
        SIMULATION,
        MEASURE,
        SURFACES,
        WHITEWATER,
        WETNESS,
        PICTURES,
        MOVIES,
        PLY_MOTES,
        PLY,
        OBJ,
        GLB,
        NPZ,
        VDB,
        VTK,
        VTK_PARTICLES,
        VTK_MOTES,
        VTK_SERIES,
        USD,
        USD_SCENE,
        REPORT,
    )
}

# By the word in `output.export`, the stage that finishes an export
EXPORTS: dict[str, Stage[Any]] = {
    "usd": USD_SCENE,
    "vdb": VDB,
    "ply": PLY,
    "obj": OBJ,
    "glb": GLB,
    "npz": NPZ,
    "vtk": VTK_SERIES,
}


def stages_of(names: Iterable[str]) -> list[Stage[Any]]:
    """Some stages by name, in order.

    Raises:
        ValueError: There is no stage of a name.
    """
    wanted = set(names)
    for name in wanted - set(STAGES):
        raise ValueError(f"there is no stage {name!r}: the stages of a run are {', '.join(STAGES)}")
    return [stage for name, stage in STAGES.items() if name in wanted]


def frame_stages() -> list[Stage[Any]]:
    """The stages that make a file for each frame."""
    return [stage for stage in STAGES.values() if stage.is_of_frames]


def with_those_before(stage: Stage[Any]) -> list[str]:
    """The names of a stage and of those it cannot do without, in order, but for the simulation."""
    needed = {stage.name}
    for earlier in stage.after:
        needed |= set(with_those_before(earlier))
    return [name for name in STAGES if name in needed and STAGES[name] is not SIMULATION]


def export_stages(formats: Iterable[str]) -> list[str]:
    """The names of the stages that write some formats for other programs, and of those they cannot do without."""
    needed = {name for word in formats for name in with_those_before(EXPORTS[word])}
    return [name for name in STAGES if name in needed]


def read_run(folder: RunFolder) -> Manifest:
    """The manifest of a run of these stages."""
    return read_manifest(folder, STAGES)


def held_run(folder: RunFolder) -> AbstractContextManager[None]:
    """Hold the folder of a run of these stages, alone."""
    return locked(folder, STAGES)
