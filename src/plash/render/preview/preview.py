"""Quick pictures of a scene, good enough to judge it by."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from plash.carried import NO_SCALARS
from plash.mesh.mesh import Mesh
from plash.render.preview.plane import PlanePreview
from plash.render.preview.space import SpacePreview
from plash.scene.model import Scene


class Preview:
    """Takes pictures of one scene. Camera, light and solids are prepared once.

    Example:
        >>> from plash.scene import Box, Domain, Fill
        >>> block = Fill(shape=Box(min=(0, 0), max=(0.5, 0.5)))
        >>> preview = Preview(Scene(domain=Domain(size=(2, 1)), fill=[block], look={"width": 64}))
        >>> preview.picture(None, np.zeros((0, 2)), np.zeros((0, 2), np.float32), np.zeros(0)).shape
        (32, 64, 3)
    """

    def __init__(self, scene: Scene) -> None:
        width, height = picture_size(scene)
        self._taker = (PlanePreview if scene.dimension == 2 else SpacePreview)(scene, width, height)

    def picture(
        self,
        mesh: Mesh | None,
        position: NDArray[np.float64],
        velocity: NDArray[np.floating],
        volume: NDArray[np.float64],
        time: float = 0.0,
        scalars: Mapping[str, NDArray[np.floating]] = NO_SCALARS,
    ) -> NDArray[np.uint8]:
        """The picture (height, width, 3) of a frame, in sRGB.

        Args:
            mesh: The liquid's surface; None if there is none, or it is not shown.
            position: Of the particles (n, axes), m.
            velocity: Of the particles (n, axes), m/s.
            volume: Of the particles (n,), m³ (m² in 2-D).
            time: Of the frame, s: where a camera that moves is.
            scalars: What else the particles carry (n,), by name.
        """
        return self._taker.picture(mesh, position, velocity, volume, time, scalars)


def picture_size(scene: Scene) -> tuple[int, int]:
    """Width and height of a scene's pictures, both even."""
    look = scene.look
    if look.height is not None:
        return look.width, look.height
    part = 9 / 16
    if scene.dimension == 2:
        across, up = scene.domain.cells
        part = min(max(up / across, 1 / 8), 8)
    return look.width, min(max(16, 2 * round(look.width * part / 2)), 8192)
