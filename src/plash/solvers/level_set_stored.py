"""A level set as arrays, and back: to the last bit, and nothing that a kernel could trip over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import FURTHEST, Tiles
from plash.physics.level_set.band import BAND
from plash.physics.level_set.bodies import Bodies
from plash.physics.level_set.level_set import LevelSet
from plash.physics.level_set.signed_particles import LARGEST, SMALLEST, SignedParticles
from plash.solvers.limits import are_tiles
from plash.solvers.stored import ArraysByName, StoredArrays

HOTTEST = 1e9  # K, either way


def stored_level_set(level_set: LevelSet, inlet_cells: NDArray[np.int64]) -> ArraysByName:
    """A level set for a checkpoint."""
    particles = level_set.particles
    return {
        "level_set_tiles": level_set.phi.tiles.keys,
        "level_set_phi": level_set.phi.pool,
        "level_set_steps": np.array(level_set.steps),
        "signed_place": particles.place,
        "signed_sign": particles.sign,
        "signed_radius": particles.radius,
        "inlet_cells": inlet_cells,
    }


def level_set_from(arrays: StoredArrays, like: LevelSet, h: float) -> tuple[LevelSet, NDArray[np.int64]]:
    """A level set that was stored, with the settings of another; and the inlet cells.

    Raises:
        DamagedError: It is none that a solver can have.
    """
    d = like.phi.tiles.dimension
    phi = phi_from(arrays, "level_set_tiles", "level_set_phi", d, h)
    furthest = FURTHEST * phi.tiles.shape[2]
    n = len(arrays.take("signed_sign", np.int8, (None,), -1, 1))
    particles = SignedParticles(
        arrays.take("signed_place", np.float64, (n, d), -furthest, furthest),
        arrays.take("signed_sign", np.int8, (n,), -1, 1),
        arrays.take("signed_radius", np.float32, (n,), np.float32(SMALLEST), np.float32(LARGEST)),
    )
    steps = int(arrays.take("level_set_steps", np.int64, (), 0, 2**62))
    inlet_cells = arrays.take("inlet_cells", np.int64, (None, d), -furthest, furthest)
    return replace(like, phi=phi, particles=particles, steps=steps), inlet_cells


def phi_from(arrays: StoredArrays, tiles: str, pool: str, dimension: int, h: float) -> CellField:
    """A signed distance on tiles that were stored."""
    return _field_from(arrays, tiles, pool, dimension, 2 * BAND * h)


def owed_from(arrays: StoredArrays, dimension: int) -> CellField | None:
    """What cells were left short of when it was stored; None if that was not known."""
    return _field_from(arrays, "owed_tiles", "owed", dimension, 1.0) if "owed" in arrays else None


def stored_warmth(temperature: CellField) -> ArraysByName:
    """A temperature in cells for a checkpoint."""
    return {"warm_tiles": temperature.tiles.keys, "warm_cells": temperature.pool}


def warmth_from(arrays: StoredArrays, dimension: int) -> CellField:
    """A temperature in cells that was stored."""
    tiles = _tiles_from(arrays, "warm_tiles", dimension)
    shape = (tiles.count + 1, *tiles.shape)
    return CellField(tiles, arrays.take("warm_cells", np.float64, shape, -HOTTEST, HOTTEST))


def stored_bodies(bodies: Bodies) -> ArraysByName:
    """Bodies of liquid for a checkpoint."""
    number = bodies.number
    return {"body_tiles": number.tiles.keys, "body_number": number.pool, "body_wanted": bodies.wanted}


def bodies_from(arrays: StoredArrays, dimension: int) -> Bodies | None:
    """Bodies of liquid that were stored; None if there were none."""
    if "body_wanted" not in arrays:
        return None
    tiles = _tiles_from(arrays, "body_tiles", dimension)
    wanted = arrays.take("body_wanted", np.float64, (None,))
    if len(wanted) == 0:
        raise arrays.damaged("'body_wanted' has no entry")
    shape = (tiles.count + 1, *tiles.shape)
    return Bodies(CellField(tiles, arrays.take("body_number", np.int32, shape, 0, len(wanted) - 1)), wanted)


def _field_from(arrays: StoredArrays, tiles: str, pool: str, dimension: int, most: float) -> CellField:
    where = _tiles_from(arrays, tiles, dimension)
    return CellField(where, arrays.take(pool, np.float32, (where.count + 1, *where.shape), -most, most))


def _tiles_from(arrays: StoredArrays, tiles: str, dimension: int) -> Tiles:
    keys = arrays.take(tiles, np.int64, (None,))
    if not are_tiles(keys, dimension):
        raise arrays.damaged(f"{tiles!r} is no table of tiles")
    return Tiles.of_keys(keys, dimension)
