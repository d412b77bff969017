"""The code of the page "Python" and the notebooks of `examples/`: run as they stand, on coarse grids."""

import ast
import json
import re
from pathlib import Path

import matplotlib as mpl
import nbformat
import pytest
from nbclient import NotebookClient
from tests.pages import blocks, named_file

import plash

ROOT = Path(__file__).parents[1]
# What must be true when a notebook is at its end
PROOFS = {
    "one_step": 'assert largest["project"] < 1e-2 * largest["forces"]\nassert free.speed > slowed.speed > 0',
}
SHOWN = {
    "first_frames": {"text/html", "image/png"},
    "one_step": {"text/plain"},
    "own_functions": {"text/html", "image/png"},
}
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
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_a_kernel_and_shows_what_it_says(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in cells:
        cell.source = coarse(cell.source)
    proof = nbformat.v4.new_code_cell(PROOFS.get(path.stem, "assert plash"))
    notebook.cells.append(proof)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = set()
    for cell in cells:
        shown = [output.data for output in cell.outputs if "data" in output]
        kinds |= {kind for data in shown for kind in data}
        if isinstance(ast.parse(cell.source).body[-1], ast.Expr) and "print(" not in cell.source:
            assert shown, cell.source
        assert not [output for output in cell.outputs if output.get("name") == "stderr"], cell.source
    assert SHOWN[path.stem] <= kinds


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path):
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_the_teachers_page_names_every_notebook():
    page = (ROOT / "docs" / "teachers.md").read_text("utf-8")
    assert NOTEBOOKS
    assert all(f"`{path.name}`" in page for path in NOTEBOOKS)
