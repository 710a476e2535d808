# SPDX-License-Identifier: Apache-2.0
"""Attacks of hostile users and strangers on a real `roost serve`, from outside.

usage: users.py ROOST [WORD...]   runs the attacks whose names contain a word; all without any
"""

import concurrent.futures
import json
import os
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from attack import Open, attack, holds, leave, peak_megabytes, processor_seconds, run
from patience import PATIENCE, bound
from server import APP, Server
from witness import Witness

ROOST = os.path.abspath(sys.argv[1])
BIG = 9223372036854775807
# A Roost client reads no longer frame and no longer answer.
FRAME, ANSWER = 1_048_576, 16_777_216


class Scene:
    """A server with users who have keys, and the channel g of ann and bob."""

    def __init__(self, *options, members=("ann", "bob"), **rest):
        self.server = Server(ROOST, "--address-rate", "0", *options, **rest)
        self.keys = {}
        if members:
            self.server.channel("g", members, operator_ids=[members[0]])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()

    def platform(self, method, path, **body):
        return self.server.call(method, path, body or None)

    def socket(self, user, **options):
        return Witness(self.server.port, APP, user, **options)

    def key(self, user):
        if user not in self.keys:
            self.keys[user] = self.socket(user).login["key"]
        return self.keys[user]

    def raw(self, user, method, path, body=None, **headers):
        return self.server.raw(method, "/v3" + path, body, {"Session-Key": self.key(user), **headers})

    def call(self, user, method, path, **body):
        return json.loads(self.raw(user, method, path, body or None)[2])

    def send(self, user, text="x", channel="g", **body):
        return self.call(user, "POST", f"/group_channels/{channel}/messages", message_type="MESG",
                         message=text, **body)

    def is_well(self):
        return self.server.raw("GET", "/health")[0] == 200


def refused(answer):
    return answer.get("error") is True


def done(answer):
    """The answer to a call that has to succeed, or the attack does not happen."""
    holds(not refused(answer), answer)
    return answer


def nested(depth):
    return "[" * depth + "]" * depth


def largest(scene, method, path, make, sizes, code):
    """Calls with bodies of falling sizes; returns the first size that is taken, the ones before are too much."""
    for size in sizes:
        status, _, body = scene.raw("ann", method, path, make(size).encode())
        if status == 200:
            return size
        holds(json.loads(body)["code"] == code, f"{path} with {size}: {body}")
    raise Open(f"{path} takes nothing, so nothing is tried")


def metadata(size):
    return json.dumps({"metadata": {f"k{i}": "v" * size for i in range(100)}})


# Values of metadata, from far too long ones to those that a user may have.
VALUES = (39_000, 10_000, 4_000, 1_000, 300, 100, 25)
TOO_LONG, TOO_DEEP = 400110, 400403


class Listener(Witness):
    """A socket that keeps all frames and the length of the longest one, the login aside."""

    def __init__(self, *arguments, **options):
        self.longest = 0
        super().__init__(*arguments, **options)
        self.longest, self.heard = 0, []

    def _take(self, count):
        self.longest = max(self.longest, count)
        return super()._take(count)

    def listen(self, text):
        """Keeps what comes up to the message with a text."""
        while not any(name == "MESG" and body["message"] == text for name, body in self.heard):
            while not self.frames:
                self._read()
            self.heard.append(self.frames.pop(0))
        return self.heard


# Critical

@attack("numbers: a poll change token at the end of all numbers")
def _():
    with Scene() as scene:
        for query in (f"token=p{BIG}", "change_ts=-9223372036854775808", f"change_ts={BIG}"):
            try:
                done(scene.call("ann", "GET", f"/group_channels/g/polls/changelogs?{query}"))
                holds(scene.is_well(), f"{query} makes the server ill")
            except OSError as error:
                raise Open(f"{query} ends the server: {error}")
    return "the server answers"


@attack("budget: one user ID a thousand times")
def _():
    with Scene() as scene:
        found = done(scene.call("ann", "GET", "/users?user_ids=" + ",".join(["bob"] * 1000)))
        return holds(len(found["users"]) == 1, f"{len(found['users'])} users answered")


def kept_words(folder):
    """Every text and blob of every table below a folder, and runs of hexadecimal digits in raw files."""
    import re
    words = set()
    for root, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                data = file.read()
            words.update(run.decode() for run in re.findall(rb"[0-9a-f]{32,128}", data))
            if not data.startswith(b"SQLite format 3"):
                continue
            base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                for row in base.execute(f'SELECT * FROM "{table}"'):
                    for value in row:
                        if isinstance(value, bytes):
                            words.update((value.hex(), value.decode(errors="ignore")))
                        elif isinstance(value, str):
                            words.add(value)
    return {word for word in words if 8 <= len(word) <= 256}


@attack("tokens: nothing in the database or a backup logs in")
def _():
    with Scene("--require-token", "--user-rate", "0", members=None) as scene:
        server = scene.server
        made = scene.platform("POST", "/users", user_id="ann", nickname="", profile_url="",
                              issue_access_token=True)
        token = made["access_token"]
        done(scene.platform("POST", "/users/ann/token"))
        key = Witness(server.port, APP, "ann", token=token).login["key"]
        backup = tempfile.mkdtemp() + "/copy"
        subprocess.run([ROOST, "backup", "--data", server.data, "--to", backup], check=True,
                       capture_output=True)
        words = kept_words(server.data) | kept_words(backup)
        words -= {"ann"}
        holds(token not in words and key not in words, "a credential lies in the database")
        holds(len(words) >= 10, f"only {len(words)} words are kept")

        def answers(word):
            """The codes of logins with a word as a token and as a key, and of a call with it; 0 for a success."""
            quoted = urllib.parse.quote(word, safe="")
            for options in ({"token": quoted}, {"key": quoted}):
                login = Witness(server.port, APP, "ann", first=("LOGI", "BUSY"), **options).login
                yield login.get("code", 0)
            if word.isascii() and word.isprintable():
                body = server.raw("GET", "/v3/users/ann", None, {"Session-Key": word.strip()})[2]
                yield json.loads(body).get("code", 0)

        # The attempts are good ones: what was given out opens as what it is.
        for name, word, wanted in (("token", token, (True, False, False)), ("key", key, (False, True, True))):
            codes = list(answers(word))
            holds(tuple(code == 0 for code in codes) == wanted, f"the {name} is answered {codes}")
        for word in words:
            codes = list(answers(word))
            holds(codes[0] == 400302 and set(codes[1:]) <= {400303, 400309}, f"{word[:16]}... is answered {codes}")
        return f"{len(words)} words tried"


# High

def client_lines(scene, user, *requests):
    """What a Roost client answers to requests against the scene's server."""
    folder = tempfile.mkdtemp()
    lines = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests))
    client = subprocess.run(
        [ROOST, "client", "--server", f"http://127.0.0.1:{scene.server.port}", "--app-id", APP, "--user",
         user, "--cache", folder], input=lines, capture_output=True, text=True, timeout=PATIENCE)
    answers = [json.loads(line) for line in client.stdout.splitlines()]
    return {answer["id"]: answer for answer in answers if "id" in answer}


@attack("depth: the deepest message hides no channel list")
def _():
    with Scene("--user-rate", "0") as scene:
        deepest = largest(
            scene, "POST", "/group_channels/g/messages",
            lambda depth: f'{{"message_type":"MESG","message":"deep","extended_message":{{"a":{nested(depth)}}}}}',
            range(127, 0, -1), TOO_DEEP)
        answers = client_lines(scene, "bob", {"request": "connect"}, {"request": "channels"},
                               {"request": "wait_idle"}, {"request": "channels"})
        shown = answers[3].get("result", {}).get("channels", [])
        return holds(len(shown) == 1, f"accepted at depth {deepest}; {len(shown)} channels shown")


@attack("depth: a nested schedule hides no scheduled message")
def _():
    with Scene("--user-rate", "0") as scene:
        moment = int(time.time() * 1000) + 3_600_000
        done(scene.call("bob", "POST", "/group_channels/g/scheduled_messages", message_type="MESG",
                        message="honest", scheduled_at=moment))
        deepest = largest(
            scene, "POST", "/group_channels/g/scheduled_messages",
            lambda depth: f'{{"message_type":"MESG","message":"x","scheduled_at":{moment},'
                          f'"extended_message":{{"a":{nested(depth)}}}}}',
            range(127, 0, -1), TOO_DEEP)
        for user in ("bob", "ann"):
            found = done(scene.call(user, "GET", "/scheduled_messages"))
            holds(len(found["scheduled_messages"]) == 1, f"{user}: {found}")
        return f"accepted at depth {deepest}; both lists are answered"


@attack("budget: no message or metadata makes a frame that closes its readers")
def _():
    with Scene("--user-rate", "0") as scene:
        listener = Listener(scene.server.port, APP, "bob")
        bodies = [
            lambda size: {"extended_message": {"a": "x" * size}},
            lambda size: {"extended_message_payload": {"a": "x" * size}},
            lambda size: {"sorted_metaarray": [{"key": "k", "value": ["v" * (size // 100)] * 100}]},
            lambda size: {"message": "x" * min(size, 65_000), "data": "y" * size},
            lambda size: {"mentioned_user_ids": ["bob"] * min(size, 2_000)},
        ]
        attempts = [
            ("/group_channels/g/messages",
             lambda size, body=body: json.dumps({"message_type": "MESG", "message": "x", **body(size)}),
             [4_000_000 // 2**step for step in range(16)]) for body in bodies]
        attempts += [(path, metadata, VALUES) for path in ("/users/ann/metadata", "/group_channels/g/metadata")]
        taken = []
        for number, (path, make, sizes) in enumerate(attempts):
            taken.append(largest(scene, "POST", path, make, sizes, TOO_LONG))
            done(scene.send("ann", f"after {number}"))
            # The socket hears whatever has come of it, and is still open.
            listener.listen(f"after {number}")
        longest = listener.longest
        return holds(1_000 < longest <= FRAME, f"the longest frame has {longest} bytes; sizes taken: {taken}")


@attack("budget: a page of small messages stays small")
def _():
    with Scene("--user-rate", "0") as scene:
        size = largest(scene, "POST", "/users/ann/metadata", metadata, VALUES, TOO_LONG)
        for number in range(100):
            done(scene.send("ann", str(number)))
        status, _, body = scene.raw("bob", "GET", f"/group_channels/g/messages?message_ts={BIG}&prev_limit=100")
        shown = len(json.loads(body)["messages"])
        return holds(status == 200 and len(body) <= ANSWER and shown == 100,
                     f"{shown} messages in {len(body)} bytes with metadata of {size} bytes each")


@attack("budget: a search lets others in")
def _():
    with Scene("--user-rate", "0", "--max-body", "8388608") as scene:
        key = scene.key("bob")
        scene.key("ann")

        def others(spans, is_over):
            while not is_over.is_set():
                start = time.monotonic()
                status = scene.server.raw("GET", "/v3/users/bob", None, {"Session-Key": key})[0]
                holds(status == 200, f"the other call is answered with {status}")
                spans.append((start, time.monotonic()))

        # On a busy machine a short search may end before two calls of its time do.
        for more in (400, 400, 800, 1_600):
            for number in range(more):
                done(scene.send("ann", ("ab" * 32_000) + str(number)))
            spans, is_over = [], threading.Event()
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                calling = pool.submit(others, spans, is_over)
                try:
                    start = time.monotonic()
                    done(scene.call("ann", "GET", "/search/messages?query=zz&limit=20&channel_url=g"))
                    end = time.monotonic()
                finally:
                    is_over.set()
            calling.result()
            between = sum(start < first and last < end for first, last in spans)
            if between >= 2:
                break
        return holds(between >= 2, f"{between} calls were answered during a search of {end - start:.2f} s")


@attack("rate: commands that cannot be read count")
def _():
    with Scene() as scene:
        witness = scene.socket("bob")
        try:
            for _ in range(3_000):
                witness.socket.sendall(bytes([0x81, 0x80 | 5, 0, 0, 0, 0]) + b"MESG{")
            witness.say("READ", channel_url="g", req_id="r")
            answer = witness.wait("READ", "EROR", req_id="r")
        except ConnectionError:
            return holds(scene.is_well(), "the socket is closed")
        return holds(answer.get("code") == 500910, f"after 3,000 of them: {answer}")


@attack("budget: four hundred thousand names in one call")
def _():
    with Scene() as scene:
        names = [f"{number:x}" for number in range(400_000)]
        before = processor_seconds(scene.server.process.pid)
        status, _, body = scene.raw("ann", "POST", "/users/ann/block",
                                    json.dumps({"user_ids": names}).encode())
        spent = processor_seconds(scene.server.process.pid) - before
        return holds(status == 400 and json.loads(body)["code"] == 400203 and spent < 5,
                     f"status {status}, {spent:.1f} s of the processor: {body[:100]}")


@attack("memory: the bodies of strangers are not kept")
def _():
    with Scene() as scene:
        pid = scene.server.process.pid
        before = peak_megabytes(pid)
        head = (b"POST /v3/users HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                b"Session-Key: 1.wrong\r\nContent-Length: 4000000\r\n\r\n")
        connections = []
        for _ in range(50):
            connection = socket.create_connection(("127.0.0.1", scene.server.port), timeout=PATIENCE)
            connection.sendall(head + b" " * 3_900_000)
            connections.append(connection)
        holds(scene.is_well(), "the server does not answer")
        grown = peak_megabytes(pid) - before
        for connection in connections:
            connection.close()
        return holds(grown < 80, f"50 bodies of 3.9 MB: {grown:.0f} MB more")


# Medium

@attack("origins: no page of another site acts as a user")
def _():
    with Scene() as scene:
        holds(scene.raw("ann", "GET", "/users/ann")[0] == 200, "a call without an origin is refused")
        status, headers, _ = scene.raw("ann", "GET", "/users/ann", Origin="https://evil.example")
        holds(headers.get("Access-Control-Allow-Origin") is None and status == 403,
              f"a call with a foreign origin: {status}, {headers.get('Access-Control-Allow-Origin')}")
        import base64
        with socket.create_connection(("127.0.0.1", scene.server.port), timeout=PATIENCE) as connection:
            connection.sendall(
                f"GET /?p=JS&ai={APP}&user_id=ann HTTP/1.1\r\nHost: 127.0.0.1:{scene.server.port}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {base64.b64encode(b'0' * 16).decode()}\r\n"
                "Origin: https://evil.example\r\n\r\n".encode())
            said = b""
            while b'"key"' not in said and b" 403 " not in said and (more := connection.recv(65536)):
                said += more
            return holds(said.startswith(b"HTTP/1.1 403 "), said[:40])


@attack("origins: an open server does not listen beyond this machine by itself")
def _():
    try:
        ended = subprocess.run(
            bound(ROOST, "serve", "--data", tempfile.mkdtemp(), "--port", "0", "--host", "0.0.0.0", "--app-id", APP,
                  "--api-token", "s"), capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Open("it listens on 0.0.0.0 without tokens")
    return holds(ended.returncode == 2 and "--insecure" in ended.stderr, ended.stderr.strip()[:150])


@attack("sessions: an expired session hears nothing more")
def _():
    with Scene() as scene:
        scene.key("bob")
        # On a busy machine a short token may expire before its login.
        for life in (2.5, 10, 40, 160):
            end = time.time() + life
            made = scene.platform("POST", "/users/bob/token", expires_at=int(end * 1000))
            witness = scene.socket("bob", token=made["token"])
            if not witness.login.get("error"):
                break
        holds(not witness.login.get("error"), witness.login)
        # The others hear the message that the expired session must not hear.
        control = scene.socket("ann")
        time.sleep(max(0, end - time.time()) + 1.5)
        done(scene.send("ann", "secret"))
        control.wait("MESG", message="secret")
        heard = []
        witness.socket.settimeout(2)
        try:
            while True:
                witness._read()
                heard += [name for name, _ in witness.frames]
                witness.frames.clear()
        except (TimeoutError, ConnectionError):
            pass
        return holds("MESG" not in heard, f"heard {heard}")


@attack("history: what lies before a member's beginning stays hidden")
def _():
    with Scene() as scene:
        old = scene.send("ann", "HIDDEN")["message_id"]
        done(scene.platform("POST", f"/group_channels/g/messages/{old}/pin", user_id="ann"))
        done(scene.call("bob", "PUT", "/group_channels/g/reset_user_history", user_id="bob"))
        listener = Listener(scene.server.port, APP, "bob")
        done(scene.send("ann", "reply", parent_message_id=old, reply_to_channel=True))
        done(scene.send("ann", "after"))
        flags = ("include_parent_message_info=true&include_thread_info=true&include_reply_type=all"
                 "&show_member=true&show_pinned_messages=true")
        seen = {
            "socket": {"frames": listener.listen("after")},
            "page": scene.call("bob", "GET", f"/group_channels/g/messages?message_ts={BIG}&prev_limit=50&{flags}"),
            "thread": scene.call("bob", "GET", "/group_channels/g/messages?message_ts=0&next_limit=50&include=true"
                                 f"&parent_message_id={old}&{flags}"),
            "channel": scene.call("bob", "GET", f"/group_channels/g?{flags}"),
            "list": scene.call("bob", "GET", f"/users/bob/my_group_channels?show_empty=true&{flags}"),
            "changes": scene.call("bob", "GET", f"/group_channels/g/messages/changelogs?change_ts=0&{flags}"),
            "search": scene.call("bob", "GET", "/search/messages?query=HIDDEN&channel_url=g"),
        }
        for place, answer in seen.items():
            holds(not refused(answer), f"{place}: {answer}")
            # All but the search show what came after the beginning.
            words = {"channel": "after", "list": "after", "search": "results"}.get(place, "reply")
            holds(f'"{words}"' in json.dumps(answer), f"{place} shows nothing: {answer}")
        showing = [place for place, answer in seen.items() if "HIDDEN" in json.dumps(answer).replace(
            '"query": "HIDDEN"', "")]
        return holds(not showing, f"shown by {showing}")


@attack("silence: a muted user and a frozen channel take no edits")
def _():
    with Scene(members=("ann", "bob", "cyd")) as scene:
        mine = scene.send("bob", "before")["message_id"]
        other = scene.send("cyd", "before")["message_id"]
        done(scene.call("ann", "POST", "/group_channels/g/mute", user_id="bob", seconds=3600))
        edit = scene.call("bob", "PUT", f"/group_channels/g/messages/{mine}", message_type="MESG", message="spoken")
        holds(edit.get("code") == 900041, f"a muted user's edit: {str(edit)[:80]}")
        witness = scene.socket("bob")
        witness.say("MEDI", channel_url="g", msg_id=mine, message="spoken", req_id="e")
        answer = witness.wait("MEDI", "EROR", req_id="e")
        holds(answer.get("code") == 900041, f"a muted user's edit by the socket: {answer}")
        done(scene.call("ann", "PUT", "/group_channels/g/freeze", freeze=True))
        edit = scene.call("cyd", "PUT", f"/group_channels/g/messages/{other}", message_type="MESG", message="spoken")
        return holds(edit.get("code") == 900050, f"an edit in a frozen channel: {str(edit)[:80]}")


@attack("open channels: a stranger deletes no metadata")
def _():
    with Scene() as scene:
        scene.platform("POST", "/open_channels", channel_url="o", name="o", operator_ids=["ann"])
        scene.platform("POST", "/open_channels/o/metadata", metadata={"k": "v"})
        scene.key("eve")
        for method, path, body in (("DELETE", "/metadata/k", {}), ("DELETE", "/metadata", {}),
                                   ("PUT", "/metadata", {"metadata": {"k": "w"}, "upsert": True})):
            answer = scene.call("eve", method, "/open_channels/o" + path, **body)
            holds(answer.get("code") in (400108, 900020), f"{method} {path}: {answer}")
        left = scene.platform("GET", "/open_channels/o/metadata")
        return holds(left.get("k") == "v", left)


@attack("access code: no words without it")
def _():
    with Scene(members=None) as scene:
        scene.server.channel("p", ["ann", "bob"], is_public=True, access_code="1234", name="p")
        done(scene.send("ann", "SECRETWORDS", channel="p"))
        flags = "show_member=true&show_empty=true&show_metadata=true&public_mode=public"
        listed = done(scene.call("eve", "GET", f"/group_channels?{flags}"))["channels"]
        shown = done(scene.call("eve", "GET", f"/group_channels/p?{flags}"))
        holds([channel["channel_url"] for channel in [*listed, shown]] == ["p", "p"], f"{listed} {shown}")
        seen = json.dumps([listed, shown])
        return holds("SECRETWORDS" not in seen and '"bob"' not in seen,
                     "last words" if "SECRETWORDS" in seen else "members" if '"bob"' in seen else "hidden")


@attack("budget: device tokens and languages of a user have an end")
def _():
    with Scene("--user-rate", "0") as scene:
        accepted = 0
        for number in range(400):
            answer = scene.call("ann", "POST", "/users/ann/push/gcm", gcm_reg_token=f"token-{number}")
            accepted += not refused(answer)
        count = len(scene.platform("GET", "/users/ann/push/gcm")["tokens"])
        languages = scene.call("ann", "PUT", "/users/ann", preferred_languages=[f"l{i}" for i in range(20_000)])
        return holds(0 < count < 400 and languages.get("code") == 400203,
                     f"{count} device tokens kept, {accepted} accepted; "
                     f"20,000 languages: {'refused' if refused(languages) else 'kept'}")


# Low

@attack("files: a folder that was there gives no reader the database")
def _():
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    old = os.umask(0o022)
    try:
        with Scene(data=folder) as scene:
            done(scene.send("ann"))
            modes = {}
            for root, _, files in os.walk(folder):
                for name in files:
                    modes[name] = stat.S_IMODE(os.stat(os.path.join(root, name)).st_mode)
    finally:
        os.umask(old)
    wide = {name: oct(mode) for name, mode in modes.items() if mode & 0o077 and "sqlite" in name}
    return holds("server.sqlite" in modes and not wide, wide or sorted(modes))


@attack("http: a bare carriage return in a chunk's extension")
def _():
    with Scene() as scene:
        with socket.create_connection(("127.0.0.1", scene.server.port), timeout=PATIENCE) as connection:
            connection.sendall(
                b"POST /v3/users HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                b"Content-Type: application/json\r\nApi-Token: secret\r\n\r\n"
                b"2;a\rb\r\n{}\r\n0\r\n\r\n")
            said = connection.recv(65536)
        return holds(said.startswith(b"HTTP/1.1 400 ") and b'"code"' not in said, said[:60])


@attack("tokens: no session key for a user who does not exist")
def _():
    with Scene(members=None) as scene:
        answer = scene.server.call("POST", "/users/nobody-here/session_key", {"expiring_session": False})
        holds(answer.get("code") == 400301, answer)
        answer = scene.platform("POST", "/users/nobody-here/token")
        return holds(answer.get("code") == 400201, answer)


@attack("tokens: another access token ends the sessions of the one before")
def _():
    with Scene(members=None) as scene:
        made = scene.platform("POST", "/users", user_id="ann", nickname="", profile_url="", issue_access_token=True)
        key = scene.socket("ann", token=made["access_token"]).login["key"]

        def status():
            return scene.server.raw("GET", "/v3/users/ann", None, {"Session-Key": key})[0]
        holds(status() == 200, "the session key does not count before")
        done(scene.platform("PUT", "/users/ann", issue_access_token=True))
        return holds(status() == 401, f"the old session key answers {status()}")


@attack("tokens: a user with expiring tokens only needs one")
def _():
    with Scene(members=None) as scene:
        scene.platform("POST", "/users", user_id="ann", nickname="", profile_url="")
        done(scene.platform("POST", "/users/ann/token"))
        login = scene.socket("ann").login
        return holds(login.get("code") == 400302, "logged in without a token" if login.get("key") else login)


@attack("forms: a file's name keeps its semicolon")
def _():
    with Scene() as scene:
        body = (b'--B\r\nContent-Disposition: form-data; name="file"; filename="a;b.txt"\r\n'
                b'Content-Type: text/plain\r\n\r\nbytes\r\n--B--\r\n')
        _, _, answer = scene.raw("ann", "POST", "/storage/file", body,
                                 **{"Content-Type": "multipart/form-data; boundary=B"})
        found = json.loads(answer)
        return holds(found.get("url", "").endswith("/a%3Bb.txt"), found)


@attack("depth: nested do-not-disturb hides no block list")
def _():
    with Scene("--user-rate", "0") as scene:
        done(scene.call("ann", "POST", "/users/ann/block", target_id="bob"))
        deepest = largest(scene, "PUT", "/users/ann/push_preference",
                          lambda depth: f'{{"dnd_schedules":{nested(depth)}}}', range(126, 0, -1), TOO_DEEP)
        found = done(scene.call("ann", "GET", "/users/ann/block"))
        return holds([user["user_id"] for user in found["users"]] == ["bob"], f"accepted at depth {deepest}: {found}")


@attack("budget: one mention two thousand times")
def _():
    with Scene("--user-rate", "0", members=("bob", "ann")) as scene:
        # Ann is mentioned, with all the metadata that a user may have.
        largest(scene, "POST", "/users/ann/metadata", metadata, VALUES, TOO_LONG)
        sent = done(scene.send("bob", "x", mention_type="users", mentioned_user_ids=["ann"] * 2_000))
        holds([user["user_id"] for user in sent["mentioned_users"]] == ["ann"], sent)
        size = len(json.dumps(sent))
        return holds(size < FRAME, f"the message has {size} bytes")


if __name__ == "__main__":
    leave(run(sys.argv[2:], at_once=3))
