"""Solving for what viscosity changes in a step: A δ = -Bᵀ W B u, u + δ the velocity afterwards.

The change is solved for, and not the velocity: liquid that moves as a rigid body has no change, to the last bit. Walls
are in B u, with the velocity they give.

A is not singular, however large W is: its rows sum to the mass M, and the momentum Σ M u of free liquid stays what it
was. So no mean is taken out of anything here.

Reference: Batty & Bridson 2008.
"""

from __future__ import annotations

import numpy as np

from plash.errors import DivergedError
from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.linear import pcg
from plash.linear.component_blocks import ComponentMultigrid
from plash.linear.operators import Pool, Pool64
from plash.physics.solids.base import Solids
from plash.physics.viscosity.base import ViscousStep
from plash.physics.viscosity.path_strain import add_strain
from plash.physics.viscosity.stress_operator import StressOperator
from plash.physics.viscosity.stress_weights import Scheme, stress_operator
from plash.physics.viscosity.viscous_faces import FREE, ViscousFaces
from plash.timing import stage

TOLERANCE = 1e-4  # of the change of momentum
_ENOUGH = 1e-2  # of it, where more iterations do not help: as stress takes energy away, what is left over does no harm
_ROUND_OFF = 2.0**-22  # of momentum, relative: large weights make that of single precision larger
_MOST_ITERATIONS = 600


def act_implicitly(
    velocities: tuple[FaceField, FaceField],
    cells: Cells,
    solids: Solids,
    nu: float | CellField,
    dt: float,
    scheme: Scheme,
    strain: Pool | None = None,
) -> ViscousStep:
    """Let viscosity (m²/s) act for dt on every velocity that borders liquid; tells how the solve went.

    Of the two velocities it changes the first, as it acts on the second. A strain (m/s, by cell) needs no stress.
    """
    velocity, balanced = velocities
    faces = ViscousFaces.of(balanced, cells, solids)
    found = solve_viscosity(stress_operator(faces, cells, nu, dt, scheme), faces, strain)
    faces.change(velocity, balanced, cells)
    return found


@stage
def solve_viscosity(operator: StressOperator, faces: ViscousFaces, strain: Pool | None = None) -> ViscousStep:
    """Let the stress act on the velocity of free faces, implicitly; tells how the solve went.

    Afterwards ‖M δ + Bᵀ W (B (u + δ) - s)‖₂ ≤ 1e-4 ‖M δ‖₂, s the strain that needs no stress, or it is at the level of
    single-precision round-off of M u. After 600 iterations 1e-2 is enough: strands of a solid in its own melt, a
    million times as thick, may need that many.
    """
    if len(operator.active) == 0:
        return ViscousStep()
    momentum = (operator.mass * faces.velocity).astype(np.float64).reshape(operator.diagonal.shape)
    b = operator.zeros(np.float64)
    start = faces.velocity.astype(np.float64).reshape(operator.diagonal.shape)
    operator.residual(start, momentum, b)
    if strain is not None:
        add_strain(b, operator, strain)
    change = _towards_mean(operator, start, momentum, b)
    solution = _solve_change(operator, b, change, _ROUND_OFF * pcg.norm(operator, momentum))
    if not solution.residual <= _ENOUGH / TOLERANCE * solution.target:
        raise DivergedError(
            f"viscosity not found: residual {solution.residual:.3g} after {solution.iterations} iterations, wanted "
            f"{solution.target:.3g}; a smaller solver.courant, or solver.max_dt, may help"
        )
    found = change.astype(np.float32).reshape(faces.kinds.shape)
    np.add(faces.velocity, found, out=faces.velocity, where=faces.kinds == FREE)
    return ViscousStep(
        solution.iterations, TOLERANCE * solution.residual / solution.target if solution.target > 0 else 0.0
    )


def _towards_mean(operator: StressOperator, start: Pool64, momentum: Pool64, b: Pool64) -> Pool64:
    """A first guess of the change: towards the mean velocity of each component, as far as it leads downhill in energy.

    Large weights bring liquid nearly there. It is zero for liquid that moves as a whole.
    """
    components = (operator.tiles.dimension, -1)
    is_free = operator.diagonal.reshape(components) > 0
    total, of_mass = (part.reshape(components).sum(axis=1, dtype=np.float64) for part in (momentum, operator.mass))
    mean = (total / np.maximum(of_mass, 1e-300))[:, None]
    way = np.where(is_free, mean - start.reshape(components), 0.0).reshape(b.shape)
    against = operator.zeros(np.float64)
    operator.residual(way, operator.zeros(np.float64), against)
    downhill, curvature = float((way * b).sum()), -float((way * against).sum())
    change: Pool64 = way * (downhill / curvature if curvature > 0 and downhill > 0 else 0.0)
    return change


def _solve_change(operator: StressOperator, b: Pool64, change: Pool64, floor: float) -> pcg.Solution:
    """Solve for the change; the better it is known, the better how exact it has to be."""
    mass = operator.mass.reshape(operator.diagonal.shape)

    def target(known: Pool64) -> float:
        return max(TOLERANCE * pcg.norm(operator, mass * known), floor)

    return pcg.solve(operator, ComponentMultigrid(operator.blocks), b, change, target, _MOST_ITERATIONS)
