"""The site: it builds without a warning, every link in it leads somewhere, and every page has a picture."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import plash

pytest.importorskip("sphinx", reason="the site needs sphinx: pip install 'plash[docs]'")

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path.stem for path in DOCS.glob("*.md"))


class Links(HTMLParser):
    """What a page links to and shows, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        if told.get("id"):
            self.places.add(told["id"])
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        if tag == "img" and told.get("src"):
            self.pictures.append(told["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    from sphinx.cmd.build import main

    out = tmp_path_factory.mktemp("site")
    warnings = out / "warnings.txt"
    options = ["-b", "html", "-q", "--keep-going", "-w", str(warnings), "-d", str(out / "doctrees")]
    assert main([*options, str(DOCS), str(out / "html")]) == 0
    return out / "html", warnings.read_text() if warnings.exists() else ""


@pytest.fixture(scope="module")
def pages(site):
    found = {}
    for path in site[0].glob("*.html"):
        found[path.name] = Links()
        found[path.name].feed(path.read_text("utf-8"))
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_it_builds_without_a_warning(site):
    assert site[1] == ""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_link_leads_somewhere(site, pages):
    broken = []
    for name, page in pages.items():
        for link in [*page.links, *page.pictures]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:  # of others: nothing is fetched
                continue
            target = unquote(parts.path) or name
            places = pages[target].places if target in pages and parts.fragment else {unquote(parts.fragment)}
            if not (site[0] / target).exists() or unquote(parts.fragment) not in places:
                broken.append(f"{name}: {link}")
    assert not broken


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_page_can_be_reached_from_the_first(pages):
    seen, todo = set(), ["index.html"]
    while todo:
        name = todo.pop()
        if name in pages and name not in seen:
            seen.add(name)
            todo += [urlsplit(link).path for link in pages[name].links]
    assert {f"{stem}.html" for stem in PAGES} <= seen


@pytest.mark.parametrize("stem", PAGES)
def test_every_page_has_a_picture(stem):
    assert re.search(r"!\[[^\]]+\]\(pictures/|<img [^>]*src=\"pictures/", (DOCS / f"{stem}.md").read_text("utf-8"))


def test_every_page_is_in_the_table_of_contents():
    entries = re.findall(r"```\{toctree\}.*?\n\n(.*?)```", (DOCS / "index.md").read_text("utf-8"), re.DOTALL)
    listed = [line for block in entries for line in block.split()]
    assert sorted([*listed, "index"]) == PAGES


def test_the_api_page_has_every_public_name_once():
    named = re.findall(
        r"auto(?:function|class|exception):: plash\.(\w+)$", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(named) == sorted(name for name in dir(plash) if not name.startswith("_"))
