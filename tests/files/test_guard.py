"""A run folder from a stranger: links, pipes and folders where files should be."""

import os
import socket

import pytest

from plash.errors import DamagedError, StorageError
from plash.files.atomic import Written, has_size, read_bytes, verify, write_bytes
from plash.files.layout import RunFolder
from plash.files.lock import is_locked, locked
from plash.files.manifest import Manifest, read_manifest
from plash.pipeline.stages.registry import STAGES


@pytest.fixture
def folder(tmp_path):
    found = RunFolder(tmp_path / "run")
    Manifest("version = 1", "scene", "abc", 0, ["simulate"], name="run").write(found)
    return found


@pytest.fixture
def elsewhere(tmp_path):
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "diary").write_text("private")
    return place


@pytest.mark.parametrize("name", [".lock", "log.jsonl", "manifest.json"])
def test_files_that_are_links_are_refused_and_their_targets_left_alone(folder, elsewhere, name):
    (folder.root / name).unlink(missing_ok=True)
    (folder.root / name).symlink_to(elsewhere / "diary")
    for enter in (lambda: locked(folder, STAGES).__enter__(), lambda: read_manifest(folder, STAGES)):
        with pytest.raises(StorageError, match=f"{name}: is a link to .*diary, not a file"):
            enter()
    assert (elsewhere / "diary").read_text() == "private"
    assert not is_locked(folder)


@pytest.mark.parametrize("part", ["checkpoints", "particles", "grids", "mesh", "render"])
def test_folders_that_are_links_are_refused(folder, elsewhere, part):
    (folder.root / part).symlink_to(elsewhere)
    (elsewhere / ".old.tmp").write_text("not ours")
    for enter in (lambda: locked(folder, STAGES).__enter__(), lambda: read_manifest(folder, STAGES)):
        with pytest.raises(StorageError, match=f"{part}: is a link to .*elsewhere, not a folder"):
            enter()
    assert sorted(path.name for path in elsewhere.iterdir()) == [".old.tmp", "diary"]


def test_a_link_that_leads_nowhere_is_refused_too(folder, tmp_path):
    folder.log.symlink_to(tmp_path / "to be made")
    with pytest.raises(StorageError, match="is a link"), locked(folder, STAGES):
        pass
    assert not (tmp_path / "to be made").exists()


def test_the_run_folder_itself_may_be_a_link(folder, tmp_path):
    (tmp_path / "short").symlink_to(folder.root)
    with locked(RunFolder(tmp_path / "short"), STAGES):
        assert read_manifest(RunFolder(tmp_path / "short"), STAGES).physics == "abc"


def _pipe(path):
    os.mkfifo(path)


def _socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def _device(path):
    os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))


@pytest.mark.parametrize("make", [_pipe, _socket, _device, os.mkdir], ids=["pipe", "socket", "device", "folder"])
def test_what_is_no_file_is_named_and_never_opened(folder, make, monkeypatch):
    monkeypatch.chdir(folder.root)  # names of sockets are short
    folder = RunFolder(folder.root.relative_to(folder.root))
    word = {_pipe: "a pipe", _socket: "a socket", _device: "a device", os.mkdir: "a folder"}[make]
    for path in (folder.lock, folder.log):
        try:
            make(path)
        except PermissionError:
            pytest.skip("making a device needs an administrator")
        with pytest.raises(StorageError, match=f"is {word}, not a file"), locked(folder, STAGES):
            pass
        os.rmdir(path) if make is os.mkdir else os.unlink(path)
    make(folder.contact)
    for read in (read_bytes, verify):
        with pytest.raises(DamagedError, match=f"contact.png: is {word}, not a file. Again"):
            read(folder.contact, Written(3, ""), "Again")
    assert not has_size(folder.contact, Written(folder.contact.stat().st_size, ""))
    assert not is_locked(folder)


def test_a_file_that_is_a_link_is_replaced_and_its_target_left_alone(folder, elsewhere):
    folder.contact.symlink_to(elsewhere / "diary")
    with pytest.raises(DamagedError, match="is a link to"):
        read_bytes(folder.contact, None, "")
    write_bytes(folder.contact, b"new")
    assert folder.contact.read_bytes() == b"new"
    assert not folder.contact.is_symlink()
    assert (elsewhere / "diary").read_text() == "private"


def test_a_file_of_another_size_is_refused_before_it_is_read(folder):
    with folder.contact.open("wb") as file:
        file.truncate(1 << 42)  # 4 TB, none of them on disk
    with pytest.raises(DamagedError, match=f"it has {1 << 42} bytes, not 3"):
        read_bytes(folder.contact, Written(3, ""), "")
