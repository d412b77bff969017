"""Wedges: every combination runs once, whatever stops it; table, sheet, movie and page tell what came out."""

import csv
import io
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import plash
from plash.cli.main import _exit_code
from plash.cli.options import varied
from plash.errors import MismatchError, MissingPartError, SceneError, StoppedError, StorageError
from plash.pipeline.designs import designs
from plash.pipeline.inspect import inspect_run
from plash.pipeline.wedge_parquet import load_arrow, parquet_bytes
from plash.pipeline.wedge_table import COLUMNS, WedgeRow

from .conftest import StopAfter, checksums
from .test_stages import Counter

VARY: dict[str, Any] = {"domain.gravity": [[0, -9.81], [0, -1.6]], "solver.seed": plash.Between(1, 2)}


def scene(**settings):
    return plash.load_scene("dam_break_2d", resolution=16, **{"frames": 3, "look.width": 32, **settings})


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    return plash.wedge(scene(), tmp_path_factory.mktemp("wedge") / "w", VARY, parquet=find_spec("pyarrow") is not None)


def test_every_combination_is_a_run_that_verifies(straight):
    assert [path.name for path in straight.runs] == ["run.0001", "run.0002", "run.0003", "run.0004"]
    for row, place in zip(straight.rows, straight.runs, strict=True):
        run = plash.open_run(place)
        assert [*run.scene.domain.gravity] == row.design["domain.gravity"]
        assert run.scene.solver.seed == row.design["solver.seed"]
        assert inspect_run(place, with_checksums=True).damaged == ()


def test_the_table_says_what_was_varied_and_what_came_out(straight):
    found = list(csv.DictReader(io.StringIO(straight.table.read_text())))
    assert [(row["domain.gravity"], row["solver.seed"]) for row in found] == [
        ("[0, -9.81]", "1"),
        ("[0, -9.81]", "2"),
        ("[0, -1.6]", "1"),
        ("[0, -1.6]", "2"),
    ]
    for row, place in zip(found, straight.runs, strict=True):
        report = plash.open_run(place).report
        assert float(row["kinetic"]) == report["kinetic"][-1]
        assert float(row["volume_error"]) == report["volume_error"][-1]
        assert (row["status"], row["frames"], int(row["steps"])) == ("done", "3", report["steps"].sum())
    # What falls in weak gravity gains less energy
    assert float(found[2]["kinetic"]) < 0.1 * float(found[0]["kinetic"])


def test_the_parquet_file_has_the_rows_of_the_table_with_their_types(straight):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(straight.parquet)
    assert [str(table.schema.field(name).type) for name in ("run", "solver.seed", "steps", "volume")] == [
        "string",
        "int64",
        "int64",
        "double",
    ]
    for row, known in zip(table.to_pylist(), straight.rows, strict=True):
        assert row == {"run": known.run, **known.design, "status": known.status, **known.outcome}


def test_a_column_of_several_types_is_of_texts_and_what_is_not_known_is_null():
    pytest.importorskip("pyarrow")
    from pyarrow import BufferReader, parquet

    nothing = dict.fromkeys(COLUMNS)
    rows = [WedgeRow(f"run.{n}", {"a": value}, "done", nothing) for n, value in enumerate([1, [2, 3], "x"])]
    table = parquet.read_table(BufferReader(parquet_bytes(load_arrow(), rows)))
    assert table["a"].to_pylist() == ["1", "[2, 3]", "x"]
    assert table["volume"].to_pylist() == [None] * 3


def test_without_pyarrow_a_parquet_file_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPartError, match=r'pip install "plash\[parquet\]"'):
        plash.wedge(scene(), tmp_path / "w", VARY, parquet=True)
    assert not (tmp_path / "w").exists()


def test_sheet_movie_and_page_show_every_run(straight):
    import av
    from PIL import Image

    with Image.open(straight.sheet) as sheet:
        assert sheet.width > 4 * 32
    with av.open(str(straight.movie)) as movie:
        assert sum(1 for _ in movie.decode(video=0)) == 3
    text = straight.page.read_text()
    assert all(f'href="run.000{n}/report.html"' in text for n in range(1, 5))


@pytest.mark.slow
def test_a_wedge_that_was_stopped_goes_on_with_the_same_bits(straight, tmp_path):
    with pytest.raises(StoppedError, match="go on with the same command"):
        plash.wedge(scene(), tmp_path / "w", VARY, progress=StopAfter(3))
    found = plash.wedge(scene(), tmp_path / "w", VARY)
    for ours, theirs in zip(found.runs, straight.runs, strict=True):
        assert checksums(ours) == checksums(theirs)
        assert inspect_run(ours, with_checksums=True).damaged == ()
    counter = Counter()
    plash.wedge(scene(), tmp_path / "w", VARY, progress=counter)
    assert counter.made_by == {}


@pytest.mark.slow
def test_a_wedge_that_was_killed_goes_on_with_the_same_bits(straight, tmp_path):
    program = (
        "import sys, plash; from tests.pipeline.test_wedge import VARY, scene; plash.wedge(scene(), sys.argv[1], VARY)"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "w")])
    while not (tmp_path / "w/run.0003/manifest.json").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    found = plash.wedge(scene(), tmp_path / "w", VARY)
    for ours, theirs in zip(found.runs, straight.runs, strict=True):
        assert checksums(ours) == checksums(theirs)
        assert inspect_run(ours, with_checksums=True).damaged == ()
    assert [row.status for row in found.rows] == ["done"] * 4
    assert found.sheet.read_bytes() == straight.sheet.read_bytes()


def test_a_run_that_fails_is_noted_and_the_next_one_begins(tmp_path):
    limits = {"solver.max_volume_error": [1e-6, 0.5]}
    found = plash.wedge(scene(), tmp_path / "w", limits, stages=["simulate"])
    assert "solver.max_volume_error = 1e-06" in found.rows[0].status
    assert found.rows[1].status == "done"
    assert found.sheet is None


def test_faults_are_found_before_anything_is_computed(tmp_path):
    with pytest.raises(SceneError, match=r"solver\.courant"):
        plash.wedge(scene(), tmp_path / "w", {"solver.courant": [1, -1]})
    assert not (tmp_path / "w").exists()


def test_other_wedges_and_other_files_are_left_alone(straight, tmp_path):
    with pytest.raises(MismatchError, match="holds another wedge"):
        plash.wedge(scene(), straight.folder, {"solver.seed": [1, 2]})
    (tmp_path / ".wedge.json.77.tmp").write_text("{")
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StorageError, match=r"is not empty \(letter\.txt\)"):
        plash.wedge(scene(), tmp_path, VARY)


def test_random_designs_are_in_their_ranges_and_repeat():
    vary: dict[str, Any] = {"a": plash.Between(0.5, 2.0), "b": plash.Between(1, 3), "c": ["x", "y"]}
    chosen = designs(vary, 200, seed=5)
    assert chosen == designs(vary, 200, seed=5)
    assert chosen != designs(vary, 200, seed=6)
    a = np.array([design["a"] for design in chosen])
    assert 0.5 <= a.min() < 0.6
    assert 1.9 < a.max() <= 2.0
    assert {design["b"] for design in chosen} == {1, 2, 3}
    assert {design["c"] for design in chosen} == {"x", "y"}


@pytest.mark.parametrize(
    ("vary", "fault"),
    [
        ({}, "nothing is varied"),
        ({"a": []}, "a has no values"),
        ({"a": plash.Between(0.0, 1.0)}, "a: 0.0..1.0 has no end of values"),
        ({"a": plash.Between(1, 20000)}, "20000 combinations are more than 10000"),
    ],
)
def test_what_cannot_be_varied_is_refused(vary, fault):
    with pytest.raises(ValueError, match=fault):
        designs(vary, None, 0)


def test_values_on_the_command_line():
    assert varied(("a=1,10.5,1e3",)) == {"a": [1, 10.5, 1000.0]}
    assert varied(("a=0.1..2",)) == {"a": plash.Between(0.1, 2)}
    assert varied(('a=["x","y"],["z"]',)) == {"a": [["x", "y"], ["z"]]}
    assert varied(("a=2 cm,30 mm",)) == {"a": ["2 cm", "30 mm"]}


def test_the_command(tmp_path, capsys):
    base = ["wedge", "dam_break_2d", "--resolution", "16", "--frames", "2", "--set", "look.width=32", "--quiet"]
    assert _exit_code([*base, "--vary", "solver.seed=1..2", "--out", str(tmp_path / "w")]) == 0
    assert len((tmp_path / "w/wedge.csv").read_text().splitlines()) == 3
    assert not (tmp_path / "w/wedge.parquet").exists()
    assert _exit_code([*base, "--vary", "solver.seed=2..1", "--out", str(tmp_path / "v")]) == 2
    assert "is no range" in capsys.readouterr().err
    assert _exit_code([*base, "--vary", "courant=1.0..2.5", "--out", str(tmp_path / "v")]) == 2
    assert "ask for samples" in capsys.readouterr().err
