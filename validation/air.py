"""Air that flows as a case says, in the whole of a box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plash
from plash.grid.dense import tiles_over, to_dense
from plash.grid.fields import FaceField
from plash.physics.smoke.envelope import Envelope
from plash.solvers.build.smoke import build_smoke
from plash.solvers.smoke import SmokeSolver

Function = Callable[..., NDArray[np.float64]]


def filled(scene: plash.Scene, velocity: Sequence[Function] = (), **fields: Function) -> SmokeSolver:
    """A solver in whose whole box air is followed.

    Args:
        scene: A scene of smoke.
        velocity: For each axis a function of x, y[, z] in metres.
        fields: The same for fields of the air, by name.
    """
    solver = build_smoke(scene)
    domain, box = scene.domain, solver.solids.geometry.box
    state = solver.state
    state.envelope = Envelope.of_keys(tiles_over((0,) * scene.dimension, domain.cells).keys, box)
    tiles = state.envelope.tiles
    z, y, x = np.indices(tiles.shape)
    where = (tiles.origins[:, None, None, None] + np.stack([x, y, z], axis=-1)).astype(np.float64)
    state.velocity = FaceField(tiles, np.zeros((scene.dimension, tiles.count + 1, *tiles.shape), np.float32))
    state.scalars = np.zeros((len(solver.names), tiles.count + 1, *tiles.shape), np.float32)
    inside = np.ones(where.shape[:-1], bool)
    for axis in range(scene.dimension):
        inside &= (where[..., axis] >= 0) & (where[..., axis] < domain.cells[axis])
    inside[0] = False
    for axis, part in enumerate(velocity):
        offset = np.full(3, 0.5)
        offset[axis] = 0.0
        places = np.moveaxis((where + offset) * solver.h, -1, 0)[: scene.dimension]
        state.velocity.pool[axis] = np.where(inside & (where[..., axis] > 0), part(*places), 0.0)
    centres = np.moveaxis((where + 0.5) * solver.h, -1, 0)[: scene.dimension]
    for name, function in fields.items():
        state.scalars[list(solver.names).index(name)] = np.where(inside, function(*centres), 0.0)
    solver.begin(state)
    return solver


def dense(solver: SmokeSolver, pool: NDArray[Any]) -> NDArray[Any]:
    """A pool of a solver in its box, [x, y[, z]]."""
    cells = solver.solids.geometry.box.cells
    return to_dense(pool, solver.state.envelope.tiles, (0,) * len(cells), cells)
