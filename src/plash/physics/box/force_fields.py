"""Forces of a scene on the liquid in a box: by place and time, as on tiles, in proportion to the density.

    u += dt ρ a(x, t)      on faces, ρ the density there

as for weight: a force on all of a closed box would often be the gradient of a pressure, which moves nothing. That of a
point on all of the box always is.

Reference: Kuo 4.1, Cline step 3b.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plash.grid.box import at_faces, cell_centres, inner_faces
from plash.physics.force_fields import acceleration
from plash.scene.forces import Force, FunctionForce
from plash.timing import stage

Array = NDArray[np.float64]


@dataclass(eq=False)
class BoxForceField:
    """A force of the scene in a box.

    Attributes:
        force: As the scene has it.
        h: Cell size, m.
        share: How much of each cell lies where it acts, 0 to 1 [[z,] y, x].
    """

    force: Force
    h: float
    share: Array

    @stage
    def add(self, velocity: Array, density: Array, time: float, dt: float) -> None:
        """Add what the force does to the liquid for what lasts of dt."""
        lasting = max(0.0, min(time + dt, self.force.end) - max(time, self.force.start))
        if lasting == 0:
            return
        pulled = at_faces(np.stack([self.share * density] * len(velocity)))
        pull = self._at(time) if isinstance(self.force, FunctionForce) else self._steady
        velocity += lasting * pulled * pull

    @cached_property
    def _steady(self) -> Array:
        """The acceleration of a force that is the same at all times."""
        return self._at(0.0)

    def _at(self, time: float) -> Array:
        """Acceleration along the axis of each face at a time (s), [axis, [z,] y, x], m/s²; 0 on walls."""
        shape = self.share.shape
        centres = cell_centres(shape, self.h).reshape(*shape, len(shape))
        result = np.zeros((len(shape), *shape))
        for axis, component in enumerate(result):
            inner = inner_faces(axis, len(shape))
            places = centres[inner].copy()
            places[..., axis] -= self.h / 2
            pull = acceleration(self.force, places.reshape(-1, len(shape)), time)[:, axis]
            component[inner] = pull.reshape(places.shape[:-1])
        return result
