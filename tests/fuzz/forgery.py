"""Run folders from a stranger: files that are not what they seem, and a manifest that vouches for them.

Every forgery takes the random numbers, the folder, and a folder outside it that nothing may be written to.
"""

import io
import json
import os
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from .rot import HUGE, Damage, files_of

_DEEP = 100_000


def forge_array(chance: Random, folder: Path, outside: Path) -> None:
    """An array of a frame or a checkpoint that is none such."""
    found = [p for p in files_of(folder) if p.suffix == ".npz"]
    path = chance.choice(found)
    with np.load(path) as file:
        arrays = dict(file)
    for _ in range(chance.choice([1, 1, 2])):
        name = chance.choice(sorted(arrays))
        changed = _forged(chance, arrays[name])
        if changed is None:
            del arrays[name]
            break
        arrays[name] = changed
    data = io.BytesIO()
    np.savez(data, **arrays)
    _vouch(chance, folder, path, data.getvalue())


def _forged(chance: Random, array: np.ndarray) -> np.ndarray | None:
    shape = array.shape
    odd = [np.nan, np.inf, -np.inf, 1e30, -1e30, 0, -1, 2**31 - 1, 2**62, -(2**63)]
    ways: list[Callable[[], np.ndarray | None]] = [
        lambda: None,
        lambda: array[: len(array) // 2] if shape else array.reshape(1),
        lambda: array[..., : shape[-1] // 2] if shape else array,
        lambda: np.concatenate([array, array]) if shape else np.array([array, array]),
        lambda: array.T,
        lambda: array.reshape(-1),
        lambda: array[None],
        lambda: np.zeros(0, array.dtype),
        lambda: np.zeros(chance.choice([(0, 0), (3,), (2, 2), (1, 1, 1, 1), ()]), array.dtype),
        lambda: array.astype(np.dtype(chance.choice(["f8", "f4", "i1", "u8", "c16", "?", "U3"]))),
        lambda: np.array([None, {}], object),
        lambda: array.astype(array.dtype.newbyteorder()),
        lambda: np.asfortranarray(array),
        lambda: np.random.default_rng(chance.randrange(99)).permutation(array) if shape else array,
    ]
    if array.size and array.dtype.kind in "fiub":

        def spoilt() -> np.ndarray:
            flat = array.astype(array.dtype, copy=True).reshape(-1)
            value = chance.choice(odd)
            with np.errstate(all="ignore"):
                number = (
                    np.float64(value).astype(array.dtype) if array.dtype.kind == "f" else _whole(value, array.dtype)
                )
            flat[[chance.randrange(flat.size) for _ in range(chance.choice([1, 3]))]] = number
            return flat.reshape(shape)

        ways += [spoilt] * 10
    return chance.choice(ways)()


def _whole(value: float, dtype: np.dtype) -> int:
    if dtype.kind == "b":
        return bool(value)
    limits = np.iinfo(dtype)
    return int(min(max(value, limits.min), limits.max)) if np.isfinite(value) else int(limits.max)


def forge_about(chance: Random, folder: Path, outside: Path) -> None:
    """What a checkpoint says about itself."""
    path = chance.choice([p for p in files_of(folder) if p.parent.name == "checkpoints"])
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(arrays["about"].tobytes())
    change_somewhere(chance, about)
    arrays["about"] = np.frombuffer(_json(about), np.uint8)
    data = io.BytesIO()
    np.savez(data, **arrays)
    _vouch(chance, folder, path, data.getvalue())


def forge_zip(chance: Random, folder: Path, outside: Path) -> None:
    """An archive whose header promises more than anybody has."""
    path = chance.choice([p for p in files_of(folder) if p.suffix == ".npz"])
    shape = chance.choice(["(1000000000000,)", "(1000000, 1000000, 3)", "(-1,)", "(2, 99999999999999999999)", "x"])
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    data = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as new:
        spoilt = chance.choice(old.namelist())
        for name in old.namelist():
            forged = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + bytes(64)
            new.writestr(name, forged if name == spoilt else old.read(name))
    _vouch(chance, folder, path, data.getvalue())


def forge_bytes(chance: Random, folder: Path, outside: Path) -> None:
    """Any file, changed a little or altogether."""
    path = chance.choice([p for p in files_of(folder) if p.parent != folder])
    data = bytearray(path.read_bytes())
    way = chance.choice(["bits", "cut", "noise", "header", "other"])
    if way == "bits":
        for _ in range(chance.choice([1, 5, 50])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif way == "cut":
        del data[chance.randrange(len(data)) :]
    elif way == "noise":
        data = bytearray(chance.randbytes(chance.randrange(1000)))
    elif way == "header":
        old = chance.choice([b"element vertex ", b"element face ", b"property float ", b"IHDR", b"IDAT", b"PK"])
        data = data.replace(old, chance.choice([old + b"9999999999", old + b"-", b"", old[::-1]]))
    else:
        data = bytearray(chance.choice(files_of(folder)).read_bytes())
    _vouch(chance, folder, path, bytes(data))


def forge_manifest(chance: Random, folder: Path, outside: Path) -> None:
    """Entries that are missing, of another kind, or beyond reason."""
    path = folder / "manifest.json"
    data = json.loads(path.read_text())
    for _ in range(chance.choice([1, 1, 2, 5])):
        change_somewhere(chance, data)
    path.write_bytes(_json(data))


def forge_scene(chance: Random, folder: Path, outside: Path) -> None:
    """A scene in the manifest that is another, or none, or names files of this machine."""
    path = folder / "manifest.json"
    data = json.loads(path.read_text())
    scene = data["scene"]
    mesh = 'shape = {{ kind = "mesh", file = "{}" }}'
    other = [
        *("", "[", "version = 1", "\0", "a = " + "[" * _DEEP, "x" * 10**6, scene[: len(scene) // 2]),
        scene.replace("frames", "nonsense"),
        scene.replace("[domain]", "[domain]\nresolution = 4096"),
        scene.replace("3", "2"),
        scene.replace("version = 1", f'version = 1\n[look]\nlight = "{outside}/precious.hdr"', 1),
        *(f"{scene}\n[[solid]]\n{mesh.format(file)}\n" for file in (f"{outside}/precious", "/dev/zero", "/etc/passwd")),
    ]
    data["scene"] = chance.choice(other)
    path.write_bytes(_json(data))


def forge_json(chance: Random, folder: Path, outside: Path) -> None:
    """A manifest that is no JSON, or JSON that is no manifest."""
    path = folder / "manifest.json"
    whole = path.read_bytes()
    other = [
        *(b"", b"{}", b"[]", b"null", b"0", b'"manifest"', b"\xff\xfe", b"\xef\xbb\xbf" + whole, b"\0" * 100),
        *(b"[" * _DEEP, b'{"a":' * _DEEP, b"[" * _DEEP + b"]" * _DEEP, whole[: len(whole) // 2], whole + b"x"),
        *(whole.replace(b'"format": 2', b'"format": ' + new) for new in (b"1", b"NaN", b"1e999", b"[1]", b"9" * 5000)),
    ]
    path.write_bytes(chance.choice(other))


def replace_manifest(chance: Random, folder: Path, outside: Path) -> None:
    """Something else of that name."""
    path = folder / "manifest.json"
    way = chance.choice(["link", "fifo", "folder", "huge", "none", "device"])
    if way == "huge":
        os.truncate(path, HUGE)
        return
    whole = path.read_bytes()
    path.unlink()
    if way == "link":
        (outside / "manifest.json").write_bytes(whole)
        path.symlink_to(outside / "manifest.json")
    elif way == "fifo":
        os.mkfifo(path)
    elif way == "folder":
        path.mkdir()
    elif way == "device":
        path.symlink_to("/dev/zero")


# In the order in which several are done: what comes later leaves less of the manifest
FORGERIES: tuple[Damage, ...] = (
    *(forge_array, forge_array, forge_array, forge_about, forge_zip, forge_bytes, forge_bytes),
    *(forge_scene, forge_manifest, forge_manifest, forge_json, replace_manifest),
)


def change_somewhere(chance: Random, data: Any) -> None:
    """Replace, remove or add one entry of nested tables and lists, however deep it is."""
    item = data
    while True:
        keys = list(item) if isinstance(item, dict) else list(range(len(item)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(item[key], dict | list) and item[key] and chance.random() < 0.85:
            item = item[key]
            continue
        break
    deed = chance.choice(["replace", "replace", "replace", "remove", "add"])
    if deed == "replace":
        item[key] = odd_json(chance)
    elif deed == "remove":
        del item[key]
    elif isinstance(item, dict):
        item[chance.choice(["x", "", "0", "-1", "1e9", "99999999999999999999", "\ud800", "__class__"])] = odd_json(
            chance
        )
    else:
        item.insert(0, odd_json(chance))


def odd_json(chance: Random) -> Any:
    """A value that JSON can hold, or that only Python's JSON can."""
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    return chance.choice(
        [
            *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, 0.5, -1e308, float("nan"), float("inf")),
            *(
                "",
                "x",
                "\ud800",
                "\0",
                "../../x",
                "/etc/passwd",
                "a" * 10**5,
                [],
                {},
                [None],
                [1, 2, 3],
                {"a": 1},
                deep,
            ),
        ]
    )


def _json(data: Any) -> bytes:
    return json.dumps(data).encode("utf-8", "surrogatepass")


def _vouch(chance: Random, folder: Path, path: Path, data: bytes) -> None:
    """Write a file, and make the manifest say that it is the one that was written."""
    manifest = json.loads((folder / "manifest.json").read_text())
    before = sha256(path.read_bytes()).hexdigest()
    path.write_bytes(data)
    for items in [*(stage["items"] for stage in manifest["stages"].values()), manifest["checkpoints"]]:
        for item in items.values():
            if item["sha256"] == before:
                item["bytes"], item["sha256"] = len(data), sha256(data).hexdigest()
    (folder / "manifest.json").write_bytes(_json(manifest))
