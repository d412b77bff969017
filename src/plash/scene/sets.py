"""Sets that pictures are taken in: what is underfoot, what is behind, and where light comes from.

A set is a row of words and numbers. What they look like is made by `plash.render`, from formulas, without files.
"""

from __future__ import annotations

from typing import NamedTuple


class Set(NamedTuple):
    """A set.

    Attributes:
        background: Colour of the floor, in the mean, and of what is behind everything.
        light: Which light it has, one of `LIGHTS`.
        floor: The floor's pattern; "plain" has none.
        units: How many tiles, planks or slabs there are along the longer side of the domain, about.
        gloss: How dull the floor's gloss is; 1 has none.
        blur: Width of the lens over the distance that is sharp, where the camera has no aperture of its own.
        brightness: Of a white floor, ray traced; drafts have the same. Under a gloss less light reaches the floor.
    """

    background: str
    light: str
    floor: str = "plain"
    units: float = 1.0
    gloss: float = 1.0
    blur: float = 0.0
    brightness: float = 0.775


LIGHTS = ("studio", "sky", "window", "sun", "dark")

SETS = {
    "studio": Set("#e9edf1", "studio"),
    "pool": Set("#b9dae6", "sun", "tiles", units=12.0),
    "lab": Set("#e4e6e6", "window", "bench", units=1.5, gloss=0.35, brightness=0.45),
    "table": Set("#c39364", "window", "wood", units=2.5, gloss=0.4, blur=0.012, brightness=0.40),
    "outdoors": Set("#cfc2ad", "sun", "stone", units=4.0),
    "dark": Set("#2a2d33", "dark", "slate", units=1.5, gloss=0.3, brightness=0.55),
}
