"""Surfaces of particles whose shape is known: pools, balls, drops. h is never one, no box is a cube."""

import numpy as np
import pytest

from plash.files.ply import mesh_from_ply, ply_bytes
from plash.mesh import contact
from plash.mesh.defects import defects
from plash.mesh.lattice import distance_to_solids
from plash.mesh.mesh import Mesh
from plash.mesh.reconstruct import liquid_surface
from plash.mesh.topology import parts_of
from plash.pipeline.simulate import simulate
from plash.scene import Box, Domain, Fill, Meshing, Scene, Solid, Sphere, Time

H = 0.05
SIDES = {2: (0.9, 0.6), 3: (0.9, 0.6, 0.7)}
LEVEL = 0.375


def lattice(first, last, jitter=0.0, spacing=H / 2):
    """Particles with two along the edge of a cell, shifted at random; positions and volumes."""
    count = [round((b - a) / spacing) for a, b in zip(first, last, strict=True)]
    index = np.stack(np.meshgrid(*[np.arange(n) for n in count], indexing="ij"), axis=-1).reshape(-1, len(count))
    shift = np.random.default_rng(3).uniform(-0.5, 0.5, index.shape) * jitter
    return np.array(first) + (index + 0.5 + shift) * spacing


def surface(position, meshing=None, domain=None, solids=(), velocity=None, volume=None):
    dimension = position.shape[1]
    domain = domain or Domain(size=SIDES[dimension], cell_size=H)
    velocity = np.zeros(position.shape, np.float32) if velocity is None else velocity
    volume = np.full(len(position), (H / 2) ** dimension) if volume is None else volume
    return liquid_surface(position, velocity, volume, H, meshing or Meshing(), domain, solids)


def pool(dimension, jitter=0.5):
    return lattice((0.0,) * dimension, (SIDES[dimension][0], LEVEL, *SIDES[dimension][2:]), jitter)


@pytest.mark.parametrize("detail", [1, 2, 3, 4])
def test_pool_is_flat_closed_and_flush_with_the_walls(dimension, detail):
    places = pool(dimension)
    mesh = surface(places, Meshing(detail=detail))
    assert mesh.open_edges() == 0
    assert abs(mesh.volume / (len(places) * (H / 2) ** dimension) - 1) < 0.01
    rim = mesh.vertices[np.unique(mesh.edges)] if dimension == 2 else mesh.vertices
    away_from_walls = np.minimum(rim, np.array([*SIDES[dimension], 0.7][:3]) - rim)[:, [0, 2][: dimension - 1]].min(
        axis=1
    )
    top = (rim[:, 1] > LEVEL - 0.4 * H) & (away_from_walls > 0.1 * H)
    inner = top & (away_from_walls > H)
    assert np.abs(rim[inner, 1] - LEVEL).max() < (0.05 if detail == 2 else 0.08) * H
    assert np.sqrt(((rim[top, 1] - LEVEL) ** 2).mean()) < 0.05 * H
    for axis in range(dimension):
        assert abs(mesh.vertices[:, axis].min()) < 1e-3 * H
        if axis != 1:
            assert abs(mesh.vertices[:, axis].max() - SIDES[dimension][axis]) < 1e-3 * H


def test_a_box_with_more_liquid_than_it_holds_has_the_walls_for_a_surface(dimension):
    """There is no vertex that could be moved to give it the volume."""
    places = lattice((0.0,) * dimension, SIDES[dimension])
    mesh = surface(places, volume=np.full(len(places), 1.2 * (H / 2) ** dimension))
    assert mesh.volume == pytest.approx(np.prod(SIDES[dimension]), rel=1e-6)


def test_pool_has_no_rounded_edge_at_the_walls():
    mesh = surface(pool(3, jitter=0.0))
    low_at_the_wall = mesh.vertices[(np.abs(mesh.vertices[:, 0]) < 1e-3 * H) & (mesh.normals[:, 1] > 0.3)]
    assert np.abs(low_at_the_wall[:, 1] - LEVEL).max() < 0.02 * H


def test_sphere_of_particles_is_round():
    centre, radius = np.array([0.45, 0.31, 0.36]), 0.2
    places = lattice((0.2, 0.05, 0.1), (0.7, 0.55, 0.6))
    mesh = surface(places[np.linalg.norm(places - centre, axis=1) < radius])
    away = np.linalg.norm(mesh.vertices - centre, axis=1)
    assert mesh.euler_number == 2
    assert abs(away.mean() - radius) <= 0.5 * H / 2
    assert away.std() <= 0.1 * H / 2
    outwards = (mesh.vertices - centre) / away[:, None]
    assert (mesh.normals * outwards).sum(axis=1).min() > 0.95


@pytest.mark.parametrize("detail", [1, 2, 3])
def test_one_drop_is_round_and_has_its_volume_wherever_it_is(dimension, detail):
    for at in np.random.default_rng(1).uniform(0.2, 0.4, (20, dimension)):
        mesh = surface(at[None], Meshing(detail=detail))
        assert defects(mesh) == []
        assert np.isclose(mesh.volume, (H / 2) ** dimension, rtol=1e-5)
        rows = mesh.edges if dimension == 2 else mesh.faces
        away = np.linalg.norm(mesh.vertices[rows].mean(axis=1)[:, :dimension] - at, axis=1)
        assert away.std() < 0.01 * away.mean()
        assert away.min() > 0.9 * away.max()


def test_drops_of_a_few_particles_have_their_volume_and_no_corners():
    rng = np.random.default_rng(5)
    for _ in range(10):
        places = 0.3 + rng.uniform(-0.25, 0.25, (3, 3)) * H
        mesh = surface(places)
        assert defects(mesh) == []
        assert np.isclose(mesh.volume, 3 * (H / 2) ** 3, rtol=0.02)
        corners = mesh.vertices[mesh.faces].astype(float)
        outwards = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        outwards /= np.linalg.norm(outwards, axis=1)[:, None]
        turned = np.einsum("ijk,ik->ij", mesh.normals[mesh.faces], outwards)
        assert np.degrees(np.arccos(turned.min())) < 45  # 55 at the corners of an octahedron


def test_a_drop_on_a_wall_is_cut_off_by_it(dimension):
    at = np.full((1, dimension), 0.3)
    at[0, 0] = 0.1 * H
    mesh = surface(at)
    assert defects(mesh) == []
    assert mesh.vertices[:, 0].min() == 0


def test_without_drops_a_lone_particle_shows_nothing(dimension):
    lone = np.full((1, dimension), 0.3)
    assert len(surface(lone, Meshing(drops=False)).faces) == 0


def test_no_particles_have_no_surface(dimension):
    assert len(surface(np.zeros((0, dimension))).faces) == 0


@pytest.mark.parametrize("layers", [1, 2], ids=["half a cell", "a cell"])
def test_a_finer_lattice_keeps_the_sheets_that_the_usual_one_has(layers):
    """No more holes, and a volume as close, in a sheet whose particles lie at random."""
    places = lattice((0.1, 0.3, 0.1), (0.8, 0.3 + layers * H / 2, 0.6), jitter=0.9)
    found = {detail: surface(places, Meshing(detail=detail)) for detail in (2, 3, 4)}
    holes = {
        detail: int(parts_of(m.faces, len(m.vertices)).max()) + 1 - m.euler_number // 2 for detail, m in found.items()
    }
    off = {detail: abs(m.volume / (len(places) * (H / 2) ** 3) - 1) for detail, m in found.items()}
    for detail in (3, 4):
        assert defects(found[detail]) == []
        assert holes[detail] <= holes[2]
        assert off[detail] <= off[2] + 0.005


def test_a_sheet_of_one_particle_holds_together():
    places = lattice((0.2, 0.3, 0.2), (0.6, 0.3 + H / 2, 0.5), jitter=0.3)
    mesh = surface(places)
    assert mesh.open_edges() == 0
    assert mesh.euler_number == 2
    assert abs(mesh.volume / (len(places) * (H / 2) ** 3) - 1) < 0.35


def test_balls_grow_without_a_jump():
    """A particle that leaves a pool pulls a bump along, which changes by little from place to place."""
    places = pool(3, jitter=0.0)
    drop = (H / 2) ** 3
    heights = LEVEL + np.linspace(-0.5, 2.0, 41) * H
    seen = [surface(np.concatenate([places, [[0.431, y, 0.337]]])).volume for y in heights]
    assert np.abs(np.diff(seen)).max() < 2.0 * drop
    assert np.ptp(seen) < 5.0 * drop


def test_unbounded_and_far_away(dimension):
    near = lattice((0.1,) * dimension, (0.35,) * dimension, jitter=0.5)
    unbounded = Domain(size=SIDES[dimension], cell_size=H, sides="unbounded")
    at = np.array([-4096.0, 2048.0, 8192.0])[:dimension] * H
    one, two = surface(near, domain=unbounded), surface(near + at, domain=unbounded)
    assert two.open_edges() == 0
    assert np.allclose(one.vertices[:, :dimension], two.vertices[:, :dimension] - at, atol=1e-4)
    assert two.vertices[:, 0].max() < -100


def test_liquid_ends_a_hair_under_the_face_of_a_solid(dimension):
    places = pool(dimension)
    centre = (0.45, 0.2, 0.35)[:dimension]
    solid = Solid(shape=Sphere(center=centre, radius=0.15))
    wet = np.linalg.norm(places - centre, axis=1) > 0.15
    mesh = surface(places[wet], solids=(solid,))
    assert mesh.open_edges() == 0
    depth = 0.15 - np.linalg.norm(mesh.vertices[:, :dimension] - centre, axis=1)
    assert 0.01 * H < depth.max() < 0.03 * H
    assert abs(mesh.volume / (wet.sum() * (H / 2) ** dimension) - 1) < 0.005


def test_a_vertex_that_loses_the_solid_on_its_way_out_stays_where_it_was(dimension, monkeypatch):
    """Where no solid is close the distance is infinite, and says no way."""
    known, asked = distance_to_solids, iter(range(1000))

    def lost(places, lattice):
        gap = known(places, lattice)
        if next(asked) > 2 * dimension:  # after the distances and their slopes at the start
            gap[::3] = np.inf
        return gap

    monkeypatch.setattr(contact, "distance_to_solids", lost)
    places = pool(dimension)
    centre = (0.45, 0.2, 0.35)[:dimension]
    wet = np.linalg.norm(places - centre, axis=1) > 0.15
    mesh = surface(places[wet], solids=(Solid(shape=Sphere(center=centre, radius=0.15)),))
    depth = 0.15 - np.linalg.norm(mesh.vertices[:, :dimension] - centre, axis=1)
    assert np.isfinite(mesh.vertices).all()
    assert depth.max() < H


CRATES = {
    "at a wall": ((0.31, 0.12, 0.0), (0.62, 0.29, 0.19)),
    "on the floor at a wall": ((0.31, 0.0, 0.42), (0.62, 0.29, 0.7)),
    "in a corner": ((0.0, 0.0, 0.0), (0.19, 0.29, 0.22)),
    "on the floor": ((0.31, 0.0, 0.22), (0.62, 0.29, 0.53)),
    "in the middle": ((0.31, 0.12, 0.22), (0.62, 0.29, 0.53)),
    "through the surface": ((0.31, 0.12, 0.22), (0.62, 0.5, 0.53)),
}


@pytest.mark.parametrize("where", CRATES)
def test_no_part_of_the_surface_lies_before_or_in_a_solid(where):
    """Liquid beside a solid that ends at a wall does not reach over the solid's face there."""
    low, high = map(np.array, CRATES[where])
    places = pool(3, jitter=0.3)
    wet = ((places < low) | (places > high)).any(axis=1)
    mesh = surface(places[wet], solids=(Solid(shape=Box(min=tuple(low), max=tuple(high))),))
    assert defects(mesh) == []
    # Its depth along the axes, without those that end at a wall
    low, high = np.where(low == 0, -1.0, low), np.where(high == SIDES[3], 2.0, high)
    corners = mesh.vertices[mesh.faces].astype(float)
    on_wall = ((corners == 0) | (corners == np.array(SIDES[3], np.float32))).all(axis=1).any(axis=1)
    assert on_wall.sum() > 1000
    for share in ((1, 0, 0), (1 / 3, 1 / 3, 1 / 3), (0.5, 0.5, 0), (0, 0.5, 0.5)):
        points = np.einsum("k,nkd->nd", np.array(share), corners)
        depth = np.minimum(points - low, high - points).min(axis=1)
        assert depth[on_wall].max() < 0.05 * H
        # Where three faces meet, a triangle or two cut off the corner
        assert np.mean(depth > 0.03 * H) < 0.003


def test_level_is_the_same_beside_a_solid():
    places = pool(3, jitter=0.3)
    solid = Solid(shape=Box(min=(0.4, 0.0, 0.0), max=(0.9, 0.6, 0.7)))
    mesh = surface(places[places[:, 0] < 0.4], solids=(solid,))
    top = mesh.vertices[(mesh.normals[:, 1] > 0.7) & (mesh.vertices[:, 0] < 0.4)]
    assert len(top) > 100
    assert np.abs(top[:, 1] - LEVEL).max() < 0.1 * H


def test_velocity_is_that_of_the_particles(dimension):
    places = pool(dimension)
    wind = np.array([2.0, -0.5, 1.0], np.float32)[:dimension]
    mesh = surface(places, velocity=np.tile(wind, (len(places), 1)))
    assert np.allclose(mesh.velocity[:, :dimension], wind, atol=1e-5)
    shear = np.zeros(places.shape, np.float32)
    shear[:, 0] = 3 * places[:, 1]
    mesh = surface(places, velocity=shear)
    inner = (mesh.vertices[:, 1] > 2 * H) & (mesh.vertices[:, 1] < LEVEL - 1.5 * H)
    assert np.abs(mesh.velocity[inner, 0] - 3 * mesh.vertices[inner, 1]).max() < 3 * 0.3 * H


def test_any_number_of_threads_gives_the_same_bits(dimension, threads):
    places = pool(dimension, jitter=1.0) + np.array([0.0, 0.1, 0.0])[:dimension]
    speed = np.random.default_rng(4).normal(size=places.shape).astype(np.float32)
    meshes = []
    for n in (1, 2):
        threads(n)
        meshes.append(surface(places, velocity=speed))
    for name in ("vertices", "faces", "velocity"):
        assert getattr(meshes[0], name).tobytes() == getattr(meshes[1], name).tobytes()


OPTIONS = [
    {"placement": "midpoint"},
    {"subdivide": 1},
    {"subdivide": 2, "detail": 1},
    {"walls": "open"},
    {"walls": "open", "subdivide": 1, "normals": "field"},
    {"normals": "field", "detail": 3},
    {"smallest": 1.0, "smoothing": 0},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(map(str, options.values())))
def test_every_option_keeps_velocity_and_goes_through_ply(dimension, options):
    places = pool(dimension)
    wind = np.array([2.0, -0.5, 1.0], np.float32)[:dimension]
    mesh = surface(places, Meshing(**options), velocity=np.tile(wind, (len(places), 1)))
    assert mesh.velocity.shape == mesh.vertices.shape
    assert np.allclose(mesh.velocity[:, :dimension], wind, atol=1e-5)
    if options.get("walls") != "open":
        assert defects(mesh) == []
        assert abs(mesh.volume / (len(places) * (H / 2) ** dimension) - 1) < 0.01
    if dimension == 3:
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)
    read = mesh_from_ply(ply_bytes(mesh), "pool.ply")
    for name in ("vertices", "faces", "velocity", "edges"):
        assert getattr(read, name).tobytes() == getattr(mesh, name).tobytes()


@pytest.mark.parametrize("options", [{}, {"placement": "midpoint"}, {"subdivide": 1}, {"detail": 3}])
def test_vertices_on_walls_are_exactly_on_them(dimension, options):
    mesh = surface(pool(dimension), Meshing(**options))
    for axis in range(dimension):
        along = mesh.vertices[:, axis]
        assert along.min() == 0
        if axis != 1:
            assert along.max() == np.float32(SIDES[dimension][axis])
    if dimension == 3:
        on_floor = (mesh.vertices[mesh.faces][:, :, 1] == 0).all(axis=1)
        floor = Mesh(mesh.vertices, mesh.faces[on_floor])
        assert abs(floor.area / (0.9 * 0.7) - 1) < 2e-3
        inner = on_floor & (np.abs(mesh.vertices[mesh.faces][:, :, [0, 2]] - [0.45, 0.35]) < 0.2).all(axis=(1, 2))
        assert np.array_equal(mesh.normals[mesh.faces[inner]].reshape(-1, 3), np.tile([0, -1, 0], (3 * inner.sum(), 1)))


def test_open_walls_leave_only_the_free_surface(dimension):
    places = pool(dimension, jitter=0.0)
    mesh = surface(places, Meshing(walls="open"))
    if dimension == 2:
        assert np.allclose(mesh.vertices[np.unique(mesh.edges)][:, 1], LEVEL, atol=0.02 * H)
        assert np.isclose(mesh.volume, surface(places).volume)
        return
    assert np.allclose(mesh.vertices[:, 1], LEVEL, atol=0.02 * H)
    assert np.isclose(mesh.area, 0.9 * 0.7, rtol=1e-3)
    assert mesh.normals[:, 1].min() > 0.99
    assert mesh.vertices[:, 0].min() == 0


def test_open_walls_leave_out_what_is_in_solids():
    places = pool(3)
    centre, radius = (0.45, 0.2, 0.35), 0.15
    wet = np.linalg.norm(places - centre, axis=1) > radius
    solid = Solid(shape=Sphere(center=centre, radius=radius))
    mesh = surface(places[wet], Meshing(walls="open"), solids=(solid,))
    assert (np.linalg.norm(mesh.vertices - centre, axis=1) - radius).min() > -0.3 * H
    assert mesh.vertices[:, 1].min() > LEVEL - H


def test_midpoints_lie_on_the_middle_of_edges_unless_smoothing_is_asked_for(dimension):
    raw = surface(pool(dimension), Meshing(placement="midpoint"))
    rim = raw.vertices[np.unique(raw.edges)] if dimension == 2 else raw.vertices
    doubled = rim[rim[:, 1] > LEVEL - H][:, :dimension] / (H / 4)
    assert np.allclose(doubled, np.rint(doubled), atol=2e-3)
    smooth = surface(pool(dimension), Meshing(placement="midpoint", smoothing=6))
    assert not np.array_equal(smooth.vertices, raw.vertices)
    assert np.isclose(smooth.volume, raw.volume, rtol=1e-4)


def test_specks_are_left_out_by_size(dimension):
    places = np.concatenate([pool(dimension), np.full((1, dimension), 0.55)])
    pieces = 1 if dimension == 2 else 2
    assert surface(places).euler_number == 2 * pieces
    assert surface(places, Meshing(smallest=0.9 / 2**dimension)).euler_number == 2 * pieces
    assert surface(places, Meshing(smallest=1.1 / 2**dimension)).euler_number == pieces


def test_field_normals_of_a_sphere_of_particles():
    centre, radius = np.array([0.45, 0.31, 0.36]), 0.2
    places = lattice((0.2, 0.05, 0.1), (0.7, 0.55, 0.6))
    mesh = surface(places[np.linalg.norm(places - centre, axis=1) < radius], Meshing(normals="field"))
    outwards = (mesh.vertices - centre) / np.linalg.norm(mesh.vertices - centre, axis=1)[:, None]
    assert (mesh.normals * outwards).sum(axis=1).min() > 0.9


def test_calm_water_is_flat_and_does_not_move_when_drops_fly(dimension):
    """Particles on a lattice are flat within 0.02 h, and as flat and as high with a drop above them."""
    places = pool(dimension, jitter=0.0)
    levels = []
    for drops in (0, 1, 2):
        at = np.array([[0.31, 0.55, 0.3], [0.62, 0.5, 0.41]])[:drops, :dimension]
        mesh = surface(np.concatenate([places, at]), Meshing(walls="open"))
        rim = mesh.vertices[np.unique(mesh.edges)] if dimension == 2 else mesh.vertices
        level = rim[rim[:, 1] < 0.45, 1]
        levels.append(level.mean())
        assert np.ptp(level) < 0.02 * H
    assert np.ptp(levels) < 0.001 * H


def test_mesh_has_the_volume_of_the_liquid_while_it_splashes(dimension):
    """A small dam break: closed, within 1 % of the particles' volume in every frame."""
    size = (1.0, 0.8, 0.5)[:dimension]
    scene = Scene(
        domain=Domain(size=size, resolution=20 if dimension == 3 else 32),
        time=Time(frames=14),
        fill=[Fill(shape=Box(min=(0,) * dimension, max=(0.4, 0.5, 0.5)[:dimension]))],
    )
    for frame in simulate(scene):
        seen = frame.particles
        mesh = liquid_surface(
            seen.position, seen.velocity, seen.volume, scene.domain.h, scene.mesh, scene.domain, scene.solid
        )
        assert defects(mesh) == []
        assert abs(mesh.volume / seen.volume.sum() - 1) < 0.01
        assert abs(mesh.volume / frame.ledger.volume - 1) < 0.05


def pool_round_a_pillar(dimension, width):
    """Particles at rest, and the solid they stand round; none if it has no width."""
    places = pool(dimension, jitter=0.0)
    if width == 0:
        return places, []
    low, high = (0.4, 0.0, 0.3)[:dimension], (0.4 + width, 0.6, 0.3 + width)[:dimension]
    return places[((places < low) | (places > high)).any(axis=1)], [Solid(shape=Box(min=low, max=high))]


def test_a_pool_is_flat_up_to_the_corners_of_a_pillar():
    places, solids = pool_round_a_pillar(3, 0.15)
    mesh = surface(places, solids=solids)
    top = mesh.vertices[(mesh.normals[:, 1] > 0.7) & (mesh.vertices[:, 1] > 0.3)]
    beside = np.all((top[:, [0, 2]] > (0.4 - 0.6 * H, 0.3 - 0.6 * H)) & (top[:, [0, 2]] < (0.4, 0.3)), axis=1)
    assert beside.any()
    assert np.abs(top[:, 1] - LEVEL).max() < 0.002 * H


@pytest.mark.parametrize("width", [0.0, 0.15, 0.17], ids=["open water", "pillar of whole cells", "pillar"])
def test_a_level_through_samples_does_not_change_when_particles_move_by_round_off(dimension, width):
    places, solids = pool_round_a_pillar(dimension, width)
    shaken = places + np.random.default_rng(5).uniform(-1e-6, 1e-6, places.shape) * H
    still, moved = surface(places, solids=solids), surface(np.clip(shaken, 0.0, None), solids=solids)
    assert np.array_equal(still.faces, moved.faces)
    assert np.abs(still.vertices - moved.vertices).max() < 1e-3 * H
