"""The page docs/gallery.md, and the pictures in the README."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from gallery.heroes import still
from gallery.pictures import NOT_SHOWN, Pictures
from plash.scene.language.read import gallery_text, load_scene

INTRODUCTION = """\
# Gallery

The scenes that come with plash, simulated and drawn from the files as they are shipped by one command, `make gallery`,
which also writes this page. The clips show the first seconds of each; those of smoke and of some thick liquids are
drafts, and their stills are ray traced.
"""

README_CLIPS = ("fountain", "faucet_filling_glass", "knot", "wave_maker")  # beside the two large stills at its top
_BEGIN, _END = "<!-- gallery: written by `make gallery` -->", "<!-- end of gallery -->"


def gallery_page(scenes: Mapping[str, str], pictures: Path) -> str:
    """The page, with the scenes that have pictures.

    Args:
        scenes: Name and sentence of each, as `plash.gallery()` gives them.
        pictures: The folder of the pictures, below that of the page.
    """
    shown = {name: sentence for name, sentence in scenes.items() if Pictures(pictures, name).are_there}
    folder = f"{pictures.parent.name}/{pictures.name}"
    sections = [
        _section(name, sentence, folder, still(pictures, name).is_file())
        for name, sentence in shown.items()
        if name not in NOT_SHOWN
    ]
    return "\n".join([INTRODUCTION, *sections])


def _section(name: str, sentence: str, folder: str, has_large: bool) -> str:
    title = _plain(load_scene(name).title or name)
    large = f"\n![{title}, large]({folder}/{name}_large.jpg)\n" if has_large else ""
    return f"""\
## {title}

{sentence}
{large}
| a still | the first seconds |
| --- | --- |
| ![{title}, a still]({folder}/{name}.jpg) | ![{title}, a clip]({folder}/{name}.webp) |

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


def _plain(title: str) -> str:
    """A title that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|#!])", r"\\\1", " ".join(title.split()))


def with_pictures(readme: str, scenes: Mapping[str, str], pictures: Path) -> str:
    """The README with clips of the scenes between its marks; unchanged if it has no marks."""
    if _BEGIN not in readme or _END not in readme:
        return readme
    shown = [name for name in README_CLIPS if name in scenes and Pictures(pictures, name).are_there]
    folder = f"docs/{pictures.parent.name}/{pictures.name}"
    images = "\n".join(
        f'<a href="docs/gallery.md"><img src="{folder}/{name}.webp" width="32%" alt="{name}"></a>' for name in shown
    )
    before, after = readme.partition(_BEGIN)[0], readme.partition(_END)[2]
    return f"{before}{_BEGIN}\n{images}\n{_END}{after}"
