import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plash.scene.language.lines import LineIndex

TEXT = r'''# A comment with [brackets] and key = value
version = 1   # one
"quoted key" = "a # b"
'single quoted' = 3
a.b.c = 1
a . "b" . d = 2

[domain]
size = [
    1,        # a comment ] in an array
    "two",
    [3, 4],
]
text = """
not = a key
[not.a.table] ""\""" # still
"""
literal = SINGLE
also = not
SINGLE
after = 1979-05-27 07:32:00

[[fill]]
shape = { kind = "box", min = [0, 0], inner = { deep = 1, other.one = [2] } }

[[fill]]
[fill.shape]
kind = "sphere"
[[fill.part]]
x = 1
[[fill.part]]
x = 2
'''.replace("SINGLE", "'" * 3)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("version",), 2),
        (("quoted key",), 3),
        (("single quoted",), 4),
        (("a",), 5),
        (("a", "b", "c"), 5),
        (("a", "b", "d"), 6),
        (("domain",), 8),
        (("domain", "size"), 9),
        (("domain", "size", 0), 10),
        (("domain", "size", 1), 11),
        (("domain", "size", 2, 1), 12),
        (("domain", "text"), 14),
        (("domain", "literal"), 18),
        (("domain", "after"), 21),
        (("fill",), 23),
        (("fill", 0), 23),
        (("fill", 0, "shape", "inner", "deep"), 24),
        (("fill", 0, "shape", "inner", "other", "one", 0), 24),
        (("fill", 1), 26),
        (("fill", 1, "shape"), 27),
        (("fill", 1, "shape", "kind"), 28),
        (("fill", 1, "part", 0, "x"), 30),
        (("fill", 1, "part", 1), 31),
        (("fill", 1, "part", 1, "x"), 32),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_key_has_its_line(place, line, newline):
    tomllib.loads(TEXT)
    assert LineIndex(TEXT.replace("\n", newline)).line(place) == line


def test_what_is_absent_has_the_line_of_what_is_around_it():
    index = LineIndex(TEXT)
    assert index.line(("domain", "resolution")) == 8
    assert index.line(("fill", 1, "shape", "radius")) == 27
    assert index.line(("solver", "transfer")) is None
    assert index.line(()) is None


def test_forgotten_place_has_no_line_and_others_keep_theirs():
    index = LineIndex(TEXT)
    index.forget(("domain", "size"))
    assert index.line(("domain", "size", 1)) is None
    assert index.line(("domain", "text")) == 14


bare_keys = st.sampled_from(["a", "b", "c-d", "1", '"x y"', "'z'", '"\\u0041"'])
scalars = st.sampled_from(["1", "-2.5", "true", '"a, ]} #"', "'b'", '""', '"""a\n"b"""', "'''c\n'''", "1979-05-27"])
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[\n" + ", # c\n".join(items) + "]")
        | st.dictionaries(bare_keys, inner, max_size=3).map(
            lambda items: "{ " + ", ".join(f"{key} = {value}" for key, value in items.items()) + " }"
        )
    ),
    max_leaves=6,
)
headers = st.lists(bare_keys, min_size=1, max_size=3).map(".".join)
statements = st.one_of(
    st.builds("{} = {}".format, headers, values),
    headers.map("[{}]".format),
    headers.map("[[{}]]".format),
    st.just("# a comment = 1"),
    st.just(""),
)


def places_in(data, place=()):
    yield place
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, item in inside:
        yield from places_in(item, (*place, step))


@settings(max_examples=300)
@given(st.lists(statements, max_size=8).map("\n".join))
def test_index_knows_exactly_the_places_of_any_toml(text):
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    index = LineIndex(text)
    assert set(index._lines) == set(places_in(data)) - {()}
    assert all(1 <= line <= text.count("\n") + 1 for line in index._lines.values())
