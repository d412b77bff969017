"""Poisson and Helmholtz equations on a box, solved directly by cosine and sine transforms.

Samples stand at the centres of cells, or on the minimal faces across one axis. Walls let nothing through: cosines are
the eigenvectors there, and along the axis of faces, whose values at both walls are zero, sines:

    -lap_h cos(π k (i + 1/2)/n) = λ_k cos(...),   λ_k = (2/h sin(π k/(2n)))²,   the same for sin(π k i/n)

with lap_h the difference (x[i-1] - 2 x[i] + x[i+1])/h² of the projection itself: its solution is exact to round-off.
The transforms run on one thread: with two, boxes of 64³ and 256² took as long.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn, dst, idctn, idst

Array = NDArray[np.float64]


class BoxSolver:
    """Direct solver on a box of cells.

    Attributes:
        shape: Cells along [z,] y, x.
        h: Cell size, m.
    """

    def __init__(self, shape: tuple[int, ...], h: float) -> None:
        self.shape = shape
        self.h = h

    def poisson(self, right: Array) -> Array:
        """The x of zero mean with lap_h x = right, of which the mean is left out: walls would not let it be.

        Example:
            >>> box = BoxSolver((4, 6), h=0.5)
            >>> x = box.poisson(np.eye(4, 6))
            >>> bool(abs(x.mean()) < 1e-15)
            True
        """
        solution: Array = idctn(dctn(right) * self._inverse.astype(right.dtype), overwrite_x=True)
        return solution

    def helmholtz(self, right: Array, spread: float, across: int | None = None) -> Array:
        """The x with x - spread lap_h x = right.

        Args:
            right: One value for each cell, or each minimal face; those on walls count as zero.
            spread: In m², for diffusion the coefficient times the time.
            across: Axis of the array that the faces are across; None for cells.
        """
        factor = 1.0 / (1.0 - spread * self._eigenvalues)
        if across is None:
            solution: Array = idctn(dctn(right) * factor, overwrite_x=True)
            return solution
        solution = np.zeros_like(right)
        inner = _from(1, across)
        if right.shape[across] > 1:
            along = [axis for axis in range(right.ndim) if axis != across]
            waves = dctn(dst(right[inner], type=1, axis=across), axes=along) * factor[inner]
            solution[inner] = idst(idctn(waves, axes=along, overwrite_x=True), type=1, axis=across)
        return solution

    @cached_property
    def _eigenvalues(self) -> Array:
        """Of lap_h for every wave number: zero or negative."""
        total = np.zeros(self.shape)
        for axis, count in enumerate(self.shape):
            waves = np.sin(np.arange(count) * (math.pi / (2 * count)))
            total -= ((2 / self.h * waves) ** 2).reshape([-1 if a == axis else 1 for a in range(len(self.shape))])
        return total

    @cached_property
    def _inverse(self) -> Array:
        with np.errstate(divide="ignore"):
            inverse: Array = 1.0 / self._eigenvalues
        inverse[(0,) * len(self.shape)] = 0.0
        return inverse


def _from(first: int, axis: int) -> tuple[slice, ...]:
    """All of an array but what comes before an index along an axis."""
    return (*(slice(None),) * axis, slice(first, None))
