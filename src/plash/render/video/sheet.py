"""The contact sheet: a run at a glance, as small pictures in a grid with their times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

CONTACTS = 16  # pictures on a sheet, at the most
_COLUMNS = 4
_WIDTH = 320
_GAP = 12
_LABEL = 26
_LABEL_WIDTH = 140
_PAPER, _INK = "#f5f6f8", "#2c3138"


def contact_sheet(pictures: Sequence[Picture], labels: Sequence[str]) -> Picture:
    """Small pictures in rows of four, with a label under each.

    Args:
        pictures: Of one size (height, width, 3).
        labels: One for each.
    """
    from PIL import Image, ImageDraw, ImageFont

    height, width, _ = pictures[0].shape
    small = (min(_WIDTH, width), max(1, round(height * min(_WIDTH, width) / width)))
    columns = min(_COLUMNS, len(pictures))
    rows = -(-len(pictures) // columns)
    across, down = max(small[0], _LABEL_WIDTH) + _GAP, small[1] + _LABEL + _GAP
    sheet = Image.new("RGB", (columns * across + _GAP, rows * down + _GAP), _PAPER)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(15)
    for place, (picture, label) in enumerate(zip(pictures, labels, strict=True)):
        left, top = _GAP + place % columns * across, _GAP + place // columns * down
        image = Image.fromarray(np.ascontiguousarray(picture)).resize(small, Image.Resampling.LANCZOS)
        sheet.paste(image, (left, top))
        draw.text((left + 1, top + small[1] + 5), label, fill=_INK, font=font)
    return np.array(sheet)


def evenly_spaced(count: int, most: int) -> list[int]:
    """Numbers from 0 to count - 1, both among them, not more than so many.

    >>> evenly_spaced(10, 4), evenly_spaced(2, 4), evenly_spaced(1, 4)
    ([0, 3, 6, 9], [0, 1], [0])
    """
    if count <= most:
        return list(range(count))
    return [round(place * (count - 1) / (most - 1)) for place in range(most)]
