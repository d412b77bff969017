"""Arrays from anywhere: nothing is believed that the bytes do not bear out."""

import io
import zipfile

import numpy as np
import pytest

from plash.errors import DamagedError
from plash.files.arrays import read_arrays, write_arrays


def npy(header, body=b""):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


def header(descr="'<f8'", shape="(3,)", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


NUMBERS = np.arange(3.0).tobytes()
HOSTILE = {
    "huge": npy(header(shape="(1000000000000000,)"), NUMBERS),
    "overflow": npy(header(shape="(4294967296, 4294967296)"), NUMBERS),
    "digits": npy(header(shape=f"({'9' * 4000},)"), NUMBERS),
    "negative": npy(header(shape="(-3,)"), NUMBERS),
    "nothing of much": npy(header(shape="(0, 100000000000000000000)")),
    "many axes": npy(header(shape=f"({'1,' * 99})"), NUMBERS[:8]),
    "objects": npy(header(descr="'|O'", shape="(1,)"), b"\x80\x04N."),
    "fields": npy(header(descr="[('a', '<f8')]"), NUMBERS),
    "dates": npy(header(descr="'<M8[s]'"), NUMBERS),
    "words": npy(header(descr="'<U2'"), NUMBERS),
    "complex": npy(header(descr="'<c16'", shape="(1,)"), NUMBERS[:16]),
    "other end": npy(header(descr="'>f8'"), NUMBERS),
    "deep": npy(header(shape="-" * 9000 + "1"), NUMBERS),
    "parentheses": npy(header(shape="(" * 3000 + ")" * 3000), NUMBERS),
    "code": npy(header(shape="__import__('os').getpid()"), NUMBERS),
    "short": npy(header(), NUMBERS[:-1]),
    "long": npy(header(), NUMBERS + b"more"),
    "version": b"\x93NUMPY\x09\x00",
    "no array": b"hello",
    "empty": b"",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_lying_headers_are_refused(tmp_path, data):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
        file.writestr("position.npy", data)
    with pytest.raises(DamagedError, match=r"a\.npz: is damaged: .*Again"):
        read_arrays(tmp_path / "a.npz", None, "Again")


def test_packed_files_are_refused_before_they_are_unpacked(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", position=np.zeros(1 << 20))
    with pytest.raises(DamagedError, match="it is compressed"):
        read_arrays(tmp_path / "a.npz", None, "")


def test_arrays_that_share_their_bytes_are_refused(tmp_path):
    """A small file that claims to hold the same megabyte many times over."""
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as file:
        file.writestr("a.npy", npy(header(shape="(125000,)"), bytes(1_000_000)))
        first = file.infolist()[0]
        for _ in range(50):
            file.filelist.append(first)
            file.NameToInfo[first.filename] = first
        setattr(file, "_didModify", True)  # noqa: B010
    (tmp_path / "a.npz").write_bytes(stored.getvalue())
    with pytest.raises(DamagedError, match="larger than the file"):
        read_arrays(tmp_path / "a.npz", None, "")


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)), np.array(2.5)],
)
def test_what_numpy_writes_is_read_and_can_be_written_to(tmp_path, array):
    write_arrays(tmp_path / "a.npz", {"a": array, "b": np.zeros((0, 2), np.bool_)})
    found = read_arrays(tmp_path / "a.npz", None, "").by_name
    assert np.array_equal(found["a"], array)
    assert found["b"].shape == (0, 2)
    assert found["a"].flags.writeable
    assert found["a"].flags.c_contiguous


def test_an_array_must_be_what_is_asked_for(tmp_path):
    write_arrays(tmp_path / "a.npz", {"speed": np.array([[1.0, 2.0], [3.0, np.nan]])})
    arrays = read_arrays(tmp_path / "a.npz", None, "Again")
    assert arrays.take("speed", np.float64, (2, None), 0, 3, unknown=np.isnan).shape == (2, 2)
    for wrong, says in [
        (("gold", np.float64, (2, 2)), "it has no array 'gold'"),
        (("speed", np.float32, (2, 2)), "'speed' holds float64, not float32"),
        (("speed", np.float64, (2,)), r"'speed' has shape \(2, 2\), not \(2\)"),
        (("speed", np.float64, (2, 3)), r"'speed' has shape \(2, 2\), not \(2, 3\)"),
        (("speed", np.float64, (2, 2)), "'speed' has 1 entries that are no finite numbers"),
    ]:
        with pytest.raises(DamagedError, match=rf"a\.npz: is damaged: {says}\. Again"):
            arrays.take(*wrong)
    with pytest.raises(DamagedError, match="'speed' has 2 entries outside"):
        arrays.take("speed", np.float64, (2, 2), 0, np.array([[0.5, 5.0]]), unknown=np.isnan)
