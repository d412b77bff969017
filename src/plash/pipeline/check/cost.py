"""What a run will cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import ClassVar

from plash.scene.model import Scene
from plash.scene.solver import Solver


@dataclass(frozen=True)
class Estimate:
    """What a run will cost.

    Attributes:
        cells: Cells of the domain.
        liquid_cells: Cells full of liquid at the start.
        particles: At the start.
        memory: Bytes, at the most.
        disk: Bytes at the end of the run.
        steps: Time steps; 0 if no coarse steps were taken.
        fastest: Speed that the liquid reaches, m/s.
        seconds: Of each stage; empty if no coarse steps were taken.
        unseen: Frames at the end that no coarse run had the time to see; they are taken to be like those before.
    """

    fluid: ClassVar[str] = "liquid"  # what `liquid_cells` are full of

    cells: int
    liquid_cells: int
    particles: int
    memory: float
    disk: float
    steps: int
    fastest: float
    seconds: dict[str, float]
    unseen: int = 0


@singledispatch
def estimated(settings: Solver, scene: Scene, with_steps: bool) -> Estimate:
    """What a run of a scene with such a solver will cost; without steps, no times. Each kind registers its own."""
    raise NotImplementedError(f"a solver of kind {settings.kind!r} has no estimate")
