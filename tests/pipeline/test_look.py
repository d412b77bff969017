"""A look at a scene before it is simulated: `plash look`."""

import numpy as np
import pytest

import plash
from plash.cli.main import _exit_code
from plash.mesh.fills import fills_mesh
from plash.render.outlines import outlines
from plash.scene.colors import light_of

TANK = """version = 1
[domain]
size = [0.8, 0.52]
resolution = 20
[time]
frames = 13
fps = 12
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.8, 0.1] }
[[source]]
name = "tap"
kind = "spout"
shape = { kind = "disc", center = [0.4, 0.45], normal = [0, -1], radius = 0.02 }
speed = 1.0
motion = { velocity = [0.2, 0] }
[[sink]]
name = "drain"
shape = { kind = "box", min = [0, 0], max = [0.1, 0.05] }
[[solid]]
shape = { kind = "sphere", center = [0.2, 0.3], radius = 0.05 }
motion = { velocity = [0.3, 0] }
[look]
width = 160
"""


@pytest.fixture
def tank():
    return plash.parse_scene(TANK)


def colour_at(image, x, y):
    """The mean colour of some pixels round a place of the tank (m)."""
    width, height = image.size
    scale = width / (0.8 + 2 * 0.02 * 0.8)
    column, row = width / 2 + (x - 0.4) * scale, height / 2 - (y - 0.26) * scale
    return np.asarray(image, float)[round(row) - 1 : round(row) + 2, round(column) - 1 : round(column) + 2].mean((0, 1))


def test_a_look_shows_liquid_solids_and_the_empty_tank(tank):
    image = plash.look(tank)
    assert image.size == (160, 104)
    water, ball, air = (colour_at(image, *place) for place in [(0.5, 0.04), (0.2, 0.3), (0.6, 0.35)])
    assert water[2] > water[0] + 60
    assert ball[0] > ball[2] + 20
    assert air.min() > 220


def test_solids_and_spouts_are_where_they_are_at_the_frame(tank):
    later = plash.look(tank, frame=13)
    assert colour_at(later, 0.2, 0.3).min() > 220
    assert colour_at(later, 0.5, 0.3)[0] > colour_at(later, 0.5, 0.3)[2] + 20
    (before, _), (after, drain) = list(outlines(tank, 0.0)), list(outlines(tank, 1.0))
    np.testing.assert_allclose(after.lines - before.lines, np.broadcast_to([0.2, 0, 0], before.lines.shape), atol=1e-12)
    assert (after.name, drain.name) == ("tap", "drain")


def test_an_arrow_points_where_the_liquid_goes(tank):
    tap = next(iter(outlines(tank, 0.0)))
    start, tip = tap.lines[1]
    np.testing.assert_allclose((tip - start) / np.linalg.norm(tip - start), [0, -1, 0])


def test_a_large_scene_is_seen_on_a_coarser_grid_and_looks_the_same(tank):
    fine = plash.parse_scene(TANK, cell_size="2.5 mm")
    assert max(fine.domain.cells) == 320
    np.testing.assert_allclose(
        np.asarray(plash.look(fine), float).mean((0, 1)), np.asarray(plash.look(tank), float).mean((0, 1)), atol=2
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["faucet_filling_glass", "plume", "kuo_pour", "glass_pour_levelset"])
def test_every_kind_of_scene_can_be_looked_at(name):
    image = plash.look(plash.load_scene(name, resolution=16, **{"look.width": 160}))
    assert np.asarray(image).std() > 5


def test_a_frame_that_is_none_is_refused(tank):
    with pytest.raises(plash.SceneError, match="frame: 14 is no frame of the scene: it has 1 to 13"):
        plash.look(tank, frame=14)


def test_the_program_writes_a_file(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tank.toml").write_text(TANK)
    assert _exit_code(["look", "tank.toml"]) == 0
    assert "tank_look.png shows tank.toml at frame 1" in capfd.readouterr().out
    assert (tmp_path / "tank_look.png").read_bytes()[:4] == b"\x89PNG"
    assert _exit_code(["look", "tank.toml", "--frame", "3", "--out", "other.png"]) == 0
    assert (tmp_path / "other.png").exists()
    assert _exit_code(["look", "tank.toml", "--out", "other.jpg"]) == 2
    assert "end its name with .png" in capfd.readouterr().err


def test_the_surface_of_fills_is_what_they_fill_outside_solids_and_in_the_domain():
    scene = plash.Scene(
        domain={"size": (0.9, 0.6, 0.5), "resolution": 18},
        fill=[
            plash.Fill(shape=plash.Box(min=(-1, -1, -1), max=(0.45, 0.2, 1)), velocity=(1.5, 0, 0), color="red"),
            plash.Fill(shape=plash.Sphere(center=(0.7, 0.4, 0.25), radius=0.1), temperature="40 degC", color="blue"),
            plash.Fill(shape=plash.Sphere(center=(0.7, 0.1, 0.25), radius=0.08), time=0.5),
        ],
        solid=[plash.Solid(shape=plash.Box(min=(0.3, -1, -1), max=(1, 0.1, 1)))],
    )
    mesh = fills_mesh(scene.fill, scene.solids_at(0.0), scene.domain, scene.liquid, 72)
    whole = 0.45 * 0.2 * 0.5 - 0.15 * 0.1 * 0.5 + 4 / 3 * np.pi * 0.1**3
    assert mesh.volume == pytest.approx(whole, rel=0.015)  # edges are bevelled
    assert mesh.open_edges() == 0
    assert mesh.vertices.min() >= 0
    is_ball = mesh.vertices[:, 1] > 0.25
    np.testing.assert_allclose(mesh.velocity[:, 0], np.where(is_ball, 0, 1.5))
    np.testing.assert_allclose(mesh.scalars["temperature"], np.where(is_ball, 313.15, 293.15), rtol=1e-6)
    np.testing.assert_allclose(mesh.scalars["color"][is_ball], np.tile(light_of("blue"), (is_ball.sum(), 1)), rtol=1e-6)
