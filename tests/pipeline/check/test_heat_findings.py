"""What `plash check` says about heat from which nothing comes."""

from typing import Any

import pytest

import plash
from plash.pipeline.check.findings import findings

RAMP = [{"temperature": 300, "dynamic_viscosity": 1}, {"temperature": 330, "dynamic_viscosity": 0.1}]


def found(liquid=None, side=None, fill=None, **parts):
    tables: dict[str, Any] = {
        "domain": {"size": (0.6, 0.4), "resolution": 24, "side_temperature": side or {}},
        "liquid": liquid or {},
        "fill": [{"shape": {"kind": "box", "min": (0, 0), "max": (0.6, 0.2)}, **(fill or {})}],
        **parts,
    }
    return {(finding.code, finding.where): finding for finding in findings(plash.Scene(**tables))}


@pytest.mark.parametrize(
    ("parts", "where", "words"),
    [
        ({"liquid": {"thermal_expansion": 1e-3}}, "liquid.thermal_expansion", "0.001 has no effect: everything has"),
        ({"liquid": {"thermal_diffusivity": 1e-5}}, "liquid.thermal_diffusivity", "same temperature, 293.15 K"),
        ({"liquid": {"viscosity_at": RAMP}}, "liquid.viscosity_at", "is 1 Pa*s throughout"),
        (
            {"liquid": {"viscosity_at": RAMP}, "fill": {"temperature": 280}},
            "liquid.viscosity_at",
            "its points are at 300 to 330 K, and the scene has 280 to 293.15 K",
        ),
        ({"look": {"color_by": "temperature"}}, "look.color_by", "all liquid is equally warm"),
        ({"look": {"color_by": "log_viscosity"}}, "look.color_by", "no liquid has a viscosity of its own"),
    ],
)
def test_keys_without_effect_are_noted(parts, where, words):
    finding = found(**parts)["no-effect", where]
    assert finding.level == "note"
    assert words in finding.message
    assert finding.edit.endswith("or take it out")


def test_walls_that_warm_hardly_anything_are_noted():
    finding = found(side={"y_min": 350})["slow-heat", "domain.side_temperature.y_min"]
    assert "1.43e-07 m^2/s" in finding.message
    assert "raise liquid.thermal_diffusivity to 7.8e-06 m^2/s" in finding.edit
    assert found({"thermal_diffusivity": 1e-5}, {"y_min": 350}) == {}


def test_heat_with_effect_is_no_trouble():
    warm = {"temperature": 320}
    assert found({"viscosity_at": RAMP, "thermal_expansion": 1e-3}, fill=warm, look={"color_by": "temperature"}) == {}
    thick = found(fill={"viscosity": 0.1}, look={"color_by": "log_viscosity"})
    assert thick == {}


def test_the_greatest_viscosity_is_what_shortens_steps():
    finding = found(fill={"viscosity": 400.0}, solver={"viscosity": "explicit"})["tiny-steps", "liquid viscosity"]
    assert "0.401 m^2/s" in finding.message
