"""A user's own code between the stages of a time step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from pydantic import Field

from plash.scene.functions import Function
from plash.scene.language.base import SceneModel, Text
from plash.scene.language.words import Finding, nearest, shown
from plash.scene.solver import Solver

if TYPE_CHECKING:
    from plash.scene.keys import OwnStageKeys


class OwnStage(SceneModel):
    """A stage of your own: a function that is called in every time step, right after one of the step's stages.

    It may change what it finds: the velocity on faces, the particles. The ledger knows nothing of that. A step that
    diverges is taken again, with the function, and a run that goes on begins in the middle: so what the function does
    must depend on the solver's state alone, not on how often it was called.
    """

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[OwnStageKeys]) -> None: ...

    after: Text = Field(
        description="The stage it follows: grid, advect, forces, project, extrapolate or move of a liquid; grid, "
        "advect, forces or project of smoke; force, advect, diffuse, project or scalars of stable fluids.",
    )
    function: Function = Field(
        description="From the solver and the length of the step in s; what it returns is not used."
    )


def faults_of_stages(stages: tuple[OwnStage, ...], solver: Solver | None) -> list[Finding]:
    """Stages of steps that a solver does not have."""
    known = solver.step_stages if solver is not None else ()
    sentence = "is no stage of a step here: its stages are"
    return [
        ((index, "after"), f"{shown(stage.after)} {sentence} {', '.join(known)}.{nearest(stage.after, known)}")
        for index, stage in enumerate(stages)
        if known and stage.after not in known
    ]
