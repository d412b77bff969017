"""The particles of a frame on disk: `position` (m), `velocity` (m/s) and `volume` (m³; m² in 2-D), one row each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plash.errors import DamagedError
from plash.files.arrays import read_arrays, write_arrays
from plash.files.atomic import Written
from plash.solvers.state import FrameParticles


def write_particles(path: Path, particles: FrameParticles, number: int, time: float) -> Written:
    """Write the particles of a frame, with the frame's number and time (s)."""
    return write_arrays(
        path,
        {
            "position": particles.position,
            "velocity": particles.velocity,
            "volume": particles.volume,
            "frame": np.array(number),
            "time": np.array(time),
        },
    )


def read_particles(path: Path, expected: Written | None, remedy: str) -> tuple[FrameParticles, float]:
    """The particles of a frame, and its time (s)."""
    arrays = read_arrays(path, expected, remedy)
    try:
        particles = FrameParticles(arrays["position"], arrays["velocity"], arrays["volume"])
        return particles, float(arrays["time"])
    except KeyError as error:
        raise DamagedError(f"{path}: is no frame of particles: it has no array {error}. {remedy}") from None
