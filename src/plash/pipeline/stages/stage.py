"""What a stage of a run is: a value that says which files it makes, from what, and how.

A stage knows neither the manifest nor the clock, tells nobody how it is getting on, and writes nothing: the runner
(`pipeline/runner.py`) does that for all of them. So `make` is a function of what it reads, and could as well run in
another process or on another machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from plash.errors import DamagedError
from plash.files.atomic import Written
from plash.files.layout import RunFolder
from plash.files.manifest import Manifest
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.pipeline.maker import Maker, Run
    from plash.pipeline.run_history import RunHistory

Content = TypeVar("Content")

# In place of a frame's number, for files that are made of all frames: none is above 0
WHOLE = 0
FRAMES = range(1, 1 << 31)


@dataclass(frozen=True)
class RunPaths:
    """Where the files of a run are: in its folder, some of them named after the run or what its solver leaves."""

    folder: RunFolder
    name: str
    frame_files: str

    @staticmethod
    def of(folder: RunFolder, manifest: Manifest) -> RunPaths:
        """Those of the run with this manifest."""
        return RunPaths(folder, manifest.name, manifest.frame_files)


@dataclass(frozen=True)
class File:
    """A file of a run to be read: what it held when it was written, and how to bring it back; None if never made."""

    path: Path
    written: Written | None
    remedy: str


def every_frame(scene: Scene) -> Sequence[int]:
    """The numbers of a stage that makes a file for each frame."""
    return range(1, scene.time.frames + 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Stage(ABC, Generic[Content]):
    """A stage of a run.

    Attributes:
        name: In the manifest, in Python and on the command line.
        title: What the report calls it.
        after: The stages whose files it may read, without which it cannot do.
        folders: The folders in the run's folder that it writes to.
        numbers: The numbers that its files may have.
        wanted: The numbers of the files that a scene asks for.
        file: Where the file of a number is.
        read: What is in a file; raises DamagedError unless it is what was written, and fit for the scene.
        is_kept_current: Whether any change of the run makes it again, once it was asked for.
    """

    name: str
    title: str
    after: tuple[Stage[Any], ...] = ()
    folders: tuple[str, ...] = ()
    numbers: range = FRAMES
    wanted: Callable[[Scene], Sequence[int]] = every_frame
    file: Callable[[RunPaths, int], Path]
    read: Callable[[File, Scene, int], Content]
    is_kept_current: bool = False

    @property
    def is_of_frames(self) -> bool:
        """Whether it makes a file for each frame; otherwise its files are made of all frames."""
        return self.numbers == FRAMES

    @abstractmethod
    def maker(self, run: Run) -> Maker:
        """Who makes its files in a run."""


Source = tuple[Stage[Any], int]  # a stage, and the number of one of its files


def _nothing(manifest: Manifest) -> Sequence[object]:
    return ()


def _as_it_is(scene: Scene, or_plainer: bool) -> tuple[Scene, str]:
    return scene, ""


def _never(scene: Scene) -> bool:
    return False


def _unprepared(scene: Scene) -> None:
    return None


@dataclass(frozen=True, eq=False, kw_only=True)
class FileStage(Stage[Content]):
    """A stage whose files are a function of the scene and of files of other stages.

    Attributes:
        edition: Raised when it makes something else of the same inputs than before, so that old files are made again.
        inputs: The files that the file of a number is made from; what is not among them cannot be read.
        settings: The parts of the scene that its files depend on, as plain data; the same for all frames.
        record: The part of the run's own record that its files depend on, as plain data.
        make: The bytes of a file.
        adapted: The scene as this machine can make it, and what to tell the user if that is not as asked for. With
            `or_plainer` something plainer may stand in for an optional part that is not installed.
        prepared: What `make` needs for every file, such as a renderer: made once.
        prepares_first: Whether to prepare before anything is computed, since a scene may fail there.
        uses_all_cores: Whether making one file keeps all cores busy.
    """

    edition: int
    inputs: Callable[[Scene, int], Sequence[Source]]
    settings: Callable[[Scene, int], Sequence[object]]
    record: Callable[[Manifest], Sequence[object]] = _nothing
    make: Callable[[Inputs], bytes]
    adapted: Callable[[Scene, bool], tuple[Scene, str]] = _as_it_is
    prepared: Callable[[Scene], Any] = _unprepared
    prepares_first: Callable[[Scene], bool] = _never
    uses_all_cores: Callable[[Scene], bool] = _never

    def maker(self, run: Run) -> Maker:
        """Who makes its files in a run: they are read, made and written one at a time."""
        from plash.pipeline.maker import FileMaker

        return FileMaker(run, self)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a file is made from: the scene, and files of other stages, each read when it is asked for.

    Attributes:
        scene: As this machine can make it.
        number: Of the file to be made.
        files: Those that may be read, by stage and number.
        prepared: Gives what the stage has prepared for all its files.
        history: Gives what is known of the run so far.
        before_read: Is called before each file is read: a requested stop takes effect there.
    """

    scene: Scene
    number: int
    files: Mapping[tuple[str, int], File]
    prepared: Callable[[], Any]
    history: Callable[[], RunHistory]
    before_read: Callable[[], None]

    @property
    def time(self) -> float:
        """Of the frame, s."""
        return (self.number - 1) / self.scene.time.fps

    def file(self, stage: Stage[Any], number: int) -> File:
        """A file that may be read."""
        return self.files[stage.name, number]

    def read(self, stage: Stage[Content], number: int | None = None) -> Content:
        """What is in a file of another stage: of the same number if none is given.

        Raises:
            DamagedInputError: It is missing or damaged; says which.
        """
        number = self.number if number is None else number
        file = self.file(stage, number)
        self.before_read()
        try:
            if file.written is None:
                raise DamagedError(f"{file.path}: is not there: `{stage.name}` has not made it. {file.remedy}")
            return stage.read(file, self.scene, number)
        except DamagedError as error:
            raise DamagedInputError.of(error, stage, number) from None


class DamagedInputError(DamagedError):
    """A file that another is made from is missing or damaged; the stage it came from may make it again.

    Attributes:
        stage: The name of that stage.
        number: Of the file.
    """

    stage: str
    number: int

    @staticmethod
    def of(error: DamagedError, stage: Stage[Any], number: int) -> DamagedInputError:
        """The same error, with the file that it is about."""
        found = DamagedInputError(str(error))
        found.stage, found.number = stage.name, number
        return found
