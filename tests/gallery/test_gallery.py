"""The page of the gallery, without running a simulation."""

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gallery.__main__ import main, write_pages
from gallery.page import README_STILLS, gallery_page, short_text, with_pictures
from gallery.pictures import NOT_SHOWN, Pictures, complaints, settings_of
from PIL import Image, ImageSequence

import plash
from gallery import clips, heroes
from gallery import pictures as pictures_module
from plash.render.preview.preview import preview_of

MISSING = README_STILLS[1]


@pytest.fixture
def docs(tmp_path):
    """A docs folder with pictures of every scene but one."""
    folder = tmp_path / "docs" / "pictures" / "gallery"
    folder.mkdir(parents=True)
    for name in plash.gallery():
        if name != MISSING:
            Pictures(folder, name).still.write_bytes(b"still")
            Pictures(folder, name).clip.write_bytes(b"clip")
    heroes.still(folder, README_STILLS[0]).write_bytes(b"large")
    return tmp_path / "docs"


def test_the_page_has_every_scene_that_has_pictures(docs):
    page = gallery_page(plash.gallery(), docs / "pictures" / "gallery")
    shown = [name for name in plash.gallery() if f"plash run {name}\n" in page]
    assert shown == [name for name in plash.gallery() if name not in (MISSING, *NOT_SHOWN)]
    for link in re.findall(r"!\[.*?\]\((.*?)\)", page):
        assert (docs / link).is_file()
    assert len(re.findall(r"^## ", page, re.MULTILINE)) == len(shown)
    assert "## Dam break in 2-D" in page


def test_scenes_on_the_page_are_those_that_are_shipped(docs):
    page = gallery_page(plash.gallery(), docs / "pictures" / "gallery")
    shown = [name for name in plash.gallery() if name not in (MISSING, *NOT_SHOWN)]
    for name, text in zip(shown, re.findall(r"```toml\n(.*?)```", page, re.DOTALL), strict=True):
        scene = plash.parse_scene(f"version = 1\n{text}", "page", Path(plash.__file__).parent / "scenes")
        assert scene.fill == plash.load_scene(name).fill


def test_a_short_text_says_all_but_the_head():
    assert short_text("version = 1\ntitle = 'a'\n[time]\n# why\nfps = 24\n") == "[time]\n# why\nfps = 24"


def test_the_readme_gets_stills_between_its_marks(docs):
    readme = docs.parent / "README.md"
    readme.write_text("# plash\n\n<!-- gallery: written by `make gallery` -->\nthen\n<!-- end of gallery -->\n\nmore\n")
    for _ in range(2):
        write_pages(plash.gallery(), docs, docs / "pictures" / "gallery")
    text = readme.read_text()
    assert "\nthen\n" not in text
    assert text.startswith("# plash\n")
    assert text.endswith("\nmore\n")
    sources = re.findall(r'src="(.*?)"', text)
    assert len(sources) == len(README_STILLS) - 1
    assert [source.endswith("_large.jpg") for source in sources] == [n == 0 for n in range(len(sources))]
    assert all((docs.parent / source).is_file() for source in sources)
    assert with_pictures("no marks", plash.gallery(), docs) == "no marks"


def test_a_gallery_that_is_too_large_is_refused(docs, monkeypatch):
    folder = docs / "pictures" / "gallery"
    assert complaints(folder) == []
    monkeypatch.setattr(pictures_module, "LARGEST_GALLERY", 20)
    assert "in all, more than" in complaints(folder)[0]
    monkeypatch.setattr(pictures_module, "LARGEST_CLIP", 4)
    assert any(line.startswith(f"{folder / 'dam_break.jpg'}: has") for line in complaints(folder))


def test_settings_make_short_small_runs_of_scenes_as_shipped():
    for name in plash.gallery():
        scene, shipped = plash.load_scene(name, **settings_of(name)), plash.load_scene(name)
        assert scene.time.frames <= max(2, 5 * scene.time.fps)
        assert scene.look.width == 480
        assert "webp" in scene.output.movies
        assert (scene.domain, scene.fill, scene.solid) == (shipped.domain, shipped.fill, shipped.solid)


def test_quality_is_asked_for_only_where_there_is_one(monkeypatch):
    monkeypatch.setattr(pictures_module, "QUALITY", "preview")
    assert ("look.quality" in settings_of("dam_break")) == ("quality" in plash.Look.model_fields)


def test_an_unknown_scene_is_refused(tmp_path):
    done = CliRunner().invoke(main, ["--only", "dam_braek", "--docs", str(tmp_path)])
    assert done.exit_code == 2
    assert "dam_break" in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_scene_becomes_a_still_and_a_clip(tmp_path):
    pictures = Pictures(tmp_path / "pictures", "dam_break_2d")
    small: Any = {"resolution": 16, "frames": 3, "look.width": 64}
    pictures_module.make_pictures("dam_break_2d", tmp_path / "runs", pictures, **small)
    assert pictures.are_there
    with Image.open(pictures.still) as still, Image.open(pictures.clip) as clip:
        assert (still.format, still.width) == ("JPEG", 64)
        assert (clip.format, len(list(ImageSequence.Iterator(clip)))) == ("WEBP", 3)


def test_a_wide_clip_is_taken_from_a_run_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(clips, "WIDE", {"dam_break_2d": clips.Wide(2, 4, 16)})
    small: Any = {"look.quality": "draft", "look.width": 64}
    clips.make_wide_clip("dam_break_2d", tmp_path / "runs", tmp_path, None, **small)
    with Image.open(clips.wide_clip(tmp_path, "dam_break_2d")) as clip:
        assert (clip.format, clip.width, len(list(ImageSequence.Iterator(clip)))) == ("WEBP", 64, 3)
    page = gallery_page({"dam_break_2d": "A dam breaks."}, tmp_path)
    assert f"({tmp_path.parent.name}/{tmp_path.name}/dam_break_2d_wide.webp)" in page


def test_a_large_still_is_made_once_and_again_when_its_scene_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(heroes, "HEROES", {"drop_in_pool": heroes.Hero(1, 8)})
    monkeypatch.setattr(heroes, "WIDTH", 32)
    monkeypatch.setattr(heroes, "renderer_of", lambda scene: preview_of(scene))
    file = heroes.still(tmp_path / "pictures", "drop_in_pool")
    stamps = []
    for more in ({}, {}, {"look.set": "dark"}):
        heroes.make_hero("drop_in_pool", tmp_path / "runs", tmp_path / "pictures", None, **more)
        stamps.append((file.stat().st_mtime_ns, file.read_bytes()))
    assert stamps[0] == stamps[1]
    assert stamps[1][1] != stamps[2][1]
    with Image.open(file) as image:
        assert image.size == (32, 18)


def test_a_scene_with_a_large_still_alone_is_on_the_page(docs):
    heroes.still(docs / "pictures" / "gallery", MISSING).write_bytes(b"large")
    page = gallery_page(plash.gallery(), docs / "pictures" / "gallery")
    before = page[: page.index(f"plash run {MISSING}\n")]
    section = before[before.rindex("\n## ") :]
    assert re.findall(r"\]\((.*?)\)", section) == [f"pictures/gallery/{MISSING}_large.jpg"]


def test_large_stills_are_of_scenes_that_exist_and_of_frames_they_have():
    assert heroes.SAMPLES >= 20
    for name, hero in heroes.HEROES.items():
        assert name not in NOT_SHOWN
        assert 1 <= hero.frame <= plash.load_scene(name).time.frames
        assert hero.resolution >= 128


def test_large_stills_are_all_there_and_none_is_too_large_for_a_page():
    folder = Path(__file__).parents[2] / "docs" / "pictures" / "gallery"
    assert {file.name for file in folder.glob("*_large.jpg")} == {heroes.still(folder, n).name for n in heroes.HEROES}
    for name in heroes.HEROES:
        file = heroes.still(folder, name)
        assert file.stat().st_size < 400_000
        with Image.open(file) as image:
            assert image.size[0] >= 1280
            assert image.size[1] >= 720
            assert len(image.info["comment"]) > 0  # what it was made from
