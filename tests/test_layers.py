"""The architecture, checked: imports point downwards only, and every public name is documented."""

import ast
import inspect
from pathlib import Path

import plash

SOURCE = Path(plash.__file__).parent
# A room may import from itself and from rooms of a higher number
LEVELS = {
    "cli": 0,
    "studio": 1,
    "pipeline": 2,
    "exports": 3,
    "files": 4,
    "render": 4,
    "solvers": 5,
    "whitewater": 5,
    "mesh": 6,
    "physics": 6,
    "particles": 7,
    "levelset": 8,
    "linear": 9,
    "scene": 10,
    "grid": 10,
    "carried": 11,
    "errors": 11,
    "timing": 11,
    "version": 11,
}


def imports_of(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("plash."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("plash.")}
    return names


def test_imports_point_downwards():
    upward = []
    for file in SOURCE.rglob("*.py"):
        room = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room in ("__init__", "__main__"):
            continue
        for other in imports_of(file):
            if other != room and LEVELS[other] <= LEVELS[room]:
                upward.append(f"{file.relative_to(SOURCE)} imports {other}")
    assert not upward


def test_heavy_packages_wait_until_they_are_needed():
    for file in SOURCE.rglob("scene/*.py"):
        tree = ast.parse(file.read_text())
        top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in top if isinstance(node, ast.ImportFrom)}
        assert not names & {"numba", "scipy", "pint"}, file


def test_every_public_name_exists_and_says_what_it_is():
    for name in (name for name in dir(plash) if not name.startswith("_")):
        thing = getattr(plash, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(plash, "splash")
