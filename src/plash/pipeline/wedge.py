"""Wedges: one scene many times, with other values of some parameters, side by side.

out/honey_coil/
  wedge.json   what is varied
  wedge.csv    what was varied, and what came out, a row for each run; wedge.parquet   the same, if it is asked for
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
from plash.pipeline.run import Asked, carry_out, stages_for
from plash.pipeline.stages.registry import read_run
from plash.pipeline.stop import SAME_COMMAND, stop_on_signals
from plash.pipeline.wedge_parquet import load_arrow, parquet_bytes
from plash.pipeline.wedge_table import WedgeRow, csv_bytes, row_of
from plash.pipeline.wedge_views import page_bytes, write_views
from plash.scene.language.read import as_scene
from plash.scene.model import Scene

_PLAN, _TABLE, _PARQUET, _PAGE = "wedge.json", "wedge.csv", "wedge.parquet", "wedge.html"


@dataclass(frozen=True)
class Wedge:
    """What a wedge has to show.

    Attributes:
        folder: Where everything is.
        runs: The folders of its runs, in order.
        rows: What was varied in each run, and what came out.
        table: The same as a file, CSV.
        parquet: The same as a Parquet file; None if it was not asked for.
        sheet: The last picture of each run; None if there are no pictures.
        movie: All runs moving side by side; None if there are no pictures.
        page: Everything on one page.
    """

    folder: Path
    runs: tuple[Path, ...]
    rows: tuple[WedgeRow, ...]
    table: Path
    parquet: Path | None
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
    parquet: bool = False,
    progress: Progress | None = None,
    workers: int | str | None = None,
    threads: int | None = None,
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
        parquet: Whether to write the table as a Parquet file too, which needs the package pyarrow.
        progress: Who wants to know how it is getting on.
        workers: Have runs done side by side, by so many processes of this machine, or by the workers of a Dask
            scheduler at an address such as `tcp://host:8786` ([farm.md](farm.md)). Each run is done by one of them.
        threads: Threads that each worker uses; as many as Dask gave it if not said.

    Raises:
        SceneError: A combination makes no scene; before anything is computed.
        MissingPartError: A Parquet file is asked for, and pyarrow is not installed; before anything is computed.
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
    arrow = load_arrow() if parquet else None
    chosen = designs(vary, samples, seed)
    scenes = [scene.model_copy(update=design) for design in chosen]
    _keep_plan(folder, scenes, chosen)
    runs = [folder / f"run.{number:04d}" for number in range(1, len(chosen) + 1)]
    asked = [
        Asked(each, RunFolder(place), stages_for(each, stages), place.name)
        for each, place in zip(scenes, runs, strict=True)
    ]
    if workers is None:
        done = _one_by_one(asked, chosen, progress)
    else:
        from plash.pipeline.farm.wedge import side_by_side

        done = side_by_side(asked, [label(design) for design in chosen], progress, workers, threads)
    rows: dict[int, WedgeRow] = {}
    opened: dict[int, OpenRun] = {}
    for number, trouble in done:
        place = RunFolder(runs[number])
        opened[number] = OpenRun(place, read_run(place), scenes[number])
        rows[number] = row_of(opened[number], chosen[number], trouble)
        so_far = [rows[n] for n in sorted(rows)]
        write_bytes(folder / _TABLE, csv_bytes(so_far))
        if arrow is not None:
            write_bytes(folder / _PARQUET, parquet_bytes(arrow, so_far))
    numbers = range(len(chosen))
    table = tuple(rows[n] for n in numbers)
    sheet, movie = write_views(folder, [opened[n] for n in numbers], [label(design) for design in chosen], scene)
    write_bytes(folder / _PAGE, page_bytes(scene.title or "wedge", table, sheet, movie))
    as_parquet = None if arrow is None else folder / _PARQUET
    return Wedge(folder, tuple(runs), table, folder / _TABLE, as_parquet, sheet, movie, folder / _PAGE)


def _one_by_one(
    asked: Sequence[Asked], chosen: Sequence[Mapping[str, Any]], progress: Progress
) -> Iterator[tuple[int, str]]:
    """Do the runs in turn; gives the number of each that is done, and why it ended early if it did."""
    for number, each in enumerate(asked):
        progress.note(f"run {number + 1} of {len(asked)}: {label(chosen[number])}")
        trouble = ""
        try:
            with stop_on_signals(SAME_COMMAND) as stop:
                carry_out(each, progress, stop)
        except (DivergedError, VolumeError) as error:
            trouble = str(error)
            progress.note(trouble)
        yield number, trouble


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
