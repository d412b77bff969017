"""Checkpoints: everything a simulation needs to go on as if it had never stopped, to the last bit."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError

from plash.files.arrays import Arrays, read_arrays, write_arrays
from plash.files.atomic import Written
from plash.files.limits import BELOW_ONE, LARGEST_PARTICLE, are_tiles, cells_of, fastest
from plash.files.manifest import AS_WRITTEN, Count, Seconds, Steps, first_problem
from plash.grid.cells import AIR, SOLID, Cells
from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles
from plash.particles.particles import Particles
from plash.scene.model import Scene
from plash.solvers.box_state import BoxState
from plash.solvers.ledger import Ledger
from plash.solvers.liquid import LiquidSolver
from plash.solvers.poses import pose_arrays, poses_from
from plash.solvers.solver import Solver
from plash.solvers.stable_fluids import StableFluidsSolver
from plash.solvers.state import State

_NUMBERS = ("time", "unspent", "steps", "target_fill", "began", "length")
_FIELDS = ("faces", "density", "pressure")
_SCALAR = "scalar."
_HUGE = 1e18  # of any field
_PARTICLES = ("cell", "offset", "velocity", "volume", "affine", "ballistic")


@dataclass(frozen=True, order=True)
class Place:
    """Where in the run a checkpoint was written: the last whole frame, and the advances made since the start."""

    frame: Annotated[int, Field(ge=1, lt=1 << 31)]
    advances: Steps


@dataclass
class _Numbers:
    """What stands beside the arrays of every checkpoint."""

    __pydantic_config__ = AS_WRITTEN
    time: Seconds
    steps: Count
    place: Place
    ledger: Ledger


@dataclass
class _LiquidNumbers(_Numbers):
    unspent: Seconds
    target_fill: Annotated[float, Field(gt=0, lt=100)]
    began: Seconds
    length: Seconds


@dataclass
class _BoxNumbers(_Numbers):
    last_step: Seconds


_LIQUID, _BOX = TypeAdapter(_LiquidNumbers), TypeAdapter(_BoxNumbers)


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
    arrays |= pose_arrays(s.poses)
    return arrays, {name: getattr(s, name) for name in _NUMBERS}


def _box_arrays(s: BoxState) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The state of stable fluids: arrays, and numbers about them."""
    arrays = {name: getattr(s, name) for name in _FIELDS}
    arrays |= {_SCALAR + name: values for name, values in s.scalars.items()}
    return arrays, {"time": s.time, "steps": s.steps, "last_step": s.last_step}


def read_checkpoint(path: Path, solver: Solver, scene: Scene, expected: Written | None, remedy: str) -> Place:
    """Bring a solver to the state of a checkpoint; returns where in the run that is.

    Args:
        path: The file.
        solver: As it was built from the scene; left as it is if the checkpoint is not sound.
        scene: What is simulated.
        expected: What the file held when it was written; None if that is not known.
        remedy: What to do if it is damaged.

    Raises:
        DamagedError: It is missing, changed, or no state that a solver of this scene can be in.
    """
    arrays = read_arrays(path, expected, remedy)
    about = _about(arrays, _BOX if isinstance(solver, StableFluidsSolver) else _LIQUID)
    if about.ledger.leaks.keys() != solver.ledger.leaks.keys():
        raise arrays.damaged("its ledger speaks of other solids than the scene has")
    if isinstance(solver, StableFluidsSolver):
        assert isinstance(about, _BoxNumbers)
        solver.state = _box_state(arrays, about, solver.state, fastest(scene))
    else:
        assert isinstance(solver, LiquidSolver)
        assert isinstance(about, _LiquidNumbers)
        state = _state(arrays, about, scene, solver.transfer.affine_rows)
        if state.cells is not None:
            state.poses = poses_from(arrays, solver.solids.poses(state.began))
            cut_cells = solver.solids.at(state.cells.tiles, state.poses, state.began, state.length).cut_cells
            state.cells = replace(state.cells, cut_cells=cut_cells)
        solver.state = state
    solver.ledger = about.ledger
    return about.place


def _about(arrays: Arrays, numbers: TypeAdapter[Any]) -> _Numbers:
    text = arrays.take("about", np.uint8, (None,)).tobytes()
    try:
        about: _Numbers = numbers.validate_json(text)
    except ValidationError as error:
        raise arrays.damaged(first_problem(error)) from None
    return about


def _box_state(arrays: Arrays, about: _BoxNumbers, built: BoxState, most: float) -> BoxState:
    box = built.density.shape
    faces = arrays.take("faces", np.float64, (len(box), *box), -most, most)
    density, pressure = (arrays.take(name, np.float64, box, -_HUGE, _HUGE) for name in ("density", "pressure"))
    names = {name.removeprefix(_SCALAR) for name in arrays if name.startswith(_SCALAR)}
    if names != set(built.scalars):
        raise arrays.damaged(f"it carries {sorted(names)} along, not {sorted(built.scalars)}")
    scalars = {name: arrays.take(_SCALAR + name, np.float64, box, -_HUGE, _HUGE) for name in built.scalars}
    return BoxState(faces, density, pressure, scalars, about.time, about.steps, about.last_step)


def _state(arrays: Arrays, about: _LiquidNumbers, scene: Scene, affine_rows: int) -> State:
    particles = _particles(arrays, scene, affine_rows)
    d, most, known = particles.dimension, fastest(scene), dict[bytes, Tiles]()

    def tiles(name: str) -> Tiles:
        # The same set of tiles is the same object again, as it was in the run that wrote it
        keys = arrays.take(name, np.int64, (None,))
        if not are_tiles(keys, d):
            raise arrays.damaged(f"{name!r} is no table of tiles")
        return known.setdefault(keys.tobytes(), Tiles.of_keys(keys, d))

    if "tiles" in arrays:
        particles.tiles = tiles("tiles")
        particles.starts = _starts(arrays, particles)
    state = State(particles, **{name: getattr(about, name) for name in _NUMBERS})
    if "face_velocity" in arrays:
        where = tiles("face_tiles")
        pool = (where.count + 1, *where.shape)
        velocity = arrays.take("face_velocity", np.float32, (d, *pool), -most, most, unknown=np.isnan)
        state.velocity = FaceField(where, velocity)
    elif about.unspent > 0:
        raise arrays.damaged("it has no velocity for the rest of its step")
    if "label" in arrays:
        state.cells = _cells(arrays, tiles("cell_tiles"))
    return state


def _particles(arrays: Arrays, scene: Scene, affine_rows: int) -> Particles:
    n = len(arrays.take("volume", np.float32, (None,)))
    d, most = scene.dimension, fastest(scene)
    low, high = (limit[:, None] for limit in cells_of(scene.domain))
    return Particles(
        cell=arrays.take("cell", np.int32, (d, n), low, high),
        offset=arrays.take("offset", np.float32, (d, n), 0, BELOW_ONE),
        velocity=arrays.take("velocity", np.float32, (d, n), -most, most),
        volume=arrays.take("volume", np.float32, (n,), 0, LARGEST_PARTICLE),
        affine=arrays.take("affine", np.float32, (affine_rows, n), -most, most),
        ballistic=arrays.take("ballistic", np.bool_, (n,)),
    )


def _starts(arrays: Arrays, particles: Particles) -> NDArray[np.int64]:
    """Where the particles of each tile begin: nobody is in slot 0, and everybody is in some tile."""
    assert particles.tiles is not None
    starts = arrays.take("starts", np.int64, (particles.tiles.count + 2,), 0, particles.count)
    if starts[1] != 0 or starts[-1] != particles.count or (np.diff(starts) < 0).any():
        raise arrays.damaged("'starts' does not divide the particles among the tiles")
    return starts


def _cells(arrays: Arrays, where: Tiles) -> Cells:
    pool = (where.count + 1, *where.shape)
    return Cells(
        where,
        arrays.take("label", np.int8, pool, AIR, SOLID),
        arrays.take("faces", np.uint8, (where.dimension, *pool), 0, 63),
        arrays.take("wet", np.bool_, (where.count + 1,)),
        CellField(where, arrays.take("phi", np.float32, pool, unknown=np.isnan)) if "phi" in arrays else None,
    )
