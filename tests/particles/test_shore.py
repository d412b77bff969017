"""The liquid's distance where its surface meets bodies that cut cells: a plane is found at any angle, and nothing else."""

import numpy as np
import pytest

from plash.grid.dense import to_dense
from plash.particles.shore import correct_shores
from plash.particles.sort import sort_particles
from plash.particles.surface import complete_distance, filled_share, liquid_distance, spread_volume
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.scene.bodies import Solid

H = 0.37
CELLS = {2: (30, 19), 3: (22, 17, 11)}
FINE = {2: 16, 3: 6}  # places along each side of a cell where liquid is put
ANGLES = [10, 27, 45, 63, 80, 90, 110, 135, 153, 170]


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
    """Particles that fill all of the open space below a level, in cells, as evenly as their number allows."""
    fine = FINE[dimension]
    axes = [(np.arange(n * fine) + 0.5) / fine for n in CELLS[dimension]]
    axes[1] = axes[1][axes[1] < level + 1]
    places = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    share = np.clip(0.5 + fine * bodies.distance(places), 0, 1) * np.clip(0.5 + fine * (level - places[:, 1]), 0, 1)
    particles = make_particles(places[share > 0])
    particles.volume[:] = share[share > 0] / fine**dimension
    sort_particles(particles, 3)
    return particles


def measure(level, solid, dimension, make_particles, corrected=True):
    """Distance, fill and solids of a pool beside a body, with the distance in cells as a dense box."""
    box = DomainBox(CELLS[dimension], ((CLOSED, CLOSED),) * dimension)
    geometry = SceneSolids(Cut([solid] if solid else [], box, H))
    from plash.physics.solids.distance import Bodies

    particles = fill_below(level, Bodies([solid] if solid else [], H, dimension), dimension, make_particles)
    solids = geometry.at(particles.tiles)
    volume = spread_volume(particles, box.closed_sides())
    phi = liquid_distance(filled_share(volume, solids.inverse_kernel_weight), H)
    if corrected and solids.cut_cells is not None:
        correct_shores(phi, volume.pool, solids.cut_cells.openness, box.limits(), H)
    complete_distance(phi, H, solids.is_solid, solids.inverse_kernel_weight, solids.cut_cells)
    return phi, solids


def shore_errors(level, solid, dimension, make_particles):
    """Error of the distance in cells, in open cells beside the surface that a body cuts and liquid is near."""
    phi, solids = measure(level, solid, dimension, make_particles)

    def dense(pool):
        return to_dense(pool, phi.tiles, (0,) * dimension, CELLS[dimension])

    height = (np.arange(CELLS[dimension][1]) + 0.5 - level).reshape([-1 if a == 1 else 1 for a in range(dimension)])
    values = dense(phi.pool).astype(np.float64) / H
    # A distance counts where an open face lies between liquid and air
    is_open = ~dense(solids.is_solid)
    is_liquid = np.broadcast_to(height < 0, is_open.shape)
    looked_at = np.zeros(is_open.shape, np.bool_)
    for axis in range(dimension):
        face = dense(solids.cut_cells.face_fractions[axis]) > 0
        below = np.roll(is_open, 1, axis) & (np.roll(is_liquid, 1, axis) != is_liquid)
        between = is_open & face & below
        looked_at |= between | np.roll(between, -1, axis)
    looked_at &= (np.abs(height) < 0.95) & (dense(solids.cut_cells.openness.hat_share) < 0.999)
    assert looked_at.sum() >= 2
    return (values - height)[looked_at]


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("level", [8.0, 8.3, 8.46, 8.77])
def test_a_level_surface_is_found_beside_a_slope(angle, level, make_particles):
    errors = shore_errors(level, beach(angle, 2), 2, make_particles)
    assert np.abs(errors).max() < 0.05
