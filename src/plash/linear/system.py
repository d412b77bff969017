"""One Poisson problem and all that is prepared to solve it, for as many right-hand sides as there are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plash.linear import pcg
from plash.linear.components import ClosedComponents, closed_components
from plash.linear.multigrid import MultigridPreconditioner
from plash.linear.operators import PoissonOperator, Pool64
from plash.timing import stage


@dataclass(frozen=True, eq=False)
class PoissonSystem:
    """An operator with its closed components and its preconditioner, each found when it is first needed.

    Attributes:
        operator: A.
        is_open: Whether it is known that no component is closed.
    """

    operator: PoissonOperator
    is_open: bool = False

    @cached_property
    def closed(self) -> ClosedComponents:
        """The components that no given value reaches."""
        return ClosedComponents.none(self.operator.active) if self.is_open else _find_closed(self.operator)

    @cached_property
    def multigrid(self) -> MultigridPreconditioner:
        """The preconditioner."""
        return _build_multigrid(self.operator)

    def solve(
        self, b: Pool64, tolerance: float, floor: float = 0.0, guess: Pool64 | None = None, limit: float = np.inf
    ) -> tuple[Pool64, pcg.Solution]:
        """Solve A x = b until ‖b - A x‖₂ ≤ max(tolerance ‖b‖₂, floor); also tells how the solve went.

        Args:
            b: Right-hand side; it and x lose their mean in closed components.
            tolerance: Relative size of the true residual to reach.
            floor: Absolute size that is as good as zero: round-off of whatever b was made from.
            guess: What to start from, where it has a value; else zero.
            limit: Size of the residual of every single unknown to reach as well.
        """
        x = self.operator.zeros(np.float64)
        if guess is not None:
            np.copyto(x, guess, where=self.operator.diagonal > 0)
        if len(self.operator.active) == 0:
            return x, pcg.Solution(history=[0.0])
        self.closed.remove_means(b)
        clean = self.closed.remove_means
        target = max(tolerance * pcg.norm(self.operator, b), floor)
        solution = pcg.solve(self.operator, self.multigrid, b, x, target, clean=clean, limit=limit)
        self.closed.remove_means(x)
        return x, solution


@stage
def _find_closed(operator: PoissonOperator) -> ClosedComponents:
    return closed_components(operator)


@stage
def _build_multigrid(operator: PoissonOperator) -> MultigridPreconditioner:
    return MultigridPreconditioner(operator)
