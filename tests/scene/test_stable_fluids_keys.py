"""What a scene of stable fluids may say."""

import pytest

import plash


def scene(text="", solver="", fill=True):
    block = '[[fill]]\nshape = { kind = "box", min = [0, 0], max = [0.5, 0.5] }\n' if fill else ""
    head = "version = 1\n[domain]\nsize = [1, 2]\nresolution = 16\n"
    return plash.parse_scene(f'{head}[solver]\nkind = "stable_fluids"\n{solver}\n{block}{text}')


def problems(*args, **kwargs):
    with pytest.raises(plash.SceneError) as caught:
        scene(*args, **kwargs)
    return {problem.key: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize(
    "line",
    [
        'transfer = "flip"',
        "flip_ratio = 0.9",
        "seed = 3",
        'free_surface = "ghost"',
        "jitter = 0.1",
        "separating_walls = true",
    ],
)
def test_keys_of_particles_are_refused(line):
    key = line.split()[0]
    assert 'no meaning with kind = "stable_fluids"' in problems(solver=line)[f"solver.{key}"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("advection", "semi_lagrangian"),
        ("diffusion", 1e-5),
        ("confinement", 0.2),
        ("isovalue", 0.4),
        ("isotherm", 300.0),
    ],
)
def test_keys_of_stable_fluids_are_refused_for_a_liquid(key, value):
    with pytest.raises(plash.SceneError, match=rf'solver\.{key}: has no meaning with kind = "liquid"'):
        plash.load_scene("dam_break_2d", **{f"solver.{key}": value})


def test_every_key_without_meaning_is_named_at_once():
    assert set(problems(solver="seed = 1\njitter = 0.1")) == {"solver.seed", "solver.jitter"}


def test_a_large_courant_is_for_stable_fluids_only():
    assert scene(solver="courant = 20").solver.courant == 20
    assert "at most 100" in problems(solver="courant = 101")["solver.courant"]
    with pytest.raises(plash.SceneError, match="at most 10"):
        plash.load_scene("dam_break_2d", courant=20)


def test_the_box_is_closed():
    with pytest.raises(plash.SceneError, match=r'domain\.sides\.y_max is "open"'):
        plash.load_scene("kuo_splash", **{"domain.sides": {"y_max": "open"}})


def test_what_has_no_particles_shows_none():
    assert "no particles" in problems('[look]\nshow = "particles"\n')["look.show"]
    assert "no meaning" in problems("[liquid]\ngas_pressure = 5.0\n")["liquid.gas_pressure"]


def test_warmth_colours_what_other_scalars_cannot():
    assert scene('[look]\ncolor_by = "temperature"\n').look.color_by == "temperature"
    assert "no particles" in problems('[look]\ncolor_by = "age"\n')["look.color_by"]


def test_sinks_of_all_kinds_are_known():
    sink = '[[sink]]\nshape = { kind = "box", min = [0, 0], max = [0.1, 0.1] }\n'
    spout = (
        '[[source]]\nname = "tap"\nkind = "spout"\nspeed = 1\n'
        'shape = { kind = "rectangle", center = [0.5, 1], normal = [0, -1], size = [0.3] }\n'
    )
    assert scene(spout + sink + 'match = "tap"\n').sink[0].match == "tap"
    assert "not the name of a spout" in problems(spout + sink + 'match = "pot"\n')["sink[0].match"]
    assert len(scene(sink + "flow_rate = 0.1\n").sink) == 1
    pull = '[[force]]\nkind = "attractor"\npoint = [0, 0]\nstrength = 2\nradius = 0.1\n'
    assert scene(pull).force[0].kind == "attractor"


@pytest.mark.parametrize("name", ["kuo_pour", "kuo_splash", "kuo_obstacle"])
def test_what_is_written_is_read_again(name):
    made = plash.load_scene(
        name, **{"solver.advection": "semi_lagrangian", "solver.diffusion": "2 cSt", "solver.isovalue": 0.25}
    )
    assert plash.parse_scene(plash.scene_text(made)) == made


def test_an_isotherm_needs_something_that_is_warmer():
    with pytest.raises(plash.SceneError, match=r"solver\.isotherm: cannot be found: everything is equally warm"):
        plash.load_scene("kuo_splash", **{"solver.isotherm": 300.0})
