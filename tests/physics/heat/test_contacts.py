"""Warm walls: which cells touch them, and how well."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.particles.sort import sort_particles
from plash.physics.heat.contacts import WarmWalls
from plash.physics.heat.heat import CarriedHeat
from plash.solvers.build.liquid import build_liquid


def contacts(solids="cut", solid=(), sides=None, size=(0.6, 0.4), resolution=24):
    """What a box full of liquid touches."""
    tables: dict[str, Any] = {
        "domain": {
            "size": size,
            "resolution": resolution,
            "side_temperature": sides or {},
            "gravity": (0,) * len(size),
        },
        "solver": {"solids": solids},
        "fill": [{"shape": {"kind": "box", "min": (0,) * len(size), "max": size}}],
        "solid": list(solid),
    }
    scene = plash.Scene(**tables)
    solver = build_liquid(scene)
    assert isinstance(solver.heat, CarriedHeat)
    particles = solver.state.particles
    sort_particles(particles, 3)
    on_tiles = solver.solids.at(particles.tiles)
    return solver.heat.walls.contacts(on_tiles, 0.0), on_tiles, scene


def test_a_warm_side_touches_the_layer_of_cells_beside_it():
    found, solids, _ = contacts(sides={"x_max": 350.0, "y_min": 310.0})
    assert (found.conductance == 2).all()
    x = solids.tiles.origins[found.places[0], 0] + found.places[3]
    y = solids.tiles.origins[found.places[0], 1] + found.places[2]
    assert (x[found.temperature == 350] == 23).all()
    assert (y[found.temperature == 310] == 0).all()
    assert sorted(y[found.temperature == 350]) == list(range(16))
    assert sorted(x[found.temperature == 310]) == list(range(24))


def test_sides_in_3d():
    found, _, _ = contacts(sides={"z_min": 350.0}, size=(0.6, 0.4, 0.3), resolution=12)
    assert len(found.conductance) == 12 * 8


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_a_body_along_the_cells_is_half_a_cell_away(solids):
    box = {"shape": {"kind": "box", "min": (0.2, 0.1), "max": (0.4, 0.3)}, "temperature": 340.0}
    found, _, _ = contacts(solids, [box])
    assert found.conductance.sum() == pytest.approx(2 * 32, rel=1e-5)  # four sides of eight cells
    assert (found.temperature == 340).all()


def test_a_ball_touches_with_all_of_its_surface():
    """The areas in cut cells add up to the circle, so conductance times distance does."""
    for resolution in (24, 48):
        ball = {"shape": {"kind": "sphere", "center": (0.31, 0.21), "radius": 0.1}, "temperature": 340.0}
        found, solids, scene = contacts("cut", [ball], resolution=resolution)
        slot, _, y, x = found.places
        places = (solids.tiles.origins[slot, :2] + np.stack([x, y], axis=1) + 0.5) * scene.domain.h
        distance = np.hypot(*(places - (0.31, 0.21)).T) - 0.1
        area = found.conductance * np.maximum(distance / scene.domain.h, 0.1)
        assert area.sum() * scene.domain.h == pytest.approx(2 * math.pi * 0.1, rel=0.02)


def test_each_wall_has_its_own_temperature_and_insulation_none():
    balls = [
        {"name": "hot", "shape": {"kind": "sphere", "center": (0.15, 0.2), "radius": 0.06}, "temperature": 340.0},
        {"name": "cold", "shape": {"kind": "sphere", "center": (0.45, 0.2), "radius": 0.06}, "temperature": 280.0},
        {"name": "wood", "shape": {"kind": "sphere", "center": (0.3, 0.2), "radius": 0.06}},
    ]
    for solids in ("cut", "voxel"):
        found, on_tiles, _ = contacts(solids, balls)
        x = on_tiles.tiles.origins[found.places[0], 0] + found.places[3] + 0.5
        assert set(found.temperature) == {340.0, 280.0}
        assert (x[found.temperature == 340] * 0.025 < 0.24).all()
        assert (x[found.temperature == 280] * 0.025 > 0.36).all()


def test_nothing_is_found_twice_while_nothing_moves():
    ball = {"shape": {"kind": "sphere", "center": (0.31, 0.21), "radius": 0.1}, "temperature": 340.0}
    _, solids, scene = contacts("cut", [ball])
    walls = WarmWalls(build_liquid(scene).solids, {}, {"solid 1": 340.0})
    first = walls.contacts(solids, 0.0)
    assert walls.contacts(solids, 1.0) is first
