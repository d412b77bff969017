"""Signals in the first moments of the program, what a stopped run tells, and the last moments."""

import signal
import subprocess
import sys

import pytest

# The signal comes when a module is about to be imported: no clock decides which moment is met
PROGRAM = """
import os, signal, sys
class Moment:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
from plash.cli import main
sys.meta_path.insert(0, Moment())
sys.argv = ["plash", "run", "dam_break_2d", "--frames", "1", "--out", {out!r}, *{more}]
main()
"""

MOMENTS = ["click", "plash.cli.commands", "plash.scene.model", "numba", "plash.pipeline.run"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "number"),
    [(module, signal.SIGINT) for module in MOMENTS] + [("plash.scene.model", signal.SIGTERM)],
)
def test_a_signal_while_starting_up_ends_it_with_a_word(tmp_path, module, number):
    out = tmp_path / "run"
    text = PROGRAM.format(module=module, number=int(number), out=str(out), more=[])
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout) == (130, "plash: stopped\n", "")
    assert not out.exists()


def test_with_json_it_is_told_as_json(tmp_path):
    text = PROGRAM.format(module="numba", number=int(signal.SIGTERM), out=str(tmp_path / "run"), more=["--json"])
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout == '{"event": "error", "message": "stopped", "exit_code": 130}\n'


ENDING = """
import atexit, sys
from plash.cli import main
sys.argv = ["plash", {command!r}]
try:
    main()
finally:
    atexit.register(print, "done at the end")
"""


@pytest.mark.parametrize(("command", "code"), [("scenes", 0), ("scense", 2)])
def test_the_end_keeps_output_and_code_and_does_what_is_to_be_done_then(command, code):
    done = subprocess.run([sys.executable, "-c", ENDING.format(command=command)], capture_output=True, text=True)
    assert done.returncode == code
    assert ("dam_break_2d" in done.stdout) == (code == 0)
    assert done.stdout.splitlines()[-1] == "done at the end"
