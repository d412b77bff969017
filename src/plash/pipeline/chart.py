"""Plots as SVG text for a page: lines or stacked areas over frames, with axes, ticks and the numbers under the pointer.

Colours are classes (s1, s2, ...) that the page gives a colour each, for light and for dark. Nothing needs a script.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 480, 250
_TOP, _RIGHT, _BOTTOM = 26, 12, 34
_LETTER = 7.2  # width of a digit, in the units of the drawing
_MOST_POINTS = 1500
_MOST_STRIPS = 240

Values = Sequence[float | None]


@dataclass(frozen=True)
class Series:
    """One quantity over frames.

    Attributes:
        name: What it is.
        values: One for each frame; None where there is none.
        color: Number of its colour.
        dashed: Whether it is drawn as a guide, not as a finding.
    """

    name: str
    values: Values
    color: int
    dashed: bool = False


@dataclass(frozen=True)
class _Axes:
    """From numbers to places in the drawing."""

    first: float
    last: float
    low: float
    high: float
    left: float

    def x(self, frame: float) -> float:
        span = max(self.last - self.first, 1e-9)
        return self.left + (frame - self.first) / span * (_WIDTH - _RIGHT - self.left)

    def y(self, value: float) -> float:
        return _TOP + (self.high - value) / (self.high - self.low) * (_HEIGHT - _TOP - _BOTTOM)


def line_chart(frames: Sequence[int], series: Sequence[Series], unit: str, least_span: float = 0.0) -> str:
    """Lines over frames.

    Args:
        frames: Their numbers, ascending.
        series: What to draw; the last one is on top.
        unit: Of the values.
        least_span: The vertical axis covers at least this much, so that round-off does not look like a finding.
    """
    values = [value for one in series for value in one.values if value is not None]
    middle = (min(values) + max(values)) / 2
    span = max(max(values) - min(values), least_span, 1e-9 * abs(middle), 1e-12)
    low, high = middle - 0.54 * span, middle + 0.54 * span
    if min(values) >= 0 and low < 0.35 * high:
        low = 0.0
    ticks = ticks_between(low, high)
    axes = _axes(frames, low, high, ticks)
    drawn = [piece for one in series for piece in _line(axes, frames, one)]
    return _drawing(axes, frames, series, unit, ticks, drawn)


def stacked_chart(frames: Sequence[int], series: Sequence[Series], unit: str) -> str:
    """Areas on top of each other over frames: their sum is the upper edge; a frame without a value counts as zero.

    What is above the `ceiling` is cut off.
    """
    levels = [[0.0] * len(frames)]
    for one in series:
        levels.append([below + (value or 0.0) for below, value in zip(levels[-1], one.values, strict=True)])
    high = ceiling(levels[-1])
    levels = [[min(value, high) for value in level] for level in levels]
    ticks = ticks_between(0.0, high)
    axes = _axes(frames, 0.0, high, ticks)
    drawn = [_area(axes, frames, levels[n], levels[n + 1], one.color) for n, one in enumerate(series)]
    return _drawing(axes, frames, series, unit, ticks, drawn)


def ceiling(values: Sequence[float]) -> float:
    """Where an axis from zero ends: above all values, but for single ones that would hide the rest.

    >>> ceiling([1.0, 2.0] * 20), ceiling([90.0] + [1.0, 2.0] * 20)
    (2.12, 4.24)
    """
    most, nearly_all = max(values), sorted(values)[int(0.9 * (len(values) - 1))]
    return 1.06 * max(min(most, 2 * nearly_all) if nearly_all > 0 else most, 1e-9)


def legend(series: Sequence[Series]) -> str:
    """The names of the series beside their colours, as a list."""
    items = (f'<li class="s{one.color}{" dashed" if one.dashed else ""}">{escape(one.name)}</li>' for one in series)
    return f'<ul class="legend">{"".join(items)}</ul>'


def ticks_between(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers from low to high: multiples of 1, 2 or 5 times a power of ten.

    >>> ticks_between(0, 1.1), ticks_between(0.297, 0.303)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.297, 0.298, 0.299, 0.3, 0.301, 0.302, 0.303])
    """
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= 0.75 * rough)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def readable(value: float) -> str:
    """A number with as many digits as a reader needs.

    >>> [readable(value) for value in (0.29984512, 1234567.0, 0.0, 12, 1.5e-7)]
    ['0.299845', '1,234,567', '0', '12', '1.5e-07']
    """
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.6g}"


def _labels(ticks: Sequence[float]) -> list[str]:
    """Ticks as text, all with the same number of decimals.

    >>> _labels([0.37, 0.375, 0.38]), _labels([0.0, 50_000.0, 100_000.0])
    (['0.370', '0.375', '0.380'], ['0', '50,000', '100,000'])
    """
    decimals = max(len(f"{tick:.9f}".rstrip("0").partition(".")[2]) for tick in ticks)
    return [f"{tick:,.{decimals}f}" if decimals < 7 else f"{tick:.3g}" for tick in ticks]


def _axes(frames: Sequence[int], low: float, high: float, ticks: Sequence[float]) -> _Axes:
    longest = max(map(len, _labels(ticks)))
    return _Axes(frames[0], frames[-1], low, high, left=12 + _LETTER * longest)


def _line(axes: _Axes, frames: Sequence[int], series: Series) -> Iterator[str]:
    """A line with gaps where there is no value; a value alone is a dot."""
    every = -(-len(frames) // _MOST_POINTS)
    kind = f"line s{series.color}{' dashed' if series.dashed else ''}"
    run: list[str] = []
    for frame, value in [*list(zip(frames, series.values, strict=True))[::every], (0, None)]:
        if value is not None:
            run.append(f"{axes.x(frame):.1f},{axes.y(value):.1f}")
        elif len(run) == 1:
            x, y = run[0].split(",")
            yield f'<circle class="dot s{series.color}" cx="{x}" cy="{y}" r="3"/>'
            run = []
        elif run:
            yield f'<polyline class="{kind}" points="{" ".join(run)}"/>'
            run = []


def _area(axes: _Axes, frames: Sequence[int], lower: Sequence[float], upper: Sequence[float], color: int) -> str:
    every = -(-len(frames) // _MOST_POINTS)
    places = range(0, len(frames), every)
    if len(frames) == 1:
        x, top, bottom = axes.left, axes.y(upper[0]), axes.y(lower[0])
        return f'<rect class="area s{color}" x="{x:.1f}" y="{top:.1f}" width="30" height="{bottom - top:.1f}"/>'
    there = [f"{axes.x(frames[n]):.1f},{axes.y(upper[n]):.1f}" for n in places]
    back = [f"{axes.x(frames[n]):.1f},{axes.y(lower[n]):.1f}" for n in reversed(places)]
    return f'<polygon class="area s{color}" points="{" ".join([*there, *back])}"/>'


def _drawing(
    axes: _Axes, frames: Sequence[int], series: Sequence[Series], unit: str, ticks: Sequence[float], drawn: list[str]
) -> str:
    names = escape(", ".join(one.name for one in series))
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{names} over frames">',
        *_grid(axes, ticks, unit),
        *drawn,
        *_strips(axes, frames, series, unit),
        "</svg>",
    ]
    return "\n".join(parts)


def _grid(axes: _Axes, ticks: Sequence[float], unit: str) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    for tick, label in zip(ticks, _labels(ticks), strict=True):
        y = axes.y(tick)
        yield f'<line class="grid" x1="{axes.left:.1f}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{axes.left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
    yield f'<line class="axis" x1="{axes.left:.1f}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
    for number in _frame_ticks(axes):
        x = axes.x(number)
        yield f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{number}</text>'
    yield f'<text class="unit" x="2" y="14">{escape(unit)}</text>'
    yield f'<text class="unit" x="{right}" y="{_HEIGHT - 3}" text-anchor="end">frame</text>'


def _frame_ticks(axes: _Axes) -> list[int]:
    if axes.first == axes.last:
        return [round(axes.first)]
    return sorted({round(tick) for tick in ticks_between(axes.first, axes.last, 6) if tick == round(tick)})


def _strips(axes: _Axes, frames: Sequence[int], series: Sequence[Series], unit: str) -> Iterator[str]:
    """Invisible strips that tell their numbers when the pointer is on them."""
    every = -(-len(frames) // _MOST_STRIPS)
    shown = range(0, len(frames), every)
    height = _HEIGHT - _TOP - _BOTTOM
    edges = [axes.x(frames[n]) for n in shown]
    half = (edges[-1] - edges[0]) / max(1, len(edges) - 1) / 2 or 15.0
    for n, x in zip(shown, edges, strict=True):
        values = [(one.name, one.values[n]) for one in reversed(series)]
        lines = [f"{name}: {readable(value)} {unit}".rstrip() for name, value in values if value is not None]
        title = escape("\n".join([f"frame {frames[n]}", *lines]))
        left = max(axes.left, x - half)
        yield (
            f'<rect class="strip" x="{left:.1f}" y="{_TOP}" width="{x + half - left:.1f}" height="{height}">'
            f"<title>{title}</title></rect>"
        )
