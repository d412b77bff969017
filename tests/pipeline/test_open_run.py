"""A run as data: what is read is what was computed, and tables agree with each other."""

import numpy as np
import pytest

import plash
from plash.errors import SceneError, StorageError
from plash.pipeline.open_run import open_run

FRAMES = 4


def scene():
    return plash.load_scene("dam_break_2d", resolution=16, frames=FRAMES, **{"look.width": 32})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("open") / "run"
    plash.run(scene(), path, stages=["simulate", "mesh", "render"])
    return path


def test_frames_are_those_of_the_simulation(folder):
    run = plash.open_run(folder)
    assert len(run) == FRAMES
    for frame, computed in zip(run, plash.simulate(scene()), strict=True):
        assert frame.number == computed.number
        assert frame.time == pytest.approx(computed.time)
        assert np.array_equal(frame.particles.position, computed.particles.position)
        assert frame.ledger["volume"] == computed.ledger.volume
    assert run[-1].number == FRAMES
    assert [frame.number for frame in run[1:3]] == [2, 3]


def test_a_frame_that_is_not_there_is_an_index_error(folder):
    run = open_run(folder)
    for number in (0, FRAMES + 1, -FRAMES - 1):
        with pytest.raises(IndexError, match=f"frame {number} is not simulated; frames that are: 1 to {FRAMES}"):
            run[number]


def test_surfaces_and_pictures_are_read_or_refused(folder, tmp_path):
    run = open_run(folder)
    made = run[3].surface
    assert made.volume == pytest.approx(run[3].ledger["particle_volume"], rel=0.05)
    assert run[3].picture.shape == (16, 32, 3)
    plash.run(scene(), tmp_path / "bare", stages=["simulate"])
    bare = open_run(tmp_path / "bare")
    assert np.array_equal(bare[3].surface.vertices, made.vertices)
    with pytest.raises(StorageError, match=r"frame\.0003\.png: is not there: `render` has not made it"):
        _ = bare[3].picture


def test_tables_agree(folder):
    run = open_run(folder)
    assert run.ledger["frame"].tolist() == [1, 2, 3, 4]
    assert np.array_equal(run.report["volume"], run.ledger["volume"])
    assert np.array_equal(run.report["kinetic"], run.ledger["kinetic_energy"])
    steps = [int((run.log["frame"] == frame).sum()) for frame in run.ledger["frame"]]
    assert run.report["steps"].tolist() == steps
    assert run.log["dt"].sum() == pytest.approx(run.ledger["time"][-1])
    assert len({len(column) for column in run.log.values()}) == 1
    assert set(run.report) >= {"seconds.simulate", "seconds.mesh", "seconds.render"}


def test_the_velocity_of_liquid_that_moves_as_one_is_that_everywhere(dimension):
    """A mean of equal velocities is that velocity; cells without liquid near are not known."""
    domain = plash.Domain(size=(0.9, 0.6, 0.75)[:dimension], cell_size=0.15)
    moving = (0.5, -1.0, 0.25)[:dimension]
    liquid = plash.Scene(
        domain=domain,
        fill=[plash.Fill(shape=plash.Box(min=(0,) * dimension, max=(0.45, 0.3, 0.75)[:dimension]), velocity=moving)],
    )
    (first,) = plash.simulate(liquid.model_copy(update={"frames": 1}))
    found = first.particles.cell_velocity(domain)
    assert found.shape == (dimension, *domain.cells[::-1])
    known = np.isfinite(found[0])
    assert known[..., :2, :3].all()
    assert not known[..., 3:, :].any()
    for axis, speed in enumerate(moving):
        assert np.abs(found[axis][known] - speed).max() < 1e-6


@pytest.mark.parametrize("surface", ["particles", "levelset"])
def test_the_pressure_of_a_pool_at_rest_is_the_weight_above(dimension, surface, tmp_path):
    """p = ρ g (level - y) in the cells of the pool, NaN above it; as simulated, and as read back."""
    h, level, rho = 0.05, 0.3, 730.0
    size = (0.4, 0.6, 0.3)[:dimension]
    pool = plash.Scene(
        domain=plash.Domain(size=size, cell_size=h),
        time=plash.Time(frames=2, fps=100),
        liquid=plash.Liquid(density=rho),
        solver=plash.Solver(surface=surface),
        fill=[plash.Fill(shape=plash.Box(min=(0,) * dimension, max=(size[0], level, *size[2:])))],
    )
    plash.run(pool, tmp_path / "pool", stages=["simulate"])
    run = open_run(tmp_path / "pool")
    assert np.isnan(run[1].pressure).all()  # before the first step there is none
    found = run[2].pressure
    assert found.shape == run[2].velocity.shape[1:] == pool.domain.cells[::-1]
    layers = np.moveaxis(found, -2, 0).reshape(pool.domain.cells[1], -1)
    heights = (np.arange(len(layers)) + 0.5) * h
    for height, layer in zip(heights, layers, strict=True):
        if height < level:
            assert np.abs(layer - rho * 9.81 * (level - height)).max() < 0.05 * rho * 9.81 * h
        elif height > level + h:
            assert np.isnan(layer).all()
    *_, last = plash.simulate(pool)
    assert np.array_equal(last.snapshot.cell_pressure(pool.domain), found, equal_nan=True)


def test_a_frame_made_again_from_its_checkpoint_has_the_pressure_that_it_had(tmp_path):
    """No step is taken then: the pressure is in the checkpoint, too."""
    for name in ("dam_break_2d", "plume"):
        folder = tmp_path / name
        plash.run(plash.load_scene(name, resolution=16, frames=2), folder, stages=["simulate"])
        assert np.isfinite(open_run(folder)[2].pressure).any()
        (file,) = (path for path in folder.glob("*/*.0002.npz") if "checkpoint" not in path.name)
        before = file.read_bytes()
        file.unlink()
        plash.resume(folder, stages=["simulate"])
        assert file.read_bytes() == before


def test_stable_fluids_have_grids(tmp_path):
    asked = plash.Scene(
        domain=plash.Domain(size=(0.6, 0.4), cell_size=0.1),
        time=plash.Time(frames=2),
        solver=plash.Solver(kind="stable_fluids"),
        fill=[plash.Fill(shape=plash.Box(min=(0, 0), max=(0.3, 0.3)))],
    )
    plash.run(asked, tmp_path / "box", stages=["simulate"])
    frame = open_run(tmp_path / "box")[2]
    assert np.array_equal(frame.velocity, frame.grids.velocity)
    assert np.array_equal(frame.pressure, frame.grids.pressure)
    assert frame.pressure.mean() == pytest.approx(0, abs=1e-3)
    assert frame.pressure[0].mean() > frame.pressure[-1].mean()  # more at the bottom
    with pytest.raises(AttributeError, match="no particles"):
        _ = frame.particles


def test_smoke_that_was_read_moves_as_it_did(tmp_path):
    """Velocity and pressure at the centres of cells near smoke are those of the simulation."""
    asked = plash.load_scene("plume", resolution=16, frames=3)
    plash.run(asked, tmp_path / "plume", stages=["simulate"])
    frame = open_run(tmp_path / "plume")[3]
    *_, computed = plash.simulate(asked)
    for name in ("cell_velocity", "cell_pressure"):
        wanted = getattr(computed.snapshot, name)(asked.domain)
        assert np.array_equal(getattr(frame.snapshot, name)(asked.domain), wanted, equal_nan=True)
    moving = frame.velocity
    k, j, i = np.argwhere(np.isfinite(moving[0]))[0]
    centre = (np.array([[i, j, k]]) + 0.5) * asked.domain.h
    assert computed.velocity(centre)[0] == pytest.approx(moving[:, k, j, i], abs=1e-6)
    assert frame.snapshot.energy(1.2, (0, -9.81, 0)) == computed.snapshot.energy(1.2, (0, -9.81, 0))
    assert np.nanmax(moving[1]) > 0.05  # it rises


def test_a_scene_with_functions_has_to_be_given(tmp_path):
    asked = scene().model_copy(
        update={"frames": 2, "force": [plash.FunctionForce(function=lambda points, time: 0 * points)]}
    )
    plash.run(asked, tmp_path / "run", stages=["simulate"])
    with pytest.raises(SceneError, match=r"has Python functions.*plash\.open_run\(folder, scene\)"):
        open_run(tmp_path / "run")
    assert len(open_run(tmp_path / "run", asked)) == 2


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(StorageError, match="is no run folder"):
        open_run(tmp_path)
