"""Motes from frame to frame: counted, kept out of solids, carried as their kind is."""

from dataclasses import replace

import numpy as np
import pytest

from plash.scene import Box, Domain, Fill, Scene, Sides, Solid, Sphere, Whitewater
from plash.whitewater.advance import advanced
from plash.whitewater.births import Ranges, within
from plash.whitewater.carry import Moving, carry
from plash.whitewater.chance import Draw
from plash.whitewater.flow import flow_of
from plash.whitewater.motes import BUBBLE, FOAM, SPRAY, Motes
from plash.whitewater.room import Room

H, LEVEL = 0.05, 0.3
SIDES = {2: (0.9, 0.8), 3: (0.9, 0.8, 0.6)}


def pool(dimension, speed=0.0):
    """A pool up to a level, all of it at a speed along x."""
    high = (SIDES[dimension][0], LEVEL, *SIDES[dimension][2:])
    counts = [round(b / (H / 2)) for b in high]
    index = np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), axis=-1).reshape(-1, dimension)
    place = (index + 0.5) * H / 2
    velocity = np.zeros(place.shape, np.float32)
    velocity[:, 0] = speed
    return place, velocity, np.full(len(place), (H / 2) ** dimension)


def flow_of_pool(dimension, domain, speed=0.0):
    place, velocity, volume = pool(dimension, speed)
    return flow_of(place, velocity, volume, domain, ())


def scene(dimension, **keys):
    fill = Fill(shape=Box(min=(0,) * dimension, max=(0.3,) * dimension))
    domain = keys.pop("domain", Domain(size=SIDES[dimension], cell_size=H))
    return Scene(domain=domain, fill=[fill], whitewater=Whitewater(amount=1, **keys.pop("whitewater", {})), **keys)


def motes(position, velocity=None, kind=SPRAY, lifetime=1.0):
    position = np.array(position, float)
    n = len(position)
    velocity = np.zeros(position.shape) if velocity is None else np.array(velocity)
    row = np.zeros(n, np.float32)
    made = Motes(position, velocity.astype(np.float32), row, row + lifetime, row + 1, np.full(n, kind, np.uint8))
    return replace(made, tally=replace(made.tally, born=n))


def moved(found, flow, seconds, dimension, steps=1):
    moving = Moving(found.position / H, found.velocity.copy(), found.kind.copy(), found.age.copy())
    domain = Domain(size=SIDES[dimension], cell_size=H)
    fall = Ranges.of(Whitewater(), domain).fall
    for _ in range(steps):
        carry(moving, (flow, flow), 0.5, seconds / steps, H, domain.gravity, fall)
    return moving


def test_spray_flies_as_thrown(dimension):
    start, speed = np.full((1, dimension), 0.5), np.zeros((1, dimension))
    speed[0, :2] = 1.0, 2.0
    found = moved(motes(start, speed), None, 0.1, dimension, steps=200)
    way = found.place[0] * H - start[0]
    assert found.kind[0] == SPRAY
    # Air takes a little of its speed
    assert way[0] == pytest.approx(0.1, rel=0.06)
    assert way[1] == pytest.approx(2.0 * 0.1 - 9.81 / 2 * 0.1**2, rel=0.06)


def test_foam_drifts_with_the_surface_and_returns_to_it(dimension):
    domain = Domain(size=SIDES[dimension], cell_size=H)
    flow = flow_of_pool(dimension, domain, 0.4)
    start = np.full((1, dimension), 0.3)
    start[0, 1] = LEVEL + 0.3 * H
    found = moved(motes(start, kind=FOAM), flow, 0.3, dimension, steps=30)
    assert found.kind[0] == FOAM
    assert found.place[0, 0] * H - 0.3 == pytest.approx(0.4 * 0.3, rel=1e-3)
    assert abs(found.place[0, 1] * H - LEVEL) < 0.05 * H
    assert found.age[0] == pytest.approx(0.3, rel=1e-3)


def test_bubbles_rise_and_become_foam(dimension):
    domain = Domain(size=SIDES[dimension], cell_size=H)
    flow = flow_of_pool(dimension, domain)
    start = np.full((1, dimension), 0.3)
    start[0, 1] = 0.15
    after = [moved(motes(start, kind=BUBBLE), flow, seconds, dimension, steps=60) for seconds in (0.1, 2.0)]
    assert after[0].kind[0] == BUBBLE
    assert after[0].age[0] == 0
    assert after[0].place[0, 1] * H > 0.15
    assert after[1].kind[0] == FOAM
    assert abs(after[1].place[0, 1] * H - LEVEL) < 0.3 * H


def splash(dimension, frames=5, start=None, first=2, **keys):
    """Motes of a crowd of particles that collide before a ball, frame by frame; and the scene."""
    centre = (0.45, 0.25, 0.3)[:dimension]
    ball = Solid(shape=Sphere(center=centre, radius=0.15))
    made = scene(dimension, solid=[ball], whitewater={"energy": (0.01, 0.5), "trapped_air": (0.01, 0.1)}, **keys)
    place, _, volume = pool(dimension)
    place = place[np.linalg.norm(place - centre, axis=1) > 0.16]
    flows = []
    for frame in range(1, frames + 1):
        rng = np.random.default_rng(frame)
        velocity = 3 * rng.standard_normal(place.shape).astype(np.float32)
        flows.append(flow_of(place, velocity, volume[: len(place)], made.domain, made.solids_at(0)))
    found = [start or Motes.none(dimension)]
    for frame in range(first, frames + 1):
        found.append(advanced(found[-1], (flows[frame - 2], flows[frame - 1]), made, frame))
    return found, made


def same(one, two):
    names = ("position", "velocity", "age", "lifetime", "size", "kind")
    return one.tally == two.tally and all(np.array_equal(getattr(one, n), getattr(two, n)) for n in names)


def test_counts_are_conserved_and_nothing_is_in_a_solid_or_outside(dimension):
    found, made = splash(dimension, frames=8)
    last = found[-1]
    assert len(last) > 100
    assert {SPRAY, FOAM, BUBBLE} <= set(last.kind)
    assert last.tally.landed > 0
    room = Room(made.domain, made.solids_at(0))
    for each in found:
        assert each.tally.born == len(each) + each.tally.died
        assert not room.inside(each.position).any()
        assert (each.position >= 0).all()
        assert (each.position <= np.array(made.domain.size)).all()


def test_same_bits_for_one_and_two_threads(dimension, threads):
    found = []
    for count in (1, 2):
        threads(count)
        found.append(splash(dimension)[0])
    assert all(same(one, two) for one, two in zip(*found, strict=True))


def test_a_frame_follows_from_the_one_before(dimension):
    whole, _ = splash(dimension)
    rest, _ = splash(dimension, start=whole[2], first=4)
    assert same(whole[-1], rest[-1])


def test_motes_leave_through_open_sides_and_foam_bursts(dimension):
    domain = Domain(size=SIDES[dimension], cell_size=H, sides=Sides(x_max="open"))
    made = scene(dimension, domain=domain)
    start = np.full((2, dimension), 0.5)
    start[1] = 0.3
    start[1, 1] = LEVEL
    speed = np.zeros((2, dimension))
    speed[0, 0] = 30.0
    flow = flow_of_pool(dimension, domain)
    after = advanced(motes(start, speed, lifetime=0.02), (flow, flow), made, 2)
    assert (after.tally.left, after.tally.burst, len(after)) == (1, 1, 0)


def test_no_more_are_born_than_there_is_room_for():
    many = motes(np.full((50, 3), 0.2))
    kept = within(many, alive=80, most=100, draw=Draw(4, 2))
    assert (len(kept), kept.tally.refused) == (20, 30)
    assert len(within(many, alive=0, most=100, draw=Draw(4, 2))) == 50
