"""The simulation in a run: its frames, its checkpoints and its log.

It can begin anywhere: for a frame that is missing it goes on from the nearest state before it, be that in memory, in a
checkpoint, or the start of the scene.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from plash.errors import DamagedError, DivergedError, StorageError, VolumeError
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.files.frames import write_frame
from plash.files.manifest import Item
from plash.pipeline.check.step_findings import step_findings
from plash.pipeline.checkpoints import STOPPED, checkpoint_file, checkpoints_before
from plash.pipeline.maker import Made, Run
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages.simulation import SIMULATION
from plash.solvers.build import build, build_solver
from plash.solvers.solver import SceneSolver

_A_MOMENT = 1e-6  # s, by which a frame may be missed


@dataclass(eq=False)
class SimulationMaker:
    """Makes the frames of a run, one from the other."""

    run: Run
    note: str = ""
    solver: SceneSolver | None = None
    place: Place = field(default_factory=lambda: Place(0, 0))

    def begin(self) -> None:
        """Say what will need many steps."""
        for finding in step_findings(self.run.scene):
            text = f"{finding.where}: {finding.message} [{finding.code}]. To change it, {finding.edit}"
            self.run.progress.note(text)

    def source(self, number: int) -> str:
        """A hash of all that the simulation depends on."""
        return self.run.manifest.physics

    def make(self, number: int) -> Made:
        """Simulate up to a frame and write it."""
        run, scene, solver = self.run, self.run.scene, self._begin(number)
        while self.place.frame < number:
            self._go_to_next_frame(solver)
        snapshot = solver.snapshot()
        written = write_frame(SIMULATION.file(run.paths, number), snapshot, number, solver.state.time)
        about = {
            "ledger": asdict(solver.ledger),
            "energy": snapshot.energy(scene.liquid.rho, scene.domain.gravity[: scene.dimension]),
        }
        self._refuse_unsound(about, number)
        return Made(written, about, self._volume_error(solver, number))

    def _begin(self, frame: int) -> SceneSolver:
        """The solver at the latest state that is known before or at a frame."""
        here = self.place if self.solver is not None and self.place.frame <= frame else Place(0, 0)
        for number, item in checkpoints_before(self.run.manifest, frame):
            if Place(*(item.place or (0, 0))) <= here:
                break
            if self._restore(number, item) and self.solver is not None:
                return self.solver
        if here.frame == 0 or self.solver is None:
            self._refuse_branch()
            self.solver, self.place = build(self.run.scene), Place(1, 0)
        return self.solver

    def _refuse_branch(self) -> None:
        """Refuse to begin at the start a run that branched off another one: what it shares came about otherwise.

        Raises:
            StorageError: It did.
        """
        origin = self.run.manifest.origin
        if origin is not None:
            raise StorageError(
                f"{self.run.folder.root}: branched off {origin.folder} at frame {origin.frame}, and a frame up to "
                "there or the checkpoint of it is lost. "
                f"`plash resume {shlex.quote(origin.folder)} --from {origin.frame}` "
                "with the same --set and --out brings it back"
            )

    def _restore(self, number: int, item: Item) -> bool:
        """Go back to a checkpoint; one that is damaged is forgotten."""
        run = self.run
        solver, file, remedy = build_solver(run.scene), checkpoint_file(run.folder, number), "An earlier one is used"
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
                run.log.append(self.place.advances, asdict(report))
                run.progress.step(report, solver.ledger)
                if run.stop.requested:
                    self._stop(solver)
        except DivergedError as error:
            raise type(error)(f"{error}, on the way to frame {number}. {self._last_checkpoint()}") from error
        self.place = replace(self.place, frame=number)
        if number % run.scene.output.checkpoint_every == 0 or number == run.scene.time.frames:
            self._write_checkpoint(solver, number)

    def _stop(self, solver: SceneSolver) -> None:
        """Write a checkpoint in mid-frame, and end."""
        self._write_checkpoint(solver, STOPPED)
        self.run.stop.raise_if_requested(f"on the way to frame {self.place.frame + 1}, with a checkpoint")

    def _write_checkpoint(self, solver: SceneSolver, number: int) -> None:
        self.run.log.sync()  # it has a line for every step that a checkpoint knows of
        written = write_checkpoint(checkpoint_file(self.run.folder, number), solver, self.place)
        place = (self.place.frame, self.place.advances)
        self.run.manifest.checkpoints[number] = Item.of(written, place=place)

    def _volume_error(self, solver: SceneSolver, frame: int) -> VolumeError | None:
        """What ends a run whose measured volume is too far from its target; None while it is not."""
        limit, ledger = self.run.scene.solver.max_volume_error, solver.ledger
        error = ledger.volume_error
        if limit is None or error is None or abs(error) <= limit:
            return None
        return VolumeError(
            f"frame {frame}: the measured volume is {ledger.volume:.6g}, {error:+.2%} from its target of "
            f"{ledger.target_volume:.6g}: more than solver.max_volume_error = {limit:g}. Particles carry "
            f"{ledger.films:.3g} in films on walls and {ledger.spray:.3g} in spray, which are not measured. "
            f"Raise that limit or domain.resolution. {self._last_checkpoint()}"
        )

    def _refuse_unsound(self, about: dict[str, Any], frame: int) -> None:
        """Refuse a frame whose numbers cannot be written down."""
        try:
            json.dumps(about, allow_nan=False)
        except ValueError:
            raise DivergedError(
                f"frame {frame}: volumes or energies are not finite: {about['ledger']}, {about['energy']}. "
                f"{self._last_checkpoint()}"
            ) from None

    def _last_checkpoint(self) -> str:
        """What there is to go on from, for people."""
        frames = [number for number in self.run.manifest.checkpoints if number != STOPPED]
        if not frames:
            return "There is no checkpoint yet"
        return f"The last good checkpoint is {self.run.folder.checkpoint(max(frames))}"
