"""What the package imports is declared, what is declared is imported, and extras wait until they are needed."""

import ast
import functools
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import plash

SOURCE = Path(plash.__file__).parent
PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
OPTIONAL = {name: wanted for name, wanted in PROJECT["optional-dependencies"].items() if name not in ("dev", "docs")}
# Rooms that are for an extra as a whole; nothing outside imports them before their command is called
ROOMS = {"studio": "studio"}
WITHOUT_EXTRAS = """
import importlib, pkgutil, sys
extras, rooms = (set(words.split()) for words in sys.argv[1:])
sys.modules.update(dict.fromkeys(extras))
import pytest

import plash
for module in pkgutil.walk_packages(plash.__path__, "plash."):
    name = module.name.split(".")
    if name[1] not in rooms and name[-1] != "__main__":
        importlib.import_module(module.name)
"""


def distributions(requirements: list[str]) -> set[str]:
    """The names of what is required, as package indices write them."""
    names = [re.match(r"[\w.-]+", text) for text in requirements]
    return {normal(name.group()) for name in names if name}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


CORE = distributions(PROJECT["dependencies"])
EXTRAS = {name: distributions(wanted) for name, wanted in OPTIONAL.items()}
PROVIDERS = importlib.metadata.packages_distributions()


def provider(module: str) -> set[str]:
    """Whatever brings a module, as package indices write it."""
    return {normal(name) for name in PROVIDERS.get(module, [module])}


@functools.cache
def imports(file: Path) -> list[tuple[str, bool]]:
    """Third-party modules of a file, each with whether it waits inside a function, or is for type checkers only."""
    tree = ast.parse(file.read_text("utf-8"))
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"plash"}:
            found.append((name, id(node) in lazy))
    return found


@pytest.mark.slow
def test_every_import_is_declared_and_extras_are_lazy():
    faults = []
    for file in sorted(SOURCE.rglob("*.py")):
        where = file.relative_to(SOURCE)
        if where.parts[0] == "blender":  # for Blender's own Python
            continue
        for module, is_lazy in imports(file):
            extras = [extra for extra, wanted in EXTRAS.items() if wanted & provider(module)]
            if CORE & provider(module):
                continue
            if not extras:
                faults.append(f"{where}: {module} is declared nowhere in pyproject.toml")
            elif not is_lazy and ROOMS.get(where.parts[0]) not in extras:
                faults.append(f"{where}: {module} is of the extra {extras[0]}: import it when it is needed")
    assert not faults


def test_every_declared_package_is_used():
    texts = [file.read_text("utf-8") for file in SOURCE.rglob("*.py")]
    used = {name for file in SOURCE.rglob("*.py") for module, _ in imports(file) for name in provider(module)}
    for name in CORE.union(*EXTRAS.values()) - used:
        # Websockets are uvicorn's to import; the command that needs them looks for them by name
        assert any(f'"{name}"' in text for text in texts), f"nothing uses {name}"


@pytest.mark.slow
def test_all_but_the_rooms_of_extras_can_be_imported_without_them():
    modules = [module for module in PROVIDERS if provider(module) & set().union(*EXTRAS.values())]
    assert {"mitsuba", "starlette", "uvicorn"} <= set(modules)
    command = [sys.executable, "-W", "error", "-c", WITHOUT_EXTRAS, " ".join(modules), " ".join(ROOMS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
