"""The package as its users meet it: names, help, threads, and scenes given by name."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import plash
from plash.errors import SceneError

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


@pytest.mark.slow
def test_dir_and_help_show_every_public_name():
    assert set(plash.__all__) <= set(dir(plash))
    shown = subprocess.run(
        [sys.executable, "-c", "import plash, pydoc; print(pydoc.plain(pydoc.render_doc(plash)))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    missing = [name for name in plash.__all__ if f"class {name}" not in shown and f"    {name}(" not in shown]
    assert not missing
    assert "Simulate a scene, frame by frame" in shown


def test_type_checkers_and_readers_are_told_the_same_names():
    tree = ast.parse(Path(plash.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = [alias.name for node in block.body for alias in getattr(node, "names", [])]
    assert sorted(imported) == sorted(plash.__all__)


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
