"""Pressure (Cline steps 3d and 3e): the velocity made divergence free.

    A p = -(ρ h²/dt) ∇·u ,    u -= (dt/ρ) ∇p

Solved for the potential q = p dt/(ρ h), a velocity: then neither density nor step length enters the numbers, and -h
∇·u is the right-hand side as it stands. The gas pressure is the value of p at the surface; it shifts p as a whole
and moves nothing, so it is added at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.errors import DivergedError
from plash.grid.cells import LIQUID, Cells
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import CellField, FaceField, fastest
from plash.grid.loops import chunk_numbers
from plash.linear import pcg
from plash.linear.operators import Pool64
from plash.linear.system import PoissonSystem
from plash.physics.flow.inflow import Inflow
from plash.physics.free_surface import FreeSurface
from plash.physics.solids.wall_separation import parted_system, separate_from_walls
from plash.timing import stage

_ROUND_OFF = 2.0**-25  # of a velocity stored in single precision, relative
_RUNAWAY = 50.0  # growth of the largest velocity in a projection that no impact explains


@dataclass(frozen=True, eq=False)
class Projection:
    """The pressure of a step and how it was found.

    Attributes:
        pressure: Gauge pressure plus gas pressure in liquid cells, Pa; gas pressure elsewhere.
        excess: Largest mean divergence (1/s) that a closed component could not get rid of.
        solves: How each of its solves went.
        system: The equations it was found from; they hold for other right-hand sides too.
        cells: What was liquid in them: less than before where liquid parted from walls.
    """

    pressure: CellField
    excess: float
    solves: list[pcg.Solution]
    system: PoissonSystem
    cells: Cells

    @property
    def iterations(self) -> int:
        """Conjugate-gradient iterations."""
        return sum(solution.iterations for solution in self.solves)

    @property
    def residual(self) -> float:
        """True residual at the end, over that of the velocity as it was given."""
        first = self.solves[0].history[0]
        return self.solves[-1].residual / first if first > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class KnownPressure:
    """A pressure of the same cells, from before viscosity acted: most of the weight that it bears is still there.

    Attributes:
        system: The equations of the cells.
        potential: p k/(ρ h), m/s.
    """

    system: PoissonSystem
    potential: Pool64


@dataclass(frozen=True)
class PressureSolver:
    """Makes a velocity field divergence free.

    Attributes:
        free_surface: How pressure meets the air.
        rho: Density, kg/m³.
        h: Cell size, m.
        tolerance: Relative size of the true residual to reach.
        gas_pressure: Pressure of the air, Pa.
        separating_walls: Whether liquid lets go of walls that would pull on it.
        in_every_cell: Whether h ∇·u of each single cell is to be below tolerance times the fastest velocity, too.
    """

    free_surface: FreeSurface
    rho: float
    h: float
    tolerance: float = 1e-5
    gas_pressure: float = 0.0
    separating_walls: bool = False
    in_every_cell: bool = False

    @stage
    def project(
        self,
        velocity: FaceField,
        cells: Cells,
        dt: float,
        inflow: Inflow | None = None,
        wanted: NDArray[np.float64] | None = None,
        known: KnownPressure | None = None,
    ) -> Projection:
        """Make the velocity divergence free in every liquid cell; velocities that border no liquid become unknown.

        Where volume comes in or goes, the divergence becomes that of the inflow instead; and h ∇·u (m/s) may be wanted
        to be other than zero. A pressure of the same cells that is known roughly is begun with.

        Wall-normal velocities must have been set to the solid's before. Afterwards ‖h ∇·u‖₂ over all liquid cells is
        below tolerance times what it was, or at the level of single-precision round-off.
        """
        inflow = inflow or Inflow.none()
        b = self._right_hand_side(velocity, cells, inflow)
        system = self.system(cells) if known is None else known.system
        excess = float(np.abs(system.closed.means(b)).max()) / self.h
        _add_wanted(b, wanted, cells)

        before = max(float(fastest(velocity.pool).max()), inflow.fastest)
        floor = _ROUND_OFF * before * np.sqrt(max(cells.liquid_count, 1))
        limit = self.tolerance * before if self.in_every_cell else np.inf
        guess = None if known is None else known.potential
        potential, solution = _solve(system, b, self.tolerance, floor, guess, limit)
        solves = [solution]
        if known is not None:
            solution.history.insert(0, pcg.norm(system.operator, b))
        parted = separate_from_walls(cells, potential, system.closed, inflow.held) if self.separating_walls else None
        if parted is not None:
            cells = parted
            b, system = self._right_hand_side(velocity, cells, inflow), parted_system(self.free_surface, cells, system)
            _add_wanted(b, wanted, cells)
            potential, solution = _solve(system, b, self.tolerance, floor, potential, limit)
            solves.append(solution)
        self.free_surface.subtract_gradient(velocity, potential, cells)
        _refuse_runaway(velocity, before, self.h)

        _scale_and_shift(potential.reshape(-1), self.rho * self.h / dt, self.gas_pressure, chunk_count())
        return Projection(CellField(cells.tiles, potential), excess, solves, system, cells)

    def system(self, cells: Cells) -> PoissonSystem:
        """The equations of the pressure, for any right-hand side."""
        return PoissonSystem(self.free_surface.operator(cells))

    def _right_hand_side(self, velocity: FaceField, cells: Cells, inflow: Inflow) -> Pool64:
        b = self.free_surface.right_hand_side(velocity, cells)
        inflow.add_to(b, cells)
        return b


def _add_wanted(b: NDArray[np.float64], wanted: NDArray[np.float64] | None, cells: Cells) -> None:
    """Let liquid cells have the h ∇·u that is wanted."""
    if wanted is not None:
        _add_to_liquid(b.reshape(-1), wanted.reshape(-1), cells.label.reshape(-1), chunk_count())


def _refuse_runaway(velocity: FaceField, before: float, h: float) -> None:
    """Refuse a velocity that a projection made many times faster, or infinite."""
    after = float(fastest(velocity.pool).max())
    if after <= _RUNAWAY * before:
        return
    axis, slot, z, y, x = np.unravel_index(int(np.nanargmax(np.abs(velocity.pool))), velocity.pool.shape)
    cell = velocity.tiles.origins[slot] + np.array([x, y, z])
    place = ", ".join(f"{(part + 0.5) * h:.4g}" for part in cell[: velocity.tiles.dimension])
    raise DivergedError(f"the velocity along {'xyz'[axis]} grew from {before:.3g} to {after:.3g} m/s at ({place}) m")


@stage
def _solve(
    system: PoissonSystem,
    b: NDArray[np.float64],
    tolerance: float,
    floor: float,
    guess: NDArray[np.float64] | None,
    limit: float,
) -> tuple[NDArray[np.float64], pcg.Solution]:
    potential, solution = system.solve(b, tolerance, floor, guess, limit)
    if not solution.converged:
        raise DivergedError(
            f"pressure not found: residual {solution.residual:.3g} after {solution.iterations} iterations, wanted "
            f"{solution.target:.3g}; a larger solver.tolerance or a smaller solver.courant may help"
        )
    return potential, solution


@kernel
def _add_to_liquid(b, wanted, label, chunks):
    n = len(b)
    for c in prange(chunks):
        for m in chunk_numbers(c, chunks, n):
            b[m] = b[m] + wanted[m] if label[m] == LIQUID else b[m]


@kernel
def _scale_and_shift(values, factor, shift, chunks):
    n = len(values)
    for c in prange(chunks):
        for m in chunk_numbers(c, chunks, n):
            values[m] = factor * values[m] + shift
