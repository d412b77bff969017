"""Pictures of light from all directions: which files can be one, by their first bytes.

Only the head of a file is read: what kind of picture it is and how large. A renderer reads the rest.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from plash.scene.mesh_files.file import short

LIGHT_FILES = (".hdr", ".exr")

_HEAD = 64 * 2**10  # bytes in which the size of a picture has to be told
_LARGEST_FILE = 2 * 2**30
_MOST_PIXELS = 2**28
_EXR = b"\x76\x2f\x31\x01"
_HDR_SIZE = re.compile(rb"\n\n[-+]([XY]) (\d{1,9}) [-+]([XY]) (\d{1,9})\n")


def light_fault(file: str) -> str:
    """Why a path is not that of a picture of light; empty if it may be one."""
    path = Path(file)
    try:
        if path.is_dir():
            return f"{short(file)} is a folder: give a file in it"
        if not path.exists():
            return f"{short(file)}: there is no such file"
        if not path.is_file():
            return f"{short(file)} is a device or pipe, not a file"
        size = path.stat().st_size
        if size > _LARGEST_FILE:
            return f"{short(file)} has {size / 2**30:.1f} GiB: a light may have {_LARGEST_FILE // 2**30}"
        with path.open("rb") as opened:
            head = opened.read(_HEAD)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"{short(file)} cannot be read: {reason}"
    return _picture_fault(file, path.suffix.lower(), head)


def _picture_fault(file: str, suffix: str, head: bytes) -> str:
    kind = {".hdr": "Radiance HDR", ".exr": "OpenEXR"}[suffix]
    try:
        pixels = _hdr_pixels(head) if suffix == ".hdr" else _exr_pixels(head)
    except (ValueError, struct.error):
        return f"{short(file)} is no {kind} picture, which its suffix promises: export it again"
    if not 1 <= pixels <= _MOST_PIXELS:
        return f"{short(file)} has {pixels} pixels: a light has from 1 to {_MOST_PIXELS}"
    return ""


def _hdr_pixels(head: bytes) -> int:
    """Of a Radiance picture: lines of text, an empty one, then the size."""
    found = _HDR_SIZE.search(head.replace(b"\r\n", b"\n"))
    if not head.startswith(b"#?") or found is None or found[1] == found[3]:
        raise ValueError("no Radiance picture")
    return int(found[2]) * int(found[4])


def _exr_pixels(head: bytes) -> int:
    """Of an OpenEXR picture: attributes follow the magic number and the version, each a name, a type, a length."""
    if not head.startswith(_EXR):
        raise ValueError("no OpenEXR picture")
    at = 8
    while True:
        name, type_, rest = head[at:].split(b"\0", 2)
        at = len(head) - len(rest)
        (length,) = struct.unpack_from("<i", head, at)
        if not name or length < 0:
            raise ValueError("no size")
        if (name, type_, length) == (b"dataWindow", b"box2i", 16):
            left, top, right, bottom = map(int, struct.unpack_from("<4i", head, at + 4))
            return max(0, right - left + 1) * max(0, bottom - top + 1)
        at += 4 + length
