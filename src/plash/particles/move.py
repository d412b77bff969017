"""Particles carried along on straight paths: x += dt u, each with its own velocity in the middle of the step.

A particle's velocity is that of the liquid where the step began, after forces and pressure have brought it to the
middle of the step. Cline's equation 12 traces the path through the velocity field as it is then, y = x + dt u(x + dt/2
u(x)). But the liquid ahead takes its velocity along: so traced, a particle would get the velocity of other liquid, an
error of (dt/2) u·∇u, of first order. Straight paths in an even flow cross or part; the projection allows for that
(`physics/straight_paths.py`).
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_numbers
from plash.particles.particles import Particles
from plash.particles.positions import split_position
from plash.timing import stage

_STRETCH = 2048  # particles that are looked at together


@stage
def move_particles(particles: Particles, dt: float, h: float) -> None:
    """Move every particle with its velocity, and with what it slips along the liquid, for dt."""
    scaled = np.float32(dt / h)
    _move(particles.places, particles.velocity, particles.slip, scaled, chunk_count())


@stage
def accelerate(particles: Particles, before: NDArray[np.float32], dt: float) -> None:
    """Keep the acceleration (m/s²) that took particles from the velocities before (m/s) to what they are now in dt."""
    _accelerate(particles.acceleration, particles.velocity, before, np.float32(dt), chunk_count())


@stage
def stop_accelerating(particles: Particles, before: NDArray[np.float32]) -> None:
    """Forget the acceleration of particles that hit something: it does not go on.

    Args:
        particles: Those whose velocity is no longer what it was have hit something.
        before: Their velocities before, m/s.
    """
    _stop_accelerating(particles.acceleration, particles.velocity, before, chunk_count())


def velocity_after(particles: Particles, dt: float, gravity: float) -> NDArray[np.float32]:
    """Velocities (m/s) a short time dt later, if particles are accelerated as in the last step.

    An impact changes a velocity once, and does not go on: what is added is at most twice what gravity (m/s²) gives, and
    a quarter of the velocity.
    """
    added = particles.acceleration * np.float32(dt)
    size = np.sqrt((added * added).sum(axis=0))
    speed = np.sqrt((particles.velocity * particles.velocity).sum(axis=0))
    limit = np.float32(2 * gravity * abs(dt)) + np.float32(0.25) * speed
    later: NDArray[np.float32] = particles.velocity + added * np.minimum(1, limit / np.maximum(size, np.float32(1e-30)))
    return later


@kernel
def _accelerate(acceleration, velocity, before, dt, chunks):
    dimension, n = velocity.shape
    for c in prange(chunks):
        for axis in range(dimension):
            for p in chunk_numbers(c, chunks, n):
                acceleration[axis, p] = (velocity[axis, p] - before[axis, p]) / dt


@kernel
def _stop_accelerating(acceleration, velocity, before, chunks):
    dimension, n = velocity.shape
    for c in prange(chunks):
        hit = np.empty(_STRETCH, np.bool_)
        last = (c + 1) * n // chunks
        for first in range(c * n // chunks, last, _STRETCH):
            size = min(_STRETCH, last - first)
            hit[:] = False
            for axis in range(dimension):
                now, then = velocity[axis, first:], before[axis, first:]
                for k in range(size):
                    hit[k] |= now[k] != then[k]
            for axis in range(dimension if hit.any() else 0):
                values = acceleration[axis, first:]
                for k in range(size):
                    values[k] = np.float32(0) if hit[k] else values[k]


@kernel
def _move(places, velocity, slip, dt, chunks):
    cell, offset = places
    dimension, n = velocity.shape
    for c in prange(chunks):
        for axis in range(dimension):
            for p in chunk_numbers(c, chunks, n):
                u = velocity[axis, p]
                if len(slip):
                    u += slip[axis, p]
                whole, rest = split_position(offset[axis, p] + dt * u)
                cell[axis, p] += whole
                offset[axis, p] = rest
