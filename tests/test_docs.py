"""The pages name files that are there, and every file of physics names the work it follows."""

import re
from pathlib import Path

import pytest

import plash
from plash.pipeline.check.findings import findings

SOURCE = Path(plash.__file__).parent
ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md", *ROOT.glob("docs/*.md")]


def test_every_file_that_a_page_names_is_there():
    missing = []
    for page in PAGES:
        for name in re.findall(r"`((?:[\w.]+/)+[\w.]*)`", page.read_text("utf-8")):
            if name.endswith((".py", ".js", ".html")):
                homes = (SOURCE, ROOT, page.parent)
                if not any((home / name).exists() for home in homes):
                    missing.append(f"{page.name}: {name}")
    assert not missing


def test_every_file_of_physics_names_a_work_of_the_bibliography():
    page = (ROOT / "docs" / "references.md").read_text("utf-8")
    authors = set(re.findall(r"</a>\*\*(\w+)", page))
    assert len(authors) > 20
    files = [file for file in SOURCE.rglob("physics/**/*.py") if file.name != "__init__.py"]
    assert files
    assert not [file.name for file in files if not any(author in file.read_text("utf-8") for author in authors)]


def test_the_scene_of_the_page_about_colours_runs():
    page = (ROOT / "docs" / "colours.md").read_text("utf-8")
    (whole,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    scene = plash.parse_scene(whole)
    assert findings(scene) == []
    solver = plash.build(scene)
    solver.advance(1 / 24)
    assert solver.ledger.colors["red initial"] > 0


def test_the_scene_of_the_page_about_heat_runs():
    page = (ROOT / "docs" / "heat.md").read_text("utf-8")
    whole, part = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    scene = plash.parse_scene(whole)
    assert findings(scene) == []
    assert list(scene.dynamic_viscosities) == pytest.approx([0.005, 1.0])
    solver = plash.build(scene)
    solver.advance(1 / 24)
    assert solver.ledger.heat["walls"] > 0
    assert plash.parse_scene(re.sub(r"(?s)viscosity_at = .*?\]\n", "", whole) + part).has_own_viscosities
