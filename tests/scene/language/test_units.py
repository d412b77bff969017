import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from plash.scene.language.units import _PLAIN, COMMON_UNITS, DIMENSIONS, Quantity, _base_of

NUMBERS = ("1", "57", "-3.5e-2", "0.1", "29.0000000001", "1e300", ".7", "123456789.987654321")


@pytest.mark.parametrize(
    ("quantity", "text", "value"),
    [
        ("length", "12 cm", 0.12),
        ("length", "57 cm", 0.57),
        ("length", "-3.5e-2 m", -0.035),
        ("length", ".5 m", 0.5),
        ("length", "12cm", 0.12),
        ("length", "1 inch", 0.0254),
        ("length", "3 µm", 3e-6),
        ("time", "10 ms", 0.01),
        ("velocity", "36 km/hour", 10.0),
        ("acceleration", "9.81 m/s^2", 9.81),
        ("acceleration", "981 cm s**-2", 9.81),
        ("density", "1 g/cm³", 1000.0),
        ("density", "1 kg/L", 1000.0),
        ("dynamic viscosity", "10 Pa*s", 10.0),
        ("dynamic viscosity", "1 cP", 0.001),
        ("dynamic viscosity", "2 Pa·s", 2.0),
        ("kinematic viscosity", "1 cSt", 1e-6),
        ("pressure", "1 bar", 1e5),
        ("angle", "180 deg", math.pi),
        ("angle", "90°", math.pi / 2),
        ("angle", "1 turn", 2 * math.pi),
        ("angle", "1 rad", 1.0),
        ("flow rate", "0.2 L/s", 2e-4),
    ],
)
def test_unit_string_becomes_exactly_the_si_number(quantity, text, value):
    assert Quantity(quantity).to_si(text) == value


@pytest.mark.parametrize("number", [3, 3.0, np.float32(3), np.float64(3), np.int64(3), Fraction(3)])
def test_bare_number_is_si(number):
    value = Quantity("length").to_si(number)
    assert value == 3.0
    assert type(value) is float


def test_plain_number_takes_no_text():
    with pytest.raises(PydanticCustomError, match='"3" is the wrong type: it must be a number'):
        Quantity().to_si("3")


@pytest.mark.parametrize(
    ("quantity", "value", "words"),
    [
        ("length", "1 kg", ["a mass, not a length", "such as m", '"12 cm"']),
        ("length", "1 deg", ["an angle, not a length"]),
        ("angle", "1 percent", ["not an angle", "dimensionless"]),
        ("velocity", "1 m", ["a length, not a velocity", "m/s"]),
        ("dynamic viscosity", "1 cSt", ["a kinematic viscosity, not a dynamic viscosity", "Pa*s"]),
        ("pressure", "1 m^5", ["not a pressure"]),
        ("length", "12 metrr", ["unknown unit", '"metrr"', 'Did you mean "meter"']),
        ("length", "12 CM", ['Did you mean "cm"']),
        ("length", "12", ["has no unit", "without quotes", "m"]),
        ("length", "cm", ["not a number with a unit"]),
        ("length", "", ["not a number with a unit"]),
        ("length", "1,5 m", ["not a number with a unit"]),
        ("length", "2*3 m", ["not a number with a unit"]),
        ("length", "1 m^9^9^9", ["not a number with a unit"]),
        ("length", "9**9**9**9 m", ["not a number with a unit"]),
        ("length", "__import__('os')", ["not a number with a unit"]),
        ("length", "1e999 m", ["not a finite number"]),
        ("length", "0¼", ["not a number with a unit"]),
        ("length", "٣ m", ["not a number with a unit"]),
        ("length", "nan m", ["not a number with a unit"]),
        ("length", "1 degC", ["not a length"]),
        ("length", math.nan, ["nan is not a finite number", "SI unit m"]),
        ("length", -math.inf, ["-inf is not a finite number"]),
        ("length", 10**400, ["not a finite number"]),
        ("length", True, ["true is the wrong type", "a length (SI unit m)", '"12 cm"']),
        ("length", None, ["wrong type"]),
        ("length", [1], ["wrong type"]),
        ("length", 1j, ["wrong type"]),
        ("length", np.True_, ["wrong type"]),
    ],
)
def test_what_is_no_such_quantity_is_refused_with_the_way_to_write_it(quantity, value, words):
    with pytest.raises(PydanticCustomError) as error:
        Quantity(quantity).to_si(value)
    assert all(word in str(error.value) for word in words), str(error.value)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(DIMENSIONS)), st.text() | st.from_regex(r"\A\s*-?\d{1,3}(\.\d+)?\s*.{0,12}\Z"))
def test_any_text_is_a_finite_number_or_refused(quantity, text):
    try:
        value = Quantity(quantity).to_si(text)
    except PydanticCustomError:
        return
    assert math.isfinite(value)


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6))
def test_centimetres_are_the_same_number_as_metres_written_out(count):
    metres = f"{count / 100:.2f}"
    assert Quantity("length").to_si(f"{count} cm") == float(metres)


def test_every_suggested_unit_exists():
    for unit in [*COMMON_UNITS, *(dimension.unit for dimension in DIMENSIONS.values())]:
        assert _base_of(unit, "")[0] > 0


def test_every_example_is_accepted_and_both_ways_of_writing_agree():
    for dimension in DIMENSIONS.values():
        bare, text = dimension.example.split(" or ")
        quantity = Quantity(dimension.name)
        assert quantity.to_si(text.strip('"')) == pytest.approx(float(bare), rel=0.05)


def test_pint_numba_and_scipy_wait_until_they_are_needed():
    code = (
        "import sys\n"
        "import plash.scene as scene\n"
        "fill = scene.Fill(shape=scene.Box(min=(0, 0), max=(1, 1)))\n"
        "scene.Scene(domain=scene.Domain(size=(1, 1)), fill=[fill])\n"
        "assert not {'pint', 'numba', 'scipy'} & set(sys.modules), sorted(sys.modules)\n"
        "scene.Domain(size=('1 m', '20 cm'))\n"
        "assert 'pint' not in sys.modules\n"
        "scene.Domain(size=('1 inch', 1))\n"
        "assert 'pint' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_units_that_need_no_registry_give_what_the_registry_gives(monkeypatch):
    texts = [(f"{number} {unit}", name) for name, units in _PLAIN.items() for unit in units for number in NUMBERS]
    quick = [Quantity(name).to_si(text) for text, name in texts]
    monkeypatch.setattr("plash.scene.language.units._PLAIN", {})
    assert [Quantity(name).to_si(text) for text, name in texts] == quick
