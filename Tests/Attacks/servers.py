# SPDX-License-Identifier: Apache-2.0
"""Attacks of hostile servers on a real `roost client`, from outside.

usage: servers.py ROOST [WORD...]   runs the attacks whose names contain a word; all without any
"""

import gzip
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from attack import Open, attack, holds, leave, peak_megabytes, run
from proxy import Hostile, Reply
from patience import PATIENCE, FairClock, bound
from server import APP, Server

ROOST = os.path.abspath(sys.argv[1])
BIG = 9223372036854775807
# What a client keeps to, whatever a server does: requests at once, and then so many a second (RequestPacing).
WAIT, MEMORY, BURST, PER_SECOND = 10, 200, 30, 3
honest = None


class Client:
    """A `roost client` that is asked line by line."""

    def __init__(self, port, cache=None):
        self.cache = cache or tempfile.mkdtemp()
        self.errors = open(self.cache + ".err", "w+")
        self.process = subprocess.Popen(
            bound(ROOST, "client", "--server", f"http://127.0.0.1:{port}", "--app-id", APP, "--user", "ann",
                  "--cache", self.cache), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.clock = FairClock(self.process.pid, honest.process.pid if honest else self.process.pid)
        self.answers, self.events = {}, []
        self.news = threading.Condition()
        self.number = 0
        self.longest, self.peak = ("", 0), 0
        threading.Thread(target=self.listen, daemon=True).start()
        threading.Thread(target=self.watch, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.news:
                if "event" in message:
                    self.events.append(message)
                else:
                    self.answers[message["id"]] = message
                self.news.notify_all()
        with self.news:
            self.news.notify_all()

    def watch(self):
        while self.process.poll() is None:
            try:
                self.peak = max(self.peak, peak_megabytes(self.process.pid))
            except OSError:
                break
            if self.peak > 1_000:
                self.process.kill()  # The finding is clear, and the machine has other work.
            time.sleep(0.05)

    def ask(self, request, patience=PATIENCE, **fields):
        self.number += 1
        number = self.number
        start = self.clock.mark()
        try:
            self.process.stdin.write(json.dumps({"id": number, "request": request, **fields}) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Open(f"the client has ended before {request}: {self.process.poll()}")
        with self.news:
            self.news.wait_for(lambda: number in self.answers or self.process.poll() is not None, patience)
        took = self.clock.since(start)
        if took > self.longest[1]:
            self.longest = (request, took)
        if number in self.answers:
            return self.answers[number]
        if self.process.poll() is not None:
            self.errors.seek(0)
            raise Open(f"{request} ends the client: {self.process.returncode} {self.errors.read()[-120:]}")
        raise Open(f"{request} is not answered in {took:.0f} s")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def story(kind, *requests, seconds=0, channel=None, cache=None):
    """Takes a client through requests against a hostile server and holds it to its bounds."""
    hostile = kind(honest.port)
    client = Client(hostile.port, cache)
    try:
        answers = [client.ask(*([request] if isinstance(request, str) else [request[0]]),
                              **({} if isinstance(request, str) else request[1]))
                   for request in requests]
        start, before = time.monotonic(), len(hostile.moments)
        end = start + seconds
        while time.monotonic() < end:
            holds(client.process.poll() is None, "the client has ended")
            time.sleep(0.1)
        spent = time.monotonic() - (start if seconds else client_start(hostile, start))
        count = len(hostile.moments) - before
        rate = count / max(spent, 1)
        holds(client.process.poll() is None, f"the client has ended: {client.process.returncode}")
        holds(not hostile.errors, f"the scene fails: {hostile.errors}")
        holds(kind is Hostile or hostile.took_place(), "nothing hostile has reached the client")
        request, longest = client.longest
        holds(longest <= WAIT + 2, f"{request} took {longest:.1f} s")
        holds(client.peak <= MEMORY, f"{client.peak:.0f} MB")
        holds(not seconds or count <= BURST + PER_SECOND * spent, f"{count} requests in {spent:.0f} s")
        evidence = f"{hostile.delivered} hostile answers and frames, longest wait {longest:.1f} s, " \
            f"{client.peak:.0f} MB, {rate:.1f} requests/s"
    finally:
        client.close()
        hostile.close()
    verified = subprocess.run(
        [ROOST, "cache", "verify", client.cache], capture_output=True, text=True, timeout=PATIENCE)
    holds(verified.returncode == 0, "the cache does not verify: " + verified.stdout[-150:])
    return answers, evidence, client


def client_start(hostile, otherwise):
    return hostile.moments[0] if hostile.moments else otherwise


USUAL = ("connect", "channels", "wait_idle")


def bounded(kind, *requests, seconds=6):
    return story(kind, *(requests or USUAL), seconds=seconds)[1]


def saying(path, body, status=200, **headers):
    """A server that answers calls of a path in its own way."""
    class Kind(Hostile):
        def answer(self, method, found, query, honest):
            if path in found:
                return Reply(status, body() if callable(body) else body, **headers)
            return honest()
    return Kind


def login(**fields):
    """A server whose login answer has other fields."""
    class Kind(Hostile):
        def frame(self, text, send):
            if text.startswith("LOGI"):
                text = "LOGI" + json.dumps({**json.loads(text[4:]), **fields})
            send(text)
    return Kind


def first_frame(text, closes=False):
    class Kind(Hostile):
        def opened(self, send, close):
            send(text)
            if closes:
                close()
            return True
    return Kind


# Numbers

@attack("numbers: BUSY for ever")
def _():
    return bounded(first_frame('BUSY{"retry_after":%d,"reason_code":1,"message":""}' % BIG), "connect",
                   "wait_idle", seconds=2)


@attack("numbers: a ping interval without end")
def _():
    seen = []
    for fields in ({"ping_interval": BIG}, {"pong_timeout": BIG}, {"ping_interval": -BIG},
                   {"reconnect": {"interval": BIG, "max_interval": BIG, "mul": BIG, "retry_cnt": BIG}},
                   {"login_ts": BIG}, {"login_ts": -BIG}, {"request_dedup_interval_ms": BIG},
                   {"sdk_background_connection_close_timeout": BIG}, {"unread_cnt": {"all": BIG, "ts": BIG}},
                   {"file_upload_size_limit": BIG}):
        seen.append(bounded(login(**fields), *USUAL, seconds=1))
    return seen[-1]


@attack("numbers: messages of negative times leave the cache")
def _():
    cache = tempfile.mkdtemp()

    class Negative(Hostile):
        def answer(self, method, path, query, honest):
            reply = honest()
            if path.endswith("/messages"):
                page = json.loads(reply.body)
                for place, message in enumerate(sorted(page["messages"], key=lambda m: m["message_id"])):
                    message["created_at"] = -10**15 + place
                reply.body = json.dumps(page).encode()
            return reply

    story(Negative, "connect", ("open", {"channel": "g"}), "wait_idle", cache=cache)
    answers, evidence, _ = story(
        Hostile, "connect", ("open", {"channel": "g"}), "wait_idle", ("compare", {"channel": "g"}),
        ("open", {"channel": "g"}), "wait_idle", "snapshot", cache=cache)
    shown = answers[-1]["result"]["messages"]
    texts = [message["text"] for message in shown]
    holds(all(0 < message["created_at"] < 10**14 for message in shown if message["created_at"] is not None),
          "a message of a negative time is shown")
    return holds(texts == [f"m{number}" for number in range(12)], f"{texts} {evidence}")


# Pages

class Paged(Hostile):
    """A server with pages whose tokens are its attack, so a client has to come back with one."""

    def took_place(self):
        return any("token=" in path for _, path in self.calls)


@attack("pages: tokens that the server refuses")
def _():
    class Refusing(Paged):
        def answer(self, method, path, query, honest):
            if query.get("token"):
                return Reply(400, b'{"error":true,"code":400111,"message":"no such token"}')
            reply = honest()
            body = json.loads(reply.body)
            if "next" in body:
                body["next"], body["has_more"] = "abc", True
            reply.body = json.dumps(body).encode()
            return reply
    return bounded(Refusing, seconds=8)


@attack("pages: empty pages with new tokens for ever")
def _():
    class Endless(Paged):
        numbers = itertools.count()

        def answer(self, method, path, query, honest):
            token = f"t{next(self.numbers)}"
            if path.endswith("/changelogs"):
                deleted = []
                return Reply(body=json.dumps({"updated": [], "deleted": deleted, "has_more": True,
                                              "next": token, "ts": 1}).encode())
            if path.endswith("my_group_channels"):
                return Reply(body=json.dumps({"channels": [], "next": token, "ts": 1}).encode())
            return honest()
    return bounded(Endless, "connect", "channels", ("open", {"channel": "g"}), "wait_idle", seconds=8)


@attack("pages: one page for ever")
def _():
    class Same(Paged):
        numbers = itertools.count()

        def answer(self, method, path, query, honest):
            reply = honest()
            body = json.loads(reply.body)
            if method == "GET" and "next" in body:
                body["next"], body["has_more"] = f"t{next(self.numbers)}", True
                if query.get("token"):
                    body = self.first.get(path, body) | {"next": body["next"], "has_more": True}
                    reply.status = 200
                else:
                    self.first[path] = body
            elif query.get("token"):
                reply.status = 200
                body = self.first.get(path, {}) | {"next": f"t{next(self.numbers)}", "has_more": True}
            reply.body = json.dumps(body).encode()
            return reply
        first = {}
    return bounded(Same, "connect", "channels", ("open", {"channel": "g"}), "wait_idle", seconds=8)


# Connections

@attack("connection: reconnect at once, for ever")
def _():
    class Leaving(Hostile):
        def frame(self, text, send):
            if text.startswith("LOGI"):
                fields = json.loads(text[4:])
                fields["reconnect"] = {"interval": 0, "max_interval": 0, "mul": 0, "retry_cnt": -1}
                send("LOGI" + json.dumps(fields))
                raise ConnectionError
            send(text)
    return bounded(Leaving, "connect", "wait_idle", seconds=8)


@attack("connection: an expired session, for ever")
def _():
    class Expiring(Hostile):
        def frame(self, text, send):
            send(text)
            if text.startswith("LOGI"):
                send('EXPR{"reason":400309,"expires_in":0}')
    return bounded(Expiring, "connect", "wait_idle", seconds=8)


@attack("connection: an unknown session key, for ever")
def _():
    class Forgetting(Hostile):
        def answer(self, method, path, query, honest):
            if "session_key" in path:
                return honest()
            return Reply(400, b'{"error":true,"code":400309,"message":"expired"}')
    return bounded(Forgetting, seconds=8)


# Answers

@attack("answers: a refused list is an error")
def _():
    refusing = saying("my_group_channels", b'{"error":true,"code":400108,"message":"not you"}', 400)
    answers, evidence, client = story(refusing, *USUAL)
    told = json.dumps(client.events) + json.dumps(answers)
    return holds(not answers[1]["ok"] or "400108" in told, f"{answers[1]} {evidence}")


@attack("answers: without an end")
def _():
    def body():
        yield b'{"channels":["'
        while True:
            yield b"x" * 65536
    return bounded(saying("my_group_channels", body), seconds=5)


@attack("answers: a gzip bomb")
def _():
    bomb = gzip.compress(b" " * 800_000_000, 6)
    return bounded(saying("my_group_channels", bomb, Content_Encoding="gzip"), seconds=5)


@attack("answers: errors, pages of HTML and nonsense")
def _():
    evidence = []
    for status, body in ((500, b""), (503, b"<html>busy</html>"), (200, b"<html>hello</html>"), (200, b"\0\xff"),
                         (200, b"[]"), (200, b"{}"), (200, b'{"channels":7,"next":[]}'), (302, b""), (204, b""),
                         (400, b'{"error":true}')):
        class Broken(Hostile):
            def answer(self, method, path, query, honest, status=status, body=body):
                return Reply(status, body)
        evidence.append(bounded(Broken, *USUAL, seconds=2))
    return evidence[0]


@attack("answers: byte by byte")
def _():
    def body():
        while True:
            yield b" "
            time.sleep(1)
    return bounded(saying("/v3/", body), seconds=0)


@attack("answers: shorter than said")
def _():
    class Short(Hostile):
        def answer(self, method, path, query, honest):
            def pieces():
                yield b'{"channels":'
                time.sleep(PATIENCE * 2)
            return Reply(200, pieces(), Content_Length="1000")
    return bounded(Short, seconds=0)


@attack("frames: longer than any honest one, and without end")
def _():
    class Large(Hostile):
        def frame(self, text, send):
            send(text)
            if text.startswith("LOGI"):
                send("MESG" + json.dumps({"x": "y" * 300_000_000}))
    return bounded(Large, "connect", "wait_idle", seconds=5)


if __name__ == "__main__":
    with Server(ROOST, "--address-rate", "0", "--user-rate", "0") as honest:
        honest.channel("g", ["ann", "bob"])
        for number in range(12):
            honest.call("POST", "/group_channels/g/messages",
                        {"message_type": "MESG", "user_id": "bob", "message": f"m{number}"})
        status = run(sys.argv[2:], at_once=4)
    leave(status)
