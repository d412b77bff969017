"""A shear modulus that follows the temperature: jelly that melts, and sets again.

The stress 2 G E is that of a net of bonds. Those that break as the modulus falls from G to G' take their share of the
stress along, so the strain of the rest stays what it is. Those that form as it rises are not strained, so the stress
stays what it is:

    E <- E                where G falls,        E <- E G/G'        where it rises

Liquid that has melted, G = 0, has no strain: where it sets it rests in the shape that it has then.

Reference: Green & Tobolsky 1946, for nets whose bonds break and form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plash.particles.particles import Particles
from plash.scene.ramps import Ramp
from plash.timing import stage


@stage
def follow_temperature(particles: Particles, ramp: Ramp) -> None:
    """Give particles the shear modulus (Pa) of their temperature, and those that set less strain."""
    kept = share_of_strain_kept(particles, ramp)
    particles.strain_tensor *= kept
    particles.strain[0] *= kept.astype(np.float32)


def share_of_strain_kept(particles: Particles, ramp: Ramp) -> NDArray[np.float64]:
    """Give particles the shear modulus (Pa) of their temperature; returns the share that each keeps of its strain."""
    before = particles.elastic[0]
    now = ramp.each(particles.temperature[0])
    kept: NDArray[np.float64] = np.divide(before, now, out=np.zeros_like(now), where=now > 0)
    particles.elastic[0] = now
    np.minimum(kept, 1.0, out=kept)
    return kept
