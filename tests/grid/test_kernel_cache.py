"""Machine code is found by what it is: by other processes, and by the same source in another place."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import plash
from plash.grid.kernel_cache import _FileByName

PROGRAM = """
import sys
from numba.core import event
seen = []
class Ear(event.Listener):
    on_start = on_end = lambda self, what: seen.append(what)
import numpy as np
from plash.grid.tiles import _find_neighbours
with event.install_listener("numba:compile", Ear()):
    _find_neighbours.compile("void(int64[::1], int32[:, ::1], int64, int64)")
print(len(seen), "numba.np.linalg" in sys.modules)
"""


def test_the_same_source_elsewhere_compiles_nothing_again(tmp_path):
    here = Path(plash.__file__).parent
    there = tmp_path / "other" / "plash"
    shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
    compiled, loaded = [], []
    for home in (here, here, there):
        environment = {**os.environ, "PLASH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(home.parent)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True
        )
        count, has_compiler = done.stdout.split()
        compiled.append(int(count))
        loaded.append(has_compiler)
    assert compiled[0] > 0
    assert compiled[1:] == [0, 0]
    assert loaded == ["True", "False", "False"]  # what numba compiles with, which takes a while to load


def test_code_from_before_an_edit_is_kept_where_no_other_finds_it(tmp_path):
    there = tmp_path / "plash"
    shutil.copytree(Path(plash.__file__).parent, there, ignore=shutil.ignore_patterns("__pycache__"))
    folder = "from plash.grid.cache_folder import cache_folder; print(cache_folder('plash.grid.tiles').name)"
    edit = f"import plash.grid.tiles; open({str(there / 'grid/loops.py')!r}, 'a').write('#')"
    before, during, after = (
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PLASH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for program in (folder, f"{edit}; {folder}", folder)
    )
    assert len({before, during, after}) == 3


def test_two_processes_that_compile_at_once_do_not_take_each_others_code(tmp_path):
    first, second = (_FileByName(str(tmp_path), "kernel-1.py311", "") for _ in range(2))
    flat, deep = ("run", (1, 16, 16)), ("run", (8, 8, 8))
    assert first.load(flat) is None
    assert second.load(deep) is None
    second.save(deep, "for deep tiles")
    first.save(flat, "for flat tiles")
    for process in (first, second):
        assert process.load(flat) == "for flat tiles"
        assert process.load(deep) == "for deep tiles"
