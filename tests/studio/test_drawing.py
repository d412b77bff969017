"""Walls as part of the scene: what is drawn is saved, what is erased is gone, what is undone comes back."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import plash
from plash.levelset.shapes import distance
from plash.studio.drawing import MOST_PIECES, drawn, erased, next_wall, pieces_of
from plash.studio.history import LONGEST, History

SCENE = plash.load_scene("dam_break_2d")


def wall(scene, points, radius=0.03):
    name = next_wall(scene)
    for start, end in pairwise(points):
        scene = drawn(scene, name, start, end, radius)
    return scene


def inside(scene, place) -> bool:
    return any(distance(solid.shape, np.array([place]), solid.name)[0] < 0 for solid in scene.solid)


def test_a_wall_is_where_it_was_drawn_and_survives_a_file():
    scene = wall(SCENE, [(0.7, 0.1), (0.7, 0.5), (1.1, 0.8)])
    again = plash.parse_scene(plash.scene_text(scene))
    assert again.solid == scene.solid
    for place, expected in {(0.7, 0.3): True, (0.9, 0.65): True, (0.8, 0.3): False, (0.7, 0.06): False}.items():
        assert inside(again, place) is expected


def test_a_straight_wall_is_one_piece_however_many_messages_drew_it():
    points = [(0.5 + 0.01 * k, 0.2 + 0.005 * k) for k in range(60)]
    scene = wall(SCENE, points)
    assert len(pieces_of(scene.solid[0])) == 1
    assert inside(scene, points[30])
    bent = wall(SCENE, [(0.5 + 0.3 * np.cos(a), 0.5 + 0.3 * np.sin(a)) for a in np.linspace(0, 3, 40)])
    assert 5 < len(pieces_of(bent.solid[0])) < 30


def test_a_click_is_a_dot():
    scene = drawn(SCENE, "wall 1", (1.0, 0.5), (1.0, 0.5), 0.05)
    assert inside(scene, (1.04, 0.5))
    assert not inside(scene, (1.06, 0.5))


def test_an_eraser_cuts_a_gap_and_leaves_the_rest():
    scene = erased(wall(SCENE, [(0.6, 0.5), (1.4, 0.5)]), (1.0, 0.5), 0.1)
    assert not inside(scene, (1.0, 0.5))
    assert not inside(scene, (1.09, 0.5))
    assert inside(scene, (0.7, 0.5))
    assert inside(scene, (1.3, 0.5))
    assert len(scene.solid) == 1


def loaded(**properties) -> plash.Scene:
    """A scene with a wall that came from a file, from (0.6, 0.5) to (1.4, 0.5)."""
    solid = wall(SCENE, [(0.6, 0.5), (1.0, 0.5), (1.1, 0.5), (1.4, 0.5)]).solid[0]
    solid = solid.model_dump(exclude={"look": {"texture_sha256"}})
    return plash.parse_scene(plash.scene_text(SCENE.model_copy(update={"solid": (plash.Solid(**solid | properties),)})))


def test_what_is_left_of_a_wall_keeps_its_friction_its_look_and_its_motion():
    scene = loaded(friction=0.4, look={"color": "#aa3311"}, motion={"velocity": (0.1, 0), "start": 1})
    before, after = scene.solid[0], erased(scene, (1.0, 0.5), 0.1).solid[0]
    assert after.shape != before.shape
    assert after == before.model_copy(update={"shape": after.shape})
    assert before.friction == 0.4
    assert before.motion.velocity == (0.1, 0.0)


def test_an_eraser_touches_a_moving_wall_where_it_is_now():
    turn = {"spin": np.pi / 2, "center": (1.0, 0.5), "velocity": (0.1, 0)}
    scene = loaded(motion=turn)  # a second later it stands upright at x = 1.1
    assert erased(scene, (1.1, 0.8), 0.05, time=0.0) == scene
    after = erased(scene, (1.1, 0.8), 0.05, time=1.0)
    standing = after.model_copy(update={"solid": after.solids_at(1.0)})
    assert not inside(standing, (1.1, 0.8))
    assert inside(standing, (1.1, 0.3))
    block = plash.Solid(name="block", shape=plash.Box(min=(1.0, 0.0), max=(1.2, 0.3)), motion={"velocity": (0, 0.1)})
    scene = SCENE.model_copy(update={"solid": (block,)})
    assert erased(scene, (1.1, 0.35), 0.01, time=0.0).solid == (block,)
    assert erased(scene, (1.1, 0.35), 0.01, time=1.0).solid == ()


def test_what_is_left_of_a_turned_and_shifted_wall_stays_where_it_was():
    shape: Any = {
        "kind": "union",
        "translation": (0.1, 0.1),
        "rotation": {"angle": np.pi / 2},
        "of": [
            {"kind": "capsule", "base": (0.6, 0.5), "top": (1.0, 0.5), "radius": 0.03},
            {"kind": "capsule", "base": (0.9, 0.5), "top": (1.3, 0.5), "radius": 0.03, "translation": (0.1, 0)},
            {"kind": "sphere", "center": (1.4, 0.5), "radius": 0.03, "rotation": {"angle": 1, "about": (1.4, 0.4)}},
        ],
    }
    scene = SCENE.model_copy(update={"solid": (plash.Solid(name="wall 1", shape=shape),)})
    places = np.random.default_rng(1).uniform((0.6, 0.0), (1.6, 1.2), (4000, 2))
    was_in = np.array([inside(scene, place) for place in places])
    place, radius = np.array((1.1, 0.6)), 0.06
    after = erased(scene, tuple(place), radius)
    is_in = np.array([inside(after, place) for place in places])
    far = np.hypot(*(places - place).T) > radius + 2 * 0.03
    assert np.array_equal(is_in[far], was_in[far])
    assert is_in[far].sum() > 30
    assert not is_in[np.hypot(*(places - place).T) < radius].any()


def test_an_eraser_takes_other_solids_whole_and_misses_what_it_does_not_touch():
    block = plash.Solid(name="block", shape=plash.Box(min=(1.0, 0.0), max=(1.2, 0.3)))
    scene = SCENE.model_copy(update={"solid": (block,)})
    assert erased(scene, (0.5, 0.5), 0.05).solid == (block,)
    assert erased(scene, (1.1, 0.2), 0.01).solid == ()


def test_walls_have_names_of_their_own_and_an_end_to_their_number():
    scene = wall(wall(SCENE, [(0.6, 0.1), (0.6, 0.3)]), [(0.9, 0.1), (0.9, 0.3)])
    assert [solid.name for solid in scene.solid] == ["wall 1", "wall 2"]
    for k in range(MOST_PIECES + 10):
        scene = drawn(scene, f"wall {3 + k}", (1.0, 0.5), (1.0 + 0.001 * (k + 1), 0.6), 0.01)
    assert sum(len(pieces_of(solid)) for solid in scene.solid) == MOST_PIECES


def test_undo_and_redo_go_through_the_same_scenes():
    scenes = [SCENE.model_copy(update={"title": str(k)}) for k in range(5)]
    history = History(scenes[0])
    for scene in scenes[1:]:
        history.change(scene)
    assert [history.undo() and history.now.title for _ in range(5)] == ["3", "2", "1", "0", False]
    assert [history.redo() and history.now.title for _ in range(5)] == ["1", "2", "3", "4", False]
    history.undo()
    history.change(scenes[0])
    assert not history.redo()


def test_changes_of_one_subject_are_taken_back_together():
    history = History(SCENE)
    for k in range(10):
        history.change(SCENE.model_copy(update={"title": str(k)}), "title")
    assert history.depths == (1, 0)
    history.pause()
    history.change(SCENE.model_copy(update={"title": "last"}), "title")
    assert history.undo()
    assert history.now.title == "9"
    for k in range(2 * LONGEST):
        history.change(SCENE.model_copy(update={"title": f"x{k}"}))
    assert history.depths == (LONGEST, 0)


@pytest.mark.parametrize("radius", [0.01, 0.2])
def test_erasing_everything_leaves_nothing(radius):
    scene = wall(SCENE, [(0.6, 0.5), (0.9, 0.5), (0.9, 0.8)])
    for x in np.arange(0.5, 1.1, radius / 2):
        scene = erased(scene, (x, 0.5), radius)
    for y in np.arange(0.4, 1.0, radius / 2):
        scene = erased(scene, (0.9, y), radius)
    assert scene.solid == ()
