"""Guests on the network: nobody without the password gets in, guesses are slowed down, and tabs wait for their turn."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from plash.cli.main import _exit_code
from plash.studio.access import Access, Guesses, new_password
from plash.studio.server import Studio as Served
from plash.studio.simulations import Simulations

from .conftest import Studio, stop
from .test_server import first_frame, say, text_of

PASSWORD = "wave-7319"


@pytest.fixture(scope="module")
def lan(tmp_path_factory):
    """A studio for guests, with two places."""
    runs = tmp_path_factory.mktemp("lan")
    command = [sys.executable, "-m", "plash", "studio", "--lan", "--password", PASSWORD, "--tabs", "2"]
    command += ["--no-browser", "--port", "0", "--runs", str(runs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    port, token = re.search(r"127\.0\.0\.1:(\d+)/\?token=(\S+)", process.stdout.readline()).groups()
    assert PASSWORD in process.stdout.readline()
    origin = f"http://127.0.0.1:{port}"
    found = Studio(f"{origin}/?token={token}", origin, token, int(port), runs, process)
    yield found
    stop(found)


def enter(lan: Studio, password: str) -> httpx.Response:
    return httpx.post(f"{lan.origin}/api/enter", json={"password": password}, headers={"origin": lan.origin})


def cookie_of(lan: Studio) -> str:
    answer = enter(lan, PASSWORD)
    assert answer.status_code == 200
    text = answer.headers["set-cookie"].lower()
    assert "httponly" in text
    assert "samesite=strict" in text
    return answer.headers["set-cookie"].partition(";")[0]


def tab_of(lan: Studio, cookie: str):
    address = f"ws://127.0.0.1:{lan.port}/live"
    return connect(address, origin=Origin(lan.origin), additional_headers={"Cookie": cookie}, max_size=None)


def test_without_the_password_there_is_a_page_that_asks_for_it_and_nothing_else(lan):
    asked = httpx.get(lan.origin)
    assert asked.status_code == 401
    assert "Password" in asked.text
    assert "set-cookie" not in asked.headers
    for path in ("/page/login.js", "/page/style.css", "/page/icon.svg"):
        assert httpx.get(f"{lan.origin}{path}").status_code == 200
    for path in ("/page/main.js", "/page/index.html", "/api/studio", "/api/runs", "/recordings/x", "/page/login.html"):
        assert httpx.get(f"{lan.origin}{path}").status_code == 403, path
    wrong = "plash_studio_1=x", f"plash_studio_{lan.port}={PASSWORD}", f"plash_studio_{lan.port}="
    for cookie in wrong:
        with pytest.raises((InvalidStatus, ConnectionClosed)), tab_of(lan, cookie) as socket:
            socket.recv(timeout=5)


def test_guests_simulate_but_runs_are_the_owners(lan):
    cookie = {"cookie": cookie_of(lan)}
    assert "plash studio" in httpx.get(lan.origin, headers=cookie).text
    about = httpx.get(f"{lan.origin}/api/studio", headers=cookie).json()
    assert about["guest"]
    assert about["runs"] == ""
    assert str(lan.port) in about["lan"]
    own = {**cookie, "origin": lan.origin}
    for path in ("runs", "file?name=x&kind=movie"):
        assert httpx.get(f"{lan.origin}/api/{path}", headers=cookie).status_code == 403
    for path in ("render", "stop", "resume"):
        assert httpx.post(f"{lan.origin}/api/{path}", headers=own, json={}).status_code == 403
    owner = httpx.get(f"{lan.origin}/api/studio", params={"token": lan.token}).json()
    assert not owner["guest"]
    assert httpx.get(f"{lan.origin}/api/runs", params={"token": lan.token}).status_code == 200


def test_hosts_and_origins_are_checked_for_guests_too(lan):
    cookie = cookie_of(lan)
    for host in ("evil.example", f"evil.example:{lan.port}", "127.0.0.1", f"127.0.0.1.evil.example:{lan.port}"):
        assert httpx.get(lan.origin, headers={"host": host, "cookie": cookie}).status_code == 403
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{lan.port}"):
        headers = {"origin": origin}
        answer = httpx.post(f"{lan.origin}/api/enter", json={"password": PASSWORD}, headers=headers)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    address = {"host": f"192.168.7.20:{lan.port}", "cookie": cookie}
    assert httpx.get(lan.origin, headers=address).status_code == 200


def test_bad_entries_are_answered_with_a_sentence(lan):
    for body in (b"", b"{", b"[]", b'{"password": 3}', b'{"password": "' + b"x" * 500 + b'"}', b"x" * 700_000):
        answer = httpx.post(f"{lan.origin}/api/enter", content=body, headers={"origin": lan.origin})
        assert answer.status_code == 400
        assert answer.json()["error"]


def test_whoever_guesses_has_to_wait_longer_and_longer():
    now = [100.0]
    guesses = Guesses(lambda: now[0])
    waits = []
    for _ in range(16):
        now[0] += guesses.wait("a")
        guesses.was_wrong("a")
        waits.append(guesses.wait("a"))
    assert waits[:7] == [0, 0, 0, 0, 1, 2, 4]
    assert waits[-1] == 300
    assert guesses.wait("b") == 0
    guesses.was_right("a")
    assert guesses.wait("a") == 0
    for number in range(5000):
        guesses.was_wrong(str(number))
    assert len(guesses._wrong) == 2000


def test_after_many_guesses_even_the_right_password_has_to_wait(tmp_path):
    now = [0.0]
    access = Access("token", 8765, PASSWORD)
    access.guesses = Guesses(lambda: now[0])
    origin = "http://127.0.0.1:8765"
    app = Served("", tmp_path, access, 1).app()

    def code(password: str) -> int:
        async def post() -> int:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=origin) as client:
                answer = await client.post("/api/enter", json={"password": password}, headers={"origin": origin})
                return answer.status_code

        return asyncio.run(post())

    assert [code(f"guess-{number}") for number in range(6)] == [403] * 5 + [429]
    assert code(PASSWORD) == 429
    now[0] += 1.0
    assert code("guess") == 403
    now[0] += 1.0
    assert code(PASSWORD) == 429
    now[0] += 1.0
    assert code(PASSWORD) == 200


def test_passwords_are_compared_whole_and_made_anew():
    access = Access("token", 80, "some words")
    assert access.opens(" some words ", "a")
    for wrong in ("", "some", "some word", "Some words", "some words\0", "\ud800"):
        assert not access.opens(wrong, "b")
    assert not Access("token", 80).opens("", "a")
    made = {new_password() for _ in range(50)}
    assert len(made) == 50
    assert all(re.fullmatch(r"[a-z2-9]{4}-[a-z2-9]{4}", password) for password in made)


def test_a_short_password_is_refused_with_a_sentence(tmp_path, capsys):
    assert _exit_code(["studio", "--lan", "--password", "abc", "--no-browser", "--runs", str(tmp_path)]) != 0
    assert "has 3 characters: it needs 6 or more" in capsys.readouterr().err


@pytest.mark.slow
def test_a_tab_too_many_is_told_to_wait_and_begins_when_one_closes(lan):
    cookie = cookie_of(lan)
    with tab_of(lan, cookie) as third:
        with tab_of(lan, cookie) as one, tab_of(lan, cookie) as two:
            for socket in (one, two):
                say(socket, "start", preset="drop")
                first_frame(socket)
            say(third, "start", preset="drop")
            say(third, "view", name="pressure")
            told = text_of(third, "waiting")
            assert (told["number"], told["full"], told["tabs"]) == (1, True, 2)
            say(one, "step")
            say(one, "seen", frame=1)
            assert first_frame(one)[0]["steps"] == 1
        header, _ = first_frame(third)
        assert header["steps"] == 0


def test_tabs_come_in_the_order_in_which_they_asked():
    async def five_tabs() -> tuple[list[int], list[int]]:
        simulations, began, places = Simulations(most=1), [], []

        async def tab(number: int) -> None:
            async def tell(place: int, is_full: bool) -> None:
                if number == 4:
                    places.append(place)

            simulation = await simulations.take_in_turn("one", tell)
            began.append(number)
            simulation.is_ready.set()
            await simulations.give_back(simulation)

        async def say_nothing(place: int, is_full: bool) -> None:
            pass

        gone = asyncio.create_task(simulations.take_in_turn("one", say_nothing))
        gone.cancel()
        await asyncio.gather(*(tab(number) for number in range(5)))
        assert (simulations.count, simulations._line, simulations._starting) == (0, [], 0)
        return began, places

    began, places = asyncio.run(asyncio.wait_for(five_tabs(), 60))
    assert began == [0, 1, 2, 3, 4]
    assert places == sorted(places, reverse=True)


@pytest.mark.slow
def test_the_page_asks_for_the_password_and_then_opens_the_scene_of_its_link(lan, browser):
    context = browser.new_context(viewport={"width": 1160, "height": 560})
    tab = context.new_page()
    link = httpx.get(f"{lan.origin}/page/login.js").text  # the page is there
    assert link
    tab.goto(f"{lan.origin}/#scene=broken!")
    tab.fill("#password", "not this")
    tab.keyboard.press("Enter")
    tab.wait_for_selector('#told:has-text("not the password")')
    tab.fill("#password", PASSWORD)
    tab.keyboard.press("Enter")
    tab.wait_for_selector('.toast.error:has-text("no scene in it")')
    tab.wait_for_selector("#busy", state="hidden", timeout=120_000)
    assert not tab.locator('[data-room="runs"]').is_visible()
    assert json.loads(tab.evaluate("JSON.stringify(location.hash)")) == ""
    context.close()
