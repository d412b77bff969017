"""What was poured and heated by hand since a simulation began, so that a saved scene has it."""

from __future__ import annotations

from plash.scene.bodies import Fill
from plash.scene.model import Scene
from plash.scene.shapes import Sphere
from plash.scene.sources import Blob, HeatSource
from plash.studio import messages as m
from plash.studio.drawing import note_heat, poured_part, takes_colors, with_poured
from plash.studio.live import Live

_SOME = 0.3  # of a square, that makes a pour worth saving
_COLDEST = 1.0  # K, that a brush cools to


class ByHand:
    """Pours and strokes of heat, in the order in which they were made."""

    def __init__(self) -> None:
        self._poured: list[Blob | Fill] = []
        self._heated: list[HeatSource] = []

    def forget(self, since: float = 0.0) -> None:
        """Forget what was done from a time on, s."""
        self._poured = [part for part in self._poured if part.time < since]
        self._heated = [part for part in self._heated if part.start < since]

    def pour(self, message: m.PourFluid, simulation: Live) -> None:
        """Pour, and remember it; what fell into gaps of liquid that was there does not count."""
        disc = Sphere(center=(message.x, message.y), radius=message.radius)
        color = message.color if takes_colors(simulation.scene) else None
        if simulation.pour(message.x, message.y, message.radius, color) > _SOME * disc.radius**2:
            self._poured.append(poured_part(simulation.scene, disc, simulation.time, color))

    def heat(self, message: m.HeatFluid, simulation: Live) -> None:
        """Warm or cool, and remember it."""
        temperature = max(simulation.scene.liquid.temperature + message.warmth, _COLDEST)
        disc = Sphere(center=(message.x, message.y), radius=message.radius)
        simulation.heat(message.x, message.y, message.radius, temperature)
        note_heat(self._heated, disc, temperature, simulation.time)

    def added_to(self, scene: Scene) -> Scene:
        """The scene with all of it.

        Raises:
            SceneError: Such a scene does not take it.
        """
        return with_poured(scene, [*self._poured, *self._heated])
