"""Copies and differences of whole arrays, by all threads: one alone does not reach the bandwidth of the memory."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_slice


def copied(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same values in an array of their own.

    >>> copied(np.ones((2, 3), np.float32)).shape
    (2, 3)
    """
    result = np.empty(values.shape, values.dtype)
    _copy(values.reshape(-1), result.reshape(-1), chunk_count())
    return result


def difference(after: NDArray[np.float32], before: NDArray[np.float32]) -> NDArray[np.float32]:
    """By how much values changed.

    >>> difference(np.float32([3, 5]), np.float32([1, 1])).tolist()
    [2.0, 4.0]
    """
    result = np.empty(after.shape, after.dtype)
    _subtract(after.reshape(-1), before.reshape(-1), result.reshape(-1), chunk_count())
    return result


@kernel
def _copy(values, result, chunks):
    n = len(values)
    for c in prange(chunks):
        part = chunk_slice(c, chunks, n)
        result[part] = values[part]


@kernel
def _subtract(after, before, result, chunks):
    n = len(after)
    for c in prange(chunks):
        part = chunk_slice(c, chunks, n)
        a, b, r = after[part], before[part], result[part]
        for m in range(len(r)):
            r[m] = a[m] - b[m]
