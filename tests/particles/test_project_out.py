"""Particles that are put out of solids: where they may be put, and where not."""

import numpy as np

from plash.particles.collide import Start
from plash.particles.particles import Particles
from plash.particles.project_out import project_out
from plash.particles.sides import CLOSED, UNBOUNDED

LIMITS = np.array([[0, 12], [0, 7], [0, 9]], np.int32)


def test_what_is_caught_between_a_moving_solid_and_a_closed_side_stays_in_the_domain(dimension):
    """Its start was carried along by the solid, beyond the side; there is no way out of the solid."""
    inside = Particles.at(np.full((2, dimension), 0.5))
    carried = Particles.at(np.array([[3.25, -1.25, 4.5], [3.25, 8.5, 4.5]])[:, :dimension])
    for kind, low, high in ((CLOSED, 0.0, 7.0), (UNBOUNDED, -1.25, 8.5)):
        kinds = np.full((3, 2), kind, np.int32)
        everywhere = lambda places: np.full(len(places), -1.0)  # noqa: E731
        stuck = project_out(inside, np.arange(2), Start.of(carried), everywhere, LIMITS, kinds)
        places = inside.cell + inside.offset
        assert stuck == 2
        assert np.all(places[0] == 3.25)
        assert np.allclose(places[1], [low, high], atol=2e-3)
        assert kind == UNBOUNDED or np.all((places[1] >= 0) & (places[1] < 7))
