import numpy as np
import pytest

from plash.render.video.sheet import contact_sheet, evenly_spaced


@pytest.mark.parametrize(("count", "columns", "rows"), [(1, 1, 1), (4, 4, 1), (5, 4, 2), (16, 4, 4)])
def test_pictures_stand_in_rows_of_four(count, columns, rows):
    pictures = [np.full((90, 160, 3), 10 * number, np.uint8) for number in range(count)]
    sheet = contact_sheet(pictures, [f"frame {number}" for number in range(count)])
    across, down = (sheet.shape[1] - 12) // columns, (sheet.shape[0] - 12) // rows
    assert (across, down) == (160 + 12, 90 + 26 + 12)
    for number in range(count):
        assert (sheet[12 + number // 4 * down + 45, 12 + number % 4 * across + 80] == 10 * number).all()


def test_every_picture_has_a_label():
    picture = np.zeros((60, 320, 3), np.uint8)
    sheet = contact_sheet([picture, picture], ["frame 1   0.00 s", ""])
    label, none = sheet[12 + 60 : 12 + 60 + 26, 12:332], sheet[12 + 60 : 12 + 60 + 26, 344:664]
    assert len(np.unique(label)) > 5
    assert len(np.unique(none.reshape(-1, 3), axis=0)) == 1


def test_small_pictures_have_room_for_their_labels():
    sheet = contact_sheet([np.zeros((16, 16, 3), np.uint8)] * 2, ["frame 1   0.00 s"] * 2)
    assert sheet.shape[1] > 2 * 130


def test_the_first_and_the_last_are_always_among_them():
    for count in range(1, 200):
        numbers = evenly_spaced(count, 16)
        assert numbers[0] == 0
        assert numbers[-1] == count - 1
        assert len(set(numbers)) == min(count, 16)
