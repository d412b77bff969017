"""Quick pictures of a scene, good enough to judge it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.render.preview.plane import PlanePreview
    from plash.render.preview.space import SpacePreview


def preview_of(scene: Scene) -> PlanePreview | SpacePreview:
    """The built-in renderer of a scene: camera, light and solids are prepared once for all its pictures.

    Example:
        >>> from plash.mesh.mesh import Mesh
        >>> from plash.render.moment import Moment, no_particles
        >>> from plash.scene import Box, Domain, Fill
        >>> block = Fill(shape=Box(min=(0, 0), max=(0.5, 0.5)))
        >>> preview = preview_of(Scene(domain=Domain(size=(2, 1)), fill=[block], look={"width": 64}))
        >>> preview.picture(Moment(Mesh.empty(), no_particles(2))).shape
        (32, 64, 3)
    """
    width, height = picture_size(scene)
    # One of them is enough: each comes with kernels of its own
    if scene.dimension == 2:
        from plash.render.preview.plane import PlanePreview

        return PlanePreview(scene, width, height)
    from plash.render.preview.space import SpacePreview

    return SpacePreview(scene, width, height)


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
