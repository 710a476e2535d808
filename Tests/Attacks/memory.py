# SPDX-License-Identifier: Apache-2.0
"""How much memory a real `roost client` takes while a server pours out answers: bounded, whatever comes.

usage: memory.py ROOST
"""

import gzip
import threading
import time

import servers
from attack import leave
from patience import PATIENCE
from server import Server

# Seconds in which a client that gathers what it is given takes a gigabyte.
LOOK = 4


def endless(beginning, piece):
    def body():
        yield beginning
        while True:
            yield piece
    return body


SCENES = {
    "one text without an end": servers.saying("/v3/", endless(b'{"channels":["', b"x" * 65536)),
    "objects without an end": servers.saying("/v3/", endless(b'{"channels":[', b"{}," * 20_000)),
    "as many objects as an answer may have": servers.saying(
        "/v3/", b'{"channels":[' + b"{}," * 5_000_000 + b"{}]}"),
    "a gzip bomb": servers.saying(
        "/v3/", gzip.compress(b" " * 500_000_000, 6), Content_Encoding="gzip"),
}


def ask(client):
    try:
        client.ask("channels", patience=LOOK)
    except servers.Open:
        pass  # How long an answer may take is another question.


def peak(kind, honest):
    hostile = kind(honest.port)
    client = servers.Client(hostile.port)
    try:
        client.ask("connect")
        threading.Thread(target=ask, args=(client,), daemon=True).start()
        end = time.monotonic() + PATIENCE
        while not hostile.took_place():
            assert time.monotonic() < end, "the client has got nothing"
            time.sleep(0.05)
        time.sleep(LOOK)
        assert not hostile.errors, hostile.errors
        assert client.process.poll() is None, "the client has ended"
        return client.peak
    finally:
        client.close()
        hostile.close()


with Server(servers.ROOST, "--address-rate", "0", "--user-rate", "0") as honest:
    honest.channel("g", ["ann", "bob"])
    peaks = {name: peak(kind, honest) for name, kind in SCENES.items()}
for name, megabytes in peaks.items():
    assert 0 < megabytes <= servers.MEMORY, f"{name}: {megabytes:.0f} MB"
print(f"client: {len(peaks)} floods, {max(peaks.values()):.0f} MB at most")
leave(0)
