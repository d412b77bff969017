"""A wedge at a glance: the last pictures of its runs on a sheet, all runs moving side by side, and a page of it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from plash.files.atomic import write_bytes, write_file
from plash.pipeline.open_run import OpenRun
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.wedge_table import COLUMNS, WedgeRow
from plash.scene.model import Scene

Picture = NDArray[np.uint8]

_STYLE = (
    "body{font:15px sans-serif;margin:2em;color:#2c3138;background:#f5f6f8}table{border-collapse:collapse}"
    "td,th{padding:.3em .8em;border-bottom:1px solid #d5d8dc;text-align:right}img,video{max-width:100%}"
)


def write_views(
    folder: Path, opened: Sequence[OpenRun], labels: Sequence[str], scene: Scene
) -> tuple[Path | None, Path | None]:
    """Write the sheet and the movie; returns where they are, None each if a run has no pictures."""
    from plash.render.video.png import png_bytes
    from plash.render.video.sheet import contact_sheet
    from plash.render.video.video import write_video

    counts = [len(run.manifest.stage(PICTURES.name).items) for run in opened]
    if not all(counts):
        return None, None
    sheet, movie = folder / "wedge.png", folder / "wedge.mp4"
    write_bytes(sheet, png_bytes(contact_sheet(_side_by_side(opened, counts, max(counts)), labels)))

    def pictures() -> Iterator[Picture]:
        for frame in range(1, max(counts) + 1):
            grid = contact_sheet(_side_by_side(opened, counts, frame), labels)
            yield grid[: len(grid) // 2 * 2, : grid.shape[1] // 2 * 2]

    write_file(movie, lambda path: write_video(pictures(), path, scene.time.fps, scene.output.video_quality))
    return sheet, movie


def _side_by_side(opened: Sequence[OpenRun], counts: Sequence[int], frame: int) -> list[Picture]:
    """The picture of a frame of each run; of those that ended before, their last."""
    return [run.read(PICTURES, min(frame, count)) for run, count in zip(opened, counts, strict=True)]


def page_bytes(title: str, rows: Sequence[WedgeRow], sheet: Path | None, movie: Path | None) -> bytes:
    """The wedge on one page, which shows the files beside it."""
    head = "".join(f"<th>{escape(name)}</th>" for name in ("run", *rows[0].design, "status", *COLUMNS))
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    shown = f'<p><video src="{movie.name}" controls loop></video></p>' if movie is not None else ""
    shown += f'<p><img src="{sheet.name}" alt="the last picture of each run"></p>' if sheet is not None else ""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1>{shown}<table><tr>{head}</tr>{body}</table></html>\n"
    ).encode()


def _cells(row: WedgeRow) -> str:
    link = f'<a href="{row.run}/report.html">{row.run}</a>'
    told = ["" if value is None else f"{value:.5g}" for value in (row.outcome[name] for name in COLUMNS)]
    texts = [*(str(value) for value in row.design.values()), row.status, *told]
    return f"<td>{link}</td>" + "".join(f"<td>{escape(text)}</td>" for text in texts)
