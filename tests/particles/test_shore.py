"""The liquid's distance where its surface meets bodies that cut cells: a plane is found at any angle."""

import numpy as np
import pytest

from plash.grid.dense import to_dense
from plash.particles.seed_parts import parts_inside
from plash.particles.shore import correct_shores
from plash.particles.sort import sort_particles
from plash.particles.surface import complete_distance, filled_share, liquid_distance, spread_volume
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.distance import Bodies
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.scene.bodies import Solid

H = 0.37
CELLS = {2: (30, 19), 3: (22, 17, 11)}
FINE = {2: 8, 3: 4}  # small cubes along each side of a cell
ANGLES = [10, 27, 45, 63, 80, 90, 110, 135, 145, 153, 160]  # above 90 degrees a wedge of air


def beach(angle, dimension, turned=0.0):
    """A half-space whose surface rises at an angle (degrees) from where it meets y = 8.3 cells near the middle."""
    slope, around = np.radians(angle), np.radians(turned)
    normal = np.array([-np.sin(slope) * np.cos(around), np.cos(slope), -np.sin(slope) * np.sin(around)])
    point = np.array([0.52 * CELLS[dimension][0], 8.3, 5.2])
    return Solid(
        name="beach",
        shape={"kind": "half_space", "point": tuple(point[:dimension] * H), "normal": tuple(normal[:dimension])},
    )


def fill_below(level, bodies, dimension, make_particles):
    """Particles that fill the open space below a level, in cells: what small cubes hold, at its centres of mass."""
    fine = FINE[dimension]
    axes = [(np.arange(n * fine) + 0.5) / fine for n in CELLS[dimension]]
    axes[1] = axes[1][axes[1] < level + 1]
    middles = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    share, shift = parts_inside(lambda x: np.maximum(x[:, 1] - level, -bodies.distance(x)), middles, 1.0, fine)
    particles = make_particles((middles + shift)[share > 0])
    particles.volume[:] = share[share > 0] / fine**dimension
    sort_particles(particles, 3)
    return particles


def measure(level, solid, dimension, make_particles, corrected=True):
    """Distance, fill and solids of a pool beside a body, with the distance in cells as a dense box."""
    box = DomainBox(CELLS[dimension], ((CLOSED, CLOSED),) * dimension)
    geometry = SceneSolids(Cut([solid] if solid else [], box, H))
    particles = fill_below(level, Bodies([solid] if solid else [], H, dimension), dimension, make_particles)
    solids = geometry.at(particles.tiles)
    volume = spread_volume(particles, box.closed_sides())
    phi = liquid_distance(filled_share(volume, solids.inverse_kernel_weight), H)
    if corrected and solids.cut_cells is not None:
        correct_shores(phi, volume.pool, solids.cut_cells.openness, box.limits(), np.zeros(3), H)
    complete_distance(phi, H, solids.is_solid, solids.inverse_kernel_weight, solids.cut_cells)
    return phi, solids, volume


def shore_errors(level, solid, dimension, make_particles, corrected=True):
    """Error of the distance in cells, in open cells beside the surface that a body cuts and liquid is near."""
    phi, solids, volume = measure(level, solid, dimension, make_particles, corrected)

    def dense(pool):
        return to_dense(pool, phi.tiles, (0,) * dimension, CELLS[dimension])

    height = (np.arange(CELLS[dimension][1]) + 0.5 - level).reshape([-1 if a == 1 else 1 for a in range(dimension)])
    values = dense(phi.pool).astype(np.float64) / H
    # A distance counts where an open face lies between liquid and air; without a particle near, a cell is air
    is_open = ~dense(solids.is_solid) & (dense(volume.pool) > 0)
    is_liquid = np.broadcast_to(height < 0, is_open.shape)
    looked_at = np.zeros(is_open.shape, np.bool_)
    for axis in range(dimension):
        face = dense(solids.cut_cells.face_fractions[axis]) > 0
        below = np.roll(is_open, 1, axis) & (np.roll(is_liquid, 1, axis) != is_liquid)
        between = is_open & face & below
        looked_at |= between | np.roll(between, -1, axis)
    looked_at &= (np.abs(height) < 0.75) & (dense(solids.cut_cells.openness.hat_share) < 0.999)
    assert looked_at.any()
    return (values - height)[looked_at]


@pytest.mark.parametrize("angle", [*ANGLES, 165, 170])
@pytest.mark.parametrize("level", [8.0, 8.1, 8.3, 8.65, 8.77])
def test_a_level_surface_is_found_beside_a_slope(angle, level, make_particles):
    errors = shore_errors(level, beach(angle, 2), 2, make_particles)
    assert np.abs(errors).max() < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("turned", [0, 23])
@pytest.mark.parametrize("angle", ANGLES)
def test_in_three_dimensions_too_and_up_to_the_sides_of_the_domain(angle, turned, make_particles):
    """Turned about the vertical, the slope meets the sides, which are mirrors, at an angle."""
    for level in (8.0, 8.3, 8.77):
        errors = shore_errors(level, beach(angle, 3, turned), 3, make_particles)
        assert np.sqrt((errors**2).mean()) < 0.035
        assert np.quantile(np.abs(errors), 0.9) < 0.05
        assert np.abs(errors).max() < 0.1


def test_without_it_the_distance_on_a_beach_is_wrong(make_particles):
    """What it is for."""
    errors = [shore_errors(level, beach(10, 2), 2, make_particles, corrected=False) for level in (8.0, 8.3, 8.77)]
    assert np.abs(np.concatenate(errors)).max() > 0.2


@pytest.mark.parametrize("level", [8.1, 8.4])
def test_a_level_surface_is_found_round_a_ball(dimension, level, make_particles):
    centre = tuple(np.array((12.2, 8.3, 5.3))[:dimension] * H)
    ball = Solid(name="ball", shape={"kind": "sphere", "center": centre, "radius": 4.4 * H})
    errors = shore_errors(level, ball, dimension, make_particles)
    assert np.abs(errors).max() < 0.08
    assert np.sqrt((errors**2).mean()) < 0.04


def test_nothing_changes_away_from_bodies(dimension, make_particles):
    plain, corrected = (
        measure(8.3, beach(27, dimension), dimension, make_particles, corrected=corrected)
        for corrected in (False, True)
    )
    is_free = (plain[1].cut_cells.openness.hat_share >= 0.999) & ~plain[1].is_solid
    assert np.array_equal(plain[0].pool[is_free], corrected[0].pool[is_free])
    assert not np.array_equal(plain[0].pool, corrected[0].pool)


def test_the_open_share_of_the_hat_is_that_of_a_plane(dimension, make_particles):
    """Against the sum over many more places."""
    _, solids, _ = measure(8.3, beach(27, dimension), dimension, make_particles)
    share = to_dense(solids.cut_cells.openness.hat_share, solids.tiles, (0,) * dimension, CELLS[dimension])
    bodies = Bodies([beach(27, dimension)], H, dimension)
    fine = (np.arange(-20, 20) + 0.5) / 20
    around = np.stack([axis.ravel() for axis in np.meshgrid(*[fine] * dimension, indexing="ij")], axis=1)
    weight = np.prod(1 - np.abs(around), axis=1) / 20**dimension
    for cell in ((12, 6, 5), (14, 8, 4), (15, 7, 5)):
        centre = np.array(cell[:dimension]) + 0.5
        expected = weight @ np.clip(0.5 + 20 * bodies.distance(centre + around), 0, 1)
        assert share[cell[:dimension]] == pytest.approx(expected, abs=3e-3)


def test_same_bits_for_any_number_of_threads(dimension, threads, make_particles):
    results = []
    for n in (1, 2):
        threads(n)
        phi, solids, _ = measure(8.3, beach(27, dimension, 23), dimension, make_particles)
        results.append((phi.pool.tobytes(), solids.cut_cells.openness.hat_share.tobytes()))
    assert results[0] == results[1]
