"""A run that is killed after any single change of its folder goes on to the same bits.

A kill leaves the folder as it is at that moment. So the folder is copied before every rename, removal and line of the
log that a run makes, half-written files and all: each copy is what one kill leaves behind.
"""

import os
import shutil
from pathlib import Path

import pytest

import plash
from plash.files.layout import RunFolder
from plash.files.log import Log, read_log
from plash.pipeline.inspect import inspect_run

from .conftest import checksums

PARTS = ("checkpoints", "particles", "grids", "volumes", "mesh", "render")
LIQUID = plash.load_scene("dam_break_2d", resolution=16, frames=3, **{"look.width": 32, "output.checkpoint_every": 1})
SMOKE = plash.load_scene("plume", resolution=10, frames=3, **{"look.width": 32, "output.checkpoint_every": 1})
FLUID = plash.load_scene("kuo_pour", resolution=8, frames=3, **{"look.width": 32})


def made_by(folder):
    """Checksums of all that does not hold a time of day or how long something took."""
    parts = {part: checksums(folder, part) for part in PARTS if (folder / part).is_dir()}
    return parts | {path.name: path.read_bytes() for path in folder.glob("*.[mp][pn][4g]")}


@pytest.fixture
def images(tmp_path, monkeypatch):
    """images(work): the folder "run" as it was before each change that some work makes in it."""
    run = tmp_path / "run"
    taken: list[Path] = []

    def take(path):
        if run in Path(path).parents:
            taken.append(tmp_path / f"image{len(taken)}" / "run")
            shutil.copytree(run, taken[-1])

    def watched(change):
        def changed(path, *arguments, **options):
            take(path)
            return change(path, *arguments, **options)

        return changed

    def images(work):
        append = Log.append
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", watched(os.replace))
            patch.setattr(os, "unlink", watched(os.unlink))
            patch.setattr(os, "rmdir", watched(os.rmdir))
            patch.setattr(Log, "append", lambda log, *entry: (take(log.path), append(log, *entry)))
            work(run)
        assert len({image.parent for image in taken}) == len(taken) > 5
        return taken

    return images


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scene", "stages"),
    [(LIQUID, None), (FLUID, ["simulate", "mesh"]), (SMOKE, ["simulate"])],
    ids=["liquid", "fluid", "smoke"],
)
def test_killed_at_any_moment_a_run_goes_on_to_the_same_bits(images, tmp_path, scene, stages):
    stages = stages or ["simulate", "mesh", "render", "video", "report"]
    for image in images(lambda run: plash.run(scene, run, stages=stages)):
        if (image / "manifest.json").exists():
            plash.resume(image)
        else:
            plash.run(scene, image, stages=stages)
        assert made_by(image) == made_by(tmp_path / "run"), image
        assert [entry["step"] for entry in read_log(image / "log.jsonl")] == list(
            range(1, 1 + len((tmp_path / "run" / "log.jsonl").read_bytes().splitlines()))
        )
        assert inspect_run(image, with_checksums=True).damaged == ()
        assert not list(image.rglob("*.tmp"))
        assert ("report" in stages) == (image / "report.html").exists()


def test_killed_while_it_throws_another_run_away_it_can_begin_again(images, tmp_path):
    other = plash.load_scene("dam_break_2d", resolution=16, frames=2, seed=5)
    plash.run(LIQUID, tmp_path / "run", stages=["simulate", "mesh"])
    for image in images(lambda run: plash.run(other, run, stages=["simulate"], force=True)):
        plash.run(other, image, stages=["simulate"], force=True)
        assert made_by(image) == made_by(tmp_path / "run"), image
        assert not RunFolder(image).surface(1).exists()


def test_a_run_that_was_asked_for_nothing_is_finished_whole(tmp_path):
    """As an earlier plash left it when it was killed between its first two manifests."""
    plash.run(LIQUID, tmp_path / "run", stages=["simulate"])
    manifest = tmp_path / "run" / "manifest.json"
    text = manifest.read_text().replace('"wanted": [\n  "simulate"\n ]', '"wanted": []')
    assert '"wanted": []' in text
    manifest.write_text(text)
    assert plash.resume(tmp_path / "run").movie is not None
