"""Scenes of smoke, and solvers whose air is as a test says."""

from typing import Any

import numpy as np

import plash
from plash.grid.dense import tiles_over, to_dense
from plash.grid.fields import FaceField
from plash.physics.smoke.envelope import Envelope
from plash.solvers.build.smoke import build_smoke


def smoke_scene(size=(1.6, 1.2), h=0.05, sides="closed", gravity=None, **parts):
    """A scene of smoke with cells of a size; `solver` has more of its keys."""
    domain: Any = {"size": size, "cell_size": h, "sides": sides}
    if gravity is not None:
        domain["gravity"] = gravity
    solver: Any = {"kind": "smoke", **parts.pop("solver", {})}
    return plash.Scene(domain=domain, solver=solver, **parts)


def puff(center, radius, **keys):
    """A round fill."""
    return {"shape": {"kind": "sphere", "center": center, "radius": radius}, **keys}


def filled(scene, velocity=None, **fields):
    """A solver in whose whole box air is followed: velocity and fields are functions of x, y[, z] in metres.

    The velocity is a function for each axis.
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
    for axis, part in enumerate(velocity or ()):
        offset = np.full(3, 0.5)
        offset[axis] = 0.0
        places = np.moveaxis((where + offset) * solver.h, -1, 0)[: scene.dimension]
        state.velocity.pool[axis] = np.where(inside & (where[..., axis] > 0), part(*places), 0.0)
    centres = np.moveaxis((where + 0.5) * solver.h, -1, 0)[: scene.dimension]
    for name, function in fields.items():
        state.scalars[list(solver.names).index(name)] = np.where(inside, function(*centres), 0.0)
    solver.begin(state)
    return solver


def dense(solver, pool):
    """A pool of a solver in its box, [x, y[, z]]."""
    cells = solver.solids.geometry.box.cells
    return to_dense(pool, solver.state.envelope.tiles, (0,) * len(cells), cells)


def centre_of(volume, first, cells):
    """Centre of mass, m."""
    density = to_dense(volume.density, volume.tiles, first, cells).astype(np.float64)
    places = np.indices(cells) + np.reshape(first, (-1, *(1,) * len(cells))) + 0.5
    return (places * density).reshape(len(cells), -1).sum(axis=1) * (volume.h / density.sum())
