"""Smoke in 3-D pictures: how it is lit, cell by cell, and what of it is seen in front of what is opaque."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_slots
from plash.grid.tiles import Tiles
from plash.grid.volume import Volume
from plash.render.camera import box_corners, framing
from plash.render.preview.lights import ShadowMap, cover_before
from plash.render.preview.smoke_light import crossed_at, lit_depths, scattered, smoke_shadows
from plash.render.preview.studio import LAMP_SOFTNESS, SKY_SOFTNESS, StudioLights
from plash.render.smoke.bricks import Bricks, brick_tiles, empty_bricks, fill_bricks
from plash.render.smoke.fire import FireLamps, fire_lamps, fire_light
from plash.render.smoke.optics import SmokeFields, SmokeOptics, emitted, fades, tint_at

Floats = NDArray[np.float32]
Array = NDArray[np.float64]

_LAMP, _SKY = np.float32(0.85), np.float32(0.42)  # how bright white smoke is in their light
_FINEST, _COARSEST = 96, 288  # rays of a lamp across its picture
_GROWTH = 0.25  # steps in which the box of the lamps grows round smoke that leaves the domain, in domain sizes


@dataclass(frozen=True, eq=False)
class LitSmoke:
    """Smoke with its light, ready to be seen.

    Attributes:
        bricks: How fast light fades, and what is sent out.
        shadows: Maps of the shadows that it casts, for the lamp and for the sky.
        lamps: Its flames.
    """

    bricks: Bricks
    shadows: tuple[ShadowMap, ShadowMap]
    lamps: FireLamps


def lit_smoke(
    volume: Volume,
    optics: SmokeOptics,
    studio: StudioLights,
    size: Array,
    solids: ShadowMap | None,
    without_flames: bool = False,
) -> LitSmoke | None:
    """The smoke of a volume in the light of the room; None where there is nothing to be seen.

    Args:
        volume: Smoke and flames.
        optics: How they treat light.
        studio: The lights.
        size: Of the domain, m.
        solids: Shadows of solids in the light of the lamp.
        without_flames: Leave out what flames hide and what glows; their light on the smoke stays.
    """
    if volume.tiles.count == 0:
        return None
    tiles = brick_tiles(volume)
    if tiles.count == 0:
        return None
    h = volume.h
    smoke = SmokeFields.of(volume.without("flame") if without_flames else volume, tiles)
    cells = np.zeros((tiles.count + 1, *tiles.shape, 4), np.float32)
    bricks = empty_bricks(tiles, h)
    _set_fades(cells, smoke, optics, chunk_count())
    fill_bricks(bricks, tiles, cells, 0, 1)
    box = _box_of(tiles, size, h)
    across = float(np.sqrt(np.sum((box[1] - box[0]) ** 2)))
    rays = int(np.clip(16 * np.ceil(1.1 * across / h / 16), _FINEST, _COARSEST))
    lamp = framing(box_corners(*box), studio.to_lamp, 14.0, (rays, rays), 0.12)
    sky = framing(box_corners(*box), np.array([0.0, 1, 0]), 20.0, (rays // 2, rays // 2), 0.2)
    finest = max(h, 1.2 * across / rays)
    from_lamp, from_sky = (lit_depths(view, bricks, box, finest) for view in (lamp, sky))
    lamps = fire_lamps(volume, optics)
    _light(cells, smoke, optics, from_lamp, from_sky, _shade_of(solids), h, chunk_count())
    if len(lamps.places) and not without_flames:
        _add_glow(cells, smoke, optics, chunk_count())
    if len(lamps.places):
        _add_firelight(cells, smoke, optics, lamps, h, chunk_count())
    fill_bricks(bricks, tiles, cells, 1, 4)
    shadows = (
        smoke_shadows(lamp, from_lamp, LAMP_SOFTNESS, 2 * h),
        smoke_shadows(sky, from_sky, SKY_SOFTNESS, 2 * h),
    )
    return LitSmoke(bricks, shadows, lamps)


def glowing_smoke(volume: Volume, optics: SmokeOptics, lit: LitSmoke) -> LitSmoke:
    """Lit smoke of a volume as it would be in the dark: what it and its flames send out by themselves is left."""
    tiles = brick_tiles(volume)
    smoke = SmokeFields.of(volume, tiles)
    cells = np.zeros((tiles.count + 1, *tiles.shape, 4), np.float32)
    _set_fades(cells, smoke, optics, chunk_count())
    _add_glow(cells, smoke, optics, chunk_count())
    bricks = empty_bricks(tiles, volume.h)
    fill_bricks(bricks, tiles, cells, 0, 4)
    return replace(lit, bricks=bricks)


def _box_of(tiles: Tiles, size: Array, h: float) -> tuple[Array, Array]:
    """Corners of the domain, grown in large steps until it holds all tiles: the lamps rarely move."""
    cells = np.array(tiles.shape[::-1]) * h
    grown = _GROWTH * float(size.max())
    below = np.maximum(-tiles.coordinates[1:].min(axis=0) * cells - cells, 0)
    above = np.maximum((tiles.coordinates[1:].max(axis=0) + 1) * cells - cells - size, 0)
    return -grown * np.ceil(below / grown), size + grown * np.ceil(above / grown)


class _Shade(NamedTuple):
    """A shadow map of solids for kernels; without solids its atlas is one sample."""

    atlas: Floats
    lamp: Array
    softness: float
    grain: float
    middle: float


def _shade_of(solids: ShadowMap | None) -> _Shade:
    if solids is None:
        return _Shade(np.zeros((1, 1, 4), np.float32), np.zeros(15), 0.0, 0.0, 0.0)
    return _Shade(solids.atlas, solids.view.packed, solids.softness, solids.grain, solids.middle)


@kernel
def _set_fades(cells, smoke, optics, chunks):
    _, deep, high, wide, _ = cells.shape
    for chunk in numba.prange(chunks):
        for slot in chunk_slots(chunk, chunks, len(smoke.homes)):
            home = smoke.homes[slot - 1]
            if home == 0:
                continue
            for z in range(deep):
                for y in range(high):
                    for x in range(wide):
                        by_smoke, by_flame = fades(smoke, optics, home, z, y, x)
                        cells[slot, z, y, x, 0] = by_smoke + by_flame


@kernel
def _light(cells, smoke, optics, lamp, sky, shade, h, chunks):
    _, deep, high, wide, _ = cells.shape
    for chunk in numba.prange(chunks):
        for slot in chunk_slots(chunk, chunks, len(smoke.homes)):
            home, origin = smoke.homes[slot - 1], smoke.origins[slot]
            if home == 0:
                continue
            for z in range(deep):
                for y in range(high):
                    for x in range(wide):
                        if cells[slot, z, y, x, 0] <= 0:
                            continue
                        px, py, pz = (origin[0] + x + 0.5) * h, (origin[1] + y + 0.5) * h, (origin[2] + z + 0.5) * h
                        light = _LAMP * scattered(crossed_at(lamp, px, py, pz))
                        if len(shade.atlas) > 1:
                            cover, _, _ = cover_before(
                                shade.atlas, shade.lamp, shade.softness, shade.grain, shade.middle, px, py, pz
                            )
                            light *= np.float32(1 - cover)
                        light += _SKY * scattered(crossed_at(sky, px, py, pz))
                        by_smoke, _ = fades(smoke, optics, home, z, y, x)
                        for part in range(3):
                            cells[slot, z, y, x, 1 + part] = (
                                by_smoke * tint_at(smoke, optics, home, z, y, x, part) * light
                            )


@kernel
def _add_glow(cells, smoke, optics, chunks):
    _, deep, high, wide, _ = cells.shape
    for chunk in numba.prange(chunks):
        for slot in chunk_slots(chunk, chunks, len(smoke.homes)):
            home = smoke.homes[slot - 1]
            if home == 0:
                continue
            for z in range(deep):
                for y in range(high):
                    for x in range(wide):
                        for part in range(3):
                            cells[slot, z, y, x, 1 + part] += emitted(smoke, optics, home, z, y, x, part)


@kernel
def _add_firelight(cells, smoke, optics, lamps, h, chunks):
    _, deep, high, wide, _ = cells.shape
    for chunk in numba.prange(chunks):
        for slot in chunk_slots(chunk, chunks, len(smoke.homes)):
            home, origin = smoke.homes[slot - 1], smoke.origins[slot]
            if home == 0:
                continue
            for z in range(deep):
                for y in range(high):
                    for x in range(wide):
                        if cells[slot, z, y, x, 0] <= 0:
                            continue
                        px, py, pz = (origin[0] + x + 0.5) * h, (origin[1] + y + 0.5) * h, (origin[2] + z + 0.5) * h
                        by_smoke, _ = fades(smoke, optics, home, z, y, x)
                        falling = fire_light(lamps, px, py, pz, 0.0, 0.0, 0.0)
                        for part in range(3):
                            tint = tint_at(smoke, optics, home, z, y, x, part)
                            cells[slot, z, y, x, 1 + part] += np.float32(by_smoke * tint * falling[part] / np.pi)
