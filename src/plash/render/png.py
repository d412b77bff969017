"""Pictures as PNG files."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def png_bytes(picture: Picture) -> bytes:
    """The PNG file of a picture (height, width, 3)."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(file, "PNG", compress_level=4)
    return file.getvalue()


def picture_from_png(data: bytes) -> Picture:
    """The picture (height, width, 3) in a PNG file."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return np.array(image.convert("RGB"))
