"""Checkpoints: everything a simulation needs to go on as if it had never stopped, to the last bit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.errors import DamagedError
from plash.files.arrays import read_arrays, write_arrays
from plash.files.atomic import Written
from plash.grid.cells import Cells
from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.solvers.ledger import Ledger
from plash.solvers.liquid import LiquidSolver
from plash.solvers.state import State

_PARTICLES = ("cell", "offset", "velocity", "volume", "affine", "flying")


@dataclass(frozen=True, order=True)
class Place:
    """Where in the run a checkpoint was written: the last whole frame, and the advances made since the start."""

    frame: int
    advances: int


def write_checkpoint(path: Path, solver: LiquidSolver, place: Place) -> Written:
    """Write the state of a solver."""
    s = solver.state
    arrays: dict[str, NDArray[Any]] = {name: getattr(s.particles, name) for name in _PARTICLES}
    if s.particles.tiles is not None:
        arrays |= {"tiles": s.particles.tiles.keys, "starts": s.particles.starts}
    if s.velocity is not None:
        arrays |= {"face_tiles": s.velocity.tiles.keys, "face_velocity": s.velocity.pool}
    if s.cells is not None:
        arrays |= {"cell_tiles": s.cells.tiles.keys, "label": s.cells.label, "faces": s.cells.faces, "wet": s.cells.wet}
        if s.cells.phi is not None:
            arrays["phi"] = s.cells.phi.pool
    about = {
        "place": asdict(place),
        "time": s.time,
        "unspent": s.unspent,
        "steps": s.steps,
        "rest_fill": s.rest_fill,
        "began": s.began,
        "length": s.length,
        "ledger": asdict(solver.ledger),
    }
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    return write_arrays(path, arrays)


def read_checkpoint(path: Path, solver: LiquidSolver, expected: Written | None, remedy: str) -> Place:
    """Bring a solver of the same scene to the state of a checkpoint."""
    arrays = read_arrays(path, expected, remedy)
    try:
        about = json.loads(arrays.pop("about").tobytes())
        solver.state = state = _state(arrays, about)
        if state.cells is not None:
            space = solver.solids.at(state.cells.tiles, state.began, state.length).space
            state.cells = replace(state.cells, space=space)
        solver.ledger = Ledger(**about["ledger"])
        return Place(**about["place"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{path}: is no checkpoint that this plash can read: {error}. {remedy}") from None


def _state(arrays: dict[str, NDArray[Any]], about: dict[str, Any]) -> State:
    cell, offset, velocity, volume, affine, flying = (arrays[name] for name in _PARTICLES)
    particles = Particles(cell, offset, velocity, volume, affine, flying=flying)
    known: dict[bytes, Tiles] = {}

    def tiles(name: str) -> Tiles:
        # The same set of tiles is the same object again, as it was in the run that wrote it
        keys = arrays[name]
        return known.setdefault(keys.tobytes(), Tiles.of_keys(keys, particles.dimension))

    if "tiles" in arrays:
        particles.tiles, particles.starts = tiles("tiles"), arrays["starts"]
    names = ("time", "unspent", "steps", "rest_fill", "began", "length")
    state = State(particles, **{name: about[name] for name in names})
    if "face_velocity" in arrays:
        state.velocity = FaceField(tiles("face_tiles"), arrays["face_velocity"])
    if "label" in arrays:
        where = tiles("cell_tiles")
        phi = CellField(where, arrays["phi"]) if "phi" in arrays else None
        state.cells = Cells(where, arrays["label"], arrays["faces"], arrays["wet"], phi)
    return state
