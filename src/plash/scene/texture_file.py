"""Pictures that cover solids: which files can be one, by their head; and hashes of files that a look names."""

from __future__ import annotations

import hashlib
from pathlib import Path

from plash.errors import Problem, SceneError
from plash.scene.language.words import shown
from plash.scene.mesh_files.file import short

TEXTURE_FILES = (".png", ".jpg", ".jpeg")
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
_LARGEST_FILE = 64 * 2**20
_MOST_PIXELS = 4096  # along each side


def texture_fault(file: str) -> str:
    """What is wrong with a picture; nothing, if its head promises that it can be one."""
    path = Path(file)
    suffix = path.suffix.lower()
    if suffix not in TEXTURE_FILES:
        return f"{short(file)} is no picture that can be a texture: give the path of a .png or .jpg file"
    try:
        if not path.exists():
            return f"{short(file)}: there is no such file"
        if not path.is_file():
            return f"{short(file)} is a folder, device or pipe: give a file"
        size = path.stat().st_size
        if size > _LARGEST_FILE:
            return f"{short(file)} has {size / 2**20:.0f} MiB: a texture may have {_LARGEST_FILE // 2**20}"
        return _picture_fault(path, suffix)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"{short(file)} cannot be read: {reason}"


def file_sha256(file: str, key: str) -> str:
    """Hash of the bytes of a file that a key names.

    Raises:
        SceneError: It cannot be read.
    """
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise SceneError([Problem(key, f"{shown(file)} {message}")]) from None


def _picture_fault(path: Path, suffix: str) -> str:
    """Read the whole picture: one that breaks off would be found hours later, at the first frame."""
    from PIL import Image, UnidentifiedImageError

    kind = _FORMATS[suffix]
    try:
        with Image.open(path, formats=[kind]) as image:
            width, height = image.size
            if max(width, height) > _MOST_PIXELS:
                return f"{short(str(path))} has {width} x {height} pixels: a texture has at most {_MOST_PIXELS} a side"
            image.load()
    except UnidentifiedImageError:
        return f"{short(str(path))} is no {kind} picture, which its suffix promises: export it again"
    except (SyntaxError, Image.DecompressionBombError, OSError) as error:
        return f"{short(str(path))} cannot be read as a picture ({error}): export it again"
    return ""
