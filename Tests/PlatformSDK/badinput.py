# SPDX-License-Identifier: Apache-2.0
"""What strangers and broken clients do to a real server : each thing gets a clear error
or the end of its socket, and whoever was talking goes on talking."""

import concurrent.futures
import http.client
import json
import os
import select
import socket
import struct
import sys
import time
import urllib.parse

from patience import PATIENCE
from server import APP, Server, expect
from witness import Witness

ROOST = sys.argv[1]
checks = 0


def check(condition, what):
    global checks
    checks += 1
    expect(condition, what)


def raw(server, data, patience=PATIENCE):
    """Everything the server says to these bytes until it closes, or None when it does not close."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=patience) as connection:
        connection.sendall(data)
        said = b""
        try:
            while more := connection.recv(65536):
                said += more
        except TimeoutError:
            return None
        except ConnectionError:
            pass
        return said


def status(server, data):
    said = raw(server, data)
    return int(said.split(b" ", 2)[1]) if said else said


def frame(opcode, payload, final=True, masked=True):
    head = bytes([(0x80 if final else 0) | opcode])
    length = len(payload)
    mark = 0x80 if masked else 0
    if length < 126:
        head += bytes([mark | length])
    elif length < 65536:
        head += bytes([mark | 126]) + struct.pack(">H", length)
    else:
        head += bytes([mark | 127]) + struct.pack(">Q", length)
    return head + (b"\0\0\0\0" if masked else b"") + payload


class Talk:
    """Two people who go on talking, whatever else happens."""

    def __init__(self, server):
        server.channel("g", ["ann", "bob"])
        self.ann, self.bob = (Witness(server.port, APP, user) for user in ("ann", "bob"))
        self.count = 0

    def goes_on(self, after):
        self.count += 1
        name = f"still-{self.count}"
        self.ann.say("MESG", channel_url="g", message=name, req_id=name)
        self.ann.wait("MESG", req_id=name)
        check(self.bob.wait("MESG", message=name)["message"] == name, f"unharmed by {after}")


def requests(server):
    head = b"GET /v3/users HTTP/1.1\r\nHost: a\r\nApi-Token: secret\r\n"
    for data, wanted in (
        (b"rubbish\r\n\r\n", 400), (b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", 505),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n", 414),
        (head + b"X: " + b"y" * 70_000, 431), (head + b"\0: x\r\n\r\n", 400),
        (head + b"Content-Length: 99999999999999999999\r\n\r\n", 400),
        (head + b"Content-Length: 5000000\r\n\r\n", 413), (head + b"Content-Length: -1\r\n\r\n", 400),
        (head + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (head + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", 400),
        (head + b"Transfer-Encoding: chunked\r\n\r\n1;a\rb\r\nx\r\n0\r\n\r\n", 400),
    ):
        check(status(server, data) == wanted, f"{data[:60]}: {wanted}")


def paths(server):
    for path in ("/files/../server.sqlite/x", "/files/%2e%2e/server.sqlite", "/files/%2e%2e%2fx/y",
                 "/files//etc/passwd", "/files/" + "a" * 40 + "/../../lock", "/files/" + "0" * 40,
                 "/files/..%5c..%5cserver.sqlite/x", "/../../etc/passwd", "/v3/../files/x"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.putrequest("GET", path, skip_host=False)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        check(answer.status in (400, 404) and b"SQLite" not in body and b"root:" not in body, path)


def bodies(server):
    def post(body, path="/v3/users"):
        return server.raw("POST", path, body)

    deep = b"[" * 100_000
    for body, code in (
        (b"{", 400403), (b"[]", 400403), (b'{"user_id":' + deep, 400403), (b'{"a":"\xff\xfe"}', 400403),
        (b'{"user_id":[1]}', 400105), (b'{"user_id":{}}', 400105), (b"\0" * 100, 400403),
    ):
        answer = post(body)
        error = json.loads(answer[2])
        check(answer[0] == 400 and error["error"] is True, f"{body[:40]}: {answer[:1]} {error}")
        check(error["code"] == code, error)
    for number in ("9" * 40, "-" + "9" * 40, "1e308", "NaN", "0x10", "1" + "0" * 400):
        for name in ("limit", "message_ts", "prev_limit"):
            at = server.raw("GET", f"/v3/group_channels/g/messages?message_ts=1&{name}={number}")
            check(at[0] in (200, 400), f"{name}={number}: {at[0]}")


def names(server):
    """Whatever stands in a name is a name."""
    for number, name in enumerate((
        "'; DROP TABLE message; --", 'x" OR 1=1 --', "%_*?", "a\\b", "\u202e\u0000x", "../../x",
        "<script>", "🐔" * 30, "null", "🏴\U000e0067", " ",
    )):
        made = server.call("POST", "/users", {"user_id": f"n{number}{name}", "nickname": name,
                                              "profile_url": ""})
        check(made.get("nickname") == name, f"{name!r}: {made}")
        quoted = urllib.parse.quote(f"n{number}{name}", safe="")
        check(server.call("GET", f"/users/{quoted}").get("nickname") == name, f"{name!r} is found")
        said = server.call("POST", "/group_channels/g/messages",
                           {"message_type": "MESG", "user_id": "ann", "message": name})
        check(said.get("message") == name, f"{name!r}: {said}")
        found = server.call("GET", "/search/messages?channel_url=g&user_id=ann&query=" + urllib.parse.quote(name))
        texts = [message["message"] for message in found.get("results", [])]
        # Other texts have spaces, too.
        check(name in texts if name == " " else texts == [name], f"{name!r}: {found}")


def frames(server):
    def broken(*data):
        witness = Witness(server.port, APP, "eve")
        witness.socket.settimeout(PATIENCE)
        try:
            for part in data:
                witness.socket.sendall(part)
            while witness.socket.recv(65536):
                pass
            return True
        except TimeoutError:
            return False
        except ConnectionError:
            return True

    for data, what in (
        ((frame(1, b"\xff\xfe"),), "text that is none"),
        ((frame(1, b"PING{}", masked=False),), "a frame without a mask"),
        ((frame(3, b""),), "an opcode that is none"), ((frame(9, b"x" * 126),), "a long ping"),
        ((frame(0, b"x"),), "a continuation of nothing"),
        ((bytes([0xC1, 0x80, 0, 0, 0, 0]),), "a bit that nobody has agreed on"),
        ((bytes([0x81, 0xFF]) + b"\x7f" + b"\xff" * 7 + b"\0" * 40,), "a length of exabytes"),
        ((frame(1, b"x" * 1_100_000),), "a frame beyond the limit"),
        (tuple(frame(0 if n else 1, b"x" * 60_000, final=False) for n in range(20)),
         "a message beyond it, in small frames"),
    ):
        check(broken(*data), f"{what} ends the socket")
    eve = Witness(server.port, APP, "eve")
    for text in ("MESG" + "[" * 50_000, 'MESG{"channel_url":' + "9" * 5_000, "XXXX{}", "{}", "\0\0\0\0",
                 'MESG{"channel_url":"g","message":"x","req_id":"a","data":' + '{"a":' * 600,
                 'READ{"channel_url":"g","req_id":' + "1e999" + "}"):
        eve.socket.sendall(frame(1, text.encode()))
    eve.say("PING", id=1, req_id="")
    check(eve.wait("PONG") is not None, "words that are no commands end no socket")


# The seconds for a head, and for each 16 KiB of a body (`HTTPServer.Configuration`); the rest is for a busy machine.
HEAD_TIME, BODY_TIME, REST = 10, 20, 60


def slow(server):
    """Heads and bodies that come a byte at a time, and sockets that say nothing, lose their place."""
    key = Witness(server.port, APP, "ann").login["key"]

    def run(first, drip):
        """The answer of the server and the seconds until it closes; None for a server that does not."""
        start, said = time.monotonic(), b""
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
            connection.sendall(first)
            try:
                while (seconds := time.monotonic() - start) < BODY_TIME + REST:
                    if not select.select([connection], [], [], 0.5)[0]:
                        connection.sendall(drip)
                    elif more := connection.recv(65536):
                        said += more
                    else:
                        return said, seconds
            except ConnectionError:
                return said, seconds  # A byte has crossed the end.
        return None, seconds

    cases = {
        "head": (b"GET / HTTP/1.1\r\n", b"X", HEAD_TIME), "silence": (b"", b"", HEAD_TIME),
        "body": (b"POST /v3/users HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", b"x", BODY_TIME),
        "form": (f"POST /v3/storage/file HTTP/1.1\r\nHost: a\r\nSession-Key: {key}\r\nContent-Length: 1000\r\n"
                 "Content-Type: multipart/form-data; boundary=x\r\n\r\n".encode(), b"x", BODY_TIME),
    }
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        results = {name: pool.submit(run, first, drip) for name, (first, drip, _) in cases.items()}
    for name, (_, _, limit) in cases.items():
        said, seconds = results[name].result()
        check(said is not None and (said == b"" if name == "silence" else said.startswith(b"HTTP/1.1 408 ")),
              f"{name}: {said}")
        check(limit - 1 < seconds < limit + REST, f"{name} was let go after {seconds:.0f} s")


def sockets(server):
    """The number of the server's open sockets."""
    count, folder = 0, f"/proc/{server.process.pid}/fd"
    for name in os.listdir(folder):
        try:
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
        except FileNotFoundError:
            pass
    return count


def flood():
    """Many connections at once: a bound, and who is inside goes on."""
    with Server(ROOST, "--max-connections", "60", "--user-rate", "0", "--address-rate", "0") as server:
        talk = Talk(server)
        before = sockets(server)
        crowd = []
        for _ in range(300):
            connection = socket.socket()
            connection.settimeout(2)
            try:
                connection.connect(("127.0.0.1", server.port))
                crowd.append(connection)
            except OSError:
                break
        check(len(crowd) > 100, f"only {len(crowd)} connections flood the server")
        talk.goes_on("a flood of connections")
        taken = sockets(server) - before
        check(taken <= 60, f"the server has taken {taken} connections of {len(crowd)}")
        for connection in crowd:
            # Half-open: one side says it is done, the other never hears.
            try:
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            connection.close()
        end = time.monotonic() + PATIENCE
        while True:
            try:
                check(server.raw("GET", "/health")[0] == 200, "there is room again")
                break
            except OSError:
                expect(time.monotonic() < end, "no room after the flood")
        talk.goes_on("the flood's end")


with Server(ROOST, "--user-rate", "0", "--address-rate", "0") as server:
    talk = Talk(server)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        # It takes half a minute, which the others use.
        patient = pool.submit(slow, server)
        for run in (requests, paths, bodies, names, frames):
            run(server)
            talk.goes_on(run.__name__)
    patient.result()
    talk.goes_on("slow clients")
flood()
print(f"server: bad input, {checks} checks")
