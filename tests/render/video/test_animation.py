import numpy as np
import pytest
from PIL import Image, ImageSequence

from plash.render.video.animation import durations, write_animation


def pictures(count, height=48, width=80):
    """A gradient that never changes, and a square that moves over it."""
    y, x = np.mgrid[:height, :width]
    still = np.stack([x * 255 // width, y * 255 // height, np.full_like(x, 90)], axis=-1).astype(np.uint8)
    for number in range(count):
        picture = still.copy()
        picture[10:20, 2 * number : 2 * number + 10] = (250, 240, 230)
        yield picture


def read(path):
    """Frames as RGB, and how long each lasts in ms."""
    with Image.open(path) as file:
        frames = [(np.array(frame.convert("RGB")), frame.info["duration"]) for frame in ImageSequence.Iterator(file)]
        return [frame for frame, _ in frames], [lasting for _, lasting in frames], file.info["loop"]


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_every_picture_is_a_frame_that_looks_the_same(tmp_path, kind):
    path = tmp_path / "clip.tmp"
    write_animation(list(pictures(7)), path, 24, kind, 480)
    frames, lasting, loop = read(path)
    assert len(frames) == 7
    assert loop == 0
    assert sum(lasting) == pytest.approx(1000 * 7 / 24, abs=5 if kind == "gif" else 0.5)
    for frame, picture in zip(frames, pictures(7), strict=True):
        assert frame.shape == picture.shape
        assert np.abs(frame.astype(int) - picture).mean() < 6


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_wide_pictures_are_reduced_and_narrow_ones_are_not(tmp_path, kind):
    write_animation(list(pictures(2)), tmp_path / "small", 24, kind, 40)
    write_animation(list(pictures(2)), tmp_path / "whole", 24, kind, 1000)
    assert read(tmp_path / "small")[0][0].shape == (24, 40, 3)
    assert read(tmp_path / "whole")[0][0].shape == (48, 80, 3)


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_the_same_pictures_give_the_same_bytes(tmp_path, kind):
    for name in ("a", "b"):
        write_animation(list(pictures(5)), tmp_path / name, 24, kind, 480)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_does_not_move_does_not_flicker_in_a_gif(tmp_path):
    write_animation(list(pictures(7)), tmp_path / "clip.gif", 24, "gif", 480)
    frames = read(tmp_path / "clip.gif")[0]
    for frame in frames:
        assert np.array_equal(frame[24:], frames[0][24:])


@pytest.mark.parametrize("kind", ["gif", "webp"])
@pytest.mark.parametrize("fps", [1.0, 12.5, 24, 30, 30000 / 1001, 48, 50, 60, 120, 240.0])
def test_the_whole_is_as_long_as_it_should_be(kind, fps):
    lasting = durations(97, fps, kind)
    assert sum(lasting) == pytest.approx(1000 * 97 / fps, abs=10.1)
    shortest = min(duration for duration in lasting if duration)
    assert shortest >= (20 if kind == "gif" else 11)  # browsers slow down what is shorter
    assert all(lasting) or fps > 50


def test_a_single_picture_of_a_fast_movie_is_shown(tmp_path):
    assert durations(1, 1000, "gif") == [20]
    write_animation(list(pictures(1)), tmp_path / "clip.gif", 1000, "gif", 480)
    with Image.open(tmp_path / "clip.gif") as file:
        assert file.size == (80, 48)


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_no_pictures_and_pictures_of_two_sizes_are_refused(tmp_path, kind):
    with pytest.raises(ValueError, match="at least one picture"):
        write_animation([], tmp_path / "clip", 24, kind, 480)
    with pytest.raises(ValueError, match="picture 2"):
        write_animation([*pictures(1), *pictures(1, height=50)], tmp_path / "clip", 24, kind, 480)
