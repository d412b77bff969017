"""How numbers in VDB files are packed: as they are, by zlib, or by Blosc, which OpenVDB itself uses.

Blosc puts the first bytes of all numbers together, then the second ones and so on, and packs them with LZ4: of numbers
that vary slowly the first bytes are alike.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from plash.errors import MissingPartError

Pack = Literal["none", "zip", "blosc"]
Part = bytes | memoryview

_ZIPPED, _BLOSC = 1, 4  # the format's bits
_FAST, _HARD = 1, 9  # levels of zlib, and of Blosc


@dataclass(frozen=True)
class Packing:
    """A way to pack numbers.

    Attributes:
        bit: What a file says of it.
        shorter: Packs some numbers, of so many bytes each; None if they stay as they are.
    """

    bit: int = 0
    shorter: Callable[[memoryview, int], bytes] | None = None

    def parts(self, numbers: memoryview, size: int) -> list[Part]:
        """Numbers as a file has them: packed, behind how long that is; below 0 if they got no shorter and are plain.

        Args:
            numbers: Their bytes.
            size: How many bytes each of them has.
        """
        if self.shorter is None:
            return [numbers]
        packed = self.shorter(numbers, size)
        if len(packed) < len(numbers):
            return [struct.pack("<q", len(packed)), packed]
        return [struct.pack("<q", -len(numbers)), numbers]


PLAIN = Packing()
ZIPPED = Packing(_ZIPPED, lambda numbers, size: zlib.compress(numbers, _FAST))


def packing(word: Pack) -> Packing:
    """The way that a word names.

    Raises:
        MissingPartError: Its package is not installed.
    """
    match word:
        case "none":
            return PLAIN
        case "zip":
            return ZIPPED
        case "blosc":
            return _blosc()


def _blosc() -> Packing:
    try:
        import blosc
    except ImportError:
        raise MissingPartError(
            'output.export_pack = "blosc" needs the package blosc, which is not installed. Install it with: '
            'pip install "plash[vdb]", or use "zip" or "none"'
        ) from None
    module: Any = blosc

    def shorter(numbers: memoryview, size: int) -> bytes:
        packed: bytes = module.compress(numbers, typesize=size, clevel=_HARD, shuffle=module.SHUFFLE, cname="lz4")
        return packed

    return Packing(_BLOSC, shorter)
