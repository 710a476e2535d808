# SPDX-License-Identifier: Apache-2.0
"""A hostile server: an honest one behind it answers, and a scene changes what it says."""

import base64
import functools
import hashlib
import http.client
import http.server
import json
import socket
import struct
import sys
import threading
import time
import traceback
import urllib.parse

from patience import PATIENCE


class Reply:
    """An answer; a body is bytes, or pieces that are sent as they come."""

    def __init__(self, status=200, body=b"{}", **headers):
        self.status, self.body = status, body
        self.headers = {"Content-Type": "application/json", **{
            name.replace("_", "-"): value for name, value in headers.items()}}


def same(one, other):
    """Whether two texts say the same, in JSON of any form or to the letter."""
    try:
        return json.loads(one) == json.loads(other)
    except ValueError:
        return one == other


class Hostile:
    """Subclasses override `answer`, `frame` and `opened`."""

    def __init__(self, honest_port):
        self.honest_port = honest_port
        self.calls, self.moments = [], []
        # Answers and frames that no honest server has sent so, and whose beginning has gone to the client.
        self.delivered = 0
        # The failures of the scene itself.
        self.errors = []
        hostile = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do(self):
                hostile.moments.append(time.monotonic())
                if self.headers.get("Upgrade", "").lower() == "websocket":
                    self.close_connection = True
                    hostile.calls.append(("SOCKET", ""))
                    return hostile.serve_socket(self)
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                parts = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(parts.query))
                hostile.calls.append((self.command, self.path))
                said = []

                def honest():
                    reply = hostile.honest(self, body)
                    said.append((reply.status, reply.body))
                    return reply
                try:
                    reply = hostile.answer(self.command, parts.path, query, honest)
                    self.send(reply, is_honest=any(
                        reply.status == status and isinstance(reply.body, bytes) and same(reply.body, data)
                        for status, data in said))
                except ConnectionError:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_DELETE = do

            def send(self, reply, is_honest):
                self.send_response_only(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                pieces = reply.body
                if isinstance(pieces, bytes):
                    if "Content-Length" not in reply.headers:
                        self.send_header("Content-Length", str(len(pieces)))
                    # A client may refuse the rest.
                    pieces = (pieces[:1_000], pieces[1_000:])
                else:
                    self.close_connection = True
                self.end_headers()
                for number, piece in enumerate(pieces):
                    self.wfile.write(piece)
                    if number == 0 and not is_honest:
                        hostile.delivered += 1

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: self.note(sys.exc_info()[1])
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def note(self, error):
        """Keeps an error that is not the end of a connection."""
        if not isinstance(error, ConnectionError):
            self.errors.append("".join(traceback.format_exception(error)[-2:]))

    def took_place(self):
        """Whether the attack has reached the client."""
        return self.delivered > 0

    # What a scene changes

    def answer(self, method, path, query, honest):
        return honest()

    def frame(self, text, send):
        """A frame of the honest server on its way to the client."""
        send(text)

    def opened(self, send, close):
        """A socket has been opened; True keeps the honest server out of it."""
        return False

    # The honest part

    def honest(self, handler, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.honest_port, timeout=PATIENCE)
        headers = {name: value for name, value in handler.headers.items()
                   if name.lower() not in ("host", "connection", "accept-encoding", "content-length")}
        connection.request(handler.command, handler.path, body or None, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return Reply(answer.status, data)

    def serve_socket(self, handler):
        accept = base64.b64encode(hashlib.sha1(
            (handler.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()
        ).digest()).decode()
        head = ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Accept: {accept}\r\n")
        if offered := handler.headers.get("Sec-WebSocket-Protocol"):
            head += f"Sec-WebSocket-Protocol: {offered.split(',')[0].strip()}\r\n"
        handler.connection.sendall((head + "\r\n").encode())
        lock = threading.Lock()

        def send(text, opcode=1, original=None):
            data = text.encode() if isinstance(text, str) else text
            with lock:
                # A client may refuse a frame for its length.
                handler.connection.sendall(frame_head(opcode, len(data)))
                if opcode == 1 and not (original and text[:4] == original[:4] and same(text[4:], original[4:])):
                    self.delivered += 1
                handler.connection.sendall(data)

        def close():
            try:
                send(b"", 8)
                handler.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

        if self.opened(send, close):
            self.swallow(handler.connection)
            return
        honest = socket.create_connection(("127.0.0.1", self.honest_port))
        lines = [f"GET {handler.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in handler.headers.items()
                  if name.lower() not in ("host", "sec-websocket-extensions")]
        honest.sendall(("\r\n".join(lines) + f"\r\nHost: 127.0.0.1:{self.honest_port}\r\n\r\n").encode())
        reader = Frames(honest)
        reader.head()
        threading.Thread(target=self.pump, args=(handler.connection, honest), daemon=True).start()
        try:
            while True:
                opcode, payload = reader.next()
                if opcode == 1:
                    text = payload.decode()
                    self.frame(text, functools.partial(send, original=text))
                else:
                    send(payload, opcode)
                if opcode == 8:
                    break
        except OSError:
            pass
        close()

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        try:
            target.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    @staticmethod
    def swallow(source):
        source.settimeout(PATIENCE)
        try:
            while source.recv(65536):
                pass
        except OSError:
            pass


def frame_head(opcode, length):
    head = bytes([0x80 | opcode])
    if length < 126:
        return head + bytes([length])
    if length < 65536:
        return head + bytes([126]) + struct.pack(">H", length)
    return head + bytes([127]) + struct.pack(">Q", length)


class Frames:
    """Reads what an honest server sends."""

    def __init__(self, source):
        self.source, self.bytes = source, b""

    def take(self, count):
        while len(self.bytes) < count:
            data = self.source.recv(65536)
            if not data:
                raise ConnectionError
            self.bytes += data
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def head(self):
        while b"\r\n\r\n" not in self.bytes:
            data = self.source.recv(65536)
            if not data:
                raise ConnectionError
            self.bytes += data
        self.bytes = self.bytes.split(b"\r\n\r\n", 1)[1]

    def next(self):
        first, second = self.take(2)
        length = second & 127
        if length == 126:
            (length,) = struct.unpack(">H", self.take(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.take(8))
        return first & 15, self.take(length)
