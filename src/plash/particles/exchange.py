"""Particles that come and go, with all others left in the order of their tiles: no whole sort is needed after."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.particles.particles import Particles


def insert_particles(particles: Particles, new: Particles) -> None:
    """Put new particles behind those of their tiles.

    Where their tile does not exist they go to the last one's, and if there is none they come last.
    """
    tiles, starts = particles.tiles, particles.starts
    if tiles is None or tiles.count == 0:
        particles.add(new)
        return
    coordinates = np.zeros((new.count, 3), np.int64)
    for axis in range(new.dimension):
        coordinates[:, axis] = new.cell[axis] // tiles.shape[2 - axis]
    slots = tiles.slots_of_coordinates(coordinates)
    slots[slots == 0] = tiles.count
    by_slot = np.argsort(slots, kind="stable")
    order = np.arange(particles.count, dtype=np.int64)
    order = np.insert(order, starts[slots[by_slot] + 1], particles.count + by_slot)
    counts = np.bincount(slots + 1, minlength=len(starts))
    _gather(particles, new, order)
    particles.starts = starts + np.cumsum(counts)


def remove_particles(particles: Particles, which: NDArray[np.int64]) -> None:
    """Take particles out, given by number."""
    stays = np.ones(particles.count, np.bool_)
    stays[which] = False
    counts = np.concatenate([[0], np.cumsum(stays)])
    starts: NDArray[np.int64] = counts[particles.starts]
    _gather(particles, Particles.none(particles.dimension), np.flatnonzero(stays))
    particles.starts = starts


def _gather(particles: Particles, new: Particles, order: NDArray[np.int64]) -> None:
    """Make every array that of the particles in order, where numbers from the count on are new ones."""
    flying = np.concatenate([particles.flying, np.zeros(new.count, np.bool_)])
    for name in ("cell", "offset", "velocity", "affine"):
        rows, more = getattr(particles, name), getattr(new, name)
        if len(rows):
            more = more if len(more) else np.zeros((len(rows), new.count), rows.dtype)
            result = np.empty((len(rows), len(order)), rows.dtype)
            _take(rows, np.ascontiguousarray(more), order, result, chunk_count())
            setattr(particles, name, result)
        else:
            setattr(particles, name, np.zeros((0, len(order)), rows.dtype))
    particles.volume = np.concatenate([particles.volume, new.volume])[order]
    particles.flying = flying[order]


@kernel
def _take(rows, more, order, result, chunks):  # type: ignore[no-untyped-def]
    n, old = len(order), rows.shape[1]
    for c in prange(chunks):
        for row in range(len(rows)):
            for p in range(c * n // chunks, (c + 1) * n // chunks):
                q = order[p]
                result[row, p] = rows[row, q] if q < old else more[row, q - old]
