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
from plash.pipeline.stages.movies import MOVIES
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.report import REPORT
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import Stage
from plash.pipeline.stages.surfaces import SURFACES

STAGES: dict[str, Stage[Any]] = {
    stage.name: stage
    for stage in (
        SIMULATION,
        SURFACES,
        PICTURES,
        MOVIES,
        REPORT,
    )
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


def read_run(folder: RunFolder) -> Manifest:
    """The manifest of a run of these stages."""
    return read_manifest(folder, STAGES)


def held_run(folder: RunFolder) -> AbstractContextManager[None]:
    """Hold the folder of a run of these stages, alone."""
    return locked(folder, STAGES)
