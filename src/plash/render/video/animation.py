"""Movies for pages that show pictures only: animated GIF and WebP, which play for ever.

A GIF has 255 colours for all its pictures together. What lies between two colours is dithered by a fixed pattern, not
by spreading errors: what does not move in the movie does not flicker, and costs no bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plash.render.video.sheet import evenly_spaced

if TYPE_CHECKING:
    from PIL.Image import Image

Picture = NDArray[np.uint8]

_COLORS = 255  # and one for pixels that stay as they were
_SAMPLED = 16  # pictures that the colours of a GIF are chosen from
_CLOSE = 1.5  # levels of 255 that nobody sees
_DITHER = 10.0  # levels of 255 between the pattern's ends: about the distance of two colours


@dataclass(frozen=True)
class _Clock:
    """How a form of file counts time: in ticks (s), of which browsers show no picture for less than so many."""

    tick: float
    fewest: int


_CLOCKS = {"gif": _Clock(0.01, 2), "webp": _Clock(0.001, 11)}


def write_animation(
    pictures: Sequence[Picture], path: Path, fps: float, form: str, width: int, quality: int = 18
) -> None:
    """Write pictures as an animation that plays for ever.

    Args:
        pictures: Of one size (height, width, 3); each is asked for once or twice.
        path: Of the file; its ending may be anything.
        fps: Pictures per second.
        form: "gif" or "webp".
        width: Wider pictures are reduced to so many pixels across.
        quality: As the rate factor of a movie, for WebP: 0 is the best, 51 the smallest.

    Raises:
        ValueError: There is no picture, or one differs in size from the first.
    """
    if not len(pictures):
        raise ValueError("a movie needs at least one picture")
    times = [(number, duration) for number, duration in enumerate(durations(len(pictures), fps, form)) if duration]
    shown = _images(pictures, [number for number, _ in times], width)
    options: dict[str, object] = {"method": 4, "quality": 100 - round(1.1 * quality)}
    if form == "gif":
        palette = _palette(pictures, width)
        shown = (_reduced_to(palette, image) for image in shown)
        options = {"optimize": False}
    first = next(shown)
    lasting = [duration for _, duration in times]
    first.save(path, form.upper(), save_all=True, append_images=shown, duration=lasting, loop=0, **options)


def durations(count: int, fps: float, form: str) -> list[int]:
    """For how long each picture is shown, in milliseconds; 0 if it is left out.

    A GIF counts in hundredths of a second, a WebP in thousandths. Each picture begins on the tick nearest to its time,
    so that the whole is as long as it should be. Browsers slow down a GIF of more than 50 pictures a second and a WebP
    of more than 90: from faster ones some pictures are left out.

    >>> durations(4, 24, "gif"), sum(durations(24, 24, "gif"))
    ([40, 40, 40, 50], 1000)
    >>> durations(6, 60, "gif")
    [20, 20, 0, 20, 20, 20]
    """
    clock = _CLOCKS[form]
    unit = clock.tick * (1 if 1 / fps >= clock.fewest * clock.tick * (1 - 1e-9) else clock.fewest)
    starts = [round(number / (fps * unit)) for number in range(count + 1)]
    if starts[-1] == 0:
        starts[-1] = 1
    return [round(1000 * unit) * (end - start) for start, end in pairwise(starts)]


def _images(pictures: Sequence[Picture], numbers: Sequence[int], width: int) -> Iterator[Image]:
    """Some of the pictures, not wider than asked."""
    from PIL import Image

    size = None
    for number in numbers:
        image = Image.fromarray(np.ascontiguousarray(pictures[number]))
        if size is None:
            size = image.size
        if image.size != size:
            raise ValueError(f"picture {number + 1} has size {image.size}, the first {size}")
        if image.width > width:
            image = image.resize((width, max(1, round(image.height * width / image.width))), Image.Resampling.LANCZOS)
        yield image


def _palette(pictures: Sequence[Picture], width: int) -> Image:
    """The colours of a GIF, from pictures spread over its length."""
    from PIL import Image

    numbers = evenly_spaced(len(pictures), _SAMPLED)
    samples = list(_images(pictures, numbers, min(width, 240)))
    stack = Image.new("RGB", (samples[0].width, sum(sample.height for sample in samples)))
    for row, sample in enumerate(samples):
        stack.paste(sample, (0, row * sample.height))
    return stack.quantize(_COLORS, Image.Quantize.MEDIANCUT, kmeans=1)


def _reduced_to(palette: Image, image: Image) -> Image:
    """A picture in the colours of a palette, dithered by a pattern that stays in its place.

    Pixels that the palette has a colour for, as in a plain background, are left as they are.
    """
    from PIL import Image

    nearest = image.quantize(palette=palette, dither=Image.Dither.NONE)
    exact = np.asarray(image, np.float32)
    rows, columns = np.ogrid[: image.height, : image.width]
    pattern = _bayer(8)[rows % 8, columns % 8]
    shifted = exact + _DITHER * pattern[:, :, None]
    dithered = Image.fromarray(np.clip(np.rint(shifted), 0, 255).astype(np.uint8))
    dithered = dithered.quantize(palette=palette, dither=Image.Dither.NONE)
    error = np.abs(np.asarray(nearest.convert("RGB"), np.float32) - exact).max(axis=2)
    dithered.paste(nearest, mask=Image.fromarray(error <= _CLOSE))
    return dithered


def _bayer(size: int) -> NDArray[np.float32]:
    """Bayer's pattern of thresholds, from -1/2 to 1/2: neighbours differ as much as they can."""
    pattern = np.zeros((1, 1))
    while len(pattern) < size:
        pattern = np.block([[4 * pattern, 4 * pattern + 2], [4 * pattern + 3, 4 * pattern + 1]])
    return ((pattern + 0.5) / pattern.size - 0.5).astype(np.float32)
