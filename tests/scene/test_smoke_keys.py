"""Keys of smoke: what is refused, where, and with which remedy."""

import pytest

import plash
from plash.errors import SceneError

BALL = '[[fill]]\nshape = { kind = "sphere", center = [0.5, 0.5], radius = 0.2 }\n'
POT = '[[source]]\nkind = "smoke"\nshape = { kind = "sphere", center = [0.5, 0.5], radius = 0.2 }\n'


def scene(solver="", rest=BALL, kind="smoke", domain=""):
    text = (
        f'version = 1\n[domain]\nsize = [1, 2]\nresolution = 16\n{domain}\n[solver]\nkind = "{kind}"\n{solver}\n{rest}'
    )
    return plash.parse_scene(text)


def problems(*args, **keys):
    with pytest.raises(SceneError) as caught:
        scene(*args, **keys)
    return {problem.key: problem.message for problem in caught.value.problems}


def test_smoke_is_in_air_and_seen_as_a_volume():
    made = scene()
    assert made.liquid.rho == pytest.approx(1.204)
    assert made.look.show == "volume"
    assert not made.has_heat
    assert scene(rest=POT + "fuel = 0.5\n").has_heat
    again = plash.parse_scene(plash.scene_text(made))
    assert again == made


@pytest.mark.parametrize(
    ("keys", "where", "words"),
    [
        ({"solver": "courant = 6"}, "solver.courant", "5"),
        ({"solver": "wind = [1, 0, 0]"}, "solver.wind", "2-D"),
        ({"solver": "fall = 2", "domain": "gravity = [0, 0]"}, "solver.fall", "solver.up"),
        ({"solver": "up = [0, 0]"}, "solver.up", "no direction"),
        ({"rest": ""}, "fill", "no smoke"),
        ({"solver": "burn_rate = 0"}, "solver.burn_rate", "0"),
        ({"solver": "threshold = 0"}, "solver.threshold", "0"),
        ({"solver": 'transfer = "flip"'}, "solver.transfer", "take it out"),
        ({"rest": POT + "mass_rate = 1\ndensity_rate = 2\n"}, "source[0].density_rate", "keep one"),
        ({"rest": POT.replace('"smoke"', '"blob"')}, "source[0].kind", "heat, smoke"),
        ({"rest": POT, "kind": "liquid"}, "source[0].kind", "blob"),
        ({"rest": BALL + "density = 1\n", "kind": "liquid"}, "fill[0].density", "take it out"),
        ({"rest": BALL + "[liquid]\ndynamic_viscosity = 1\n"}, "liquid.dynamic_viscosity", "take it out"),
        ({"rest": BALL + '[look]\nshow = "surface"\n'}, "look.show", '"volume"'),
        ({"rest": BALL + '[look]\nshow = "volume"\n', "kind": "liquid"}, "look.show", '"surface"'),
    ],
)
def test_bad_values_are_refused_with_place_and_remedy(keys, where, words):
    found = problems(**keys)
    assert words in found[where], found


def test_runs_of_liquids_have_the_fingerprint_they_had():
    """What came with smoke adds nothing to what a liquid depends on."""
    from plash.pipeline.fingerprint import physics

    data = physics(plash.load_scene("dam_break_2d"))
    assert "burn_rate" not in data["solver"]
    assert "density" not in data["fill"][0]
