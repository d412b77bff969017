"""Many cases, in processes of their own: what came of them, and which of them failed."""

import atexit
import contextlib
import json
import os
import queue
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .cases import part_of

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.worker")
LIMIT = 60.0  # s that a case may take, compiling not counted


@dataclass(frozen=True)
class Failure:
    """A case that did what it must not."""

    number: int
    part: str
    text: str

    def told(self, seed: int) -> str:
        """In full, with the command that does it again."""
        again = f"python -m tests.fuzz --seed {seed} --first {self.number} --cases 1"
        return f"--- case {self.number} ({self.part}): {again}\n{self.text.rstrip()}"


@dataclass
class Tally:
    """What came of the cases so far."""

    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    failures: list[Failure] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """How many there were."""
        return sum(sum(counts.values()) for counts in self.outcomes.values())

    def count(self, part: str, outcome: str, seconds: float, failure: Failure | None = None) -> None:
        """Add a case."""
        self.outcomes[part][outcome] += 1
        self.seconds[part] += seconds
        if failure is not None:
            self.failures.append(failure)

    def table(self) -> str:
        """A line for each part."""
        lines = [f"{'part':<12}{'cases':>7}{'failed':>8}{'seconds':>9}  what came of them"]
        for part, counts in sorted(self.outcomes.items()):
            failed = sum(failure.part == part for failure in self.failures)
            told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
            lines.append(f"{part:<12}{sum(counts.values()):>7}{failed:>8}{self.seconds[part]:>9.0f}  {told}")
        lines.append(f"{'all':<12}{self.cases:>7}{len(self.failures):>8}{sum(self.seconds.values()):>9.0f}")
        return "\n".join(lines)


def campaign(
    seed: int,
    numbers: Iterable[int],
    *,
    jobs: int = 1,
    limit: float = LIMIT,
    told: Callable[[int, Tally], None] = lambda number, tally: None,
) -> Tally:
    """Try cases in `jobs` processes.

    Args:
        seed: Start of all random numbers.
        numbers: Which cases.
        jobs: How many processes.
        limit: Seconds that a case may take, compiling not counted; one that takes longer hangs.
        told: Called after each case.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in numbers:
        waiting.put(number)
    tally, lock, is_cut_short = Tally(), threading.Lock(), threading.Event()
    folder = Path(tempfile.mkdtemp(prefix="plash-fuzz-"))

    def work() -> None:
        worker: Worker | None = None
        while not waiting.empty():
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                break
            worker = worker if worker is not None and worker.is_alive else Worker(seed, folder)
            outcome, text, seconds = worker.attempt(number, limit)
            if is_cut_short.is_set():
                return
            failure = Failure(number, part_of(number), text) if text else None
            with lock:
                tally.count(part_of(number), outcome, seconds, failure)
                told(number, tally)
        if worker is not None:
            worker.end()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        is_cut_short.set()  # the workers end with this process, and what becomes of their cases counts for nothing
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return tally


class Worker:
    """A process that tries one case after the other, in a folder of its own."""

    def __init__(self, seed: int, folder: Path, program: Sequence[str] = PROGRAM) -> None:
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        self._complaints = self._folder / "stderr"
        threads = {f"{name}_NUM_THREADS": "1" for name in ("NUMBA", "OPENBLAS", "OMP")}
        with self._complaints.open("wb") as complaints:
            self._process = subprocess.Popen(
                [*program, str(seed), str(self._folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                cwd=ROOT,
                env={**os.environ, **threads},
                start_new_session=True,
            )
        atexit.register(self.end)  # where the campaign is cut short
        self._answers = _Lines(self._process.stdout.fileno())
        self._answers.next(300.0)  # it is ready

    @property
    def is_alive(self) -> bool:
        """Whether it can try another case."""
        return self._process.poll() is None

    def attempt(self, number: int, limit: float) -> tuple[str, str, float]:
        """Try a case: what came of it, what is wrong with that, and how long it took."""
        start = time.monotonic()
        try:
            self._process.stdin.write(f"{number}\n".encode())
            self._process.stdin.flush()
            while True:
                answer = json.loads(self._answers.next(limit))
                if answer["event"] == "done":
                    return answer["outcome"], answer["failure"], answer["seconds"]
        except TimeoutError:
            self._process.send_signal(signal.SIGABRT)  # which makes it tell where it is
            self._process.wait()
            ending = "hung"
        except (EOFError, BrokenPipeError):
            code = self._process.wait()
            ending = f"crashed ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"
        text = f"{ending} after {time.monotonic() - start:.1f} s\n{self._said()}"
        self.end()
        return ending.split()[0], text, time.monotonic() - start

    def end(self) -> None:
        """End it, and whatever it started, once."""
        atexit.unregister(self.end)
        if self._process.stdin.closed:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _said(self) -> str:
        return self._complaints.read_text(errors="replace")[-4000:] if self._complaints.exists() else ""


class _Lines:
    """Lines from a pipe, waited for no longer than so many seconds each."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._data = b""
        self._waiter = selectors.DefaultSelector()
        self._waiter.register(pipe, selectors.EVENT_READ)

    def next(self, limit: float) -> bytes:
        end = time.monotonic() + limit
        while b"\n" not in self._data:
            left = end - time.monotonic()
            if left <= 0 or not self._waiter.select(left):
                raise TimeoutError
            part = os.read(self._pipe, 65536)
            if not part:
                raise EOFError
            self._data += part
        line, self._data = self._data.split(b"\n", 1)
        return line
