"""The scenes that come with plash."""

from __future__ import annotations

from importlib import resources


def gallery() -> dict[str, str]:
    """The scenes that come with plash: name, and what each shows.

    >>> gallery()["still_pool"]
    'A pool at rest around a pillar: nothing should move. Adds walls, a solid and a fill without end.'
    """
    files = sorted(resources.files("plash").joinpath("scenes").iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".toml"): file.read_text("utf-8").partition("\n")[0].lstrip("# ")
        for file in files
        if file.name.endswith(".toml")
    }
