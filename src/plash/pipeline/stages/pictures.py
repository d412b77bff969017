"""A picture of each frame, of the liquid and what stands round it: render/frame.0001.png.

It is made from the surface, the particles or the volume, whichever the look shows, and depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plash.errors import DamagedError
from plash.files.atomic import read_bytes
from plash.pipeline.fingerprint import appearance
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, FileStage, Inputs, Source
from plash.pipeline.stages.surfaces import SURFACES
from plash.pipeline.stages.wetness import WETNESS, gets_wet, wetness_of_frame
from plash.pipeline.stages.whitewater import WHITEWATER, whitewater_of_frame
from plash.scene.model import Scene
from plash.scene.sets import LIGHTS

if TYPE_CHECKING:
    from plash.render.choice import Renderer
    from plash.render.moment import Moment
    from plash.render.video.png import Picture


def _inputs(scene: Scene, frame: int) -> Sequence[Source]:
    if scene.look.show != "surface":
        return [(SIMULATION, frame)]
    return [(SURFACES, frame), *whitewater_of_frame(scene, frame), *wetness_of_frame(scene, frame)]


def _settings(scene: Scene, frame: int) -> Sequence[object]:
    return appearance(scene), *([scene.whitewater.mote_size] if scene.whitewater.amount > 0 else [])


def _make(inputs: Inputs) -> bytes:
    from plash.render.video.png import png_bytes

    renderer: Renderer = inputs.prepared()
    return png_bytes(renderer.picture(_moment(inputs)))


def _moment(inputs: Inputs) -> Moment:
    """What the look shows of the liquid or smoke: stable fluids and smoke have no particles."""
    from plash.mesh.mesh import Mesh
    from plash.render.moment import Moment, no_particles

    nobody = no_particles(inputs.scene.dimension)
    if inputs.scene.look.show == "surface":
        motes = inputs.read(WHITEWATER) if inputs.scene.whitewater.amount > 0 else None
        wetness = inputs.read(WETNESS) if gets_wet(inputs.scene) else None
        return Moment(inputs.read(SURFACES), nobody, inputs.time, motes=motes, wetness=wetness)
    if inputs.scene.look.show == "volume":
        return Moment(Mesh.empty(), nobody, inputs.time, inputs.read(SIMULATION).as_volume())
    return Moment(Mesh.empty(), inputs.read(SIMULATION).dots(), inputs.time)


def _adapted(scene: Scene, or_plainer: bool) -> tuple[Scene, str]:
    from plash.render.choice import drawable

    return drawable(scene, or_plainer)


def _renderer(scene: Scene) -> Renderer:
    from plash.render.choice import renderer_of

    return renderer_of(scene)


def _is_ray_traced(scene: Scene) -> bool:
    from plash.render.choice import DRAWN

    return scene.look.quality != DRAWN


def _reads_a_light(scene: Scene) -> bool:
    """Whether light comes from a file, which may be no picture: that is found before anything is computed."""
    return _is_ray_traced(scene) and scene.look.seen_light not in LIGHTS


def _read(file: File, scene: Scene, frame: int) -> Picture:
    from plash.render.preview.preview import picture_size
    from plash.render.video.png import picture_from_png

    data = read_bytes(file.path, file.written, file.remedy)
    try:
        return picture_from_png(data, picture_size(scene))
    except ValueError as error:
        raise DamagedError(f"{file.path}: is damaged: {error}. {file.remedy}") from None


PICTURES: FileStage[Picture] = FileStage(
    name="render",
    title="rendering",
    edition=8,
    folders=("render",),
    after=(SIMULATION, SURFACES, WHITEWATER, WETNESS),
    file=lambda paths, frame: paths.folder.picture(frame),
    inputs=_inputs,
    settings=_settings,
    make=_make,
    read=_read,
    adapted=_adapted,
    prepared=_renderer,
    prepares_first=_reads_a_light,
    uses_all_cores=_is_ray_traced,
)
