"""The state of a liquid as arrays and numbers, and back: to the last bit, and nothing that a kernel could trip over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from plash.carried import CARRIED, Bounds
from plash.grid.cells import AIR, SOLID, Cells
from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.physics.elasticity.samples import entry_count
from plash.physics.elasticity.strain_field import StrainField
from plash.solvers.limits import are_tiles
from plash.solvers.poses import pose_arrays
from plash.solvers.state import State
from plash.solvers.stored import ArraysByName, Seconds, StateNumbers, StoredArrays

_NUMBERS = ("time", "velocity_time", "kick", "unspent", "steps", "target_fill", "began", "length")


@dataclass
class LiquidNumbers(StateNumbers):
    """The numbers of a liquid's state."""

    velocity_time: Seconds
    kick: Seconds
    unspent: Seconds
    target_fill: Annotated[float, Field(gt=0, lt=100)]
    began: Seconds
    length: Seconds


def stored_liquid(s: State) -> tuple[ArraysByName, dict[str, Any]]:
    """The state of a liquid: arrays, and numbers about them."""
    every: ArraysByName = {name: getattr(s.particles, name) for name in CARRIED}
    arrays = {name: values for name, values in every.items() if CARRIED[name].is_wanted(values)}
    if s.particles.tiles is not None:
        arrays |= {"tiles": s.particles.tiles.keys, "starts": s.particles.starts}
    if s.velocity is not None:
        arrays |= {"face_tiles": s.velocity.tiles.keys, "face_velocity": s.velocity.pool}
    if s.strain is not None:
        arrays |= {"strain_tiles": s.strain.tiles.keys, "grid_strain": s.strain.pool}
    if s.cells is not None:
        arrays |= {"cell_tiles": s.cells.tiles.keys, "label": s.cells.label, "faces": s.cells.faces, "wet": s.cells.wet}
        if s.pressure is not None:
            arrays["pressure"] = s.pressure.pool.astype(np.float32)  # no step reads it, only the frame
        if s.cells.phi is not None:
            arrays["phi"] = s.cells.phi.pool
    arrays |= pose_arrays(s.poses)
    return arrays, {name: getattr(s, name) for name in _NUMBERS}


def liquid_from(arrays: StoredArrays, numbers: LiquidNumbers, bounds: Bounds, rows: Mapping[str, int]) -> State:
    """The state of a liquid that was stored.

    Args:
        arrays: As `stored_liquid` gave them.
        numbers: As `stored_liquid` gave them.
        bounds: What no particle of the scene is beyond.
        rows: How many rows the transfer and the scene ask for, by the name of the array.

    Raises:
        DamagedError: They are no state that a solver can be in.
    """
    particles = _particles(arrays, bounds, rows)
    d, most, known = particles.dimension, bounds.fastest, dict[bytes, Tiles]()

    def tiles(name: str) -> Tiles:
        # The same set of tiles is the same object again, as it was in the run that wrote it
        keys = arrays.take(name, np.int64, (None,))
        if not are_tiles(keys, d):
            raise arrays.damaged(f"{name!r} is no table of tiles")
        return known.setdefault(keys.tobytes(), Tiles.of_keys(keys, d))

    if "tiles" in arrays:
        particles.tiles = tiles("tiles")
        particles.starts = _starts(arrays, particles.tiles, particles.count)
    state = State(particles, **{name: getattr(numbers, name) for name in _NUMBERS})
    if "face_velocity" in arrays:
        where = tiles("face_tiles")
        pool = (where.count + 1, *where.shape)
        velocity = arrays.take("face_velocity", np.float32, (d, *pool), -most, most, unknown=np.isnan)
        state.velocity = FaceField(where, velocity)
    elif numbers.unspent > 0:
        raise arrays.damaged("it has no velocity for the rest of its step")
    if "grid_strain" in arrays:
        where = tiles("strain_tiles")
        shape = (entry_count(d), where.count + 1, *where.shape)
        state.strain = StrainField(where, arrays.take("grid_strain", np.float32, shape, unknown=np.isnan))
    if "label" in arrays:
        where = tiles("cell_tiles")
        state.cells = _cells(arrays, where)
        if "pressure" in arrays:
            pool = (where.count + 1, *where.shape)
            state.pressure = CellField(where, arrays.take("pressure", np.float32, pool))
    return state


def _particles(arrays: StoredArrays, bounds: Bounds, rows: Mapping[str, int]) -> Particles:
    d = len(bounds.low)
    n = len(arrays.take("volume", np.float32, (None,)))
    particles = Particles(d, n)
    particles.give_rows(rows)
    for name, quantity in CARRIED.items():
        if not quantity.is_wanted(getattr(particles, name)) or (quantity.is_new and name not in arrays):
            continue
        shape = (*quantity.shape(d, rows.get(name, 0)), n)
        setattr(particles, name, arrays.take(name, quantity.dtype, shape, *quantity.limits(bounds)))
    return particles


def _starts(arrays: StoredArrays, tiles: Tiles, count: int) -> NDArray[np.int64]:
    """Where the particles of each tile begin: nobody is in slot 0, and everybody is in some tile."""
    starts = arrays.take("starts", np.int64, (tiles.count + 2,), 0, count)
    if starts[1] != 0 or starts[-1] != count or (np.diff(starts) < 0).any():
        raise arrays.damaged("'starts' does not divide the particles among the tiles")
    return starts


def _cells(arrays: StoredArrays, where: Tiles) -> Cells:
    pool = (where.count + 1, *where.shape)
    return Cells(
        where,
        arrays.take("label", np.int8, pool, AIR, SOLID),
        arrays.take("faces", np.uint8, (where.dimension, *pool), 0, 63),
        arrays.take("wet", np.bool_, (where.count + 1,)),
        CellField(where, arrays.take("phi", np.float32, pool, unknown=np.isnan)) if "phi" in arrays else None,
    )
