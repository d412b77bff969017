"""Sources, sinks, pumps and forces in a scene: what they say, and what is refused."""

import math
from typing import Any

import pytest

from plash.errors import SceneError
from plash.scene import Disc, Domain, FunctionForce, Rectangle, Scene, Spout, parse_scene, scene_text
from plash.scene.openings import own_axes

TEXT = """
version = 1
[domain]
size = [1.5, 1, 0.8]
resolution = 30

[[source]]
name = "tap"
kind = "spout"
shape = { kind = "disc", center = [0.5, 0.8, 0.4], normal = [0, -2, 0], radius = "5 cm" }
flow_rate = "0.5 L/s"
ramp = "100 ms"
motion = { velocity = [0.1, 0, 0] }

[[source]]
kind = "blob"
shape = { kind = "sphere", center = [0.5, 0.5, 0.4], radius = 0.1 }
time = 0.7

[[sink]]
shape = { kind = "box", min = [0, 0, 0], max = [1.5, 0.2, 0.8] }
match = "tap"

[[pump]]
shape = { kind = "box", min = [0, 0, 0], max = [0.5, 0.5, 0.5] }
velocity = [1, 0, 0]

[[force]]
kind = "vortex"
point = [0.5, 0.5, 0.5]
axis = [0, 1, 0]
strength = 3
radius = 0.2
"""


def test_a_scene_needs_no_fill_if_it_has_a_source_and_reads_back_as_written():
    scene = parse_scene(TEXT)
    assert [source.name for source in scene.source] == ["tap", "source 2"]
    assert (scene.sink[0].name, scene.pump[0].name, scene.force[0].name) == ("sink 1", "pump 1", "force 1")
    assert parse_scene(scene_text(scene)) == scene


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ('match = "tap"', 'match = "tup"', "sink[0].match", 'Did you mean "tap"?'),
        ('match = "tap"', 'match = "source 2"', "sink[0].match", "not the name of a spout"),
        ('match = "tap"', 'match = "tap"\nflow_rate = 1', "sink[0].match", "keep one of them"),
        ('"0.5 L/s"', '"0.5 m^2/s"', "source[0].flow_rate", "flow rate of a 2-D scene"),
        ('"0.5 L/s"', '"0.5 L"', "source[0].flow_rate", "is a volume, not a flow rate"),
        ('"0.5 L/s"', '"0.5 L/s"\nspeed = 1', "source[0].speed", "keep one of them"),
        ('flow_rate = "0.5 L/s"', "", "source[0].speed", "give speed or flow_rate"),
        ('ramp = "100 ms"', 'ramp = "100 ms"\nstop = 0.15', "source[0].ramp", "takes longer than the 0.15 s"),
        ('ramp = "100 ms"', "start = 2\nstop = 1", "source[0].stop", "not after start"),
        ("normal = [0, -2, 0]", "normal = [0, 0, 0]", "source[0].shape.normal", "no direction"),
        ("normal = [0, -2, 0]", "normal = [0, -2]", "source[0].shape.normal", "a 3-D scene needs 3"),
        ('kind = "spout"', 'kind = "spoot"', "source[0]", 'Did you mean "spout"?'),
        ("[[pump]]", '[[pump]]\nname = "tap"', "pump[0].name", "is the name of source[0] already"),
        ("velocity = [1, 0, 0]", "", "pump[0].velocity", "give velocity or acceleration"),
        ("axis = [0, 1, 0]", "", "force[0].axis", "a vortex in 3-D needs an axis"),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(old, new, key, words):
    assert old in TEXT
    with pytest.raises(SceneError) as error:
        parse_scene(TEXT.replace(old, new))
    assert key in [problem.key for problem in error.value.problems]
    assert words in str(error.value)


def test_a_solid_must_not_have_the_name_of_a_source():
    solid = '[[solid]]\nname = "tap"\nshape = { kind = "sphere", center = [1, 0, 0], radius = 0.1 }\n'
    with pytest.raises(SceneError, match=r"solid\[0\].name: \"tap\" is the name of source\[0\] already"):
        parse_scene(TEXT + solid)


@pytest.mark.parametrize(("normal", "fits"), [((1, 0), True), ((-1, 0), False)])
def test_a_spout_on_a_side_of_the_domain_must_open_inwards(normal, fits):
    parts: Any = {
        "domain": {"size": (1, 2), "resolution": 16},
        "source": [{"kind": "spout", "speed": 1, "shape": {**RECTANGLE, "normal": normal}}],
    }
    if fits:
        (spout,) = Scene(**parts).source
        assert isinstance(spout, Spout)
        assert spout.shape.area(2) == pytest.approx(0.3)
    else:
        with pytest.raises(SceneError, match="out of the domain"):
            Scene(**parts)


RECTANGLE: Any = {"kind": "rectangle", "center": (0, 0.5), "size": "30 cm"}


def test_a_flow_rate_in_2d_is_one_of_area():
    source: Any = {"kind": "spout", "shape": {**RECTANGLE, "normal": (1, 0)}}
    domain = Domain(size=(1, 2), resolution=16)
    (spout,) = Scene(domain=domain, source=[Spout(**source, flow_rate="60 m^2/min")]).source
    assert isinstance(spout, Spout)
    assert spout.peak(2) == pytest.approx(1 / 0.3)
    with pytest.raises(SceneError, match="flow rate of a 3-D scene"):
        Scene(domain=domain, source=[Spout(**source, flow_rate="1 L/s")])


@pytest.mark.parametrize("stop", [None, 3.1])
@pytest.mark.parametrize("ramp", [0.0, 0.8])
def test_the_run_time_is_the_integral_of_the_share(stop, ramp):
    shape = Disc(center=(0, 0), normal=(0, 1), radius=1)
    spout = Spout(shape=shape, speed=2, start=0.4, stop=stop, ramp=ramp)
    steps = 20000
    for end in (0.3, 0.9, 2.0, 2.9, 4.0):
        times = [(i + 0.5) * end / steps for i in range(steps)]
        assert spout.run_time(end) == pytest.approx(sum(map(spout.share, times)) * end / steps, abs=2e-4)


def test_openings_know_their_axes_after_all_moves():
    turn: Any = {"axis": (0, 1, 0), "angle": "90 deg"}
    shape = Rectangle(center=(1, 2, 3), normal=(1, 0, 0), size=(0.4, 0.2), rotation=turn, translation=(0, 1, 0))
    center, (normal, level, _) = shape.place
    assert center == pytest.approx((1, 3, 3))
    assert normal == pytest.approx((0, 0, -1))
    assert level[1] == pytest.approx(0)
    for n in ((0, 1, 0), (0.3, -0.4, 0.2), (1, 0, 0)):
        axes = own_axes(n)
        for i, one in enumerate(axes):
            for j, other in enumerate(axes):
                assert sum(a * b for a, b in zip(one, other, strict=True)) == pytest.approx(float(i == j))


def test_a_function_may_be_a_force_but_not_in_a_file():
    def gusts(points, time):
        return points * 0 + math.sin(time)

    wind: Any = gusts
    scene = Scene(
        domain={"size": (1, 2), "resolution": 16},
        source=[Spout(speed=1, shape=Rectangle(**RECTANGLE, normal=(1, 0)))],
        force=[wind],
    )
    assert isinstance(scene.force[0], FunctionForce)
    with pytest.raises(SceneError, match="which a scene file cannot hold"):
        scene_text(scene)
