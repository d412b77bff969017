"""New motes: how many each particle of the liquid makes in a frame, and where."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from plash.scene.domain import Domain
from plash.scene.whitewater import Whitewater
from plash.whitewater.chance import Draw
from plash.whitewater.flow import Flow
from plash.whitewater.motes import SPRAY, Motes
from plash.whitewater.potentials import Potentials, potentials

_EARTH = 9.81  # m/s², where a scene has no gravity
_MOST_A_CELL = 600.0  # motes that a cell of liquid makes at full potentials during a fall through the domain's height
_OF_AIR, _OF_CREST = 0.6, 1.0  # how much of that by trapped air, and by crests
_AROUND = 0.5  # cells from the particle that motes are born in
_STRAY = 0.25  # of the parent's speed by which that of a mote may differ along each axis, to both sides together
_SMALLEST = 0.35  # of the largest radius

# What random numbers are for
_HOW_MANY, _WHICH, _SIZE, _LIFE, _ALONG, _OFF, _ASTRAY = 0, 1, 2, 3, 4, 5, 8


@dataclass(frozen=True)
class Ranges:
    """Where potentials begin and end, and how long foam lasts, of a scene.

    Attributes:
        trapped_air: m/s.
        wave_crest: m/s.
        energy: J/kg.
        lifetime: s.
        fall: Time of a fall through the domain's height, s.
    """

    trapped_air: tuple[float, ...]
    wave_crest: tuple[float, ...]
    energy: tuple[float, ...]
    lifetime: float
    fall: float

    @staticmethod
    def of(whitewater: Whitewater, domain: Domain) -> Ranges:
        """Those that a scene gives; what it does not give is in proportion to a fall through the domain's height."""
        gravity, height = math.hypot(*domain.gravity) or _EARTH, domain.size[1]
        speed, fall = math.sqrt(2 * gravity * height), math.sqrt(2 * height / gravity)
        return Ranges(
            whitewater.trapped_air or (0.012 * speed, 0.06 * speed),
            whitewater.wave_crest or (0.003 * speed, 0.02 * speed),
            whitewater.energy or (0.02 * gravity * height, 0.12 * gravity * height),
            whitewater.lifetime or 3 * fall,
            fall,
        )


def born(flow: Flow, whitewater: Whitewater, domain: Domain, draw: Draw, dt: float) -> Motes:
    """The motes that liquid makes in the time dt (s) before a frame; as spray, until somebody looks where they are."""
    ranges = Ranges.of(whitewater, domain)
    found = potentials(flow, ranges.energy[0])
    expected = whitewater.amount * dt * _rate(found, ranges) * flow.particles.volume[found.number]
    many = np.floor(expected + draw.chances(found.number, _HOW_MANY)).astype(np.int64)
    parent = np.repeat(found.number, many)
    if len(parent) == 0:
        return Motes.none(domain.dimension)
    # A number for each: that of its parent, and which of its children it is
    first = np.cumsum(many) - many
    child = (parent << 20) + np.arange(len(parent)) - np.repeat(first, many)
    return _placed(flow, ranges, domain, parent, child, draw, dt)


def within(motes: Motes, alive: int, most: int, draw: Draw) -> Motes:
    """As many of some new motes as there is room for, chosen at random; the tally says how many were refused."""
    room = max(most - alive, 0)
    if len(motes) <= room:
        return motes
    lots = draw.chances(np.arange(len(motes)), _WHICH)
    kept = np.zeros(len(motes), np.bool_)
    kept[np.argsort(lots, kind="stable")[:room]] = True
    return replace(motes.only(kept), tally=replace(motes.tally, refused=len(motes) - room))


def _rate(found: Potentials, ranges: Ranges) -> NDArray[np.float64]:
    """Motes that a cell of liquid makes, 1/s."""
    air, crest = _share(found.approach, ranges.trapped_air), _share(found.crest, ranges.wave_crest)
    rate: NDArray[np.float64] = _share(found.energy, ranges.energy) * (_OF_AIR * air + _OF_CREST * crest)
    return _MOST_A_CELL / ranges.fall * rate


def _share(value: NDArray[np.float64], ends: tuple[float, ...]) -> NDArray[np.float64]:
    """From 0 at the first end to 1 at the second."""
    share: NDArray[np.float64] = np.clip((value - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0)
    return share


def _placed(
    flow: Flow,
    ranges: Ranges,
    domain: Domain,
    parent: NDArray[np.int64],
    child: NDArray[np.int64],
    draw: Draw,
    dt: float,
) -> Motes:
    """Motes round the ways that their parents came: along at most a cell of it, and half a cell off."""
    particles, h, d = flow.particles, domain.h, domain.dimension
    velocity = particles.velocity[:, parent].T.astype(np.float64)
    speed = np.sqrt(np.einsum("ij,ij->i", velocity, velocity))
    back = np.minimum(dt, h / np.maximum(speed, 1e-30)) * draw.chances(child, _ALONG)
    off = np.stack([draw.chances(child, _OFF + axis) for axis in range(d)], axis=1) - 0.5
    place = particles.cell[:, parent].T.astype(np.float64) + particles.offset[:, parent].T
    place = h * place + 2 * _AROUND * h * off - back[:, None] * velocity
    astray = np.stack([draw.chances(child, _ASTRAY + axis) for axis in range(d)], axis=1) - 0.5
    velocity += _STRAY * speed[:, None] * astray
    lives = ranges.lifetime * (0.3 + 1.4 * draw.chances(child, _LIFE))
    # There are many more small ones than large ones
    sizes = _SMALLEST + (1 - _SMALLEST) * draw.chances(child, _SIZE) ** 3
    return Motes(
        place,
        velocity.astype(np.float32),
        np.zeros(len(parent), np.float32),
        lives.astype(np.float32),
        sizes.astype(np.float32),
        np.full(len(parent), SPRAY, np.uint8),
    )
