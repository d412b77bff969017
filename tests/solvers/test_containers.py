"""Fills inside containers: how much they hold, where they run over, what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

import plash
from plash.levelset.rooms import Samples, rooms
from plash.pipeline.fingerprint import physics, simulation
from plash.solvers.build import build
from plash.solvers.build.containers import filling, with_shapes

# Two cells of wall are not thickened
H = 0.02
CUP = (
    'shape = { kind = "difference", of = [{ kind = "cylinder", base = [0.3, 0.06, 0.26], top = [0.3, 0.36, 0.26], '
    'radius = 0.18 }, { kind = "cylinder", base = [0.3, 0.1, 0.26], top = [0.3, 0.5, 0.26], radius = 0.14 }] }'
)
TROUGH = (
    'shape = { kind = "difference", of = [{ kind = "box", min = [0.1, 0.1], max = [0.5, 0.4] }, '
    '{ kind = "box", min = [0.16, 0.16], max = [0.44, 0.5] }] }'
)


def scene(solid, level, size=(0.6, 0.5, 0.52), more="", name="cup", h=H, **overrides):
    text = (
        f"version = 1\n[domain]\nsize = {list(size)}\ncell_size = {h}\n[liquid]\ndensity = 900\n"
        f'[[solid]]\nname = "cup"\n{solid}\n[[fill]]\ninside = "{name}"\nlevel = {level}\n{more}'
    )
    return plash.parse_scene(text, "cup.toml", **overrides)


def particles(made):
    state: Any = build(made).state
    return state.particles


def seeded(made):
    return particles(made).total_volume() * made.domain.h**made.dimension


def test_a_cup_is_filled_to_its_level():
    made = scene(CUP, 0.13)
    liquid = filling(made, 0)
    (room, surface), exact = liquid.parts[0], math.pi * 0.14**2 * 0.13
    assert room.bottom == pytest.approx(0.1, abs=1e-9)
    assert surface == pytest.approx(0.23, abs=1e-9)
    assert room.rim == pytest.approx(0.36, abs=H)
    assert liquid.volume == pytest.approx(exact, rel=0.005)
    assert seeded(made) == pytest.approx(liquid.volume, rel=0.005)


def test_no_liquid_is_above_the_level_or_outside():
    made = scene(CUP, 0.13)
    place = particles(made).position(H)
    assert place[:, 1].max() < 0.23
    assert np.hypot(place[:, 0] - 0.3, place[:, 2] - 0.26).max() < 0.14


@pytest.mark.parametrize("solids", ["cut", "voxel"])
def test_a_trough_in_the_plane_holds_its_section(solids):
    made = scene(TROUGH, 0.12, (0.6, 0.5), **{"solver.solids": solids})
    assert seeded(made) == pytest.approx(0.28 * 0.12, rel=1e-3)


@pytest.mark.parametrize("gravity", [(0, -9.81), (0, 9.81), (-9.81, 0), (0, 0)])
def test_up_is_against_gravity(gravity):
    turned = {(0, 9.81): "180 deg", (-9.81, 0): "-90 deg"}.get(gravity, "0 deg")
    solid = TROUGH[:-2] + f', rotation = {{ angle = "{turned}", about = [0.3, 0.25] }} }}'
    made = scene(solid, 0.12, (0.6, 0.5), **{"domain.gravity": list(gravity)})
    assert filling(made, 0).volume == pytest.approx(0.28 * 0.12, rel=0.02)


def test_a_tilted_cup_holds_less_and_has_a_level_surface():
    upright, tilted = (
        scene(TROUGH[:-2] + f', rotation = {{ angle = "{angle} deg" }} }}', 0.08, (0.8, 0.6)) for angle in (0, 25)
    )
    # A wedge of the same depth: the sides go up at 25 and 65 degrees
    wedge = 0.5 * 0.08**2 * (1 / math.tan(math.radians(25)) + math.tan(math.radians(25)))
    assert filling(tilted, 0).volume == pytest.approx(wedge, rel=0.05)
    assert filling(upright, 0).volume == pytest.approx(0.28 * 0.08, rel=0.01)
    assert particles(tilted).position(H)[:, 1].max() < filling(tilted, 0).parts[0][1]


def test_a_moving_container_is_filled_where_it_is_then():
    motion = "\nmotion = { velocity = [0.3, 0] }"
    made = scene(TROUGH + motion, 0.1, (0.9, 0.5), "time = 0.5")
    (room, _), samples = filling(made, 0).parts[0], filling(made, 0).samples
    columns = np.flatnonzero(room.is_in[room.is_in.any(axis=1).argmax()])
    left = samples.low[0] + columns[0] * samples.spacing
    assert left == pytest.approx(0.16 + 0.15, abs=samples.spacing)


def test_what_stands_in_a_container_makes_room_for_itself():
    ball = '[[solid]]\nshape = { kind = "sphere", center = [0.3, 0.16, 0.26], radius = 0.05 }'
    made = scene(CUP, 0.15, more=ball)
    exact = math.pi * 0.14**2 * 0.15 - 4 / 3 * math.pi * 0.05**3
    assert filling(made, 0).volume == pytest.approx(exact, rel=0.01)


def test_each_of_several_rooms_is_filled():
    tray = (
        'shape = { kind = "difference", of = [{ kind = "box", min = [0.1, 0.1], max = [0.9, 0.4] }, '
        '{ kind = "box", min = [0.16, 0.16], max = [0.44, 0.5] }, '
        '{ kind = "box", min = [0.56, 0.24], max = [0.8, 0.5] }] }'
    )
    made = scene(tray, 0.1, (1.0, 0.5))
    assert filling(made, 0).volume == pytest.approx(0.28 * 0.1 + 0.24 * 0.1, rel=1e-3)


def test_a_ring_on_the_floor_holds_liquid_between_it_and_the_floor():
    ring = (
        'shape = { kind = "union", of = [{ kind = "box", min = [0.1, 0], max = [0.16, 0.3] }, '
        '{ kind = "box", min = [0.44, 0], max = [0.5, 0.3] }] }'
    )
    assert seeded(scene(ring, 0.2, (0.6, 0.5))) == pytest.approx(0.28 * 0.2, rel=1e-3)
    with pytest.raises(plash.SceneError, match="holds no liquid: it is open below"):
        build(scene(ring.replace("0],", "0.08],"), 0.2, (0.6, 0.5)))


def test_a_closed_room_is_filled_to_any_level():
    closed = TROUGH.replace("0.5] }] }", "0.34] }] }")
    liquid = filling(scene(closed, 0.17, (0.6, 0.5)), 0)
    assert liquid.parts[0][0].spills_at is None
    assert liquid.volume == pytest.approx(0.28 * 0.17, rel=1e-3)


def test_a_bowl_in_a_bowl_is_another_room():
    bowl = TROUGH.replace("[0.1, 0.1]", "[0.2, 0.2]").replace("[0.5, 0.4]", "[0.4, 0.36]")
    bowl = bowl.replace("[0.16, 0.16]", "[0.26, 0.26]").replace("[0.44, 0.5]", "[0.34, 0.5]")
    made = scene(TROUGH, 0.1, (0.6, 0.5), f'[[solid]]\nname = "small"\n{bowl}')
    # Between the two bowls, 2 by 4 cm are left on each side, and 12 by 4 below
    assert filling(made, 0).volume == pytest.approx(0.28 * 0.1 - 0.2 * 0.06, rel=0.02)
    inner = scene(TROUGH, 0.05, (0.6, 0.5), f'[[solid]]\nname = "small"\n{bowl}', name="small")
    assert filling(inner, 0).volume == pytest.approx(0.08 * 0.05, rel=0.02)


def test_a_hole_is_where_it_runs_over():
    holed = TROUGH[:-3] + ', { kind = "box", min = [0.3, 0.26], max = [0.6, 0.32] }] }'
    assert filling(scene(holed, 0.08, (0.7, 0.5)), 0).volume == pytest.approx(0.28 * 0.08, rel=1e-3)
    with pytest.raises(
        plash.SceneError,
        match=r'level: 0.15 m is too much: "cup" runs over at \(0\.\d+, 0\.2\d+\) m, 0\.\d+ m above its lowest point',
    ):
        build(scene(holed, 0.15, (0.7, 0.5)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"name": "cop"}, r'fill\[0\].inside: "cop" is not the name of a solid. Did you mean "cup"'),
        ({"more": 'shape = { kind = "box", min = [0, 0], max = [1, 1] }'}, "is given together with shape"),
        ({"level": '"3 s"'}, r"fill\[0\].level"),
        ({"level": 0}, r"fill\[0\].level"),
    ],
)
def test_what_makes_no_sense_is_refused(words, message):
    with pytest.raises(plash.SceneError, match=message):
        scene(TROUGH, **({"level": 0.1, "size": (0.6, 0.5)} | words))


def test_level_and_inside_go_together():
    with pytest.raises(plash.SceneError, match="level: is missing: say how high"):
        plash.Fill(inside="cup")
    with pytest.raises(plash.SceneError, match="has no use without inside"):
        plash.Fill(shape={"kind": "sphere", "center": (0, 0), "radius": 1}, level=0.1)
    with pytest.raises(plash.SceneError, match="shape: is missing: give a shape, or inside and level"):
        plash.Fill()


def test_liquid_elsewhere_is_added_and_not_counted_twice():
    pool = '[[fill]]\nshape = { kind = "box", min = [0, 0], max = [0.6, 0.2] }'
    made = scene(TROUGH, 0.1, (0.6, 0.5), pool)
    # The pool fills the trough up to 0.2 as well, and lies under and beside it
    assert seeded(made) == pytest.approx(0.6 * 0.2 - (0.4 * 0.1 - 0.28 * 0.04) + 0.28 * 0.06, rel=2e-3)


def test_check_tells_the_volume():
    report = plash.check(scene(TROUGH, 0.1, (0.6, 0.5)), with_steps=False)
    (told,) = [finding for finding in report.findings if finding.code == "filled"]
    assert told.where == "fill[0]"
    assert "holds 0.028 m^2 inside 'cup', from a height of 0.16 m up; its surface is about 0.15 m below" in told.message


def test_a_scene_without_containers_is_the_same_object():
    made = plash.load_scene("dam_break_2d", resolution=16)
    assert with_shapes(made) is made


@pytest.mark.parametrize("solver", ["stable_fluids", "levelset"])
def test_other_solvers_fill_containers_too(solver):
    kind = {"solver.kind": "stable_fluids"} if solver == "stable_fluids" else {"solver.surface": "levelset"}
    made = scene(TROUGH, 0.12, (0.6, 0.5), **kind)
    built: Any = build(made)
    if solver == "stable_fluids":
        assert built.state.density.sum() * H**2 == pytest.approx(0.28 * 0.12, rel=0.01)
    else:
        built.advance(1e-4)
        assert built.ledger.volume == pytest.approx(0.28 * 0.12, rel=0.02)


def test_a_fill_is_written_back_as_it_was_read():
    made = scene(TROUGH, 0.12, (0.6, 0.5))
    text = plash.scene_text(made)
    assert 'inside = "cup"' in text
    assert plash.parse_scene(text) == made


def test_a_flood_finds_the_lowest_way_out():
    """Two basins side by side, with a ridge between them that is higher than the rim of the left one."""
    heights = np.array([3, 0, 4, 1, 5])
    is_open = np.arange(8)[:, None] >= heights
    ways_out = np.zeros((8, 5), np.bool_)
    ways_out[:, 0] = ways_out[:, -1] = ways_out[-1] = True
    around = np.pad(is_open, ((1, 0), (0, 0)))  # below is a floor
    clearance = np.where(is_open, distance_transform_edt(around)[1:] - 0.5, -0.5)
    made = Samples(np.zeros(2), 1.0, np.array([0.0, 1.0]), clearance, ways_out & is_open)

    def nowhere(points):
        return np.full(len(points), -1.0), np.zeros(len(points), int)

    right, left = sorted(rooms(made, np.zeros((8, 5), int), nowhere), key=lambda room: -room.rim)
    assert (left.bottom, left.rim) == (0.0, 3.0)
    assert (right.bottom, right.rim) == (1.0, 4.0)
    assert (left.volume_below(2.0, made), right.volume_below(4.0, made)) == (2.0, 3.0)
    np.testing.assert_array_equal(left.spills_at, [0.5, 3.5])
    np.testing.assert_array_equal(right.spills_at, [2.5, 4.5])


def test_a_run_knows_the_container_and_the_level():
    made = scene(TROUGH, 0.12, (0.6, 0.5))
    assert simulation(made) != simulation(scene(TROUGH, 0.13, (0.6, 0.5)))
    assert physics(made)["fill"][0]["inside"] == "cup"
    assert "inside" not in physics(plash.load_scene("dam_break_2d"))["fill"][0]
