"""What the stages of exports have in common: their files are wanted if the scene asks for the format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from plash.files.atomic import read_bytes
from plash.pipeline.stages.stage import File, FileStage, Inputs, Source, Stage, every_frame
from plash.scene.model import Scene


def frames_for(export: str) -> Callable[[Scene], Sequence[int]]:
    """Every frame of a scene that asks for an export, else none."""
    return lambda scene: every_frame(scene) if export in scene.output.export else ()


def whole_for(export: str, *numbers: int) -> Callable[[Scene], Sequence[int]]:
    """Files that are made of all frames, of a scene that asks for an export, else none."""
    return lambda scene: numbers if export in scene.output.export else ()


def same_frame(*stages: Stage[Any]) -> Callable[[Scene, int], Sequence[Source]]:
    """The files that other stages made of the same frame."""
    return lambda scene, frame: [(stage, frame) for stage in stages]


def read_export(file: File, scene: Scene, number: int) -> bytes:
    """The bytes of an exported file."""
    return read_bytes(file.path, file.written, file.remedy)


def export_of_frames(
    name: str,
    *,
    title: str,
    file: str,
    after: tuple[Stage[Any], ...],
    settings: Callable[[Scene, int], Sequence[object]],
    make: Callable[[Inputs], bytes],
    edition: int = 1,
    export: str = "",
    **more: Any,
) -> FileStage[bytes]:
    """A stage that writes a file for each frame, from what other stages made of the same frame.

    Args:
        name: Of the stage.
        title: What the report calls it.
        file: Folder and name of its files, with `{frame:04d}` in it.
        after: The stages it reads.
        settings: The parts of the scene that its files depend on, beside those of other stages.
        make: The bytes of a file.
        edition: Raised when it makes something else of the same inputs than before.
        export: The word in `output.export`; the name of the stage if not said.
        more: What else a `FileStage` has.
    """
    return FileStage(
        name=name,
        title=title,
        edition=edition,
        folders=(file.partition("/")[0],),
        wanted=frames_for(export or name),
        after=after,
        file=lambda paths, frame: paths.folder.root / file.format(frame=frame),
        inputs=same_frame(*after),
        settings=settings,
        make=make,
        read=read_export,
        **more,
    )
