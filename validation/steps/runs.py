"""What all cases share: how a scene is stepped, and what is read off a snapshot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plash

Array = NDArray[np.float64]
Figures = dict[str, float]
Case = Callable[..., Figures]
Frozen = tuple[tuple[str, Any], ...]


def settings(courant: float, transfer: str, solver: dict[str, Any]) -> plash.Solver:
    """The settings of a run; what the caller gives goes before all."""
    return plash.Solver.model_validate({"courant": courant, "transfer": transfer, **solver})


def overrides(courant: float, transfer: str, solver: dict[str, Any]) -> dict[str, Any]:
    """The same for a scene of the gallery."""
    keys = {"courant": courant, "transfer": transfer, **solver}
    return {f"solver.{key}": value for key, value in keys.items()}


def frozen(solver: dict[str, Any]) -> Frozen:
    """Settings that can be remembered by."""
    return tuple(sorted(solver.items()))


@dataclass(frozen=True)
class Moment:
    """What is known after a step or at a frame.

    Attributes:
        time: In s.
        particles: The liquid.
        volume_error: Measured volume over its target, less one.
        steps: How many steps were taken since the moment before.
    """

    time: float
    particles: Any
    volume_error: float
    steps: int = 1


def build(scene: plash.Scene) -> Any:
    """The solver of a liquid, of which more is known than of any solver."""
    return plash.build(scene)


def moment(solver: Any, steps: int = 1) -> Moment:
    """The present one."""
    ledger = solver.ledger
    return Moment(solver.state.time, solver.snapshot(), ledger.volume / ledger.target_volume - 1, steps)


def free_steps(solver: Any, end: float) -> Iterator[Moment]:
    """Steps whose length is left free, towards one far end: the start, then the moment after each of them."""
    yield moment(solver)
    while solver.state.time < end:
        solver.advance(end)
        yield moment(solver)


def framed_steps(solver: Any, seconds: float, fps: float) -> Iterator[Moment]:
    """Steps that end at frames: the start, then the moment of each frame."""
    yield moment(solver)
    for number in range(1, math.floor(seconds * fps + 1e-6) + 1):
        steps = 0
        while solver.state.time < number / fps:
            solver.advance(number / fps)
            steps += 1
        yield moment(solver, steps)


def kinetic(particles: Any) -> float:
    """Kinetic energy for each unit of density."""
    speed_squared = np.einsum("ij,ij->i", particles.velocity, particles.velocity, dtype=np.float64)
    return float(0.5 * (particles.volume @ speed_squared))


def potential(particles: Any, g: float) -> float:
    """Potential energy over the floor y = 0 for each unit of density."""
    return float(g * (particles.volume @ particles.position[:, 1]))


def fullest_cell(particles: Any, h: float) -> float:
    """The largest volume in a cell, in cells; a cell of the inside of a liquid holds one."""
    cells = np.floor(particles.position / h).astype(np.int64)
    cells -= cells.min(axis=0)
    names = np.ravel_multi_index(tuple(cells.T), tuple(cells.max(axis=0) + 1))
    _, which = np.unique(names, return_inverse=True)
    held = np.bincount(which, weights=particles.volume)
    return float(held.max() / h ** particles.position.shape[1])


def height_of_share(particles: Any, share: float) -> float:
    """The height above which a share of the liquid is, m."""
    order = np.argsort(-particles.position[:, 1])
    above = np.cumsum(particles.volume[order])
    which = int(np.searchsorted(above, share * above[-1]))
    return float(particles.position[order[which], 1])


def give_velocity(solver: Any, velocity: Callable[[Array], Array], gradient: Callable[[Array], Array]) -> None:
    """Set the liquid in motion at the start: velocity (n, d) and its gradient (n, d, d), at places (n, d) in m."""
    particles = solver.state.particles
    places = particles.position(solver.h)
    particles.velocity[:] = velocity(places).T
    if len(particles.affine):
        count, dimension = places.shape
        particles.affine[:] = (gradient(places) * solver.h).reshape(count, dimension**2).T
