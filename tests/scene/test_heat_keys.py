"""What a scene may say about heat."""

import pytest

import plash
from plash.scene.language.reference import json_schema, reference_page
from plash.scene.language.units import Quantity

BOX = '{ kind = "box", min = [0, 0], max = [0.5, 0.5] }'
HEATER = f'[[source]]\nkind = "heat"\nshape = {BOX}\ntemperature = "60 degC"\n'


def scene(text="", liquid="", fill="", kind="stable_fluids"):
    head = f'version = 1\n[domain]\nsize = [1, 2]\nresolution = 16\n[solver]\nkind = "{kind}"\n'
    return plash.parse_scene(f"{head}[liquid]\n{liquid}\n[[fill]]\nshape = {BOX}\n{fill}\n{text}")


def problems(*args, **kwargs):
    with pytest.raises(plash.SceneError) as caught:
        scene(*args, **kwargs)
    return {problem.key: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("text", "kelvin"),
    [("20 degC", 293.15), ("20 °C", 293.15), ("-40 degF", 233.15), ("-40 °F", 233.15), ("300 K", 300.0), ("1 kK", 1e3)],
)
def test_degrees_begin_at_their_own_zero(text, kelvin):
    assert Quantity("temperature").to_si(text) == kelvin


def test_an_expansion_is_for_each_degree_whatever_its_zero():
    assert Quantity("thermal expansion").to_si("2e-4 degC^-1") == 2e-4
    assert Quantity("thermal diffusivity").to_si("0.143 mm^2/s") == 1.43e-7


def test_without_any_word_of_it_there_is_no_heat():
    made = scene()
    assert not made.has_heat
    assert made.liquid.temperature == 293.15
    assert made.liquid.thermal_expansion == 0.0
    assert made.liquid.thermal_diffusivity == 1.43e-7
    assert made.fill[0].temperature is None


@pytest.mark.parametrize(
    ("parts", "has_heat"),
    [
        ({"liquid": 'temperature = "30 degC"\nthermal_expansion = 1e-3'}, False),
        ({"liquid": "temperature = 310", "fill": "temperature = 310"}, False),
        ({"fill": "temperature = 310"}, True),
        ({"text": HEATER}, True),
        ({"text": HEATER.replace("60 degC", "293.15 K")}, True),
        ({"text": HEATER.replace("heat", "blob")}, True),
        ({"text": HEATER.replace("heat", "blob").replace("60", "20")}, False),
    ],
)
def test_there_is_heat_where_a_temperature_differs(parts, has_heat):
    assert scene(**parts).has_heat == has_heat


def test_a_liquid_in_air_has_heat_too():
    text = HEATER + HEATER.replace("heat", "blob")
    made = scene(text, "temperature = 300\nthermal_expansion = 1e-3", "temperature = 310", "liquid")
    assert made.has_heat
    assert made.temperatures == (300.0, 310.0, 333.15, 333.15)
    assert made.carries == {"temperature": 1}
    assert scene(kind="liquid").carries == {}


SOLID = f'[[solid]]\nshape = {BOX}\ntemperature = "60 degC"\n'
RAMP = """viscosity_at = [
  { temperature = "20 degC", dynamic_viscosity = "100 Pa*s" },
  { temperature = "60 degC", dynamic_viscosity = "1 Pa*s" },
]
"""


@pytest.mark.parametrize(
    ("parts", "key", "words"),
    [
        ({"text": SOLID}, "solid[0].temperature", "walls are insulating: take it out"),
        ({"liquid": RAMP}, "liquid.viscosity_at", "which has one viscosity: take it out"),
        ({"fill": "viscosity = 3"}, "fill[0].viscosity", "which has one viscosity: take it out"),
    ],
)
def test_stable_fluids_have_insulating_walls_and_one_viscosity(parts, key, words):
    ((place, sentence),) = problems(**parts).items()
    assert place == key
    assert 'solver.kind = "stable_fluids"' in sentence
    assert words in sentence


@pytest.mark.parametrize(
    ("parts", "key", "words"),
    [
        (
            {"text": SOLID, "liquid": "thermal_diffusivity = 0"},
            "solid[0].temperature",
            "333.15 K warms nothing without conduction: raise liquid.thermal_diffusivity, which is 0",
        ),
        ({"text": SOLID.replace("60", "-300")}, "solid[0].temperature", "above 0 K"),
        ({"liquid": "temperature = 0"}, "liquid.temperature", "above 0 K"),
        ({"liquid": RAMP.replace("100 Pa", "0 Pa")}, "liquid.viscosity_at[0].dynamic_viscosity", "at least 1e-12"),
        ({"liquid": RAMP.replace("20 degC", "-280 degC")}, "liquid.viscosity_at[0].temperature", "above 0 K"),
        ({"liquid": RAMP.replace("20 degC", "70 degC")}, "liquid.viscosity_at[1].temperature", "rising order"),
        (
            {"liquid": RAMP.replace("]", '{ temperature = "80 degC", dynamic_viscosity = 2 }]')},
            "liquid.viscosity_at[2].dynamic_viscosity",
            "falls at first and rises here, from 1 Pa*s: let it go one way",
        ),
        (
            {"liquid": "viscosity_at = [{ temperature = 300, dynamic_viscosity = 2 }]"},
            "liquid.viscosity_at",
            "has 1 points: give two at least",
        ),
        ({"liquid": RAMP + "dynamic_viscosity = 2"}, "liquid.dynamic_viscosity", "given together with viscosity_at"),
        ({"liquid": 'viscosity_between = "linear"'}, "liquid.viscosity_between", "no use without viscosity_at"),
        ({"liquid": RAMP, "fill": "viscosity = 3"}, "fill[0].viscosity", "together with liquid.viscosity_at"),
        ({"liquid": "dynamic_viscosity = 0", "fill": "viscosity = 3"}, "fill[0].viscosity", "a value above 0"),
        ({"fill": "viscosity = 0"}, "fill[0].viscosity", "at least 1e-12"),
        ({"fill": "viscosity = -1"}, "fill[0].viscosity", "at least 1e-12"),
    ],
)
def test_what_makes_no_sense_in_a_liquid_is_refused(parts, key, words):
    ((place, sentence),) = problems(**parts, kind="liquid").items()
    assert place == key
    assert words in sentence


def in_domain(keys, kind="liquid", liquid=""):
    head = f'version = 1\n[domain]\nsize = [1, 2]\nresolution = 16\n{keys}\n[solver]\nkind = "{kind}"\n'
    return plash.parse_scene(f"{head}[liquid]\n{liquid}\n[[fill]]\nshape = {BOX}\n")


def test_sides_have_temperatures():
    made = in_domain('side_temperature = { y_min = "80 degC", x_max = 280 }')
    assert made.domain.side_temperature.given == {"x_max": 280.0, "y_min": 353.15}
    assert made.has_heat
    assert plash.parse_scene(plash.scene_text(made)) == made
    assert not in_domain("side_temperature = { y_min = 293.15 }").has_heat


@pytest.mark.parametrize(
    ("keys", "parts", "words"),
    [
        ("side_temperature = { y_min = -3 }", {}, "domain.side_temperature.y_min: -3 is out of range"),
        ("side_temperature = { z_min = 300 }", {}, "z_min: 300 K has no use: a 2-D scene has no such side"),
        ('side_temperature = { y_max = 300 }\nsides = { y_max = "open" }', {}, 'sides.y_max is "open"'),
        ("side_temperature = { top = 300 }", {}, "unknown key"),
        ("side_temperature = { y_min = 300 }", {"kind": "stable_fluids"}, "domain.side_temperature has values"),
        ("side_temperature = { y_min = 300 }", {"liquid": "thermal_diffusivity = 0"}, "raise liquid.thermal_diff"),
    ],
)
def test_sides_that_cannot_be_warm_are_refused(keys, parts, words):
    with pytest.raises(plash.SceneError, match=words.replace("(", ".")):
        in_domain(keys, **parts)


def test_colours_have_the_range_of_the_scene():
    assert scene(HEATER, kind="liquid").color_scale("temperature") == (293.15, 333.15)
    thick = scene(fill="viscosity = 10", liquid="dynamic_viscosity = 0.1", kind="liquid")
    assert thick.color_scale("log_viscosity") == pytest.approx((-1, 1))
    assert thick.color_scale("temperature") is None
    assert scene(HEATER.replace("60 degC", "293.15 K"), kind="liquid").color_scale("temperature") == (293.15, 294.15)


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ('"60 degC"', '"60 m"', "temperature", "a length, not a temperature"),
        ('"60 degC"', '"60"', "temperature", '293.15 or "20 degC"'),
        ('"60 degC"', '"-300 degC"', "temperature", "above 0 K"),
        ('temperature = "60 degC"', "", "temperature", "is missing"),
        ("[0, 0]", "[3, 0]", "shape.max", "3"),
        ("[0.5, 0.5]", "[0.5, 0.5, 1]", "shape", "2-D"),
        ('kind = "heat"', 'kind = "heat"\nstart = 2\nstop = 1', "stop", "not after start"),
        ('kind = "heat"', 'kind = "heat"\nspeed = 2', "speed", "unknown key"),
        ('kind = "heat"', 'kind = "haet"', "", 'Did you mean "heat"'),
    ],
)
def test_what_is_wrong_with_a_source_of_heat_is_said(old, new, key, words):
    found = problems(HEATER.replace(old, new))
    ((place, sentence),) = found.items()
    assert place.startswith(f"source[0].{key}" if key else "source[0]")
    assert words in sentence


def test_a_source_of_heat_outside_the_domain_is_refused():
    far = HEATER.replace("[0, 0]", "[5, 5]").replace("[0.5, 0.5]", "[6, 6]")
    assert "lies wholly outside the domain" in problems(far)["source[0].shape"]


def test_heat_brings_no_liquid():
    with pytest.raises(plash.SceneError, match="the scene holds no liquid"):
        plash.parse_scene(f'version = 1\n[domain]\nsize = [1, 2]\n[solver]\nkind = "stable_fluids"\n{HEATER}')


def test_what_is_written_is_read_again():
    spout = '[[source]]\nkind = "spout"\nspeed = 1\ntemperature = "5 °C"\n'
    spout += 'shape = { kind = "disc", center = [0.5, 1], normal = [0, -1], radius = 0.1 }\n'
    made = scene(
        HEATER + 'start = "1 s"\n' + spout, 'thermal_expansion = "2e-3 K^-1"\ntemperature = 300', "temperature = 310"
    )
    again = plash.parse_scene(plash.scene_text(made))
    assert again == made
    assert [source.temperature for source in again.source] == [333.15, 278.15]
    assert plash.parse_scene(plash.scene_text(plash.load_scene("lava_lamp"))) == plash.load_scene("lava_lamp")


def test_heat_is_set_from_outside():
    made = plash.load_scene("lava_lamp", thermal_expansion="3e-3 K^-1", **{"source[0].temperature": "90 degC"})
    assert made.liquid.thermal_expansion == 3e-3
    assert made.source[0].temperature == 363.15


def test_the_page_and_the_schema_know_heat():
    page = reference_page()
    assert '### `kind = "heat"`' in page
    assert "| temperature | K |" in page
    heat = json_schema()["$defs"]["HeatSource"]
    assert heat["required"] == ["kind", "shape", "temperature"]
    assert heat["properties"]["temperature"]["unit"] == "K"
