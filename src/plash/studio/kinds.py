"""From the kind of a solver to what makes it live."""

from __future__ import annotations

from collections.abc import Callable

from plash.scene.model import Scene
from plash.studio.live import Live
from plash.studio.live_fluids import LiveStableFluids
from plash.studio.live_liquid import LiveLiquid

_KINDS: dict[str, Callable[[Scene], Live]] = {"liquid": LiveLiquid, "stable_fluids": LiveStableFluids}


def live(scene: Scene) -> Live:
    """The simulation of a scene, at time zero."""
    return _KINDS[scene.solver.kind](scene)
