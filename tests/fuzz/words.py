"""What nonsense is made of: keys, kinds and values that a scene might hold, and most of which it should not."""

import datetime
import math
from typing import Any

from plash.scene import Fill, Scene
from plash.scene.language.fields import models_in

_MODELS: list[Any] = [Scene, *models_in(Fill.model_fields["shape"].annotation)]
_MODELS += [model for field in Scene.model_fields.values() for model in models_in(field.annotation)]
KEYS = sorted(
    {"x_min", "angle", "axis", "about", "nonsense", *(name for model in _MODELS for name in model.model_fields)}
)
KINDS = [
    *("box", "sphere", "cylinder", "capsule", "half_space", "mesh", "union", "difference"),
    *("function", "height", "liquid"),
]
NUMBERS = [0, 1, 2, 64, -1, 10**9, 10**400, 0.5, 1e308, 5e-324, math.inf, -math.inf, math.nan, 1j]
WORDS = [*KINDS, "12 cm", "30 deg", "1 kg", "closed", "water", "apic", "\ud800", abs, Scene, object()]
DATE = datetime.date(2000, 1, 1)
ENTRIES = [0, 1, 0.5, "12 cm", -1]

TOML_VALUES = [
    *("1", "-1", "0.5", "nan", "inf", "true", '"12 cm"', '"1 kg"', '"open"', "[0, 0, 0]", "[1, 1]", "[]", "{}"),
    *("1979-05-27", "9" * 400, '"""a"""'),
    "{ kind = 'box', min = [0, 0, 0], max = [1, 1, 1] }",
    "{ kind = 'union' }",
]
TOML_TABLES = ["[domain]", "[time]", "[solver]", "[liquid]", "[[fill]]", "[[solid]]", "[fill]", "[fill.shape]"]
TOML_LINES = ["version = 1", "size = [1, 1, 1]", "]", "# comment", '"', "[[solid.shape.of]]"]
LETTERS = "[]{}=\"'.,#\n 019-x"
