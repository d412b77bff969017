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
from plash.solvers.grids import BoxState
from plash.solvers.ledger import Ledger
from plash.solvers.liquid import LiquidSolver
from plash.solvers.solver import Solver
from plash.solvers.stable_fluids import StableFluidsSolver
from plash.solvers.state import State

_NUMBERS = ("time", "unspent", "steps", "rest_fill", "began", "length")
_FIELDS = ("faces", "density", "pressure")
_PARTICLES = ("cell", "offset", "velocity", "volume", "affine", "flying")


@dataclass(frozen=True, order=True)
class Place:
    """Where in the run a checkpoint was written: the last whole frame, and the advances made since the start."""

    frame: int
    advances: int


def write_checkpoint(path: Path, solver: Solver, place: Place) -> Written:
    """Write the state of a solver."""
    if isinstance(solver, StableFluidsSolver):
        arrays, about = _box_arrays(solver.state)
    else:
        assert isinstance(solver, LiquidSolver)
        arrays, about = _arrays(solver.state)
    about |= {"place": asdict(place), "ledger": asdict(solver.ledger)}
    return write_arrays(path, {**arrays, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)})


def _arrays(s: State) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The state of a liquid: arrays, and numbers about them."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(s.particles, name) for name in _PARTICLES}
    if s.particles.tiles is not None:
        arrays |= {"tiles": s.particles.tiles.keys, "starts": s.particles.starts}
    if s.velocity is not None:
        arrays |= {"face_tiles": s.velocity.tiles.keys, "face_velocity": s.velocity.pool}
    if s.cells is not None:
        arrays |= {"cell_tiles": s.cells.tiles.keys, "label": s.cells.label, "faces": s.cells.faces, "wet": s.cells.wet}
        if s.cells.phi is not None:
            arrays["phi"] = s.cells.phi.pool
    return arrays, {name: getattr(s, name) for name in _NUMBERS}


def _box_arrays(s: BoxState) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The state of stable fluids: arrays, and numbers about them."""
    arrays = {name: getattr(s, name) for name in _FIELDS}
    arrays |= {f"scalar.{name}": values for name, values in s.scalars.items()}
    return arrays, {"time": s.time, "steps": s.steps, "last_step": s.last_step}


def read_checkpoint(path: Path, solver: Solver, expected: Written | None, remedy: str) -> Place:
    """Bring a solver of the same scene to the state of a checkpoint."""
    arrays = read_arrays(path, expected, remedy)
    try:
        about = json.loads(arrays.pop("about").tobytes())
        if isinstance(solver, StableFluidsSolver):
            solver.state = _box_state(arrays, about)
        else:
            assert isinstance(solver, LiquidSolver)
            solver.state = state = _state(arrays, about)
            if state.cells is not None:
                space = solver.solids.at(state.cells.tiles, state.began, state.length).space
                state.cells = replace(state.cells, space=space)
        solver.ledger = Ledger(**about["ledger"])
        return Place(**about["place"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{path}: is no checkpoint that this plash can read: {error}. {remedy}") from None


def _box_state(arrays: dict[str, NDArray[Any]], about: dict[str, Any]) -> BoxState:
    scalars = {name.removeprefix("scalar."): values for name, values in arrays.items() if name.startswith("scalar.")}
    faces, density, pressure = (arrays[name] for name in _FIELDS)
    return BoxState(faces, density, pressure, scalars, about["time"], about["steps"], about["last_step"])


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
    state = State(particles, **{name: about[name] for name in _NUMBERS})
    if "face_velocity" in arrays:
        state.velocity = FaceField(tiles("face_tiles"), arrays["face_velocity"])
    if "label" in arrays:
        where = tiles("cell_tiles")
        phi = CellField(where, arrays["phi"]) if "phi" in arrays else None
        state.cells = Cells(where, arrays["label"], arrays["faces"], arrays["wet"], phi)
    return state
