"""Scenes that say too much, or too little: refused at once, with the place and the limit."""

import re
import tomllib
from typing import Any

import pytest

import plash
from plash.scene.language import amount
from plash.scene.language.amount import DEEPEST_KEY, MOST_VALUES, too_much_text
from plash.scene.language.read import parse_scene

BASE = """version = 1
[domain]
size = [1, 1]
resolution = 16
[[fill]]
shape = {kind="box", min=[0,0], max=[0.5,0.5]}
"""
BALL: Any = {"kind": "sphere", "center": (0.5, 0.8), "radius": 0.1}
SOLID = '[[solid]]\nshape = {kind="sphere", center=[0.5,0.8], radius=0.1}\n'
SPOUT = '[[source]]\nkind = "spout"\nspeed = 1\nshape = {kind="rectangle", center=[0.5,0.8], normal=[0,-1], size=0.1}\n'


@pytest.mark.parametrize(("body", "table"), [(SOLID, "solid"), (SPOUT, "source")])
@pytest.mark.parametrize("points", ["[]", "[[0.1, 0]]"])
def test_a_path_of_too_few_points_is_refused(body, table, points):
    text = f"{BASE}{body}motion.path = {{points = {points}, speed = 1}}\n"
    line = text.count("\n")
    wanted = f"scene: line {line}: {table}[0].motion.path.points: {points} is too short: its length must be at least 2"
    with pytest.raises(plash.SceneError, match=re.escape(wanted)):
        parse_scene(text)


def test_a_path_of_one_bad_point_is_refused_for_that_point():
    with pytest.raises(plash.SceneError, match=r"points\[0\]: \[0\] has length 1") as error:
        parse_scene(f"{BASE}{SOLID}motion.path = {{points = [[0]], speed = 1}}\n")
    assert len(error.value.problems) == 1


MANY = ",".join(["1"] * (MOST_VALUES + 1))


@pytest.mark.parametrize(
    "text",
    [
        BASE.replace("[1, 1]", f"[{MANY}]"),
        f"version = 1\nfill = [{MANY}]\n",
        f"{BASE}{SOLID}motion.keys = [{MANY}]\n",
        BASE + "\n".join(f"key{number} = 1" for number in range(MOST_VALUES)),
        BASE + "[[fill]]\n" * MOST_VALUES,
    ],
    ids=["size", "fill", "keys", "unknown keys", "tables"],
)
def test_a_file_of_too_many_values_is_refused_before_it_is_read(text, monkeypatch):
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("it was read"))
    with pytest.raises(plash.SceneError, match=rf"line \d+: {MOST_VALUES} values are passed here"):
        parse_scene(text)


@pytest.mark.parametrize(
    "line", ["{} = 1", "[{}]", "[[{}]]", "x = {{ {} = 1 }}"], ids=["key", "table", "tables", "inline table"]
)
@pytest.mark.parametrize("name", ["a", '"b c"', "'d'"])
@pytest.mark.parametrize("dot", [".", " . "])
def test_a_key_of_too_many_names_is_refused_before_it_is_read(line, name, dot, monkeypatch):
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("it was read"))
    with pytest.raises(plash.SceneError, match=f"line 8: a key has more than {DEEPEST_KEY} names"):
        parse_scene(f"{BASE}\n{line.format(dot.join([name] * 100_000))}\n")


@pytest.mark.parametrize(
    "text", ["a" * 3_000_000, "." * 3_000_000, "a." * 20 + "a" * 3_000_000, '"' * 3_000_000, "a ." * 20 + "b" * 10**6]
)
def test_no_text_takes_long_to_search_for_deep_keys(text):
    assert too_much_text(f"# {text}") is None


def test_twenty_thousand_spheres_are_not_too_many():
    assert too_much_text('{kind="sphere",center=[0,0,0],radius=0.1},\n' * 20_000) is None


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"fill": [1] * 10**6}, "fill"),
        ({"solid": [{"shape": BALL, "motion": {"keys": [{}] * 10**6}}]}, "solid[0].motion.keys"),
        ({"solid": [{"shape": {"kind": "union", "of": [BALL] * 10**6}}]}, "solid[0].shape.of"),
        ({"output": {"movies": ["mp4"] * 10**6}}, "output.movies"),
    ],
    ids=["fill", "keys", "union", "movies"],
)
def test_a_long_list_in_python_is_refused_by_its_length(part, place):
    with pytest.raises(plash.SceneError) as error:
        plash.Scene(**{"domain": {"size": (1, 1)}, "fill": [{"shape": BALL}]} | part)
    assert str(error.value) == f"scene: {place}: has 1000000 entries: a scene may have {MOST_VALUES} in all"


def shared(depth):
    shape = BALL
    for _ in range(depth):
        shape = {"kind": "union", "of": [shape] * 4}
    return shape


def endless():
    shape: Any = {"kind": "union"}
    shape["of"] = [shape, shape]
    return shape


@pytest.mark.parametrize("shape", [shared(15), endless()], ids=["4^15 parts", "contains itself"])
def test_a_shape_whose_parts_multiply_is_refused(shape):
    with pytest.raises(plash.SceneError, match=f"more than {MOST_VALUES} values in all, or contains itself"):
        plash.Scene(domain={"size": (1, 1)}, fill=[{"shape": shape}])


def test_models_count_too():
    ball = plash.Sphere(center=(0.5, 0.5), radius=0.1)
    group = plash.Union(of=[plash.Union(of=[ball] * 40)] * 100)
    with pytest.raises(plash.SceneError, match=f"more than {MOST_VALUES} values in all"):
        plash.Union(of=[group] * 100)


@pytest.mark.parametrize("depth", [17, 1000, 100_000])
def test_a_deep_shape_is_refused_however_deep(depth):
    shape = BALL
    for _ in range(depth):
        shape = {"kind": "union", "of": [shape]}
    with pytest.raises(plash.SceneError, match=r"nested more than 16 shapes deep|more than 250000 values"):
        plash.Scene(domain={"size": (1, 1)}, fill=[{"shape": shape}])


def test_a_number_of_five_thousand_digits_is_refused_with_its_line():
    with pytest.raises(plash.SceneError, match="line 4: a number has 5000 digits: that is too many to read"):
        parse_scene(BASE.replace("16", "9" * 5000))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("a\nb", r'"a\\nb" has a control character'),
        ("a\x00b", r'"a\\u0000b" has a control character'),
        ("\x1b[31m", "has a control character"),
        ("x" * 100_000, "has 100000 characters: a name may have 100"),
    ],
)
@pytest.mark.parametrize("table", ["solid", "source", "sink", "pump", "force"])
def test_a_name_is_one_short_line(name, fault, table):
    bodies: Any = {
        "source": {"kind": "blob"},
        "pump": {"velocity": (1, 0)},
        "force": {"kind": "constant", "acceleration": (1, 0)},
    }
    body = {"shape": BALL, **bodies.get(table, {}), "name": name}
    scene: Any = {"domain": {"size": (1, 1)}, "fill": [{"shape": BALL}], table: [body]}
    with pytest.raises(plash.SceneError, match=rf"{table}\[0\].name: .*{fault}"):
        plash.Scene(**scene)


def test_the_limit_counts_every_value(monkeypatch):
    monkeypatch.setattr(amount, "MOST_VALUES", 20)
    with pytest.raises(plash.SceneError, match="line 8: 20 values are passed here"):
        parse_scene(f"{BASE}{SOLID}")
