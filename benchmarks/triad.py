"""Bandwidth of the machine at this moment: the STREAM triad a = b + s c in float32.

It is what a sweep over a field can reach at best, and it says how fast the machine is today: figures of different
runs are compared after division by it. Bytes are counted as 12 per element, without the read that a write causes.
"""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np
from numba import prange

# Elements of each of the three arrays, and how often a kernel goes over its part: in the cache a single pass would
# measure the start of the threads. 3 × 128 kB a thread fit the second-level cache of any recent machine.
_MEMORY = (1 << 24, 1)
_CACHE_PER_THREAD = 1 << 15
_CACHE_PASSES = 200


def measure(seconds: float) -> dict[str, float]:
    """GB/s of arrays of 64 MB ("memory_") and of arrays in the cache ("cache_"), with one and with two threads."""
    found = {}
    before = numba.get_num_threads()
    try:
        for threads in thread_counts():
            numba.set_num_threads(threads)
            found[f"memory_{threads}"] = _bandwidth(*_MEMORY, threads, seconds)
            found[f"cache_{threads}"] = _bandwidth(_CACHE_PER_THREAD * threads, _CACHE_PASSES, threads, seconds)
    finally:
        numba.set_num_threads(before)
    return found


def thread_counts() -> tuple[int, ...]:
    """Numbers of threads that are measured: 2 and 1, where there are two."""
    settings: Any = numba.config
    return (2, 1) if settings.NUMBA_NUM_THREADS >= 2 else (1,)


def _bandwidth(size: int, passes: int, threads: int, seconds: float) -> float:
    a, b, c = (np.full(size, value, np.float32) for value in (0, 1, 2))
    _triad(a, b, c, np.float32(3), passes, threads)
    best = np.inf
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        _triad(a, b, c, np.float32(3), passes, threads)
        best = min(best, time.perf_counter() - start)
    return round(12e-9 * size * passes / best, 3)


@numba.njit(parallel=True)
def _triad(a: Any, b: Any, c: Any, s: Any, passes: int, parts: int) -> None:
    n = len(a)
    for part in prange(parts):
        # Slices, so that the index begins at zero: a start that may be negative keeps the loop from vectorising
        first, last = part * n // parts, (part + 1) * n // parts
        a_part, b_part, c_part = a[first:last], b[first:last], c[first:last]
        for _ in range(passes):
            for i in range(len(a_part)):
                a_part[i] = b_part[i] + s * c_part[i]
