"""Particles that come and go, with all others left in the order of their tiles: no whole sort is needed after."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.carried import CARRIED
from plash.particles.particles import Particles, with_rows


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
    ends = starts[slots[by_slot] + 1]
    for name, quantity in CARRIED.items():
        values = getattr(particles, name)
        more = with_rows(getattr(new, name), values.shape[:-1], quantity.start)
        setattr(particles, name, _spliced(values, more[..., by_slot], ends))
    particles.starts = starts + np.cumsum(np.bincount(slots + 1, minlength=len(starts)))


def remove_particles(particles: Particles, which: NDArray[np.int64]) -> None:
    """Take particles out, given by number."""
    stays = np.ones(particles.count, np.bool_)
    stays[which] = False
    particles.keep(stays)


def _spliced(rows: NDArray[Any], more: NDArray[Any], before: NDArray[np.int64]) -> NDArray[Any]:
    """Rows with more entries put in, each before an entry of the rows; those are ascending."""
    cuts, first = np.unique(before, return_index=True)
    pieces = itertools.zip_longest(np.split(rows, cuts, axis=-1), np.split(more, first[1:], axis=-1))
    return np.concatenate([piece for pair in pieces for piece in pair if piece is not None], axis=-1)
