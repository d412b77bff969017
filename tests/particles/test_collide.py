"""Particles that slide along hollow walls: they go on, lose no more than walls take, and never gain."""

import itertools
from typing import Any

import numpy as np
import pytest

import plash
from plash.grid.dense import tiles_over
from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.particles.sort import sort_particles
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.scene.bodies import Solid

H, G, DT = 0.037, 9.3, 0.006
CELLS = {2: (44, 30), 3: (44, 30, 41)}
RADIUS = 13.3 * H


def middle(dimension):
    return np.array(CELLS[dimension][:dimension]) * H / 2 + 0.3 * H


def bowl(dimension):
    """The lower half of a hollow ball, with a wall of three cells."""
    center = middle(dimension)
    rim = center + 20 * H
    low = np.where(np.arange(dimension) == 1, center[1], 0.0)
    inner, outer = (plash.Sphere(center=tuple(center), radius=RADIUS + wall * H) for wall in (0, 3))
    cover = plash.Box(min=tuple(low), max=tuple(rim + 1))
    shape = plash.Difference(of=[outer, inner, cover])
    box = DomainBox(CELLS[dimension], ((CLOSED, CLOSED),) * dimension)
    return SceneSolids(Cut([Solid(name="bowl", shape=shape)], box, H))


def valley(dimension):
    """Two planes that meet in an edge, along z in 3-D and not along a border of cells."""
    point = tuple(middle(dimension) * np.array([1, 0.5, 1])[:dimension])
    walls = [plash.HalfSpace(point=point, normal=(slope, 1.0, 0.2)[:dimension]) for slope in (0.9, -0.4)]
    box = DomainBox(CELLS[dimension], ((CLOSED, CLOSED),) * dimension)
    return SceneSolids(Cut([Solid(name="valley", shape=plash.Union(of=walls))], box, H))


def drops(places, velocity=None):
    particles = Particles.at(np.asarray(places) / H)
    particles.volume[:] = 0.125
    if velocity is not None:
        particles.velocity[:] = np.asarray(velocity, np.float32).T
    return particles


def fly(particles, static, steps):
    """Free flight and confinement, step by step: after each, places (m) and velocities in the order of the start."""
    particles.affine = np.arange(particles.count, dtype=np.float32)[None]  # carried along when they are sorted
    tiles = tiles_over((0,) * particles.dimension, CELLS[particles.dimension])
    solids = static.at(tiles)
    for _ in range(steps):
        sort_particles(particles, 2)
        solids = static.at(particles.tiles)
        start = Start.of(particles)
        particles.velocity[1] -= np.float32(G * DT)
        to = particles.cell + particles.offset + particles.velocity.astype(np.float64) * (DT / H)
        particles.cell = np.floor(to).astype(np.int32)
        particles.offset = (to - particles.cell).astype(np.float32)
        left, inside = solids.collide(particles, start)
        assert left is None
        assert inside == 0
        order = np.argsort(particles.affine[0])
        yield particles.position(H)[order], particles.velocity.T[order].astype(np.float64)


def energy(places, velocity):
    """Kinetic and potential, in J/kg."""
    return 0.5 * np.einsum("ij,ij->i", velocity, velocity) + G * places[:, 1]


def spread(dimension, count=300, seed=3):
    """Places inside the bowl and velocities of all directions."""
    rng = np.random.default_rng(seed)
    way = rng.standard_normal((count, dimension))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    way[:, 1] = -np.abs(way[:, 1])
    places = middle(dimension) + way * RADIUS * rng.uniform(0.5, 0.97, count)[:, None]
    return places, rng.standard_normal((count, dimension))


@pytest.mark.slow
def test_drops_in_a_bowl_never_stand_still_with_a_speed(dimension):
    steps = list(fly(drops(*spread(dimension)), bowl(dimension), 260))
    for (x0, _), (x1, _), (x2, v) in zip(steps, steps[1:], steps[2:], strict=False):
        stands = (x0 == x1).all(axis=1) & (x1 == x2).all(axis=1)
        assert np.linalg.norm(v[stands], axis=1).max(initial=0.0) < 1e-3


def test_walls_give_no_energy(dimension):
    """But for a step of free fall, which is off by g²dt²/2, and a lift to where a drop may be, of a fifth of a cell."""
    steps = list(fly(drops(*spread(dimension)), bowl(dimension), 260))
    for (x0, v0), (x1, v1) in itertools.pairwise(steps):
        fallen = v0 - np.array([0, G * DT, 0])[:dimension]
        work = energy(x1, v1) - (0.5 * np.einsum("ij,ij->i", fallen, fallen) + G * (x0 + DT * fallen)[:, 1])
        # A wall that turns a drop upwards lets it rise in the same step
        raised = G * np.maximum(x1 - x0 - DT * fallen, 0)[:, 1]
        assert (work - raised).max() < 1e-4
        assert raised.max() < G * (DT * np.linalg.norm(fallen, axis=1).max() + 0.2 * H)


def test_a_drop_slides_through_a_bowl_and_up_its_other_side(dimension):
    angle = np.deg2rad(60)
    across = np.where(np.arange(dimension) == 0, np.sin(angle), np.where(np.arange(dimension) == 1, -np.cos(angle), 0))
    start = middle(dimension) + (RADIUS - 0.1 * H) * across
    path = np.array([places[0] for places, _ in fly(drops([start]), bowl(dimension), 400)])
    bottom = middle(dimension)[1] - RADIUS
    first = np.flatnonzero(path[:, 0] < middle(dimension)[0])[0]
    risen = path[first:, 1].max() - bottom
    assert risen > 0.7 * (start[1] - bottom)


def test_a_drop_stays_in_the_bottom_of_a_valley_or_slides_along_it(dimension):
    bottom = middle(dimension)[0]
    for places, velocity in list(fly(drops([middle(dimension)]), valley(dimension), 80))[60:]:
        assert abs(places[0, 0] - bottom) < H
        assert np.abs(velocity[0, :2]).max() < (0.1 if dimension == 2 else 0.3 * velocity[0, 2])


@pytest.mark.slow
@pytest.mark.parametrize("transfer", ["apic", "flip"])
def test_water_dropped_into_a_bowl_rests_or_moves_but_does_not_hang(transfer):
    inner, outer = (plash.Sphere(center=(0.5, 0.45, 0.5), radius=radius) for radius in (0.35, 0.42))
    rim = plash.Box(min=(0, 0.45, 0), max=(1, 1, 1))
    scene = plash.Scene(
        domain={"size": (1, 0.8, 1), "resolution": 28},
        time={"frames": 30},
        solver={"transfer": transfer},
        fill=[{"shape": {"kind": "sphere", "center": (0.5, 0.52, 0.5), "radius": 0.15}}],
        solid=[{"name": "bowl", "shape": {"kind": "difference", "of": [outer, inner, rim]}}],
    )
    seen: list[Any] = []
    energies = []
    for frame in plash.simulate(scene):
        x, v = frame.particles.position, frame.particles.velocity
        speed = dict(zip(map(bytes, np.ascontiguousarray(x)), np.linalg.norm(v, axis=1), strict=True))
        seen = [*seen[-2:], speed]
        if len(seen) == 3:
            hanging = seen[0].keys() & seen[1].keys() & seen[2].keys()
            assert max((seen[2][place] for place in hanging), default=0.0) < 1e-3
        energies.append(sum(frame.particles.energy(1000.0, scene.domain.gravity).values()))
    assert np.max(np.diff(energies) / energies[:-1]) < 0.01
