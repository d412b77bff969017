"""How fast this machine moves memory: the yardstick for every kernel that does little else."""

from __future__ import annotations

import time

import numpy as np
from numba import prange

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range

_LENGTH = 1 << 23


def triad_bandwidth(repeats: int = 5) -> float:
    """Bytes a second of a = b + s c on arrays larger than the caches, on all threads; the best of some repeats."""
    a, b, c = (np.full(_LENGTH, value, np.float32) for value in (0.0, 1.0, 2.0))
    chunks = chunk_count()
    _triad(a, b, c, np.float32(3.0), chunks)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        _triad(a, b, c, np.float32(3.0), chunks)
        seconds.append(time.perf_counter() - start)
    return 3 * a.nbytes / min(seconds)


@kernel
def _triad(a, b, c, s, chunks):
    n = len(a)
    for chunk in prange(chunks):
        for i in chunk_range(chunk, chunks, n):
            a[i] = b[i] + s * c[i]
