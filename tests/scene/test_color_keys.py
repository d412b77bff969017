"""Keys of colours: what they mean together, and what is refused."""

import pytest

import plash
from plash.pipeline.fingerprint import appearance, fingerprint, simulation
from plash.scene.language.write import scene_text

TEXT = """version = 1
[domain]
size = [0.9, 0.6]
resolution = 24
[liquid]
{liquid}
[[fill]]
shape = {{ kind = "box", min = [0, 0], max = [0.3, 0.4] }}
{fill}
[[fill]]
shape = {{ kind = "box", min = [0.4, 0], max = [0.6, 0.4] }}
{second}
{more}
"""
DYE = '[[source]]\nkind = "dye"\nshape = { kind = "box", min = [0.5, 0], max = [0.7, 0.6] }\ncolor = "blue"\n'


def scene(liquid="", fill="", second="", more="", **overrides):
    text = TEXT.format(liquid=liquid, fill=fill, second=second, more=more)
    return plash.parse_scene(text, "colors.toml", **overrides)


@pytest.mark.parametrize(
    ("keys", "is_carried", "color"),
    [
        ({}, False, "#2f86c8"),
        ({"liquid": 'color = "red"'}, False, "red"),
        ({"fill": 'color = "red"', "second": 'color = "#c8453b"'}, False, "red"),
        ({"fill": 'color = "red"'}, True, "#2f86c8"),
        ({"fill": 'color = "red"', "liquid": 'color = "red"'}, False, "red"),
        ({"more": DYE}, True, "#2f86c8"),
        ({"more": '[look]\ncolor = "green"'}, False, "green"),
    ],
)
def test_colours_are_carried_where_they_differ(keys, is_carried, color):
    made = scene(**keys)
    assert made.has_colors == is_carried
    assert made.carries == ({"color": 3} if is_carried else {})
    assert made.liquid_color == color
    assert plash.parse_scene(scene_text(made)) == made


def test_a_colour_that_all_liquid_has_is_a_matter_of_pictures():
    plain, red, mixed = scene(), scene(liquid='color = "red"'), scene(fill='color = "red"')
    own = scene(fill='color = "red"', second='color = "red"')
    assert simulation(plain) == simulation(red) == simulation(own) != simulation(mixed)
    assert len({fingerprint(appearance(each)) for each in (plain, red, own)}) == 3


@pytest.mark.parametrize(
    ("keys", "key", "words"),
    [
        ({"liquid": 'color = "rde"'}, "liquid.color", ["no colour", "red"]),
        ({"fill": 'color = "#12345"'}, "fill[0].color", ["#12345", "#rrggbb"]),
        ({"liquid": 'colors = "mix"'}, "liquid.color_diffusivity", ["missing", "mm^2/s"]),
        ({"liquid": "color_diffusivity = 1e-6"}, "liquid.color_diffusivity", ["1e-06", 'colors = "mix"']),
        ({"liquid": 'colors = "mix"\ncolor_diffusivity = 0'}, "liquid.color_diffusivity", ["0"]),
        ({"liquid": 'colors = "mix"\ncolor_diffusivity = "1 mm"'}, "liquid.color_diffusivity", ["m^2/s"]),
        ({"liquid": 'colors = "blend"'}, "liquid.colors", ["blend", "keep", "mix"]),
        ({"more": DYE + "rate = 0"}, "source[0].rate", ["0"]),
        ({"more": DYE.replace('color = "blue"', "")}, "source[0].color", ["missing"]),
        ({"more": DYE.replace("0.5, 0]", "1.5, 0]").replace("0.7", "1.7")}, "source[0].shape", ["outside the domain"]),
        ({"liquid": 'color = "red"', "more": '[look]\ncolor = "blue"'}, "look.color", ["liquid.color", "keep one"]),
        ({"fill": 'color = "red"', "more": '[look]\ncolor = "blue"'}, "look.color", ["fills or sources"]),
        ({"fill": 'color = "red"', "more": '[solver]\nkind = "stable_fluids"'}, "fill[0].color", ["stable_fluids"]),
        ({"more": DYE + '[solver]\nkind = "stable_fluids"'}, "source[0].kind", ["stable_fluids"]),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(keys, key, words):
    with pytest.raises(plash.SceneError) as error:
        scene(**keys)
    found = {problem.key: problem.message for problem in error.value.problems}
    assert key in found, found
    assert all(word in found[key] for word in words), found[key]


def test_dye_alone_is_no_liquid():
    with pytest.raises(plash.SceneError, match="holds no liquid"):
        plash.parse_scene("version = 1\n[domain]\nsize = [1, 1]\n" + DYE)
