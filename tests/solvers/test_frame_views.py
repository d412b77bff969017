"""Frames as people look at them: plots and small pictures of every kind of fluid show where it is."""

import base64
import io
import re
import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import plash
from plash.errors import MissingPartError

KINDS: dict[str, Any] = {
    "liquid": {},
    "levelset": {"surface": "levelset"},
    "stable_fluids": {"kind": "stable_fluids"},
    "smoke": {"kind": "smoke"},
}


@pytest.fixture(autouse=True)
def _no_display():
    mpl.use("agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def frame_of(kind, size=(0.9, 0.5)):
    corner = (0.3, 0.25, 0.2)[: len(size)]
    scene = plash.Scene(
        domain={"size": size, "resolution": 18},
        time={"frames": 1},
        solver=KINDS[kind],
        fill=[plash.Fill(shape=plash.Box(min=(0,) * len(size), max=corner), velocity=(0.7, *(0,) * (len(size) - 1)))],
    )
    (frame,) = plash.simulate(scene)
    return frame, float(np.prod(corner))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(0.9, 0.5), (0.9, 0.5, 0.4)], ids=["2-D", "3-D"])
def test_samples_lie_in_the_fluid_and_add_up_to_it(kind, size):
    frame, volume = frame_of(kind, size)
    samples = frame.snapshot.samples()
    assert samples.amount.sum() == pytest.approx(volume, rel=0.02)  # smoke has 1 kg/m³
    assert samples.position.min() > 0
    assert samples.position[:, 0].max() < 0.3 + 0.05
    assert samples.position.shape == samples.velocity.shape


@pytest.mark.parametrize("kind", KINDS)
def test_a_plot_has_a_dot_for_each_sample(kind):
    frame, _ = frame_of(kind)
    axes = frame.plot()
    (dots,) = axes.collections
    np.testing.assert_array_equal(dots.get_offsets(), frame.snapshot.samples().position[:, :2])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x, m", "y, m")
    np.testing.assert_array_equal(dots.get_array(), frame.snapshot.samples().speed)
    assert dots.get_clim() == (0, frame.snapshot.samples().speed.max())


def test_a_plot_in_space_has_the_nearest_on_top():
    frame, _ = frame_of("liquid", (0.9, 0.5, 0.4))
    axes = frame.plot(color_by="amount")
    order = np.argsort(frame.particles.position[:, 2], kind="stable")
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), frame.particles.position[order, :2])


def test_a_plot_goes_where_it_is_told():
    import matplotlib.pyplot as plt

    _, axes = plt.subplots()
    frame, _ = frame_of("liquid")
    assert frame.plot(axes, color_by=None) is axes
    with pytest.raises(ValueError, match="'pressure' is not one of"):
        frame.plot(axes, color_by="pressure")


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    frame, _ = frame_of("liquid")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPartError, match=r'pip install "plash\[notebook\]"'):
        frame.plot()


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_a_picture_that_is_dark_where_the_fluid_is(kind):
    frame, _ = frame_of(kind)
    text = frame._repr_html_()
    assert "frame 1, 0.000 s" in text
    assert repr(frame).startswith("<Frame 1 at 0 s: volume ")
    picture = Image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]+)", text)[1])))
    pixels = np.asarray(picture.convert("L"))
    assert pixels[-1, 0] < 100  # the lower left corner
    assert pixels.shape[1] > pixels.shape[0] > 10
