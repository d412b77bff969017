import pickle
from typing import Any

import numpy as np
import pytest

from plash.errors import SceneError
from plash.scene import Box, Domain, Fill, FunctionShape, HeightShape, Scene, Solid, Solver, Sphere, Union

BOX = Box(min=(0, 0, 0), max=(0.5, 0.5, 1))
DOMAIN = Domain(size=(1, 1, 1))


def problems_of(**arguments):
    with pytest.raises(SceneError) as error:
        Scene(**arguments)
    return {problem.key: problem.message for problem in error.value.problems}


def test_scene_of_objects_equals_scene_of_plain_tables():
    objects = Scene(domain=DOMAIN, fill=[Fill(shape=BOX)], solid=(Solid(name="a", shape=BOX),))
    table: Any = {"kind": "box", "min": [0, 0, 0], "max": [0.5, 0.5, 1]}
    plain = Scene(domain={"size": [1, 1, 1]}, fill=[{"shape": table}], solid=[{"name": "a", "shape": table}])
    mixed = Scene(domain=DOMAIN, fill=[{"shape": BOX}], solid=[{"name": "a", "shape": table}])
    assert objects == plain == mixed
    assert hash(objects) == hash(plain)


def test_scene_survives_pickling():
    scene = Scene(domain=DOMAIN, fill=[Fill(shape=BOX)])
    assert pickle.loads(pickle.dumps(scene)) == scene


def test_fill_rests_unless_said_otherwise():
    assert Scene(domain=DOMAIN, fill=[Fill(shape=BOX)]).fill[0].velocity == (0, 0, 0)
    flat = Fill(shape=Box(min=(0, 0), max=(1, 1)))
    assert Scene(domain=Domain(size=(1, 1)), fill=[flat]).fill[0].velocity == (0, 0)


def test_solids_without_a_name_are_named_by_position():
    scene = Scene(
        domain=DOMAIN,
        fill=[Fill(shape=BOX)],
        solid=[Solid(shape=BOX), Solid(name="x", shape=BOX), {"shape": BOX}],
    )
    assert [solid.name for solid in scene.solid] == ["solid 1", "x", "solid 3"]


def test_given_name_may_not_clash_with_one_given_by_position():
    solids = [Solid(name="solid 2", shape=BOX), Solid(shape=BOX)]
    assert list(problems_of(domain=DOMAIN, fill=[Fill(shape=BOX)], solid=solids)) == ["solid[1].name"]


def test_particles_per_cell_follow_the_dimension():
    flat = Scene(domain=Domain(size=(1, 1)), fill=[Fill(shape=Box(min=(0, 0), max=(1, 1)))])
    deep = Scene(domain=DOMAIN, fill=[Fill(shape=BOX)])
    chosen = Scene(domain=DOMAIN, fill=[Fill(shape=BOX)], solver=Solver(particles_per_cell=27))
    assert (flat.particles_per_cell, deep.particles_per_cell, chosen.particles_per_cell) == (4, 8, 27)


@pytest.mark.parametrize("count", range(1, 130))
def test_particles_per_cell_fill_a_lattice(count):
    squares, cubes = {n**2 for n in range(12)}, {n**3 for n in range(6)}
    solver: Any = {"particles_per_cell": count}
    cases: Any = (
        ({"size": (1, 1)}, Box(min=(0, 0), max=(1, 1)), squares),
        ({"size": (1, 1, 1)}, BOX, cubes),
    )
    for domain, shape, lattice in cases:
        if count in lattice:
            assert Scene(domain=domain, solver=solver, fill=[Fill(shape=shape)]).particles_per_cell == count
        else:
            found = problems_of(domain=domain, solver=solver, fill=[Fill(shape=shape)])
            assert list(found) == ["solver.particles_per_cell"]


def test_bare_function_is_a_shape():
    def ball(points):
        return np.linalg.norm(points - 0.5, axis=1) - 0.2

    scene = Scene(domain=DOMAIN, fill=[Fill(shape=ball), Fill(shape=Union(of=[ball, BOX]))])
    assert scene.fill[0].shape == FunctionShape(function=ball)
    group = scene.fill[1].shape
    assert isinstance(group, Union)
    assert group.of[0] == FunctionShape(function=ball)


def test_height_is_a_shape():
    scene = Scene(domain=DOMAIN, fill=[Fill(shape=HeightShape(height=lambda x, z: 0 * x))])
    assert scene.fill[0].shape.kind == "height"


def test_class_in_place_of_a_shape_is_refused():
    assert "Box is a class" in problems_of(domain=DOMAIN, fill=[{"shape": Box}])["fill[0].shape"]


def test_all_problems_arrive_together():
    found = problems_of(
        title=3,
        domain={"size": (1, 1, 1), "gravity": (0, "-1 m", 0)},
        time={"frames": 0},
        solver={"transfer": "flop", "courant": 20},
        liquid={"material": "mlik"},
        fill=[{"shape": {"kind": "sphere", "center": (0, 0, 0), "radius": -1}}, {"shape": 3}],
        solid=[{"name": "a", "shape": BOX}, {"name": "a", "shape": {"kind": "bix"}}],
        camera={},
    )
    assert set(found) == {
        "title",
        "domain.gravity[1]",
        "time.frames",
        "solver.transfer",
        "solver.courant",
        "liquid.material",
        "fill[0].shape.radius",
        "fill[1].shape",
        "solid[1].name",
        "solid[1].shape",
        "camera",
    }


def test_misplaced_bodies_are_found_one_by_one():
    found = problems_of(
        domain=DOMAIN,
        solver={"particles_per_cell": 9},
        fill=[
            Fill(shape=Sphere(center=(0, 0), radius=1), velocity=(1, 1)),
            Fill(shape=Sphere(center=(3, 0, 0), radius=1)),
            Fill(shape=BOX),
        ],
        solid=[Solid(shape=Union(of=[BOX, Sphere(center=(0, 0, 0), radius=1, translation=(1, 1))]))],
    )
    assert set(found) == {
        "solver.particles_per_cell",
        "fill[0].shape.center",
        "fill[0].velocity",
        "fill[1].shape",
        "solid[0].shape.of[1].translation",
    }
    assert "from (2, -1, -1) to (4, 1, 1) m" in found["fill[1].shape"]
    assert "from (0, 0, 0) to (1, 1, 1) m" in found["fill[1].shape"]


def test_at_most_a_hundred_problems_are_listed():
    unknown: Any = {f"unknown_{index}": index for index in range(150)}
    with pytest.raises(SceneError, match="and 50 more problems") as error:
        Scene(domain=DOMAIN, fill=[Fill(shape=BOX)], **unknown)
    assert len(error.value.problems) == 101


def test_half_a_surrogate_pair_is_no_text():
    assert "surrogate" in problems_of(domain=DOMAIN, fill=[Fill(shape=BOX)], title="\ud800")["title"]


def test_scene_prints_what_differs_from_the_defaults():
    scene = Scene(domain=Domain(size=(1, 1)), fill=[Fill(shape=Box(min=(0, 0), max=(1, 1)))])
    assert repr(scene.fill[0].shape) == "Box(min=(0.0, 0.0), max=(1.0, 1.0))"
