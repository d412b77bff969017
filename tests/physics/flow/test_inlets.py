"""Spouts: what comes out, and the stairs of faces they are on the grid."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from plash.physics.flow.inlets import Inlet
from plash.scene import Disc, Rectangle, Spout

H = 0.037


def inlet(dimension: int, angle: float = 0.0, **keys) -> Inlet:
    normal = (math.cos(angle), math.sin(angle), 0.3 * (dimension == 3))[:dimension]
    shape = Disc(center=(0.51, 0.63, 0.42)[:dimension], normal=normal, radius=0.14)
    spout = Spout(name="jet", shape=shape, **{"speed": 1.3, **keys})
    return Inlet(spout, H, dimension, 2**dimension, 0.25, (5, 1))


@pytest.mark.parametrize("degrees", [0, 30, 45, 77, 180, 290])
def test_stairs_cover_the_opening_once_at_any_angle(dimension, degrees):
    jet = inlet(dimension, math.radians(degrees))
    stencil = jet.stencil(0.0)
    covered = (stencil.share * np.abs(stencil.normal[stencil.face_axes])).sum() * H ** (dimension - 1)
    assert covered == pytest.approx(jet.area, rel=0.01)


@pytest.mark.parametrize("degrees", [0, 30, 45])
def test_nothing_can_pass_from_behind_to_ahead_but_through_the_plug(dimension, degrees):
    stencil = inlet(dimension, math.radians(degrees)).stencil(0.0)
    inlet_cells = {tuple(cell) for cell in stencil.inlet_cells.tolist()}
    steps = np.eye(dimension, dtype=int)[stencil.face_axes] * np.sign(stencil.normal[stencil.face_axes])[
        :, None
    ].astype(int)
    assert all(tuple(cell) in inlet_cells for cell in (stencil.ahead - steps).tolist())
    assert not any(tuple(cell) in inlet_cells for cell in stencil.ahead.tolist())


@pytest.mark.parametrize("dt", [0.004, 0.02])
def test_thick_liquid_hangs_on_its_opening_and_thin_liquid_falls(dt):
    """In the mean it gets faster by what its Trouton viscosity lets it, g l²/(9 nu), or by g dt/2."""
    thin, thick = (replace(inlet(3), nu=nu) for nu in (1e-6, 50.0))
    assert inlet(3).falling_share(0.3, 0.3 + dt) == 1
    assert thin.falling_share(0.3, 0.3 + dt) == pytest.approx(1, abs=0.002)
    hangs = (1.3 * dt) ** 2 / (9 * 50.0)
    assert thick.falling_share(0.3, 0.3 + dt) * dt / 2 == pytest.approx(hangs, rel=0.01)
    stopped = replace(inlet(3, stop=0.2), nu=50.0)
    assert stopped.falling_share(0.3, 0.3 + dt) == 1


@pytest.mark.parametrize("place", [0.05, 0.0625, 0.1, 0.3])
def test_an_opening_through_cell_centres_or_along_faces_has_stairs(place):
    shape = Rectangle(center=(0.3, place), normal=(0, 1), size=[0.2])
    spout = Inlet(Spout(shape=shape, speed=1), 0.04 / 6, 2, 4, 0.25, (0,))
    assert spout.stencil(0.0).share.sum() * spout.h == pytest.approx(0.2, rel=0.01)


def test_particles_do_not_depend_on_the_steps_in_which_they_come(dimension):
    jet = inlet(dimension, 0.4, ramp=0.05, stop=0.4)
    whole = jet.due(0.0, 0.21)
    times = [0.0, 0.03, 0.031, 0.1, 0.173, 0.21]
    parts = [jet.due(start, end) for start, end in pairwise(times)]
    normal = jet.stencil(0.0).normal
    along = [(jet.length(0.21) - jet.length(end)) * normal for end in times[1:]]
    moved = [part.position(H) + shift for part, shift in zip(parts, along, strict=True)]
    found, wanted = np.concatenate(moved), whole.position(H)
    assert len(found) == len(wanted)
    assert np.abs(found[np.lexsort(found.T.round(6))] - wanted[np.lexsort(wanted.T.round(6))]).max() < 1e-6


def test_the_number_of_particles_is_that_of_the_volume_to_within_one(dimension):
    jet = inlet(dimension)
    columns = len(jet.columns[0])
    for end in (0.003, 0.01, 0.0217, 0.2):
        expected = columns * jet.length(end) / jet.spacing
        assert abs(jet.due(0.0, end).count - expected) <= 1


def test_a_spout_that_moves_hands_on_its_velocity():
    still, moving = inlet(2), inlet(2, motion={"velocity": (0.0, 0.9)}, inherit=1.0)
    handing_nothing = inlet(2, motion={"velocity": (0.0, 0.9)}, inherit=0.0)
    assert moving.due(0.1, 0.12).velocity[1] == pytest.approx(0.9)
    assert handing_nothing.due(0.1, 0.12).velocity[1] == pytest.approx(0.0)
    assert moving.stencil(0.5).center - still.stencil(0.5).center == pytest.approx([0, 0.45])
    # Handed on in full, liquid stays beside the spout; handed on in no part, it stays where it left it
    assert moving.due(0.0, 0.1).position(H)[:, 1].mean() == pytest.approx(0.63 + 0.09, abs=0.2 * H)
    assert handing_nothing.due(0.0, 0.1).position(H)[:, 1].mean() == pytest.approx(0.63 + 0.045, abs=0.3 * H)


def narrow(dimension: int, width: float, angle: float, shift: float, kind: str) -> Inlet:
    """An opening of a width in cells, somewhere between the samples of faces or on one."""
    normal = (math.cos(angle), math.sin(angle), 0.3 * (dimension == 3))[:dimension]
    center = tuple((np.array([13.3, 17.0, 11.0])[:dimension] + shift) * H)
    shape: Disc | Rectangle
    if kind == "disc":
        shape = Disc(center=center, normal=normal, radius=width * H / 2)
    elif dimension == 3:
        shape = Rectangle(center=center, normal=normal, size=(5 * H, width * H))
    else:
        shape = Rectangle(center=center, normal=normal, size=[width * H])
    return Inlet(Spout(name="jet", shape=shape, speed=1.3), H, dimension, 2**dimension, 0.25, (5, 1))


@pytest.mark.parametrize("kind", ["disc", "rectangle"])
@pytest.mark.parametrize("width", [1e-9, 1e-3, 0.03, 0.1, 0.4])
def test_an_opening_narrower_than_a_sample_lets_all_of_its_liquid_out(dimension, width, kind):
    for angle in (0.0, 0.4, 0.9, 2.2):
        for shift in (0.0, 0.01, 0.47, 0.5):
            jet = narrow(dimension, width, angle, shift, kind)
            middle, weight, _ = jet.columns
            assert np.isfinite(middle).all()
            assert weight.sum() == pytest.approx(1)
            assert jet.contains(middle).all()
            stencil = jet.stencil(0.0)
            assert len(stencil.share) > 0
            # Faces near the opening, none of them further than a cell or so from it
            away = ((stencil.faces + 0.5) * H - stencil.center) @ stencil.axes.T / H
            reach = np.array(jet.spout.shape.half_sides(dimension)) / H
            assert (np.abs(away[:, 1:]) < reach + 1.8).all()
            time = 5.5 * jet.spacing / jet.peak
            due = jet.due(0.0, time).total_volume() * H**dimension
            assert due == pytest.approx(jet.volume(time), rel=0.11)
