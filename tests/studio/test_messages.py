"""Messages and frames: what is sent is what arrives, and nothing else is let in."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plash.studio.messages import LONGEST_TEXT, frame_bytes, frame_of, message_of

DTYPES = (np.int8, np.uint8, np.int16, np.uint16, np.float32)


def test_a_frame_arrives_as_it_was_sent():
    random = np.random.default_rng(3)
    sent = {f"a{i}": random.integers(0, 100, (3, i, 5)).astype(dtype) for i, dtype in enumerate(DTYPES)}
    header, arrays = frame_of(frame_bytes({"time": 0.25, "view": "surface"}, sent))
    assert (header["kind"], header["time"], header["view"]) == ("frame", 0.25, "surface")
    assert list(arrays) == list(sent)
    for name, array in sent.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)


def test_every_array_begins_at_a_multiple_of_eight_bytes():
    data = frame_bytes({"x": "ü" * 3}, {"a": np.ones(3, np.int8), "b": np.ones(5, np.float32)})
    length = int.from_bytes(data[:4], "little")
    assert (4 + length) % 8 == 0
    header, _ = frame_of(data)
    assert [item["start"] % 8 for item in header["arrays"]] == [0, 0]


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "push", "x": 0, "y": 0, "u": 0, "v": 0},
        {"kind": "push", "x": 0, "y": 0, "u": 0, "v": 0, "radius": 0},
        {"kind": "push", "x": "0", "y": 0, "u": 0, "v": 0, "radius": 1},
        {"kind": "play", "running": 1},
        {"kind": "play", "running": True, "more": 1},
        {"kind": "set", "key": "__class__", "value": 1},
        {"kind": "set", "key": "solver.x; import os", "value": 1},
        {"kind": "set", "key": "solver.courant", "value": {}},
        {"kind": "view", "name": "../../x"},
        {"kind": "speed", "value": math.inf},
        {"kind": "open", "text": "x" * LONGEST_TEXT},
        {"kind": "record", "fps": 10**9},
        {},
        [],
        "play",
    ],
)
def test_what_is_no_message_is_refused_with_a_sentence(data):
    with pytest.raises(ValueError, match="a message"):
        message_of(json.dumps(data))


PLAIN = st.none() | st.booleans() | st.floats() | st.text()
JSON = st.lists(PLAIN) | st.dictionaries(st.text() | st.just("kind"), PLAIN | st.dictionaries(st.text(), PLAIN))


@settings(max_examples=60, deadline=None)
@given(st.text() | st.binary() | JSON.map(json.dumps))
def test_noise_is_never_a_message_and_never_an_error_of_another_kind(noise):
    with pytest.raises(ValueError, match="a message"):
        message_of(noise)
