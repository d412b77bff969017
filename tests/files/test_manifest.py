import json
from dataclasses import asdict

import pytest

from plash.errors import DamagedError, StorageError
from plash.files.layout import RunFolder
from plash.files.lock import locked
from plash.files.manifest import Item, Manifest, read_manifest
from plash.pipeline.stages.registry import STAGES
from plash.solvers.ledger import Ledger


def example():
    manifest = Manifest("version = 1", "dam_break", "abc", 7, ["simulate"], name="run")
    manifest.stage("simulate").items[3] = Item(10, "ff", "abc", 0.5, asdict(Ledger(volume=0.25)))
    manifest.checkpoints[3] = Item(12, "ee", place=(3, 9))
    return manifest


def test_a_manifest_comes_back_as_it_was(tmp_path):
    folder = RunFolder(tmp_path)
    example().write(folder)
    assert read_manifest(folder, STAGES) == example()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 2}', '{"format": 1, "stages": 3, "checkpoints": {}}', "\xff"]
)
def test_a_manifest_that_is_none_is_refused_with_a_remedy(tmp_path, text):
    folder = RunFolder(tmp_path)
    folder.manifest.write_text(text, encoding="latin-1")
    with pytest.raises(StorageError, match=r"manifest\.json"):
        read_manifest(folder, STAGES)


def test_values_of_the_wrong_kind_are_refused(tmp_path):
    folder = RunFolder(tmp_path)
    example().write(folder)
    data = json.loads(folder.manifest.read_text())
    for key in data:
        folder.manifest.write_text(json.dumps({**data, key: 1.5}))
        with pytest.raises(StorageError):
            read_manifest(folder, STAGES)


def changed(folder, **changes):
    example().write(folder)
    data = json.loads(folder.manifest.read_text())
    folder.manifest.write_text(json.dumps({**data, **changes}))


ITEM = {"bytes": 1, "sha256": ""}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"bananas": 1}, "bananas: unexpected"),
        ({"wanted": ["bake"]}, "wanted.0: 'bake' is none of simulate"),
        ({"stages": {"bake": {}}}, "stages: 'bake' is none of simulate"),
        ({"stages": {"mesh": {"status": "odd"}}}, "stages.mesh.status: 'odd' is none of"),
        ({"stages": {"mesh": {"items": {"1": {**ITEM, "bytes": -1}}}}}, "items.1.bytes: input should be greater"),
        ({"stages": {"mesh": {"items": {"1": {**ITEM, "bytes": 10**30}}}}}, "items.1.bytes"),
        ({"stages": {"mesh": {"items": {"1": {**ITEM, "seconds": float("nan")}}}}}, "items.1.seconds: .*finite"),
        ({"stages": {"mesh": {"items": {"1": {**ITEM, "seconds": float("inf")}}}}}, "items.1.seconds: .*finite"),
        ({"stages": {"mesh": {"items": {"1": {"bytes": 1}}}}}, "items.1.sha256: field required"),
        ({"stages": {"mesh": {"items": {"0": ITEM}}}}, "stages.mesh.items: there is no frame 0"),
        ({"stages": {"video": {"items": {"-9": ITEM}}}}, "stages.video.items: there is no frame -9"),
        ({"stages": {"report": {"items": {"1": ITEM}}}}, "stages.report.items: there is no frame 1"),
        ({"stages": {"simulate": {"items": {"1": {**ITEM, "ledger": {"volume": "much"}}}}}}, "ledger.*volume"),
        ({"stages": {"simulate": {"items": {"1": {**ITEM, "ledger": {"volume": float("nan")}}}}}}, "ledger"),
        ({"checkpoints": {"3": ITEM}}, "checkpoints.3: is at no frame"),
        ({"checkpoints": {"3": {**ITEM, "place": [4, 1]}}}, "checkpoints.3: is at no frame"),
        ({"checkpoints": {"3": {**ITEM, "place": [3]}}}, "checkpoints.3.place"),
        ({"checkpoints": {"3": {**ITEM, "place": [3, -1]}}}, "checkpoints.3.place"),
        ({"name": "../../etc/passwd"}, "name: '../../etc/passwd' is no name of a file"),
        ({"name": "/etc/passwd"}, "name: '/etc/passwd' is no name of a file"),
        ({"name": "a\0b"}, "name: .* is no name of a file"),
        ({"name": "x" * 300}, "name: .* is no name of a file"),
        ({"scene": "\ud800"}, "Invalid JSON"),
        ({"seed": 10**400}, "seed"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_each_thing_that_is_wrong_is_named(tmp_path, changes, says):
    folder = RunFolder(tmp_path)
    changed(folder, **changes)
    with pytest.raises(DamagedError, match=rf"manifest\.json: is damaged: .*{says}.*--force") as error:
        read_manifest(folder, STAGES)
    assert error.value.exit_code == 5
    assert len(str(error.value)) < 800


@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"scene":' * 200_000, "9" * 100_000], ids=["lists", "tables", "number"]
)
def test_deep_and_long_manifests_are_refused(tmp_path, text):
    folder = RunFolder(tmp_path)
    folder.manifest.write_text(text)
    with pytest.raises(DamagedError, match="Invalid JSON"):
        read_manifest(folder, STAGES)


def test_a_manifest_without_end_is_not_read(tmp_path):
    folder = RunFolder(tmp_path)
    with folder.manifest.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(DamagedError, match=f"it has {1 << 40} bytes"):
        read_manifest(folder, STAGES)


def test_a_manifest_of_an_earlier_plash_is_read(tmp_path):
    folder = RunFolder(tmp_path)
    example().write(folder)
    data = json.loads(folder.manifest.read_text())
    del data["name"], data["stages"]["simulate"]["items"]["3"]["changed"]
    folder.manifest.write_text(json.dumps(data))
    assert read_manifest(folder, STAGES).name == tmp_path.name


def test_a_message_that_is_no_text_can_be_written(tmp_path):
    folder = RunFolder(tmp_path)
    manifest = example()
    manifest.message = "bad name: \udcff"
    manifest.write(folder)
    assert read_manifest(folder, STAGES).message == "bad name: ?"


def test_a_folder_without_manifest_is_no_run(tmp_path):
    with pytest.raises(StorageError, match="is no run folder"):
        read_manifest(RunFolder(tmp_path), STAGES)


def test_a_run_folder_has_one_user_at_a_time(tmp_path):
    folder = RunFolder(tmp_path / "run")
    in_use = pytest.raises(StorageError, match=r"in use by another plash \(process \d+\).*--out")
    with locked(folder, STAGES), in_use, locked(folder, STAGES):
        pass
    with locked(folder, STAGES):
        pass
