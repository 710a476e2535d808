# Hostile users against a real `roost serve`: every route and command, several users at once.
# SPDX-License-Identifier: Apache-2.0
#
# usage: users.py ROOST [--seconds S | --calls N] [--seed N]
#
# Only the standard library. The seed decides the contents of calls and frames, but not the order of their arrival.
import argparse
import base64
import collections
import hashlib
import http.client
import json
import os
import random
import socket
import struct
import sys
import threading
import time
import urllib.parse

import chance

sys.dont_write_bytecode = True
sys.path.insert(0, str(chance.ROOT / "Tests/PlatformSDK"))
from patience import PATIENCE, FairClock  # noqa: E402
from server import APP, TOKEN, Server  # noqa: E402

USERS = 6
MEMORY_LIMIT = 200 << 20
ANSWER_LIMIT = 10  # Seconds by a fair clock.

FRAMES = [
    'MESG{"channel_url":"g","message":"x","req_id":"1"}',
    'MESG{"channel_url":"g","message":"x","data":"d","req_id":"2","mention_type":"users","mentioned_user_ids":["ann"],'
    '"metaarray":{"k":["v"]},"parent_message_id":1,"poll_id":1}',
    'FILE{"channel_url":"g","url":"u","name":"n","type":"t","size":1,"thumbnails":[{"width":1}],"req_id":"3"}',
    'MEDI{"channel_url":"g","msg_id":1,"message":"y","metaarray":{"array":[],"mode":"add"},"req_id":"4"}',
    'FEDI{"channel_url":"g","msg_id":2,"data":"y","req_id":"4"}', 'READ{"channel_url":"g","req_id":"5"}',
    'READ{"channel_url":"g","req_id":"5","parent_message_id":1}', 'PING{"id":1,"active":1,"req_id":""}',
    'TPST{"channel_url":"g","time":1,"req_id":"6"}', 'TPEN{"channel_url":"g","time":1,"req_id":"6"}',
    'ENTR{"channel_url":"o","req_id":"7"}', 'EXIT{"channel_url":"o","req_id":"7"}',
    'VOTE{"channel_url":"g","poll_id":1,"option_ids":[1],"req_id":"8"}', 'MACK{"channel_url":"g","msg_id":1,"req_id":"9"}',
    'LOGI{"token":"t","expiring_session":true,"req_id":"10"}', 'XXXX{}', "", "\n\n", "{}",
]
HEADS = [
    b"GET /v3/users?limit=3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"POST /v3/users HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n",
    b"GET /?ai=APP&user_id=eve0 HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=15\r\n\r\n\x81\x80\0\0\0\0",
]
FORM = (
    b'--B\r\nContent-Disposition: form-data; name="channel_url"\r\n\r\ng\r\n--B\r\nContent-Disposition: form-data; '
    b'name="file"; filename="x.png"\r\nContent-Type: image/png\r\n\r\nbytes\r\n--B--\r\n'
)


class Failure(Exception):
    """A violation by the server."""


class Run:
    """The counts of all users so far."""

    def __init__(self, server, calls, seconds):
        self.server, self.clock = server, FairClock(server.process.pid)
        self.calls, self.end = calls, time.monotonic() + seconds
        self.lock = threading.Lock()
        self.count = collections.Counter()
        self.statuses = collections.Counter()
        self.slowest = (0.0, "")
        self.failures = []

    def is_over(self):
        return bool(self.failures) or self.count.total() >= self.calls or time.monotonic() > self.end

    def note(self, kind, took, what):
        with self.lock:
            self.count[kind] += 1
            if took > self.slowest[0]:
                self.slowest = (took, what)
        if took > ANSWER_LIMIT:
            raise Failure(f"an answer after {took:.1f} s: {what}")


class User(threading.Thread):
    """Sends calls and frames of all kinds, and keeps the last ones for a report."""

    def __init__(self, run, name, seed, key, routes, fields):
        super().__init__(daemon=True)
        self.work, self.user, self.key = run, name, key
        self.random = random.Random(f"{seed}-{name}")
        self.routes, self.fields = routes, fields
        self.last = collections.deque(maxlen=12)
        self.connection = None
        self.socket = None

    def run(self):
        try:
            while not self.work.is_over():
                kind = self.random.random()
                if kind < 0.50:
                    self.call()
                elif kind < 0.95:
                    self.frames()
                elif kind < 0.98:
                    self.bytes()
                else:
                    self.upload()
        except Failure as failure:
            self.work.failures.append(f"{self.user}: {failure}")
        except Exception as error:  # Reported with the last calls.
            self.work.failures.append(f"{self.user}: {type(error).__name__} {error}")

    # Calls

    def segment(self, before):
        chance_of_harm = self.random.random()
        if chance_of_harm < 0.1:
            return urllib.parse.quote(str(self.random.choice(chance.TEXTS + chance.NUMBERS))[:400], safe="")
        if before in ("users", "ban", "mute", "block"):
            return self.random.choice([self.user, self.user, "ann", "bob", "eve0"])
        if before in ("group_channels",):
            return self.random.choice(["g", "g", "g", "p", "nowhere"])
        if before in ("open_channels",):
            return "o"
        return str(self.random.randrange(1, 60))

    def call(self):
        method, pattern = self.random.choice(self.routes)
        parts = pattern.split("/")
        path = "/".join(self.segment(parts[i - 1]) if part == "*" else part for i, part in enumerate(parts))
        # Half of the calls are nearly honest, so that they pass the first check of each.
        count = self.random.choice([0, 0, 0, 1, 2, 5])
        drawn = {self.random.choice(self.fields): chance.value(self.random) for _ in range(count)}
        usual = {"user_id": self.user, "user_ids": [self.user, "ann"], "message_type": "MESG", "message": "x",
                 "message_ts": 1700000000000, "change_ts": 0, "limit": 5, "channel_url": "g", "reaction": "r", "query": "x",
                 "metadata": {"a": "b"}, "metacounter": {"a": 1}, "title": "t", "options": ["a"], "option_ids": [1],
                 "scheduled_at": int(time.time() * 1000) + 86_400_000, "seconds": 5, "target_id": "bob", "token": ""}
        fields = {name: usual[name] for name in self.random.sample(sorted(usual), self.random.choice([4, 8, len(usual)]))}
        fields.update(drawn)
        if fields and self.random.random() < 0.5:
            fields[self.random.choice(sorted(fields))] = chance.value(self.random)
        body, target = None, "/v3/" + path
        if method in ("GET", "DELETE") or self.random.random() < 0.1:
            query = {k: v if isinstance(v, (str, int)) else json.dumps(v) for k, v in fields.items()}
            target += "?" + urllib.parse.urlencode({k: str(v)[:3000] for k, v in query.items()}, errors="replace")
        if method in ("POST", "PUT"):
            body = json.dumps(fields).encode()
            if self.random.random() < 0.2:
                body = chance.mutated(self.random, body)
        self.ask(method, target, body, {"Content-Type": "application/json"})

    def ask(self, method, target, body, headers):
        what = f"{method} {target[:1500]} {(body or b'')[:1500]!r}"
        self.last.append(what)
        headers = {**headers, **({"Api-Token": TOKEN} if self.random.random() < 0.15 else {"Session-Key": self.key})}
        began = self.work.clock.mark()
        for attempt in (1, 2):
            try:
                if not self.connection:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.work.server.port, timeout=PATIENCE)
                self.connection.request(method, target, body, headers)
                answer = self.connection.getresponse()
                data = answer.read()
                break
            except TimeoutError:
                raise Failure(f"no answer in {PATIENCE} s: {what}") from None
            except (OSError, http.client.HTTPException) as error:
                self.connection = None
                # The server may close a connection after too much input; it must accept a new one.
                if attempt == 2 and not isinstance(error, (BrokenPipeError, ConnectionResetError)):
                    raise Failure(f"{type(error).__name__} {error}: {what}") from error
        else:
            self.work.note("closed", self.work.clock.since(began), what)
            return
        self.work.note("calls", self.work.clock.since(began), what)
        self.work.statuses[answer.status] += 1
        if answer.status >= 500:
            raise Failure(f"status {answer.status}: {what} {data[:300]!r}")
        if answer.status == 401:
            self.login()
        try:
            json.loads(data)
        except ValueError:
            if answer.headers.get("Content-Type", "").startswith("application/json"):
                raise Failure(f"no JSON: {what} {data[:300]!r}") from None

    def login(self):
        answer = self.work.server.call("POST", f"/users/{self.user}/session_key", {})
        self.key = answer.get("key", self.key)

    def upload(self):
        body = chance.mutated(self.random, FORM) if self.random.random() < 0.7 else FORM
        self.ask("POST", "/v3/storage/file", body, {"Content-Type": "multipart/form-data; boundary=B"})

    def bytes(self):
        """Sends bytes that need not be HTTP; the server may only answer or close."""
        data = chance.mutated(self.random, self.random.choice(HEADS))
        self.last.append(f"bytes {data[:1000]!r}")
        began = self.work.clock.mark()
        try:
            with socket.create_connection(("127.0.0.1", self.work.server.port), timeout=5) as raw:
                raw.sendall(data)
                raw.shutdown(socket.SHUT_WR)
                while raw.recv(65536):
                    pass
        except OSError:
            pass
        self.work.note("bytes", min(self.work.clock.since(began), ANSWER_LIMIT), self.last[-1])

    # Frames

    def frames(self):
        """Sends a few frames on a socket of its own, and waits for the answer to the last one."""
        try:
            if not self.socket:
                self.socket = Socket(self.work.server.port, self.user)
            for _ in range(self.random.randrange(1, 12)):
                text = self.random.choice(FRAMES)
                if self.random.random() < 0.8:
                    text = chance.mutated(self.random, text.encode()).decode(errors="replace")
                self.last.append(f"frame {text[:1000]!r}")
                self.socket.say(text.encode())
                self.work.note("frames", 0, "")
            began = self.work.clock.mark()
            self.socket.hear()
            self.work.note("frames", self.work.clock.since(began), f"PING behind {list(self.last)[-3:]}")
        except TimeoutError:
            raise Failure(f"no answer on a socket in {PATIENCE} s") from None
        except (OSError, ConnectionError):
            # The server has closed the socket; the next call opens another.
            self.socket = None
            self.work.count["closed"] += 1


class Socket:
    """A minimal WebSocket that checks every received frame."""

    def __init__(self, port, user):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.bytes = b""
        nonce = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET /?p=JS&sv=1&ai={APP}&user_id={user} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {nonce}\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        proof = base64.b64encode(hashlib.sha1((nonce + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        if proof not in head:
            raise ConnectionError("refused")

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("closed")
        self.bytes += data

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def lines(self):
        """Returns the commands of the next text frame; each must be a word and an object."""
        while True:
            first, second = self.take(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
            payload = self.take(length)
            if first & 15 == 8:
                raise ConnectionError("closed")
            if first & 15 == 1:
                return [(line[:4], json.loads(line[4:])) for line in payload.decode().split("\n") if line]

    def wait(self, name):
        """Reads until a frame has this request ID."""
        while not any(body.get("req_id") == name for _, body in self.lines()):
            pass

    def say(self, payload):
        size = (bytes([0x80 | len(payload)]) if len(payload) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(payload))
                if len(payload) < 65536 else bytes([0x80 | 127]) + struct.pack(">Q", len(payload)))
        self.socket.sendall(b"\x81" + size + b"\0\0\0\0" + payload)

    def hear(self):
        """Waits until the server has answered a command behind all earlier ones."""
        name = os.urandom(4).hex()
        self.say(json_frame("READ", channel_url=f"no-{name}", req_id=name))
        self.wait(name)


class Honest(threading.Thread):
    """Two honest users: each message must be acknowledged and received, by socket and by REST."""

    def __init__(self, run):
        super().__init__(daemon=True)
        self.work, self.rounds = run, 0

    def run(self):
        try:
            nora = Socket(self.work.server.port, "nora")
            while not self.work.is_over():
                began = self.work.clock.mark()
                name = f"honest-{self.rounds}"
                nora.say(json_frame("MESG", channel_url="h", message=name, req_id=name))
                nora.wait(name)
                took = self.work.clock.since(began)
                began = self.work.clock.mark()
                answer = self.work.server.call(
                    "GET", f"/group_channels/h/messages?message_ts={2**63 - 1}&prev_limit=1&next_limit=0")
                if [m["message"] for m in answer.get("messages", [])] != [name]:
                    raise Failure(f"an honest user does not find {name}: {answer}")
                self.work.note("honest", max(took, self.work.clock.since(began)), name)
                self.rounds += 1
                if self.rounds % 40 == 0:
                    prepare(self.work.server)  # Restores deleted objects.
                time.sleep(0.05)
        except Exception as error:
            if not self.work.failures:
                self.work.failures.append(f"the honest user: {type(error).__name__} {error}")


def json_frame(command, **fields):
    return (command + json.dumps(fields)).encode()


def prepare(server):
    """Creates missing objects as targets of attacks."""
    everybody = ["ann", "bob"] + [f"eve{i}" for i in range(USERS)]
    for user in ["nora", "otto"] + everybody:
        server.call("POST", "/users", {"user_id": user, "nickname": user, "profile_url": ""})
        server.call("PUT", f"/users/{user}", {"is_active": True})
    server.call("POST", "/group_channels", {"user_ids": ["nora", "otto"], "channel_url": "h"})
    server.call("DELETE", "/open_channels/g")
    server.call("POST", "/group_channels", {"user_ids": everybody, "channel_url": "g", "operator_ids": ["eve0", "eve1"]})
    server.call("POST", "/group_channels/g/invite", {"user_ids": everybody})
    server.call("PUT", "/group_channels/g/freeze", {"freeze": False})
    server.call("POST", "/group_channels", {"user_ids": ["ann"], "channel_url": "p", "is_public": True})
    server.call("POST", "/open_channels", {"channel_url": "o", "name": "o", "operators": ["eve0"]})
    for user in everybody:
        server.call("DELETE", f"/group_channels/g/ban/{user}")
        server.call("DELETE", f"/group_channels/g/mute/{user}")
    for i in range(6):
        server.call("POST", "/group_channels/g/messages", {"message_type": "MESG", "user_id": f"eve{i % USERS}", "message": f"m{i}"})
    server.call("POST", "/polls", {"user_id": "eve0", "title": "t", "options": ["a", "b"]})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("roost")
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--calls", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    seconds = options.seconds if options.seconds is not None else (20 if options.calls is None else 86_400)
    routes, fields = chance.routes(), chance.names()
    # Without rate limits, so that input is decoded and not refused at once.
    with Server(os.path.abspath(options.roost), "--user-rate", "0", "--address-rate", "0") as server:
        prepare(server)
        run = Run(server, options.calls or 10**12, seconds)
        users = []
        for i in range(USERS):
            key = server.call("POST", f"/users/eve{i}/session_key", {}).get("key", "")
            users.append(User(run, f"eve{i}", options.seed, key, routes, fields))
        honest = Honest(run)
        began = time.monotonic()
        for thread in [*users, honest]:
            thread.start()
        for thread in [*users, honest]:
            thread.join(timeout=seconds + PATIENCE)
        took = time.monotonic() - began
        is_alive, peak = server.process.poll() is None, chance.memory(server.process.pid) or 0
        if not is_alive:
            run.failures.insert(0, f"the server ended with {server.process.returncode}")
        if peak > MEMORY_LIMIT:
            run.failures.append(f"the server took {peak >> 20} MiB")
        print(f"users: seed {options.seed}, {len(routes)} routes, {run.count.total()} calls and frames in {took:.0f} s: "
              f"{dict(run.count)}, statuses {dict(run.statuses)}, {peak >> 20} MiB at most, slowest answer "
              f"{run.slowest[0]:.2f} s to {run.slowest[1][:200]}")
        if run.failures:
            print("FAILED: users\n  " + "\n  ".join(run.failures))
            for user in users:
                print(f"  last of {user.user}:")
                for words in user.last:
                    print(f"    {words}")
            print(f"  again: scripts/fuzz users --seed {options.seed}")
            print("  " + "\n  ".join(Server.read(server.err).splitlines()[-60:]))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
