"""Checkpoints: everything a simulation needs to go on as if it had never stopped, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, make_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError

from plash.files.arrays import Arrays, read_arrays, write_arrays
from plash.files.atomic import Written
from plash.files.manifest import Steps, first_problem
from plash.scene.model import Scene
from plash.solvers.ledger import Ledger
from plash.solvers.solver import SceneSolver
from plash.solvers.stored import StateNumbers


@dataclass(frozen=True, order=True)
class Place:
    """Where in the run a checkpoint was written: the last whole frame, and the advances made since the start."""

    frame: Annotated[int, Field(ge=1, lt=1 << 31)]
    advances: Steps


def write_checkpoint(
    path: Path, solver: SceneSolver, place: Place, more: Mapping[str, NDArray[Any]] = MappingProxyType({})
) -> Written:
    """Write the state of a solver, and more arrays beside it."""
    arrays, numbers = solver.stored()
    about = numbers | {"place": asdict(place), "ledger": asdict(solver.ledger)}
    return write_arrays(path, {**arrays, **more, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)})


def read_checkpoint(path: Path, solver: SceneSolver, scene: Scene, expected: Written | None, remedy: str) -> Place:
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
    about = _about(arrays, solver.numbers)
    ledger: Ledger = about.ledger
    if ledger.leaks.keys() != solver.ledger.leaks.keys():
        raise arrays.damaged("its ledger speaks of other solids than the scene has")
    solver.restore(arrays, about, scene)
    solver.ledger = ledger
    place: Place = about.place
    return place


def _about(arrays: Arrays, numbers: type[StateNumbers]) -> Any:
    """The numbers of the state, with the place and the ledger beside them."""
    both = make_dataclass("About", [("place", Place), ("ledger", Ledger)], bases=(numbers,))
    text = arrays.take("about", np.uint8, (None,)).tobytes()
    try:
        return TypeAdapter(both).validate_json(text)
    except ValidationError as error:
        raise arrays.damaged(first_problem(error)) from None
