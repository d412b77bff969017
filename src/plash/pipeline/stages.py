"""A run in work, and its stages after the simulation: surface, picture, movie, report.

Each stage makes one file at a time, and only those it must: a file is done when the manifest has it, made from the same
settings and the same files, and it is on disk with its full size. What is read is checked against its checksum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, overload

from plash.errors import DamagedError
from plash.files.atomic import Written, has_size, read_bytes, write_bytes, write_file
from plash.files.frames import read_frame
from plash.files.layout import RunFolder
from plash.files.manifest import Item, Manifest
from plash.files.ply import ply_bytes, read_surface
from plash.pipeline.compiling import Compilation
from plash.pipeline.fingerprint import appearance, fingerprint, isovalue
from plash.pipeline.progress import Progress, Silent
from plash.pipeline.stop import Stop
from plash.render.video.sheet import CONTACTS, evenly_spaced
from plash.scene.look import LIGHTS
from plash.scene.model import Scene
from plash.scene.output import FORMATS
from plash.solvers.frame import FrameParticles, Snapshot

if TYPE_CHECKING:
    from plash.mesh.mesh import Mesh
    from plash.render.choice import Renderer
    from plash.render.mitsuba.raytracer import RayTracer
    from plash.render.preview.preview import Preview
    from plash.render.video.png import Picture

Content = TypeVar("Content")

# In place of a frame's number, for files that are made of all frames: none is above 0
WHOLE = 0
_CLIPS = ("gif", "webp")
_NUMBERS = {kind: WHOLE - place for place, kind in enumerate((*FORMATS, "contact"))}

# Raised when a stage makes something else of the same scene than before, so that old files are made again
_EDITION = {"mesh": 2, "render": 1, "video": 1, "report": 1}


@dataclass(eq=False)
class Run:
    """A run in work: where its files are, what is asked for, what is done, who wants to know, and when to stop.

    What is compiled on the way is counted apart.
    """

    folder: RunFolder
    scene: Scene
    manifest: Manifest
    progress: Progress
    stop: Stop = field(default_factory=Stop)
    compilation: Compilation = field(default_factory=lambda: Compilation(Silent().compiling))

    @property
    def remedy(self) -> str:
        """What brings back a file that is missing or damaged."""
        return f"`{self.folder.resume_command}` makes it again"

    def is_kept(self, stage: str, frame: int, path: Path, source: str) -> bool:
        """Whether a file is there, made from what it would be made from now."""
        item = self.manifest.stage(stage).items.get(frame)
        return item is not None and item.source == source and has_size(path, item.written)

    def keep(self, stage: str, frame: int, source: str, make: Callable[[], Written]) -> None:
        """Make a file and remember it."""
        stopwatch = self.compilation.stopwatch()
        written = make()
        seconds, compiling = stopwatch()
        self.manifest.stage(stage).items[frame] = Item.of(
            written, source=source, seconds=round(seconds, 4), compiling=round(compiling, 4)
        )
        self.progress.made(stage, max(frame, WHOLE), seconds)

    def checksum(self, stage: str, frame: int) -> str:
        """The checksum of what a stage made of a frame; empty if there is none yet."""
        item = self.manifest.stage(stage).items.get(frame)
        return item.sha256 if item is not None else ""

    def seen(self, frame: int) -> Snapshot:
        """What a frame shows."""
        path = self.folder.frame(frame, self.scene.solver.frame_files)
        return self._read(
            "simulate", frame, lambda expected: read_frame(path, self.scene, frame, expected, self.remedy)
        )

    def surface(self, frame: int) -> Mesh:
        """The liquid's surface in a frame."""
        path = self.folder.surface(frame)
        return self._read("mesh", frame, lambda expected: read_surface(path, self.scene.domain, expected, self.remedy))

    def picture(self, frame: int) -> Picture:
        """The picture of a frame."""
        path = self.folder.picture(frame)
        return self._read("render", frame, lambda expected: self._decoded(path, expected))

    def _decoded(self, path: Path, expected: Written) -> Picture:
        from plash.render.preview.preview import picture_size
        from plash.render.video.png import picture_from_png

        data = read_bytes(path, expected, self.remedy)
        try:
            return picture_from_png(data, picture_size(self.scene))
        except ValueError as error:
            raise DamagedError(f"{path}: is damaged: {error}. {self.remedy}") from None

    def whole_size(self, kind: str) -> int:
        """Bytes of a movie, or of the contact sheet; 0 if it was never made."""
        item = self.manifest.stage("video").items.get(_NUMBERS[kind])
        return item.bytes if item is not None else 0

    def whole(self, kind: str) -> bytes:
        """A movie, or the contact sheet."""
        path = self.whole_path(kind)
        return self._read("video", _NUMBERS[kind], lambda expected: read_bytes(path, expected, self.remedy))

    def whole_path(self, kind: str) -> Path:
        """Where a movie is, or the contact sheet."""
        return whole_file(self.folder, self.manifest, "video", _NUMBERS[kind])

    def _read(self, stage: str, frame: int, read: Callable[[Written], Content]) -> Content:
        """Read a file, or forget it: what is damaged does not count as done any more."""
        items = self.manifest.stage(stage).items
        if frame not in items:
            raise DamagedError(
                f"{self.folder.root}: frame {frame} is not there: `{stage}` has not made it. {self.remedy}"
            )
        try:
            return read(items[frame].written)
        except DamagedError:
            del items[frame]
            self.manifest.write(self.folder)
            raise


def whole_file(folder: RunFolder, manifest: Manifest, stage: str, number: int) -> Path:
    """The file that a stage makes of all frames, by its number in the manifest."""
    if stage == "report":
        return folder.report
    kind = {number: kind for kind, number in _NUMBERS.items()}[number]
    return folder.contact if kind == "contact" else folder.movie(manifest.name, kind)


def particles_of(seen: Snapshot) -> FrameParticles:
    """The particles that a picture may show: stable fluids have none."""
    return seen.dots()


class FrameStage(Protocol):
    """A stage that makes a file for each frame."""

    name: str

    def is_done(self, frame: int) -> bool:
        """Whether there is nothing to do for a frame."""

    def make(self, frame: int) -> None:
        """Make the file of a frame."""


@dataclass(eq=False)
class SurfaceStage:
    """The liquid's surface from its particles or grids: mesh/surface.0001.ply."""

    run: Run
    name: str = "mesh"

    def is_done(self, frame: int) -> bool:
        """Whether the surface was made of this frame with these settings."""
        return self.run.is_kept(self.name, frame, self.run.folder.surface(frame), self._source(frame))

    def make(self, frame: int) -> None:
        """Make the surface and write it."""
        from plash.pipeline.surface import surface_of

        scene, seen = self.run.scene, self.run.seen(frame)
        time = (frame - 1) / scene.time.fps

        def make() -> Written:
            return write_bytes(self.run.folder.surface(frame), ply_bytes(surface_of(seen, scene, time)))

        self.run.keep(self.name, frame, self._source(frame), make)

    def _source(self, frame: int) -> str:
        return fingerprint(_EDITION["mesh"], self._settings, self.run.checksum("simulate", frame))

    @cached_property
    def _settings(self) -> str:
        level = isovalue(self.run.scene)
        return fingerprint(self.run.scene.mesh.model_dump(), self.run.manifest.physics, *level)


@dataclass(eq=False)
class PictureStage:
    """A picture of the liquid and what stands round it: render/frame.0001.png.

    Attributes:
        run: The run.
        or_built_in: Whether the built-in renderer may stand in for a ray tracer that is not installed.
    """

    run: Run
    or_built_in: bool = False
    name: str = "render"

    @property
    def note(self) -> str:
        """What the user should know about who makes the pictures; empty if it is as asked for."""
        return self._renderer[1]

    def refuse_bad_light(self) -> None:
        """Read the file of a light, if the pictures need one, before anything is computed.

        Raises:
            SceneError: It is no picture.
        """
        if self._renderer[0] == "ray tracer" and self.run.scene.look.light not in LIGHTS:
            _ = self._taker

    def is_done(self, frame: int) -> bool:
        """Whether the picture was made of this surface and these particles, with this look."""
        return self.run.is_kept(self.name, frame, self.run.folder.picture(frame), self._source(frame))

    def make(self, frame: int) -> None:
        """Draw the picture and write it."""
        from plash.render.video.png import png_bytes

        seen = particles_of(self.run.seen(frame))
        surface = self.run.surface(frame) if self.run.scene.look.show == "surface" else None

        def make() -> Written:
            moment = (frame - 1) / self.run.scene.time.fps
            arrays = (seen.position, seen.velocity, seen.volume)
            picture = self._taker.picture(surface, *arrays, moment, seen.scalars)
            return write_bytes(self.run.folder.picture(frame), png_bytes(picture))

        self.run.keep(self.name, frame, self._source(frame), make)

    def _source(self, frame: int) -> str:
        made_of = [self.run.checksum(stage, frame) for stage in ("simulate", "mesh")]
        return fingerprint(_EDITION["render"], self._settings, made_of)

    @cached_property
    def _settings(self) -> str:
        return fingerprint(appearance(self.run.scene), self._renderer[0])

    @cached_property
    def _renderer(self) -> tuple[Renderer, str]:
        from plash.render.choice import renderer_of

        return renderer_of(self.run.scene, self.or_built_in)

    @cached_property
    def _taker(self) -> Preview | RayTracer:
        from plash.render.choice import picture_taker

        return picture_taker(self.run.scene, self._renderer[0])


class ClosingStage(Protocol):
    """A stage that makes files of all frames."""

    name: str

    def left(self) -> int:
        """How many files there are to make."""

    def make(self) -> None:
        """Make those files."""


@dataclass(eq=False)
class MovieStage:
    """All pictures as a movie, in every format asked for, and some of them as a contact sheet."""

    run: Run
    name: str = "video"

    def left(self) -> int:
        """How many of the files were not made of these pictures."""
        return sum(not self._is_done(kind) for kind in self._kinds)

    def make(self) -> None:
        """Read the pictures, and write what is missing."""
        for kind in self._kinds:
            if not self._is_done(kind):
                self._make(kind)
                self.run.manifest.write(self.run.folder)

    @property
    def _kinds(self) -> tuple[str, ...]:
        return (*self.run.scene.output.movies, "contact")

    def _is_done(self, kind: str) -> bool:
        return self.run.is_kept(self.name, _NUMBERS[kind], self._path(kind), self._source(kind))

    def _path(self, kind: str) -> Path:
        return self.run.whole_path(kind)

    def _make(self, kind: str) -> None:
        self.run.keep(self.name, _NUMBERS[kind], self._source(kind), lambda: self._write(kind, self._path(kind)))

    def _write(self, kind: str, path: Path) -> Written:
        pictures, fps, output = Pictures(self.run), self.run.scene.time.fps, self.run.scene.output
        if kind == "contact":
            return self._write_contact_sheet(path)
        if kind in _CLIPS:
            from plash.render.video.animation import write_animation

            width, quality = output.clip_width, output.video_quality
            return write_file(path, lambda file: write_animation(pictures, file, fps, kind, width, quality))
        from plash.render.video.video import write_video

        return write_file(path, lambda file: write_video(pictures, file, fps, output.video_quality, kind))

    def _write_contact_sheet(self, path: Path) -> Written:
        from plash.render.video.png import png_bytes
        from plash.render.video.sheet import contact_sheet

        pictures, fps = Pictures(self.run), self.run.scene.time.fps
        numbers = evenly_spaced(len(pictures), CONTACTS)
        labels = [f"frame {number + 1}   {number / fps:.2f} s" for number in numbers]
        return write_bytes(path, png_bytes(contact_sheet([pictures[number] for number in numbers], labels)))

    def _source(self, kind: str) -> str:
        run, output, frames = self.run, self.run.scene.output, self.run.scene.time.frames
        numbers = evenly_spaced(frames, CONTACTS) if kind == "contact" else list(range(frames))
        checksums = {number: run.checksum("render", number + 1) for number in numbers}
        quality = output.video_quality if kind != "contact" else None
        width = output.clip_width if kind in _CLIPS else None
        return fingerprint(_EDITION["video"], kind, run.scene.time.fps, quality, width, checksums)


@dataclass(eq=False)
class ReportStage:
    """The run on one page: report.html."""

    run: Run
    name: str = "report"

    def left(self) -> int:
        """One, unless the page was written of the run as it is."""
        return 0 if self.run.is_kept(self.name, WHOLE, self.run.folder.report, self._source()) else 1

    def make(self) -> None:
        """Write the page."""
        from plash.pipeline.report import report_page

        run = self.run
        run.keep(self.name, WHOLE, self._source(), lambda: write_bytes(run.folder.report, report_page(run).encode()))

    def _source(self) -> str:
        run = self.run
        made = {
            name: {frame: (item.sha256, item.seconds) for frame, item in stage.items.items()}
            for name, stage in run.manifest.stages.items()
            if name != self.name
        }
        return fingerprint(_EDITION["report"], run.manifest.scene, run.manifest.source, run.manifest.versions, made)


@dataclass(frozen=True, eq=False)
class Pictures(Sequence["Picture"]):
    """The pictures of a run, each read when it is asked for; a stop that was asked for comes true in between."""

    run: Run

    def __len__(self) -> int:
        return self.run.scene.time.frames

    @overload
    def __getitem__(self, place: int) -> Picture: ...
    @overload
    def __getitem__(self, place: slice) -> list[Picture]: ...
    def __getitem__(self, place: int | slice) -> Picture | list[Picture]:
        if isinstance(place, slice):
            return [self[number] for number in range(len(self))[place]]
        number = range(len(self))[place]
        self.run.stop.raise_if_requested("while the movie was made")
        return self.run.picture(number + 1)
