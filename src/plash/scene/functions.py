"""Python functions in a scene: given as they are, or named by a file, such as "waves:height" for height in waves.py.

A name is looked for beside the scene file only, as meshes are. Reading a scene runs nothing: the file must be there,
be Python and have such a function. It is run when the function is first called, as it was when the scene was read.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from plash.errors import Problem, SceneError
from plash.scene.language.words import nearest, refusal, shown

LARGEST_SOURCE = 2**20  # bytes
# Keys whose text names a function, if it has a colon
_KEYS = ("function", "height", "velocity_at", "measure", "shape", "flow")
_HOW = 'name it as "file:function", such as "waves:height" for height in waves.py beside the scene file'


class NamedFunction:
    """A function of a Python file, which is run when it is first called.

    Attributes:
        file: The file, from the root.
        name: Of the function in it.
        source: The text of the file when the scene was read: what is run, whatever becomes of the file.
    """

    def __init__(self, file: str, name: str, source: str) -> None:
        self.file, self.name, self.source = file, name, source

    @property
    def __name__(self) -> str:
        return f"{self.name} of {Path(self.file).name}"

    @cached_property
    def sha256(self) -> str:
        """Hash of the file's text, without regard for how its lines end."""
        return hashlib.sha256("\n".join(self.source.splitlines()).encode()).hexdigest()

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives."""
        return getattr(_module(self.file, self.source), self.name)(*arguments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedFunction) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"NamedFunction({self.text()!r})"

    def text(self, folder: Path | None = None) -> str:
        """The name as it stands in a scene file of this folder."""
        path = Path(self.file)
        is_below = folder is not None and path.is_relative_to(folder)
        return f"{path.relative_to(folder).as_posix() if folder is not None and is_below else self.file}:{self.name}"

    @property
    def _parts(self) -> tuple[str, str, str]:
        return self.file, self.name, self.source


def called(function: Callable[..., Any], key: str, *arguments: Any) -> Any:
    """What a function of a scene gives.

    Raises:
        SceneError: A function that a file names has failed: says where. What a function given in Python raises is left
            as it is.
    """
    if not isinstance(function, NamedFunction):
        return function(*arguments)
    try:
        return function(*arguments)
    except Exception as error:
        sentence = f"the function {function.__name__} failed: {_told(function, error)}"
        raise SceneError([Problem(key, sentence)]) from error


def functions_named(table: Mapping[str, Any]) -> dict[str, str]:
    """The texts in a table of a scene that name functions, by key."""
    texts = {key: table[key] for key in _KEYS if isinstance(table.get(key), str)}
    return {key: text for key, text in texts.items() if ":" in text}


def located(text: str, folder: str | Path) -> str:
    """The name of a function whose file starts at a folder."""
    file, _, name = text.rpartition(":")
    return f"{os.path.join(folder, _file_of(file))}:{name}" if file else text


def _named(value: object) -> object:
    """The function that a text names; anything else as it is.

    Raises:
        PydanticCustomError: There is no such file, or no such function in it.
    """
    if isinstance(value, type):
        raise refusal(f"{value.__name__} is a class, not a function")
    if not isinstance(value, str):
        return value
    file, colon, name = value.rpartition(":")
    if not (colon and file and name.isidentifier()):
        raise refusal(f"{shown(value)} names no function: {_HOW}")
    path = Path(_file_of(file)).absolute()
    source = _source(path)
    try:
        tree = ast.parse(source, str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise refusal(f"{path}{line}: is no Python that can be run: {reason}") from None
    known = _functions_of(tree)
    if name not in known:
        has = f"it has {', '.join(list(known)[:9])}" if known else "it has none"
        raise refusal(f"{path} has no function {name}: {has}.{nearest(name, known)}")
    return NamedFunction(str(path), name, source)


def _plain(function: Any) -> Any:
    """What stands for a function in plain data: of a named one, its name and what it does; the place may change."""
    if not isinstance(function, NamedFunction):
        return function
    return {"function": function.name, "file": Path(function.file).name, "sha256": function.sha256}


Function = Annotated[
    Callable[..., Any],
    BeforeValidator(_named),
    PlainSerializer(_plain),
    WithJsonSchema({"type": "string", "pattern": ":"}),
]


def _file_of(module: str) -> str:
    """The file of a module beside the scene file: its path, or its name with points in it."""
    return module if module.endswith(".py") else f"{module.replace('.', '/')}.py"


def _source(path: Path) -> str:
    try:
        if not path.is_file():
            here = sorted(file.stem for file in path.parent.glob("*.py")) if path.parent.is_dir() else []
            raise refusal(f"there is no file {path}.{nearest(path.stem, here)}".removesuffix(".") + f": {_HOW}")
        if path.stat().st_size > LARGEST_SOURCE:
            raise refusal(f"{path} has {path.stat().st_size} bytes: a file of functions may have {LARGEST_SOURCE}")
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise refusal(f"{str(path)[:200]!r} cannot be read: {reason}") from None


def _functions_of(tree: ast.Module) -> dict[str, None]:
    """What a file defines, imports or assigns at its top."""
    found: dict[str, None] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = None
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name: None for alias in node.names}
        elif isinstance(node, ast.Assign):
            found |= {target.id: None for target in node.targets if isinstance(target, ast.Name)}
    return found


@lru_cache(maxsize=64)
def _module(file: str, source: str) -> ModuleType:
    """A file that was run; what it imports may lie beside it."""
    module = ModuleType(Path(file).stem)
    module.__file__ = file
    with _imports_from(str(Path(file).parent)):
        exec(compile(source, file, "exec"), module.__dict__)
    return module


@contextmanager
def _imports_from(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _told(function: NamedFunction, error: Exception) -> str:
    """An error in a sentence, with the line of the function's file where it happened."""
    lines = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == function.file]
    where = f" ({function.file}, line {lines[-1]})" if lines else f" ({function.file})"
    return f"{type(error).__name__}: {error}{where}"
