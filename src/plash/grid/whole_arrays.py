"""Copies, differences and zeros of whole arrays.

All threads copy: one alone does not reach the bandwidth of the memory.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_slice


def copied(values: NDArray[np.float32], into: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """The same values in another array: the one that is given, if it has the shape, as new memory costs time.

    >>> copied(np.ones((2, 3), np.float32)).shape
    (2, 3)
    """
    result = into if into is not None and into.shape == values.shape else np.empty(values.shape, values.dtype)
    _copy(values.reshape(-1), result.reshape(-1), chunk_count())
    return result


def cleared_like(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Zeros, in memory that the system clears when it is first touched: where that never happens it costs nothing.

    >>> cleared_like(np.ones((2, 3), np.float32)).sum()
    np.float32(0.0)
    """
    return np.zeros(values.shape, values.dtype)


def turn_into_change(before: NDArray[np.float32], after: NDArray[np.float32]) -> None:
    """Replace values by how much they changed.

    >>> values = np.float32([1, 1])
    >>> turn_into_change(values, after=np.float32([3, 5]))
    >>> values.tolist()
    [2.0, 4.0]
    """
    _subtract_from(after.reshape(-1), before.reshape(-1), chunk_count())


@kernel
def _copy(values, result, chunks):
    n = len(values)
    for c in prange(chunks):
        part = chunk_slice(c, chunks, n)
        result[part] = values[part]


@kernel
def _subtract_from(after, values, chunks):
    n = len(after)
    for c in prange(chunks):
        part = chunk_slice(c, chunks, n)
        a, b = after[part], values[part]
        for m in range(len(b)):
            b[m] = a[m] - b[m]
