import importlib.util

import pytest

from plash.errors import MissingPartError
from plash.render import choice
from plash.render.mitsuba import variant
from plash.render.mitsuba.raytracer import RayTracer


@pytest.fixture
def without_mitsuba(monkeypatch):
    """As if the extra were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mitsuba" else find(name))
    variant.load_mitsuba.cache_clear()


def test_draft_is_drawn_by_the_built_in_renderer(make_scene, without_mitsuba):
    scene = make_scene()
    assert choice.drawable(scene) == (scene, "")
    assert not isinstance(choice.renderer_of(scene), RayTracer)


@pytest.mark.parametrize("quality", ["preview", "final"])
def test_better_pictures_are_ray_traced(make_scene, quality):
    scene = make_scene(quality=quality)
    assert choice.drawable(scene) == (scene, "")
    assert isinstance(choice.renderer_of(scene), RayTracer)


def test_two_dimensions_are_drawn_and_that_is_said(make_scene):
    scene, note = choice.drawable(make_scene(2, quality="preview"))
    assert scene == make_scene(2, quality="draft")
    assert "2-D" in note


def test_without_mitsuba_the_command_that_installs_it_is_named(make_scene, without_mitsuba):
    with pytest.raises(MissingPartError, match=r'pip install "plash\[render\]"') as error:
        choice.drawable(make_scene(quality="preview"))
    assert error.value.exit_code == 7
    with pytest.raises(MissingPartError):
        variant.load_mitsuba()
    scene, note = choice.drawable(make_scene(quality="preview"), or_built_in=True)
    assert scene == make_scene(quality="draft")
    assert 'pip install "plash[render]"' in note


def test_a_variant_that_crashes_is_not_used(monkeypatch):
    monkeypatch.delenv("PLASH_MITSUBA_VARIANT", raising=False)
    monkeypatch.setattr(variant, "_TRIAL", "import os; os.abort()")
    variant.variant.cache_clear()
    assert not variant.works(variant.QUICK)
    assert variant.variant() == "scalar_rgb"
    variant.variant.cache_clear()


def test_the_variant_is_named_with_the_reason_and_what_makes_it_quicker(monkeypatch, without_mitsuba):
    monkeypatch.delenv("PLASH_MITSUBA_VARIANT", raising=False)
    assert 'pip install "plash[render]"' in variant.variant_text()
    monkeypatch.setattr(variant, "is_installed", lambda: True)
    for works, told in ((True, "llvm_ad_rgb"), (False, "apt install libllvm19")):
        monkeypatch.setattr(variant, "works", lambda name, works=works: works)
        variant.variant.cache_clear()
        assert told in variant.variant_text()
    assert variant.variant_text().startswith("scalar_rgb")
    monkeypatch.setenv("PLASH_MITSUBA_VARIANT", "scalar_rgb")
    assert "PLASH_MITSUBA_VARIANT" in variant.variant_text()
    variant.variant.cache_clear()


def test_a_variant_that_hangs_is_not_used(monkeypatch):
    monkeypatch.setattr(variant, "_TRIAL", "import time; time.sleep(60)")
    monkeypatch.setattr(variant, "_PATIENCE", 0.2)
    assert not variant.works(variant.QUICK)


def test_the_variant_that_needs_nothing_works_in_a_process_of_its_own():
    assert variant.works("scalar_rgb")
    assert not variant.works("no_such_variant")
