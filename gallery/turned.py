"""Bowls and glasses of the gallery's scenes: profiles that are turned about an axis, as files of triangles.

    python -m gallery.turned

writes bowl.ply, bowl_lip.ply, tumbler.ply and wine_glass.ply beside the scenes. Distances are in metres, and y is up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import plash
from plash.files.ply import ply_bytes
from plash.mesh.mesh import Mesh

Array = NDArray[np.float64]

_AROUND = 72  # points round the axis


def turned(profile: Array) -> Mesh:
    """A body from its profile (n, 2): distance from the axis and height, from the axis below to the axis above.

    >>> ball = turned(np.array([[np.sin(a), -np.cos(a)] for a in np.linspace(0, np.pi, 60)]))
    >>> round(ball.volume, 2), ball.open_edges()
    (4.18, 0)
    """
    angle = 2 * np.pi * np.arange(_AROUND) / _AROUND
    rings = profile[1:-1]
    x, z = rings[:, :1] * np.cos(angle), rings[:, :1] * np.sin(angle)
    points = np.stack([x, np.broadcast_to(rings[:, 1:], x.shape), z], axis=-1).reshape(-1, 3)
    ends = np.array([[0, profile[0, 1], 0], [0, profile[-1, 1], 0]])
    number = np.arange(len(points)).reshape(len(rings), _AROUND)
    following = np.roll(number, -1, axis=1)
    low, high = len(points), len(points) + 1
    faces = [
        np.stack([number[:-1], number[1:], following[:-1]], axis=-1).reshape(-1, 3),
        np.stack([following[:-1], number[1:], following[1:]], axis=-1).reshape(-1, 3),
        np.stack([number[0], following[0], np.full(_AROUND, low)], axis=-1),
        np.stack([following[-1], number[-1], np.full(_AROUND, high)], axis=-1),
    ]
    vertices = np.concatenate([points, ends]).astype(np.float32)
    return Mesh(vertices, np.concatenate(faces).astype(np.int32))


def ring(radius: float, thickness: float, height: float) -> Mesh:
    """A ring about the axis, round in its section.

    >>> lip = ring(0.5, 0.2, 0.1)
    >>> round(lip.volume, 3), lip.open_edges()
    (0.096, 0)
    """
    around, across = 2 * _AROUND, 16
    a, b = np.meshgrid(*(2 * np.pi * np.arange(count) / count for count in (around, across)), indexing="ij")
    far = radius + thickness / 2 * np.cos(b)
    points = np.stack([far * np.cos(a), height + thickness / 2 * np.sin(b), far * np.sin(a)], axis=-1)
    number = np.arange(around * across).reshape(around, across)
    above, following = np.roll(number, -1, axis=1), np.roll(number, -1, axis=0)
    beyond = np.roll(above, -1, axis=0)
    faces = [np.stack(three, axis=-1) for three in ((number, above, following), (following, above, beyond))]
    return Mesh(points.reshape(-1, 3).astype(np.float32), np.concatenate(faces).reshape(-1, 3).astype(np.int32))


def bowl() -> Array:
    """A part of a ball, 4 mm thick, with a foot and a round rim."""
    center, outer, inner, rim = 0.062, 0.062, 0.058, 0.042
    foot = [(0.0, 0.0), (0.012, 0.0), (0.0235, 0.0), (0.0255, 0.0006), (0.026, 0.002)]
    up = [(np.sqrt(outer**2 - (y - center) ** 2), y) for y in center - np.linspace(0.0562, center - rim, 22)]
    down = [(np.sqrt(inner**2 - (y - center) ** 2), y) for y in center - np.linspace(center - rim, 0.0577, 22)]
    return np.array([*foot, *up, *_round_rim(up[-1], down[0]), *down, (0.0, center - inner)])


def wine_glass() -> Array:
    """A foot, a stem, and a bowl that is narrower at its rim."""
    outside = [
        (0.0, 0.0), (0.016, 0.0), (0.032, 0.0), (0.0334, 0.0005), (0.034, 0.0014), (0.033, 0.0024), (0.022, 0.0042),
        (0.011, 0.0075), (0.0058, 0.013), (0.0042, 0.022), (0.0038, 0.04), (0.0038, 0.06), (0.0045, 0.073),
        (0.0075, 0.081), (0.015, 0.0868), (0.0235, 0.0925), (0.031, 0.1), (0.037, 0.11), (0.0402, 0.122),
        (0.041, 0.133), (0.0402, 0.147), (0.0382, 0.16), (0.0357, 0.173), (0.033, 0.186),
    ]  # fmt: skip
    inside = [
        (0.0308, 0.186), (0.0334, 0.173), (0.0359, 0.16), (0.0379, 0.147), (0.0387, 0.133), (0.0379, 0.122),
        (0.0349, 0.111), (0.0292, 0.1018), (0.022, 0.0948), (0.014, 0.09), (0.007, 0.0874), (0.0, 0.0865),
    ]  # fmt: skip
    foot, up, down = outside[:5], _smooth(outside[4:]), _smooth(inside)
    return np.array([*foot[:-1], *up, *_round_rim(up[-1], down[0]), *down])


def tumbler() -> Array:
    """A straight glass with a thick bottom."""
    outside = [(0.0, 0.0), (0.018, 0.0), (0.036, 0.0), (0.0386, 0.0009), (0.04, 0.0035), (0.04, 0.03), (0.04, 0.085)]
    inside = [
        (0.037, 0.085),
        (0.037, 0.04),
        (0.037, 0.0155),
        (0.0357, 0.0118),
        (0.0325, 0.01),
        (0.016, 0.01),
        (0.0, 0.01),
    ]
    return np.array([*outside, *_round_rim(outside[-1], inside[0]), *inside])


def _smooth(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Twice as many points, on a curve through those given (Catmull and Rom)."""
    p = np.array([points[0], *points, points[-1]])
    middle = (9 * (p[1:-2] + p[2:-1]) - p[:-3] - p[3:]) / 16
    every = np.empty((2 * len(points) - 1, 2))
    every[::2], every[1::2] = points, middle
    return [(float(r), float(y)) for r, y in every]


def _round_rim(outer: tuple[float, float], inner: tuple[float, float]) -> list[tuple[float, float]]:
    """Half a circle from one point to another of the same height, without its ends."""
    middle, radius = (outer[0] + inner[0]) / 2, (outer[0] - inner[0]) / 2
    angles = np.linspace(0, np.pi, 9)[1:-1]
    return [(float(middle + radius * np.cos(a)), float(outer[1] + radius * np.sin(a))) for a in angles]


if __name__ == "__main__":
    bodies = {"bowl": bowl(), "tumbler": tumbler(), "wine_glass": wine_glass()}
    made = {name: turned(profile) for name, profile in bodies.items()} | {"bowl_lip": ring(0.073, 0.0074, 0.0345)}
    for name, mesh in made.items():
        file = Path(plash.__file__).parent / "scenes" / f"{name}.ply"
        file.write_bytes(ply_bytes(mesh))
        print(file)
