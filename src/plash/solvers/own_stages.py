"""The stages of a user between those of a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar, cast

from plash.errors import Problem, SceneError
from plash.scene.functions import called
from plash.scene.language.words import nearest
from plash.scene.model import Scene
from plash.solvers.step_stage import StepStage

Solver = TypeVar("Solver")
Function = Callable[..., object]


class _Staged(Protocol):
    stages: Callable[..., Iterator[StepStage[Any]]]


def with_own_stages(solver: Solver, scene: Scene) -> Solver:
    """The solver with the scene's own stages in its steps."""
    for index, stage in enumerate(scene.stage):
        add_stage(solver, stage.after, stage.function, key=f"stage[{index}].function")
    return solver


def add_stage(solver: Any, after: str, function: Function, *, key: str = "stage") -> None:
    """Have a function called in every step of a solver, right after one of the step's stages.

    Args:
        solver: From `plash.build`.
        after: The stage it follows, such as "forces"; `solver.stages(dt)` shows their names.
        function: From the solver and the length of the step (s); what it returns is not used. It may change the
            solver's state: `solver.state.velocity`, `solver.state.particles`.
        key: What messages call it.

    Raises:
        SceneError: From the end of the first step: its stages have other names.

    Example:
        >>> import plash
        >>> solver, seen = plash.build(plash.load_scene("dam_break_2d", resolution=16)), []
        >>> plash.add_stage(solver, "project", lambda solver, dt: seen.append(solver.state.pressure is not None))
        >>> _ = solver.advance(0.01)
        >>> seen
        [True]
    """
    staged = cast(_Staged, solver)
    inner = staged.stages

    def stages(dt: float, *more: Any, **named: Any) -> Iterator[StepStage[Any]]:
        names = []
        for stage in inner(dt, *more, **named):
            names.append(stage.name)
            if stage.name == after:
                called(function, key, solver, dt)
            yield stage
        if after not in names:
            sentence = f"{after!r} is no stage of a step here: its stages are {', '.join(names)}."
            raise SceneError([Problem(key, f"{sentence}{nearest(after, names)}")])

    staged.stages = stages
