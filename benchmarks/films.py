"""How much solids under thin films flicker: python -m benchmarks.films [--resolution 40] [--first 24] [--frames 16].

A dam breaks over a ball and a step. Of each frame the surface is made and drawn twice: with thin films as liquid on
dry solids (`mesh.films = true`, `look.drying_time = 0`), and without them on wet ones, as it is by default. Compared
are the pixels that show a solid or the floor under a thin film in two frames in a row. Of those, in levels of 255:

    change    mean change from frame to frame
    unsteady  the part of it that goes back in the next frame: mean of |p(t+1) - 2 p(t) + p(t-1)| / 2
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import plash
from plash.mesh.wetness import Wetness, advanced, sample_count, wet_surfaces
from plash.render.choice import renderer_of
from plash.render.moment import Moment, no_particles
from plash.render.preview.preview import picture_size
from plash.render.preview.raster import Layer, draw_triangles
from plash.render.preview.space import SpacePreview

Picture = NDArray[np.float32]
Flags = NDArray[np.bool_]

_FILM = 0.3  # of a film: pixels with more are compared


def films_seen(preview: SpacePreview, moment: Moment) -> Flags:
    """The pixels that show something under a film, and no liquid before it."""
    preview._prepare(moment.time)
    film = preview._film(moment)
    if film is None:
        return np.zeros((preview._view.height // 2, preview._view.width // 2), np.bool_)
    front = Layer.empty(preview._view, preview._opaque)
    draw_triangles(front, preview._view, moment.mesh.vertices, moment.mesh.faces)
    film[front.index >= 0] = 0
    rows, columns = film.shape
    least: Flags = film.reshape(rows // 2, 2, columns // 2, 2).min(axis=(1, 3)) > _FILM
    return least


def compared(shown: list[Picture], films: list[Flags]) -> tuple[float, float]:
    """Change and unsteadiness of pictures in a row."""
    changes, unsteady = list[Picture](), list[Picture]()
    for k in range(1, len(shown)):
        both = films[k - 1] & films[k]
        changes.append(np.abs(shown[k] - shown[k - 1])[both])
        if k > 1:
            three = both & films[k - 2]
            unsteady.append(np.abs(shown[k] - 2 * shown[k - 1] + shown[k - 2])[three] / 2)
    return float(np.concatenate(changes).mean()), float(np.concatenate(unsteady).mean())


def main() -> None:
    """Print a line for each way and quality."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="dam_break")
    parser.add_argument("--resolution", type=int, default=40)
    parser.add_argument("--first", type=int, default=24, help="the first frame that is drawn")
    parser.add_argument("--frames", type=int, default=16)
    parser.add_argument("--width", type=int, default=480)
    parser.add_argument("--quality", nargs="*", default=["draft"])
    asked = parser.parse_args()
    last = asked.first + asked.frames - 1
    look = {"look.width": asked.width, "look.tank": "none", "look.shutter": 0}
    wet = plash.load_scene(asked.scene, resolution=asked.resolution, frames=last, **look)
    dry = plash.load_scene(
        asked.scene, resolution=asked.resolution, frames=last, **look, **{"mesh.films": True, "look.drying_time": 0}
    )
    surfaces = wet_surfaces(wet.obstacles, wet.domain)
    wetness, moments = Wetness.dry(sample_count(surfaces)), dict[str, list[Moment]](dry=[], wet=[])
    before = 0.0
    for number, frame in enumerate(plash.simulate(wet), start=1):
        particles = frame.snapshot.as_particles()
        moving = (particles.position, particles.velocity, particles.volume)
        wetness = advanced(wetness, surfaces, moving, (before, frame.time), wet.look.drying_time, wet.domain.h)
        before = frame.time
        if number >= asked.first:
            nobody = no_particles(3)
            moments["dry"].append(Moment(frame.snapshot.surface(dry, frame.time), nobody, frame.time))
            shown = frame.snapshot.surface(wet, frame.time)
            moments["wet"].append(Moment(shown, nobody, frame.time, wetness=wetness))
    preview = SpacePreview(wet, *picture_size(wet))
    films = [films_seen(preview, moment) for moment in moments["wet"]]
    share = float(np.mean([film.mean() for film in films]))
    for quality in asked.quality:
        for name, words in (("dry", "films as liquid"), ("wet", "wet solids")):
            renderer = renderer_of(wet.with_values(look=wet.look.with_values(quality=quality)))
            pictures = [renderer.picture(moment).astype(np.float32) for moment in moments[name]]
            change, unsteady = compared(pictures, films)
            print(
                f"{asked.scene}, {quality}, {asked.frames} frames, {share:.1%} of the picture under thin films, "
                f"{words}: change {change:.2f}, unsteady {unsteady:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
