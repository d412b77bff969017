"""Compile kernels ahead of need, in several processes: numba compiles one at a time in each.

What was compiled is in the cache of kernels, and a file beside it says so: the next run does not look again.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

import numba
from llvmlite.binding import get_host_cpu_name  # type: ignore[import-untyped]

from plash.grid.cache_folder import cache_folder, cache_root
from plash.grid.kernel_calls import KernelCall
from plash.pipeline.warm.kernel_list import call_data

_WORKER = "plash.pipeline.warm.worker"
_LOOK = 0.2  # s between two looks at whether somebody wants to stop
JOBS_VARIABLE = "PLASH_COMPILE_JOBS"

Tell = Callable[[int, int, float], None]


def jobs_here() -> int:
    """How many processes may compile: what PLASH_COMPILE_JOBS says, or as many as this process has cores."""
    said = os.environ.get(JOBS_VARIABLE, "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    settings: Any = numba.config
    cores: int = settings.NUMBA_DEFAULT_NUM_THREADS
    return cores


def warm(
    calls: Sequence[KernelCall], jobs: int, tell: Tell, raise_if_stopped: Callable[[], None] = lambda: None
) -> list[str]:
    """Compile kernels that are not in the cache.

    Args:
        calls: What to compile.
        jobs: How many processes to use.
        tell: Is told how many kernels are ready, of how many, after how many seconds.
        raise_if_stopped: Raises if somebody wants to stop.

    Returns:
        What went wrong; a run compiles what it needs by itself.
    """
    stamp = _stamp(calls)
    if not calls or stamp.exists():
        return []
    began, ready, faults = time.perf_counter(), 0, []
    tell(0, len(calls), 0.0)
    batches = _batches(calls)
    workers = [_Worker() for _ in range(min(jobs, len(batches)))]
    free = list(workers)
    try:
        with ThreadPoolExecutor(len(workers)) as threads:
            asked: dict[Future[list[str]], tuple[_Worker, list[KernelCall]]] = {}
            while batches or asked:
                while free and batches:
                    worker, batch = free.pop(), batches.pop()
                    asked[threads.submit(worker.compile, batch)] = worker, batch
                done, _ = wait(asked, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for answer in done:
                    worker, batch = asked.pop(answer)
                    free.append(worker)
                    ready += len(batch)
                    faults += answer.result()
                    tell(ready, len(calls), time.perf_counter() - began)
                _stop_if_asked(raise_if_stopped, workers)
    finally:
        for worker in workers:
            worker.end()
    if not faults:
        stamp.touch()
    return faults


class _Worker:
    """A process that compiles."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def compile(self, batch: Sequence[KernelCall]) -> list[str]:
        """Have kernels compiled; what went wrong."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps([call_data(call) for call in batch]) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            return [f"{batch[0].kernel.module}: the process that compiled it has ended"]
        faults: list[str] = json.loads(answer)
        return faults

    def kill(self) -> None:
        """End it in the middle of what it does."""
        self._process.kill()

    def end(self) -> None:
        """Let it end by itself."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended already
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def _stop_if_asked(raise_if_stopped: Callable[[], None], workers: Sequence[_Worker]) -> None:
    try:
        raise_if_stopped()
    except BaseException:
        for worker in workers:
            worker.kill()
        raise


def _batches(calls: Sequence[KernelCall]) -> list[list[KernelCall]]:
    """Kernels by module, as those share what they are made of; the largest batch is the last."""
    by_module = sorted(calls, key=lambda call: call.kernel.module)
    batches = [list(batch) for _, batch in groupby(by_module, key=lambda call: call.kernel.module)]
    return sorted(batches, key=len)


def _stamp(calls: Sequence[KernelCall]) -> Path:
    """The file that says that these kernels are in the cache, for their source as it is and for this processor."""
    modules = sorted({cache_folder(call.kernel.module).name for call in calls})
    about = [numba.__version__, sys.implementation.cache_tag, get_host_cpu_name(), *modules]
    text = json.dumps([about, [call_data(call) for call in calls]])
    return cache_root() / f"warm-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
