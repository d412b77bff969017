"""What a scene says about heat, as a box of fluid sees it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.physics.box.advection import DenseAdvection
from plash.physics.box.diffusion import Diffusion
from plash.physics.box.heat import CarriedHeat, Heat, HeatedPlace, NoHeat
from plash.physics.box.obstacles import Obstacles
from plash.scene.model import Scene
from plash.scene.sources import HeatSource, Spout
from plash.solvers.build.buoyancy import buoyancy_of
from plash.solvers.build.pours import share_inside, share_of_spout, temperature_of

Array = NDArray[np.float64]


def heat_of(scene: Scene, advection: DenseAdvection, diffusion: Diffusion, obstacles: Obstacles) -> Heat:
    """The heat of a scene; none if everything in it is equally warm."""
    if not scene.has_heat:
        return NoHeat()
    return CarriedHeat(buoyancy_of(scene), advection, diffusion, obstacles, _places(scene))


def _places(scene: Scene) -> list[HeatedPlace]:
    """Where the temperature is held: sources of heat, and the cells that spouts keep full."""
    cells, h = scene.domain.cells[::-1], scene.domain.h
    places = []
    for source in scene.source:
        if isinstance(source, HeatSource):
            share = share_inside(source.shape, cells, h, source.name)
            places.append(HeatedPlace(share, source.temperature, source.start, source.end))
        elif isinstance(source, Spout):
            share, temperature = share_of_spout(scene, source), temperature_of(scene, source)
            places.append(HeatedPlace(share, temperature, source.start, source.end))
    return places
