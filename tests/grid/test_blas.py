"""Kernels load without scipy's linear algebra; who needs it has it."""

import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
from plash.grid.tiles import _find_neighbours
_find_neighbours.compile("void(int64[::1], int32[:, ::1], int64, int64)")
assert "scipy.linalg" not in sys.modules

import numba
@numba.njit
def solved(a, b):
    return np.linalg.solve(a, b @ b)
a, b = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
assert np.allclose(a @ solved(a, b), b @ b)

import scipy.linalg.cython_blas
assert "dgemm" in scipy.linalg.cython_blas.__pyx_capi__
assert np.allclose(scipy.linalg.inv(a) @ a, np.eye(2))
"""


def test_kernels_need_no_linear_algebra_and_take_none_away():
    subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM], check=True)
