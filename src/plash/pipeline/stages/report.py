"""The run on one page: report.html."""

from __future__ import annotations

from collections.abc import Sequence

from plash.files.atomic import read_bytes
from plash.files.manifest import Manifest
from plash.pipeline.stages.movies import MOVIES
from plash.pipeline.stages.stage import WHOLE, File, FileStage, Inputs, Source
from plash.pipeline.stages.whitewater import WHITEWATER
from plash.scene.model import Scene


def _wanted(scene: Scene) -> Sequence[int]:
    return [WHOLE]


def _inputs(scene: Scene, number: int) -> Sequence[Source]:
    return [(MOVIES, movie) for movie in MOVIES.wanted(scene)] + [
        (WHITEWATER, frame) for frame in WHITEWATER.wanted(scene)
    ]


def _settings(scene: Scene, number: int) -> Sequence[object]:
    return ()


def _record(manifest: Manifest) -> Sequence[object]:
    made = {
        name: {number: (item.sha256, item.seconds) for number, item in record.items.items()}
        for name, record in manifest.stages.items()
        if name != REPORT.name
    }
    return manifest.scene, manifest.source, manifest.versions, made


def _make(inputs: Inputs) -> bytes:
    from plash.pipeline.report import report_page

    return report_page(inputs).encode()


def _read(file: File, scene: Scene, number: int) -> bytes:
    return read_bytes(file.path, file.written, file.remedy)


REPORT: FileStage[bytes] = FileStage(
    name="report",
    title="report",
    edition=1,
    numbers=range(WHOLE, WHOLE + 1),
    wanted=_wanted,
    file=lambda paths, number: paths.folder.report,
    inputs=_inputs,
    settings=_settings,
    record=_record,
    make=_make,
    read=_read,
    is_kept_current=True,
)
