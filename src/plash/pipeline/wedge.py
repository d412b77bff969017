"""Wedges: one scene many times, with other values of some parameters, side by side.

out/honey_coil/
  wedge.json   what is varied
  wedge.csv    what was varied, and what came out, a row for each run
  wedge.png    the last picture of each run; wedge.mp4   all of them moving; wedge.html   everything on a page
  run.0001/    run folders like any other
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plash.errors import DivergedError, MismatchError, StorageError, VolumeError
from plash.files.atomic import read_bytes, write_bytes
from plash.files.layout import RunFolder
from plash.pipeline.designs import Values, designs
from plash.pipeline.fingerprint import appearance, fingerprint, simulation
from plash.pipeline.open_run import OpenRun
from plash.pipeline.progress import Progress, Silent
from plash.pipeline.run import run
from plash.pipeline.stages.registry import read_run
from plash.pipeline.wedge_table import WedgeRow, csv_bytes, row_of
from plash.pipeline.wedge_views import page_bytes, write_views
from plash.scene.language.read import as_scene
from plash.scene.model import Scene

_PLAN, _TABLE, _PAGE = "wedge.json", "wedge.csv", "wedge.html"


@dataclass(frozen=True)
class Wedge:
    """What a wedge has to show.

    Attributes:
        folder: Where everything is.
        runs: The folders of its runs, in order.
        rows: What was varied in each run, and what came out.
        table: The same as a file, CSV.
        sheet: The last picture of each run; None if there are no pictures.
        movie: All runs moving side by side; None if there are no pictures.
        page: Everything on one page.
    """

    folder: Path
    runs: tuple[Path, ...]
    rows: tuple[WedgeRow, ...]
    table: Path
    sheet: Path | None
    movie: Path | None
    page: Path


def wedge(
    scene: Scene | str | Path,
    out: str | Path,
    vary: Mapping[str, Values],
    *,
    samples: int | None = None,
    seed: int = 0,
    stages: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Wedge:
    """Run a scene with every combination of some values; a wedge that is there already is continued.

    A run that diverges or loses too much volume is noted in the table, and the next one begins.

    Args:
        scene: A scene, a name from `plash.gallery()`, or the path of a scene file.
        out: Folder of the wedge: each run has a folder in it.
        vary: By parameter, such as "solver.seed", the values it takes: a sequence, or `Between` two numbers.
        samples: So many random designs instead of all combinations.
        seed: Of the random designs.
        stages: Which stages of each run to do; all if not said.
        progress: Who wants to know how it is getting on.

    Raises:
        SceneError: A combination makes no scene; before anything is computed.
        MismatchError: The folder holds another wedge.
        StoppedError: Ctrl-C or SIGTERM; the same call goes on.

    Example:
        >>> import plash, tempfile
        >>> scene = plash.load_scene("dam_break_2d", resolution=16, frames=2)
        >>> with tempfile.TemporaryDirectory() as out:
        ...     found = plash.wedge(scene, out, {"domain.gravity": [[0, -9.81], [0, -1.6]]}, stages=["simulate"])
        ...     [row.outcome["frames"] for row in found.rows]
        [2, 2]
    """
    folder, progress, scene = Path(out), progress or Silent(), as_scene(scene)
    chosen = designs(vary, samples, seed)
    scenes = [scene.model_copy(update=design) for design in chosen]
    _keep_plan(folder, scenes, chosen)
    runs = [folder / f"run.{number:04d}" for number in range(1, len(chosen) + 1)]
    rows: list[WedgeRow] = []
    opened: list[OpenRun] = []
    for place, asked, design in zip(runs, scenes, chosen, strict=True):
        progress.note(f"run {len(rows) + 1} of {len(runs)}: {label(design)}")
        trouble = ""
        try:
            run(asked, place, stages=stages, source=place.name, progress=progress)
        except (DivergedError, VolumeError) as error:
            trouble = str(error)
            progress.note(trouble)
        opened.append(OpenRun(RunFolder(place), read_run(RunFolder(place)), asked))
        rows.append(row_of(opened[-1], design, trouble))
        write_bytes(folder / _TABLE, csv_bytes(rows))
    sheet, movie = write_views(folder, opened, [label(design) for design in chosen], scene)
    write_bytes(folder / _PAGE, page_bytes(scene.title or "wedge", rows, sheet, movie))
    return Wedge(folder, tuple(runs), tuple(rows), folder / _TABLE, sheet, movie, folder / _PAGE)


def label(design: Mapping[str, Any]) -> str:
    """A design in a few words.

    >>> label({"liquid.dynamic_viscosity": 10.0, "solver.seed": 3})
    'dynamic_viscosity 10, seed 3'
    """
    return ", ".join(f"{key.rpartition('.')[2]} {_short(value)}" for key, value in design.items())


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _keep_plan(folder: Path, scenes: Sequence[Scene], chosen: Sequence[dict[str, Any]]) -> None:
    """Write down what is varied; a folder with another plan is refused."""
    hashed = [fingerprint(simulation(scene), appearance(scene)) for scene in scenes]
    plan = {"designs": list(chosen), "scenes": hashed}
    path = folder / _PLAN
    if path.exists():
        try:
            found = json.loads(read_bytes(path, None, ""))
        except ValueError:
            raise StorageError(f"{path}: is damaged. Move it away, or choose another folder with --out") from None
        if found != json.loads(json.dumps(plan)):
            raise MismatchError(f"{folder}: holds another wedge. Choose another folder with --out")
        return
    others = sorted(_others(folder))
    if others:
        raise StorageError(f"{folder}: is not empty ({', '.join(others[:3])}). Choose another folder with --out")
    write_bytes(path, json.dumps(plan, indent=1).encode())


def _others(folder: Path) -> Iterator[str]:
    """What stands in a folder, but for what a killed writer left behind."""
    if folder.is_dir():
        yield from (path.name for path in folder.iterdir() if not path.name.startswith(f".{_PLAN}"))
