"""Small versions of the full-size validations; `make validate` runs those."""

import numpy as np
import pytest
from validation.cavity import cavity
from validation.dam_break import collapse
from validation.keep import kept
from validation.sloshing import slosh
from validation.sources import flux, fountain
from validation.volume import settle

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_the_front_of_a_collapsing_column_is_where_martin_and_moyce_saw_it(transfer):
    run = collapse(16, transfer, until=2.4)
    assert run.front_error() < 0.10
    assert abs(run.volume_error) < 0.02
    early = run.height_time < 2.3
    assert np.all(np.diff(run.height[early]) < 0.05)


@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_a_wave_has_the_frequency_of_theory_to_second_order(transfer):
    cells = (8, 12, 16, 24)
    errors = [abs(slosh(n, transfer, periods=3.2).error) for n in cells]
    assert errors[-1] < 0.002
    order = -np.polyfit(np.log(cells), np.log(errors), 1)[0]
    assert order > 1.7


@pytest.mark.parametrize("transfer", ["flip", "apic"])
def test_a_dam_break_keeps_its_volume(transfer):
    run = settle(2, 32, transfer, seconds=4)
    assert run.carried < 1e-6
    assert run.error.min() > -0.05
    assert run.error.max() < 0.02


def test_a_lid_drives_a_cavity_as_ghia_et_al_found():
    """On few cells, by a solid that holds liquid, between sides that do."""
    assert max(cavity(28, seconds=7.0).errors) < 0.03


@pytest.mark.parametrize("under_water", [False, True])
def test_a_spout_brings_what_was_asked(under_water):
    """Under water, but for what straight paths ask for in the box that it is measured round."""
    assert flux(2, 30, under_water, cells=6, seconds=1.0) == pytest.approx(1.0, abs=0.02 if under_water else 0.01)


def test_a_steady_fountain_rises_as_high_as_its_speed_takes_it():
    assert fountain(2, speed=2.5, cells=6, width=0.04).steady == pytest.approx(1.0, abs=0.05)


def test_what_was_run_is_kept(tmp_path):
    runs = []

    def run(size, name="it"):
        runs.append(size)
        return np.full(size, 2.0)

    for _ in range(2):
        assert kept(run, 3, folder=tmp_path, name="this").tolist() == [2.0, 2.0, 2.0]
    assert kept(run, 4, folder=tmp_path, name="this").tolist() == [2.0] * 4
    assert runs == [3, 4]
