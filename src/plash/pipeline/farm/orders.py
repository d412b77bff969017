"""What a worker is asked for, and what it does: a file of a stage, or the simulation frame by frame.

A worker needs plash and the folder, nothing else. It writes files whole or not at all, and tells what they hold;
whoever asked (`pipeline/farm/runner.py`) writes the manifest and the log. A process does one such thing at a time:
kernels and ray tracers use all threads that it has.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from plash.errors import PlashError, WorkersError
from plash.files.atomic import Written, has_size, write_bytes
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest
from plash.pipeline.compiling import Compilation, watched_compilation
from plash.pipeline.farm.program import Program, described, program
from plash.pipeline.machine import keep_freed_memory, machine_text
from plash.pipeline.maker import Run
from plash.pipeline.progress import Silent
from plash.pipeline.run_history import RunHistory
from plash.pipeline.stages.registry import STAGES, read_run
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, FileStage, Inputs
from plash.pipeline.stop import Stop
from plash.scene.model import Scene
from plash.solvers.ledger import Ledger
from plash.timing import StepReport

Tell = Callable[[tuple[Any, ...]], None]

_SECONDS_BETWEEN_STEPS = 0.2  # that are told of, at least


class Order(Protocol):
    """Something that a worker does."""

    @property
    def session(self) -> str:
        """Names whoever asks."""

    def done(self, stop: Stop, tell: Tell) -> Any:
        """Do it; `tell` is for what those who wait want to know meanwhile."""


@dataclass(frozen=True)
class Workplace:
    """What all orders of a run share.

    Attributes:
        session: Names whoever asks, for as long as that program runs.
        folder: The run's folder, by its whole path.
        threads: Threads to use; as many as the worker has if not said.
    """

    session: str
    folder: RunFolder
    threads: int | None

    def refuse_unseen(self) -> None:
        """Refuse to work in a folder that this machine does not have.

        Raises:
            WorkersError: It has not.
        """
        if not self.folder.manifest.is_file():
            raise WorkersError(f"{self.folder.root}: {NOT_SHARED}")


NOT_SHARED = (
    "is not there: the folder must be on a disk that all machines have, under the same path. Mount it there, or choose "
    "another with --out"
)


@dataclass(frozen=True)
class FileDone:
    """A file that a worker has made: its number, what it holds, and how long that took."""

    number: int
    written: Written
    seconds: float
    compiling: float


@dataclass(frozen=True)
class FileOrder:
    """A file of a stage that is a function of what it reads.

    Attributes:
        place: Where the run is.
        scene: As the stage makes it, pickled.
        stage: Its name.
        number: Of the file.
        path: Where to write it.
        files: Those that may be read, by stage and number.
        manifest: What is known of the run, as far as the stage may ask.
    """

    place: Workplace
    scene: bytes
    stage: str
    number: int
    path: Path
    files: Mapping[tuple[str, int], File]
    manifest: Manifest

    @property
    def session(self) -> str:
        """Names whoever asks."""
        return self.place.session

    def after(self, made: Sequence[FileDone]) -> FileOrder:
        """The same order, now that other files of its stage are made."""
        new = {(self.stage, done.number): done.written for done in made}
        files = {key: replace(file, written=new.get(key, file.written)) for key, file in self.files.items()}
        return replace(self, files=files)

    def done(self, stop: Stop, tell: Tell) -> FileDone:
        """Read what the file is made from, make it, and write it."""
        self.place.refuse_unseen()
        stage, scene = _file_stage(self.stage), unpickled(self.scene)
        with at_work(self.place.threads, tell) as compilation:
            stopwatch = compilation.stopwatch()
            inputs = Inputs(
                scene,
                self.number,
                self.files,
                lambda: _prepared(self.stage, self.scene),
                lambda: RunHistory(scene, self.manifest, self.place.folder.log, "", machine_text()),
                lambda: None,
            )
            written = write_bytes(self.path, stage.make(inputs))
            return FileDone(self.number, written, *stopwatch())


@dataclass(frozen=True)
class ChainOrder:
    """Files of a stage of which each goes on from the one before; each is told of as soon as it is there.

    One worker makes them in a row: sent one by one, each would wait behind whatever a worker has begun meanwhile, and
    all that waits for the last ones with it.
    """

    files: tuple[FileOrder, ...]

    @property
    def session(self) -> str:
        """Names whoever asks."""
        return self.files[0].session

    def done(self, stop: Stop, tell: Tell) -> list[FileDone]:
        """Make one after the other."""
        finished: list[FileDone] = []
        for file in self.files:
            if stop.requested:
                break
            finished.append(file.after(finished[-1:]).done(stop, tell))
            tell(("file", file.stage, finished[-1]))
        return finished


@dataclass(frozen=True)
class FrameDone:
    """A frame that was simulated, or why none was.

    Attributes:
        number: Of the frame.
        item: What the manifest says of it; None if it was not reached.
        steps: Entries of the log since the frame before, by number of the step.
        checkpoints: Those written since, and those found to be damaged: None each.
        trouble: What ends the run; None if all is well.
        seconds: Time it took.
    """

    number: int
    item: Item | None
    steps: tuple[tuple[int, dict[str, Any]], ...]
    checkpoints: Mapping[int, Item | None]
    trouble: PlashError | None
    seconds: float


@dataclass(frozen=True)
class SimulationOrder:
    """The frames that are left of a simulation, one after the other; each is told of as soon as it is there.

    Attributes:
        place: Where the run is.
        scene: What is asked for, pickled.
        frames: Their numbers. Those that the manifest on disk has are left out: another worker may have been here.
    """

    place: Workplace
    scene: bytes
    frames: tuple[int, ...]

    @property
    def session(self) -> str:
        """Names whoever asks."""
        return self.place.session

    def done(self, stop: Stop, tell: Tell) -> list[FrameDone]:
        """Simulate them."""
        from plash.pipeline.run import refuse_without_memory
        from plash.pipeline.simulation_maker import SimulationMaker

        self.place.refuse_unseen()
        scene, folder = unpickled(self.scene), self.place.folder
        refuse_without_memory(scene)
        manifest = read_run(folder)
        finished: list[FrameDone] = []
        with at_work(self.place.threads, tell) as compilation:
            lines = _Lines()
            # Whatever a run may ask for that only whoever asked has is not needed to simulate
            run = Run(folder, scene, manifest, _Told(tell), stop, compilation, lines, False)
            maker = SimulationMaker(run)
            for number in self._left(run):
                finished.append(_frame(maker, number, lines))
                tell(("frame", finished[-1]))
                if finished[-1].item is None or finished[-1].trouble is not None:
                    break
        return finished

    def _left(self, run: Run) -> Iterator[int]:
        for number in self.frames:
            item = run.item(SIMULATION, number)
            if (
                item is None
                or item.source != run.manifest.physics
                or not has_size(SIMULATION.file(run.paths, number), item.written)
            ):
                yield number


def _frame(maker: Any, number: int, lines: _Lines) -> FrameDone:
    """Simulate up to a frame."""
    manifest, compilation = maker.run.manifest, maker.run.compilation
    before = dict(manifest.checkpoints)
    stopwatch = compilation.stopwatch()
    item: Item | None = None
    trouble: PlashError | None = None
    try:
        made = maker.make(number)
    except PlashError as error:
        trouble = error
    else:
        seconds, compiling = stopwatch()
        about = {"source": manifest.physics, "seconds": round(seconds, 4), "compiling": round(compiling, 4)}
        item, trouble = Item.of(made.written, **about, **made.about), made.trouble
    changed: dict[int, Item | None] = {
        key: part for key, part in manifest.checkpoints.items() if before.get(key) != part
    }
    changed |= dict.fromkeys(key for key in before if key not in manifest.checkpoints)
    return FrameDone(number, item, lines.taken(), changed, trouble, stopwatch()[0])


@dataclass(eq=False)
class _Lines:
    """The log of steps, until somebody takes it along."""

    kept: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def append(self, step: int, entry: dict[str, Any]) -> None:
        """Keep the entry of a step."""
        self.kept.append((step, entry))

    def sync(self) -> None:
        """Whoever writes the log does that."""

    def taken(self) -> tuple[tuple[int, dict[str, Any]], ...]:
        """What was kept since the last time."""
        taken, self.kept = tuple(self.kept), []
        return taken


class _Told(Silent):
    """Sends what a simulation tells of its steps to those who wait, not too often."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._last = 0.0

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """Tell of the step, unless the one before was told of just now."""
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_STEPS:
            self._last = time.monotonic()
            self._tell(("step", report, ledger))

    def note(self, text: str) -> None:
        """Tell it."""
        self._tell(("note", text))


# What a worker's process knows

_ONE_AT_A_TIME = threading.Lock()
_stops: dict[str, Stop] = {}  # of what is in work, by session
_ended: set[str] = set()  # sessions that nobody waits for any more


def perform(asked: Program, session: str, data: bytes) -> Any:
    """Do an order, on a worker; None if whoever asked has been stopped meanwhile.

    Raises:
        WorkersError: This worker has another plash.
    """
    from distributed import get_worker

    worker = get_worker()
    if asked != program():
        raise WorkersError(
            f"worker {worker.address} has {described(program())}, and this program is {described(asked)}: install the "
            "same on both"
        )
    order: Order = pickle.loads(data)
    with _ONE_AT_A_TIME:
        if session in _ended:
            return None
        stop = _stops[session] = WorkerStop(worker)
        try:
            return order.done(stop, lambda event: worker.log_event(session, pickle.dumps(event)))
        except PlashError as error:
            error.args = (f"{error} [on worker {worker.address}]",)
            raise
        finally:
            _stops.pop(session, None)


def end_session(session: str) -> None:
    """Stop what is in work for somebody, on this worker, and begin nothing more."""
    _ended.add(session)
    stop = _stops.get(session)
    if stop is not None:
        stop.requested = True


class WorkerStop(Stop):
    """Whether somebody asked for a stop, or nobody waits any more: then a worker need not go on."""

    def __init__(self, worker: Any) -> None:
        self._asked = False
        self._task = worker.state.tasks.get(worker.get_current_task())
        super().__init__()

    @property
    def requested(self) -> bool:
        """Whether to stop."""
        return self._asked or getattr(self._task, "state", "") == "cancelled"

    @requested.setter
    def requested(self, value: bool) -> None:
        self._asked = value


@contextmanager
def at_work(threads: int | None, tell: Tell) -> Iterator[Compilation]:
    """Use the threads of this worker, and tell of kernels that are compiled."""
    import numba
    from distributed import get_worker

    keep_freed_memory()
    count = threads or int(get_worker().state.nthreads)
    most = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    numba.set_num_threads(max(1, min(count, most)))
    with watched_compilation(lambda *facts: tell(("compiling", *facts))) as compilation:
        yield compilation


@lru_cache(maxsize=8)
def unpickled(scene: bytes) -> Scene:
    """A scene that was sent."""
    found: Scene = pickle.loads(scene)
    return found


@lru_cache(maxsize=4)
def _prepared(stage: str, scene: bytes) -> Any:
    """What a stage prepares once for all its files of a scene."""
    return _file_stage(stage).prepared(unpickled(scene))


def _file_stage(name: str) -> FileStage[Any]:
    stage = STAGES[name]
    assert isinstance(stage, FileStage)
    return stage
