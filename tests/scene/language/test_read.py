import pytest

from plash.errors import SceneError
from plash.scene import Sphere, gallery, load_scene, parse_scene
from plash.scene.language.overrides import parameter_names

TEXT = """\
version = 1
[domain]
size = ["1 m", "50 cm"]
cell_size = "1 cm"
[liquid]
kinematic_viscosity = "1 cSt"
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.5, 0.25] }
[[solid]]
shape = { kind = "sphere", center = [0.8, 0.1], radius = 0.1 }
"""


def test_gallery_is_a_ladder_of_scenes_that_each_say_what_they_show():
    shown = gallery()
    assert list(shown) == sorted(shown)
    assert {
        "falling_block",
        "still_pool",
        "dam_break",
        "dam_break_2d",
        "drop_in_pool",
        "bench_dam_break",
    } <= set(shown)
    assert all(len(sentence) > 30 and sentence.endswith(".") for sentence in shown.values())
    assert len(set(shown.values())) == len(shown)


@pytest.mark.parametrize("name", gallery())
def test_gallery_scene_is_valid_and_has_a_title(name):
    assert load_scene(name).title


def test_benchmark_is_the_one_figures_are_quoted_for():
    scene = load_scene("bench_dam_break")
    assert scene.domain.cells == (64, 64, 64)
    assert scene.domain.size == (1, 1, 1)
    assert {scene.domain.side(side) for side in ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")} == {"closed"}
    assert (scene.time.fps, scene.time.frames, scene.solver.transfer) == (24, 50, "flip")
    assert scene.fill[0].shape.bounds(3) == ((0, 0, 0), (0.4, 0.5, 1))
    assert len(scene.fill) == 1
    assert scene.solid == ()


def test_scene_is_found_by_path_as_text_or_path(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(TEXT)
    assert load_scene(path) == load_scene(str(path)) == parse_scene(TEXT)


def test_file_of_the_user_is_not_hidden_by_the_gallery(tmp_path, monkeypatch):
    (tmp_path / "dam_break.toml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    assert load_scene("dam_break.toml").dimension == 2
    assert load_scene("dam_break").dimension == 3


def test_override_by_last_word_and_by_place_are_the_same():
    short = load_scene("dam_break", transfer="flip", frames=3, material="milk", title="x")
    long = load_scene(
        "dam_break", **{"solver.transfer": "flip", "time.frames": 3, "liquid.material": "milk", "title": "x"}
    )
    assert short == long
    assert (short.solver.transfer, short.time.frames, short.liquid.material, short.title) == (
        "flip",
        3,
        "milk",
        "x",
    )


def test_override_reaches_into_lists_and_makes_tables():
    scene = parse_scene(
        TEXT, **{"solid[0].shape.radius": "20 cm", "fill[0].velocity": [1, 0], "domain.sides.y_max": "open"}
    )
    ball = scene.solid[0].shape
    assert isinstance(ball, Sphere)
    assert ball.radius == 0.2
    assert scene.fill[0].velocity == (1, 0)
    assert scene.domain.side("y_max") == "open"


def test_resolution_replaces_cell_size_and_the_other_way_round():
    assert parse_scene(TEXT).domain.cells == (100, 50)
    assert parse_scene(TEXT, resolution=10).domain.cells == (10, 5)
    assert parse_scene(TEXT, **{"domain.resolution": 10}).domain.cells == (10, 5)
    assert load_scene("dam_break", cell_size="10 cm").domain.cells == (20, 10, 10)


def test_one_viscosity_replaces_the_other():
    assert parse_scene(TEXT, dynamic_viscosity=2, density=4).liquid.nu == 0.5


def test_two_overrides_that_exclude_each_other_are_refused():
    with pytest.raises(SceneError, match="keep one of them"):
        parse_scene(TEXT, resolution=10, cell_size=0.1)


@pytest.mark.parametrize(
    ("override", "key", "words"),
    [
        ({"resoluton": 3}, "resoluton", ["not a parameter", 'Did you mean "resolution"']),
        ({"solver.tranfser": "flip"}, "solver.tranfser", ['"flip"', 'Did you mean "transfer"']),
        ({"sovler.transfer": "flip"}, '"sovler.transfer"', ['Did you mean "solver.transfer"']),
        ({"transfer": "flop"}, "solver.transfer", ['"flop" is not one of', 'Did you mean "flip"']),
        ({"frames": 0}, "time.frames", ["0 is out of range", "at least 1"]),
        ({"solid[7].name": "x"}, "solid[7].name", ["no solid[7]"]),
        ({"sauce[0].name": "x"}, '"sauce[0].name"', ["not a parameter"]),
        ({"domain.size.x": 3}, "domain.size.x", ["not a table"]),
        ({"a..b": 3}, '"a..b"', ["not a parameter"]),
        ({"": 3}, '""', ["not a parameter"]),
        ({"domain": 3}, "domain", ["not a parameter"]),
        ({"version": 2}, "version", ["not a parameter"]),
    ],
)
def test_bad_override_is_refused_by_name_without_a_line(override, key, words):
    with pytest.raises(SceneError) as error:
        parse_scene(TEXT, "file.toml", **override)
    (problem,) = error.value.problems
    assert (problem.key, problem.line) == (key, None)
    assert all(word in problem.message for word in words), problem.message


def test_problems_of_overrides_and_file_arrive_together():
    with pytest.raises(SceneError) as error:
        parse_scene(TEXT.replace("0.1 }", "-0.1 }"), "file.toml", frames=0, nonsense=1)
    assert [(problem.line, problem.key) for problem in error.value.problems] == [
        (None, "nonsense"),
        (None, "time.frames"),
        (10, "solid[0].shape.radius"),
    ]


def test_every_parameter_of_a_single_table_has_a_name_of_its_own():
    names = parameter_names()
    assert {name for name, places in names.items() if len(places) > 1} == {"color"}
    assert names["resolution"] == [("domain", "resolution")]
    assert names["density"] == [("liquid", "density")]
