"""Movies: H.264 in an MP4 file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

_BT709 = 1  # the number of this standard in H.264 and FFmpeg: primaries, transfer and matrix alike
_MPEG_RANGE = 1


def write_video(pictures: Iterable[Picture], path: Path, fps: float, quality: int) -> None:
    """Write pictures as a movie that browsers and players can show while it still loads.

    The number of threads is fixed, so that the bytes do not depend on the machine.

    Args:
        pictures: Of one size (height, width, 3), both even.
        path: Of the file; its ending may be anything.
        fps: Pictures per second.
        quality: H.264 rate factor: 0 keeps every bit, 18 looks the same, 51 is the smallest.

    Raises:
        ValueError: There is no picture, or one differs in size from the first.
    """
    import av

    remaining = iter(pictures)
    first = next(remaining, None)
    if first is None:
        raise ValueError("a movie needs at least one picture")
    height, width, _ = first.shape
    rate = Fraction(fps).limit_denominator(100_000)
    options = {"movflags": "+faststart"}
    with av.open(str(path), "w", format="mp4", options=options) as file:
        stream = file.add_stream(
            "libx264", rate=rate, options={"crf": str(quality), "preset": "medium", "threads": "2"}
        )
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        context = stream.codec_context
        context.time_base = 1 / rate
        context.color_primaries = context.color_trc = context.colorspace = _BT709
        context.color_range = _MPEG_RANGE
        for number, picture in enumerate(_chained(first, remaining)):
            if picture.shape != first.shape:
                raise ValueError(f"picture {number + 1} has shape {picture.shape}, the first {first.shape}")
            frame = _frame(picture)
            frame.pts, frame.time_base = number, 1 / rate
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))


def _chained(first: Picture, rest: Iterable[Picture]) -> Iterable[Picture]:
    yield first
    yield from rest


def _frame(picture: Picture):  # type: ignore[no-untyped-def]
    import av
    from av.video.reformatter import ColorRange, Colorspace

    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
    frame = frame.reformat(
        format="yuv420p",
        src_colorspace=Colorspace.ITU709,
        dst_colorspace=Colorspace.ITU709,
        src_color_range=ColorRange.JPEG,
        dst_color_range=ColorRange.MPEG,
    )
    frame.color_primaries = frame.color_trc = frame.colorspace = _BT709
    return frame
