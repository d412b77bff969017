"""How wet solids and the floor are in each frame, from the particles and the frame before: wet/wet.0001.npz.

A frame follows from the one before, but all that is needed is in files, as for whitewater.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plash.pipeline.fingerprint import fingerprint, physics
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import File, FileStage, Inputs, Source, every_frame
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.mesh.wetness import Wetness, WetSurface


def gets_wet(scene: Scene) -> bool:
    """Whether pictures of a scene show wet solids: those of a closed surface of particles, in 3-D."""
    look = scene.look
    shown = scene.dimension == 3 and look.show == "surface" and scene.mesh.walls == "closed"
    return shown and look.drying_time > 0 and not scene.solver.has_no_particles


def _wanted(scene: Scene) -> Sequence[int]:
    return every_frame(scene) if gets_wet(scene) else ()


def wetness_of_frame(scene: Scene, frame: int) -> Sequence[Source]:
    """The file of a frame, of a scene whose pictures show wet solids; else none."""
    return [(WETNESS, frame)] if gets_wet(scene) else []


def _inputs(scene: Scene, frame: int) -> Sequence[Source]:
    return [(SIMULATION, frame), *([(WETNESS, frame - 1)] if frame > 1 else [])]


def _settings(scene: Scene, frame: int) -> Sequence[object]:
    materials = [solid.look.material for solid in scene.obstacles]
    return scene.look.drying_time, materials, fingerprint(physics(scene)), scene.time.fps


def _surfaces(scene: Scene) -> list[WetSurface]:
    from plash.mesh.wetness import wet_surfaces

    return wet_surfaces(scene.obstacles, scene.domain)


def _make(inputs: Inputs) -> bytes:
    from plash.files.wetness import wetness_bytes
    from plash.mesh.wetness import Wetness, advanced, sample_count

    scene, frame = inputs.scene, inputs.number
    surfaces: list[WetSurface] = inputs.prepared()
    before = inputs.read(WETNESS, frame - 1) if frame > 1 else Wetness.dry(sample_count(surfaces))
    particles = inputs.read(SIMULATION).as_particles()
    moving = (particles.position, particles.velocity, particles.volume)
    times = inputs.time - (1 / scene.time.fps if frame > 1 else 0.0), inputs.time
    wetness = advanced(before, surfaces, moving, times, scene.look.drying_time, scene.domain.h)
    return wetness_bytes(wetness, frame)


def _read(file: File, scene: Scene, frame: int) -> Wetness:
    from plash.files.wetness import read_wetness

    return read_wetness(file.path, frame, file.written, file.remedy)


WETNESS: FileStage[Wetness] = FileStage(
    name="wet",
    title="wet solids",
    edition=1,
    folders=("wet",),
    wanted=_wanted,
    after=(SIMULATION,),
    file=lambda paths, frame: paths.folder.root / "wet" / f"wet.{frame:04d}.npz",
    inputs=_inputs,
    settings=_settings,
    make=_make,
    read=_read,
    prepared=_surfaces,
)
