"""Every way to see solids, times every way in which they move: what holds for all pairs."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.grid.cells import LIQUID, label_cells
from plash.grid.dense import tiles_over
from plash.grid.fields import CellField, FaceField
from plash.levelset.shapes import distance
from plash.particles.particles import Particles
from plash.particles.sort import sort_particles
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.physics.solids.rigid_motion import AtRest, Prescribed, RigidGroup, steady_rate
from plash.physics.solids.voxel import Voxel
from plash.scene.bodies import Solid
from plash.scene.motion import Motion
from plash.scene.poses import Pose
from plash.solvers.build.liquid import build_liquid

H, DT = 0.07, 0.02
CELLS = {2: (30, 24), 3: (22, 18, 20)}
GEOMETRIES: dict[str, Any] = {"voxel": Voxel, "cut": Cut}
MOTIONS = {"at rest": None, "prescribed": {"velocity": (0.9, -0.3, 0.2)}}


def body(dimension, motion=None, friction=0.0):
    shape = plash.Sphere(center=(1.0, 0.8, 0.7)[:dimension], radius=0.31)
    moved = None if motion is None else Motion(velocity=motion["velocity"][:dimension])
    return Solid(name="ball", shape=shape, friction=friction, motion=moved)


def composed(dimension, geometry, motion, friction=0.0):
    """Solids of one ball and one block that stands, in a closed box."""
    block = Solid(name="block", shape=plash.Box(min=(0.0,) * dimension, max=(0.35,) * dimension))
    ball = body(dimension, MOTIONS[motion], friction)
    box = DomainBox(CELLS[dimension], ((CLOSED, CLOSED),) * dimension)
    size = tuple(n * H for n in CELLS[dimension])
    moves = Prescribed([block, ball], H, size) if ball.moves else AtRest()
    return SceneSolids(GEOMETRIES[geometry]([each for each in (block, ball) if not each.moves], box, H), moves)


def on_tiles(dimension, geometry, motion, time=0.0, **options):
    solids = composed(dimension, geometry, motion, **options)
    tiles = tiles_over((-3,) * dimension, tuple(n + 6 for n in CELLS[dimension]))
    return solids, solids.at(tiles, solids.poses(time), time, DT)


def flooded(solids):
    """Liquid in every cell that is not solid."""
    phi = CellField.filled(solids.tiles, np.float32(-H))
    return label_cells(solids.tiles, phi.pool < 0, solids.is_solid, phi, None, solids.cut_cells)


pairs = pytest.mark.parametrize(("geometry", "motion"), [(g, m) for g in GEOMETRIES for m in MOTIONS])


@pairs
def test_fields_are_those_of_bodies_where_they_are(dimension, geometry, motion):
    time = 0.11
    _, found = on_tiles(dimension, geometry, motion, time)
    placed = body(dimension, MOTIONS[motion]).at(time, dimension)
    tiles = found.tiles
    centres = tiles.cell_centres(tiles.slots, H)
    solid_phi = distance(placed.shape, centres).reshape(found.is_solid[1:].shape) / H
    inside = np.ones(solid_phi.shape, np.bool_)
    for axis, n in enumerate(CELLS[dimension]):
        place = centres[:, axis].reshape(inside.shape) / H
        inside &= (place > 0) & (place < n)
    assert found.is_solid[1:][solid_phi < -1].all()
    assert found.is_solid[1:][~inside].all()
    block = (centres / H < 0.35 / H + 1).all(axis=1).reshape(inside.shape)
    assert not found.is_solid[1:][inside & (solid_phi > 1) & ~block].any()
    around = (centres / H < 0.35 / H + 3).all(axis=1).reshape(inside.shape)
    assert (found.inverse_kernel_weight[1:][inside & (solid_phi > 2.5) & ~around] == 1).all()


@pairs
def test_a_uniform_flow_with_the_body_is_left_alone_by_it_and_stopped_by_sides(dimension, geometry, motion):
    """Liquid that moves as the body does meets no wall at it."""
    _, found = on_tiles(dimension, geometry, motion)
    cells = flooded(found)
    rate = (0.0,) * 3 if MOTIONS[motion] is None else MOTIONS[motion]["velocity"]
    velocity = FaceField.filled(found.tiles)
    for axis in range(dimension):
        velocity.pool[axis] = np.float32(rate[axis])
    found.enforce_no_flux(velocity, cells, DT)
    found.enforce_slip(velocity, cells, DT)
    ball = body(dimension)
    near = distance(ball.shape, found.tiles.cell_centres(found.tiles.slots, H)) < 2 * H
    for axis in range(dimension):
        around = velocity.pool[axis, 1:].reshape(-1)[near]
        assert np.allclose(around, rate[axis], atol=2e-6)


@pairs
def test_particles_stay_out_of_bodies(dimension, geometry, motion):
    scene_solids, found = on_tiles(dimension, geometry, motion)
    rng = np.random.default_rng(4)
    low, high = 1.0, np.array(CELLS[dimension]) - 1.0
    places = rng.uniform(low, high, (4000, dimension))
    solid_phi = distance(body(dimension).shape, places * H)
    particles = Particles.at(places[(solid_phi > H) & (places.max(axis=1) > 0.35 / H + 2)])
    particles.volume = np.full(particles.count, 1.0, np.float32)
    sort_particles(particles, 3)
    found = scene_solids.at(particles.tiles, scene_solids.poses(0.0), 0.0, DT)
    start = found.remember(particles)
    towards = np.array((1.0, 0.8, 0.7)[:dimension]) / H - particles.position(1.0)
    moved = Particles.at(particles.position(1.0) + np.clip(towards, -1.4, 1.4))
    particles.cell, particles.offset = moved.cell, moved.offset
    left, stuck = found.collide(particles, start, 0.0, DT)
    assert left is None
    assert stuck == 0
    placed = body(dimension, MOTIONS[motion]).at(DT, dimension)
    depth = -distance(placed.shape, particles.position(H)).min() / H
    # A cell is solid if its centre is: a particle may be in the cut part of an open cell
    assert depth < (0.5 * np.sqrt(dimension) if (geometry, motion) == ("voxel", "at rest") else 1e-6)


@pairs
def test_what_bodies_push_out_adds_up_to_nothing(dimension, geometry, motion):
    _, found = on_tiles(dimension, geometry, motion)
    fluxes = found.solid_fluxes()
    if motion == "at rest":
        assert len(fluxes.outflow) == 0
        return
    wet = flooded(found).label[fluxes.places] == LIQUID
    assert fluxes.causes == ["the solid 'ball'"]
    assert np.abs(fluxes.outflow).sum() > 1.0
    assert abs(fluxes.outflow[wet].sum()) < 1e-6 * np.abs(fluxes.outflow).sum()


@pairs
def test_tiles_in_any_order_of_coming_give_the_same_bits(dimension, geometry, motion):
    """Tiles seen before are kept: what is known of them is what would be found again."""
    few = tiles_over((-3,) * dimension, (14,) * dimension)
    tiles = tiles_over((-3,) * dimension, tuple(n + 6 for n in CELLS[dimension]))
    results = []
    for before in ([], [few], [tiles, few]):
        solids = composed(dimension, geometry, motion, friction=0.3)
        for time, some in enumerate(before):
            solids.at(some, solids.poses(0.1 * time), 0.1 * time, DT)
        found = solids.at(tiles, solids.poses(0.2), 0.2, DT)
        cut = () if found.cut_cells is None else (found.cut_cells.face_fractions, found.cut_cells.volume)
        results.append([part.tobytes() for part in (found.is_solid, found.inverse_kernel_weight, *cut)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("geometry", list(GEOMETRIES))
def test_solids_are_the_same_object_while_nothing_moves_near_the_same_tiles(geometry):
    tiles = tiles_over((-3, -3), (36, 30))
    standing = composed(2, geometry, "at rest")
    assert standing.at(tiles) is standing.at(tiles, {}, 3.0, DT)
    moving = composed(2, geometry, "prescribed")
    first = moving.at(tiles, moving.poses(0.0), 0.0, DT)
    assert first.moving.groups
    gone = [moving.at(tiles, moving.poses(time), time, DT) for time in (60.0, 61.0)]
    assert gone[0] is gone[1]
    assert not gone[0].moving.groups


# Poses that no scene prescribes


class Straight:
    """A path from one place to another, at a constant velocity."""

    def __init__(self, time, before, after, dt):
        self.time, self.before, self.after, self.dt = time, before, after, dt

    def pose(self, time):
        share = (time - self.time) / self.dt if self.dt > 0 else 0.0
        if share == 1.0:
            return self.after
        ends = zip(self.before.shift, self.after.shift, strict=True)
        return Pose(self.before.matrix, tuple(a + share * (b - a) for a, b in ends))

    def rate(self, time):
        return steady_rate(self.before, self.after, self.dt or 1.0)


class ByHand:
    """A body whose pose follows from its pose before: pushed on in every step, and not known by time."""

    names = ("ball",)

    def __init__(self, ball, velocity, h):
        self.ball, self.velocity, self.h = ball, velocity, h
        self.moment, self.pose = 0.0, ball.motion.pose(0.0)

    def after(self, dt):
        shift = tuple(a + dt * u for a, u in zip(self.pose.shift, (*self.velocity, 0.0), strict=True))
        return Pose(self.pose.matrix, shift)

    def poses(self, time):
        if time > self.moment:
            self.moment, self.pose = time, self.after(time - self.moment)
        return {"ball": self.pose}

    def groups(self, poses, time, dt):
        path = Straight(time, poses["ball"], self.after(dt), dt)
        return [RigidGroup([self.ball], self.h, 2, time, dt, poses["ball"], path)]

    def placed(self, time):
        return [self.ball.placed(self.poses(time)["ball"], 2)]

    def reach(self, time, dt):
        return 1.25 * float(np.hypot(*self.velocity)) * dt / self.h

    def fastest(self, time, until):
        return float(np.hypot(*self.velocity))


@pytest.mark.parametrize("solids", list(GEOMETRIES))
def test_a_body_whose_poses_are_set_by_hand_moves_liquid_as_one_that_is_prescribed(solids):
    velocity = (0.5, -0.25)
    shape = plash.Sphere(center=(0.5, 0.5), radius=0.13)
    tank = plash.Scene(
        domain={"size": (1.4, 0.9), "cell_size": 0.05, "gravity": (0.0, -9.3)},
        solver={"solids": solids},
        fill=[{"shape": {"kind": "box", "min": (0, 0), "max": (1.4, 0.6)}}],
        solid=[{"name": "ball", "shape": shape, "motion": {"velocity": velocity}}],
    )
    runs = []
    for by_hand in (False, True):
        solver = build_liquid(tank)
        if by_hand:
            solver.solids.motion = ByHand(tank.solid[0], velocity, solver.h)
        for frame in range(1, 6):
            while solver.state.time < frame / 25:
                solver.advance(frame / 25)
        runs.append(solver)
    prescribed, set_by_hand = (solver.state for solver in runs)
    assert set_by_hand.poses["ball"].shift == pytest.approx(prescribed.poses["ball"].shift, abs=1e-12)
    assert set_by_hand.steps == prescribed.steps
    assert set_by_hand.particles.count == prescribed.particles.count
    places = [state.particles.position(0.05) for state in (prescribed, set_by_hand)]
    assert np.abs(places[0] - places[1]).max() < 1e-3 * 0.05
    assert np.abs(prescribed.particles.velocity).max() > 0.3
