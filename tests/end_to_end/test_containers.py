"""Thin containers hold their liquid and show it: measured, carried and mesh volume agree when it rests."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.mesh.reconstruct import liquid_surface

pytestmark = pytest.mark.slow

H = 0.6 / 26
MIDDLE = (0.3, 0.3, 0.3)


def bowl(wall: float) -> dict:
    """A hollow half ball with a wall of so many cells."""
    ball = {"kind": "sphere", "center": MIDDLE, "radius": 0.22}
    cover = {"kind": "box", "min": (0, 0.3, 0), "max": (1, 1, 1)}
    return {"kind": "difference", "of": [{**ball, "radius": 0.22 + wall * H}, ball, cover]}


def cup(wall: float) -> dict:
    """A tilted cup."""
    tilt = {"angle": "15 deg", "axis": (0, 0, 1), "about": MIDDLE}
    outside = {
        "kind": "cylinder",
        "base": (0.3, 0.1 - wall * H, 0.3),
        "top": (0.3, 0.34, 0.3),
        "radius": 0.15 + wall * H,
    }
    inside = {"kind": "cylinder", "base": (0.3, 0.1, 0.3), "top": (0.3, 0.6, 0.3), "radius": 0.15}
    return {"kind": "difference", "of": [outside, inside], "rotation": tilt}


FILLS: Any = {
    bowl: {
        "kind": "difference",
        "of": [
            {"kind": "sphere", "center": MIDDLE, "radius": 0.22},
            {"kind": "box", "min": (0, 0.22, 0), "max": (1, 1, 1)},
        ],
    },
    cup: {
        "kind": "cylinder",
        "base": (0.3, 0.1, 0.3),
        "top": (0.3, 0.24, 0.3),
        "radius": 0.15,
        "rotation": {"angle": "15 deg", "axis": (0, 0, 1), "about": MIDDLE},
    },
}


@pytest.mark.parametrize("wall", [0.8, 1.3])
@pytest.mark.parametrize("container", [bowl, cup])
def test_the_volumes_of_a_container_at_rest_agree(container, wall):
    scene = plash.Scene(
        domain={"size": (0.6, 0.44, 0.6), "cell_size": H},
        time={"frames": 18},
        fill=[{"shape": FILLS[container]}],
        solid=[{"name": "container", "shape": container(wall)}],
    )
    *_, frame = plash.simulate(scene)
    ledger, particles = frame.ledger, frame.particles
    surface = liquid_surface(
        particles.position, particles.velocity, particles.volume, H, scene.mesh, scene.domain, scene.solid
    )
    assert ledger.particle_volume == pytest.approx(ledger.initial, rel=1e-6)
    assert ledger.volume == pytest.approx(ledger.particle_volume, rel=0.03)
    assert surface.volume == pytest.approx(ledger.particle_volume, rel=0.03)
    # Nothing is outside of it
    assert np.linalg.norm(particles.position - np.array(MIDDLE), axis=1).max() < 0.26


def test_what_is_in_films_is_in_the_ledger(dimension):
    """A puddle that runs out over the floor becomes thinner than a cell: it is not measured, and told."""
    size = (1.6, 0.4, 1.4)[:dimension]
    scene = plash.Scene(
        domain={"size": size, "resolution": 32},
        time={"frames": 26},
        fill=[{"shape": {"kind": "sphere", "center": (0.8, 0.1, 0.7)[:dimension], "radius": 0.1}}],
    )
    whole = None
    for frame in plash.simulate(scene):
        ledger = frame.ledger
        whole = whole or ledger.initial
        # What is seen, what is in films and what is in spray is what there is, but for what is too dense or too sparse
        assert ledger.volume + ledger.films + ledger.spray == pytest.approx(whole, rel=0.25)
    assert ledger.volume < 0.75 * whole
    assert ledger.films > 0.2 * whole
    assert ledger.films > 3 * ledger.spray
