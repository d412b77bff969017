"""Two simulations of one scene side by side: they differ in some parameters, and have one clock."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

from plash.carried import Carried
from plash.scene.model import Scene
from plash.studio.controls import with_value
from plash.studio.kinds import live
from plash.studio.live import Arrays, Live
from plash.studio.scales import Scale


def with_values(scene: Scene, values: Mapping[str, Any]) -> Scene:
    """The scene with several parameters replaced.

    Raises:
        SceneError: The scene refuses one of them.
    """
    for key, value in values.items():
        scene = with_value(scene, key, value)
    return scene


class Twins:
    """Two simulations; what is done to the first is done to the second, which then keeps up with its time."""

    def __init__(self, scene: Scene, others: Mapping[str, Any]) -> None:
        second = with_values(scene, others)
        self._others = dict(others)
        self._first, self._second = live(scene), live(second)

    @property
    def scene(self) -> Scene:
        """That of the first."""
        return self._first.scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        self._first.scene = scene

    @property
    def method(self) -> str:
        """How the first is computed."""
        return self._first.method

    @property
    def views(self) -> tuple[str, ...]:
        """What the first can show."""
        return self._first.views

    @property
    def quantities(self) -> dict[str, Carried]:
        """What particles of the first carry."""
        return self._first.quantities

    @property
    def beside(self) -> Live:
        """The second."""
        return self._second

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._first.time

    def advance(self, frame_time: float) -> None:
        """Take one step of the first towards a time, and as many of the second as it needs to get as far."""
        self._first.advance(frame_time)
        self._keep_up()

    def next_stage(self, frame_time: float) -> str:
        """Take the next stage of a step of the first; the second follows when the step is complete."""
        stage = self._first.next_stage(frame_time)
        self._keep_up()
        return stage

    def watch(self, view: str) -> None:
        """Keep, from the next step on, what a view needs."""
        self._first.watch(view)
        self._second.watch(view)

    def change(self, scene: Scene) -> None:
        """Go on with other parameters and other solids."""
        second = with_values(scene, self._others)
        self._first.change(scene)
        self._second.change(second)

    def push(self, x: float, y: float, u: float, v: float, radius: float) -> None:
        """Carry fluid along."""
        self._first.push(x, y, u, v, radius)
        self._second.push(x, y, u, v, radius)

    def pour(self, x: float, y: float, radius: float, color: str | None = None) -> float:
        """Add fluid; returns how much the first had room for, m²."""
        self._second.pour(x, y, radius, color)
        return self._first.pour(x, y, radius, color)

    def drain(self, x: float, y: float, radius: float) -> None:
        """Take fluid away."""
        self._first.drain(x, y, radius)
        self._second.drain(x, y, radius)

    def heat(self, x: float, y: float, radius: float, temperature: float) -> None:
        """Bring fluid to a temperature, K."""
        self._first.heat(x, y, radius, temperature)
        self._second.heat(x, y, radius, temperature)

    def scale(self, view: str) -> Scale | None:
        """What the colours of a view mean, if they are those of pictures."""
        return self._first.scale(view)

    def moment(self) -> bytes | None:
        """All that changes in both; None while a step is under way."""
        moments = self._first.moment(), self._second.moment()
        return None if None in moments else pickle.dumps(moments, protocol=5)

    def go_back(self, moment: bytes) -> None:
        """Go back to a moment."""
        first, second = pickle.loads(moment)
        self._first.go_back(first)
        self._second.go_back(second)

    def values_at(self, x: float, y: float) -> dict[str, float]:
        """What is known of the first at a point."""
        return self._first.values_at(x, y)

    def facts(self) -> dict[str, Any]:
        """Numbers about the first."""
        return self._first.facts()

    def arrays(self, view: str, arrows: bool) -> tuple[Arrays, dict[str, float]]:
        """What a view of the first needs."""
        return self._first.arrays(view, arrows)

    def _keep_up(self) -> None:
        goal = self._first.time
        while self._second.time < goal - 1e-9 * max(goal, 1.0):
            self._second.advance(goal)
