from typing import Any

import pytest

import plash
from plash.errors import SceneError
from plash.scene import MATERIALS, Liquid, Solver, Time


def test_liquid_is_water_unless_said_otherwise():
    assert Liquid().rho == MATERIALS["water"].density
    assert Liquid().nu == pytest.approx(1.004e-6, rel=1e-3)


def test_density_override_changes_kinematic_viscosity_with_it():
    liquid = Liquid(material="glycerol", density="2 g/cm^3")
    assert liquid.rho == 2000.0
    assert liquid.nu == MATERIALS["glycerol"].dynamic_viscosity / 2000.0


def test_either_viscosity_overrides_the_material():
    assert Liquid(dynamic_viscosity=3, density=6).nu == 0.5
    assert Liquid(kinematic_viscosity="1 cSt", material="honey").nu == 1e-6
    assert Liquid(dynamic_viscosity=0).nu == 0.0


def test_every_material_is_a_liquid_of_this_world_with_a_source():
    assert len(MATERIALS) >= 8
    liquids = {name: material for name, material in MATERIALS.items() if name != "air"}
    for name, material in liquids.items():
        assert Liquid(material=name).rho == material.density
        assert 600 < material.density < 14000
        assert 1e-4 < material.dynamic_viscosity <= 1000
        assert material.viscosity_at or 15 <= material.temperature <= 25
        assert len(material.source) > 10


def test_materials_that_melt_are_liquid_unless_said_otherwise():
    for name, material in MATERIALS.items():
        liquid = Liquid(material=name)
        assert liquid.nu * liquid.rho == pytest.approx(material.dynamic_viscosity)
        assert liquid.thermal_diffusivity == material.thermal_diffusivity
        for celsius, viscosity in material.viscosity_at:
            assert liquid.dynamic_viscosity_at(celsius + 273.15) == pytest.approx(viscosity)
    assert Liquid(material="lava").temperature == pytest.approx(1423.15)
    assert Liquid(material="honey").temperature == Liquid().temperature == 293.15
    cold = Liquid(material="wax", temperature="20 degC")
    assert cold.nu * cold.rho == pytest.approx(1e5)
    assert Liquid(material="wax", dynamic_viscosity=2, temperature="20 degC").nu == pytest.approx(2 / 780)


@pytest.mark.parametrize(
    ("table", "arguments", "key", "words"),
    [
        (Liquid, {"material": "wather"}, "material", ['"wather"', 'Did you mean "water"', "honey"]),
        (Liquid, {"dynamic_viscosity": 1, "kinematic_viscosity": 2}, "kinematic_viscosity", ["2.0", "= 1.0"]),
        (Liquid, {"density": 0}, "density", ["0 is out of range", "above 0 kg/m^3"]),
        (Liquid, {"dynamic_viscosity": "-1 cP"}, "dynamic_viscosity", ['"-1 cP"', "at least 0 Pa*s"]),
        (Liquid, {"gas_pressure": "1 m"}, "gas_pressure", ["a length, not a pressure"]),
        (
            Solver,
            {"transfer": "aipc"},
            "transfer",
            ['"aipc"', "semi_lagrangian, pic, flip, apic", 'Did you mean "apic"'],
        ),
        (Solver, {"flip_ratio": 1.5}, "flip_ratio", ["1.5", "at most 1"]),
        (Solver, {"seed": -1}, "seed", ["-1", "at least 0"]),
        (Solver, {"seed": 1.0}, "seed", ["1.0", "whole number"]),
        (Solver, {"courant": 0}, "courant", ["0", "above 0"]),
        (Solver, {"tolerance": 1e-11}, "tolerance", ["1e-11", "at least 1e-10"]),
        (Solver, {"steps_cross_frames": 1}, "steps_cross_frames", ["1", "true or false"]),
        (Solver, {"min_dt": "2 s", "max_dt": "1 s"}, "min_dt", ["2.0 s", "max_dt = 1.0 s"]),
        (Solver, {"max_dt": 0}, "max_dt", ["above 0 s"]),
        (Solver, {"kind": "smoek"}, "kind", ['"smoek"', "smoke"]),
        (Solver, {"particles_per_cell": 0}, "particles_per_cell", ["at least 1"]),
        (Time, {"fps": 0}, "fps", ["0 is out of range"]),
        (Time, {"fps": "24"}, "fps", ['"24"', "a number"]),
        (Time, {"frames": 0}, "frames", ["at least 1"]),
        (Time, {"frames": True}, "frames", ["true", "whole number"]),
        (Time, {"frame": 3}, "frame", ["set to 3", 'Did you mean "frames"', "Valid here: fps, frames"]),
    ],
)
def test_impossible_setting_is_refused_by_key_value_and_limit(table, arguments, key, words):
    with pytest.raises(SceneError) as error:
        table(**arguments)
    (problem,) = error.value.problems
    assert problem.key == key
    assert all(word in problem.message for word in words), problem.message


def test_settings_cannot_be_changed_afterwards():
    with pytest.raises(ValueError, match="frozen"):
        Time().frames = 3


def test_surface_cells_and_cut_solids_are_refused_together():
    assert plash.load_scene("dam_break", **{"solver.free_surface": "cells"}).solver.free_surface == "cells"
    with pytest.raises(SceneError, match=r'solids: "cut" does not go together with free_surface = "cells"'):
        Solver(free_surface="cells", solids="cut")


OLD: dict[str, Any] = {"parting": False, "transfer": "trace"}


def test_keys_and_words_are_known_by_their_old_names():
    assert Solver(**OLD) == Solver(separating_walls=False, transfer="semi_lagrangian")
    kuo = plash.load_scene("kuo_pour", **{"solver.advection": "trace"})
    assert kuo.solver.advection == "semi_lagrangian"
    assert plash.load_scene("dam_break", **{"solver.parting": False}).solver.separating_walls is False


def test_an_old_name_beside_the_new_one_is_refused():
    with pytest.raises(SceneError, match="parting: is the old name of separating_walls"):
        Solver(**OLD, separating_walls=True)


def test_plain_data_makes_settings_of_the_kind_it_names():
    assert Solver.model_validate({"transfer": "flip"}) == Solver(transfer="flip")
    fluids: Any = Solver.model_validate({"kind": "stable_fluids", "isovalue": 0.4})
    assert fluids.isovalue == 0.4
    assert type(fluids).model_validate({"kind": "stable_fluids", "isovalue": 0.4}) == fluids
