"""What a scene says about weight: how warmth changes it."""

from __future__ import annotations

from plash.physics.box.buoyancy import Buoyancy
from plash.scene.model import Scene


def buoyancy_of(scene: Scene) -> Buoyancy:
    """What warmth does to the weight of a scene's liquid."""
    gravity = tuple(scene.domain.gravity[: scene.dimension])
    return Buoyancy(gravity, scene.liquid.thermal_expansion, scene.liquid.temperature)


def greatest_pull(scene: Scene) -> float:
    """The greatest acceleration that weight gives anything in a scene, m/s²."""
    return buoyancy_of(scene).pull(scene.temperatures)
