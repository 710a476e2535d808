# SPDX-License-Identifier: Apache-2.0
"""People who chat with a cluster by the protocol alone, keep what they were told, and write it into a history."""

import asyncio
import base64
import json
import os
import struct
import time
import urllib.parse

# A host that answers nothing for this long is left for another one.
ANSWER = 6
# A host that is cut off with the old primary does not know the newest messages; no cut lasts for this long.
FOUND = 120


class History:
    """The lines that `checker.py` judges, in the order in which they happened here."""

    def __init__(self, path):
        self.lines, self.file = [], open(path, "w")

    def note(self, kind, **fields):
        line = {"is": kind, **fields}
        self.lines.append(line)
        self.file.write(json.dumps(line) + "\n")

    def close(self):
        self.file.close()


class Hosts:
    """The addresses of the servers; a caller takes any, and another one after a failure."""

    def __init__(self, addresses, random):
        self.addresses, self.random = addresses, random

    def any(self, but=None):
        others = [address for address in self.addresses if address != but] or self.addresses
        return self.random.choice(others)


class Refused(ConnectionError):
    """A server's answer that is no success."""


async def call(address, method, path, headers, body=None):
    """The object of a REST answer; an exception if there is none."""
    reader, writer = await asyncio.wait_for(asyncio.open_connection(*address), 2)
    try:
        data = json.dumps(body).encode() if body is not None else b""
        lines = [f"{method} /v3{path} HTTP/1.1", f"Host: {address[0]}", "Connection: close",
                 "Content-Type: application/json", f"Content-Length: {len(data)}",
                 *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        answer = await asyncio.wait_for(reader.read(), 15)
        head, _, rest = answer.partition(b"\r\n\r\n")
        value = json.loads(rest)
        if not head.startswith(b"HTTP/1.1 200"):
            raise Refused(f"{method} {path}: {rest[:200].decode()}")
        return value
    finally:
        writer.close()


class Socket:
    """One WebSocket; frames out as text, frames in by `read`."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.waiting = reader, writer, []

    @classmethod
    async def open(cls, address, query):
        reader, writer = await asyncio.wait_for(asyncio.open_connection(*address), 2)
        nonce = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET /?{query} HTTP/1.1\r\nHost: {address[0]}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {nonce}\r\n\r\n".encode())
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), ANSWER)
        except (asyncio.IncompleteReadError, asyncio.TimeoutError):
            writer.close()
            raise ConnectionError("no upgrade") from None
        if not head.startswith(b"HTTP/1.1 101"):
            writer.close()
            raise ConnectionError(head.split(b"\r\n")[0].decode())
        return cls(reader, writer)

    def say(self, command, **fields):
        self._write(1, (command + json.dumps(fields) + "\n").encode())

    def _write(self, kind, payload):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | kind])
        head += bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        self.writer.write(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    async def read(self):
        """The next frame as its command and its fields."""
        while not self.waiting:
            first, second = await self.reader.readexactly(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack(">H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", await self.reader.readexactly(8))
            payload = await self.reader.readexactly(size)
            if first & 15 == 8:
                raise ConnectionError("The server said goodbye.")
            if first & 15 == 9:
                self._write(10, payload)
            if first & 15 == 1:
                self.waiting += [(line[:4], json.loads(line[4:] or "{}"))
                                 for line in payload.decode().split("\n") if line]
        return self.waiting.pop(0)

    def close(self):
        self.writer.transport.abort()


LOST = (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ConnectionError, json.JSONDecodeError)


class Person:
    """One user on one device: writes in order, repeats what was not acknowledged, closes the holes it sees."""

    def __init__(self, name, hosts, channels, history, random, rate):
        self.name, self.hosts, self.channels, self.history = name, hosts, channels, history
        self.random, self.rate = random, rate
        self.session, self.socket, self.key, self.address = 0, None, None, None
        self.is_online = asyncio.Event()
        self.answers = {}
        self.count = dict.fromkeys(channels, 0)
        self.last = dict.fromkeys(channels, 0)
        self.known = {channel: {} for channel in channels}
        self.gone = {channel: set() for channel in channels}
        self.own, self.tokens = [], {}
        self.is_stopping = False
        self.refusals, self.returns = {}, []
        self.waits, self.acknowledged = [], 0
        self.live_last = {}
        self.fillings = set()

    # The socket.

    async def live(self):
        """Connects to a host, listens, and connects to another one when that ends."""
        left = None
        while True:
            try:
                self.address = self.hosts.any(but=self.address)
                self.socket = await Socket.open(
                    self.address, f"p=JS&ai=APP&user_id={self.name}&active=1")
                command, fields = await asyncio.wait_for(self.socket.read(), ANSWER)
                if command != "LOGI" or fields.get("error"):
                    raise ConnectionError(str(fields))
                self.key = fields["key"]
                self.session += 1
                pings = asyncio.create_task(self.ping(self.socket))
                self.is_online.set()
                filling = asyncio.create_task(self.fill_all())
                try:
                    if left is not None:
                        self.returns.append(time.monotonic() - left)
                    while True:
                        await self.take(*await asyncio.wait_for(self.socket.read(), 12))
                finally:
                    pings.cancel()
                    filling.cancel()
            except LOST:
                pass
            finally:
                if self.is_online.is_set():
                    left = time.monotonic()
                self.is_online.clear()
                if self.socket is not None:
                    self.socket.close()
                self.socket = None
                for waiter in self.answers.values():
                    if not waiter.done():
                        waiter.set_exception(ConnectionError("lost"))
                self.answers.clear()
            await asyncio.sleep(0.05 + self.random.random() * 0.2)

    async def ping(self, socket):
        while True:
            await asyncio.sleep(4)
            socket.say("PING", id=int(time.time() * 1_000))

    async def take(self, command, fields):
        waiter = self.answers.pop(fields.get("req_id", ""), None)
        if command == "MESG":
            channel, id = fields["channel_url"], fields["msg_id"] if "msg_id" in fields else fields["message_id"]
            previous = fields.get("previous_message_id") or 0
            if waiter is None and not fields.get("req_id"):
                self.history.note(
                    "hear", who=self.name, session=self.session, channel=channel, id=id, previous=previous)
                self.live_last[self.session, channel] = id
            self.keep(channel, id, fields.get("ts") or fields.get("created_at"))
            if previous != self.last[channel] and self.last[channel] < id:
                # The set keeps the task; a failure in it is raised by `show`.
                self.fillings.add(asyncio.create_task(self.fill(channel)))
            else:
                self.last[channel] = max(self.last[channel], id)
        elif command == "DELM":
            self.gone[fields["channel_url"]].add(fields["msg_id"])
        if waiter is not None and not waiter.done():
            waiter.set_result((command, fields))

    async def demand(self, command, **fields):
        """Says a command and waits for its answer; None if the socket is lost or too slow."""
        await self.is_online.wait()
        waiter = asyncio.get_running_loop().create_future()
        self.answers[fields["req_id"]] = waiter
        try:
            self.socket.say(command, **fields)
            command, answer = await asyncio.wait_for(waiter, ANSWER)
        except (ConnectionError, AttributeError, OSError):
            return None
        except asyncio.TimeoutError:
            if self.socket is not None:
                self.socket.close()
            return None
        if command == "EROR":
            self.refusals[answer.get("code")] = self.refusals.get(answer.get("code"), 0) + 1
            await asyncio.sleep(0.3)
            return None
        return answer

    # Writing.

    async def write(self):
        while not self.is_stopping:
            await asyncio.sleep(self.random.expovariate(self.rate))
            kind = self.random.random()
            if kind < 0.08 and self.own:
                await self.edit()
            elif kind < 0.10 and self.own:
                await self.delete()
            else:
                await self.send(self.random.choice(self.channels))

    async def send(self, channel):
        self.count[channel] += 1
        n = self.count[channel]
        req = f"{self.name}-{channel}-{n}"
        text = f"{self.name} {n}"
        self.history.note("ask", who=self.name, channel=channel, req=req, n=n, text=text)
        asked = time.monotonic()
        while True:
            answer = await self.demand("MESG", channel_url=channel, message=text, req_id=req)
            if answer is not None:
                break
        self.waits.append((asked, time.monotonic()))
        id = answer["msg_id"] if "msg_id" in answer else answer["message_id"]
        self.history.note("ack", who=self.name, req=req, id=id, at=answer.get("ts") or answer.get("created_at"))
        self.acknowledged += 1
        self.own.append((channel, id))

    async def edit(self):
        channel, id = self.random.choice(self.own[-30:])
        text = f"{self.name} edits {len(self.history.lines)}"
        self.history.note("edit-ask", who=self.name, channel=channel, id=id, text=text)
        while True:
            answer = await self.demand("MEDI", channel_url=channel, msg_id=id, message=text, req_id=text)
            if answer is not None:
                break
        self.history.note("edit-ack", who=self.name, channel=channel, id=id, text=text)

    async def delete(self):
        channel, id = self.own.pop(self.random.randrange(len(self.own)))
        self.history.note("delete-ask", who=self.name, channel=channel, id=id)
        may_be_gone, deadline = False, time.monotonic() + FOUND
        while True:
            try:
                await self.ask("DELETE", f"/group_channels/{channel}/messages/{id}")
                break
            except LOST as error:
                if isinstance(error, Refused) and ("400201" in str(error) or "900300" in str(error)):
                    # The repeat of a deletion whose answer was lost finds nothing.
                    if may_be_gone:
                        break
                    if time.monotonic() > deadline:
                        raise AssertionError(f"{id} was acknowledged, and no deletion finds it: {error}") from None
                else:
                    # A host that loses its database refuses a deletion that may have been committed.
                    may_be_gone = True
                await asyncio.sleep(0.3)
        self.history.note("delete-ack", who=self.name, channel=channel, id=id)

    # Reading.

    async def ask(self, method, path, **query):
        while self.key is None:
            await asyncio.sleep(0.1)
        words = "?" + urllib.parse.urlencode(query) if query else ""
        return await call(self.hosts.any(), method, path + words, {"Session-Key": self.key})

    def keep(self, channel, id, at):
        self.known[channel][id] = at

    async def fill_all(self):
        for channel in self.channels:
            await self.fill(channel)

    async def fill(self, channel):
        """Reads the log from the last message without a hole before it, until nothing is new."""
        while True:
            start = self.known[channel].get(self.last[channel], 0)
            try:
                page = (await self.ask(
                    "GET", f"/group_channels/{channel}/messages", message_ts=start, prev_limit=0, next_limit=200,
                    include="true", is_sdk="true"))["messages"]
            except LOST:
                await asyncio.sleep(0.3)
                continue
            new = [message for message in page if message["message_id"] > self.last[channel]]
            for message in page:
                self.keep(channel, message["message_id"], message["created_at"])
            if not new:
                return
            self.last[channel] = max(message["message_id"] for message in new)

    async def follow(self, channel):
        """Reads the change log from the token of the last time; the first time from the beginning."""
        texts, gone, token, pages = self.tokens.get(channel, ({}, set(), None, 0))
        while True:
            query = {"token": token} if token else {"change_ts": 0}
            try:
                page = await self.ask("GET", f"/group_channels/{channel}/messages/changelogs", **query)
            except Refused as error:
                # A token from before a failover: the log is read from its beginning, as clients do.
                if token is None or "400111" not in str(error):
                    raise
                self.history.note("token-refused", who=self.name, channel=channel)
                token = None
                continue
            except LOST:
                await asyncio.sleep(0.3)
                continue
            for message in page["updated"]:
                texts[str(message["message_id"])] = message["message"]
            for entry in page["deleted"]:
                gone.add(entry["message_id"])
                texts.pop(str(entry["message_id"]), None)
            token, pages = page["next"], pages + 1
            self.tokens[channel] = (texts, gone, token, pages)
            if not page["has_more"]:
                return

    async def keep_following(self):
        while not self.is_stopping:
            for channel in self.channels:
                await self.follow(channel)
            await asyncio.sleep(0.5)

    async def show(self):
        """What this person has in the end, said to be all."""
        await self.is_online.wait()
        await asyncio.gather(*self.fillings)
        for channel in self.channels:
            await self.fill(channel)
            await self.follow(channel)
            texts, gone, _, _ = self.tokens[channel]
            known = self.known[channel]
            ids = sorted((id for id in known if id not in gone | self.gone[channel]), key=lambda id: (known[id], id))
            self.history.note("shown", who=self.name, channel=channel, ids=ids)
            self.history.note("followed", who=self.name, channel=channel, texts=texts, deleted=sorted(gone))
