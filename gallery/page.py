"""The page docs/gallery.md, and the pictures in the README."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from gallery.clips import wide_clip
from gallery.heroes import still
from gallery.pictures import NOT_SHOWN, Pictures
from plash.scene.language.read import gallery_text, load_scene

INTRODUCTION = """\
# Gallery

The scenes that come with plash, simulated and drawn from the files as they are shipped by one command, `make gallery`,
which also writes this page. Large stills are of one moment each, with 128 cells or more along the longest side and 24
samples a pixel (`python -m gallery.heroes NAME`), wide clips of a second with 16 (`python -m gallery.clips NAME`).
Small clips show the first seconds of a scene; those of smoke and of some thick liquids are drafts.
Their small stills are ray traced.
"""

README_STILLS = ("cherry_cream", "wine_glass", "whisky_ice", "burning_log")  # below the two clips at its top
_BEGIN, _END = "<!-- gallery: written by `make gallery` -->", "<!-- end of gallery -->"


def gallery_page(scenes: Mapping[str, str], pictures: Path) -> str:
    """The page, with the scenes that have pictures.

    Args:
        scenes: Name and sentence of each, as `plash.gallery()` gives them.
        pictures: The folder of the pictures, below that of the page.
    """
    shown = {name: _images(name, pictures) for name in scenes if name not in NOT_SHOWN}
    sections = [_section(name, scenes[name], images) for name, images in shown.items() if images]
    return "\n".join([INTRODUCTION, *sections])


def _images(name: str, pictures: Path) -> str:
    """The pictures that a scene has: a large still, a wide clip, and a small still with a small clip."""
    title, folder = _title(name), f"{pictures.parent.name}/{pictures.name}"
    large = f"\n![{title}, large]({folder}/{name}_large.jpg)\n" if still(pictures, name).is_file() else ""
    if wide_clip(pictures, name).is_file():
        large += f"\n![{title}, a wide clip]({folder}/{name}_wide.webp)\n"
    if not Pictures(pictures, name).are_there:
        return large
    return f"""\
{large}
| a still | the first seconds |
| --- | --- |
| ![{title}, a still]({folder}/{name}.jpg) | ![{title}, a clip]({folder}/{name}.webp) |
"""


def _section(name: str, sentence: str, images: str) -> str:
    return f"""\
## {_title(name)}

{sentence}
{images}
    plash run {name}

```toml
{short_text(gallery_text(name))}
```
"""


def short_text(text: str) -> str:
    """What a scene file says, without its first comment, its version and its title.

    >>> short_text('# A pool.\\nversion = 1\\ntitle = "Pool"\\n\\n[domain]\\nsize = [1, 1]\\n')
    '[domain]\\nsize = [1, 1]'
    """
    lines = text.splitlines()
    if lines and lines[0].startswith("#"):
        lines = lines[1:]
    kept = [line for line in lines if not re.match(r"(version|title)\s*=", line)]
    return "\n".join(kept).strip()


def _title(name: str) -> str:
    """The title of a scene, so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|#!])", r"\\\1", " ".join((load_scene(name).title or name).split()))


def with_pictures(readme: str, scenes: Mapping[str, str], pictures: Path) -> str:
    """The README with stills of some scenes between its marks, large ones if it can; unchanged if it has no marks."""
    if _BEGIN not in readme or _END not in readme:
        return readme
    of_scenes = {name: _largest(name, pictures) for name in README_STILLS if name in scenes}
    folder = f"docs/{pictures.parent.name}/{pictures.name}"
    images = "\n".join(
        f'<a href="docs/gallery.md"><img src="{folder}/{file.name}" width="49%" alt="{_title(name)}"></a>'
        for name, file in of_scenes.items()
        if file.is_file()
    )
    before, after = readme.partition(_BEGIN)[0], readme.partition(_END)[2]
    return f"{before}{_BEGIN}\n{images}\n{_END}{after}"


def _largest(name: str, pictures: Path) -> Path:
    """The large still of a scene, or its small one."""
    large = still(pictures, name)
    return large if large.is_file() else Pictures(pictures, name).still
