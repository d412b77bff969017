"""The code of the page "Python" and the notebooks of `examples/`: run as they stand, on coarse grids."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from tests.pages import blocks, named_file

import plash

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def coarse(text):
    """The same program with few cells."""
    text = text.replace('plash.simulate("dam_break_2d")', 'plash.simulate(plash.load_scene("dam_break_2d", frames=2))')
    text = text.replace('load_scene("dam_break_2d", frames', 'load_scene("dam_break_2d", resolution=16, frames')
    return re.sub(r'(resolution=|"resolution": |resolution = )\d+', r"\g<1>16", text)


@pytest.mark.slow
def test_the_code_of_the_python_page_runs():
    for block in blocks("python.md"):
        text = coarse(block.text)
        if named_file(text):
            Path(named_file(text)).write_text(text)
        elif block.language == "python":
            exec(compile(text, "python.md", "exec"), {})
    assert Path("last.png").exists()
    assert len(plash.open_run("out/mine")) == 9
    tank = plash.open_run("out/tank")
    assert len(tank.measured["highest"]) == len(tank) == 12
    assert plash.resume("out/tank", stages=["simulate"], frames=13).frames == 13


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in cells:
        *body, last = ast.parse(coarse("".join(cell["source"]))).body
        exec(compile(ast.Module(body, []), path.name, "exec"), names)
        if isinstance(last, ast.Expr):  # a notebook shows what the last line gives
            shown = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
            assert shown is not None
            if hasattr(shown, "_repr_html_"):
                assert shown._repr_html_().startswith("<div")
        else:
            exec(compile(ast.Module([last], []), path.name, "exec"), names)
    if "largest" in names:
        assert names["largest"]["project"] < 1e-2 * names["largest"]["forces"]
        assert names["free"].speed > names["slowed"].speed > 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path):
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_the_teachers_page_names_every_notebook():
    page = (ROOT / "docs" / "teachers.md").read_text("utf-8")
    assert NOTEBOOKS
    assert all(f"`{path.name}`" in page for path in NOTEBOOKS)
