"""A USD export opens as the scene: frames, motion, colours, camera, solids. Skipped where usd-core is not installed."""

import numpy as np
import pytest

import plash
from plash.files.layout import RunFolder
from plash.files.ply import mesh_from_ply
from plash.render.camera import camera_view

pxr = pytest.importorskip("pxr")
from pxr import Usd, UsdGeom, UsdShade  # noqa: E402

from .vdb_reader import read_vdb  # noqa: E402

pytestmark = pytest.mark.slow

FRAMES = 3
SURFACE, PARTICLES = "/World/Liquid/surface", "/World/Liquid/particles"


def scene(**more):
    small = {"resolution": 16, "frames": FRAMES, "output.export": ["usd"], "look.camera": {"turn": 1.0}}
    return plash.load_scene("stirring", **{**small, **more})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usd") / "stir it"
    plash.run(scene(), folder, stages=["simulate", "mesh", "usd", "usd_scene"])
    return folder


@pytest.fixture(scope="module")
def stage(run):
    return Usd.Stage.Open(str(run / "usd/stir it.usda"))


def test_metres_axes_and_times_are_those_of_the_scene(stage):
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == scene().time.fps
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1, FRAMES)
    assert stage.GetDefaultPrim().GetPath() == "/World"


@pytest.mark.parametrize("frame", range(1, FRAMES + 1))
def test_each_frame_has_its_surface_and_velocities(run, stage, frame):
    wanted = mesh_from_ply(RunFolder(run).surface(frame).read_bytes(), "")
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath(SURFACE))
    age = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("age")
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(frame)).reshape(-1, 3)
    assert set(mesh.GetFaceVertexCountsAttr().Get(frame)) == {3}
    # Vertices have an order of their own here: the corners of triangles are compared
    for attribute, known in (
        (mesh.GetPointsAttr(), wanted.vertices),
        (mesh.GetVelocitiesAttr(), wanted.velocity),
        (mesh.GetNormalsAttr(), wanted.normals),
        (age, wanted.scalars["age"]),
    ):
        values = np.array(attribute.Get(frame))
        assert len(values) == len(known)
        assert np.array_equal(values[corners], known[wanted.faces])
    assert np.array_equal(mesh.GetExtentAttr().Get(frame), [wanted.vertices.min(axis=0), wanted.vertices.max(axis=0)])
    assert age.GetInterpolation() == "vertex"
    assert len(mesh.GetDisplayColorPrimvar().Get(frame)) == len(wanted.vertices)
    assert not UsdGeom.PrimvarsAPI(mesh).HasPrimvar("temperature")


def test_between_frames_the_surface_is_that_of_the_frame_before(stage):
    points = UsdGeom.Mesh(stage.GetPrimAtPath(SURFACE)).GetPointsAttr()
    assert np.array_equal(points.Get(1.9), points.Get(1))
    assert points.GetTimeSamples() == [1.0, 2.0, 3.0]


def test_particles_have_widths_and_velocities(run, stage):
    given = plash.open_run(run)[2].particles
    points = UsdGeom.Points(stage.GetPrimAtPath(PARTICLES))
    assert np.array_equal(points.GetPointsAttr().Get(2), given.position.astype(np.float32))
    assert np.array_equal(points.GetVelocitiesAttr().Get(2), given.velocity)
    widths = np.array(points.GetWidthsAttr().Get(2), np.float64)
    assert np.allclose(np.pi / 6 * widths**3, given.volume, rtol=1e-5)
    assert points.ComputeVisibility(2) == "invisible"
    assert UsdGeom.Mesh(stage.GetPrimAtPath(SURFACE)).ComputeVisibility(2) == "inherited"


def test_a_solid_is_where_its_motion_puts_it(stage):
    asked, moved = scene(), 0
    for solid in asked.solid:
        prim = UsdGeom.Xformable(stage.GetPrimAtPath(f"/World/Solids/{pxr.Tf.MakeValidIdentifier(solid.name)}"))
        for frame in range(1, FRAMES + 1):
            matrix = np.array(prim.ComputeLocalToWorldTransform(frame))
            pose = solid.motion.pose((frame - 1) / asked.time.fps) if solid.moves else (np.eye(3), np.zeros(3))
            assert np.allclose(matrix[:3, :3].T, pose[0])
            assert np.allclose(matrix[3, :3], pose[1])
            moved += not np.allclose(matrix, np.eye(4))
    assert moved >= FRAMES - 1


def test_the_camera_sees_what_the_scene_says(stage):
    asked = scene()
    camera = UsdGeom.Camera(stage.GetPrimAtPath("/World/Camera"))
    for frame in range(1, FRAMES + 1):
        time = (frame - 1) / asked.time.fps
        view = camera_view(asked.look.camera, np.array(asked.domain.cells) * asked.domain.h, (960, 540), time)
        seen = camera.GetCamera(frame).frustum
        assert np.allclose(seen.GetPosition(), view.position)
        assert np.allclose(seen.ComputeViewDirection(), view.axes[2])
        assert np.allclose(seen.ComputeUpVector(), view.axes[1])
        assert camera.GetCamera(frame).GetFieldOfView(pxr.Gf.Camera.FOVVertical) == pytest.approx(view.fov, rel=1e-5)


def test_materials_are_bound_and_lights_shine(stage):
    for path in (SURFACE, PARTICLES, "/World/Floor"):
        material, _ = UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(path)).ComputeBoundMaterial()
        shader, _, _ = material.ComputeSurfaceSource()
        assert shader.GetIdAttr().Get() == "UsdPreviewSurface"
    assert {prim.GetTypeName() for prim in stage.GetPrimAtPath("/World/Lights").GetChildren()} == {
        "DomeLight",
        "DistantLight",
    }


def test_usd_finds_no_fault_with_it(stage):
    validation = pytest.importorskip("pxr.UsdValidation")
    validators = validation.ValidationRegistry().GetOrLoadAllValidators()
    errors = validation.ValidationContext(validators).Validate(stage)
    assert [error.GetErrorAsString() for error in errors] == []


def test_frames_are_not_in_the_root(run):
    sizes = {path.name: path.stat().st_size for path in (run / "usd/frames").iterdir()}
    assert sorted(sizes) == [*(f"frame.{n:04d}.usdc" for n in range(1, FRAMES + 1)), "manifest.usda"]
    assert (run / "usd/stir it.usda").read_text().count("./frames/frame.0002.usdc") == 1


def test_the_same_run_gives_the_same_bytes(run, tmp_path):
    plash.run(scene(), tmp_path / "stir it", stages=["simulate", "mesh", "usd", "usd_scene"])
    for path in [*(run / "usd").glob("*.usda"), *(run / "usd/frames").iterdir()]:
        assert path.read_bytes() == (tmp_path / "stir it" / path.relative_to(run)).read_bytes()


def test_a_fluid_without_particles_points_at_its_vdb_files(tmp_path):
    box = plash.Scene(
        domain=plash.Domain(size=(0.6, 0.4, 0.5), cell_size=0.1),
        time=plash.Time(frames=2),
        solver=plash.Solver(kind="stable_fluids"),
        fill=[plash.Fill(shape=plash.Box(min=(0, 0, 0), max=(0.3, 0.3, 0.5)))],
        output=plash.Output(export=["vdb", "usd"]),
    )
    plash.run(box, tmp_path / "box", stages=["simulate", "mesh", "vdb", "usd", "usd_scene"])
    opened = Usd.Stage.Open(str(tmp_path / "box/usd/box.usda"))
    path = opened.GetPrimAtPath("/World/Fluid/density").GetAttribute("filePath").Get(2).resolvedPath
    assert path.endswith("box/vdb/grids.0002.vdb")


@pytest.mark.parametrize("up", ["y", "z"])
def test_smoke_points_at_every_grid_of_its_vdb_files(tmp_path, up):
    """Fields are those in the files, and the volume fills the domain of 0.6 m x 0.8 m x 0.5 m, upright either way."""
    fire = plash.SmokeSource(shape=plash.Sphere(center=(0.3, 0.2, 0.25), radius=0.1), density_rate=4, fuel=0.5)
    smoke = plash.Scene(
        domain=plash.Domain(size=(0.6, 0.8, 0.5), cell_size=0.1),
        time=plash.Time(frames=2),
        solver=plash.Solver(kind="smoke"),
        source=[fire],
        output=plash.Output(export=["vdb", "usd"], export_up=up),
    )
    plash.run(smoke, tmp_path / "fire", stages=["simulate", "mesh", "vdb", "usd", "usd_scene"])
    opened = Usd.Stage.Open(str(tmp_path / "fire/usd/fire.usda"))
    volume = pxr.UsdVol.Volume(opened.GetPrimAtPath("/World/Fluid"))
    assert set(volume.GetFieldPaths()) == set(read_vdb((tmp_path / "fire/vdb/grids.0002.vdb").read_bytes()))
    bound = UsdGeom.Imageable(volume).ComputeWorldBound(2, "default").ComputeAlignedRange()
    corners: list[list[float]] = [[0.0, 0.0, 0.0], [0.6, 0.8, 0.5]]
    assert np.allclose([list(bound.GetMin()), list(bound.GetMax())], corners, atol=1e-6)
