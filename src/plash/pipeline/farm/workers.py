"""The workers of a Dask scheduler: somewhere, or processes of this machine that live as long as the run.

Whoever works with them sends orders and takes what arrives, in one thread; connections are kept in another.
"""

from __future__ import annotations

import pickle
import queue
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from plash.errors import MissingPartError, WorkersError
from plash.files.atomic import write_bytes
from plash.pipeline.farm.local import local_workers
from plash.pipeline.farm.orders import NOT_SHARED, Order, end_session, perform
from plash.pipeline.farm.program import described, program

Where = int | str  # so many processes of this machine, or the address of a scheduler

SECONDS_TO_ANSWER = 15  # for a scheduler
_MOST_AT_ONCE = 200  # arrivals: then the manifest is written, and a stop looked for
_SECONDS_OF_A_LIST = 0.5  # that a list of workers is taken to be right


@dataclass(frozen=True)
class Arrival:
    """Something from a worker.

    Attributes:
        key: Of the order it is about; empty for what is told while one is in work.
        result: What the order gave, or what is told.
        error: What went wrong; None if nothing did.
    """

    key: str
    result: Any = None
    error: BaseException | None = None


@dataclass(eq=False)
class Workers:
    """Some workers, as one program sees them.

    Attributes:
        client: The connection to their scheduler.
        session: Names this program, for as long as it is connected.
        threads: Threads that an order may use; as many as its worker has if not said.
    """

    client: Any
    threads: int | None = None
    session: str = field(default_factory=lambda: f"plash-{uuid.uuid4().hex[:12]}")
    _arrived: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    _sent: dict[str, Any] = field(default_factory=dict)
    _to_send: dict[tuple[tuple[str, ...], bool], list[tuple[str, bytes]]] = field(default_factory=dict)
    _addresses: dict[str, int] = field(default_factory=dict)
    _asked_at: float = float("-inf")

    def __post_init__(self) -> None:
        self.client.subscribe_topic(self.session, self._hear)

    def send(self, key: str, order: Order, avoid: str = "", prefer: str = "", is_first: bool = False) -> None:
        """Have an order done, by some worker; orders that were sent first are done first, as a rule.

        Args:
            key: Names it, among those of this program. Orders with the same first word take about as long.
            order: What to do.
            avoid: The address of a worker that is busy for long: others are asked if there are any.
            prefer: The address of a worker that is best for it.
            is_first: Whether it goes before all that wait, since others wait for it.
        """
        addresses = self.addresses()
        chosen = [prefer] if prefer in addresses else [address for address in addresses if address != avoid]
        asked = tuple(chosen) if chosen and len(chosen) < len(addresses) else ()
        self._to_send.setdefault((asked, is_first), []).append((key, pickle.dumps(order)))

    def _flush(self) -> None:
        """Send what is to be sent, all at once: that costs a fraction of one by one."""
        to_send, self._to_send = self._to_send, {}
        for (asked, is_first), orders in to_send.items():
            keys, data = zip(*orders, strict=True)
            futures = self.client.map(
                partial(perform, program(), self.session),
                data,
                key=[self._key(key) for key in keys],
                pure=False,
                priority=int(is_first),
                workers=list(asked) or None,
                allow_other_workers=bool(asked),
            )
            for key, future in zip(keys, futures, strict=True):
                self._sent[key] = future
                future.add_done_callback(partial(self._heard_back, key))

    def _key(self, key: str) -> tuple[str, str]:
        """What Dask calls an order: it expects those whose keys begin alike to take equally long."""
        return f"{key.partition(' ')[0]}-{self.session}", f"{key} {uuid.uuid4().hex[:6]}"

    def _heard_back(self, key: str, future: Any) -> None:
        self._arrived.put((key, future))

    def arrived(self, seconds: float) -> Iterator[Arrival]:
        """What has come from workers; waits for so long if nothing has.

        Raises:
            WorkersError: The scheduler is gone.
        """
        self._flush()
        try:
            heard = [self._arrived.get(timeout=seconds)]
        except queue.Empty:
            self._refuse_lost()
            return
        with suppress(queue.Empty):
            while len(heard) < _MOST_AT_ONCE:
                heard.append(self._arrived.get_nowait())
        finished = {key: thing for key, thing in heard if key and thing.status == "finished"}
        results = dict(zip(finished, self._gathered(list(finished.values())), strict=True))
        for key, thing in heard:
            if key == "":
                yield Arrival("", pickle.loads(thing))
            elif self._sent.get(key) is thing:
                del self._sent[key]
                yield Arrival(key, results[key]) if key in results else self._failed(key, thing)

    def addresses(self) -> dict[str, int]:
        """The workers that are there, as of a moment ago, with the threads of each.

        Raises:
            WorkersError: The scheduler is gone.
        """
        if time.monotonic() - self._asked_at > _SECONDS_OF_A_LIST:
            found = self._answer_to(self.client.nthreads)
            self._addresses = {address: int(threads) for address, threads in found.items()}
            self._asked_at = time.monotonic()
        return self._addresses

    def stop(self) -> None:
        """Have everything that is in work end soon, and begin nothing that is not."""
        with suppress(OSError, TimeoutError, RuntimeError):  # whoever does not answer any more has stopped
            self.client.run(end_session, self.session, on_error="ignore")

    def cancel(self) -> None:
        """Give up all that was sent."""
        self._to_send.clear()
        self.stop()
        with suppress(OSError, TimeoutError, RuntimeError):
            self.client.cancel(list(self._sent.values()))
        self._sent.clear()

    def check(self, folder: Path) -> None:
        """Refuse workers that could not do what they will be asked for; those that come later are asked then.

        Raises:
            WorkersError: A worker has no plash or another one, or not the folder; names it.
        """
        token = folder / f".{self.session}.tmp"  # like what a killed writer leaves: it would be cleared away
        write_bytes(token, self.session.encode())
        try:
            answers = self._asked(str(token))
        finally:
            token.unlink(missing_ok=True)
        for address, (found, sees) in answers.items():
            if found is None:
                raise WorkersError(f"worker {address} has no plash: install {described(program())} there")
            if tuple(found) != program():
                raise WorkersError(
                    f"worker {address} has {described(tuple(found))}, and this program is {described(program())}: "
                    "install the same on both"
                )
            if not sees:
                raise WorkersError(f"worker {address}: {folder} {NOT_SHARED}")

    def _asked(self, token: str) -> Mapping[str, tuple[Any, bool]]:
        def greeting() -> tuple[Any, bool]:
            # Sent as it stands: a worker may have no plash, or one that does not know this file
            import os

            try:
                from plash.pipeline.farm.program import program as own
            except ImportError:
                return None, False
            return own(), os.path.isfile(token) and os.access(os.path.dirname(token), os.W_OK)

        answers: Mapping[str, tuple[Any, bool]] = self._answer_to(partial(self.client.run, greeting))
        return answers

    def _hear(self, event: tuple[float, bytes]) -> None:
        self._arrived.put(("", event[1]))

    def _gathered(self, futures: list[Any]) -> list[Any]:
        """What finished orders gave, fetched together."""
        if not futures:
            return []
        gathered: list[Any] = self._answer_to(partial(self.client.gather, futures))
        return gathered

    def _answer_to(self, question: Callable[[], Any]) -> Any:
        """What the scheduler answers.

        Raises:
            WorkersError: It is gone.
        """
        try:
            return question()
        except (OSError, TimeoutError, CancelledError):
            self._refuse_lost(at_once=True)
            raise

    def _failed(self, key: str, future: Any) -> Arrival:
        """Why an order was not done."""
        from distributed import KilledWorker

        if future.status != "error":
            self._refuse_lost(at_once=True)
        error = future.exception(timeout=SECONDS_TO_ANSWER)
        if isinstance(error, KilledWorker):
            error = WorkersError(
                f"{key}: {error.allowed_failures + 1} workers died one after the other while they made it, the last "
                f"was {getattr(error.last_worker, 'address', 'unknown')}. Often there is too little memory: "
                "give workers more, or run fewer of them"
            )
        return Arrival(key, error=error)

    def _refuse_lost(self, at_once: bool = False) -> None:
        """Refuse to wait for a scheduler that is gone."""
        if self.client.status == "running" and not at_once:
            return
        raise WorkersError(
            "the scheduler of the workers is gone. Every file that was finished is kept: start it again, or go on "
            "without, with `plash resume`"
        )


@contextmanager
def workers_at(where: Where, threads: int | None = None) -> Iterator[Workers]:
    """Workers to send orders to, until this ends.

    Args:
        where: So many processes of this machine, or the address of a scheduler, such as tcp://host:8786.
        threads: Threads that each order may use; as many as its worker has if not said.

    Raises:
        MissingPartError: Dask is not installed.
        WorkersError: No scheduler answers.
    """
    try:
        import distributed
    except ImportError:
        raise MissingPartError(
            "many workers need the package distributed, which is not installed. Install it with: "
            'pip install "plash[farm]"'
        ) from None
    if isinstance(where, int):
        with local_workers(where, threads or 1) as address, _connected(distributed, address, threads) as workers:
            _await(workers, where)
            yield workers
        return
    with _connected(distributed, where, threads) as workers:
        yield workers


@contextmanager
def _connected(distributed: Any, address: str, threads: int | None) -> Iterator[Workers]:
    try:
        client = distributed.Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise WorkersError(
            f"no scheduler answers at {address}: {reason}. Start one with `dask scheduler`, which prints its address, "
            "and see that no firewall is between"
        ) from None
    try:
        yield Workers(client, threads)
    finally:
        with suppress(OSError, TimeoutError, RuntimeError):
            client.close(timeout=5)


def _await(workers: Workers, count: int, seconds: float = 120.0) -> None:
    """Wait for workers that are about to come."""
    end = time.monotonic() + seconds
    while len(workers.addresses()) < count:
        if time.monotonic() > end:
            raise WorkersError(f"{len(workers.addresses())} of {count} workers have started within {seconds:g} s")
        time.sleep(0.05)
