"""Functions that a scene file names: found beside it, refused with their key, run only when they are called."""

import pickle

import numpy as np
import pytest

import plash
from plash.scene.functions import NamedFunction
from plash.scene.language.read import load_scene

SCENE = """
version = 1
[domain]
size = [1, 0.6]
resolution = 24
[[fill]]
shape = "waves:ring"
velocity_at = "waves:swirl"
[[solid]]
shape = { kind = "height", height = "waves:floor" }
[[force]]
kind = "function"
function = "waves:wind"
"""
WAVES = """
import numpy as np
def ring(points): return np.hypot(points[:, 0] - 0.5, points[:, 1] - 0.3) - 0.15
def swirl(points): return 2.0 * np.stack([0.3 - points[:, 1], points[:, 0] - 0.5], axis=1)
def floor(x): return 0.05 + 0.02 * x
def wind(points, time): return np.full_like(points, 0.25)
def broken(points): return points[:, 7]
def wrong(points): return points[:3]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "waves.py").write_text(WAVES)
    (tmp_path / "scene.toml").write_text(SCENE)
    return tmp_path


def test_functions_are_found_beside_the_scene_file_and_called(folder):
    solver = plash.build(folder / "scene.toml")
    particles = solver.snapshot().as_particles()
    x, y = particles.position.T
    assert np.abs(np.hypot(x - 0.5, y - 0.3)).max() < 0.15 + solver.h
    np.testing.assert_allclose(particles.velocity, 2 * np.stack([0.3 - y, x - 0.5], axis=1), atol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [{"kind": "stable_fluids"}, {"kind": "smoke"}, {"surface": "levelset"}],
    ids=["stable_fluids", "smoke", "levelset"],
)
def test_every_solver_starts_with_the_velocity_of_the_function(folder, settings):
    scene = load_scene(folder / "scene.toml", **{f"solver.{k}": v for k, v in settings.items()})
    scene = scene.model_copy(update={"solid": [], "force": []})
    at = plash.build(scene).snapshot().velocity_at(np.array([[0.5, 0.3], [0.55, 0.32], [0.45, 0.25]]))
    # A solid rotation has no divergence, so the projection of stable fluids leaves its middle nearly as it is
    expected = np.array([[0.0, 0.0], [-0.04, 0.1], [0.1, -0.1]])
    np.testing.assert_allclose(at, expected, atol=0.02)


def test_a_scene_is_read_without_running_its_functions(folder):
    (folder / "waves.py").write_text(WAVES + "\nraise SystemExit('it ran')\n")
    scene = load_scene(folder / "scene.toml")
    assert scene.fill[0].shape.function.name == "ring"


def test_a_function_means_the_text_that_was_read(folder):
    function = load_scene(folder / "scene.toml").solid[0].shape.height
    again = pickle.loads(pickle.dumps(function))
    (folder / "waves.py").unlink()
    assert again == function
    assert again(np.array([1.0])) == pytest.approx(0.07)


def test_scenes_are_written_with_the_names_of_their_functions(folder):
    scene = load_scene(folder / "scene.toml")
    (folder / "below").mkdir()
    plash.write_scene(scene, folder / "again.toml")
    plash.write_scene(scene, folder / "below" / "again.toml")
    assert 'function = "waves.py:ring"' in (folder / "again.toml").read_text()
    for path in ("again.toml", "below/again.toml"):
        assert load_scene(folder / path) == scene


def test_functions_in_folders_below(folder):
    (folder / "lib").mkdir()
    (folder / "waves.py").rename(folder / "lib" / "waves.py")
    for name in ("lib.waves:", "lib/waves.py:"):
        (folder / "scene.toml").write_text(SCENE.replace("waves:", name))
        assert isinstance(load_scene(folder / "scene.toml").force[0].function, NamedFunction)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wave:ring", r"line 7: fill\[0\]\.shape.*: there is no file .*wave\.py.*Did you mean \"waves\""),
        (
            "waves:rings",
            r"line 7: fill\[0\]\.shape.*: .*waves\.py has no function rings: it has .*Did you mean \"ring\"",
        ),
        ("waves:", r"line 7: fill\[0\]\.shape.*names no function"),
        (":ring", r"line 7: fill\[0\]\.shape.*names no function"),
        ("waves:ring()", r"line 7: fill\[0\]\.shape.*names no function"),
        ("os:system", r"line 7: fill\[0\]\.shape.*: there is no file .*os\.py"),
    ],
)
def test_what_is_not_there_is_refused_by_its_key(folder, name, words):
    (folder / "scene.toml").write_text(SCENE.replace('shape = "waves:ring"', f'shape = "{name}"'))
    with pytest.raises(plash.SceneError, match=words):
        load_scene(folder / "scene.toml")


def test_a_file_that_is_no_python_is_refused_by_its_line(folder):
    (folder / "waves.py").write_text("def ring(points):\n    return (\n")
    with pytest.raises(plash.SceneError, match=r"waves\.py, line 2: is no Python that can be run"):
        load_scene(folder / "scene.toml")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("waves:ring", r"fill\[0\]\.shape: the function broken of waves\.py failed: IndexError.*waves\.py, line 7"),
        ("waves:swirl", r"fill\[0\]\.velocity_at: the function broken of waves\.py failed: IndexError"),
        ("waves:floor", r"solid 1.*: the function broken of waves\.py failed: IndexError"),
    ],
)
def test_a_function_that_fails_is_told_with_its_key_and_line(folder, change, words):
    (folder / "scene.toml").write_text(SCENE.replace(change, "waves:broken"))
    with pytest.raises(plash.SceneError, match=words):
        plash.build(folder / "scene.toml")


def test_velocities_of_another_shape_are_refused(folder):
    (folder / "scene.toml").write_text(SCENE.replace("waves:swirl", "waves:wrong"))
    with pytest.raises(plash.SceneError, match=r"fill\[0\]\.velocity_at: .*gave an array of shape \(3, 2\)"):
        plash.build(folder / "scene.toml")


def test_help_on_a_table_has_its_keys_with_units():
    assert "radius: Distance from the middle to the surface. In m. Required." in plash.Sphere.__doc__
    assert str(plash.Sphere.__signature__) == "(*, center, radius, rotation=None, translation=None)"
    assert str(plash.Union.__signature__) == "(*, of, rotation=None, translation=None)"


@pytest.mark.parametrize("line", ['shape = "waves:ring"', 'velocity_at = "waves:swirl"', 'function = "waves:wind"'])
def test_the_studio_opens_no_page_that_names_a_function(folder, monkeypatch, line):
    from plash.studio.scene_text import opened

    monkeypatch.chdir(folder)
    plain = {'shape = "waves:ring"': 'shape = { kind = "box", min = [0, 0], max = [0.3, 0.3] }'}
    text = SCENE
    for other in ('shape = "waves:ring"', 'velocity_at = "waves:swirl"'):
        text = text if other == line else text.replace(other, plain.get(other, ""))
    text = text.replace('shape = { kind = "height", height = "waves:floor" }', plain['shape = "waves:ring"'])
    if not line.startswith("function"):
        text = text[: text.index("[[force]]")]
    assert text.count("waves:") == 1
    with pytest.raises(plash.SceneError, match="names a file of this machine"):
        opened(text)
