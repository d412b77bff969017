"""The first stage of a run: the simulation, its frames and its checkpoints.

It can begin anywhere: for a frame that is missing it goes on from the nearest state before it, be that in memory, in a
checkpoint, or the start of the scene.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from plash.errors import DamagedError, DivergedError, VolumeError
from plash.files.atomic import errors_of_disk
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.files.frames import write_frame
from plash.files.layout import RunFolder
from plash.files.log import Log
from plash.files.manifest import Item, Manifest
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages import Run
from plash.solvers.build import build, build_solver
from plash.solvers.solver import SceneSolver

_A_MOMENT = 1e-6  # s, by which a frame may be missed
STOPPED = 0  # in place of a frame's number, for the checkpoint written when a run was stopped between frames


@dataclass(eq=False)
class SimulationStage:
    """What each frame shows: particles/particles.0001.npz, or grids/grids.0001.npz."""

    run: Run
    log: Log
    name: str = "simulate"
    solver: SceneSolver | None = None
    place: Place = field(default_factory=lambda: Place(0, 0))

    def is_done(self, frame: int) -> bool:
        """Whether the frame is there."""
        return self.run.is_kept(self.name, frame, self._frame_file(frame), self.run.manifest.physics)

    def make(self, frame: int) -> None:
        """Simulate up to a frame and write it."""
        run = self.run
        stopwatch = run.compilation.stopwatch()
        solver = self._begin(frame)
        while self.place.frame < frame:
            self._go_to_next_frame(solver)
        seen, scene = solver.snapshot(), run.scene
        written = write_frame(self._frame_file(frame), seen, frame, solver.state.time)
        seconds, compiling = stopwatch()
        item = Item.of(
            written,
            source=run.manifest.physics,
            seconds=round(seconds, 4),
            ledger=asdict(solver.ledger),
            energy=seen.energy(scene.liquid.rho, scene.domain.gravity[: scene.dimension]),
            compiling=round(compiling, 4),
        )
        self._refuse_unsound(item, frame)
        run.manifest.stage(self.name).items[frame] = item
        run.progress.made(self.name, frame, seconds)
        self._judge_volume(solver, frame)

    def _begin(self, frame: int) -> SceneSolver:
        """The solver at the latest state that is known before or at a frame."""
        here = self.place if self.solver is not None and self.place.frame <= frame else Place(0, 0)
        for number, item in self._checkpoints_before(frame):
            if Place(*(item.place or (0, 0))) <= here:
                break
            if self._restore(number, item) and self.solver is not None:
                return self.solver
        if here.frame == 0 or self.solver is None:
            self.solver, self.place = build(self.run.scene), Place(1, 0)
        return self.solver

    def _checkpoints_before(self, frame: int) -> list[tuple[int, Item]]:
        """Checkpoints that hold a state before or at a frame, the latest first."""
        known = self.run.manifest.checkpoints.items()
        # What was written on a stop lies beyond the frame it names
        usable = [entry for entry in known if _frame_of(entry[1]) + (entry[0] == STOPPED) <= frame]
        return sorted(usable, key=lambda entry: entry[1].place or (0, 0), reverse=True)

    def prune(self) -> None:
        """Take checkpoints that are not needed any more out of the manifest."""
        run = self.run
        places = {number: _frame_of(item) for number, item in run.manifest.checkpoints.items()}
        for number in obsolete_checkpoints(places, run.scene.output.checkpoint_every):
            del run.manifest.checkpoints[number]

    def _frame_file(self, frame: int) -> Path:
        return self.run.folder.frame(frame, self.run.scene.solver.frame_files)

    def _file(self, number: int) -> Path:
        return checkpoint_file(self.run.folder, number)

    def _restore(self, number: int, item: Item) -> bool:
        """Go back to a checkpoint; one that is damaged is forgotten."""
        run = self.run
        solver, file, remedy = build_solver(run.scene), self._file(number), "An earlier one is used"
        try:
            place = read_checkpoint(file, solver, run.scene, item.written, remedy)
            frame_time = (place.frame - 1) / run.scene.time.fps
            is_there = frame_time - _A_MOMENT <= solver.state.time <= frame_time + 1 / run.scene.time.fps + _A_MOMENT
            if place != Place(*(item.place or (0, 0))) or not is_there:
                raise DamagedError(f"{file}: is damaged: it is of {place}, {solver.state.time:.6g} s. {remedy}")
        except DamagedError as error:
            run.progress.note(str(error))
            del run.manifest.checkpoints[number]
            return False
        self.solver, self.place = solver, place
        return True

    def _go_to_next_frame(self, solver: SceneSolver) -> None:
        run, number = self.run, self.place.frame + 1
        try:
            for report in steps_to_frame(solver, number, run.scene.time.fps):
                self.place = replace(self.place, advances=self.place.advances + 1)
                self.log.append(self.place.advances, asdict(report))
                run.progress.step(report, solver.ledger)
                if run.stop.requested:
                    self._stop(solver)
        except DivergedError as error:
            raise type(error)(f"{error}, on the way to frame {number}. {self._way_back()}") from error
        self.place = replace(self.place, frame=number)
        if number % run.scene.output.checkpoint_every == 0 or number == run.scene.time.frames:
            self._write_checkpoint(solver, number)

    def _stop(self, solver: SceneSolver) -> None:
        """Write a checkpoint in mid-frame, and end."""
        self._write_checkpoint(solver, STOPPED)
        self.run.stop.raise_if_requested(f"on the way to frame {self.place.frame + 1}, with a checkpoint")

    def _write_checkpoint(self, solver: SceneSolver, number: int) -> None:
        self.log.sync()  # it has a line for every step that a checkpoint knows of
        written = write_checkpoint(self._file(number), solver, self.place)
        place = (self.place.frame, self.place.advances)
        self.run.manifest.checkpoints[number] = Item.of(written, place=place)

    def _judge_volume(self, solver: SceneSolver, frame: int) -> None:
        limit, ledger = self.run.scene.solver.max_volume_error, solver.ledger
        error = ledger.volume_error
        if limit is not None and error is not None and abs(error) > limit:
            raise VolumeError(
                f"frame {frame}: the measured volume is {ledger.volume:.6g}, {error:+.2%} from its target of "
                f"{ledger.target_volume:.6g}: more than solver.max_volume_error = {limit:g}. Particles carry "
                f"{ledger.films:.3g} in films on walls and {ledger.spray:.3g} in spray, which are not measured. "
                f"Raise that limit or domain.resolution. {self._way_back()}"
            )

    def _refuse_unsound(self, item: Item, frame: int) -> None:
        """Refuse a frame whose numbers cannot be written down."""
        try:
            json.dumps([item.ledger, item.energy], allow_nan=False)
        except ValueError:
            raise DivergedError(
                f"frame {frame}: volumes or energies are not finite: {item.ledger}, {item.energy}. {self._way_back()}"
            ) from None

    def _way_back(self) -> str:
        frames = [number for number in self.run.manifest.checkpoints if number != STOPPED]
        if not frames:
            return "There is no checkpoint yet"
        return f"The last good checkpoint is {self.run.folder.checkpoint(max(frames))}"


def checkpoint_file(folder: RunFolder, number: int) -> Path:
    """Where a checkpoint is, by its number in the manifest."""
    return folder.stop if number == STOPPED else folder.checkpoint(number)


def remove_unknown_checkpoints(folder: RunFolder, manifest: Manifest) -> None:
    """Take away the checkpoints that the manifest does not know: what is removed is taken out of it first."""
    known = {checkpoint_file(folder, number) for number in manifest.checkpoints}
    for path in (*folder.stop.parent.glob("checkpoint.*.npz"), folder.stop):
        if path not in known:
            with errors_of_disk(path, "removed"):
                path.unlink(missing_ok=True)


def _frame_of(checkpoint: Item) -> int:
    return checkpoint.place[0] if checkpoint.place is not None else 0


def obsolete_checkpoints(places: dict[int, int], every: int) -> list[int]:
    """Which checkpoints can go: of the multiples of each power of two, the last two stay.

    So a frame that is lost is not far from a checkpoint if it is recent, and there are few checkpoints.

    Args:
        places: Frame of each checkpoint, by the number it is known under.
        every: Frames between two checkpoints.

    >>> numbers = range(1, 101)
    >>> sorted(set(numbers) - set(obsolete_checkpoints({number: number for number in numbers}, every=1)))
    [64, 80, 88, 96, 98, 99, 100]
    """
    last = max(places.values(), default=0)
    latest = -(-last // every)
    turns = {number: max(1, -(-frame // every)) for number, frame in places.items() if number != STOPPED}
    obsolete = [number for number, turn in turns.items() if latest - turn >= 2 * (turn & -turn)]
    if STOPPED in places and places[STOPPED] < last:
        obsolete.append(STOPPED)
    return obsolete
