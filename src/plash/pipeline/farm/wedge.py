"""Runs of a wedge side by side: each is done by one worker, from its scene to its report."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plash.errors import DivergedError, StoppedError, VolumeError
from plash.files.layout import RunFolder
from plash.pipeline.farm.orders import Tell, at_work
from plash.pipeline.farm.workers import Where, Workers, workers_at
from plash.pipeline.progress import Progress, Silent
from plash.pipeline.run import Asked, carry_out
from plash.pipeline.stop import SAME_COMMAND, Stop, stop_on_signals

RUNS = "runs"  # what the progress calls them


@dataclass(frozen=True)
class RunOrder:
    """A whole run.

    Attributes:
        session: Names whoever asks.
        asked: What is asked of it, pickled.
        threads: Threads to use; as many as the worker has if not said.
    """

    session: str
    asked: bytes
    threads: int | None

    def done(self, stop: Stop, tell: Tell) -> RunDone | None:
        """Do it; None if it was stopped on the way."""
        asked: Asked = pickle.loads(self.asked)
        with at_work(self.threads, tell) as compilation:
            stopwatch = compilation.stopwatch()
            trouble = ""
            try:
                carry_out(asked, Silent(), stop)
            except (DivergedError, VolumeError) as error:
                trouble = str(error)
            except StoppedError:
                return None
            return RunDone(trouble, stopwatch()[0])


@dataclass(frozen=True)
class RunDone:
    """A run that is done: why it ended early, if it did, and the time it took."""

    trouble: str
    seconds: float


def side_by_side(
    asked: Sequence[Asked], labels: Sequence[str], progress: Progress, where: Where, threads: int | None
) -> Iterator[tuple[int, str]]:
    """Do the runs on workers; gives the number of each as it is done, and why it ended early if it did.

    Raises:
        StoppedError: Ctrl-C or SIGTERM; the runs in work have stopped with a checkpoint each.
    """
    home = asked[0].folder.root.parent
    with stop_on_signals(SAME_COMMAND) as stop, workers_at(where, threads) as workers:
        workers.check(home.absolute())
        progress.begin(len(asked), {RUNS: len(asked)})
        try:
            yield from _done(asked, labels, progress, workers, stop)
        except BaseException:
            workers.cancel()
            raise
        finally:
            progress.end()


def _done(
    asked: Sequence[Asked], labels: Sequence[str], progress: Progress, workers: Workers, stop: Stop
) -> Iterator[tuple[int, str]]:
    import cloudpickle

    left = {str(number) for number in range(len(asked))}
    for number, each in enumerate(asked):
        whole = replace(each, folder=RunFolder(each.folder.root.absolute()))
        workers.send(str(number), RunOrder(workers.session, cloudpickle.dumps(whole), workers.threads))
    is_stopping = False
    while left:
        for arrival in workers.arrived(0.2):
            if not arrival.key:
                _tell(progress, *arrival.result)
                continue
            if arrival.error is not None:
                raise arrival.error
            left.discard(arrival.key)
            if arrival.result is not None:
                number = int(arrival.key)
                trouble = arrival.result.trouble
                progress.note(f"run {number + 1} of {len(asked)}: {labels[number]}: {trouble or 'done'}")
                progress.made(RUNS, number + 1, arrival.result.seconds)
                yield number, trouble
        if stop.requested and not is_stopping:
            is_stopping = True
            workers.stop()
        if is_stopping and not workers.addresses():
            break
    stop.raise_if_requested("with a checkpoint of each run in work")


def _tell(progress: Progress, kind: str, *facts: Any) -> None:
    if kind == "compiling":
        progress.compiling(*facts)
