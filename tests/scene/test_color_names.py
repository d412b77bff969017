"""Names of colours: all of CSS, and plash's own."""

import pytest
from PIL.ImageColor import colormap

from plash import Liquid, Look, SceneError, SolidLook
from plash.scene.colors import COLORS, rgb

OWN = {
    *("white", "light_gray", "gray", "grey", "black", "brown"),
    *("red", "orange", "yellow", "green", "teal", "blue", "purple"),
}


def test_every_name_of_css_is_a_colour():
    assert len(colormap) == 148
    for name, code in colormap.items():
        assert Liquid(color=name).color == name
        if name not in OWN:
            assert rgb(name) == rgb(str(code))


def test_own_names_stay_as_they_were():
    assert set(COLORS) - set(colormap) == {"light_gray"}
    assert COLORS["red"] == "#c8453b"
    assert COLORS["gray"] == COLORS["grey"] == "#8f959c"


@pytest.mark.parametrize(
    ("model", "key"), [(Liquid, "color"), (Look, "background"), (Look, "color"), (SolidLook, "color")]
)
def test_a_name_that_is_none_is_answered_with_the_nearest(model, key):
    with pytest.raises(SceneError, match=r'"hotpinc" is no colour.*Did you mean "hotpink".*all names of CSS'):
        model(**{key: "hotpinc"})
