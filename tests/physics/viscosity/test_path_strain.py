"""Liquid that turns in straight moves is not strained, though its velocity points inwards."""

import numpy as np
import pytest

from plash.grid.cells import LIQUID
from plash.physics.straight_paths import straight_path_divergence
from plash.physics.viscosity.path_strain import StraightPaths
from plash.physics.viscosity.stress_weights import Scheme
from plash.physics.viscosity.viscous_solve import act_implicitly

from .liquids import H
from .test_schemes import Liquid, ball

DT = 0.02


def spin_of(dimension):
    """Ω with entries of every sign: about no axis of the grid in 3-D."""
    x, y, z = (0.0, 0.0, 2.3) if dimension == 2 else (1.1, -0.7, 1.6)
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])[:dimension, :dimension]


def linear(liquid, matrix):
    """The velocity matrix @ x, x in metres."""
    return liquid.faces(lambda axis, *x: H * sum(matrix[axis, b] * (x[b] - 9.0) for b in range(len(matrix))))


def changed(liquid, velocity, number, strain):
    after = velocity.copy()
    act_implicitly((after, velocity), liquid.cells, liquid.solids, number * H**2, 1.0, Scheme(H, True, True), strain)
    return np.nanmax(np.abs(after.pool - velocity.pool)) / np.nanmax(np.abs(velocity.pool))


@pytest.mark.parametrize("number", [1.0, 1e3])
def test_a_body_that_turns_in_straight_moves_feels_no_stress(dimension, number):
    liquid, spin = Liquid(dimension, ball(dimension)), spin_of(dimension)
    carried = linear(liquid, spin)
    chords = linear(liquid, spin + DT / 2 * spin @ spin)
    paths = StraightPaths(carried, straight_path_divergence(carried, liquid.cells, DT, H), DT)
    strain = paths.strain(liquid.cells, H)
    assert changed(liquid, chords, number, strain) < 1e-5
    assert changed(liquid, chords, number, None) > 1e-3


def test_the_trace_is_the_divergence_that_keeps_volume(dimension):
    """For any gradient that is the same everywhere, up to the limit that both have."""
    liquid = Liquid(dimension, ball(dimension))
    matrix = np.random.default_rng(4).standard_normal((dimension, dimension))
    for size in (1.0, 30.0):
        carried = linear(liquid, size * matrix)
        divergence = straight_path_divergence(carried, liquid.cells, DT, H)
        strain = StraightPaths(carried, divergence, DT).strain(liquid.cells, H)
        trace = sum(strain[a, a] for a in range(dimension))
        inside = np.abs(divergence) > 0
        assert inside.sum() == liquid.cells.liquid_count
        assert np.allclose(trace[inside], divergence[inside], rtol=1e-3)


def test_nothing_is_asked_for_where_paths_are_left_out(dimension):
    """Beside spouts and moving bodies the divergence is zero, and so is the strain."""
    liquid = Liquid(dimension, ball(dimension))
    carried = linear(liquid, spin_of(dimension))
    divergence = straight_path_divergence(carried, liquid.cells, DT, H)
    divergence[liquid.cells.liquid_tiles[0]] = 0
    strain = StraightPaths(carried, divergence, DT).strain(liquid.cells, H)
    wet = liquid.cells.label == LIQUID
    assert (strain[:, :, wet & (divergence == 0)] == 0).all()
    assert (strain[0, 0][wet & (divergence != 0)] != 0).all()
