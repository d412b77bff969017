"""Steps and speeds foreseen from coarse runs, against those of the run itself."""

from types import SimpleNamespace

import numba
import pytest

import plash
from plash.pipeline.check import trial
from plash.pipeline.check.trial import Trial, forecast, over_all, run_trial
from plash.pipeline.simulate import steps_to_frame
from plash.solvers.build.liquid import build_liquid
from plash.timing import StepReport

BLOCK = {"shape": {"kind": "box", "min": (0.2, 0.2), "max": (0.6, 0.6)}}


def scene(frames=24, **parts):
    return plash.Scene(
        **{"domain": {"size": (1.0, 0.8), "resolution": 48}, "time": {"frames": frames}, "fill": [BLOCK]} | parts
    )


def coarser(scene, cells):
    domain = scene.domain.model_copy(update={"resolution": cells})
    return scene.model_copy(update={"domain": domain})


def truth(scene):
    solver = plash.build(scene)
    reports = [
        report
        for number in range(2, scene.time.frames + 1)
        for report in steps_to_frame(solver, number, scene.time.fps)
    ]
    return len(reports), max(report.courant * solver.h / report.dt for report in reports)


def test_what_compiles_does_not_use_up_the_time_of_a_trial(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(trial, "time", SimpleNamespace(perf_counter=lambda: now[0], thread_time=lambda: now[0]))
    is_over = trial.patience(4.0)
    now[0] = 3.0
    assert not is_over()
    numba.njit(lambda x: x + 1)(1.5)
    now[0] = 60.0
    assert not is_over()
    now[0] = 63.9
    assert not is_over()
    now[0] = 64.1
    assert is_over()


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"liquid": {"kinematic_viscosity": 0.02}},
        {"solver": {"courant": 3}},
        {"solver": {"max_dt": 0.004}},
        {"fill": [BLOCK | {"velocity": (2, 0)}], "domain": {"size": (1, 0.8), "resolution": 48, "gravity": (0, 0)}},
        {"domain": {"size": (1, 0.8), "resolution": 48, "sides": "open"}},
        {"fill": [{"shape": {"kind": "box", "min": (0, 0), "max": (0.4, 0.6)}}]},
    ],
    ids=["fall", "viscous", "courant 3", "max_dt", "no gravity", "open sides", "dam"],
)
def test_steps_are_foreseen_within_a_factor_of_one_and_a_half(parts):
    fine = scene(**parts)
    trials = [run_trial(fine, coarser(fine, cells), 60) for cells in (20, 12)]
    foreseen, (steps, fastest) = forecast(fine, trials), truth(fine)
    assert steps / 1.5 < foreseen.steps < 1.5 * steps
    assert fastest / 2 < foreseen.fastest < 2 * fastest
    assert foreseen.unseen == 0


@pytest.mark.parametrize("resolution", [16, 128])
def test_a_scene_in_which_nothing_moves_takes_a_step_a_frame(resolution):
    still = scene(6, domain={"size": (1, 0.8), "resolution": resolution, "gravity": (0, 0)})
    estimate = plash.check(still).estimate
    assert estimate.steps == 5
    assert estimate.fastest == 0
    assert estimate.unseen == 0


def test_one_frame_takes_no_step():
    assert plash.check(scene(1)).estimate.steps == 0


@pytest.mark.slow
def test_the_scene_on_its_own_cells_tells_its_own_steps():
    fine = scene()
    assert forecast(fine, [run_trial(fine, fine, 60)]).steps == pytest.approx(truth(fine)[0], rel=0.1)


def test_what_the_finer_trial_had_no_time_for_is_told_by_the_coarser_one():
    fine = scene()
    short, whole = run_trial(fine, coarser(fine, 20), 0), run_trial(fine, coarser(fine, 12), 60)
    assert len(short.frames) == 1
    foreseen = forecast(fine, [short, whole])
    assert foreseen.unseen == 0
    steps = truth(fine)[0]
    assert steps / 1.6 < foreseen.steps < 1.6 * steps


def test_what_no_trial_has_seen_is_like_the_second_half_of_what_they_saw():
    assert over_all([9, 9, 4, 4], 10) == 26 + 6 * 4
    assert over_all([], 10) == 10
    fine = scene()
    foreseen = forecast(fine, [run_trial(fine, coarser(fine, 12), 0)])
    assert foreseen.unseen == 22


def test_cells_that_cannot_hold_the_scene_do_not_stop_a_check(monkeypatch):
    fine = scene(4)

    def refuse(which):
        if which.domain.cells != fine.domain.cells:
            raise plash.SceneError([plash.Problem("source[0]", "is narrower than a cell")])
        return build_liquid(which)

    monkeypatch.setattr("plash.pipeline.check.trial.build_liquid", refuse)
    assert run_trial(fine, coarser(fine, 12), 60).h == fine.domain.h


def test_a_trial_that_diverges_tells_what_it_saw(monkeypatch):
    taken = steps_to_frame

    def diverge(solver, number, fps):
        if number == 5:
            raise plash.DivergedError("no pressure")
        yield from taken(solver, number, fps)

    monkeypatch.setattr("plash.pipeline.check.trial.steps_to_frame", diverge)
    fine = scene(12)
    assert forecast(fine, [run_trial(fine, coarser(fine, 12), 60)]).unseen == 8


def test_compiling_is_no_time_of_a_step():
    first, later = StepReport(), StepReport()
    first.seconds, later.seconds = {"project": 0.25, "compiling": 300.0}, {"project": 0.25, "advect": 0.5}
    assert Trial(None, [[first], [first, later]]).seconds_of_step == 0.25
