"""Pictures as PNG files."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def png_bytes(picture: Picture) -> bytes:
    """The PNG file of a picture (height, width, 3)."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(file, "PNG", compress_level=4)
    return file.getvalue()


def picture_from_png(data: bytes, size: tuple[int, int]) -> Picture:
    """The picture (height, width, 3) in a PNG file, which must have this width and height.

    Raises:
        ValueError: It is no such picture.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            if image.size != size:
                raise ValueError(f"its size is {image.size}, not {size}")
            return np.array(image.convert("RGB"))
    except (OSError, SyntaxError, struct.error, zlib.error, Image.DecompressionBombError) as error:
        raise ValueError(f"this is no picture: {error}") from None
