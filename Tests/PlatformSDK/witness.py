# SPDX-License-Identifier: Apache-2.0
"""A user's socket, spoken with the standard library alone: what it hears is what members are told."""

import base64
import json
import os
import socket
import struct
import time

from patience import PATIENCE


class Witness:
    """One logged-in WebSocket; `wait` reads until a frame fits."""

    def __init__(self, port, app_id, user_id, token=None, key=None, tls=None, first=("LOGI",)):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.bytes = b""
        self.frames = []
        name = f"key={key}" if key else f"user_id={user_id}"
        query = f"/?p=JS&ai={app_id}&{name}&active=1"
        if token:
            query += f"&access_token={token}"
        nonce = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {nonce}\r\n\r\n".encode()
        )
        while b"\r\n\r\n" not in self.bytes:
            self._more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head
        self.login = self.wait(*first)

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("The server closed the socket.")
        self.bytes += data

    def _take(self, count):
        while len(self.bytes) < count:
            self._more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def _read(self):
        first, second = self._take(2)
        length = second & 127
        if length == 126:
            (length,) = struct.unpack(">H", self._take(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._take(8))
        payload = self._take(length)
        if first & 15 == 8:
            raise ConnectionError("The server said goodbye.")
        if first & 15 != 1:
            return
        for line in payload.decode().split("\n"):
            if line:
                self.frames.append((line[:4], json.loads(line[4:] or "{}")))

    def say(self, command, **fields):
        payload = (command + json.dumps(fields) + "\n").encode()
        mask = os.urandom(4)
        head = bytes([0x81])
        if len(payload) < 126:
            head += bytes([0x80 | len(payload)])
        else:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(payload))
        self.socket.sendall(
            head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        )

    def wait(self, *commands, **fields):
        """The next frame of a command whose fields are these; what comes before it is dropped."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while self.frames:
                name, body = self.frames.pop(0)
                if name in commands and all(body.get(k) == v for k, v in fields.items()):
                    return body
            self._read()
        raise TimeoutError(f"no {commands} with {fields}")
