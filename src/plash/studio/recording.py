"""Recordings: pictures that a page draws, made into a movie.

What is recorded is what is seen, whatever the view. Frames come evenly spaced in simulated time, so a movie is smooth
even where the simulation was slower than the clock.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from plash.render.video.animation import Picture, write_animation
from plash.render.video.video import write_video

MOST_PICTURES = 3600
LARGEST_SIDE = 2048
_QUALITY = 20
_WIDTH = {"mp4": LARGEST_SIDE, "gif": 640}


class Recording:
    """Pictures as they come, kept as the files they came as."""

    def __init__(self, folder: Path, fps: int, form: str) -> None:
        self._folder = folder
        self._fps = fps
        self._form = form
        self._files: list[Path] = []
        self._size = (0, 0)

    @property
    def count(self) -> int:
        """How many pictures there are."""
        return len(self._files)

    def add(self, data: bytes) -> None:
        """Keep one more picture.

        Raises:
            ValueError: It is no picture, differs in size from the first, or is one too many.
        """
        if self.count >= MOST_PICTURES:
            raise ValueError(f"a recording has {MOST_PICTURES} pictures at the most")
        size = _size_of(data)
        if not self._files:
            self._size = size
        if size != self._size:
            raise ValueError(
                f"a picture of {size[0]} x {size[1]} pixels, after ones of {self._size[0]} x {self._size[1]}"
            )
        path = self._folder / f"picture.{self.count:05d}"
        path.write_bytes(data)
        self._files.append(path)

    def finish(self, path: Path) -> None:
        """Write the movie, and forget the pictures.

        Raises:
            ValueError: There is no picture.
        """
        pictures = _Decoded(self._files, self._size)
        if self._form == "gif":
            write_animation(pictures, path, self._fps, "gif", _WIDTH["gif"])
        else:
            write_video(pictures, path, self._fps, _QUALITY)
        self.forget()

    def forget(self) -> None:
        """Remove the pictures."""
        for file in self._files:
            file.unlink(missing_ok=True)
        self._files.clear()


class _Decoded(Sequence[Picture]):
    """Pictures that are decoded when they are asked for, cut to even numbers of pixels."""

    def __init__(self, files: list[Path], size: tuple[int, int]) -> None:
        self._files = files
        self._width, self._height = (side - side % 2 for side in size)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, number: Any) -> Any:
        from PIL import Image

        with Image.open(self._files[number]) as image:
            pixels = np.asarray(image.convert("RGB"))
        return np.ascontiguousarray(pixels[: self._height, : self._width])


def _size_of(data: bytes) -> tuple[int, int]:
    """Width and height of a JPEG or PNG."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=["JPEG", "PNG"]) as image:
            width, height = image.size
            if max(width, height) > LARGEST_SIDE or min(width, height) < 2:
                raise ValueError(f"a picture of {width} x {height} pixels: each side may have 2 to {LARGEST_SIDE}")
            image.load()
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ValueError(f"no picture: {error}"[:100]) from None
    return width, height
