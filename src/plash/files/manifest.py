"""The manifest: what a run is, which program made it, and every file it has finished, with its checksum.

It is rewritten after each frame. A file that is not in it does not count: a run that is killed between two files
does the frame again.
"""

from __future__ import annotations

import json
import platform
import tomllib
from dataclasses import asdict, dataclass, field, fields
from importlib import metadata
from typing import Any

from plash.errors import StorageError
from plash.files.atomic import Written, errors_of_disk, write_bytes
from plash.files.layout import RunFolder
from plash.version import VERSION

FORMAT = 1
UNITS = "SI: m, s, m/s, m^3 (in 2-D m^2: per metre of depth)"


@dataclass(frozen=True)
class Item:
    """One finished file.

    Attributes:
        bytes: Its size.
        sha256: Its checksum.
        source: What it was made from: a hash of the settings and of the files read.
        seconds: How long it took to make, but for compiling.
        ledger: For a simulated frame, the volumes up to it.
        energy: For a simulated frame, its kinetic and potential energy, J (in 2-D J/m).
        place: For a checkpoint, the last whole frame it holds and the steps taken since the start.
        compiling: How long kernels were compiled meanwhile, s: they are kept for all runs of this version.
    """

    bytes: int
    sha256: str
    source: str = ""
    seconds: float = 0.0
    ledger: dict[str, Any] | None = None
    energy: dict[str, float] | None = None
    place: tuple[int, int] | None = None
    compiling: float = 0.0

    @property
    def written(self) -> Written:
        """What the file held when it was written."""
        return Written(self.bytes, self.sha256)


@dataclass
class Stage:
    """How far a stage came: its files by frame, and in a word how it stands."""

    status: str = "waiting"
    items: dict[int, Item] = field(default_factory=dict)


def versions() -> dict[str, str]:
    """The programs whose versions decide the bits of a result."""
    packages = {name: metadata.version(name) for name in ("numpy", "numba", "scipy")}
    return {"plash": VERSION, "python": platform.python_version(), **packages, "machine": platform.machine()}


@dataclass
class Manifest:
    """What a run is and how far it came.

    Attributes:
        scene: The scene as the text of a file.
        source: What the scene was loaded from, as messages call it.
        physics: Hash of all that the simulation depends on.
        seed: Start of all random numbers.
        wanted: The stages that the run was asked for, in order.
        stages: What each stage has finished.
        checkpoints: What there is to go on from, by frame; 0 stands for the one written in mid-frame on a stop.
        versions: Of the programs that started the run.
        units: Of every number in the run's files.
        message: Why the run ended early; empty otherwise.
    """

    scene: str
    source: str
    physics: str
    seed: int
    wanted: list[str] = field(default_factory=list)
    stages: dict[str, Stage] = field(default_factory=dict)
    checkpoints: dict[int, Item] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)
    units: str = UNITS
    message: str = ""

    @property
    def kind(self) -> str:
        """Which kind of solver the scene asks for."""
        kind: str = tomllib.loads(self.scene).get("solver", {}).get("kind", "liquid")
        return kind

    def stage(self, name: str) -> Stage:
        """A stage by name."""
        return self.stages.setdefault(name, Stage())

    def write(self, folder: RunFolder) -> None:
        """Replace the manifest on disk."""
        data = {"format": FORMAT, **asdict(self)}
        write_bytes(folder.manifest, json.dumps(data, indent=1, ensure_ascii=False).encode())


def read_manifest(folder: RunFolder) -> Manifest:
    """The manifest of a run.

    Raises:
        StorageError: There is none, or it is not one that this plash can read.
    """
    path = folder.manifest
    if not path.exists():
        raise StorageError(f"{folder.root}: is no run folder: it has no manifest.json. `plash run` makes one")
    with errors_of_disk(path, "read"):
        text = path.read_bytes()
    try:
        data = json.loads(text)
        found = data.pop("format")
        if found != FORMAT:
            raise StorageError(
                f"{path}: has format {found}: this plash reads format {FORMAT}. Use the plash that wrote it"
            )
        return _from_data(data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StorageError(
            f"{path}: is damaged ({type(error).__name__}: {error}). The frames beside it are untouched; "
            "start anew with another --out, or with --force to begin again here"
        ) from None


def _from_data(data: dict[str, Any]) -> Manifest:
    stages = {
        name: Stage(part["status"], {int(number): _item(item) for number, item in part["items"].items()})
        for name, part in data.pop("stages").items()
    }
    checkpoints = {int(number): _item(item) for number, item in data.pop("checkpoints").items()}
    manifest = Manifest(stages=stages, checkpoints=checkpoints, **data)
    for part in fields(Manifest):
        value = getattr(manifest, part.name)
        wanted = {"str": str, "int": int, "list[str]": list}.get(str(part.type), dict)
        if not isinstance(value, wanted):
            raise TypeError(f"{part.name} is {type(value).__name__}, not {wanted.__name__}")
    return manifest


def _item(data: dict[str, Any]) -> Item:
    item = Item(**data)
    return Item(**{**data, "place": None if item.place is None else (int(item.place[0]), int(item.place[1]))})
