"""Which plash this is: workers that have another one would make other files."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from plash.version import VERSION

Program = tuple[str, str]  # its version, and a hash of its source


@cache
def program() -> Program:
    """The version and the source of the plash that is running."""
    import plash

    digest = hashlib.sha256()
    home = Path(plash.__file__).parent
    for file in sorted(home.rglob("*.py")):
        digest.update(str(file.relative_to(home)).encode() + b"\0" + file.read_bytes())
    return VERSION, digest.hexdigest()[:8]


def described(found: Program) -> str:
    """A plash in words, for messages."""
    return f"plash {found[0]} (source {found[1]})"
