"""Who may talk to the studio: pages that it served itself, to whoever has the token of the address it printed.

Other programs on the machine have no token, other pages in the browser have another origin, and a name that was made
to point at this machine is another host. All are refused before anything else looks at what they want.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose


class Guard:
    """Lets requests through that come with the token, by the right host, from the right page."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app = app
        self.token = token
        self.cookie = f"plash_studio_{port}"
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        sockets = " ".join(f"ws://{host}" for host in sorted(self.hosts))
        self.policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
            f"media-src 'self' blob:; connect-src 'self' {sockets}; frame-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        fault = self._fault(scope)
        if fault and scope["type"] == "websocket":
            await WebSocketClose(4403, fault)(scope, receive, send)
        elif fault:
            await PlainTextResponse(f"{fault}\n", 403)(scope, receive, self._with_policy(send))
        else:
            await self.app(scope, receive, self._with_policy(send))

    def _fault(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self.hosts:
            return "This is not a host of the studio: use the address that `plash studio` printed."
        origin = headers.get("origin")
        must_have_origin = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if (origin is None and must_have_origin) or (origin is not None and not self._is_own(origin)):
            return "Pages of other origins may not talk to the studio."
        if not self._has_token(scope, headers):
            return "The token is missing or wrong: use the address that `plash studio` printed."
        return ""

    def _is_own(self, origin: str) -> bool:
        return origin.removeprefix("http://") in self.hosts and origin.startswith("http://")

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
            query = parse_qs(scope.get("query_string", b"").decode("ascii"), max_num_fields=20)
        except (CookieError, ValueError):
            return False
        given = [kept.value] if kept is not None else []
        given += query.get("token", [])
        return any(hmac.compare_digest(text.encode(), self.token.encode()) for text in given)

    def _with_policy(self, send: Send) -> Send:
        """Say with every answer what its page may do; a page of a run brings its own policy."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", self.policy)
                headers.setdefault("cache-control", "no-store")
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "no-referrer"
                headers["cross-origin-resource-policy"] = "same-origin"
            await send(message)

        return sending
