"""Whitewater as a stage of a run: made alone, resumed, mended, exported, told of, and off unless it is asked for."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.errors import SceneError
from plash.pipeline.stages.whitewater import WHITEWATER

FRAMES = 8
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A dam that breaks in 2-D, with whitewater, exports and pictures."""
    out = tmp_path_factory.mktemp("whitewater") / "run"
    scene = plash.load_scene("dam_break_2d", resolution=32, frames=FRAMES, fps=12).model_copy(
        update={"whitewater": {"amount": 20.0}, "output": {"export": ["ply", "vtk"]}, "look": {"width": 64}}
    )
    plash.run(scene, out)
    return out


def amount(value) -> dict[str, Any]:
    return {"whitewater.amount": value}


def files(folder, name="whitewater"):
    return {path.name: path.read_bytes() for path in sorted((folder / name).iterdir())}


def test_every_frame_has_motes_that_are_counted(run):
    opened = plash.open_run(run)
    last = opened[FRAMES].whitewater
    assert len(last) > 20
    assert last.tally.born == len(last) + last.tally.died
    assert len(opened[1].whitewater) == 0
    counts = last.counts
    assert counts["spray"] + counts["foam"] + counts["bubbles"] == len(last)


def test_the_report_tells_the_counts(run):
    last = plash.open_run(run)[FRAMES].whitewater
    page = (run / "report.html").read_text("utf-8")
    assert f"{last.tally.born:,} born = {len(last):,} in frame {FRAMES}" in page


def test_what_is_lost_is_made_again_from_the_frame_before(run):
    before = files(run)
    for name in ("whitewater.0004.npz", "whitewater.0005.npz"):
        (run / "whitewater" / name).unlink()
    plash.resume(run, stages=["whitewater"])
    assert files(run) == before
    # A frame that is damaged, while the one after it is to be made
    (run / "whitewater" / "whitewater.0006.npz").write_bytes(b"nothing")
    (run / "whitewater" / "whitewater.0007.npz").unlink()
    plash.resume(run, stages=["whitewater"])
    assert files(run) == before


def test_more_of_it_is_made_alone(run, tmp_path):
    simulated = files(run, "particles")
    before = plash.open_run(run)[FRAMES].whitewater.tally.born
    plash.resume(run, stages=["whitewater"], **amount(40.0))
    assert files(run, "particles") == simulated
    assert plash.open_run(run)[FRAMES].whitewater.tally.born == pytest.approx(2 * before, rel=0.35)
    plash.resume(run, **amount(20.0))
    assert plash.open_run(run)[FRAMES].whitewater.tally.born == before


def test_exports_have_the_motes(run):
    motes = plash.open_run(run)[FRAMES].whitewater
    data = (run / "ply" / f"whitewater.{FRAMES:04d}.ply").read_bytes()
    head, _, body = data.partition(b"end_header\n")
    assert f"element vertex {len(motes)}\n".encode() in head
    rows = np.frombuffer(body, [("numbers", "<f4", 8), ("kind", "u1")])
    assert np.array_equal(rows["kind"], motes.kind)
    assert np.array_equal(rows["numbers"][:, :2], motes.position.astype(np.float32))
    assert np.array_equal(rows["numbers"][:, 3:5], motes.velocity)
    vtp = (run / "vtk" / f"whitewater.{FRAMES:04d}.vtp").read_bytes()
    assert f'NumberOfPoints="{len(motes)}"'.encode() in vtp
    assert (run / "vtk" / "run.pvd").read_text().count("whitewater") == FRAMES


def test_usd_has_points_of_it(run):
    pxr = pytest.importorskip("pxr.Usd")
    plash.resume(run, stages=["mesh", "whitewater", "usd", "usd_scene"], exports=["usd"])
    stage = pxr.Stage.Open(str(run / "usd" / "run.usda"))
    motes = plash.open_run(run)[FRAMES].whitewater
    prim = stage.GetPrimAtPath("/World/Liquid/whitewater")
    points = np.array(prim.GetAttribute("points").Get(FRAMES))
    assert np.array_equal(points[:, :2], motes.position.astype(np.float32))
    assert np.array_equal(np.array(prim.GetAttribute("primvars:kind").Get(FRAMES)), motes.kind)


def test_pictures_show_it(run, tmp_path):
    scene = plash.open_run(run).scene.model_copy(update={"whitewater": {"amount": 0.0}, "output": {"export": []}})
    plash.run(scene, tmp_path / "bare", stages=["simulate", "mesh", "render"])
    with_it, without = (plash.open_run(out)[FRAMES].picture.astype(int) for out in (run, tmp_path / "bare"))
    assert np.abs(with_it - without).max() > 40
    assert not (tmp_path / "bare" / "whitewater").exists()
    assert WHITEWATER.name not in plash.open_run(tmp_path / "bare").manifest.wanted
    # Asked for later, it is the same
    plash.resume(tmp_path / "bare", **amount(20.0))
    assert np.array_equal(plash.open_run(tmp_path / "bare")[FRAMES].picture, with_it)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"solver": {"kind": "smoke"}}, "smoke have no particles"),
        ({"solver": {"surface": "levelset"}}, "a level set has no particles"),
    ],
)
def test_a_solver_without_particles_is_refused(settings, words):
    name = "plume" if "kind" in settings["solver"] else "dam_break_2d"
    with pytest.raises(SceneError, match=f"whitewater.amount: .*{words}.*amount = 0"):
        plash.load_scene(name).model_copy(update={**settings, "whitewater": {"amount": 1.0}})


def test_ranges_that_do_not_rise_are_refused():
    with pytest.raises(SceneError, match=r"trapped_air: .*does not rise"):
        plash.Whitewater(trapped_air=(0.5, 0.2))
    with pytest.raises(SceneError, match=r"energy: .*two numbers"):
        plash.Whitewater(energy=(0.5,))


def test_workers_make_the_same_files(run, tmp_path):
    """Whitewater of a frame waits for that of the frame before, whoever makes it."""
    pytest.importorskip("distributed")
    plash.run(plash.open_run(run).scene, tmp_path / "run", stages=["simulate", "whitewater"], workers=1, threads=1)
    assert files(tmp_path / "run") == files(run)
