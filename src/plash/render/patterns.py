"""Floors of sets, made from formulas: tiles, a bench, planks, slabs of stone, slate.

A pattern is a square picture that repeats itself, of factors to the floor's colour whose mean is one: far away, where
no tile can be told from the next, the floor has its colour. Both renderers look it up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from plash.scene.model import Scene
from plash.scene.sets import SETS

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_PIXELS = 2048  # along each side of a pattern
_UNITS = 8  # tiles, planks or slabs along each side of a pattern
_SEED = 24


@dataclass(frozen=True, eq=False)
class Pattern:
    """A floor.

    Attributes:
        levels: Factors of the floor's colour (n, n, 3), rows along z and columns along x; then the same in half as many
            pixels each, down to one.
        size: Length of its sides, m; a corner is at the origin.
    """

    levels: tuple[Floats, ...]
    size: float

    @property
    def factors(self) -> Floats:
        """The finest of its pictures."""
        return self.levels[0]

    def at(self, x: NDArray[np.floating], z: NDArray[np.floating], width: NDArray[np.floating]) -> Floats:
        """Factors (n, 3) at places (n,) on the floor, in the mean of squares of some width, m.

        >>> even = Pattern((np.full((2, 2, 3), 0.5, np.float32), np.full((1, 1, 3), 0.5, np.float32)), 3.0)
        >>> even.at(np.array([0.1]), np.array([7.0]), np.array([0.01])).tolist()
        [[0.5, 0.5, 0.5]]
        """
        finest = len(self.factors)
        level = np.clip(np.log2(np.maximum(width * finest / self.size, 1e-9)), 0, len(self.levels) - 1)
        found = np.zeros((len(x), 3), np.float32)
        for number, picture in enumerate(self.levels):
            near = np.flatnonzero(np.abs(level - number) < 1)
            share = (1 - np.abs(level[near] - number)).astype(np.float32)[:, None]
            found[near] += share * looked_up(picture, x[near] / self.size, z[near] / self.size)
        return found


def floor_pattern(scene: Scene) -> Pattern | None:
    """The floor of a scene's set; None where it is plain. Units are 1, 2 or 5 times a power of ten metres wide."""
    kind = SETS[scene.look.set]
    if kind.floor == "plain" or scene.dimension == 2:
        return None
    longest = max(scene.domain.size[0], scene.domain.size[2])
    return Pattern(_levels(kind.floor), _UNITS * round_length(longest / kind.units))


def round_length(length: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, by their ratio.

    >>> [round_length(x) for x in (0.09, 0.31, 4.0, 7.5)]
    [0.1, 0.2, 5.0, 10.0]
    """
    power = math.floor(math.log10(length))
    choices = [float(f"{digit}e{power + more}") for more in (0, 1) for digit in (1, 2, 5)]
    return min(choices, key=lambda choice: abs(math.log(choice / length)))


def looked_up(picture: NDArray[np.floating], x: NDArray[np.floating], y: NDArray[np.floating]) -> Floats:
    """Colours (n, 3) of a picture that repeats itself, at places in parts of its width and height, linear between."""
    rows, columns = picture.shape[:2]
    column, row = np.mod(x, 1) * columns - 0.5, np.mod(y, 1) * rows - 0.5
    left, top = np.floor(column).astype(int), np.floor(row).astype(int)
    across, down = ((place - floor)[:, None].astype(np.float32) for place, floor in ((column, left), (row, top)))
    found = np.zeros((len(x), 3), np.float32)
    for below, weight in ((0, 1 - down), (1, down)):
        for beside, share in ((0, 1 - across), (1, across)):
            found += weight * share * picture[(top + below) % rows, (left + beside) % columns]
    return found


@cache
def _levels(name: str) -> tuple[Floats, ...]:
    factors = _PATTERNS[name]().astype(np.float32)
    factors /= factors.mean(axis=(0, 1), dtype=np.float64).astype(np.float32)
    levels = [factors]
    while len(levels[-1]) > 1:
        finer = levels[-1]
        levels.append((finer[::2, ::2] + finer[1::2, ::2] + finer[::2, 1::2] + finer[1::2, 1::2]) / np.float32(4))
    return tuple(levels)


def _tiles() -> Array:
    """Glazed tiles, each a little lighter or bluer than the next, and dark joints."""
    x, z = _places()
    shade = 1 + 0.13 * (_of_each(0) - 0.5)[z.astype(int), x.astype(int)]
    hue = 0.05 * (_of_each(1) - 0.5)[z.astype(int), x.astype(int)]
    joint = _joints(x, z, 0.022)
    glaze = shade * (1 + 0.03 * (_noise(64, 64, 2) - 0.5))
    tile = np.stack([glaze * (1 - hue), glaze, glaze * (1 + hue)], axis=-1)
    floor: Array = joint[..., None] * np.array([0.42, 0.46, 0.50]) + (1 - joint)[..., None] * tile
    return floor


def _bench() -> Array:
    """A smooth top with fine dark and light flecks."""
    fine, finer = _noise(1000, 1000, 3), _noise(700, 700, 4)
    flecks = 1 - 0.30 * _ramp(fine, 0.80, 0.90) + 0.10 * _ramp(finer, 0.78, 0.95)
    return np.repeat((flecks * (1 + 0.04 * (_noise(12, 12, 5) - 0.5)))[..., None], 3, axis=-1)


def _wood() -> Array:
    """Planks along x, of several tones, with grain, rings and thin gaps."""
    x, z = _places()
    plank = z.astype(int)
    own = _of_each(6)[0][plank]
    shifted = np.mod(x + _UNITS * own, _UNITS)
    along = (shifted * _PIXELS / _UNITS).astype(int) % _PIXELS
    rows = (z * _PIXELS / _UNITS).astype(int)
    wavy = _noise(10, 36, 7)[rows, along]
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (5.0 * (z - plank) + 3.2 * wavy + 7.0 * own))
    pores = _noise(40, 900, 8)[rows, along]
    tone = 1 + 0.34 * (own - 0.5) - 0.16 * rings**2 - 0.22 * _ramp(pores, 0.62, 0.9) + 0.10 * (wavy - 0.5)
    deeper = np.array([0.9, 1.0, 1.16])  # red fades least where wood is dark
    planks = np.clip(tone, 0.1, None)[..., None] ** deeper
    gap = 1 - _ramp(np.abs(z - plank - 0.5), 0.478, 0.492)
    floor: Array = (0.25 + 0.75 * gap)[..., None] * planks
    return floor


def _stone() -> Array:
    """Slabs in courses, each shifted by half against the next, rough and weathered."""
    x, z = _places()
    course = z.astype(int)
    moved = np.mod(x + 0.5 * (course % 2), _UNITS)
    shade = 1 + 0.22 * (_of_each(9) - 0.5)[course, moved.astype(int)]
    hue = 0.05 * (_of_each(10) - 0.5)[course, moved.astype(int)]
    rough = 0.5 * _noise(48, 48, 11) + 0.3 * _noise(160, 160, 12) + 0.2 * _noise(640, 640, 13)
    joint = _joints(moved + 0.02 * (_noise(60, 60, 14) - 0.5), z + 0.02 * (_noise(60, 60, 15) - 0.5), 0.03)
    slab = shade * (1 + 0.55 * (rough - 0.5))
    stone = np.stack([slab * (1 + hue), slab, slab * (1 - hue)], axis=-1)
    floor: Array = joint[..., None] * np.array([0.34, 0.33, 0.31]) + (1 - joint)[..., None] * stone
    return floor


def _slate() -> Array:
    """A dark smooth rock."""
    cloud = 0.5 * _noise(12, 12, 16) + 0.3 * _noise(50, 50, 17) + 0.2 * _noise(300, 300, 18)
    return np.repeat((1 + 0.5 * (cloud - 0.5))[..., None], 3, axis=-1)


_PATTERNS: dict[str, Callable[[], Array]] = {
    "tiles": _tiles, "bench": _bench, "wood": _wood, "stone": _stone, "slate": _slate,
}  # fmt: skip


def _places() -> tuple[Array, Array]:
    """Places of pixels in units, along x and along z."""
    line = (np.arange(_PIXELS) + 0.5) * _UNITS / _PIXELS
    x, z = np.meshgrid(line, line)
    return x, z


def _joints(x: Array, z: Array, width: float) -> Array:
    """1 on the joints between units, 0 away from them."""
    away = np.minimum(np.abs(x - np.rint(x)), np.abs(z - np.rint(z)))
    return 1 - _ramp(away, 0.5 * width, 0.9 * width)


def _of_each(number: int) -> Array:
    """A random number of each unit, from 0 to 1."""
    return np.random.default_rng((_SEED, number)).random((_UNITS, _UNITS))


def _noise(across: int, down: int, number: int) -> Array:
    """Smooth random hills (rows, columns) from 0 to 1, so many along x and z, that repeat themselves."""
    heights = np.random.default_rng((_SEED, number)).random((down, across))
    rows, columns = (np.arange(_PIXELS) * count / _PIXELS for count in (down, across))
    i, j = rows.astype(int), columns.astype(int)
    fy, fx = _ramp(rows - i, 0, 1)[:, None], _ramp(columns - j, 0, 1)[None, :]
    above, below = heights[i], heights[(i + 1) % down]
    line = above + fy * (below - above)
    found: Array = line[:, j] + fx * (line[:, (j + 1) % across] - line[:, j])
    return found


def _ramp(x: Array, start: float, end: float) -> Array:
    """From 0 at the start to 1 at the end without a kink."""
    t = np.clip((x - start) / (end - start), 0, 1)
    ramp: Array = t * t * (3 - 2 * t)
    return ramp
