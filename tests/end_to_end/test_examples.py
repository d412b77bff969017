"""The example scripts do what they say; movies are cut short."""

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import plash

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def promised_by_ledger(said: str, folder: Path) -> None:
    """A line for each frame, with the volume where it was."""
    rows = np.array([[float(word.rstrip("%")) for word in line.split()] for line in said.splitlines()[1:]])
    number, steps, _, fastest, front, carried, measured = rows.T
    assert number.tolist() == list(range(1, 49))
    assert steps[0] == 0
    assert (steps[1:] >= 1).all()
    assert (fastest[0], fastest.max() > 1) == (0, True)
    assert (front[0] < 0.5, front[-1] > 1.9) == (True, True)
    assert np.abs(carried).max() < 1e-6
    assert np.abs(measured).max() < 5


def promised_by_movie(said: str, folder: Path) -> None:
    """A folder with frames, surfaces, pictures, the movie that is named, and the report."""
    run = folder / "run"
    assert f"2 frames and {run / 'run.mp4'}, in " in said
    assert (run / "run.mp4").read_bytes()[4:8] == b"ftyp"
    for name in ("particles/particles.0002.npz", "mesh/surface.0002.ply", "contact.png", "report.html"):
        assert (run / name).stat().st_size > 500, name
    with Image.open(run / "render/frame.0002.png") as picture:
        assert np.ptp(np.asarray(picture), axis=(0, 1)).max() > 50


def promised_by_open_bowl(said: str, folder: Path) -> None:
    """A wall holds the water, a lump does not."""
    inside: dict[str, list[int]] = {"thickness": [], "repair": []}
    for line in said.splitlines():
        name, frame, share = re.fullmatch(r" *(\w+) frame (\d+): +(\d+)% of the water is in the bowl", line).groups()
        inside[name].append(int(share))
        assert int(frame) == len(inside[name])
    assert [len(shares) for shares in inside.values()] == [9, 9]
    assert max(inside["thickness"]) > 90
    assert inside["thickness"][-1] > 40
    assert max(inside["repair"]) < 5


def promised_by_stable_fluids(said: str, folder: Path) -> None:
    """MacCormack keeps the vortex as viscosity says, the plain trace wears it away; density stays between 0 and 1."""
    rows = np.array([[float(word) for word in line.split() if word != "and"] for line in said.splitlines()[1:]])
    number, time, exact, maccormack, trace, low, high = rows.T
    assert number.tolist() == list(range(1, 13))
    assert time == pytest.approx(number / 4)
    assert maccormack == pytest.approx(exact, abs=0.002)
    assert (np.diff(exact - trace) > 0).all()
    assert exact[-1] - trace[-1] > 0.02
    assert low.min() >= 0
    assert high.max() <= 1


PROMISES = {
    "ledger": promised_by_ledger,
    "movie": promised_by_movie,
    "open_bowl": promised_by_open_bowl,
    "stable_fluids": promised_by_stable_fluids,
}


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example_gives_what_it_promises(script, tmp_path, monkeypatch, capsys):
    whole_run = plash.run

    def short_run(scene, out, **options):
        coarse = scene.domain.model_copy(update={"resolution": 24})
        short = scene.time.model_copy(update={"frames": 2})
        return whole_run(scene.model_copy(update={"domain": coarse, "time": short}), tmp_path / "run", **options)

    monkeypatch.setattr(plash, "run", short_run)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    PROMISES[script.stem](capsys.readouterr().out, tmp_path)


def test_examples_are_short():
    assert EXAMPLES
    for script in EXAMPLES:
        assert len(script.read_text().splitlines()) <= 60, script
