"""What a step shows after each of its stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Velocity = TypeVar("Velocity")


@dataclass(frozen=True, eq=False)
class StepStage(Generic[Velocity]):
    """A stage of a time step that is done.

    Attributes:
        name: What was done, in a word.
        velocity: On faces, m/s, as it is then; None if the step has none yet.
    """

    name: str
    velocity: Velocity | None = None
