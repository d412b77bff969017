from fractions import Fraction

import av
import numpy as np
import pytest

from plash.render.video.video import write_video


def pictures(count, height=48, width=80):
    y, x = np.mgrid[:height, :width]
    for number in range(count):
        channels = [x * 255 // width, y * 255 // height, np.full_like(x, 20 * number)]
        yield np.stack(channels, axis=-1).astype(np.uint8)


def read(path):
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(stream)]
        return frames, stream.average_rate, stream.codec_context.name


def test_every_picture_is_a_frame_that_looks_the_same(tmp_path):
    path = tmp_path / "movie.mp4.tmp"
    write_video(pictures(7), path, 24, 8)
    frames, rate, codec = read(path)
    assert (len(frames), rate, codec) == (7, 24, "h264")
    for frame, picture in zip(frames, pictures(7), strict=True):
        assert frame.shape == picture.shape
        assert np.abs(frame.astype(int) - picture).mean() < 3


@pytest.mark.parametrize("fps", [24, 30, 12.5, 30000 / 1001])
def test_the_rate_is_exact(tmp_path, fps):
    write_video(pictures(3), tmp_path / "movie.mp4", fps, 30)
    _, rate, _ = read(tmp_path / "movie.mp4")
    assert rate == Fraction(fps).limit_denominator(100_000)


@pytest.mark.parametrize("fps", [24, 30, 12.5, 30000 / 1001])
def test_webm_begins_every_picture_at_its_time(tmp_path, fps):
    path = tmp_path / "movie.webm.tmp"
    write_video(pictures(7), path, fps, 8, "webm")
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        decoded = list(file.decode(stream))
        assert stream.codec_context.name in ("vp9", "libvpx-vp9")
        assert file.duration / av.time_base == pytest.approx(7 / fps, abs=1e-3)
    assert [frame.time for frame in decoded] == pytest.approx([number / fps for number in range(7)], abs=0.51e-3)
    for frame, picture in zip(decoded, pictures(7), strict=True):
        assert np.abs(frame.to_ndarray(format="rgb24").astype(int) - picture).mean() < 3


@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_one_picture_is_a_movie_too(tmp_path, kind):
    write_video(pictures(1), tmp_path / "movie", 24, 18, kind)
    assert len(read(tmp_path / "movie")[0]) == 1


@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_the_same_pictures_give_the_same_bytes(tmp_path, kind):
    for name in ("a", "b"):
        write_video(pictures(5), tmp_path / name, 24, 18, kind)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow
def test_every_time_they_give_the_same_bytes(tmp_path):
    """Large pictures of noise that a wall moves into: with AVX-512, x264 gave other bytes one time in three."""
    noise = np.random.default_rng(0).integers(0, 255, (240, 480, 3)).astype(np.uint8)

    def moving():
        for number in range(24):
            picture = noise.copy()
            picture[:, : 20 * number + 1] = 9 * number
            yield picture

    found = set()
    for _ in range(16):
        write_video(moving(), tmp_path / "movie", 24, 18)
        found.add((tmp_path / "movie").read_bytes())
    assert len(found) == 1


def test_the_index_comes_first_so_that_it_can_play_while_it_loads(tmp_path):
    write_video(pictures(3), tmp_path / "movie.mp4", 24, 18)
    data = (tmp_path / "movie.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    write_video(pictures(3), tmp_path / "movie.webm", 24, 18, "webm")
    data = (tmp_path / "movie.webm").read_bytes()
    assert data.index(bytes.fromhex("1c53bb6b")) < data.index(bytes.fromhex("1f43b675"))  # cues before clusters


def test_no_pictures_are_refused(tmp_path):
    with pytest.raises(ValueError, match="at least one picture"):
        write_video([], tmp_path / "movie.mp4", 24, 18)
    assert not (tmp_path / "movie.mp4").exists()


def test_pictures_of_two_sizes_are_refused(tmp_path):
    mixed = [*pictures(1), *pictures(1, height=50)]
    with pytest.raises(ValueError, match="picture 2"):
        write_video(mixed, tmp_path / "movie.mp4", 24, 18)
