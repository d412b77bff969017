"""The runner of stages where workers do the work: it alone decides, and writes the manifest and the log.

A file is sent as soon as everything that it is made from is there. The simulation is one order, whose frames arrive one
by one; files made of all frames are made here. What a worker had in hand when it died is given to another by Dask.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from plash.errors import StoppedError
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest, StageRecord
from plash.pipeline.checkpoints import checkpoint_file, prune_checkpoints
from plash.pipeline.farm.orders import ChainOrder, FileDone, FileOrder, FrameDone, SimulationOrder, Workplace
from plash.pipeline.farm.workers import Arrival, Workers
from plash.pipeline.maker import FileMaker, Run
from plash.pipeline.runner import Runner
from plash.pipeline.stages.registry import STAGES
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import DamagedInputError, FileStage, Stage

_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_BETWEEN_MANIFESTS = 0.5
_SECONDS_WITHOUT_WORKERS = 10.0  # after which the user is told
_MOST_IN_A_CHAIN = 24  # files that one worker makes in a row: they are made again if it dies


@dataclass(frozen=True)
class _Sent:
    """Files of a stage that a worker was asked for: their numbers, and what they were to be made from then."""

    stage: Stage[Any]
    numbers: tuple[int, ...]
    inputs: dict[tuple[str, int], Item | None]


class FarmRunner(Runner):
    """Does what is left of some stages on many workers."""

    def __init__(self, run: Run, stages: Sequence[Stage[Any]], workers: Workers) -> None:
        super().__init__(run, stages)
        self._workers = workers
        self._place = Workplace(workers.session, RunFolder(run.folder.root.absolute()), workers.threads)
        self._sent: dict[str, _Sent] = {}
        self._in_work: set[tuple[str, int]] = set()  # files of stages that are asked for and not here
        self._simulator = ""  # the address of the worker that simulates
        self._scenes: dict[int, bytes] = {}
        self._is_new = False  # whether the manifest on disk lacks something
        self._last_write = 0.0
        self._last_worker = time.monotonic()
        self._made = 0

    def _finish_frames(self) -> int:
        """Bring every frame through the stages; returns how many files were made."""
        run, before, is_stopping = self._run, self._made, False
        run.manifest.write(run.folder)  # whoever simulates reads it
        try:
            self._send_simulation()
            for frame in range(1, run.frames + 1):
                self._send_frame(frame)
            while self._sent:
                for arrival in self._workers.arrived(_SECONDS_BETWEEN_LOOKS):
                    self._take(arrival, is_stopping)
                self._write_down()
                if run.stop.requested and not is_stopping:
                    is_stopping = True
                    self._workers.stop()
                if not self._are_there_workers() and is_stopping:
                    break
        except BaseException:
            self._workers.cancel()
            self._sent.clear()
            self._in_work.clear()
            self._write_down(at_once=True)
            raise
        self._write_down(at_once=True)
        if is_stopping:
            self._workers.cancel()
            frames = run.manifest.stage(SIMULATION.name).items
            run.stop.raise_if_requested(f"after frame {max(frames, default=0)}")
        return self._made - before

    # What is sent

    def _send_simulation(self) -> None:
        """Have the frames simulated that are left, if that is to be done and nobody is at it."""
        if SIMULATION not in self._frame_stages or SIMULATION.name in self._sent:
            return
        left = tuple(n for n in self._run.wanted(SIMULATION) if not self._is_done(SIMULATION, n))
        if not left:
            return
        order = SimulationOrder(self._place, self._pickled(self._run.scene), left)
        threads = self._workers.addresses()
        self._simulator = max(threads, key=lambda address: threads[address], default="")
        self._sent[SIMULATION.name] = _Sent(SIMULATION, left, {})
        self._workers.send(SIMULATION.name, order, prefer=self._simulator)

    def _send_frame(self, frame: int) -> None:
        """Have everything of a frame made that can be made now."""
        for stage in self._frame_stages:
            if isinstance(stage, FileStage) and self._is_to_be_sent(stage, frame):
                self._send(stage, frame)

    def _send(self, stage: FileStage[Any], first: int) -> None:
        """Have a file made, and with it those that go on from it and wait for nothing else."""
        numbers = [first]
        while len(numbers) < _MOST_IN_A_CHAIN and self._is_to_be_sent(stage, numbers[-1] + 1, after=numbers[-1]):
            numbers.append(numbers[-1] + 1)
        orders = tuple(self._order(stage, number) for number in numbers)
        read = {key: self._run.manifest.stage(key[0]).items.get(key[1]) for order in orders for key in order.files}
        key = _key(stage, first)
        self._sent[key] = _Sent(stage, tuple(numbers), read)
        self._in_work |= {(stage.name, number) for number in numbers}
        avoid = self._simulator if SIMULATION.name in self._sent else ""
        is_chain = self._goes_on_from(stage, first + 1, first)
        # Always by the same worker, which has prepared for it; and others wait for it
        prefer = min((address for address in self._workers.addresses() if is_chain and address != avoid), default="")
        self._workers.send(key, ChainOrder(orders), avoid=avoid, prefer=prefer, is_first=is_chain)

    def _order(self, stage: FileStage[Any], number: int) -> FileOrder:
        maker = self._maker(stage)
        return FileOrder(
            self._place,
            self._pickled(maker.scene),
            stage.name,
            number,
            stage.file(self._paths, number),
            {
                (source.name, place): maker.file(source, place, self._paths)
                for source, place in stage.inputs(maker.scene, number)
            },
            _of_frame(self._run.manifest, number),
        )

    def _maker(self, stage: FileStage[Any]) -> FileMaker:
        maker = self._makers[stage.name]
        assert isinstance(maker, FileMaker)
        return maker

    def _goes_on_from(self, stage: FileStage[Any], number: int, before: int) -> bool:
        return (stage, before) in stage.inputs(self._maker(stage).scene, number)

    def _is_to_be_sent(self, stage: FileStage[Any], number: int, after: int | None = None) -> bool:
        """Whether a file is left to make and all that it is made from is there, or made just before: `after`."""
        return (
            number in self._run.wanted(stage)
            and (stage.name, number) not in self._in_work
            and _key(stage, number) not in self._sent
            and (after is None or self._goes_on_from(stage, number, after))
            and self._is_ready(stage, number, after)
            and not self._is_done(stage, number)
        )

    def _is_ready(self, stage: FileStage[Any], frame: int, after: int | None) -> bool:
        """Whether everything that a file is made from is there, as far as it is made here, or made just before."""
        return all(
            (source, number) == (stage, after)
            or source not in self._frame_stages
            or (self._is_done(source, number) and (source.name, number) not in self._in_work)
            for source, number in stage.inputs(self._maker(stage).scene, frame)
        )

    @property
    def _paths(self) -> Any:
        return replace(self._run.paths, folder=self._place.folder)

    def _pickled(self, scene: Any) -> bytes:
        if id(scene) not in self._scenes:
            import cloudpickle  # it comes with Dask, and takes Python functions of a scene along

            self._scenes[id(scene)] = cloudpickle.dumps(scene)
        return self._scenes[id(scene)]

    # What arrives

    def _take(self, arrival: Arrival, is_stopping: bool) -> None:
        if not arrival.key:
            self._hear(*arrival.result)
            return
        sent = self._sent.pop(arrival.key)
        self._in_work -= {(sent.stage.name, number) for number in sent.numbers}
        if isinstance(arrival.error, DamagedInputError):
            self._forget_input(arrival.error, sent)
        elif arrival.error is not None:
            raise arrival.error
        elif sent.stage is SIMULATION:
            for frame in arrival.result or ():
                self._take_frame(frame)
        else:
            for done in arrival.result or ():
                self._take_file(sent.stage, done)
        if not is_stopping:
            self._send_simulation()
            if sent.stage is not SIMULATION:
                for number in (*sent.numbers, sent.numbers[-1] + 1):  # whose whitewater follows from this one's
                    self._send_frame(number)

    def _hear(self, kind: str, *facts: Any) -> None:
        """What a worker tells while it is at work."""
        progress = self._run.progress
        match kind:
            case "frame":
                self._take_frame(facts[0])
            case "file":
                self._take_early(*facts)
            case "step":
                progress.step(*facts)
            case "compiling":
                progress.compiling(*facts)
            case "note":
                progress.note(*facts)

    def _take_early(self, name: str, done: FileDone) -> None:
        """A file of several that a worker makes in a row: what is made from it need not wait for the rest."""
        if (name, done.number) in self._in_work:
            self._take_file(STAGES[name], done)
            self._in_work.remove((name, done.number))
            self._send_frame(done.number)

    def _take_file(self, stage: Stage[Any], done: FileDone) -> None:
        now = self._run.item(stage, done.number)
        if now is not None and (now.written, now.changed) == (done.written, done.written.changed):
            return  # it was told of before
        seconds, compiling = round(done.seconds, 4), round(done.compiling, 4)
        source = self._makers[stage.name].source(done.number)
        self._keep_item(stage, done.number, Item.of(done.written, source=source, seconds=seconds, compiling=compiling))

    def _take_frame(self, done: FrameDone) -> None:
        """A frame that was simulated: its steps go into the log, its checkpoints and itself into the manifest."""
        run = self._run
        for step, entry in done.steps:
            run.log.append(step, entry)
        run.log.sync()
        for number, checkpoint in done.checkpoints.items():
            if checkpoint is None:
                run.manifest.checkpoints.pop(number, None)
            else:
                run.manifest.checkpoints[number] = checkpoint
        self._is_new = True
        if done.item is not None and run.item(SIMULATION, done.number) != done.item:
            self._keep_item(SIMULATION, done.number, done.item)
            self._send_frame(done.number)
        if done.trouble is not None and not isinstance(done.trouble, StoppedError):
            raise done.trouble

    def _keep_item(self, stage: Stage[Any], number: int, item: Item) -> None:
        self._run.manifest.stage(stage.name).items[number] = item
        self._is_new = True
        self._made += 1
        self._run.progress.made(stage.name, number, item.seconds)

    def _forget_input(self, error: DamagedInputError, sent: _Sent) -> None:
        """A file could not be made since another cannot be read: that one is made again, if its stage is at work."""
        lost = (error.stage, error.number)
        now = self._run.manifest.stage(error.stage).items.get(error.number)
        if now != sent.inputs.get(lost):
            return  # it was forgotten or made again meanwhile
        self._forget(error)
        if not any(stage.name == error.stage for stage in self._frame_stages):
            raise error
        self._send_frame(error.number)

    # What is written down

    def _write_down(self, at_once: bool = False) -> None:
        """Write the manifest if there is something new, not too often; then remove checkpoints that it has not."""
        run = self._run
        is_due = at_once or time.monotonic() - self._last_write > _SECONDS_BETWEEN_MANIFESTS
        if not (self._is_new and is_due):
            return
        before = set(run.manifest.checkpoints)
        prune_checkpoints(run.manifest, run.scene.output.checkpoint_every)
        self._last_write = time.monotonic()
        run.manifest.write(run.folder)
        # Not all that the manifest does not know: a worker may have written one just now
        for number in before - set(run.manifest.checkpoints):
            checkpoint_file(run.folder, number).unlink(missing_ok=True)
        self._is_new = False

    def _are_there_workers(self) -> bool:
        """Whether anybody is at work; the user is told if nobody is for a while."""
        now = time.monotonic()
        if now - self._last_worker < 1.0:
            return True
        if self._workers.addresses():
            self._last_worker = now
            return True
        if now - self._last_worker > _SECONDS_WITHOUT_WORKERS:
            self._run.progress.note("the scheduler has no workers: waiting for some, or for Ctrl-C")
            self._last_worker = now + 5 * _SECONDS_WITHOUT_WORKERS
        return False


def _key(stage: Stage[Any], number: int) -> str:
    return stage.name if stage is SIMULATION else f"{stage.name} {number}"


def _of_frame(manifest: Manifest, frame: int) -> Manifest:
    """The part of a manifest that is about a frame."""
    records = {
        name: StageRecord(record.status, {frame: record.items[frame]})
        for name, record in manifest.stages.items()
        if frame in record.items
    }
    return replace(manifest, stages=records, checkpoints={}, branches={})
