"""The three free surfaces on one scene: picture, volume and energy, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import plash
from plash.mesh.reconstruct import liquid_surface
from plash.render.moment import Moment
from plash.render.preview.preview import preview_of

SURFACES = ("ghost", "staircase", "cells")
SHOWN = (14, 26, 60)


@dataclass(frozen=True)
class Run:
    """What one surface made of the scene.

    Attributes:
        surface: Its name.
        time: Of each frame, s.
        volume: Measured volume over its target, less one.
        energy: Kinetic and potential energy over that at the start.
        steps: Time steps.
        iterations: Mean pressure iterations of a step.
        pictures: Of the frames SHOWN.
    """

    surface: str
    time: NDArray[np.float64]
    volume: NDArray[np.float64]
    energy: NDArray[np.float64]
    steps: int
    iterations: float
    pictures: list[NDArray[np.uint8]]


def run_surface(surface: str, resolution: int = 96, frames: int = 121) -> Run:
    """Run the 2-D dam break with one of the surfaces."""
    solids = "voxel" if surface == "cells" else "cut"
    scene = plash.load_scene(
        "dam_break_2d",
        resolution=resolution,
        frames=frames,
        **{"solver.free_surface": surface, "solver.solids": solids, "look.width": 480},
    )
    preview = preview_of(scene)
    time, volume, energy, pictures, iterations = [], [], [], [], list[int]()
    for frame in plash.simulate(scene):
        seen, ledger = frame.particles, frame.ledger
        speed = (seen.velocity.astype(np.float64) ** 2).sum(axis=1)
        time.append(frame.time)
        volume.append(ledger.volume / ledger.target_volume - 1)
        energy.append(float(seen.volume @ (0.5 * speed + 9.81 * seen.position[:, 1])))
        iterations += [step.iterations for step in frame.steps]
        if frame.number in SHOWN:
            arrays = (seen.position, seen.velocity, seen.volume)
            mesh = liquid_surface(*arrays, scene.domain.h, scene.mesh, scene.domain, scene.solid)
            pictures.append(preview.picture(Moment(mesh, seen)))
    return Run(
        surface,
        np.array(time),
        np.array(volume),
        np.array(energy) / energy[0],
        len(iterations),
        float(np.mean(iterations)),
        pictures,
    )


def side_by_side(runs: list[Run], path: Path) -> None:
    """A picture of all: a column for each surface, a row for each frame shown."""
    from PIL import Image

    gap = 8
    rows, columns = len(SHOWN), len(runs)
    height, width, _ = runs[0].pictures[0].shape
    sheet = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap, 3), 255, np.uint8)
    for column, run in enumerate(runs):
        for row, picture in enumerate(run.pictures):
            top, left = row * (height + gap), column * (width + gap)
            sheet[top : top + height, left : left + width] = picture
    Image.fromarray(sheet).save(path, optimize=True)
