"""What the user's own function finds out about each frame: measure/measure.0001.npz."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from plash.errors import Problem, SceneError
from plash.files.arrays import read_arrays
from plash.pipeline.stages.exported import same_frame
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, FileStage, Inputs, every_frame
from plash.scene.functions import called
from plash.scene.model import Scene
from plash.solvers.ledger import Ledger

_KEY = "output.measure"


def _wanted(scene: Scene) -> Sequence[int]:
    return every_frame(scene) if scene.output.measure is not None else ()


def _make(inputs: Inputs) -> bytes:
    from plash.solvers.frame import Frame

    ledger = TypeAdapter(Ledger).validate_python(inputs.history().simulated[inputs.number].ledger or {})
    frame = Frame(inputs.number, inputs.time, inputs.read(SIMULATION), ledger, ())
    found = called(inputs.scene.output.measure or dict, _KEY, frame)
    file = io.BytesIO()
    np.savez(file, **_checked(found, inputs.number))
    return file.getvalue()


def _checked(found: object, frame: int) -> dict[str, Any]:
    """Arrays of numbers by name.

    Raises:
        SceneError: It is something else.
    """
    if not isinstance(found, Mapping) or not all(isinstance(name, str) and name.isidentifier() for name in found):
        problem = f"gave {type(found).__name__} for frame {frame}, not a dictionary with names for keys"
        raise SceneError([Problem(_KEY, problem)])
    arrays = {name: np.asarray(value) for name, value in found.items()}
    for name, values in arrays.items():
        if values.dtype.kind not in "biuf":
            problem = f"gave {name} = {values.dtype} for frame {frame}, not a number or an array of numbers"
            raise SceneError([Problem(_KEY, problem)])
    return arrays


def _read(file: File, scene: Scene, number: int) -> dict[str, NDArray[Any]]:
    return dict(read_arrays(file.path, file.written, file.remedy).by_name)


MEASURE = FileStage(
    name="measure",
    title="measuring",
    edition=1,
    folders=("measure",),
    wanted=_wanted,
    after=(SIMULATION,),
    file=lambda paths, frame: paths.folder.root / "measure" / f"measure.{frame:04d}.npz",
    inputs=same_frame(SIMULATION),
    settings=lambda scene, frame: [scene.output.model_dump()["measure"]],
    make=_make,
    read=_read,
)
