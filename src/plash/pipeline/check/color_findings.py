"""What a scene says about colours, and nothing comes of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from plash.pipeline.check.finding import Finding, without_effect
from plash.scene.model import Scene

_HARDLY = 0.5  # cells that colours spread in the time of a scene, below which nobody sees it
_DIFFER = "give a fill or a source a colour of its own, or add a source of dye"


def color_findings(scene: Scene) -> Iterator[Finding]:
    """Colours that do not spread, or are not seen."""
    liquid, look = scene.liquid, scene.look
    if not scene.has_colors:
        if liquid.colors == "mix":
            yield without_effect("liquid.colors", '"mix" has no effect: all liquid has one colour', _DIFFER)
        return
    if look.color_by not in (None, "material"):
        message = f'"{look.color_by}" hides the colours that the liquid carries'
        yield without_effect("look.color_by", message, 'write "material" to see them')
    if look.liquid == "lava":
        yield without_effect("look.liquid", '"lava" glows in one colour: others are not seen', 'use "paint"')
    if liquid.color_diffusivity is not None:
        yield from _slow(scene, liquid.color_diffusivity)


def _slow(scene: Scene, diffusivity: float) -> Iterator[Finding]:
    h, time = scene.domain.h, scene.time.frames / scene.time.fps
    reach = math.sqrt(4 * diffusivity * time) / h
    if reach < _HARDLY:
        wanted = (_HARDLY * h) ** 2 / (4 * time)
        yield Finding(
            "note",
            "slow-colors",
            "liquid.color_diffusivity",
            f"{diffusivity:.3g} m^2/s mixes hardly anything: colours spread by {reach:.2g} cells in {time:.3g} s",
            f'raise it to {wanted:.2g} m^2/s or more, or write liquid.colors = "keep"',
        )
