"""Colours that nothing comes of are found before a run."""

from typing import Any

import pytest

import plash
from plash.pipeline.check.findings import findings

RED = {"shape": {"kind": "box", "min": (0, 0), "max": (0.2, 0.3)}, "color": "red"}
BLUE = {"shape": {"kind": "box", "min": (0.2, 0), "max": (0.4, 0.3)}, "color": "blue"}
DYE = {"kind": "dye", "shape": {"kind": "box", "min": (0.5, 0.1), "max": (0.6, 0.2)}, "color": "blue"}
BODY = {"shape": {"kind": "box", "min": (0.4, 0), "max": (0.7, 0.3)}}


WATER = plash.Liquid()


def found(fill, liquid: Any = WATER, **parts):
    domain: Any = {"size": (0.8, 0.5), "resolution": 32}
    scene = plash.Scene(domain=domain, liquid=liquid, fill=fill, time={"fps": 20, "frames": 40}, **parts)
    return {finding.where: f"{finding.code}: {finding.message}; {finding.edit}" for finding in findings(scene)}


def mix(diffusivity):
    return {"colors": "mix", "color_diffusivity": diffusivity}


@pytest.mark.parametrize(
    ("keys", "where", "words"),
    [
        ({"fill": [RED], "liquid": mix(1e-5)}, "liquid.colors", ["no-effect", "one colour"]),
        ({"fill": [RED, BLUE], "liquid": mix(1e-9)}, "liquid.color_diffusivity", ["slow-colors", "1e-09", "cells"]),
        ({"fill": [RED, BLUE], "look": {"color_by": "speed"}}, "look.color_by", ["hides the colours"]),
        ({"fill": [RED, BLUE], "look": {"liquid": "lava"}}, "look.liquid", ["glows in one colour", "paint"]),
        ({"fill": [RED], "source": [DYE], "solid": [BODY]}, 'source[0] "source 1"', ["it colours nothing"]),
    ],
)
def test_what_has_no_effect_is_told(keys, where, words):
    message = found(**keys).get(where, "")
    assert all(word in message for word in words), message


def test_what_is_right_is_not_mentioned():
    told = found([RED, BLUE], mix(1e-4), source=[DYE])
    assert not any("color" in where or where.startswith("source") for where in told), told
