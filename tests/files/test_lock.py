"""The lock of a run folder: one program at a time, told by name, and gone with its process."""

import errno
import subprocess
import sys

import pytest

from plash.errors import StorageError
from plash.files.layout import RunFolder
from plash.files.lock import is_locked, locked

HOLDER = """
import sys
from pathlib import Path
from plash.files.layout import RunFolder
from plash.files.lock import locked
with locked(RunFolder(Path(sys.argv[1])), {}):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


@pytest.fixture
def holder(folder):
    """Another program that holds the folder until its standard input ends."""
    command = [sys.executable, "-c", HOLDER, str(folder.root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_another_program_is_told_which_one_holds_the_folder(folder, holder):
    assert is_locked(folder)
    for _ in range(2):  # who asked before has not wiped out the name
        with (
            pytest.raises(StorageError, match=rf"in use by another plash \(process {holder.pid}\)"),
            locked(folder, {}),
        ):
            pass
    assert is_locked(folder)


@pytest.mark.parametrize("end", ["killed", "by itself"])
def test_the_lock_goes_with_the_process(folder, holder, end):
    if end == "killed":
        holder.kill()
        holder.wait()
    else:
        holder.communicate()
        assert holder.returncode == 0
    assert not is_locked(folder)
    with locked(folder, {}):
        assert is_locked(folder)
    assert not is_locked(folder)


def test_nothing_stands_in_the_byte_that_windows_locks(folder, holder):
    """Others may read the rest of the file there, and find the owner."""
    with folder.lock.open("rb", buffering=0) as file:
        file.seek(1)
        assert file.read() == f"{holder.pid}\n".encode()


def test_a_shorter_number_of_the_next_owner_leaves_nothing_of_the_last(folder, monkeypatch):
    for number in (1234567, 89):
        monkeypatch.setattr("os.getpid", lambda number=number: number)
        with locked(folder, {}):
            assert folder.lock.read_bytes()[1:] == f"{number}\n".encode()


def test_a_disk_that_knows_no_locks_is_told_by_name(folder, monkeypatch):
    def refuse(descriptor, blocking):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("plash.files.lock.lock_descriptor", refuse)
    with pytest.raises(StorageError, match=r"run: cannot be locked: no locks available"), locked(folder, {}):
        pass
    folder.lock.touch()
    assert not is_locked(folder)
