"""A frame as people look at it in a notebook: a plot, and a small picture with a few numbers."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from plash.errors import MissingPartError
from plash.solvers.samples import Samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plash.solvers.frame import Snapshot

_WIDTH = 240  # pixels across a small picture
_DARK, _LIGHT = np.array([24, 60, 110]), np.array([235, 242, 250])
_POINTS_AN_INCH = 72


class Shown(Protocol):
    """A frame: of a simulation in memory, or of a run."""

    @property
    def number(self) -> int:
        """1, 2, ..."""

    @property
    def time(self) -> float:
        """Simulated time, s."""

    @property
    def snapshot(self) -> Snapshot:
        """What it shows."""


def plot(frame: Shown, axes: Axes | None = None, *, color_by: str | None = "speed") -> Axes:
    """Draw where the fluid of a frame is, with matplotlib: in 3-D from the side, the nearest in front.

    Args:
        frame: Any frame.
        axes: Where to draw; new ones if not said.
        color_by: "speed" (m/s), "amount" (m³ of a liquid, kg of smoke at each point), or None for one colour.

    Raises:
        MissingPartError: matplotlib is not installed.
        ValueError: There is no such colour.
    """
    if color_by not in ("speed", "amount", None):
        raise ValueError(f'color_by = {color_by!r} is not one of "speed", "amount" and None')
    samples = _nearest_last(frame.snapshot.samples())
    axes = _new_axes() if axes is None else axes
    values = None if color_by is None else samples.speed if color_by == "speed" else samples.amount
    axes.set_aspect("equal")
    axes.set(xlabel="x, m", ylabel="y, m", title=f"frame {frame.number}, {frame.time:.3f} s")
    if len(samples.position) == 0:
        axes.text(0.5, 0.5, "no fluid", transform=axes.transAxes, ha="center")
        return axes
    x, y = samples.position[:, 0], samples.position[:, 1]
    axes.set_xlim(min(0.0, x.min()), x.max() + samples.spacing)
    axes.set_ylim(min(0.0, y.min()), y.max() + samples.spacing)
    dots = axes.scatter(x, y, s=_dot_area(axes, samples.spacing), c=values, marker="s", linewidths=0)
    if values is not None:
        dots.set_clim(0.0, float(values.max()) or 1.0)  # of a liquid at rest, from 0 to 1 m/s
        label = "speed, m/s" if color_by == "speed" else "amount at each point"
        axes.figure.colorbar(dots, ax=axes, label=label, shrink=0.8)
    return axes


def html_of(frame: Shown, facts: dict[str, str]) -> str:
    """A small picture of a frame and some facts, for a notebook."""
    picture = base64.b64encode(_png(frame.snapshot.samples())).decode()
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in facts.items())
    return (
        '<div style="display:flex;gap:1em;align-items:flex-start">'
        f'<img alt="frame {frame.number}" src="data:image/png;base64,{picture}">'
        f"<table><caption>frame {frame.number}, {frame.time:.3f} s</caption>{rows}</table></div>"
    )


def _new_axes() -> Axes:
    """Axes of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingPartError('frame.plot() needs matplotlib: pip install "plash[notebook]"') from None
    return plt.figure(layout="constrained").add_subplot()


def _dot_area(axes: Axes, spacing: float) -> float:
    """Area in square points of a dot as wide as the points are apart."""
    figure = axes.figure
    low, high = axes.get_xlim()
    width = axes.get_position().width * figure.get_figure(root=True).get_figwidth() * _POINTS_AN_INCH
    return float(np.clip(1.1 * spacing / (high - low) * width, 0.5, 12) ** 2)


def _nearest_last(samples: Samples) -> Samples:
    """Points in 3-D from the furthest to the nearest, as seen along the z axis."""
    if samples.position.shape[1] == 2:
        return samples
    order = np.argsort(samples.position[:, 2], kind="stable")
    return Samples(samples.position[order], samples.amount[order], samples.velocity[order], samples.spacing)


def _png(samples: Samples) -> bytes:
    """How much there is behind each pixel, seen from the side, as a picture."""
    from PIL import Image

    pixels = _darkness(samples)[..., None]
    picture = Image.fromarray((_LIGHT + (_DARK - _LIGHT) * pixels).astype(np.uint8))
    scale = max(1, _WIDTH // picture.width)
    file = io.BytesIO()
    picture.resize((scale * picture.width, scale * picture.height), Image.Resampling.NEAREST).save(file, "PNG")
    return file.getvalue()


def _darkness(samples: Samples) -> NDArray[np.float64]:
    """0 to 1 by pixel, the uppermost row first."""
    if len(samples.position) == 0:
        return np.zeros((_WIDTH // 2, _WIDTH))
    x, y = samples.position[:, 0], samples.position[:, 1]
    low = np.minimum(0.0, [x.min(), y.min()])
    size = max(samples.spacing, (x.max() - low[0]) / (_WIDTH - 1))
    column, row = ((x - low[0]) / size).astype(np.int64), ((y - low[1]) / size).astype(np.int64)
    width, height = int(column.max()) + 1, int(row.max()) + 1
    amount = np.bincount(row * width + column, samples.amount, width * height).reshape(height, width)
    return np.sqrt(amount / max(float(amount.max()), 1e-300))[::-1]
