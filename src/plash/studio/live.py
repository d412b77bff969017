"""Simulations one can look into and meddle with while they run: what the studio sees of a solver.

The session knows `Live` only. A change of the scene is taken up by building the solver of the new scene and giving it
the state of the old one, so that every parameter that a scene has can be changed while it runs.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from plash.carried import Carried
from plash.errors import Problem, SceneError
from plash.physics.solids.distance import Bodies
from plash.scene.bodies import Solid
from plash.scene.language.words import shown
from plash.scene.model import Scene
from plash.scene.solver import Solver
from plash.studio.fields import distance_bytes
from plash.studio.scales import Scale

Arrays = dict[str, NDArray[Any]]

_CELL_KEYS = ("size", "resolution", "cell_size", "sides")  # a change of these means other cells


class Live(Protocol):
    """A simulation under way.

    Attributes:
        scene: What it is made from.
    """

    scene: Scene

    @property
    def method(self) -> str:
        """How it is computed, as the page explains it."""

    @property
    def views(self) -> tuple[str, ...]:
        """What it can show."""

    @property
    def quantities(self) -> dict[str, Carried]:
        """Those views that colour particles by what they carry, and what that is."""

    @property
    def beside(self) -> Live | None:
        """Another simulation that is shown beside this one, and keeps its time."""

    @property
    def time(self) -> float:
        """Simulated time, s."""

    def advance(self, frame_time: float) -> None:
        """Take one step towards a time; a step that is under way stage by stage is finished instead."""

    def next_stage(self, frame_time: float) -> str:
        """Take the next stage of a step, and return its name."""

    def watch(self, view: str) -> None:
        """Keep, from the next step on, what a view needs beyond the state."""

    def change(self, scene: Scene) -> None:
        """Go on with other parameters and other solids."""

    def push(self, x: float, y: float, u: float, v: float, radius: float) -> None:
        """Carry fluid along."""

    def pour(self, x: float, y: float, radius: float, color: str | None = None) -> float:
        """Add fluid, in a colour where fluid carries one; returns how much there was room for, m²."""

    def drain(self, x: float, y: float, radius: float) -> None:
        """Take fluid away."""

    def heat(self, x: float, y: float, radius: float, temperature: float) -> None:
        """Bring fluid to a temperature, K.

        Raises:
            PlashError: It carries no heat.
        """

    def scale(self, view: str) -> Scale | None:
        """What the colours of a view mean, if they are those of pictures."""

    def moment(self) -> bytes | None:
        """All that changes, to come back to; None while a step is under way."""

    def go_back(self, moment: bytes) -> None:
        """Go back to a moment, and to the scene of it."""

    def values_at(self, x: float, y: float) -> dict[str, float]:
        """What is known at a point of the domain, by the names of `probe.py`."""

    def facts(self) -> dict[str, Any]:
        """Numbers about the present moment and the last step."""

    def arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view needs, and the units of those arrays that are scaled."""


def must_restart(old: Scene, new: Scene) -> bool:
    """Whether a change cannot be made under way: other cells, or other liquid at the start."""
    if old.fill != new.fill or type(old.solver) is not type(new.solver):
        return True
    other_cells = any(getattr(old.domain, name) != getattr(new.domain, name) for name in _CELL_KEYS)
    return other_cells or any(getattr(old.solver, name) != getattr(new.solver, name) for name in old.solver.start_keys)


@singledispatch
def made_live(settings: Solver, scene: Scene) -> Live:
    """The simulation of a scene with such a solver, at time zero. Each kind registers its own."""
    sentence = f"{shown(settings.kind)} cannot be shown live: use plash run"
    raise SceneError([Problem("solver.kind", sentence)])


def standing(scene: Scene, time: float) -> tuple[Solid, ...]:
    """The solids as they stand at a time, s."""
    return scene.solids_at(time)


def has_motion(scene: Scene) -> bool:
    """Whether any solid moves."""
    return any(solid.moves for solid in scene.solid)


def solid_distance(scene: Scene, time: float) -> NDArray[np.int8]:
    """Distance to the solids as they are simulated at a time, on half cells [2 ny + 1, 2 nx + 1]."""
    nx, ny = scene.domain.cells
    x, y = np.meshgrid(np.arange(2 * nx + 1) / 2, np.arange(2 * ny + 1) / 2)
    places = np.stack([x.ravel(), y.ravel()], axis=1)
    return distance_bytes(Bodies(standing(scene, time), scene.domain.h, 2).distance(places).reshape(x.shape))
