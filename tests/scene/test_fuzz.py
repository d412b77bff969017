"""Nonsense into the reader: a scene or a SceneError comes out, never anything else."""

from importlib.resources import files

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plash.errors import SceneError
from plash.scene import Scene, gallery, load_scene, parse_scene

from ..fuzz.words import (
    DATE,
    ENTRIES,
    KEYS,
    KINDS,
    LETTERS,
    NUMBERS,
    TOML_LINES,
    TOML_TABLES,
    TOML_VALUES,
    WORDS,
)

pytestmark = pytest.mark.slow

GALLERY_TEXT = {name: (files("plash") / "scenes" / f"{name}.toml").read_text("utf-8") for name in gallery()}
QUIET = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(NUMBERS)
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=3)
    | st.sampled_from(WORDS)
    | st.just(DATE)
    | st.lists(st.sampled_from(ENTRIES), min_size=2, max_size=3)
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5) | st.tuples(inner)
    ),
    max_leaves=12,
)
shape_tables = st.fixed_dictionaries(
    {"kind": st.sampled_from(KINDS)},
    optional=dict.fromkeys(("min", "max", "center", "radius", "of", "base", "file", "scale"), values),
)
bodies = st.lists(
    st.fixed_dictionaries({"shape": shape_tables}, optional={"name": values, "velocity": values}), max_size=3
)
tables = st.fixed_dictionaries(
    {"domain": st.fixed_dictionaries({"size": st.just([1, 1, 1]) | values}, optional={"sides": values})},
    optional={
        "fill": bodies | values,
        "solid": bodies | values,
        **dict.fromkeys(("time", "solver", "title"), values),
    },
)


def is_scene_or_refused(make):
    try:
        return isinstance(make(), Scene)
    except SceneError as error:
        return len(error.problems) > 0 and all(len(str(problem)) < 1000 for problem in error.problems)


@QUIET
@given(tables | st.dictionaries(st.sampled_from(KEYS), values))
def test_any_tables_are_a_scene_or_refused(data):
    assert is_scene_or_refused(lambda: Scene(**data))


@QUIET
@given(st.text())
def test_any_text_is_refused(text):
    assert is_scene_or_refused(lambda: parse_scene(text))


toml_values = st.sampled_from(TOML_VALUES)
toml_lines = st.one_of(
    st.builds("{} = {}".format, st.sampled_from(KEYS), toml_values),
    st.builds("{}.{} = {}".format, st.sampled_from(KEYS), st.sampled_from(KEYS), toml_values),
    st.sampled_from(TOML_TABLES),
    st.sampled_from(TOML_LINES),
)


@QUIET
@given(st.lists(toml_lines, max_size=12).map("\n".join))
def test_any_lines_of_toml_are_a_scene_or_refused(text):
    assert is_scene_or_refused(lambda: parse_scene(text))


@QUIET
@given(st.sampled_from(sorted(GALLERY_TEXT)), st.data())
def test_any_damage_to_a_good_file_leaves_a_scene_or_is_refused(name, data):
    text = GALLERY_TEXT[name]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 8)))
    damaged = text[:start] + data.draw(st.text(LETTERS, max_size=6)) + text[end:]
    assert is_scene_or_refused(lambda: parse_scene(damaged))


@QUIET
@given(
    st.dictionaries(
        st.text(max_size=12) | st.sampled_from(KEYS) | st.sampled_from(["solver.seed", "fill[0].shape"]),
        values,
    )
)
def test_any_overrides_are_a_scene_or_refused(overrides):
    assert is_scene_or_refused(lambda: load_scene("dam_break_2d", **overrides))


@QUIET
@given(data=st.binary(max_size=200))
def test_any_bytes_are_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "fuzz.toml"
    path.write_bytes(data)
    assert is_scene_or_refused(lambda: load_scene(path))
