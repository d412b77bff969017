"""Who may talk to the studio: pages that it served itself, to its owner and to guests who know the password.

Other programs on the machine have no token, other pages in the browser have another origin, and a name that was made
to point at this machine is another host. All are refused before anything else looks at what they want. Guests, who come
through the network, simulate; runs and their files are the owner's alone.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from plash.studio.access import GUEST, NOBODY, Access

ENTER = "/api/enter"
_LOGIN = Path(__file__).parent / "page" / "login.html"
_FOR_ALL = {ENTER, "/page/login.js", "/page/style.css", "/page/icon.svg"}  # what whoever has no password yet needs
_OWNERS = {"/api/runs", "/api/file", "/api/render", "/api/stop", "/api/resume"}


class Guard:
    """Lets requests through that come with a token, by the right host, from the right page."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        role = self.access.of(headers, scope.get("query_string", b""))
        scope.setdefault("state", {})["role"] = role
        fault = self._fault(scope, headers, role)
        if fault and scope["type"] == "websocket":
            await WebSocketClose(4403, fault)(scope, receive, send)
            return
        answer: ASGIApp = self.app
        if fault:
            answer = self._refusal(scope, headers, role, fault)
        await answer(scope, receive, self._with_policy(send, headers.get("host", "")))

    def _fault(self, scope: Scope, headers: Headers, role: str) -> str:
        """Why a request is refused; empty if it is not."""
        if not self.access.knows_host(headers.get("host", "")):
            return "This is not a host of the studio: use the address that `plash studio` printed."
        origin = headers.get("origin")
        must_have_origin = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if (origin is None and must_have_origin) or (origin is not None and not self._is_own(origin)):
            return "Pages of other origins may not talk to the studio."
        if role == NOBODY and not (self.access.has_guests and scope["path"] in _FOR_ALL):
            return "The token is missing or wrong: use the address that `plash studio` printed."
        if role == GUEST and scope["path"] in _OWNERS:
            return "Runs are for whoever started the studio."
        return ""

    def _refusal(self, scope: Scope, headers: Headers, role: str, fault: str) -> Response:
        """What is answered instead: a page that asks for the password to those who have yet to say it, else why not."""
        is_entry = scope["path"] == "/" and scope.get("method") in ("GET", "HEAD") and role == NOBODY
        if is_entry and self.access.has_guests and self.access.knows_host(headers.get("host", "")):
            return FileResponse(_LOGIN, media_type="text/html", status_code=401)
        return PlainTextResponse(f"{fault}\n", 403)

    def _is_own(self, origin: str) -> bool:
        return origin.startswith("http://") and self.access.knows_host(origin.removeprefix("http://"))

    def _with_policy(self, send: Send, host: str) -> Send:
        """Say with every answer what its page may do; a page of a run brings its own policy."""
        sockets = f" ws://{host}" if self.access.knows_host(host) else ""
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
            f"media-src 'self' blob:; connect-src 'self'{sockets}; frame-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
        )

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", policy)
                headers.setdefault("cache-control", "no-store")
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "no-referrer"
                headers["cross-origin-resource-policy"] = "same-origin"
            await send(message)

        return sending
