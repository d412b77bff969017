"""Runs of a validation are kept as they end, so that one that was stopped goes on where it was.

What is kept belongs to the very source it was made with: a change of any file of plash makes everything anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import plash

FOLDER = Path("out/validation")

Result = TypeVar("Result")


def kept(run: Callable[..., Result], *arguments: object, folder: Path = FOLDER, **options: object) -> Result:
    """What a run gives, from the folder if it was done before."""
    words = [run.__name__, *map(str, arguments), *(f"{key}={value}" for key, value in options.items())]
    path = folder / source_hash() / f"{' '.join(words)}.pickle"
    if path.exists():
        result: Result = pickle.loads(path.read_bytes())
        return result
    result = run(*arguments, **options)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(pickle.dumps(result))
    unfinished.replace(path)
    print(f"  {' '.join(words)}", flush=True)
    return result


@cache
def source_hash() -> str:
    """Of all that makes the numbers: the modules and scenes of plash."""
    root = Path(plash.__file__).parent
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".toml"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
