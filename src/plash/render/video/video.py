"""Movies: H.264 in an MP4 file, or VP9 in a WebM file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import av
    from av.video.stream import VideoStream

Picture = NDArray[np.uint8]

_BT709 = 1  # the number of this standard in H.264 and FFmpeg: primaries, transfer and matrix alike
_MPEG_RANGE = 1


@dataclass(frozen=True)
class _Coding:
    """How a form of file is coded.

    Attributes:
        codec: As FFmpeg calls it.
        stretch: Its rate factor over that of H.264 for pictures as good, as measured on the dam break.
        worst: The largest rate factor.
        codec_options: For the codec; two threads, so that the bytes do not depend on the machine.
        file_options: For the file; the index comes first, and nothing in it is random.
    """

    codec: str
    stretch: float
    worst: int
    codec_options: dict[str, str]
    file_options: dict[str, str]


_CODINGS = {
    "mp4": _Coding("libx264", 1.0, 51, {"preset": "medium", "threads": "2"}, {"movflags": "+faststart"}),
    "webm": _Coding(
        "libvpx-vp9",
        1.5,
        63,
        {"deadline": "good", "cpu-used": "3", "threads": "2", "auto-alt-ref": "1", "lag-in-frames": "25"},
        {"fflags": "+bitexact", "cues_to_front": "1"},
    ),
}


def write_video(pictures: Iterable[Picture], path: Path, fps: float, quality: int, form: str = "mp4") -> None:
    """Write pictures as a movie that browsers and players can show while it still loads.

    MP4 keeps the rate exactly. WebM counts in milliseconds: each picture begins within half a one of its time.

    Args:
        pictures: Of one size (height, width, 3), both even.
        path: Of the file; its ending may be anything.
        fps: Pictures per second.
        quality: H.264 rate factor: 0 keeps every bit, 18 looks the same, 51 is the smallest. VP9 gets what makes
            pictures as good.
        form: "mp4" or "webm".

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
    coding = _CODINGS[form]
    factor = min(round(coding.stretch * quality), coding.worst)
    with av.open(str(path), "w", format=form, options=coding.file_options) as file:
        options = {"crf": str(factor), **coding.codec_options, **(_instructions() if form == "mp4" else {})}
        stream = cast("VideoStream", file.add_stream(coding.codec, rate=rate, options=options))
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        context = stream.codec_context
        context.bit_rate = 0  # the rate factor alone decides
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


@cache
def _instructions() -> dict[str, str]:
    """What x264 computes with: not AVX-512, whose macroblock trees give other bytes from one time to the next."""
    from llvmlite.binding import get_host_cpu_features  # type: ignore[import-untyped]

    return {"x264-params": "asm=avx2"} if get_host_cpu_features().get("avx512f") else {}


def _chained(first: Picture, rest: Iterable[Picture]) -> Iterable[Picture]:
    yield first
    yield from rest


def _frame(picture: Picture) -> av.VideoFrame:
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
