"""A shear modulus that follows the temperature: jelly that melts and sets."""

import numpy as np
import pytest

import plash
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.particles.particles import Particles
from plash.physics.elasticity.melting import follow_temperature
from plash.scene.ramps import Ramp
from plash.solvers.build.liquid import build_liquid

RHO = 1150.0
COLD, HOT = 290.0, 330.0
POINTS = [{"temperature": 300, "shear_modulus": 4e3}, {"temperature": 320, "shear_modulus": 0}]


def jelly(fills, liquid, resolution=15, **keys):
    return plash.Scene(
        domain={"size": (0.3, 0.16), "resolution": resolution, "friction": {"y_min": 1.0}},
        liquid={"density": RHO, "dynamic_viscosity": 1.0, "thermal_diffusivity": 0} | liquid,
        fill=fills,
        **keys,
    )


def block(low, high, **keys):
    return {"shape": {"kind": "box", "min": low, "max": high}} | keys


def advanced(solver, frames, first=0):
    for frame in range(first + 1, frames + 1):
        while solver.state.time < frame / 24 - 1e-9:
            solver.advance(frame / 24)
    return solver


def test_equally_warm_jelly_on_the_grid_is_that_of_its_modulus():
    """Strain on the grid takes its modulus from the particles round it."""
    settings = {"solver": {"transfer": "semi_lagrangian", "max_dt": 2e-3}}
    fill = block((0.1, 0.02), (0.2, 0.1), temperature=310.0)
    warm = build_liquid(jelly([fill], {"shear_modulus_at": POINTS, "temperature": 340.0}, **settings))
    same = build_liquid(jelly([block((0.1, 0.02), (0.2, 0.1))], {"shear_modulus": 2e3}, **settings))
    for solver in (warm, same):
        advanced(solver, 3)
    assert np.nanmax(np.abs(same.state.strain.pool)) > 0.02
    found, wanted = (solver.state.particles.position(1.0) for solver in (warm, same))
    assert found == pytest.approx(wanted, abs=1e-3)


@pytest.mark.slow
def test_on_the_grid_too_the_hot_half_of_a_block_melts_and_the_cold_one_stands():
    """It has no strain where it is hot, and none is made where it sets."""
    cold = block((0.05, 0), (0.12, 0.08), temperature=COLD)
    hot = block((0.12, 0), (0.19, 0.08), temperature=HOT)
    keys = {"resolution": 30, "solver": {"transfer": "semi_lagrangian"}}
    solver = advanced(build_liquid(jelly([cold, hot], {"shear_modulus_at": POINTS}, **keys)), 12)
    p = solver.state.particles
    is_cold, place = p.temperature[0] < 300, p.position(solver.h)
    assert place[is_cold, 1].max() > 0.06
    assert place[~is_cold, 0].max() > 0.25
    assert np.nanmax(np.abs(solver.state.strain.pool)) > 0.02
    solver.label()
    strain = solver.elasticity.strain
    strain.bring(solver.state, solver.state.cells)
    flows = (solver.state.strain.modulus == 0) & ~np.isnan(solver.state.strain.pool)
    assert flows.sum() > 50
    assert not solver.state.strain.pool[flows].any()
    before = np.nanmax(np.abs(solver.state.strain.pool))
    p.temperature[0] = 305.0  # what was hot sets in the shape that it has, what was cold gets softer
    strain.bring(solver.state, solver.state.cells)
    assert (p.elastic[0] == 3e3).all()
    assert np.nanmax(np.abs(solver.state.strain.pool)) <= before


@pytest.mark.parametrize("elasticity", ["explicit", "auto"])
def test_equally_warm_jelly_is_that_of_its_modulus(elasticity):
    """All of it at a temperature half-way between points of 4 and 0 kPa moves as jelly of 2 kPa does."""
    settings = {"solver": {"elasticity": elasticity}}
    fill = block((0.1, 0.02), (0.2, 0.1), temperature=310.0)
    warm = build_liquid(jelly([fill], {"shear_modulus_at": POINTS, "temperature": 340.0}, **settings))
    same = build_liquid(jelly([block((0.1, 0.02), (0.2, 0.1))], {"shear_modulus": 2e3}, **settings))
    for solver in (warm, same):
        advanced(solver, 4)
    assert warm.state.steps == same.state.steps
    assert np.abs(same.state.particles.strain).max() > 0.02
    found, wanted = (solver.state.particles.position(1.0) for solver in (warm, same))
    assert found == pytest.approx(wanted, abs=1e-5)


@pytest.mark.slow
def test_the_hot_half_of_a_block_melts_and_the_cold_one_stands():
    """A half at 330 K runs off along the floor; the other one keeps its height, as it does beside nothing."""
    cold = block((0.05, 0), (0.12, 0.08), temperature=COLD)
    hot = block((0.12, 0), (0.19, 0.08), temperature=HOT)
    both, alone = (
        advanced(build_liquid(jelly(fills, {"shear_modulus_at": POINTS}, resolution=30)), 24)
        for fills in ([cold, hot], [cold])
    )
    p = both.state.particles
    is_cold, place = p.temperature[0] < 300, p.position(both.h)
    height = place[is_cold, 1].max()
    assert height == pytest.approx(alone.state.particles.position(alone.h)[:, 1].max(), abs=1.5 * both.h)
    assert height > 0.07
    assert np.quantile(place[~is_cold, 1], 0.95) < 0.05  # a film may cling to the cold face
    assert place[~is_cold, 0].max() > 0.25
    assert not p.strain_tensor[:, ~is_cold].any()
    assert not p.elastic[0, ~is_cold].any()


def test_bonds_that_break_take_stress_along_and_new_ones_have_none():
    particles = Particles.at(np.full((3, 2), 0.5))
    particles.give_rows({"temperature": 1, "strain_tensor": 3, "strain": 1, "elastic": 3})
    ramp = Ramp((300.0, 320.0), (4e3, 0.0), is_linear=True)
    particles.elastic[0], particles.strain_tensor[:], particles.strain[:] = 2e3, 0.3, 0.6
    particles.temperature[0] = [300, 315, 325]  # it sets, softens, melts
    follow_temperature(particles, ramp)
    assert particles.elastic[0] == pytest.approx([4e3, 1e3, 0])
    assert particles.strain_tensor[1] == pytest.approx([0.15, 0.3, 0])
    assert particles.strain[0] == pytest.approx([0.3, 0.6, 0])
    stress = particles.elastic[0] * particles.strain_tensor[0]
    assert stress == pytest.approx([600, 300, 0])
    particles.temperature[0] = 300
    follow_temperature(particles, ramp)
    assert particles.elastic[0, :2] * particles.strain_tensor[0, :2] == pytest.approx(stress[:2])
    assert particles.strain_tensor[0, 2] == 0  # it sets in the shape that it has


def test_a_stop_does_not_change_a_bit(tmp_path):
    fills = [block((0.05, 0), (0.12, 0.08)), block((0.12, 0), (0.19, 0.08), temperature=HOT)]
    made = jelly(fills, {"shear_modulus_at": POINTS, "thermal_diffusivity": 1e-2})
    straight, solver = advanced(build_liquid(made), 4), advanced(build_liquid(made), 2)
    write_checkpoint(tmp_path / "stop.npz", solver, Place(1, 1))
    other = build_liquid(made)
    read_checkpoint(tmp_path / "stop.npz", other, made, None, "")
    advanced(other, 4, first=2)
    for name in ("cell", "offset", "velocity", "strain_tensor", "strain", "elastic", "temperature"):
        assert np.array_equal(getattr(straight.state.particles, name), getattr(other.state.particles, name)), name
    moduli = straight.state.particles.elastic[0]
    assert moduli.min() == 0
    assert ((moduli > 0) & (moduli < 4e3)).any()
