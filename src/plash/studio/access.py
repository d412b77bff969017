"""Who may use the studio, and as what: the owner by the token of the address that was printed, guests by a password."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket as sockets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers

OWNER, GUEST, NOBODY = "owner", "guest", "nobody"
SHORTEST = 6  # characters of a password that somebody chose
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another
_FREE = 5  # wrong guesses before one has to wait
_LONGEST = 300.0  # s to wait at the most
_MOST_ADDRESSES = 2000


def new_password() -> str:
    """A password that is easy to read out: two groups of four letters and digits.

    >>> len(new_password()), new_password()[4]
    (9, '-')
    """
    letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


class Guesses:
    """Wrong passwords by address: after a few, each wrong one doubles the time before the next is looked at."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}  # how many, and until when nothing is looked at

    def wait(self, address: str) -> float:
        """How long an address has to wait, s."""
        return max(0.0, self._wrong.get(address, (0, 0.0))[1] - self._clock())

    def was_wrong(self, address: str) -> None:
        """Count a wrong password."""
        count = self._wrong.pop(address, (0, 0.0))[0] + 1
        pause = min(_LONGEST, 2.0 ** (count - _FREE)) if count >= _FREE else 0.0
        self._wrong[address] = count, self._clock() + pause
        while len(self._wrong) > _MOST_ADDRESSES:
            del self._wrong[next(iter(self._wrong))]

    def was_right(self, address: str) -> None:
        """Forget the wrong ones."""
        self._wrong.pop(address, None)


class Access:
    """Tokens, the password of guests, and the hosts by whose name the studio can be asked.

    Attributes:
        token: Of the owner.
        port: Of this machine.
        has_guests: Whether others on the network may use it, by a password.
        guesses: Wrong passwords up to now.
    """

    def __init__(self, token: str, port: int, password: str | None = None) -> None:
        self.token = token
        self.port = port
        self.has_guests = password is not None
        self.guest_token = secrets.token_urlsafe(24)
        self.guesses = Guesses()
        self._password = _digest(password or secrets.token_urlsafe(24))
        self._names = {"127.0.0.1", "localhost"}
        if self.has_guests:
            name = sockets.gethostname().lower()
            self._names |= {name, f"{name}.local"}

    @property
    def cookie(self) -> str:
        """Name of the cookie that holds a token."""
        return f"plash_studio_{self.port}"

    def knows_host(self, host: str) -> bool:
        """Whether a request names this machine: a name that was made to point here (DNS rebinding) does not.

        With guests any address will do: what is no name cannot be made to point anywhere.
        """
        name, _, port = host.lower().rpartition(":")
        if port != str(self.port):
            return False
        return name in self._names or (self.has_guests and _is_address(name))

    def opens(self, password: str, address: str) -> bool:
        """Whether a password is the right one; wrong ones are counted."""
        is_right = self.has_guests and hmac.compare_digest(_digest(password), self._password)
        if is_right:
            self.guesses.was_right(address)
        else:
            self.guesses.was_wrong(address)
        return is_right

    def of(self, headers: Headers, query: bytes) -> str:
        """What whoever sent these headers and this query may be: owner, guest or nobody."""
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
            asked = parse_qs(query.decode("ascii"), max_num_fields=20)
        except (CookieError, ValueError):
            return NOBODY
        given = [kept.value] if kept is not None else []
        given += asked.get("token", [])
        for role, token in ((OWNER, self.token), (GUEST, self.guest_token)):
            if any(hmac.compare_digest(text.encode(), token.encode()) for text in given):
                return role if role == OWNER or self.has_guests else NOBODY
        return NOBODY


def own_address() -> str:
    """The address of this machine in its network, as far as it can be known; nothing is sent."""
    with sockets.socket(sockets.AF_INET, sockets.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.254.254.254", 9))
        except OSError:
            return sockets.gethostname()
        return str(probe.getsockname()[0])


def _digest(password: str) -> bytes:
    return hashlib.sha256(password.strip().encode("utf-8", "surrogatepass")).digest()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
