"""The page of a run: what it says is what the log and the manifest say, and nothing in it is alive."""

import re
import shutil
from html.parser import HTMLParser
from statistics import fmean
from types import SimpleNamespace
from typing import Any, cast

import pytest

import plash
import plash.pipeline.report as report_module
from plash.errors import DamagedError
from plash.files.layout import RunFolder
from plash.files.log import read_log
from plash.pipeline.chart import Series, line_chart, stacked_chart, ticks_between
from plash.pipeline.stages.registry import read_run

HOSTILE = '<script>alert("1")</script> & $title </style> <img src=x onerror=alert(2)>'
VOID = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """Reads a page: every tag closed in its turn, the cells of its table, its texts by tag."""

    def __init__(self, text):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag not in VOID:
            self.open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open:
            return
        self.texts[self.open[-1]][-1] += data
        if self.open[-1] in ("td", "th"):
            self.rows[-1].append(data)


def scene(frames=5, **settings):
    small = {"resolution": 24, "frames": frames, "look.width": 160, "title": HOSTILE}
    return plash.load_scene("dam_break_2d", **{**small, **settings})


def page_of(folder):
    return Page((folder / "report.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "run & co"
    plash.run(scene(), folder, source="<b>mine</b>.toml")
    return folder


@pytest.fixture
def copy(run, tmp_path):
    return shutil.copytree(run, tmp_path / "run & co")


def test_the_page_is_whole_and_needs_no_other_file(run):
    page = page_of(run)
    assert page.tags.count("svg") == 6
    assert page.tags.count("video") == 1
    sources = [value for name, value in page.attributes if name in ("src", "href")]
    assert all(source.startswith("data:") for source in sources)


def test_text_of_the_scene_is_only_text(run):
    page = page_of(run)
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.texts["h1"] == [HOSTILE]
    assert page.texts["title"][0] == HOSTILE
    assert page.texts["pre"] == [read_run(RunFolder(run)).scene]
    assert "<b>mine</b>.toml" in page.texts["p"][0]
    policy = next(value for name, value in page.attributes if name == "content" and "default-src" in value)
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_the_table_is_that_of_kuo_and_says_what_the_manifest_says(run):
    rows = page_of(run).rows
    assert rows[0] == ["frame", "simulation", "surface construction", "rendering", "together"]
    stages = read_run(RunFolder(run)).stages
    for frame in range(1, 6):
        seconds = [stages[stage].items[frame].seconds for stage in ("simulate", "mesh", "render")]
        assert rows[frame] == [str(frame), *(f"{value:.3f}" for value in seconds), f"{sum(seconds):.3f}"]
    columns = [[item.seconds for item in stages[stage].items.values()] for stage in ("simulate", "mesh", "render")]
    assert rows[6][:4] == ["sum", *(f"{sum(column):.3f}" for column in columns)]
    assert rows[7][:4] == ["mean", *(f"{fmean(column):.3f}" for column in columns)]


def test_numbers_and_plots_are_those_of_the_log(run):
    page = page_of(run)
    lines = list(read_log(run / "log.jsonl"))
    numbers = page.texts["dd"]
    assert f"{len(lines)}" in numbers
    assert f"{lines[-1]['particles']:,}" in numbers
    assert f"{fmean(line['iterations'] for line in lines):.1f}" in numbers
    assert f"{fmean(line['density_iterations'] for line in lines):.1f}" in numbers
    assert any(f"{max(line['density_residual'] for line in lines):.2g}" in number for number in numbers)
    items = read_run(RunFolder(run)).stage("simulate").items
    titles = "\n\n".join(page.texts["title"][1:])
    for frame in range(2, 6):
        steps = [line for line in lines if line["frame"] == frame]
        assert f"frame {frame}\nsteps: {len(steps)} steps" in titles
        iterations = [line["iterations"] for line in steps]
        assert re.search(rf"frame {frame}\nmean of the steps: .*\nmost of a step: {max(iterations)}", titles)
    for frame, item in items.items():
        assert (
            f"frame {frame}\ntarget: 0.375 m²\nin particles: 0.375 m²\nmeasured: {item.ledger['volume']:.6g}" in titles
        )
        kinetic, potential = item.energy["kinetic"], item.energy["potential"]
        assert f"potential: {potential:.6g} J/m\nkinetic: {kinetic:.6g} J/m" in titles


def test_energy_starts_as_that_of_a_block_at_rest(run):
    energy = read_run(RunFolder(run)).stage("simulate").items[1].energy
    assert energy["kinetic"] == 0
    assert energy["potential"] == pytest.approx(998.2 * 9.81 * 0.375 * 0.375, rel=5e-3)


@pytest.mark.parametrize(
    ("stages", "movie", "svgs"),
    [
        (["simulate"], "There is no movie yet", 6),
        (["simulate", "mesh"], "There is no movie yet", 6),
        (["simulate", "mesh", "render", "video"], "data:video/mp4", 6),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_a_part_of_the_stages_is_enough(tmp_path, stages, movie, svgs):
    plash.run(scene(3), tmp_path / "run", stages=stages)
    assert not (tmp_path / "run/report.html").exists()
    plash.resume(tmp_path / "run", stages=["report"])
    page = page_of(tmp_path / "run")
    assert page.tags.count("svg") == svgs
    assert movie in (tmp_path / "run/report.html").read_text(encoding="utf-8")
    missing = 3 - min(len(stages), 3)
    assert page.rows[1].count("–") == missing


def test_a_run_that_has_not_begun_has_a_page(tmp_path):
    plash.run(scene(1), tmp_path / "run", stages=["report"])
    page = page_of(tmp_path / "run")
    assert page.tags.count("svg") == 0
    assert "Nothing is simulated yet." in page.texts["p"]


def test_one_frame_is_enough(tmp_path):
    plash.run(scene(1), tmp_path / "run")
    assert page_of(tmp_path / "run").tags.count("circle") > 2


def test_without_a_movie_the_contact_sheet_is_shown(copy):
    folder = RunFolder(copy)
    manifest = read_run(folder)
    del manifest.stage("video").items[0]
    manifest.write(folder)
    plash.resume(copy, stages=["report"])
    text = folder.report.read_text(encoding="utf-8")
    assert '<img alt="Contact sheet" src="data:image/png;base64,' in text


def test_a_large_movie_is_linked_to(copy, monkeypatch):
    monkeypatch.setattr(report_module, "LARGEST_EMBEDDED", 100)
    (copy / "report.html").unlink()
    plash.resume(copy, stages=["report"])
    assert ("src", "run%20%26%20co.mp4") in page_of(copy).attributes


def test_a_report_is_kept_up_to_date_by_every_stage(copy):
    plash.resume(copy, stages=["simulate"], frames=6)
    assert "5 of 6" not in page_of(copy).texts["p"][0]
    assert page_of(copy).rows[6][0] == "6"
    assert page_of(copy).rows[6][2] == "–"


def test_a_run_that_failed_says_why(copy):
    folder = RunFolder(copy)
    manifest = read_run(folder)
    manifest.message = "frame 4: <went> wrong"
    manifest.write(folder)
    story = Page(report_module._message(cast(Any, SimpleNamespace(manifest=manifest))))
    assert story.texts["p"] == ["frame 4: <went> wrong"]


def test_a_damaged_movie_is_not_shown(copy):
    (copy / "run & co.mp4").write_bytes(b"nothing")
    (copy / "report.html").unlink()
    with pytest.raises(DamagedError, match=r"run & co\.mp4: is damaged.*plash resume"):
        plash.resume(copy, stages=["report"])
    plash.resume(copy)
    assert page_of(copy).tags.count("video") == 1


def test_a_log_that_is_damaged_or_gone_does_not_stop_the_page(copy):
    (copy / "log.jsonl").write_bytes(b'\x00\xff\n{"frame": "two"}\n[]\n')
    (copy / "report.html").unlink()
    plash.resume(copy, stages=["report"])
    assert page_of(copy).tags.count("svg") == 3


@pytest.mark.parametrize("span", [1e-9, 0.3, 7, 1e6])
def test_ticks_are_round_few_and_inside(span):
    for low in (0.0, -span / 3, 12.3):
        ticks = ticks_between(low, low + span)
        assert 3 <= len(ticks) <= 12
        assert all(low - 1e-9 * span <= tick <= low + span * (1 + 1e-9) or span < 1e-6 for tick in ticks)


def test_charts_are_drawings_for_any_numbers():
    for values in ([0.0, 0.0, 0.0], [1e-300, 2.0, None], [-5.0, 1e12, 3.0]):
        series = [Series("a <b>", values, 1)]
        for chart in (line_chart([1, 2, 3], series, "m"), stacked_chart([1, 2, 3], series, "m")):
            page = Page(chart)
            assert page.tags[0] == "svg"
            assert "nan" not in chart
            assert "b" not in page.tags


def test_a_long_run_makes_a_short_chart():
    count = 20_000
    series = [Series("steps", [float(n % 7) for n in range(count)], 1)]
    assert len(line_chart(list(range(1, count + 1)), series, "")) < 80_000
