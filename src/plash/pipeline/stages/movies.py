"""All pictures as a movie, in every format that the scene asks for, and some of them as a contact sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, overload

from plash.files.atomic import errors_of_disk, read_bytes
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.stage import File, FileStage, Inputs, RunPaths, Source, every_frame
from plash.scene.model import Scene

if TYPE_CHECKING:
    from plash.render.video.png import Picture

CONTACT_SHEET = "contact"
# The numbers that the files have in the manifest: they stay, whatever is added
NUMBERS = {"mp4": 0, "webm": -1, "gif": -2, "webp": -3, CONTACT_SHEET: -4}
_FORMS = {number: form for form, number in NUMBERS.items()}
_CLIPS = ("gif", "webp")  # animations for pages that show pictures only


def shown_first(scene: Scene) -> list[str]:
    """The forms of file that a scene asks for, the one to show first before the others."""
    return [*scene.output.movies, CONTACT_SHEET]


def _wanted(scene: Scene) -> Sequence[int]:
    return [NUMBERS[form] for form in shown_first(scene)]


def _file(paths: RunPaths, number: int) -> Path:
    form = _FORMS[number]
    return paths.folder.contact if form == CONTACT_SHEET else paths.folder.movie(paths.name, form)


def _frames(scene: Scene, number: int) -> Sequence[int]:
    """The frames that a file shows."""
    from plash.render.video.sheet import CONTACTS, evenly_spaced

    frames = every_frame(scene)
    if _FORMS[number] != CONTACT_SHEET:
        return frames
    return [frames[place] for place in evenly_spaced(len(frames), CONTACTS)]


def _inputs(scene: Scene, number: int) -> Sequence[Source]:
    return [(PICTURES, frame) for frame in _frames(scene, number)]


def _settings(scene: Scene, number: int) -> Sequence[object]:
    form, output = _FORMS[number], scene.output
    if form == CONTACT_SHEET:
        return form, scene.time.fps, _frames(scene, number)
    width = output.clip_width if form in _CLIPS else None
    return form, scene.time.fps, output.video_quality, width


def _make(inputs: Inputs) -> bytes:
    form, fps, output = _FORMS[inputs.number], inputs.scene.time.fps, inputs.scene.output
    pictures = _Pictures(inputs, _frames(inputs.scene, inputs.number))
    if form == CONTACT_SHEET:
        return _contact_sheet(pictures, fps)
    if form in _CLIPS:
        from plash.render.video.animation import write_animation

        return _written(
            lambda path: write_animation(pictures, path, fps, form, output.clip_width, output.video_quality)
        )
    from plash.render.video.video import write_video

    return _written(lambda path: write_video(pictures, path, fps, output.video_quality, form))


def _contact_sheet(pictures: _Pictures, fps: float) -> bytes:
    from plash.render.video.png import png_bytes
    from plash.render.video.sheet import contact_sheet

    labels = [f"frame {frame}   {(frame - 1) / fps:.2f} s" for frame in pictures.frames]
    return png_bytes(contact_sheet(list(pictures), labels))


def _written(write: Callable[[Path], None]) -> bytes:
    """What is written to a path: the index of a movie comes first and is written last, which needs a file."""
    with TemporaryDirectory(prefix="plash") as folder:
        path = Path(folder) / "movie"
        with errors_of_disk(path, "written"):
            write(path)
            return path.read_bytes()


def _read(file: File, scene: Scene, number: int) -> bytes:
    return read_bytes(file.path, file.written, file.remedy)


@dataclass(frozen=True, eq=False)
class _Pictures(Sequence["Picture"]):
    """The pictures of some frames, each read when it is asked for."""

    inputs: Inputs
    frames: Sequence[int]

    def __len__(self) -> int:
        return len(self.frames)

    @overload
    def __getitem__(self, place: int) -> Picture: ...
    @overload
    def __getitem__(self, place: slice) -> list[Picture]: ...
    def __getitem__(self, place: int | slice) -> Picture | list[Picture]:
        if isinstance(place, slice):
            return [self.inputs.read(PICTURES, frame) for frame in self.frames[place]]
        return self.inputs.read(PICTURES, self.frames[place])

    def __iter__(self) -> Iterator[Picture]:
        return (self.inputs.read(PICTURES, frame) for frame in self.frames)


MOVIES: FileStage[bytes] = FileStage(
    name="video",
    title="movies",
    edition=1,
    numbers=range(min(_FORMS), max(_FORMS) + 1),
    wanted=_wanted,
    after=(PICTURES,),
    file=_file,
    inputs=_inputs,
    settings=_settings,
    make=_make,
    read=_read,
)
