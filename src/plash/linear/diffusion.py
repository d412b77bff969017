"""The operator of an implicit step of diffusion, whose rows sum to the capacity of each cell: A = m + K.

    (A x)_i = m_i x_i + Σ over neighbours j of w_ij (x_i - x_j)  [+ g_i x_i, a contact with a given value]

The diagonal m + Σ w + g holds m to round-off of the sum only: once w is large, what is left of m in single precision is
wrong by per cents, and with it the mean that diffusion must keep. So the residual is formed with the exact diagonal,
in double precision, and only the corrections are found in single precision. A is not singular, however large w is: its
mean is never removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.linear import pcg
from plash.linear.multigrid import MultigridPreconditioner
from plash.linear.operators import PoissonOperator, Pool, Pool64
from plash.timing import stage


@dataclass(frozen=True, eq=False)
class DiffusionOperator:
    """A of an implicit step of diffusion.

    Attributes:
        rounded: The same with its diagonal in single precision.
        exact: The diagonal in double precision, zero where there is no unknown.
    """

    rounded: PoissonOperator
    exact: Pool64

    @cached_property
    def error(self) -> Pool64:
        """What rounding added to the diagonal, in the active rows."""
        active = self.active
        difference: Pool64 = self.rounded.diagonal[active] - self.exact[active]
        return difference

    @property
    def diagonal(self) -> Pool:
        """Diagonal, zero where there is no unknown."""
        return self.rounded.diagonal

    @property
    def active(self) -> NDArray[np.int32]:
        """Slots of the tiles that hold an unknown."""
        return self.rounded.active

    @property
    def inverse(self) -> Pool:
        """1 over the diagonal where there is an unknown, else zero."""
        return self.rounded.inverse

    def zeros(self, dtype: type = np.float32) -> NDArray[Any]:
        """A new pool of zeros."""
        return self.rounded.zeros(dtype)

    def apply(self, x: Pool, result: Pool) -> float:
        """Set result = A x in single precision and return x·A x."""
        return self.rounded.apply(x, result)

    def residual(self, x: Pool64, b: Pool64, result: Pool64) -> float:
        """Set result = b - A x in double precision and return its 2-norm."""
        active = self.active
        self.rounded.residual(x, b, result)
        result[active] += self.error * x[active]
        return pcg.norm(self, result)

    @stage
    def solve(self, b: Pool64, tolerance: float) -> tuple[Pool64, pcg.Solution]:
        """Solve A x = b until ‖b - A x‖₂ ≤ tolerance ‖b‖₂; also tells how the solve went."""
        x: Pool64 = self.zeros(np.float64)
        if len(self.active) == 0:
            return x, pcg.Solution(history=[0.0])
        target = tolerance * pcg.norm(self, b)
        return x, pcg.solve(self, MultigridPreconditioner(self.rounded), b, x, target)
