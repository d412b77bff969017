"""Smoke of several colours: what it carries, keeps and mixes."""

import numpy as np
import pytest
from tests.solvers.smokes import puff, smoke_scene

import plash
from plash.grid.sparse_grid import volume_grids
from plash.grid.volume import COLORS
from plash.scene.colors import light_of
from plash.solvers.build.smoke import build_smoke
from plash.solvers.smoke import COLORED


def two_puffs(dimension=2, **parts):
    """A red and a blue puff, blown at each other."""
    size, centres = (1.6, 1.2, 0.8)[:dimension], [(0.5, 0.5, 0.4)[:dimension], (1.0, 0.5, 0.4)[:dimension]]
    return smoke_scene(
        size,
        0.05,
        fill=[
            puff(centres[0], 0.18, color="red", velocity=(1.0, 0.3, 0)[:dimension]),
            puff(centres[1], 0.18, color="#2244ee", density=2.0, velocity=(-1.0, 0, 0.2)[:dimension]),
        ],
        **parts,
    )


def colored_mass(solver):
    """Sums of density and of coloured smoke over all cells."""
    fields = dict(zip(solver.names, solver.state.scalars, strict=True))
    return np.array([fields[name].sum(dtype=np.float64) for name in ("density", *COLORED)])


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("courant", [0.7, 3])
def test_colours_are_kept_as_mass_is(dimension, courant):
    solver = build_smoke(two_puffs(dimension, solver={"courant": courant, "threshold": 1e-9}))
    before = colored_mass(solver)
    while solver.state.time < 0.4:
        solver.advance(0.4)
    np.testing.assert_allclose(colored_mass(solver), before, rtol=1e-5)


def test_no_colour_is_made_that_was_not_there():
    """Where puffs meet, smoke is of a colour between theirs; elsewhere it is of one of them."""
    solver = build_smoke(two_puffs())
    for time in (0.1, 0.5):
        while solver.state.time < time:
            solver.advance(time)
        volume = solver.snapshot().as_volume()
        dense = volume.density > 0.05
        ends = np.array([light_of("red"), light_of("#2244ee")])
        for part, name in enumerate(COLORS):
            seen = volume.pools[name][dense]
            low, high = ends[:, part].min(), ends[:, part].max()
            assert seen.min() >= np.float32(low)
            assert seen.max() <= np.float32(high)
    between = (volume.pools["red"] > ends[1, 0] + 0.2 * (ends[0, 0] - ends[1, 0])) & (
        volume.pools["red"] < ends[0, 0] - 0.2 * (ends[0, 0] - ends[1, 0])
    )
    assert (between & dense).any()


def test_a_uniform_colour_stays_uniform():
    """One colour of two that never meet is what one colour alone is, to round-off."""
    far = smoke_scene(
        (1.6, 1.2), 0.05, fill=[puff((0.4, 0.5), 0.15, color="red"), puff((1.45, 1.05), 0.05, color="teal")],
        solver={"up": (0, 1), "fall": 4.0, "decay": 0.5, "dissipation": 0.1, "diffusion": 1e-4},
    )  # fmt: skip
    solver = build_smoke(far)
    while solver.state.time < 0.3:
        solver.advance(0.3)
    volume = solver.snapshot().as_volume()
    x = np.arange(volume.tiles.shape[2])
    left = volume.tiles.origins[:, 0, None, None, None] + x < 20
    near = left & (volume.density > 1e-3)
    for part, name in enumerate(COLORS):
        np.testing.assert_allclose(volume.pools[name][near], light_of("red")[part], rtol=2e-3)


def test_one_colour_is_carried_by_nobody_and_gives_the_same_bits():
    def run(**keys):
        solver = build_smoke(smoke_scene((1.6, 1.2), 0.05, fill=[puff((0.5, 0.5), 0.18, velocity=(1, 0), **keys)]))
        while solver.state.time < 0.2:
            solver.advance(0.2)
        return solver

    plain, red = run(), run(color="red")
    assert red.names == plain.names == ("density",)
    np.testing.assert_array_equal(red.state.scalars, plain.state.scalars)


def test_the_density_does_not_know_of_colours():
    def density(second):
        scene = two_puffs()
        scene = scene.model_copy(update={"fill": [scene.fill[0], scene.fill[1].with_values(color=second)]})
        solver = build_smoke(scene)
        while solver.state.time < 0.2:
            solver.advance(0.2)
        return solver.state.scalars[0]

    np.testing.assert_array_equal(density("#2244ee"), density("red"))


def test_soot_has_the_colour_of_the_scene():
    scene = plash.Scene(
        domain={"size": (1.0, 1.2), "resolution": 24},
        liquid={"color": "black"},
        solver={"kind": "smoke", "soot": 2.0},
        source=[
            plash.SmokeSource(shape=plash.Sphere(center=(0.3, 0.3), radius=0.12), fuel=1.0, temperature=900.0),
            plash.SmokeSource(shape=plash.Sphere(center=(0.8, 0.3), radius=0.1), density_rate=3.0, color="teal"),
        ],
    )
    assert scene.smoke_colors == ["black", "teal"]
    solver = build_smoke(scene)
    while solver.state.time < 0.2:
        solver.advance(0.2)
    volume = solver.snapshot().as_volume()
    x = np.arange(volume.tiles.shape[2])
    i = volume.tiles.origins[:, 0, None, None, None] + x
    soot, teal = (volume.density > 0.05) & (i < 11), (volume.density > 0.05) & (i > 15)
    assert soot.any()
    assert volume.pools["green"][soot].max() < 0.03
    np.testing.assert_allclose(volume.pools["green"][teal], light_of("teal")[1], rtol=1e-2)


def test_exports_have_one_grid_of_colours():
    grids = {grid.name: grid for grid in volume_grids(build_smoke(two_puffs(3)).snapshot().as_volume())}
    assert set(grids) == {"density", "color"}
    assert grids["color"].is_vector
    assert grids["color"].pool.max() <= 1.0


def test_frames_are_read_as_they_were_written(tmp_path):
    scene = two_puffs().model_copy(update={"time": {"frames": 3}, "look": {"width": 64}})
    plash.run(scene, tmp_path / "run")
    *_, last = plash.simulate(scene)
    read = plash.open_run(tmp_path / "run")[3].snapshot.as_volume()
    for name in ("density", *COLORS):
        np.testing.assert_array_equal(read.pools[name], last.volume.pools[name])


def test_a_look_for_all_smoke_and_colours_of_their_own_are_one_too_many():
    with pytest.raises(plash.SceneError, match=r"look\.smoke_color: .* write liquid\.color"):
        two_puffs(look={"smoke_color": "white"})
    assert two_puffs(liquid={"color": "white"}).smoke_colors == ["red", "#2244ee"]
    assert smoke_scene(fill=[puff((0.5, 0.5), 0.2, color="red")]).smoke_color == "red"
