"""A run as data: frames, surfaces, grids, ledger and log as arrays and tables, each read when it is asked for.

A table is a dictionary of columns, NumPy arrays of one length: `pandas.DataFrame(run.ledger)` takes it as it is.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from plash.errors import Problem, SceneError, StorageError
from plash.files.layout import RunFolder
from plash.files.log import read_log
from plash.files.manifest import Item, Manifest
from plash.mesh.mesh import Mesh
from plash.mesh.wetness import Wetness
from plash.pipeline.machine import machine_text
from plash.pipeline.run_history import RunHistory, edited_surfaces
from plash.pipeline.run_view import run_html
from plash.pipeline.stages.measure import MEASURE
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.registry import frame_stages, read_run
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, RunPaths, Stage
from plash.pipeline.stages.surfaces import SURFACES
from plash.pipeline.stages.wetness import WETNESS
from plash.pipeline.stages.whitewater import WHITEWATER
from plash.scene.language.read import parse_scene
from plash.scene.language.write import names_functions
from plash.scene.model import Scene
from plash.solvers.frame import FrameGrids, FrameParticles, Snapshot
from plash.solvers.frame_views import html_of, plot
from plash.whitewater.motes import Motes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Table = dict[str, NDArray[Any]]
Content = TypeVar("Content")


def open_run(folder: str | Path, scene: Scene | None = None) -> OpenRun:
    """The run in a folder, as far as it is: nothing is read but its manifest, until it is asked for.

    Args:
        folder: The run's folder.
        scene: What was asked for, if that has Python functions: no file can hold them.

    Raises:
        StorageError: There is no run in it.
        SceneError: Its scene has Python functions, and is not given.

    Example:
        >>> import plash, tempfile
        >>> scene = plash.load_scene("dam_break_2d", resolution=16, frames=2)
        >>> with tempfile.TemporaryDirectory() as out:
        ...     _ = plash.run(scene, out, stages=["simulate"])
        ...     run = plash.open_run(out)
        ...     run[2].velocity.shape, run.ledger["volume"].shape
        ((2, 8, 16), (2,))
    """
    place = RunFolder(Path(folder))
    manifest = read_run(place)
    source = f"scene of {place.root}"
    if scene is None and names_functions(manifest.scene):
        problem = "has Python functions, which no file can hold: give the scene too, plash.open_run(folder, scene)"
        raise SceneError([Problem("", problem)], source)
    return OpenRun(place, manifest, scene or parse_scene(manifest.scene, source))


@dataclass(frozen=True, eq=False)
class OpenRun(Sequence["RunFrame"]):
    """A run to be read: `run[12]` is its frame 12, `len(run)` how many there are, `for frame in run` goes through them.

    Attributes:
        folder: Where its files are.
        manifest: What it is, and every file it has finished.
        scene: What was asked for.
    """

    folder: RunFolder
    manifest: Manifest
    scene: Scene

    @cached_property
    def numbers(self) -> list[int]:
        """The frames that are simulated, from 1."""
        return self._history.frames

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, number: int) -> RunFrame: ...
    @overload
    def __getitem__(self, number: slice) -> list[RunFrame]: ...
    def __getitem__(self, number: int | slice) -> RunFrame | list[RunFrame]:
        """A frame by its number, from 1; below 0 from the last. A slice is one of the frames that there are."""
        if isinstance(number, slice):
            return [RunFrame(self, each) for each in self.numbers[number]]
        found = self.numbers[number] if -len(self) <= number < 0 else number
        if found not in self._history.simulated:
            shown = f"{self.numbers[0]} to {self.numbers[-1]}" if self.numbers else "none"
            raise IndexError(f"{self.folder.root}: frame {number} is not simulated; frames that are: {shown}")
        return RunFrame(self, found)

    def __iter__(self) -> Iterator[RunFrame]:
        return (RunFrame(self, number) for number in self.numbers)

    @cached_property
    def ledger(self) -> Table:
        """A row for each frame, with `frame`, `time` (s), volumes (m³; m² in 2-D), and energies (J; J/m in 2-D).

        What a source has brought is in `brought.NAME`, what went for a reason in `removed.REASON`, and particles in a
        solid are counted in `leaks.NAME`.
        """
        rows = [_ledger_row(item) for item in self._history.simulated.values()]
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {name: np.array([row.get(name, 0.0) for row in rows]) for name in names}
        return {"frame": np.array(self.numbers, np.int64), "time": self._times(self.numbers), **columns}

    @cached_property
    def log(self) -> Table:
        """A row for each time step, with the columns of log.jsonl (`docs/runs.md`); lost lines are left out.

        The seconds of a part of the step are in `seconds.NAME`, what was removed for a reason in `removed.REASON`.
        """
        rows = [_flat(entry) for entry in read_log(self.folder.log)]
        names = dict.fromkeys(name for row in rows for name in row if name not in ("lost", "check"))
        return {name: np.array([row.get(name, 0.0) for row in rows]) for name in names}

    @cached_property
    def report(self) -> Table:
        """What the report plots, a row for each frame.

        `frame`, `time` (s), `target`, `particle_volume` and `volume` with its error as a share, energies, `steps`,
        the most and the mean `iterations` of the pressure, the largest courant number, and the `seconds` of stages.
        """
        history, frames = self._history, self.numbers
        volumes = [history.volumes.get(frame, (np.nan,) * 3) for frame in frames]
        energies = [history.simulated[frame].energy or {} for frame in frames]
        logs = [history.log.get(frame) for frame in frames]
        table: dict[str, Any] = {"frame": np.array(frames, np.int64), "time": self._times(frames)}
        for column, name in enumerate(("target", "particle_volume", "volume")):
            table[name] = np.array([row[column] for row in volumes])
        table["volume_error"] = np.array([history.volume_errors.get(frame, np.nan) for frame in frames])
        for name in ("kinetic", "potential"):
            table[name] = np.array([energy.get(name, np.nan) for energy in energies])
        table["steps"] = np.array([log.steps if log else 0 for log in logs])
        table["most_iterations"] = np.array([max(log.iterations) if log else 0 for log in logs])
        table["mean_iterations"] = np.array([fmean(log.iterations) if log else 0.0 for log in logs])
        table["courant"] = np.array([log.courant if log else 0.0 for log in logs])
        for stage in frame_stages():
            seconds = history.seconds(stage)
            if seconds:
                table[f"seconds.{stage.name}"] = np.array([seconds.get(frame, np.nan) for frame in frames])
        return table

    @cached_property
    def measured(self) -> Table:
        """What `output.measure` found out, a row for each frame: its numbers by name, arrays are left to the frames."""
        numbers = [number for number in self.numbers if self.has(MEASURE, number)]
        rows = [{name: values for name, values in self[n].measured.items() if values.ndim == 0} for n in numbers]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}
        return {"frame": np.array(numbers, np.int64), "time": self._times(numbers), **columns}

    @cached_property
    def edited(self) -> dict[int, str]:
        """The frames whose surface was edited by hand, each with the name of the file that was taken in."""
        return edited_surfaces(self.manifest)

    def read(self, stage: Stage[Content], number: int) -> Content:
        """What is in a file of a stage.

        Raises:
            StorageError: The stage has not made it.
            DamagedError: It is not what was written.
        """
        item = self.manifest.stage(stage.name).items.get(number)
        path = stage.file(RunPaths.of(self.folder, self.manifest), number)
        if item is None:
            raise StorageError(f"{path}: is not there: `{stage.name}` has not made it")
        remedy = f"`{self.folder.resume_command}` makes it again"
        return stage.read(File(path, item.written, remedy), self.scene, number)

    def has(self, stage: Stage[Any], number: int) -> bool:
        """Whether a stage has made a file."""
        return number in self.manifest.stage(stage.name).items

    def __repr__(self) -> str:
        return f"<OpenRun {self.folder.root}: {len(self)} frames>"

    def _repr_html_(self) -> str:
        return run_html(self.scene, self.manifest, self.folder, self.numbers)

    @cached_property
    def _history(self) -> RunHistory:
        today = datetime.date.today().isoformat()
        return RunHistory(self.scene, self.manifest, self.folder.log, today, machine_text())

    def _times(self, frames: Sequence[int]) -> NDArray[np.float64]:
        return (np.array(frames, np.float64) - 1) / self.scene.time.fps


@dataclass(frozen=True, eq=False)
class RunFrame:
    """A frame of a run. What it holds is read when it is asked for, and not kept: hold on to what is used again."""

    run: OpenRun
    number: int

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return (self.number - 1) / self.run.scene.time.fps

    @property
    def snapshot(self) -> Snapshot:
        """All that the file of the frame holds."""
        return self.run.read(SIMULATION, self.number)

    @property
    def particles(self) -> FrameParticles:
        """The particles of a liquid, with `position` (m), `velocity` (m/s), `volume` (m³) and what else they carry."""
        return self.snapshot.as_particles()

    @property
    def grids(self) -> FrameGrids:
        """The grids of stable fluids, with `density`, `velocity` (m/s) and `temperature` (K)."""
        return self.snapshot.as_grids()

    @property
    def velocity(self) -> NDArray[np.float32]:
        """Velocity (m/s) at the centres of all cells of the domain, [axis, [z,] y, x]; NaN where no liquid is near."""
        return self.snapshot.cell_velocity(self.run.scene.domain)

    @property
    def pressure(self) -> NDArray[np.float32]:
        """Pressure (Pa) of the last step in all cells of the domain, [[z,] y, x]; NaN where it is not known."""
        return self.snapshot.cell_pressure(self.run.scene.domain)

    @property
    def surface(self) -> Mesh:
        """The liquid's surface, as it was made, or made now and not kept."""
        if self.run.has(SURFACES, self.number):
            return self.run.read(SURFACES, self.number)
        return self.snapshot.surface(self.run.scene, self.time)

    @property
    def whitewater(self) -> Motes:
        """Spray, foam and bubbles, with `position` (m), `velocity` (m/s), `kind`, and `counts` of all there were.

        Raises:
            StorageError: None was made: the scene has to ask for it with `whitewater.amount`.
        """
        return self.run.read(WHITEWATER, self.number)

    @property
    def wetness(self) -> Wetness:
        """How wet solids and the floor are, at samples of their surfaces (`plash.mesh.wetness.wet_surfaces`).

        Raises:
            StorageError: It was not found: only pictures of surfaces in 3-D need it, with `look.drying_time` above 0.
        """
        return self.run.read(WETNESS, self.number)

    @property
    def picture(self) -> NDArray[np.uint8]:
        """The picture (height, width, 3).

        Raises:
            StorageError: It was not drawn.
        """
        return self.run.read(PICTURES, self.number)

    def plot(self, axes: Axes | None = None, *, color_by: str | None = "speed") -> Axes:
        """Draw where the fluid is with matplotlib; `color_by` is "speed", "amount" or None."""
        return plot(self, axes, color_by=color_by)

    def __repr__(self) -> str:
        return f"<RunFrame {self.number} of {self.run.folder.root}>"

    def _repr_html_(self) -> str:
        return html_of(self, {"run": str(self.run.folder.root), "volume": f"{self.ledger.get('volume', 0.0):.4g}"})

    @property
    def measured(self) -> dict[str, NDArray[Any]]:
        """What `output.measure` found out about it, by name.

        Raises:
            StorageError: The scene did not ask for it.
        """
        return self.run.read(MEASURE, self.number)

    @property
    def ledger(self) -> dict[str, Any]:
        """Volumes up to now."""
        item = self.run.manifest.stage(SIMULATION.name).items[self.number]
        return dict(item.ledger or {})


def _ledger_row(item: Item) -> dict[str, float]:
    return _flat(item.ledger or {}) | {f"{name}_energy": joules for name, joules in (item.energy or {}).items()}


def _flat(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers by name; those of a table in it with a point between its name and theirs."""
    flat: dict[str, Any] = {}
    for name, value in entries.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": number for inner, number in value.items()}
        elif isinstance(value, int | float):
            flat[name] = value
    return flat
