import numpy as np

from plash.render.video.png import picture_from_png, png_bytes


def test_a_picture_comes_back_as_it_was():
    picture = np.random.default_rng(1).integers(0, 256, (14, 22, 3), np.uint8)
    data = png_bytes(picture)
    assert data.startswith(b"\x89PNG")
    assert np.array_equal(picture_from_png(data, (22, 14)), picture)
    assert png_bytes(picture) == data
