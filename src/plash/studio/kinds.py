"""From a scene to what makes it live."""

from __future__ import annotations

from plash.scene.model import Scene
from plash.studio import live_fluids, live_liquid, live_smoke
from plash.studio.live import Live, made_live

__all__ = ["live", "live_fluids", "live_liquid", "live_smoke"]  # each kind of solver has registered its own


def live(scene: Scene) -> Live:
    """The simulation of a scene, at time zero."""
    return made_live(scene.solver, scene)
