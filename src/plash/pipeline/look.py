"""A look at a scene before anything is simulated: what stands where, and what the camera sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plash.errors import Problem, SceneError
from plash.mesh.mesh import Mesh
from plash.render.moment import Moment, no_particles
from plash.render.outlines import with_outlines
from plash.render.preview.preview import preview_of
from plash.scene.language.read import as_scene
from plash.scene.model import Scene
from plash.solvers.build import build

if TYPE_CHECKING:
    from PIL.Image import Image

_CELLS = {2: 160, 3: 40}  # along the longest side, at most: a look is to take no longer than a glance


def look(scene: Scene | str | Path, frame: int = 1) -> Image:
    """A picture of a scene as it begins, without simulating: liquid, solids, tank and camera, and outlines of sources.

    Solids, spouts and the camera are where they are at the frame; the liquid is as it begins, whatever the frame.
    Large scenes are filled on a coarser grid, of 40 cells along the longest side (160 in 2-D).

    Args:
        scene: A scene, a name from `plash.gallery()`, or the path of a scene file.
        frame: The frame whose time it is.

    Returns:
        A picture of Pillow's: notebooks show it, `numpy.asarray` has its pixels, `save` writes a file.

    Raises:
        SceneError: The scene has no such frame.

    Example:
        >>> import plash
        >>> plash.look(plash.load_scene("dam_break_2d", resolution=16, **{"look.width": 64})).size
        (64, 32)
    """
    from PIL import Image

    scene = _coarse(as_scene(scene))
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


def _moment(scene: Scene, time: float) -> Moment:
    """The fluid as it begins, at the time of the picture."""
    snapshot, nobody = build(scene).snapshot(), no_particles(scene.dimension)
    if scene.look.show == "surface":
        return Moment(snapshot.surface(scene, 0.0), nobody, time)
    if scene.look.show == "volume":
        return Moment(Mesh.empty(), nobody, time, snapshot.as_volume())
    return Moment(Mesh.empty(), snapshot.dots(), time)
