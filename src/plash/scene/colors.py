"""Colours by name or as "#rrggbb", and the way from screens to light and back.

Names are those of CSS, but for thirteen of plash's own (`_OWN`): they are colours of liquids and things, which are
duller than those that screens can show. "red" is no pure red.

Light is computed in linear red, green and blue, and so are mixtures; screens show the sRGB curve of it.
"""

from __future__ import annotations

import re
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import AfterValidator

from plash.scene.css_colors import CSS_COLORS
from plash.scene.language.base import Text
from plash.scene.language.words import nearest, refusal, shown

Array = NDArray[np.float64]

_OWN = {
    "white": "#ffffff",
    "light_gray": "#d5d8dc",
    "gray": "#8f959c",
    "grey": "#8f959c",
    "black": "#14171a",
    "red": "#c8453b",
    "orange": "#e08a3c",
    "yellow": "#e6c34a",
    "green": "#4f9d69",
    "teal": "#3f9ea3",
    "blue": "#2f6fb7",
    "purple": "#7a5aa6",
    "brown": "#8a6f5a",
}
COLORS = CSS_COLORS | _OWN


def _known_color(value: str) -> str:
    if value in COLORS or re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        return value
    known = f"{nearest(value, COLORS)} Known: {', '.join(_OWN)}, and all names of CSS, such as lightseagreen"
    raise refusal(f'{shown(value)} is no colour: write "#rrggbb" or a name.{known}')


Color = Annotated[Text, AfterValidator(_known_color)]


def rgb(color: str) -> tuple[float, float, float]:
    """Red, green and blue of a colour as on a screen (sRGB), from 0 to 1.

    >>> rgb("#ff8000")
    (1.0, 0.5019607843137255, 0.0)
    >>> rgb("hotpink") == rgb("#ff69b4")
    True
    """
    code = COLORS.get(color, color)
    red, green, blue = (int(code[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def linear(screen: ArrayLike) -> Array:
    """Light of sRGB values from 0 to 1.

    >>> linear([0.0, 0.5, 1.0]).round(4).tolist()
    [0.0, 0.214, 1.0]
    """
    s = np.asarray(screen, np.float64)
    light: Array = np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)
    return light


def screen(light: ArrayLike) -> Array:
    """The sRGB values from 0 to 1 of light: what `linear` undoes."""
    x = np.clip(np.asarray(light, np.float64), 0, 1)
    values: Array = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    return values


def light_of(color: str) -> Array:
    """Light of a colour of the scene language."""
    return linear(rgb(color))
