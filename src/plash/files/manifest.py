"""The manifest: what a run is, which program made it, and every file it has finished, with its checksum.

It is rewritten after each frame. A file that is not in it does not count: a run that is killed between two files
does the frame again.
"""

from __future__ import annotations

import json
import platform
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from plash.errors import DamagedError, StorageError
from plash.files.atomic import Written, errors_of_disk, read_bytes, write_bytes
from plash.files.guard import NOTHING, found_at, refuse_strange_places
from plash.files.layout import RunFolder, Stages
from plash.scene.solver import SOLVER_KINDS, kind_named_in
from plash.solvers.ledger import Ledger
from plash.solvers.stored import AS_WRITTEN, Count, Seconds
from plash.version import VERSION

FORMAT = 2
UNITS = "SI: m, s, m/s, m^3 (in 2-D m^2: per metre of depth)"
LARGEST = 1 << 28  # bytes: more than a manifest of a hundred thousand frames has

Steps = Annotated[int, Field(ge=0, lt=1 << 40)]
Status = Annotated[str, AfterValidator(lambda word: _one_of(word, ("waiting", "running", "stopped", "failed", "done")))]


@dataclass
class _KeptLedger(Ledger):
    __pydantic_config__ = AS_WRITTEN


_LEDGER = TypeAdapter(_KeptLedger)


def _volumes(data: dict[str, Any]) -> dict[str, Any]:
    """The ledger of a frame, as plain data."""
    return asdict(_LEDGER.validate_python(data, strict=False))


def _one_of(word: str, known: tuple[str, ...]) -> str:
    if word not in known:
        raise ValueError(f"{word[:80]!r} is none of {', '.join(known)}")
    return word


def _file_name(name: str) -> str:
    """The name of a run, which its movies have too: it must not lead anywhere."""
    if len(name.encode()) > 250 or any(letter in name for letter in "/\\\0"):
        raise ValueError(f"{name[:80]!r} is no name of a file")
    return name


@dataclass(frozen=True)
class Item:
    """One finished file.

    Attributes:
        bytes: Its size.
        sha256: Its checksum.
        changed: When it was written, by the clock of the disk, in ns since 1970; 0 if that is not known.
        source: What it was made from: a hash of the settings and of the files read.
        seconds: How long it took to make, but for compiling.
        ledger: For a simulated frame, the volumes up to it.
        energy: For a simulated frame, its kinetic and potential energy, J (in 2-D J/m).
        place: For a checkpoint, the last whole frame it holds and the steps taken since the start.
        compiling: How long kernels were compiled meanwhile, s: they are kept for all runs of this version.
        edited: The name of the file that was taken in its place, if somebody edited it by hand; empty otherwise. It
            stays, whatever changes in what it would be made from, until that is undone.
    """

    bytes: Count
    sha256: str
    source: str = ""
    seconds: Seconds = 0.0
    ledger: Annotated[dict[str, Any], AfterValidator(_volumes)] | None = None
    energy: dict[str, float] | None = None
    place: tuple[Count, Steps] | None = None
    changed: int = 0
    compiling: Seconds = 0.0
    edited: str = ""

    @staticmethod
    def of(written: Written, **about: Any) -> Item:
        """The item of a file that was written just now."""
        return Item(written.bytes, written.sha256, changed=written.changed, **about)

    @property
    def written(self) -> Written:
        """What the file held when it was written."""
        return Written(self.bytes, self.sha256, self.changed)


@dataclass(frozen=True)
class Origin:
    """Where a run branched off another one.

    Attributes:
        folder: That of the other run, as it was named then.
        frame: The last frame that both share.
        physics: The other run's hash of all that its simulation depends on.
    """

    folder: str
    frame: Annotated[int, Field(ge=1, lt=1 << 31)]
    physics: str


@dataclass
class StageRecord:
    """How far a stage came: its files by number, and in a word how it stands."""

    status: Status = "waiting"
    items: dict[int, Item] = field(default_factory=dict)


def versions() -> dict[str, str]:
    """The programs whose versions decide the bits of a result."""
    packages = {name: metadata.version(name) for name in ("numpy", "numba", "scipy")}
    return {"plash": VERSION, "python": platform.python_version(), **packages, "machine": platform.machine()}


@dataclass
class Manifest:
    """What a run is and how far it came.

    Attributes:
        name: What the run is called, and its movies: as its folder was when it was begun, wherever it is moved to.
        scene: The scene as the text of a file.
        source: What the scene was loaded from, as messages call it.
        physics: Hash of all that the simulation depends on.
        seed: Random seed.
        wanted: The stages that the run was asked for, in order.
        stages: What each stage has finished.
        checkpoints: What there is to go on from, by frame; 0 stands for the one written in mid-frame on a stop.
        versions: Of the programs that started the run.
        units: Of every number in the run's files.
        message: Why the run ended early; empty otherwise.
        origin: Where it branched off another run; None if it begins at its first frame.
        branches: Folders of runs that branched off this one, and the last frame that each shares.
        format: By which rules this was written.
    """

    __pydantic_config__ = AS_WRITTEN

    format: int = field(default=FORMAT, kw_only=True)
    scene: str
    source: str
    physics: str
    seed: Annotated[int, Field(ge=0, lt=1 << 63)]
    wanted: list[str] = field(default_factory=list)
    stages: dict[str, StageRecord] = field(default_factory=dict)
    checkpoints: dict[int, Item] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)
    units: str = UNITS
    message: str = ""
    name: Annotated[str, AfterValidator(_file_name)] = ""
    origin: Origin | None = None
    branches: dict[str, Count] = field(default_factory=dict)

    @property
    def frame_files(self) -> str:
        """What the files of the frames are called."""
        return SOLVER_KINDS[kind_named_in(scene_data(self).get("solver"))].frame_files

    @property
    def steps(self) -> int:
        """How many time steps have been taken, as far as there is a checkpoint of them."""
        return max((item.place[1] for item in self.checkpoints.values() if item.place is not None), default=0)

    def stage(self, name: str) -> StageRecord:
        """How far a stage came, by its name."""
        return self.stages.setdefault(name, StageRecord())

    def write(self, folder: RunFolder) -> None:
        """Replace the manifest on disk."""
        empty = {key for key in ("origin", "branches") if not getattr(self, key)}
        try:
            text = _MANIFEST.dump_json(self, indent=1, exclude=empty)
        except PydanticSerializationError:  # a path in it is no text
            data = {key: part for key, part in asdict(self).items() if key not in empty}
            text = json.dumps(data, indent=1, ensure_ascii=False).encode(errors="replace")
        write_bytes(folder.manifest, text)


_MANIFEST = TypeAdapter(Manifest)


def read_manifest(folder: RunFolder, stages: Stages) -> Manifest:
    """The manifest of a run of some stages; a folder in which links lead elsewhere is refused.

    Raises:
        StorageError: There is none, or it is not one that this plash can read.
        DamagedError: It is not what plash has written.
    """
    path = folder.manifest
    if found_at(path) == NOTHING:
        raise StorageError(f"{folder.root}: is no run folder: it has no manifest.json. `plash run` makes one")
    refuse_strange_places(folder, stages)
    with errors_of_disk(path, "read"):
        size = path.stat().st_size
    if size > LARGEST:
        raise _damaged(folder, f"it has {size} bytes, and no manifest has more than {LARGEST}")
    text = read_bytes(path, None, "")
    try:
        manifest = _MANIFEST.validate_json(text)
    except ValidationError as error:
        _refuse_other_format(folder, _format_of(text))
        raise _damaged(folder, first_problem(error)) from None
    _refuse_other_format(folder, manifest.format)
    for problem in _impossible(manifest, stages):
        raise _damaged(folder, problem)
    manifest.name = manifest.name or folder.name
    return manifest


def scene_data(manifest: Manifest) -> dict[str, Any]:
    """The scene of a run as plain data, not checked; empty if it is no TOML."""
    try:
        return tomllib.loads(manifest.scene)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _impossible(manifest: Manifest, stages: Stages) -> Iterator[str]:
    """What each part allows, and no run of these stages has."""
    named = [(f"wanted.{place}", name) for place, name in enumerate(manifest.wanted)]
    named += [("stages", name) for name in manifest.stages]
    for key, name in named:
        if name not in stages:
            yield f"{key}: {name[:80]!r} is none of {', '.join(stages)}"
    for name, record in manifest.stages.items():
        known = stages[name].numbers
        yield from (
            f"stages.{name}.items: there is no frame {number}" for number in record.items if number not in known
        )
    for number, item in manifest.checkpoints.items():
        if number < 0 or item.place is None or item.place[0] < 1 or number not in (0, item.place[0]):
            yield f"checkpoints.{number}: is at no frame that it could be of"


@dataclass
class _Format:
    """The part of a manifest that says by which rules the rest was written."""

    __pydantic_config__ = ConfigDict(strict=True, extra="ignore")
    format: int


_FORMAT = TypeAdapter(_Format)


def _format_of(text: bytes) -> int:
    """What a manifest says of its format; this one, if that cannot be told."""
    try:
        return _FORMAT.validate_json(text).format
    except ValidationError:
        return FORMAT


def _refuse_other_format(folder: RunFolder, found: int) -> None:
    if found != FORMAT:
        raise StorageError(
            f"{folder.manifest}: has format {found}: this plash reads format {FORMAT}. Use the plash that wrote it"
        )


def _damaged(folder: RunFolder, problem: str) -> DamagedError:
    return DamagedError(
        f"{folder.manifest}: is damaged: {problem}. The frames beside it are untouched; start anew with another --out, "
        "or with --force to begin again here"
    )


def first_problem(error: ValidationError) -> str:
    """The first thing wrong with what was read: where, and what."""
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part)[:80] for part in problem["loc"])
    text = problem["msg"].removeprefix("Value error, ")
    return f"{place}: {text[:1].lower()}{text[1:]}" if place else text
