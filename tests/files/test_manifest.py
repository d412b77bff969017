import json
from dataclasses import asdict

import pytest

from plash.errors import StorageError
from plash.files.layout import RunFolder
from plash.files.lock import locked
from plash.files.log import Log, read_log
from plash.files.manifest import Item, Manifest, read_manifest
from plash.solvers.ledger import Ledger


def example():
    manifest = Manifest("version = 1", "dam_break", "abc", 7, ["simulate"], name="run")
    manifest.stage("simulate").items[3] = Item(10, "ff", "abc", 0.5, asdict(Ledger(volume=0.25)))
    manifest.checkpoints[3] = Item(12, "ee", place=(3, 9))
    return manifest


def test_a_manifest_comes_back_as_it_was(tmp_path):
    folder = RunFolder(tmp_path)
    example().write(folder)
    assert read_manifest(folder) == example()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 2}', '{"format": 1, "stages": 3, "checkpoints": {}}', "\xff"]
)
def test_a_manifest_that_is_none_is_refused_with_a_remedy(tmp_path, text):
    folder = RunFolder(tmp_path)
    folder.manifest.write_text(text, encoding="latin-1")
    with pytest.raises(StorageError, match=r"manifest\.json"):
        read_manifest(folder)


def test_values_of_the_wrong_kind_are_refused(tmp_path):
    folder = RunFolder(tmp_path)
    example().write(folder)
    data = json.loads(folder.manifest.read_text())
    for key in data:
        folder.manifest.write_text(json.dumps({**data, key: 1.5}))
        with pytest.raises(StorageError):
            read_manifest(folder)


def test_a_folder_without_manifest_is_no_run(tmp_path):
    with pytest.raises(StorageError, match="is no run folder"):
        read_manifest(RunFolder(tmp_path))


def test_a_run_folder_has_one_user_at_a_time(tmp_path):
    folder = RunFolder(tmp_path / "run")
    in_use = pytest.raises(StorageError, match=r"in use by another plash \(process \d+\).*--out")
    with locked(folder), in_use, locked(folder):
        pass
    with locked(folder):
        pass


def test_a_step_is_logged_once(tmp_path):
    path = tmp_path / "log.jsonl"
    log = Log(path)
    for step in (1, 2, 3):
        log.append(step, {"dt": 0.5 * step})
    log.close()
    with path.open("ab") as file:
        file.write(b'{"step": 4, "d')  # killed in mid-line
    log = Log(path)
    for step in (2, 3, 4, 5):
        log.append(step, {"dt": 0.5 * step})
    log.close()
    assert [entry["step"] for entry in read_log(path)] == [1, 2, 3, 4, 5]
