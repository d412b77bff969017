"""A look at a scene before anything is simulated: what stands where, and what the camera sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plash.errors import Problem, SceneError
from plash.mesh.fills import fills_mesh
from plash.mesh.mesh import Mesh
from plash.render.moment import Moment, no_particles
from plash.render.outlines import with_outlines
from plash.render.preview.preview import preview_of
from plash.scene.language.read import as_scene
from plash.scene.model import Scene
from plash.solvers.build.containers import with_shapes

if TYPE_CHECKING:
    from PIL.Image import Image

# At most: a look is to take no longer than a glance
_CELLS = {2: 160, 3: 40}  # along the longest side, of what has no surface
_SAMPLES = {2: 320, 3: 80}  # along it, of a surface
_SHOWN = (None, "speed", "material", "temperature")  # by colours, that a surface from shapes has
_WIDTH = 512  # pixels of the picture


def look(scene: Scene | str | Path, frame: int = 1) -> Image:
    """A picture of a scene as it begins, without simulating: liquid, solids, tank and camera, and outlines of sources.

    Solids, spouts and the camera are where they are at the frame; the liquid is as it begins, whatever the frame.
    The surface is that of the shapes. Particles and smoke of large scenes are on a coarser grid, of 40 cells along the
    longest side (160 in 2-D), the picture is 512 pixels wide at most, and the floor of a set has no pattern.

    Args:
        scene: A scene, a name from `plash.gallery()`, or the path of a scene file.
        frame: The frame whose time it is.

    Returns:
        A picture of Pillow's. Notebooks show it, `numpy.asarray` has its pixels, `save` writes a file.

    Raises:
        SceneError: The scene has no such frame.

    Example:
        >>> import plash
        >>> plash.look(plash.load_scene("dam_break_2d", resolution=16, **{"look.width": 64})).size
        (64, 32)
    """
    from PIL import Image

    scene = _quick(as_scene(scene))
    if not 1 <= frame <= scene.time.frames:
        raise SceneError([Problem("frame", f"{frame} is no frame of the scene: it has 1 to {scene.time.frames}")])
    time = (frame - 1) / scene.time.fps
    picture = preview_of(scene).picture(_moment(scene, time))
    return Image.fromarray(with_outlines(picture, scene, time))


def _coarse(scene: Scene) -> Scene:
    """The scene on a grid that is not too fine."""
    most = _CELLS[scene.dimension]
    if max(scene.domain.cells) <= most:
        return scene
    return scene.with_values(domain=scene.domain.with_values(resolution=most, cell_size=None))


def _quick(scene: Scene) -> Scene:
    """The scene with a small picture on a plain floor of the same colour, in the same light."""
    look = scene.look
    width = min(look.width, _WIDTH)
    height = None if look.height is None else max(16, 2 * round(look.height * width / look.width / 2))
    plain = {"set": "studio", "background": look.seen_background, "light": look.seen_light}
    return scene.with_values(look=look.with_values(width=width, height=height, **plain))


def _moment(scene: Scene, time: float) -> Moment:
    """The fluid as it begins, at the time of the picture."""
    nobody, look = no_particles(scene.dimension), scene.look
    if look.show == "surface" and look.color_by in _SHOWN:
        fills = with_shapes(scene).fill
        samples = _SAMPLES[scene.dimension]
        return Moment(fills_mesh(fills, scene.solids_at(0.0), scene.domain, scene.liquid, samples), nobody, time)
    from plash.solvers.build import build

    scene = _coarse(scene)
    snapshot = build(scene).snapshot()
    if look.show == "surface":
        return Moment(snapshot.surface(scene, 0.0), nobody, time)
    if look.show == "volume":
        return Moment(Mesh.empty(), nobody, time, snapshot.as_volume())
    return Moment(Mesh.empty(), snapshot.dots(), time)
