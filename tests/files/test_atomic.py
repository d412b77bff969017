import os

import numpy as np
import pytest

from plash.errors import DamagedError, StorageError
from plash.files.arrays import read_arrays, write_arrays
from plash.files.atomic import Written, has_size, read_bytes, remove_temporaries, verify, write_bytes, write_file


def test_what_was_written_is_read_back(tmp_path):
    path = tmp_path / "a folder" / "naïve 水.bin"
    written = write_bytes(path, b"drops")
    assert read_bytes(path, written, "again") == b"drops"
    assert has_size(path, written)
    assert list(path.parent.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def fail(temporary):
        temporary.write_bytes(b"half")
        raise OSError(28, os.strerror(28))

    with pytest.raises(StorageError, match=r"no space left on device.*`plash resume`"):
        write_file(path, fail)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", [b"", b"drop", b"drips", b"drops and more"])
def test_damage_is_noticed(tmp_path, damage):
    path = tmp_path / "file"
    written = write_bytes(path, b"drops")
    path.write_bytes(damage)
    for read in (read_bytes, verify):
        with pytest.raises(DamagedError, match=r"file: is damaged.*Make it again"):
            read(path, written, "Make it again")
    assert has_size(path, written) == (len(damage) == 5)


def test_a_missing_file_is_named_with_the_remedy(tmp_path):
    with pytest.raises(DamagedError, match=r"gone: is missing. Make it again"):
        read_bytes(tmp_path / "gone", Written(1, ""), "Make it again")


def test_a_file_in_place_of_a_folder_is_an_error_of_storage(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="--out"):
        write_bytes(tmp_path / "file" / "inner", b"")


def test_leftovers_of_killed_writers_are_removed(tmp_path):
    (tmp_path / ".particles.0001.npz.4242.tmp").write_bytes(b"half")
    (tmp_path / "particles.0001.npz").write_bytes(b"whole")
    remove_temporaries(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["particles.0001.npz"]


def test_the_same_arrays_give_the_same_bytes(tmp_path):
    arrays = {"position": np.random.default_rng(1).uniform(size=(7, 3)), "time": np.array(0.5)}
    assert write_arrays(tmp_path / "a.npz", arrays) == write_arrays(tmp_path / "b.npz", dict(arrays))
    found = read_arrays(tmp_path / "a.npz", None, "").by_name
    assert all(np.array_equal(found[name], arrays[name]) for name in arrays)


def test_arrays_are_not_read_from_something_else(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(DamagedError, match=r"a\.npz: is damaged"):
        read_arrays(tmp_path / "a.npz", None, "")
