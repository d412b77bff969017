"""Solids that cut cells: rest, slip and conservation at any angle, and particles that never get in or through."""

import numpy as np
import pytest

import plash
from plash.grid.cells import WALL, WET, label_cells
from plash.grid.dense import tiles_over
from plash.grid.differences import divergence
from plash.grid.fields import CellField, FaceField
from plash.levelset.shapes import distance
from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.particles.sort import sort_particles
from plash.physics.forces import Gravity
from plash.physics.free_surface_ghost import Ghost
from plash.physics.pressure import PressureSolver
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.distance import Bodies
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.scene.bodies import Solid
from plash.solvers.build.liquid import build_liquid

H, RHO, DT, G, TOLERANCE = 0.37, 723.0, 0.013, 9.3, 1e-7
CELLS = {2: (26, 21), 3: (14, 17, 12)}
TILT = {2: (0.43, 1.0), 3: (0.43, 1.0, -0.27)}


def cut_by(dimension, shape, cells=None, **options):
    """Solids of one body on all tiles of a closed box."""
    along = cells or CELLS[dimension]
    tiles = tiles_over((-3,) * dimension, tuple(n + 6 for n in along))
    body = Solid(name="body", shape=shape, **options)
    return SceneSolids(Cut([body], DomainBox(along, ((CLOSED, CLOSED),) * dimension), H)).at(tiles)


def liquid_in(solids, phi):
    """Cells with liquid where a function of cell centres in metres is negative."""
    tiles = solids.tiles
    field = CellField.filled(tiles, np.float32(H))
    centres = tiles.cell_centres(tiles.slots, H)
    field.pool[1:] = np.clip(phi(centres), -H, H).reshape(field.pool[1:].shape)
    return label_cells(tiles, field.pool < 0, solids.is_solid, field, None, solids.cut_cells)


def flow(solids, cells, velocity):
    """A velocity on wet faces, closed at walls; the same everywhere or one random number a face."""
    field = FaceField.filled(solids.tiles)
    for axis, u in enumerate(velocity):
        field.pool[axis] = u
    field.pool[(cells.faces & WET) == 0] = np.nan
    solids.enforce_no_flux(field, cells)
    return field


def project(field, cells):
    return PressureSolver(Ghost(), rho=RHO, h=H, tolerance=TOLERANCE).project(field, cells, DT)


def random_flow(solids, cells, seed=0):
    rng = np.random.default_rng(seed)
    return flow(solids, cells, rng.standard_normal((solids.tiles.dimension, *cells.label.shape)))


def is_open(cells):
    return (cells.faces & (WET | WALL)) == WET


def ball(dimension):
    return plash.Sphere(center=(4.3, 2.9, 2.3)[:dimension], radius=1.37)


def incline(dimension):
    return plash.HalfSpace(point=(2.0, 1.6, 2.0)[:dimension], normal=TILT[dimension])


@pytest.mark.parametrize("shape", [ball, incline])
def test_a_still_pool_has_linear_pressure_and_stays_still(dimension, shape):
    level = 4.61
    solids = cut_by(dimension, shape(dimension))
    cells = liquid_in(solids, lambda x: x[:, 1] - level)
    field = flow(solids, cells, (0.0,) * dimension)
    Gravity((0.0, -G, 0.0)[:dimension]).add(field, cells, 0.0, DT)
    solids.enforce_no_flux(field, cells)
    pressure = project(field, cells).pressure.pool[1:]
    centres = solids.tiles.cell_centres(solids.tiles.slots, H)[:, 1].reshape(pressure.shape)
    liquid = cells.label[1:] == 1
    assert np.abs(pressure[liquid] - RHO * G * (level - centres[liquid])).max() < 1e-3 * RHO * G * H
    assert np.abs(field.pool[is_open(cells)]).max() < 1e-4 * G * DT
    # Bodies cut cells, or this proves nothing
    assert ((solids.cut_cells.face_fractions > 0) & (solids.cut_cells.face_fractions < 1)).sum() > 20


def test_flow_along_an_incline_is_left_alone_by_the_pressure(dimension):
    normal = np.array(TILT[dimension]) / np.linalg.norm(TILT[dimension])
    along = np.zeros(dimension)
    along[:2] = normal[1], -normal[0]
    # A layer on the slope, far from every side
    box = DomainBox((80,) * dimension, ((0, 0),) * dimension)
    tiles = tiles_over((-8,) * dimension, (32,) * dimension)
    solids = SceneSolids(Cut([Solid(name="b", shape=incline(dimension))], box, H)).at(tiles)
    shape = incline(dimension)
    cells = liquid_in(
        solids,
        lambda x: np.maximum(distance(shape, x) - 1.3, np.linalg.norm(x - np.array(shape.point), axis=1) - 2.4),
    )
    field = flow(solids, cells, along)
    project(field, cells)
    change = np.abs(np.stack([field.pool[a] - along[a] for a in range(dimension)])[is_open(cells)])
    face_fractions = solids.cut_cells.face_fractions[is_open(cells)]
    # Fractions below a hundredth count as closed: what would flow there goes through the slivers beside
    assert (face_fractions * change).max() < 0.01
    assert change[face_fractions > 0.5].max() < 0.02
    assert change.mean() < 2e-3


@pytest.mark.parametrize("shape", [ball, incline])
def test_what_flows_through_open_parts_adds_up_to_nothing(dimension, shape):
    solids = cut_by(dimension, shape(dimension))
    cells = liquid_in(solids, lambda x: x[:, 1] - 4.4 - 0.3 * np.sin(x[:, 0]))
    field = random_flow(solids, cells)
    before = np.linalg.norm(divergence(field, cells))
    projection = project(field, cells)
    assert np.linalg.norm(divergence(field, cells)) < 1e-5 * before
    assert projection.iterations <= 25


def test_liquid_sealed_in_a_tilted_box_keeps_to_itself(dimension):
    """No air, no way out: singular, consistent, and divergence free afterwards."""
    low, high = (1.2, 1.7, 1.2), (4.0, 4.4, 3.2)
    turn = plash.Rotation(angle=0.4, **({"axis": (0.3, 0.2, 1.0)} if dimension == 3 else {}))
    outer = plash.Box(min=(-9.0,) * dimension, max=(19.0,) * dimension)
    room = plash.Box(min=low[:dimension], max=high[:dimension], rotation=turn)
    solids = cut_by(dimension, plash.Difference(of=(outer, room)))
    cells = liquid_in(solids, lambda x: np.full(len(x), -1.0))
    field = random_flow(solids, cells)
    projection = project(field, cells)
    assert projection.excess < 1e-6
    assert np.abs(divergence(field, cells)).max() < 1e-5
    exact = np.prod((np.array(high) - low)[:dimension]) / H**dimension
    assert solids.cut_cells.volume[1:].sum() == pytest.approx(exact, rel=0.03)


def test_same_bits_for_any_number_of_threads(dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        solids = cut_by(dimension, ball(dimension), friction=0.4)
        cells = liquid_in(solids, lambda x: x[:, 1] - 4.4)
        field = random_flow(solids, cells)
        project(field, cells)
        solids.enforce_slip(field, cells, DT)
        results.append(field.pool.tobytes())
    assert results[0] == results[1]


def test_potential_flow_round_a_disc_improves_with_resolution():
    """Started from rest in a uniform stream, flow round a disc is u = U + ∇(R² x/r²): largest error off the disc."""
    errors = []
    for fine in (1, 2, 4):
        h, radius = 0.37 / fine, 1.0
        centre = np.array((0.031, 0.017))
        body = Solid(name="disc", shape=plash.Sphere(center=tuple(centre), radius=radius))
        n = 16 * fine
        static = SceneSolids(Cut([body], DomainBox((1, 1), ((0, 0), (0, 0))), h))
        solids = static.at(tiles_over((-n - 3,) * 2, (2 * n + 6,) * 2))
        tiles = solids.tiles

        def exact(places, axis, centre=centre, radius=radius):
            x, y = (places - centre).T
            r2 = np.maximum(x * x + y * y, 0.01)
            if axis == 0:
                return 1 - radius**2 * (x * x - y * y) / r2**2
            return -(radius**2) * 2 * x * y / r2**2

        centres = tiles.cell_centres(tiles.slots, h)
        cell = np.round(centres / h - 0.5)
        inside = (np.abs(cell + 0.5) < n).all(axis=1).reshape(-1, *tiles.shape)
        marked = np.zeros(solids.is_solid.shape, bool)
        marked[1:] = inside
        wall = solids.is_solid.copy()
        wall[1:] |= ~inside
        cells = label_cells(tiles, marked, wall, CellField.filled(tiles, np.float32(-h)), None, solids.cut_cells)
        # Through the outer faces the exact velocity, from which the pressure must find the rest
        field = FaceField.filled(tiles)
        for axis in range(2):
            shift = np.zeros(2)
            shift[axis] = -h / 2
            field.pool[axis, 1:] = exact(centres + shift, axis).reshape(-1, *tiles.shape)
        reference = field.pool.copy()
        uniform = np.array((1.0, 0.0)).reshape(2, 1, 1, 1, 1)
        border = (cells.faces & WALL) > 0
        near_disc = np.zeros_like(border)
        near_disc[:, 1:] = (np.linalg.norm(centres - centre, axis=1) < radius + 2 * h).reshape(-1, *tiles.shape)
        field.pool = np.where(border & ~near_disc, reference, np.broadcast_to(uniform, reference.shape)).astype(
            np.float32
        )
        PressureSolver(Ghost(), rho=RHO, h=h, tolerance=1e-6).project(field, cells, DT)
        shown = is_open(cells)
        shown[:, 1:] &= (np.linalg.norm(centres - centre, axis=1) < 2.5 * radius).reshape(-1, *tiles.shape)
        shown &= solids.cut_cells.face_fractions == 1
        errors.append(np.abs(field.pool - reference)[shown].mean())
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]


def bodies_to_hit(dimension):
    tilt = plash.Rotation(angle=0.6, **({"axis": (0.2, 0.1, 1.0)} if dimension == 3 else {}))
    middle = (4.5, 3.5, 2.4)
    wall = plash.Box(
        min=(-9.0, middle[1] - 0.2 * H, -9.0)[:dimension],
        max=(19.0, middle[1] + 0.2 * H, 19.0)[:dimension],
        rotation=tilt.model_copy(update={"about": middle[:dimension]}),
    )
    sphere = plash.Sphere(center=middle[:dimension], radius=1.3)
    rod = plash.Capsule(base=(2.5, 2.0, 1.5)[:dimension], top=(6.0, 5.0, 3.0)[:dimension], radius=0.4)
    cup = plash.Difference(of=(sphere, plash.Sphere(center=(4.5, 4.3, 2.4)[:dimension], radius=1.1)))
    return {"ball": sphere, "wall": wall, "rod": rod, "union": plash.Union(of=(rod, sphere)), "cup": cup}


@pytest.mark.parametrize("name", ["ball", "wall", "rod", "union", "cup"])
def test_particles_that_fly_about_at_random_never_get_in_or_through(dimension, name):
    shape, cells, rng = bodies_to_hit(dimension)[name], CELLS[dimension], np.random.default_rng(5)
    box = DomainBox(cells, ((CLOSED, CLOSED),) * dimension)
    static = SceneSolids(Cut([Solid(name=name, shape=shape)], box, H))
    places = rng.uniform(0.02, 1, (4000, dimension)) * (np.array(cells) - 0.05)
    places = places[Bodies(static.geometry.bodies, H, dimension).distance(places) > 0.05]
    particles = Particles(dimension, len(places))
    particles.cell = np.ascontiguousarray(np.floor(places).T.astype(np.int32))
    particles.offset = np.ascontiguousarray((places - np.floor(places)).T.astype(np.float32))
    particles.velocity = np.zeros(particles.offset.shape, np.float32)
    particles.volume = np.arange(1, len(places) + 1, dtype=np.float32)

    def side_of_wall():
        turned = plash.HalfSpace(
            point=(4.5, 3.5, 2.4)[:dimension],
            normal=(0.0, 1.0, 0.0)[:dimension],
            rotation=shape.rotation,
        )
        turned = turned.model_copy(update={"rotation": shape.rotation})
        return (distance(turned, particles.position(H)) > 0)[np.argsort(particles.volume)]

    before = side_of_wall() if name == "wall" else None
    for _ in range(25):
        sort_particles(particles, 7)
        solids = static.at(particles.tiles)
        start = Start.of(particles)
        step = rng.standard_normal(particles.offset.shape)
        step *= 5 * rng.uniform(0, 1, particles.count) / np.linalg.norm(step, axis=0)
        to = particles.cell + particles.offset.astype(np.float64) + step
        particles.cell = np.floor(to).astype(np.int32)
        particles.offset = np.minimum((to - np.floor(to)).astype(np.float32), np.float32(0.999999))
        particles.velocity = step.astype(np.float32)
        left, inside = solids.collide(particles, start)
        assert left is None
        assert inside == 0
        assert distance(shape, particles.position(H)).min() >= 0
        assert ((particles.cell >= 0) & (particles.cell < np.array(cells)[:, None])).all()
    assert len(places) == particles.count
    if before is not None:
        assert before.any()
        assert not before.all()
        assert (side_of_wall() == before).all()


def tank(dimension, fill, resolution=24, **options):
    solid = options.pop("solid")
    return build_liquid(
        plash.Scene(
            domain={
                "size": (1.0, 0.8, 0.5)[:dimension],
                "cell_size": 1 / resolution,
                "gravity": (0, -G, 0)[:dimension],
            },
            solver=plash.Solver(**options),
            liquid={"density": RHO, "kinematic_viscosity": 0.0},
            fill=[{"shape": fill}],
            solid=[solid],
        )
    )


def dam(dimension):
    return plash.Box(min=(0, 0, 0)[:dimension], max=(0.4, 0.5, 0.5)[:dimension])


@pytest.mark.slow
@pytest.mark.parametrize(("courant", "lowest"), [(1.0, -5), (5.0, -7)])
def test_volume_is_kept_in_a_dam_break_over_a_ball(dimension, courant, lowest):
    resolution, end = ((48, 3.0), (24, 1.0))[dimension - 2]
    shape = plash.Sphere(center=(0.65, 0.2, 0.25)[:dimension], radius=0.13)
    solver = tank(dimension, dam(dimension), resolution, solid={"name": "ball", "shape": shape}, courant=courant)
    for frame in range(1, round(24 * end) + 1):
        while solver.state.time < frame / 24:
            assert solver.advance(frame / 24).unknown_reads == 0
            assert distance(shape, solver.state.particles.position(solver.h)).min() >= 0
        assert lowest < 100 * (solver.ledger.volume / solver.ledger.initial - 1) < 3
    assert solver.ledger.leaks == {"ball": 0}
    assert solver.ledger.particle_volume == pytest.approx(solver.ledger.initial, rel=1e-6)


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_friction_stops_a_film_on_a_slope_and_none_lets_it_slide(dimension, solids):
    speeds = []
    normal = (0.5, 1.0, 0.0)[:dimension]
    film = plash.HalfSpace(point=(0.5, 0.33, 0.0)[:dimension], normal=normal)
    slope = plash.HalfSpace(point=(0.5, 0.3, 0.0)[:dimension], normal=normal)
    for friction in (0.0, 1.0):
        solver = tank(
            dimension, film, resolution=32, solids=solids, solid={"name": "b", "shape": slope, "friction": friction}
        )
        for frame in range(1, 5):
            while solver.state.time < frame / 24:
                solver.advance(frame / 24)
        x, u = solver.state.particles.position(solver.h), solver.state.particles.velocity[0]
        speeds.append(float(np.abs(u[(x[:, 0] > 0.25) & (x[:, 0] < 0.75)]).mean()))
    sliding = G * 0.5 / 1.25 / 6
    if solids == "cut":
        assert speeds[0] > 0.7 * sliding
    assert speeds[1] < 0.4 * speeds[0]


@pytest.mark.parametrize("courant", [1.0, 5.0])
@pytest.mark.parametrize("name", ["dam_break", "still_pool"])
def test_gallery_scenes_with_solids_leak_nothing(name, courant):
    scene = plash.load_scene(name, resolution=24)
    solver = build_liquid(scene.model_copy(update={"solver": scene.solver.model_copy(update={"courant": courant})}))
    assert scene.solid
    for _ in range(10):
        assert solver.advance(solver.state.time + 1 / 24).unknown_reads == 0
        for solid in scene.solid:
            assert distance(solid.shape, solver.state.particles.position(solver.h)).min() >= 0
    assert set(solver.ledger.leaks.values()) == {0}


def test_films_are_held_where_the_centre_of_a_face_is_in_a_rough_body(dimension):
    """Such faces are closed, others are as open as before; a cell without an open face is solid."""
    along, tiles = CELLS[dimension], tiles_over((-3,) * dimension, tuple(n + 6 for n in CELLS[dimension]))
    box = DomainBox(along, ((CLOSED, CLOSED),) * dimension)
    for friction in (1.0, 0.5):
        body = Solid(name="b", shape=incline(dimension), friction=friction)
        free, held = (SceneSolids(Cut([body], box, H, True, holds)).at(tiles) for holds in (False, True))
        before, after = free.cut_cells, held.cut_cells
        assert before is not None
        assert after is not None
        shut = after.face_fractions != before.face_fractions
        assert shut.any() == (friction == 1)
        assert (after.face_fractions[shut] == 0).all()
        assert ((after.closed[shut] & WALL) > 0).all()
        assert before.face_fractions[shut].max(initial=0) < 0.75
        for axis in range(dimension):
            is_shut = shut[axis][1:]
            normal = np.eye(dimension)[axis]
            centres = tiles.cell_centres(tiles.slots, H)[is_shut.ravel()] - H / 2 * normal
            assert (distance(incline(dimension), centres, "b") < 1e-6).all()
        places = np.nonzero(held.is_solid & ~free.is_solid)
        for axis in range(dimension):
            fractions = after.face_fractions[axis]
            assert (fractions[places] == 0).all()
            assert (fractions[tiles.beside(places, axis, 1)] == 0).all()
