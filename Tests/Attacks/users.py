# SPDX-License-Identifier: Apache-2.0
"""Attacks of hostile users and strangers on a real `roost serve`, from outside.

usage: users.py ROOST [WORD...]   runs the attacks whose names contain a word; all without any
"""

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
from patience import PATIENCE
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

    def is_alive(self):
        time.sleep(0.1)
        return self.server.process.poll() is None

    def ends(self, user, method, path):
        """Whether a call ends the server."""
        try:
            self.raw(user, method, path)
        except OSError:
            pass
        return not self.is_alive()


def refused(answer):
    return answer.get("error") is True


def nested(depth):
    return "[" * depth + "]" * depth


class Meter(Witness):
    """A socket that remembers its longest frame."""

    longest = 0

    def _take(self, count):
        self.longest = max(self.longest, count)
        return super()._take(count)

    def listen(self, seconds):
        self.socket.settimeout(0.2)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                self._read()
            except TimeoutError:
                pass
            except ConnectionError:
                break
        return self.longest


# Critical

@attack("numbers: a poll change token at the end of all numbers")
def _():
    with Scene() as scene:
        for query in (f"token=p{BIG}", "change_ts=-9223372036854775808", f"change_ts={BIG}"):
            if scene.ends("ann", "GET", f"/group_channels/g/polls/changelogs?{query}"):
                raise Open(f"{query} ends the server")
    return "the server answers"


@attack("budget: one user ID a thousand times")
def _():
    with Scene() as scene:
        found = scene.call("ann", "GET", "/users?user_ids=" + ",".join(["bob"] * 1000))
        return holds(len(found.get("users", [])) <= 1, f"{len(found.get('users', []))} users answered")


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
    with Scene("--require-token", members=None) as scene:
        server = scene.server
        made = scene.platform("POST", "/users", user_id="ann", nickname="", profile_url="",
                              issue_access_token=True)
        token = made["access_token"]
        scene.platform("POST", "/users/ann/token")
        key = Witness(server.port, APP, "ann", token=token).login["key"]
        backup = tempfile.mkdtemp() + "/copy"
        subprocess.run([ROOST, "backup", "--data", server.data, "--to", backup], check=True,
                       capture_output=True)
        words = kept_words(server.data) | kept_words(backup)
        words -= {"ann"}
        holds(token not in words and key not in words, "a credential lies in the database")
        for word in words:
            quoted = urllib.parse.quote(word)
            for options in ({"token": quoted}, {"key": quoted}):
                try:
                    login = Witness(server.port, APP, "ann", **options).login
                except (ConnectionError, OSError, AssertionError, TimeoutError):
                    continue
                if not login.get("error"):
                    raise Open(f"{word[:16]}... logs in as {list(options)[0]}")
            if word.isascii() and word.isprintable():
                answer = server.raw("GET", "/v3/users/ann", None, {"Session-Key": word.strip()})
                holds(answer[0] != 200, f"{word[:16]}... is a session key")
        return f"{len(words)} words tried"


# High

def client_lines(scene, user, *requests):
    """What a Roost client answers to requests against the scene's server."""
    folder = tempfile.mkdtemp()
    lines = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests))
    done = subprocess.run(
        [ROOST, "client", "--server", f"http://127.0.0.1:{scene.server.port}", "--app-id", APP, "--user",
         user, "--cache", folder], input=lines, capture_output=True, text=True, timeout=PATIENCE)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {answer["id"]: answer for answer in answers if "id" in answer}


@attack("depth: the deepest message hides no channel list")
def _():
    with Scene("--user-rate", "0") as scene:
        for deepest in range(127, 0, -1):
            body = json.dumps({"message_type": "MESG", "message": "deep"})[:-1]
            body += f', "extended_message": {{"a":{nested(deepest)}}}}}'
            if scene.raw("ann", "POST", "/group_channels/g/messages", body.encode())[0] == 200:
                break
        answers = client_lines(scene, "bob", {"request": "connect"}, {"request": "channels"},
                               {"request": "wait_idle"}, {"request": "channels"})
        shown = answers[3].get("result", {}).get("channels", [])
        return holds(len(shown) == 1, f"accepted at depth {deepest}; {len(shown)} channels shown")


@attack("depth: a nested schedule hides no scheduled message")
def _():
    with Scene() as scene:
        moment = int(time.time() * 1000) + 3_600_000
        first = scene.call("bob", "POST", "/group_channels/g/scheduled_messages", message_type="MESG",
                           message="honest", scheduled_at=moment)
        holds(not refused(first), first)
        for depth in (127, 126, 125, 124, 120):
            body = json.dumps({"message_type": "MESG", "message": "x", "scheduled_at": moment})
            body = body[:-1] + f', "extended_message": {{"a":{nested(depth)}}}}}'
            scene.raw("ann", "POST", "/group_channels/g/scheduled_messages", body.encode())
        for user, wanted in (("bob", 1), ("ann", 0)):
            found = scene.call(user, "GET", "/scheduled_messages")
            holds(not refused(found) and len(found["scheduled_messages"]) >= wanted, f"{user}: {found}")
        return "both lists are answered"


@attack("budget: no message or metadata makes a frame that closes its readers")
def _():
    with Scene() as scene:
        longest = 0
        heavy = {"message_type": "MESG", "message": "x"}
        bodies = [
            {**heavy, "extended_message": {"a": "x" * 4_000_000}},
            {**heavy, "extended_message_payload": {"a": "x" * 4_000_000}},
            {**heavy, "sorted_metaarray": [{"key": f"k{i}", "value": ["v" * 1900] * 30} for i in range(60)]},
            {**heavy, "message": "x" * 65_000, "data": "y" * 65_000},
            {**heavy, "mentioned_user_ids": ["bob"] * 2_000},
        ]
        for body in bodies:
            meter = Meter(scene.server.port, APP, "bob")
            scene.raw("ann", "POST", "/group_channels/g/messages", json.dumps(body).encode())
            longest = max(longest, meter.listen(1))
        metadata = {f"k{i}": "v" * 39_000 for i in range(100)}
        for path in ("/users/ann/metadata", "/group_channels/g/metadata"):
            meter = Meter(scene.server.port, APP, "bob")
            scene.raw("ann", "POST", path, json.dumps({"metadata": metadata}).encode())
            scene.send("ann", "after")
            longest = max(longest, meter.listen(1))
        return holds(longest <= FRAME, f"the longest frame has {longest} bytes")


@attack("budget: a page of small messages stays small")
def _():
    with Scene("--user-rate", "0") as scene:
        for size in (39_000, 10_000, 4_000, 1_000, 300, 25):
            metadata = {f"k{i}": "v" * size for i in range(100)}
            answer = scene.raw("ann", "POST", "/users/ann/metadata",
                               json.dumps({"metadata": metadata}).encode())
            if answer[0] == 200:
                break
        for number in range(100):
            scene.send("ann", str(number))
        status, _, body = scene.raw("bob", "GET", f"/group_channels/g/messages?message_ts={BIG}&prev_limit=100")
        shown = len(json.loads(body)["messages"])
        return holds(status == 200 and len(body) <= ANSWER and shown == 100,
                     f"{shown} messages in {len(body)} bytes with metadata of {size} bytes each")


@attack("budget: a search lets others in")
def _():
    with Scene("--user-rate", "0", "--max-body", "8388608") as scene:
        for number in range(400):
            scene.send("ann", ("ab" * 32_000) + str(number))
        key = scene.key("bob")
        spans, done = [], threading.Event()

        def others():
            while not done.is_set():
                start = time.monotonic()
                scene.server.raw("GET", "/v3/users/bob", None, {"Session-Key": key})
                spans.append((start, time.monotonic()))

        thread = threading.Thread(target=others)
        thread.start()
        start = time.monotonic()
        found = scene.call("ann", "GET", "/search/messages?query=zz&limit=20&channel_url=g")
        end = time.monotonic()
        done.set()
        thread.join()
        between = sum(start < first and last < end for first, last in spans)
        return holds(not refused(found) and between >= 2,
                     f"{between} calls were answered during a search of {end - start:.2f} s")


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
            return "the socket is closed"
        return holds(answer.get("code") == 500910, f"after 3,000 of them: {answer}")


@attack("budget: four hundred thousand names in one call")
def _():
    with Scene() as scene:
        names = [f"{number:x}" for number in range(400_000)]
        before = processor_seconds(scene.server.process.pid)
        status, _, body = scene.raw("ann", "POST", "/users/ann/block",
                                    json.dumps({"user_ids": names}).encode())
        spent = processor_seconds(scene.server.process.pid) - before
        return holds(status != 200 and spent < 5, f"status {status}, {spent:.1f} s of the processor")


# Medium

@attack("origins: no page of another site acts as a user")
def _():
    with Scene() as scene:
        status, headers, _ = scene.raw("ann", "GET", "/users/ann", Origin="https://evil.example")
        holds(headers.get("Access-Control-Allow-Origin") is None and status in (400, 401, 403),
              f"a call with a foreign origin: {status}, {headers.get('Access-Control-Allow-Origin')}")
        import base64
        with socket.create_connection(("127.0.0.1", scene.server.port), timeout=PATIENCE) as connection:
            connection.sendall(
                f"GET /?p=JS&ai={APP}&user_id=ann HTTP/1.1\r\nHost: 127.0.0.1:{scene.server.port}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {base64.b64encode(b'0' * 16).decode()}\r\n"
                "Origin: https://evil.example\r\n\r\n".encode())
            said = b""
            try:
                while b'"key"' not in said and b" 403 " not in said and (more := connection.recv(65536)):
                    said += more
            except (TimeoutError, ConnectionError):
                pass
            return holds(b'"key"' not in said, said[:40])


@attack("origins: an open server does not listen beyond this machine by itself")
def _():
    process = subprocess.Popen(
        [ROOST, "serve", "--data", tempfile.mkdtemp(), "--port", "0", "--host", "0.0.0.0", "--app-id", APP,
         "--api-token", "s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        _, words = process.communicate(timeout=PATIENCE)
        return holds(process.returncode != 0 and "--insecure" in words, words.strip()[:150])
    except subprocess.TimeoutExpired:
        process.kill()
        raise Open("it listens on 0.0.0.0 without tokens")


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
        time.sleep(max(0, end - time.time()) + 1.5)
        scene.send("ann", "secret", user_id="ann")
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
        scene.platform("POST", f"/group_channels/g/messages/{old}/pin", user_id="ann")
        scene.call("bob", "PUT", "/group_channels/g/reset_user_history", user_id="bob")
        time.sleep(0.05)
        witness = scene.socket("bob")
        scene.send("ann", "reply", parent_message_id=old, reply_to_channel=True)
        heard = ""
        witness.socket.settimeout(1)
        try:
            while True:
                witness._read()
                heard += json.dumps(witness.frames)
                witness.frames.clear()
        except TimeoutError:
            pass
        flags = ("include_parent_message_info=true&include_thread_info=true&include_reply_type=all"
                 "&show_member=true&show_pinned_messages=true")
        seen = {
            "socket": heard,
            "page": scene.call("bob", "GET", f"/group_channels/g/messages?message_ts={BIG}&prev_limit=50&{flags}"),
            "thread": scene.call("bob", "GET", "/group_channels/g/messages?message_ts=0&next_limit=50&include=true"
                                 f"&parent_message_id={old}&{flags}"),
            "channel": scene.call("bob", "GET", f"/group_channels/g?{flags}"),
            "list": scene.call("bob", "GET", f"/users/bob/my_group_channels?show_empty=true&{flags}"),
            "changes": scene.call("bob", "GET", f"/group_channels/g/messages/changelogs?change_ts=0&{flags}"),
            "pins": scene.call("bob", "GET", "/group_channels/g/pinned_messages?limit=10"),
            "search": scene.call("bob", "GET", "/search/messages?query=HIDDEN&channel_url=g"),
        }
        showing = [place for place, answer in seen.items() if "HIDDEN" in json.dumps(answer).replace(
            '"query": "HIDDEN"', "")]
        return holds(not showing, f"shown by {showing}")


@attack("silence: a muted user and a frozen channel take no edits")
def _():
    with Scene(members=("ann", "bob", "cyd")) as scene:
        mine = scene.send("bob", "before")["message_id"]
        other = scene.send("cyd", "before")["message_id"]
        scene.call("ann", "POST", "/group_channels/g/mute", user_id="bob", seconds=3600)
        edit = scene.call("bob", "PUT", f"/group_channels/g/messages/{mine}", message_type="MESG", message="spoken")
        holds(refused(edit), f"a muted user's edit: {str(edit)[:80]}")
        witness = scene.socket("bob")
        witness.say("MEDI", channel_url="g", msg_id=mine, message="spoken", req_id="e")
        answer = witness.wait("MEDI", "EROR", req_id="e")
        holds("code" in answer, "a muted user's edit by the socket")
        scene.call("ann", "PUT", "/group_channels/g/freeze", freeze=True)
        edit = scene.call("cyd", "PUT", f"/group_channels/g/messages/{other}", message_type="MESG", message="spoken")
        return holds(refused(edit), f"an edit in a frozen channel: {str(edit)[:80]}")


@attack("open channels: a stranger deletes no metadata")
def _():
    with Scene() as scene:
        scene.platform("POST", "/open_channels", channel_url="o", name="o", operator_ids=["ann"])
        scene.platform("POST", "/open_channels/o/metadata", metadata={"k": "v"})
        scene.key("eve")
        for method, path, body in (("DELETE", "/metadata/k", {}), ("DELETE", "/metadata", {}),
                                   ("PUT", "/metadata", {"metadata": {"k": "w"}, "upsert": True})):
            scene.call("eve", method, "/open_channels/o" + path, **body)
        left = scene.platform("GET", "/open_channels/o/metadata")
        return holds(left.get("k") == "v", left)


@attack("access code: no words without it")
def _():
    with Scene(members=None) as scene:
        scene.server.channel("p", ["ann", "bob"], is_public=True, access_code="1234", name="p")
        scene.send("ann", "SECRETWORDS", channel="p")
        flags = "show_member=true&show_empty=true&show_metadata=true&public_mode=public"
        seen = json.dumps([scene.call("eve", "GET", f"/group_channels?{flags}"),
                           scene.call("eve", "GET", f"/group_channels/p?{flags}")])
        return holds("SECRETWORDS" not in seen and '"bob"' not in seen,
                     "last words" if "SECRETWORDS" in seen else "members" if '"bob"' in seen else "hidden")


@attack("budget: device tokens and languages of a user have an end")
def _():
    with Scene("--user-rate", "0") as scene:
        accepted = 0
        for number in range(400):
            answer = scene.call("ann", "POST", "/users/ann/push/gcm", gcm_reg_token=f"token-{number}")
            accepted += not refused(answer)
        kept = scene.platform("GET", "/users/ann/push/gcm")
        count = len(kept.get("tokens", kept.get("device_tokens", [])))
        languages = scene.call("ann", "PUT", "/users/ann", preferred_languages=[f"l{i}" for i in range(20_000)])
        return holds(count < 400 and refused(languages), f"{count} device tokens kept, {accepted} accepted; "
                     f"20,000 languages: {'refused' if refused(languages) else 'kept'}")


# Low

@attack("files: a folder that was there gives no reader the database")
def _():
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    old = os.umask(0o022)
    try:
        with Scene(data=folder) as scene:
            scene.send("ann")
            modes = {}
            for root, _, files in os.walk(folder):
                for name in files:
                    modes[name] = stat.S_IMODE(os.stat(os.path.join(root, name)).st_mode)
    finally:
        os.umask(old)
    wide = {name: oct(mode) for name, mode in modes.items() if mode & 0o077 and "sqlite" in name}
    return holds(not wide, wide or sorted(modes))


@attack("http: a bare carriage return in a chunk's extension")
def _():
    with Scene() as scene:
        with socket.create_connection(("127.0.0.1", scene.server.port), timeout=PATIENCE) as connection:
            connection.sendall(
                b"POST /v3/users HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                b"Content-Type: application/json\r\nApi-Token: secret\r\n\r\n"
                b"2;a\rb\r\n{}\r\n0\r\n\r\n")
            said = connection.recv(65536)
        return holds(b'"code"' not in said, said[:60])


@attack("tokens: no session key for a user who does not exist")
def _():
    with Scene(members=None) as scene:
        answer = scene.server.call("POST", "/users/nobody-here/session_key", {"expiring_session": False})
        holds(refused(answer), answer)
        answer = scene.platform("POST", "/users/nobody-here/token")
        return holds(refused(answer), answer)


@attack("tokens: another access token ends the sessions of the one before")
def _():
    with Scene(members=None) as scene:
        made = scene.platform("POST", "/users", user_id="ann", nickname="", profile_url="", issue_access_token=True)
        key = scene.socket("ann", token=made["access_token"]).login["key"]
        scene.platform("PUT", "/users/ann", issue_access_token=True)
        status = scene.server.raw("GET", "/v3/users/ann", None, {"Session-Key": key})[0]
        return holds(status != 200, f"the old session key answers {status}")


@attack("tokens: a user with expiring tokens only needs one")
def _():
    with Scene(members=None) as scene:
        scene.platform("POST", "/users", user_id="ann", nickname="", profile_url="")
        scene.platform("POST", "/users/ann/token")
        login = scene.socket("ann").login
        return holds(login.get("error"), "logged in without a token" if login.get("key") else login)


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
    with Scene() as scene:
        scene.call("ann", "POST", "/users/ann/block", target_id="bob")
        for depth in (126, 125, 124, 120):
            scene.raw("ann", "PUT", "/users/ann/push_preference",
                      f'{{"dnd_schedules":{nested(depth)}}}'.encode())
        found = scene.call("ann", "GET", "/users/ann/block")
        return holds([user["user_id"] for user in found.get("users", [])] == ["bob"], found)


@attack("budget: one mention two thousand times")
def _():
    with Scene() as scene:
        scene.raw("bob", "POST", "/users/bob/metadata", json.dumps(
            {"metadata": {f"k{i}": "v" * 600 for i in range(100)}}).encode())
        sent = scene.send("ann", "x", mention_type="users", mentioned_user_ids=["bob"] * 2_000)
        size = len(json.dumps(sent))
        return holds(size < FRAME, f"the message has {size} bytes")


if __name__ == "__main__":
    leave(run(sys.argv[2:], at_once=3))
