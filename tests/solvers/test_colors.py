"""Colours that a liquid carries: kept exactly, spread without loss, taken on from dye."""

import math
from typing import Any

import numpy as np
import pytest

import plash
from plash.scene.colors import light_of
from plash.solvers.build.liquid import build_liquid

RED, BLUE, CREAM = "#c8453b", "#123ac0", "#f4ead5"


def box(low, high, **keys):
    return {"shape": {"kind": "box", "min": low, "max": high}, **keys}


def scene(fill, size=(0.8, 0.5), resolution=32, **parts):
    """A tank of 25 mm cells, with h and rho never one."""
    tables: dict[str, Any] = {
        "domain": {"size": size, "resolution": resolution, **parts.pop("domain", {})},
        "liquid": {"density": 870, "color": CREAM, **parts.pop("liquid", {})},
        "fill": fill,
        "time": {"fps": 20},
        **parts,
    }
    return plash.Scene(**tables)


def dam(dimension=2, **parts):
    """Two colours side by side that fall over a third."""
    deep = (0.25,) * (dimension - 2)
    low = (0.0,) * (dimension - 2)
    size = (0.8, 0.5, *deep)
    fills = [
        box((0, 0, *low), (0.15, 0.4, *deep), color=RED),
        box((0.15, 0, *low), (0.3, 0.4, *deep), color=BLUE),
        box((0.3, 0, *low), (0.8, 0.05, *deep)),
    ]
    return scene(fills, size, 32 if dimension == 2 else 20, **parts)


def run_to(solver, time):
    while solver.state.time < time - 1e-9:
        solver.advance(time)


def counted(solver):
    """Volumes and colours of all particles, in an order of their own."""
    particles = solver.state.particles
    rows = np.column_stack([particles.volume, particles.color.T])
    return rows[np.lexsort(rows.T)]


def amounts(solver):
    """Σ V c."""
    particles = solver.state.particles
    return (particles.volume * particles.color).sum(axis=1) * solver.h**particles.dimension


def accounted(ledger):
    """What the ledger says there should be of each colour."""
    return [
        sum(value for why, value in ledger.colors.items() if why.startswith(f"{channel} ") and not why.endswith("now"))
        for channel in ("red", "green", "blue")
    ]


def test_one_colour_is_not_carried():
    plain = build_liquid(dam().model_copy(update={"liquid": {"color": None}, "fill": [box((0, 0), (0.3, 0.4))]}))
    red = build_liquid(scene([box((0, 0), (0.3, 0.4), color=RED)]))
    for solver in (plain, red):
        run_to(solver, 0.1)
        assert len(solver.state.particles.color) == 0
        assert "color" not in solver.stored()[0]
        assert "color" not in solver.snapshot().arrays()
        assert solver.ledger.colors == {}
    assert np.array_equal(plain.state.particles.velocity, red.state.particles.velocity)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("transfer", ["apic", "flip"])
def test_in_a_dam_break_the_amount_of_each_colour_is_exact(dimension, transfer):
    solver = build_liquid(dam(dimension, solver={"transfer": transfer, "courant": 2.5}))
    before = counted(solver)
    assert len(np.unique(before[:, 1:], axis=0)) == 3
    run_to(solver, 0.4 if dimension == 2 else 0.15)
    assert np.array_equal(counted(solver), before)
    assert not any("mixing" in why or "dye" in why for why in solver.ledger.colors)


def test_colours_change_nothing_of_the_flow():
    plain = dam().model_copy(update={"fill": [fill.model_copy(update={"color": CREAM}) for fill in dam().fill]})
    assert not plain.has_colors
    one, other = build_liquid(plain), build_liquid(dam())
    for solver in (one, other):
        run_to(solver, 0.2)
    assert np.array_equal(one.state.particles.position(1.0), other.state.particles.position(1.0))
    assert np.array_equal(one.state.particles.velocity, other.state.particles.velocity)


@pytest.mark.slow
def test_stripes_in_a_pool_at_rest_stay_for_a_minute():
    stripes = [box((0.75 * k, 0), (0.75 * (k + 1), 1.7), color=(RED, BLUE)[k % 2]) for k in range(4)]
    solver = build_liquid(scene(stripes, (3.0, 2.25), 16, solver={"courant": 4.0}))

    def stripe():
        particles = solver.state.particles
        is_red = particles.color[0] == light_of(RED)[0]
        return particles.position(solver.h)[:, 0], is_red

    run_to(solver, 60.0)
    x, is_red = stripe()
    inner = np.abs((x / 0.75) % 1 - 0.5) < 0.5 - 0.5 * solver.h / 0.75
    assert (is_red[inner] == ((x[inner] / 0.75).astype(int) % 2 == 0)).all()


@pytest.mark.parametrize("dimension", [2, 3])
def test_mixing_keeps_each_channel_and_makes_no_extreme(dimension):
    mix = {"colors": "mix", "color_diffusivity": 4e-4 if dimension == 2 else 4e-3}
    solver = build_liquid(dam(dimension, liquid=mix))
    before, ends = amounts(solver), [f(solver.state.particles.color, axis=1) for f in (np.min, np.max)]
    differences = np.ptp(solver.state.particles.color, axis=1)
    run_to(solver, 0.4 if dimension == 2 else 0.1)
    color = solver.state.particles.color
    assert amounts(solver) == pytest.approx(before, rel=1e-13)
    assert (color.min(axis=1) >= ends[0]).all()
    assert (color.max(axis=1) <= ends[1]).all()
    assert len(np.unique(color[0])) > 100
    assert (np.ptp(color, axis=1) <= differences).all()
    assert accounted(solver.ledger) == pytest.approx(amounts(solver), rel=1e-14)
    assert abs(solver.ledger.colors["red mixing"]) < 1e-13 * before[0]


@pytest.mark.parametrize(("cells", "error", "max_dt"), [(4, 0.01, 0.1), (4, 0.03, 2.0), (2, 0.03, 0.1), (2, 0.03, 0.3)])
def test_as_much_of_a_colour_crosses_an_edge_as_should(cells, error, max_dt):
    """Through an edge between black and white √(κ t / π) has come after t, for each length of it.

    However many doses are due in a step: conducted in the longest ones.
    """
    kappa = 3e-4
    time = (cells * 0.025) ** 2 / (4 * kappa)
    halves = [box((0, 0), (0.4, 0.25), color="#000000"), box((0.4, 0), (0.8, 0.25), color="#ffffff")]
    at_rest = {"domain": {"gravity": (0, 0)}, "solver": {"max_dt": max_dt}}
    mix = {"colors": "mix", "color_diffusivity": kappa}
    solver = build_liquid(scene(halves, size=(0.8, 0.25), liquid=mix, **at_rest))
    run_to(solver, time)
    particles = solver.state.particles
    is_low = particles.position(solver.h)[:, 0] < 0.4
    for channel in particles.color:
        crossed = float((particles.volume * channel)[is_low].sum()) * solver.h**2 / 0.25
        assert crossed == pytest.approx(math.sqrt(kappa * time / math.pi), rel=error)


@pytest.mark.parametrize("dimension", [2, 3])
def test_colours_spread_as_far_whatever_the_steps(dimension):
    """Liquid at rest has spread for whole doses of h²/(12 κ), in steps of a third of one as in steps of one."""
    kappa, h = 3e-4, 0.04
    dose = h**2 / (12 * kappa)
    deep, low = (0.2,) * (dimension - 2), (0.0,) * (dimension - 2)
    halves = [box((0, 0, *low), (0.4, 0.24, *deep), color=RED), box((0.4, 0, *low), (0.8, 0.24, *deep), color=BLUE)]
    found = []
    for parts in (1, 3):
        mix = {"colors": "mix", "color_diffusivity": kappa}
        solver = build_liquid(scene(halves, (0.8, 0.24, *deep), 20, liquid=mix))
        _, _, cells, _ = solver.label()
        particles, dt = solver.state.particles, dose / parts
        for step in range(4 * parts):
            solver.colors.spread(particles, cells, solver.ledger.colors, (step + 0.5) * dt, dt)
        found.append(particles.color.copy())
    assert np.array_equal(found[0], found[1])
    assert len(np.unique(found[0][0])) > 100


@pytest.mark.slow
def test_colours_do_not_spread_through_a_thin_wall_that_cuts_cells():
    """Liquid at rest on both sides of a wall of 1.2 cells, which fills no cell whole."""
    wall = {"shape": {"kind": "box", "min": (0.385, 0), "max": (0.415, 0.4)}}
    halves = [box((0, 0), (0.385, 0.3), color=RED), box((0.415, 0), (0.8, 0.3), color=BLUE)]
    mix = {"colors": "mix", "color_diffusivity": 3e-4}
    solver = build_liquid(scene(halves, solid=[wall], liquid=mix, solver={"max_dt": 0.05}))
    run_to(solver, 3.0)
    particles = solver.state.particles
    is_low = particles.position(solver.h)[:, 0] < 0.4
    color = particles.color
    assert color[:, is_low] == pytest.approx(np.broadcast_to(light_of(RED)[:, None], color[:, is_low].shape), abs=1e-12)
    assert color[:, ~is_low] == pytest.approx(
        np.broadcast_to(light_of(BLUE)[:, None], color[:, ~is_low].shape), abs=1e-12
    )


@pytest.mark.parametrize("courant", [1.0, 3.0])
def test_dye_colours_by_its_exponential_and_is_in_the_ledger(courant):
    """Liquid at rest in dye for t seconds keeps e^(-r t) of its own colour, whatever the steps."""
    dye = {"kind": "dye", "shape": {"kind": "box", "min": (0.2, 0), "max": (0.4, 0.5)}, "color": BLUE, "rate": 3.0}
    full = [box((0, 0), (0.8, 0.5))]
    dye |= {"start": 0.07, "stop": 0.31}
    solver = build_liquid(
        scene(full, domain={"gravity": (0, 0)}, source=[dye], solver={"max_dt": 0.03 * courant, "courant": courant})
    )
    before = amounts(solver)
    run_to(solver, 0.5)
    x = solver.state.particles.position(solver.h)[:, 0]
    inside, own, blue = (x > 0.2) & (x < 0.4), light_of(CREAM)[:, None], light_of(BLUE)[:, None]
    left = math.exp(-3.0 * 0.24)
    color = solver.state.particles.color
    assert color[:, inside] == pytest.approx(np.broadcast_to(blue + left * (own - blue), color[:, inside].shape))
    assert (color[:, ~inside] == own).all()
    ledger = solver.ledger.colors
    assert ledger["blue dye"] == pytest.approx(amounts(solver)[2] - before[2], rel=1e-12)
    assert ledger["red dye"] < 0
    assert accounted(solver.ledger) == pytest.approx(amounts(solver), rel=1e-13)


def test_what_comes_and_goes_is_in_the_ledger_by_colour():
    opening = {"kind": "disc", "center": (0.15, 0.4), "normal": (0, -1), "radius": 0.05}
    spout = {"kind": "spout", "shape": opening, "speed": 0.8, "color": RED}
    blob = {"kind": "blob", "time": 0.1, "shape": {"kind": "sphere", "center": (0.6, 0.4), "radius": 0.06}}
    sink = {"shape": {"kind": "box", "min": (0.6, 0), "max": (0.8, 0.1)}}
    solver = build_liquid(
        scene([box((0, 0), (0.8, 0.12), color=BLUE)], source=[spout, {**blob, "color": "#00ff00"}], sink=[sink])
    )
    run_to(solver, 0.3)
    ledger = solver.ledger
    wanted = ledger.brought["source 1"] * light_of(RED) + ledger.brought["source 2"] * light_of("#00ff00")
    found = [ledger.colors[f"{channel} inflow"] for channel in ("red", "green", "blue")]
    assert found == pytest.approx(wanted, rel=1e-6)
    assert ledger.colors["blue outflow"] < 0
    assert accounted(ledger) == pytest.approx(amounts(solver), rel=1e-12)


def test_threads_do_not_change_a_bit(threads):
    found = []
    for count in (1, 2):
        threads(count)
        solver = build_liquid(dam(liquid={"colors": "mix", "color_diffusivity": 1e-4}))
        run_to(solver, 0.15)
        found.append(solver.state.particles.color.copy())
    assert np.array_equal(found[0], found[1])
