"""Version, changelog and citation tell the same story."""

import re
from pathlib import Path

import plash

ROOT = Path(__file__).parents[1]
HEADINGS = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d{2}-\d{2})")


def releases() -> list[tuple[str, str]]:
    """Versions and dates, newest first."""
    found = [RELEASE.fullmatch(heading) for heading in HEADINGS if heading != "Unreleased"]
    assert all(found), HEADINGS
    return [(".".join(release.groups()[:3]), release.group(4)) for release in found if release]


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def test_releases_are_in_order_and_what_comes_stands_above():
    versions, dates = zip(*releases(), strict=True)
    assert list(map(numbers, versions)) == sorted(map(numbers, versions), reverse=True)
    assert list(dates) == sorted(dates, reverse=True)
    assert HEADINGS[1:].count("Unreleased") == 0


def test_version_is_that_of_the_last_release_or_of_work_on_the_next():
    last = releases()[0][0]
    if plash.__version__ != last:
        base, dev, count = plash.__version__.partition(".dev")
        assert (dev, count.isdigit()) == (".dev", True)
        assert numbers(base) > numbers(last)
        assert HEADINGS[0] == "Unreleased"


def test_citation_names_the_last_release():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    version, date = releases()[0]
    assert re.search(rf"^version: {re.escape(version)}$", citation, re.MULTILINE)
    assert re.search(rf"^date-released: {date}$", citation, re.MULTILINE)
