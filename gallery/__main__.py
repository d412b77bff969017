"""Make the pictures of every scene that comes with plash, then docs/gallery.md and the README's row of clips.

    python -m gallery [--only NAME] [--set KEY=VALUE]

Large stills and wide clips of the best of them are made first (gallery/heroes.py, gallery/clips.py).

Runs are in out/gallery; a run that was stopped goes on where it was. With --only, just that scene's pictures are made.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

import plash
from gallery.clips import WIDE, make_wide_clip
from gallery.heroes import HEROES, make_hero
from gallery.page import gallery_page, with_pictures
from gallery.pictures import NOT_SHOWN, Pictures, complaints, make_pictures
from plash.cli.options import overrides_of, progress_for

ROOT = Path(__file__).parents[1]


@click.command(help=__doc__)
@click.option("--only", multiple=True, metavar="NAME", help="A scene from `plash scenes`; may be given several times.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Replace a parameter of the scenes.")
@click.option("--runs", type=click.Path(path_type=Path), default=ROOT / "out" / "gallery", help="Where runs are kept.")
@click.option("--docs", type=click.Path(path_type=Path), default=ROOT / "docs", help="Where the page is written.")
def main(only: tuple[str, ...], settings: tuple[str, ...], runs: Path, docs: Path) -> None:
    """Make pictures, then the page."""
    scenes, pictures, more = plash.gallery(), docs / "pictures" / "gallery", overrides_of(settings)
    unknown = set(only) - set(scenes)
    if unknown:
        raise click.BadParameter(f"no such scene: {', '.join(sorted(unknown))}. There are: {', '.join(scenes)}")
    for name in only or [name for name in scenes if name not in NOT_SHOWN]:
        click.echo(f"{name} ...", err=True)
        if name in HEROES and not more:
            make_hero(name, runs, pictures, progress_for(quiet=False, as_json=False))
        if name in WIDE and not more:
            make_wide_clip(name, runs, pictures, progress_for(quiet=False, as_json=False))
        make_pictures(name, runs, Pictures(pictures, name), progress_for(quiet=False, as_json=False), **more)
    write_pages(scenes, docs, pictures)
    found = complaints(pictures)
    if found:
        sys.exit("\n".join(found))


def write_pages(scenes: dict[str, str], docs: Path, pictures: Path) -> None:
    """Write the gallery's page, and the clips into the README beside the docs if it has a place for them."""
    (docs / "gallery.md").write_text(gallery_page(scenes, pictures), encoding="utf-8", newline="\n")
    readme = docs.parent / "README.md"
    if readme.is_file():
        text = readme.read_text(encoding="utf-8")
        readme.write_text(with_pictures(text, scenes, pictures), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
