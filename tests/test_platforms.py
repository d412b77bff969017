"""Nothing in the package is for one operating system alone. `make types` reads it as Windows would, too."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import plash

SOURCE = Path(plash.__file__).parent
APART = ("blender", "scenes")  # Blender's own, and what scenes name: no modules of the package
FILES = [file for file in sorted(SOURCE.rglob("*.py")) if file.parent.name not in APART]
POSIX_MODULES = {"crypt", "fcntl", "grp", "nis", "posix", "pty", "pwd", "resource", "spwd", "syslog", "termios", "tty"}
POSIX_NAMES = {
    *("fork", "forkpty", "posix_spawn", "register_at_fork", "wait3", "wait4", "waitid", "killpg", "nice", "setsid"),
    *("getuid", "geteuid", "getgid", "getegid", "getgroups", "getpgid", "getpgrp", "getsid", "setpgid", "setuid"),
    *("getloadavg", "sysconf", "confstr", "pathconf", "statvfs", "uname", "mkfifo", "mknod", "chown"),
    *("openpty", "ttyname", "ctermid", "pread", "pwrite", "posix_fadvise", "posix_fallocate", "getpriority"),
    *("sched_getaffinity", "sched_setaffinity", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "O_SYNC"),
    *("SIGKILL", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "SIGPIPE", "SIGSTOP", "SIGCONT"),
    *("alarm", "setitimer", "pthread_kill", "pthread_sigmask", "sigwait", "add_signal_handler", "tzset"),
}
IMPORT_ALL = """
import builtins, importlib, pkgutil, sys
posix = set(sys.argv[1].split())
plain_import = builtins.__import__

def import_as_elsewhere(name, globals=None, locals=None, fromlist=(), level=0):
    if name.split(".")[0] in posix and str((globals or {}).get("__name__")).split(".")[0] == "plash":
        raise ModuleNotFoundError(f"{globals['__name__']} imports {name}, which not every system has")
    return plain_import(name, globals, locals, fromlist, level)

builtins.__import__ = import_as_elsewhere
import pytest

import plash
names = [module.name for module in pkgutil.walk_packages(plash.__path__, "plash.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names))
"""


@pytest.mark.slow
def test_every_module_can_be_imported_where_posix_is_not():
    command = [sys.executable, "-W", "error", "-c", IMPORT_ALL, " ".join(POSIX_MODULES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(FILES) - 1  # the package itself


def test_no_name_is_of_posix_alone():
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}: {node.attr}"
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in POSIX_NAMES
    ]
    assert not found


def test_peak_memory_is_told_only_where_the_system_tells(monkeypatch):
    from plash.pipeline.machine import peak_memory

    assert (peak_memory() > 0) == (sys.platform != "win32")
    monkeypatch.setattr(sys, "platform", "win32")
    assert peak_memory() == 0


def test_text_is_read_and_written_as_utf_8_everywhere():
    """Without an encoding, Windows takes that of the user's language."""
    unsaid = []
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                said = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "encoding")]
                needed = {"read_text": 1, "write_text": 2}.get(node.func.attr, 0)
                if len(said) < needed and "/proc" not in ast.unparse(node.func):
                    unsaid.append(f"{file.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}")
    assert not unsaid
