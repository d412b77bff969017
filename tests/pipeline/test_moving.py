"""Runs with solids that move: the same bits in parts, and solids in every file where they are at its time."""

import numpy as np
import pytest

import plash
from plash.errors import DamagedError
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.files.frames import read_frame
from plash.files.layout import RunFolder
from plash.files.ply import mesh_from_ply
from plash.levelset.shapes import distance
from plash.pipeline.fingerprint import appearance, physics
from plash.pipeline.stages.registry import read_run
from plash.solvers.build.liquid import build_liquid


def scene(frames=5, **overrides):
    text = """
    version = 1
    [domain]
    size = [1.0, 0.7]
    resolution = 24
    [time]
    fps = 20
    [[fill]]
    shape = { kind = "half_space", point = [0, 0.4], normal = [0, 1] }
    [[solid]]
    name = "blade"
    friction = 0.4
    shape = { kind = "box", min = [0.2, 0.25], max = [0.7, 0.33] }
    motion = { spin = 3.0, center = [0.45, 0.3] }
    look = { color = "#ff0000" }
    [[solid]]
    name = "ball"
    shape = { kind = "sphere", center = [0.85, 0.6], radius = 0.07 }
    motion = { keys = [{ time = 0 }, { time = 0.2, offset = [0, -0.35] }] }
    [look]
    width = 160
    edges = false
    """
    return plash.parse_scene(text, frames=frames, **overrides)


def checksums(folder):
    return [item.sha256 for item in read_run(RunFolder(folder)).stage("simulate").items.values()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"solver.steps_cross_frames": True, "solver.courant": 3.0},
        {"solver.solids": "voxel", "solver.transfer": "semi_lagrangian"},
    ],
    ids=["cut", "crossing", "voxel"],
)
def test_a_run_with_moving_solids_is_the_same_in_two_parts(tmp_path, settings):
    plash.run(scene(5, **settings), tmp_path / "whole", stages=["simulate"])
    plash.run(scene(2, **settings), tmp_path / "parts", stages=["simulate"])
    plash.resume(tmp_path / "parts", frames=5)
    assert checksums(tmp_path / "whole") == checksums(tmp_path / "parts")
    lines = [(tmp_path / name / "log.jsonl").read_text().splitlines() for name in ("whole", "parts")]
    volumes = [[line.split('"volume": ')[1].split(",")[0] for line in part] for part in lines]
    assert volumes[0] == volumes[1]


def test_surfaces_and_pictures_show_solids_where_they_are(tmp_path):
    made = scene(4)
    plash.run(made, tmp_path / "run", stages=["simulate", "mesh", "render"])
    from PIL import Image

    folder = RunFolder(tmp_path / "run")
    for frame in (1, 4):
        time = (frame - 1) / made.time.fps
        blade = made.solids_at(time)[0].shape
        picture = np.asarray(Image.open(folder.picture(frame)).convert("RGB")).astype(int)
        is_red = (picture[:, :, 0] > 150) & (picture[:, :, 1] < 90)
        # The picture is a little wider than the domain: its middle is the domain's
        rows, columns = np.nonzero(is_red)
        scale = 1.0 / (picture.shape[1] * 0.93)
        places = np.stack(
            [0.5 + (columns - picture.shape[1] / 2) * scale, 0.35 - (rows - picture.shape[0] / 2) * scale], axis=1
        )
        assert is_red.sum() > 100
        assert (distance(blade, places) < 0.03).mean() > 0.98
        surface = mesh_from_ply(folder.surface(frame).read_bytes(), "surface")
        vertices = np.asarray(surface.vertices)[:, :2]
        deepest = min(distance(solid.shape, vertices).min() for solid in made.solids_at(time))
        assert deepest > -1.2 * made.domain.h


def test_solids_that_stand_have_the_fingerprints_they_had():
    standing = scene(**{"solid[0].motion": {}})
    assert physics(standing)["solid"][0]["motion"] is not None
    without = plash.Scene(
        domain={"size": (1, 1), "resolution": 8},
        fill=[{"shape": {"kind": "box", "min": (0, 0), "max": (0.5, 0.5)}}],
        solid=[{"shape": {"kind": "sphere", "center": (0.7, 0.7), "radius": 0.1}}],
    )
    assert set(physics(without)["solid"][0]) == {"name", "shape", "friction"}
    assert "motion" not in appearance(without)["solid"][0]
    assert physics(scene()) != physics(scene(**{"solid[0].motion.spin": 3.1}))


def test_a_run_that_presses_liquid_together_ends_with_its_name_and_the_last_checkpoint(tmp_path):
    ram = plash.Solid(
        name="ram",
        shape=plash.Box(min=(-0.5, -0.5), max=(0.1, 1.5)),
        motion={"velocity": (0.2, 0), "start": 0.1},
    )
    sealed = plash.Scene(
        domain={"size": (1, 0.5), "resolution": 20},
        time={"fps": 20, "frames": 6},
        fill=[{"shape": {"kind": "box", "min": (0.1, 0), "max": (1, 0.5)}}],
        solid=[ram],
    )
    with pytest.raises(plash.SealedError, match=r"'ram' presses together .* last good checkpoint is .*0003"):
        plash.run(sealed, tmp_path / "run", stages=["simulate"])


def test_check_tells_how_fast_solids_are_and_which_are_never_seen():
    def found(**motion):
        ball = plash.Solid(name="ball", shape=plash.Sphere(center=(3, 0.5), radius=0.2), motion=plash.Motion(**motion))
        fill = [plash.Fill(shape=plash.Box(min=(0, 0), max=(0.5, 0.5)))]
        made = plash.Scene(domain={"size": (2, 1), "resolution": 40}, fill=fill, solid=[ball])
        return {finding.code: finding for finding in plash.check(made, with_steps=False).findings}

    speed = found(velocity=(-0.6, 0))["solid-speed"]
    assert speed.level == "note"
    assert "0.6 m/s at the most crosses 0.5 cells a frame" in speed.message
    assert found(oscillation={"amplitude": (1.5, 0), "frequency": 30})["tiny-steps"].level == "warning"
    assert found(velocity=(0.6, 0))["outside-domain"].level == "warning"


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_poses_survive_a_checkpoint_and_are_read_from_it(tmp_path, solids):
    made = scene(3, **{"solver.solids": solids})
    solver = build_liquid(made)
    solver.advance(0.03)
    solver.advance(0.05)
    poses = solver.state.poses
    assert set(poses) == {"blade", "ball"}
    assert poses == made.poses_at(solver.state.began)
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(path, solver, Place(1, 2))
    again = build_liquid(made)
    read_checkpoint(path, again, made, None, "")
    assert again.state.poses == poses

    # Another pose in the file is where the body is, whatever its motion says
    arrays = dict(np.load(path))
    arrays["pose.ball"][1, 3] -= 0.1
    np.savez(path, **arrays)
    read_checkpoint(path, again, made, None, "")
    assert again.state.poses["ball"].shift[1] == poses["ball"].shift[1] - 0.1
    if solids == "cut":
        moved = again.state.cells.cut_cells.face_fractions != solver.state.cells.cut_cells.face_fractions
        assert moved.any()
    arrays["pose.ball"][0, 0] = 0.5
    np.savez(path, **arrays)
    with pytest.raises(DamagedError, match="'ball' is turned by what is no rotation"):
        read_checkpoint(path, again, made, None, "")


def test_frames_hold_the_poses_of_solids_that_move(tmp_path):
    made = scene(3)
    plash.run(made, tmp_path / "run", stages=["simulate"])
    for frame in (1, 3):
        time = (frame - 1) / made.time.fps
        path = RunFolder(tmp_path / "run").frame(frame, "particles")
        with np.load(path) as arrays:
            pose = arrays["pose.blade"]
        corner = pose[:, :3] @ np.array([0.7, 0.33, 0.0]) + pose[:, 3]
        assert abs(distance(made.solids_at(time)[0].shape, corner[None, :2])[0]) < 1e-12
        assert read_frame(path, made, frame, None, "").as_particles().poses == made.poses_at(time)
