"""OBJ files: vertices and polygons of a text; materials, normals, curves and the files it names are left alone."""

from __future__ import annotations

from plash.scene.mesh_files.polygons import MeshFileError, Polygons, numbers_in


def read_obj(data: bytes) -> Polygons:
    """The vertices and faces of an OBJ file.

    Raises:
        MeshFileError: It is none, or is damaged.
    """
    import numpy as np

    places: list[bytes] = []
    corners: list[int] = []
    counts: list[int] = []
    for line in data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").splitlines():
        if line.startswith(b"v "):
            words = line.split(None, 4)[1:4]
            if len(words) != 3:
                raise MeshFileError(f"has a vertex, number {len(places) + 1}, without three numbers: export it again")
            places += words
        elif line.startswith(b"f "):
            named = line.partition(b"#")[0].split()[1:]
            try:
                numbers = [int(word.partition(b"/")[0][:12]) for word in named]
            except ValueError:
                what = ascii(line[:60].decode("ascii", "replace"))
                sentence = f"has a face, number {len(counts) + 1}, that cannot be read: {what}"
                raise MeshFileError(f"{sentence}; export it again") from None
            # Numbers count from 1; those below 0 from the last vertex so far
            corners += [number - 1 if number > 0 else len(places) // 3 + number for number in numbers]
            counts.append(len(numbers))
    vertices = numbers_in(b" ".join(places), "a vertex").reshape(-1, 3)
    return Polygons(vertices, np.array(corners, np.int64), np.array(counts, np.int64))
