"""What a scene says about colours, as a liquid in air sees it."""

from __future__ import annotations

import math

from plash.levelset.inside import Inside
from plash.physics.colors import CarriedColors, Colors, Dye, Keep, Mix, NoColors
from plash.physics.heat.conduction import Conduction
from plash.scene.colors import light_of
from plash.scene.model import Scene
from plash.scene.sources import DyeSource


def liquid_colors(scene: Scene) -> Colors:
    """The colours of a scene; none if all its liquid has the same."""
    if not scene.has_colors:
        return NoColors()
    h, diffusivity = scene.domain.h, scene.liquid.color_diffusivity
    mixing = Keep() if diffusivity is None else Mix(Conduction(diffusivity, h))
    return CarriedColors(mixing, _dyes(scene), h)


def light_of_liquid(scene: Scene, color: str | None) -> tuple[float, ...]:
    """The light that liquid returns whose own colour is this one, or none."""
    return tuple(light_of(color or scene.liquid.seen_color).tolist())


def _dyes(scene: Scene) -> list[Dye]:
    return [
        Dye(
            Inside(source.shape, scene.domain.h, source.name),
            light_of(source.color),
            math.inf if source.rate is None else source.rate,
            source.start,
            source.end,
        )
        for source in scene.source
        if isinstance(source, DyeSource)
    ]
