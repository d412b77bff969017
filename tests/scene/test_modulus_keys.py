"""What a scene may say about a shear modulus that follows the temperature, and about how strain is shown."""

import pytest

import plash
from plash.pipeline.check.findings import findings
from plash.pipeline.fingerprint import appearance, physics

BOX = '{ kind = "box", min = [0, 0], max = [0.5, 0.5] }'
RAMP = """shear_modulus_at = [
  { temperature = "20 degC", shear_modulus = "3 kPa" },
  { temperature = "40 degC", shear_modulus = "0 Pa" },
]
"""


def scene(liquid=RAMP, fill="", solver="", look=""):
    head = f"version = 1\n[domain]\nsize = [1, 2]\nresolution = 16\n[solver]\n{solver}\n[look]\n{look}\n"
    return plash.parse_scene(f"{head}[liquid]\n{liquid}\n[[fill]]\nshape = {BOX}\n{fill}\n")


def test_the_modulus_is_linear_between_points_and_constant_beyond():
    made = scene(fill='temperature = "35 degC"')
    moduli = [made.liquid.elastic_at(273.15 + celsius)[0] for celsius in (0, 20, 25, 40, 90)]
    assert moduli == pytest.approx([3e3, 3e3, 2250, 0, 0])
    assert made.fill[0].elastic(made.liquid)[0] == pytest.approx(750)
    assert made.melts
    assert made.shear_modulus == pytest.approx(3e3)  # that of the coldest, which limits steps
    assert made.carries == {"temperature": 1, "strain_tensor": 3, "strain": 1, "elastic": 3}
    assert plash.parse_scene(plash.scene_text(made)) == made


def test_its_logarithm_may_be_linear():
    text = RAMP.replace("0 Pa", "30 Pa") + 'shear_modulus_between = "exponential"'
    assert scene(text).liquid.elastic_at(303.15)[0] == pytest.approx(300)


def test_without_heat_it_is_one_modulus():
    made = scene(RAMP + 'temperature = "30 degC"')
    assert not made.melts
    assert made.shear_modulus == pytest.approx(1500)
    assert made.carries == {"strain_tensor": 3, "strain": 1}
    assert physics(made)["liquid"]["temperature"] == pytest.approx(303.15)
    (finding,) = (finding for finding in findings(made) if finding.code == "no-effect")
    assert finding.where == "liquid.shear_modulus_at"
    assert "is 1500 Pa throughout: everything has the same temperature, 303.15 K" in finding.message


def test_points_beyond_the_temperatures_of_a_scene_are_noted():
    (finding,) = (finding for finding in findings(scene(fill="temperature = 280")) if finding.code == "no-effect")
    assert "is 3000 Pa throughout: its points are at 293.15 to 313.15 K" in finding.message


def test_runs_without_it_do_not_know_of_it():
    plain = plash.load_scene("dam_break_2d")
    assert "shear_modulus_at" not in str(physics(plain)) + str(appearance(plain))
    assert "shear_modulus_at" not in str(physics(scene("shear_modulus = 3")))
    assert len(physics(scene())["liquid"]["shear_modulus_at"]) == 2


@pytest.mark.parametrize(
    ("parts", "key", "words"),
    [
        ({"liquid": RAMP.replace("20 degC", "50 degC")}, "liquid.shear_modulus_at[1].temperature", "in rising order"),
        ({"liquid": RAMP.replace("3 kPa", "-1 Pa")}, "liquid.shear_modulus_at[0].shear_modulus", "at least 0"),
        (
            {"liquid": RAMP.replace("]", '{ temperature = "80 degC", shear_modulus = 2 }]')},
            "liquid.shear_modulus_at[2].shear_modulus",
            "2 Pa: the modulus falls at first and rises here, from 0 Pa: let it go one way",
        ),
        (
            {"liquid": "shear_modulus_at = [{ temperature = 300, shear_modulus = 2 }]"},
            "liquid.shear_modulus_at",
            "has 1 points: give two at least, or one modulus as shear_modulus",
        ),
        ({"liquid": RAMP + "shear_modulus = 2"}, "liquid.shear_modulus", "is given together with shear_modulus_at"),
        ({"liquid": 'shear_modulus_between = "linear"'}, "liquid.shear_modulus_between", "without shear_modulus_at"),
        (
            {"liquid": RAMP + 'shear_modulus_between = "exponential"'},
            "liquid.shear_modulus_at[1].shear_modulus",
            'no logarithm: give it a value above 0, or write shear_modulus_between = "linear"',
        ),
        ({"fill": "shear_modulus = 5"}, "fill[0].shear_modulus", "5 Pa is given together with liquid.shear_modulus_at"),
        ({"solver": 'kind = "stable_fluids"'}, "liquid.shear_modulus_at", "has no meaning with solver.kind"),
        ({"solver": 'surface = "levelset"'}, "liquid.shear_modulus_at", "carries no strain"),
    ],
)
def test_what_makes_no_sense_is_refused(parts, key, words):
    with pytest.raises(plash.SceneError) as caught:
        scene(**parts)
    ((place, sentence),) = ((problem.key, problem.message) for problem in caught.value.problems)
    assert place == key
    assert words in sentence


def test_strain_is_shown_up_to_where_it_yields():
    assert scene('material = "toothpaste"', look='color_by = "strain"').color_scale("strain") == (0, 0.15)
    assert scene('material = "jelly"', look='color_by = "strain"').color_scale("strain") == (0, 0.5)
    finding = next(f for f in findings(scene("", look='color_by = "strain"')) if f.where == "look.color_by")
    assert "shows one colour: no particle carries strain" in finding.message
