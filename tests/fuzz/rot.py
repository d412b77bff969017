"""What happens to run folders on their own: bits rot, files get lost, cut short, exchanged or replaced.

Every kind of damage takes the random numbers, the folder, and a folder outside it that nothing may be written to. The
manifest stays as it was, so that it tells what is missing.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from plash.files.atomic import temporary_of

Damage = Callable[[Random, Path, Path], None]

HUGE = 64 * 2**30  # bytes of a file that is mostly hole


def files_of(folder: Path) -> list[Path]:
    """Every file of a run but its manifest, in order."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in ("manifest.json", ".lock"))


def _any(chance: Random, folder: Path) -> Path:
    """A file; each kind is as likely as the others, and the log and the lock are among them."""
    kinds: dict[Path, list[Path]] = {}
    for path in files_of(folder):
        kinds.setdefault(path.parent if path.parent != folder else path, []).append(path)
    lock = [folder / ".lock"] if (folder / ".lock").is_file() else []
    return chance.choice([*map(chance.choice, kinds.values()), *lock])


def _inner(chance: Random, folder: Path) -> Path:
    """One of the folders in a run's folder."""
    return chance.choice(sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()))


def flip_bits(chance: Random, folder: Path, outside: Path) -> None:
    path = _any(chance, folder)
    data = bytearray(path.read_bytes() or b"\0")
    for _ in range(chance.choice([1, 1, 8, 100])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def decay(chance: Random, folder: Path, outside: Path) -> None:
    """What a failing disk does: other bits, in a file that nobody wrote to."""
    path = _any(chance, folder)
    data, then = bytearray(path.read_bytes() or b"\0"), path.stat()
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))


def truncate(chance: Random, folder: Path, outside: Path) -> None:
    path = _any(chance, folder)
    path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size + 1)])


def lengthen(chance: Random, folder: Path, outside: Path) -> None:
    with _any(chance, folder).open("ab") as file:
        file.write(chance.choice([b"\0", b"\n", b"{}\n", b"x" * 1000]))


def empty(chance: Random, folder: Path, outside: Path) -> None:
    _any(chance, folder).write_bytes(b"")


def delete(chance: Random, folder: Path, outside: Path) -> None:
    _any(chance, folder).unlink()


def delete_folder(chance: Random, folder: Path, outside: Path) -> None:
    shutil.rmtree(_inner(chance, folder))


def exchange(chance: Random, folder: Path, outside: Path) -> None:
    one, other = _any(chance, folder), _any(chance, folder)
    data = one.read_bytes(), other.read_bytes()
    one.write_bytes(data[1])
    other.write_bytes(data[0])


def leave_temporary(chance: Random, folder: Path, outside: Path) -> None:
    path = _any(chance, folder)
    path.with_name(f".{path.name}.17.tmp").write_bytes(b"half")


def make_fifo(chance: Random, folder: Path, outside: Path) -> None:
    path = _any(chance, folder)
    path.unlink()
    os.mkfifo(path)


def make_folder(chance: Random, folder: Path, outside: Path) -> None:
    path = _any(chance, folder)
    path.unlink()
    path.mkdir()
    if chance.random() < 0.5:
        (path / "inside").write_bytes(b"x")


def make_file(chance: Random, folder: Path, outside: Path) -> None:
    path = _inner(chance, folder)
    shutil.rmtree(path)
    path.write_bytes(b"a file in place of a folder")


def make_huge(chance: Random, folder: Path, outside: Path) -> None:
    os.truncate(_any(chance, folder), HUGE)


def link_file(chance: Random, folder: Path, outside: Path) -> None:
    path = _any(chance, folder)
    path.unlink()
    target = chance.choice([outside / "precious", outside / "not there", path, Path("/dev/zero"), Path("/dev/full")])
    path.symlink_to(target)


def link_folder(chance: Random, folder: Path, outside: Path) -> None:
    path = _inner(chance, folder)
    shutil.rmtree(path)
    path.symlink_to(chance.choice([outside, outside / "not there", path, folder.parent]))


def link_temporary(chance: Random, folder: Path, outside: Path) -> None:
    """The name under which a file is about to be written leads elsewhere."""
    path = _any(chance, folder)
    temporary_of(path).symlink_to(outside / "precious")


def take_rights(chance: Random, folder: Path, outside: Path) -> None:
    _any(chance, folder).chmod(0)


ROT: tuple[Damage, ...] = (
    *(flip_bits, decay, truncate, lengthen, empty, delete, delete_folder, exchange, leave_temporary, make_fifo),
    *(make_folder, make_file, make_huge, link_file, link_file, link_folder, link_temporary, take_rights),
)
