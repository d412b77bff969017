"""The parts of the benchmarks that measure nothing: the results file and the comparison. Nothing here is timed."""

import ast
import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.compare import BASELINE, RENEWAL, Change, compare, main, remarks  # noqa: E402
from benchmarks.results import (  # noqa: E402
    Figure,
    Result,
    Results,
    ResultsError,
    figure_table,
    number,
    read_results,
    write_results,
)


def run_of(*figures: Figure, bandwidth: float = 50.0, quick: bool = False) -> Results:
    results = Results(quick=quick, machine={"cpu": "some"})
    results.add_triad({"memory_1": bandwidth / 2, "memory_2": bandwidth})
    results.benchmarks["steps"] = Result(status="complete", figures=list(figures))
    return results


def change_of(old: Figure, new: Figure, then: float = 50.0, now: float = 50.0, threshold: float = 1.1) -> Change:
    (change,) = compare(run_of(old, bandwidth=then), run_of(new, bandwidth=now), threshold)
    return change


def figure(value: float, kind: str = "time", **others: object) -> Figure:
    return Figure("flip 64", "min", value, "us", kind, 2, **others)  # type: ignore[arg-type]


# ---- the file


def test_written_results_read_back_equal(tmp_path: Path) -> None:
    results = run_of(figure(0.7), Figure("flip 64", "tiles", 512))
    results.machine["environment"] = {"OMP_PROC_BIND": "true"}
    results.benchmarks["start"] = Result(status="failed", message="no kernel", seconds=1.5)
    write_results(results, tmp_path / "new" / "run.json")
    assert read_results(tmp_path / "new" / "run.json") == results


def test_file_says_what_it_is_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_results(run_of(figure(0.7)), tmp_path / "run.json")
    data = json.loads((tmp_path / "run.json").read_text())
    assert (data["format"], data["version"]) == ("plash-benchmarks", 1)
    assert data["triad"] == {"memory_1": 25.0, "memory_2": 50.0}
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_figure_is_a_finite_number(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        figure(value)


def test_figure_of_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="speed"):
        figure(1.0, kind="speed")


def test_figures_are_named_by_benchmark_case_and_quantity() -> None:
    assert list(run_of(figure(1.0)).figures()) == ["steps: flip 64: min"]


def test_best_bandwidth_of_a_run_counts_and_its_spread_is_known() -> None:
    results = Results(quick=False)
    for sample in (40.0, 60.0, 30.0):
        results.add_triad({"memory_2": sample})
    assert results.triad == {"memory_2": 60.0}
    assert results.unrest == 2.0


# ---- what counts as worse


@pytest.mark.parametrize(
    ("kind", "new", "is_worse", "is_better"),
    [
        ("time", 1.2, True, False),
        ("time", 1.05, False, False),
        ("time", 0.8, False, True),
        ("cost", 1.2, True, False),
        ("cost", 0.8, False, True),
        ("gain", 0.8, True, False),
        ("gain", 1.2, False, True),
        ("gain", 0.95, False, False),
        ("fact", 5.0, False, False),
    ],
)
def test_direction_depends_on_the_kind(kind: str, new: float, is_worse: bool, is_better: bool) -> None:
    change = change_of(figure(1.0, kind), figure(new, kind))
    assert (change.is_worse, change.is_better) == (is_worse, is_better)
    assert change.ratio == pytest.approx(new)


def test_time_on_a_machine_twice_as_fast_must_halve() -> None:
    assert change_of(figure(1.0), figure(0.5), then=25.0, now=50.0).ratio == pytest.approx(1.0)
    assert change_of(figure(1.0), figure(1.0), then=25.0, now=50.0).is_worse
    assert not change_of(figure(1.0), figure(2.0), then=50.0, now=25.0).is_worse


@pytest.mark.parametrize("kind", ["cost", "gain", "fact"])
def test_only_times_depend_on_the_bandwidth(kind: str) -> None:
    assert change_of(figure(3.0, kind), figure(3.0, kind), then=25.0, now=50.0).ratio == 1.0


def test_time_is_normalised_with_the_bandwidth_of_its_threads() -> None:
    old, new = run_of(replace(figure(1.0), threads=1)), run_of(replace(figure(1.0), threads=1))
    new.triad = {"memory_1": 50.0, "memory_2": 50.0}
    assert compare(old, new)[0].ratio == pytest.approx(2.0)


def test_threshold_moves_the_limit() -> None:
    assert change_of(figure(1.0), figure(1.2), threshold=1.1).is_worse
    assert not change_of(figure(1.0), figure(1.2), threshold=1.3).is_worse


def test_unjudged_figure_is_shown_and_never_flagged() -> None:
    change = change_of(figure(1.0, judged=False), figure(9.0, judged=False))
    assert change.ratio == pytest.approx(9.0)
    assert not change.is_worse


def test_figure_judged_in_one_run_is_judged() -> None:
    assert change_of(figure(1.0, judged=False), figure(9.0)).is_worse


def test_zero_that_stays_zero_is_no_change_and_one_that_grows_is_worse() -> None:
    assert change_of(figure(0.0, "cost"), figure(0.0, "cost")).ratio == 1.0
    assert change_of(figure(0.0, "cost"), figure(3.0, "cost")).is_worse


# ---- runs that do not compare


def test_quick_run_does_not_compare_with_a_full_one() -> None:
    with pytest.raises(ResultsError, match="quick"):
        compare(run_of(figure(1.0), quick=True), run_of(figure(1.0)))


def test_runs_without_a_common_figure_do_not_compare() -> None:
    with pytest.raises(ResultsError, match="no figure in common"):
        compare(run_of(figure(1.0)), run_of(Figure("apic 64", "min", 1.0, "us", "time", 2)))


def test_figure_that_changed_its_unit_does_not_compare() -> None:
    with pytest.raises(ResultsError, match="'us' then and a time in 'ns' now"):
        compare(run_of(figure(1.0)), run_of(replace(figure(1.0), unit="ns")))


def test_times_need_a_bandwidth() -> None:
    new = run_of(figure(1.0))
    new.triad = {"memory_1": 25.0}
    with pytest.raises(ResultsError, match="2 threads"):
        compare(run_of(figure(1.0)), new)


def test_remarks_name_what_differs() -> None:
    old = run_of(figure(1.0), Figure("flip 96", "min", 1.0, "us", "time", 2))
    new = run_of(figure(1.0))
    new.machine["cpu"] = "another"
    new.benchmarks["memory"] = Result(status="interrupted")
    new.add_triad({"memory_1": 10.0, "memory_2": 50.0})
    assert remarks(old, new) == [
        "cpu differs: some then, another now",
        "the machine was not quiet in the new run: its bandwidth varied by 2.50",
        "memory is interrupted in the new run",
        "only in the old run: 1 figures, such as steps: flip 96: min",
    ]
    assert remarks(old, old) == []


# ---- the command


def written(folder: Path, name: str, results: Results) -> str:
    write_results(results, folder / name)
    return str(folder / name)


def test_exit_code_is_0_when_nothing_got_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (written(tmp_path, name, run_of(figure(1.0))) for name in ("old.json", "new.json"))
    assert main([old, new]) == 0
    assert "0 of 1 figures worse" in capsys.readouterr().out


def test_exit_code_is_1_when_something_got_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = written(tmp_path, "old.json", run_of(figure(1.0)))
    new = written(tmp_path, "new.json", run_of(figure(1.25)))
    assert main([old, new]) == 1
    assert "1.250  WORSE" in capsys.readouterr().out
    assert main([old, new, "--threshold", "1.5"]) == 0


def test_one_file_is_compared_with_the_stored_baseline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline = written(tmp_path, "baseline.json", run_of(figure(1.0)))
    monkeypatch.setattr("benchmarks.compare.BASELINE", Path(baseline))
    worse = written(tmp_path, "worse.json", run_of(figure(1.25)))
    assert main([worse]) == 1
    assert "1.250  WORSE" in capsys.readouterr().out
    assert main([worse, "--threshold", "1.5"]) == 0
    assert main([baseline]) == 0


def test_a_missing_baseline_is_named_with_the_command_that_makes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.compare.BASELINE", tmp_path / "baseline.json")
    assert main([written(tmp_path, "new.json", run_of(figure(1.0)))]) == 2
    message = capsys.readouterr().err
    assert str(tmp_path / "baseline.json") in message
    assert "`python -m benchmarks.run --out benchmarks/baseline.json`" in message


def test_the_stored_baseline_has_whole_benchmarks_that_there_are() -> None:
    if not BASELINE.is_file():
        pytest.skip(f"no baseline is stored: {RENEWAL}")
    baseline = read_results(BASELINE)
    assert not baseline.quick
    assert {"steps"} <= set(baseline.benchmarks) <= benchmark_names()
    assert {result.status for result in baseline.benchmarks.values()} == {"complete"}
    assert main([str(BASELINE)]) == 0


def benchmark_names() -> set[str]:
    """What `BENCHMARKS` in cases/__init__.py lists, without the compiler that its import brings along."""
    tree = ast.parse((ROOT / "benchmarks" / "cases" / "__init__.py").read_text("utf-8"))
    (table,) = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    return set(map(ast.literal_eval, filter(None, table.keys)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "cannot be read"),
        ("{ not json", "cannot be read"),
        ("[]", "not a results file"),
        ('{"format": "something else"}', "not a results file"),
        ('{"format": "plash-benchmarks", "version": 99}', "version 99"),
        ('{"format": "plash-benchmarks", "version": 1}', "damaged: KeyError"),
    ],
)
def test_exit_code_is_2_for_unreadable_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, reason: str
) -> None:
    good = written(tmp_path, "good.json", run_of(figure(1.0)))
    bad = tmp_path / "bad.json"
    if text is not None:
        bad.write_text(text)
    for files in ([good, str(bad)], [str(bad), good]):
        assert main(files) == 2
        message = capsys.readouterr().err
        assert reason in message
        assert "bad.json" in message


@pytest.mark.parametrize(
    ("key", "value"),
    [("triad", {"memory_2": 0}), ("triad", 3), ("benchmarks", {"steps": {"speed": 1}}), ("machine", None)],
)
def test_exit_code_is_2_for_damaged_files(tmp_path: Path, key: str, value: object) -> None:
    good = written(tmp_path, "good.json", run_of(figure(1.0)))
    data = json.loads(Path(good).read_text())
    data[key] = value
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(data))
    assert main([good, str(bad)]) == 2


def test_exit_code_is_2_for_runs_that_do_not_compare(tmp_path: Path) -> None:
    full = written(tmp_path, "full.json", run_of(figure(1.0)))
    quick = written(tmp_path, "quick.json", run_of(figure(1.0), quick=True))
    assert main([full, quick]) == 2


@pytest.mark.parametrize("threshold", ["1", "0.9", "nan", "inf", "much"])
def test_threshold_must_be_above_one(threshold: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["old.json", "new.json", "--threshold", threshold])
    assert stop.value.code == 2


def test_comparing_imports_no_compiler() -> None:
    code = "import sys, benchmarks.compare; sys.exit(any(name in sys.modules for name in ('numba', 'numpy', 'plash')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


# ---- for people


def test_table_has_a_row_per_case_and_a_column_per_quantity() -> None:
    figures = [Figure("a", "min", 0.5, "us"), Figure("a", "tiles", 12), Figure("long case", "min", 12.25, "us")]
    assert figure_table(figures).splitlines() == [
        "             min  tiles",
        "              us",
        "a            0.5     12",
        "long case  12.25",
    ]


def test_numbers_are_short() -> None:
    assert [number(value) for value in (524288.0, 0.71234, 1234.56, 0.0)] == ["524288", "0.7123", "1235", "0"]
