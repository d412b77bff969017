"""The package as its users meet it: names, help, threads, and scenes given by name."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import plash
from plash.errors import SceneError

PUBLIC = sorted(name for name in dir(plash) if not name.startswith("_"))
LIGHT = "import sys, plash; {}; loaded = {{'numba', 'scipy', 'pint'}} & set(sys.modules); assert not loaded, loaded"
MANY_THREADS = """
import sys, threading
import plash
names, faults, start = list(plash.gallery()), [], threading.Barrier(16)
def load(number):
    start.wait()
    try:
        plash.load_scene(names[number % len(names)])
        plash.Sphere(center=("1 cm", "2 mm"), radius="3 inch", rotation={"angle": "20 deg"})
    except Exception as error:
        faults.append(error)
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=load, args=(number,)) for number in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not faults, faults[0]
"""


def in_a_new_process(program):
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


@pytest.mark.slow
def test_many_threads_may_load_scenes_at_first_use():
    in_a_new_process(MANY_THREADS)


@pytest.mark.parametrize("what", ["pass", "dir(plash)", "plash.gallery()", "plash.Sphere(center=(0, 0), radius=1)"])
def test_import_and_dir_are_light(what):
    in_a_new_process(LIGHT.format(what))


def test_the_names_of_scenes_need_no_model_of_a_scene():
    in_a_new_process("import sys, plash; assert plash.gallery(); assert not {'numpy', 'pydantic'} & set(sys.modules)")


@pytest.mark.slow
def test_help_is_a_page_that_names_everything():
    shown, table = (
        subprocess.run(
            [sys.executable, "-c", f"import plash, pydoc; print(pydoc.plain(pydoc.render_doc({what})))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for what in ("plash", "plash.Box")
    )
    assert len(shown.splitlines()) < 600
    page = shown.partition("PACKAGE CONTENTS")[0]
    assert not [name for name in PUBLIC if not re.search(rf"\b{name}\b", page)]
    assert not [name for name in plash.__all__ if f"    {name}(" not in shown]
    assert "Simulate a scene, frame by frame" in shown
    assert len(table.splitlines()) < 100
    assert "min: The corner with the smallest coordinates. In m. Required." in table
    assert "model_validate" not in table


def test_completion_shows_keys_and_what_plash_says_of_them():
    assert {"min", "max", "rotation", "bounds", "model_copy"} <= set(dir(plash.Box(min=(0, 0), max=(1, 2))))
    assert not [name for name in dir(plash.Scene) if name.startswith(("_", "model_")) and name != "model_copy"]


def test_type_checkers_and_readers_are_told_the_same_names():
    tree = ast.parse(Path(plash.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    aliases = [alias for node in block.body for alias in getattr(node, "names", [])]
    assert sorted(alias.name for alias in aliases) == PUBLIC
    assert all(alias.name == alias.asname for alias in aliases)
    functions = [name for name in PUBLIC if inspect.isfunction(getattr(plash, name))]
    assert functions == plash.__all__


@pytest.mark.parametrize("call", [plash.simulate, plash.build, lambda scene: plash.check(scene, with_steps=False)])
def test_scene_may_be_given_by_name_or_path(call, tmp_path):
    path = tmp_path / "mine.toml"
    plash.write_scene(plash.load_scene("dam_break_2d", resolution=16, frames=2), path)
    assert call(path) is not None
    assert call(str(path)) is not None
    with pytest.raises(SceneError, match="no such file, and no scene of that name"):
        call("no_such_scene")
    with pytest.raises(TypeError, match="a scene is a Scene, a name from"):
        call(3)


def test_run_may_be_given_a_path(tmp_path):
    plash.write_scene(plash.load_scene("dam_break_2d", resolution=16, frames=2), tmp_path / "mine.toml")
    assert plash.run(tmp_path / "mine.toml", tmp_path / "run", stages=["simulate"]).frames == 2
