"""What the shell offers when Tab is pressed."""

import os
import shutil
import subprocess
import sys

import pytest

import plash
from plash.cli.main import _commands, _exit_code

ENDS = {"bash": "complete -o nosort -F", "zsh": "compdef", "fish": "complete --no-files"}


@pytest.fixture
def offered(tmp_path, monkeypatch, capfd):
    """offered(line) -> what Bash is told when the cursor is at the end of a line."""
    monkeypatch.chdir(tmp_path)

    def complete(line):
        monkeypatch.setenv("_PLASH_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_LINE", line)
        monkeypatch.setenv("COMP_POINT", str(len(line.encode())))
        with pytest.raises(SystemExit) as ending:
            _exit_code([])
        assert ending.value.code == 0
        return [text.partition(",")[2] for text in capfd.readouterr().out.split()]

    return complete


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(shell, capfd):
    assert _exit_code(["completion", shell]) == 0
    text = capfd.readouterr().out
    assert ENDS[shell] in text
    assert f"_PLASH_COMPLETE={shell}_complete" in text


def test_an_unknown_shell_is_refused_with_those_there_are(capfd):
    assert _exit_code(["completion", "csh"]) == 2
    assert "'bash', 'zsh', 'fish'" in capfd.readouterr().err


def test_commands_are_offered_without_loading_them(offered):
    assert offered("plash ") == list(_commands())
    assert offered("plash re") == [name for name in _commands() if name.startswith("re")]


def test_scenes_are_those_of_the_gallery_and_files(offered, tmp_path):
    (tmp_path / "mine.toml").write_text("")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/other.toml").write_text("")
    assert offered("plash run dam") == [name for name in plash.gallery() if name.startswith("dam")]
    assert offered("plash look mi") == ["mine.toml"]
    assert offered("plash check fo") == ["fountain", "folder/"]
    assert offered("plash run folder/") == ["folder/other.toml"]
    assert offered("plash run nowhere/") == []
    assert offered("plash new mine --from stil") == ["still_pool"]


def test_runs_are_offered_to_commands_that_take_one(offered, tmp_path):
    (tmp_path / "out/one").mkdir(parents=True)
    (tmp_path / "out/one/manifest.json").write_text("{}")
    assert offered("plash resume out/o") == ["out/one", "out/one/"]


@pytest.mark.parametrize(
    ("line", "first", "some"),
    [
        ("--set sol", "solver.", ["solver."]),
        ("--set solver.tra", "solver.transfer=", ["solver.transfer="]),
        ("--set reso", "resolution=", ["resolution="]),
        ("--set solver.transfer=", "flip", ["flip", "apic", "pic"]),
        ("--set solver.transfer=f", "flip", ["flip"]),
        ("--set look.edges=t", "true", ["true"]),
        ("--qual", "--quality", ["--quality"]),
        ("--quality p", "preview", ["preview"]),
    ],
)
def test_parameters_and_their_words_are_offered(offered, line, first, some):
    found = offered(f"plash run dam_break {line}")
    assert first in found
    assert set(some) <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no Bash here")
def test_bash_itself_completes_a_word_of_a_parameter(tmp_path):
    program = tmp_path / "plash"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -m plash\n")
    program.chmod(0o755)
    source = subprocess.run([sys.executable, "-m", "plash", "completion", "bash"], capture_output=True, text=True)
    line = "plash run still_pool --set solver.transfer=fl"
    script = f"""{source.stdout}
compopt() {{ :; }}
COMP_LINE='{line}' COMP_POINT={len(line)}
_plash_completion plash fl =
echo "${{COMPREPLY[@]}}"
"""
    paths = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env={**os.environ, "PATH": paths})
    assert done.stdout.split() == ["flip"], done.stderr
