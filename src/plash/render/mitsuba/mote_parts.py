"""Spray, foam and bubbles for Mitsuba: small balls, white outside the liquid and glassy inside it.

Balls are triangles in one mesh for each kind: Mitsuba's own are slow in great numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plash.mesh.ball import unit_ball
from plash.mesh.mesh import Mesh
from plash.render.mitsuba.guides import Content, shown_triangles
from plash.render.mitsuba.materials import Part, Surface, rgb
from plash.render.mitsuba.placing import Placing
from plash.whitewater.motes import BUBBLE, FOAM, KINDS, SPRAY, Motes

_WHITE = {SPRAY: np.array([0.9, 0.93, 0.95]), FOAM: np.array([0.93, 0.94, 0.94]), BUBBLE: np.array([0.85, 0.93, 0.95])}
_OPACITY = {SPRAY: 0.8, FOAM: 1.0, BUBBLE: 0.5}
_ROUND = 1.15  # a ball of 20 triangles is as large as a round one if its corners are so much further out


def shown_motes(mi: Any, placing: Placing, motes: Motes, largest: float, seconds: float) -> Content:
    """Motes as rays meet them.

    Args:
        mi: Mitsuba.
        placing: Of the domain.
        motes: Of a frame, in 3-D.
        largest: Radius of the largest, m.
        seconds: After the time of the frame, at which they are wanted: they keep their velocities.
    """
    made: Content = {}
    for kind, name in enumerate(KINDS):
        shown = motes.of_kind(kind)
        if len(shown):
            mesh = _balls(shown, largest, seconds)
            made[f"motes_{name}"] = shown_triangles(mi, placing, mesh, _surface(kind))
    return made


def _balls(motes: Motes, largest: float, seconds: float) -> Mesh:
    ball = unit_ball(3, rounds=0)
    points, faces = ball.vertices, ball.faces
    # Foam shrinks at the end of its life
    left = np.clip(3 * (1 - motes.age / np.maximum(motes.lifetime, 1e-30)), 0.05, 1.0)
    radius = _ROUND * largest * motes.size * left
    centers = motes.position + seconds * motes.velocity
    vertices = centers[:, None] + radius[:, None, None] * points
    first = len(points) * np.arange(len(motes))[:, None, None]
    return Mesh(
        vertices.reshape(-1, 3).astype(np.float32),
        (faces + first).reshape(-1, 3).astype(np.int32),
        np.tile(points, (len(motes), 1)).astype(np.float32),
    )


def _surface(kind: int) -> Surface:
    color = rgb(_WHITE[kind])
    white: Part = {"type": "twosided", "bsdf": {"type": "diffuse", "reflectance": color}}
    masked = white if _OPACITY[kind] == 1 else {"type": "mask", "opacity": _OPACITY[kind], "bsdf": white}
    return Surface({"bsdf": masked}, color)
