"""What `[mesh]` accepts, and what it says of what it does not."""

import pytest

from plash.errors import SceneError
from plash.scene import Meshing


def test_midpoints_are_not_smoothed_unless_asked_for():
    assert Meshing().sweeps == 4
    assert Meshing(placement="midpoint").sweeps == 0
    assert Meshing(placement="midpoint", smoothing=3).sweeps == 3
    assert Meshing(smoothing=0).sweeps == 0


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("placement", "midpoints", "midpoint"),
        ("walls", "opened", "open"),
        ("normals", "face", "faces"),
        ("subdivide", 3, "2"),
        ("subdivide", 0.5, "whole number"),
        ("smallest", -1, "0"),
        ("smallest", "tiny", "number"),
        ("smoothing", 51, "50"),
    ],
)
def test_what_is_wrong_is_told_with_what_would_be_right(key, value, says):
    with pytest.raises(SceneError, match=key) as error:
        Meshing(**{key: value})
    assert says in str(error.value)
