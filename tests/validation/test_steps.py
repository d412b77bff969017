"""Figures over a table of courant numbers: the driver's tables and files, and what the measures measure."""

import json
import math

import numpy as np
import pytest
from validation.steps.__main__ import main
from validation.steps.bodies import _centre_of_cap
from validation.steps.runs import fullest_cell, height_of_share
from validation.steps.tables import Table
from validation.steps.turning import vortex
from validation.steps.waves import _PERIOD, _envelope, _frequency, free_fall

import plash


@pytest.mark.slow
def test_each_courant_number_is_a_row_on_screen_and_in_both_files(tmp_path, capsys):
    files = ["--json", str(tmp_path / "it.json"), "--markdown", str(tmp_path / "it.md")]
    main(["--courant", "1", "3", "--cases", "free_fall", "vortex", "--cells", "12", *files, "--solver", "seed=3"])
    printed = capsys.readouterr().out
    for title in ("free_fall, apic", "vortex, apic"):
        table = printed[printed.index(title) :].splitlines()
        assert [line.split()[0] for line in table[1:4]] == ["courant", "1", "3"]
    written = json.loads((tmp_path / "it.json").read_text(encoding="utf-8"))
    assert [table["case"] for table in written["tables"]] == ["free_fall", "vortex"]
    assert [row["courant"] for row in written["tables"][0]["rows"]] == [1, 3]
    assert "| courant | 1 | 3 |" in (tmp_path / "it.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_place_and_the_velocity_of_a_falling_drop_are_exact():
    figures = free_fall(3.0, "apic", cells=12, seconds=0.1)
    assert abs(figures["2-D position, m"]) < 1e-5
    assert abs(figures["3-D position, m"]) < 1e-5
    assert abs(figures["2-D velocity, m/s"]) < 1e-5
    assert abs(figures["3-D velocity, m/s"]) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("courant", [0.5, 3.0])
def test_a_vortex_keeps_its_energy_with_short_and_long_steps(courant):
    assert 0.85 < vortex(courant, "apic", cells=16, turns=0.5)["energy left"] < 1.01


def test_envelope_and_frequency_of_a_wave_that_dies_away():
    time = np.cumsum(np.random.default_rng(1).uniform(0.01, 0.03, 700)) * _PERIOD
    wave = np.exp(-0.03 * time / _PERIOD) * np.cos(2 * math.pi * time / _PERIOD)
    assert _envelope(time, wave, 5 * _PERIOD) == pytest.approx(math.exp(-0.15), rel=2e-3)
    assert _envelope(time, wave, 10 * _PERIOD) == pytest.approx(math.exp(-0.3), rel=2e-3)
    assert _frequency(time, wave) == pytest.approx(2 * math.pi / _PERIOD, rel=1e-4)


def test_the_fullest_cell_and_the_height_of_a_share():
    scene = plash.Scene(
        domain={"size": (0.6, 0.9), "cell_size": 0.05},
        solver={"jitter": 0.0},
        fill=[{"shape": plash.Box(min=(0.1, 0.2), max=(0.4, 0.6))}],
    )
    particles = next(plash.simulate(scene)).particles
    assert fullest_cell(particles, 0.05) == pytest.approx(1)
    assert fullest_cell(particles, 0.1) == pytest.approx(1)
    assert height_of_share(particles, 0.25) == pytest.approx(0.5, abs=0.02)


def test_half_a_ball_has_its_centre_at_five_eighths():
    assert _centre_of_cap(2 / 3 * math.pi, 1.0) == pytest.approx(0.625)


def test_many_columns_are_printed_below_each_other():
    names = [f"a figure with a long name, {number}" for number in range(9)]
    table = Table("case", "", "apic", {1.0: dict.fromkeys(names, 0.5), 2.0: {}}, {1.0: 3.0, 2.0: 4.0})
    lines = table.text().splitlines()
    assert max(map(len, lines)) < 122
    assert sum(line.lstrip().startswith("courant") for line in lines) > 1
    assert all(name in table.text() for name in names)
