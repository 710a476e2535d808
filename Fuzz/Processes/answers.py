# A hostile server against real `roost client` processes: a proxy changes what a real server answers.
# SPDX-License-Identifier: Apache-2.0
#
# usage: answers.py ROOST [--scenes N] [--seed N] [--at-once N] [--scene NUMBER]
#
# Only the standard library. The number of a scene decides the server's behaviour. The client starts with an empty cache
# and makes the usual requests. It must answer in time, stay small, limit its requests without progress, and leave a
# cache that verifies.
import argparse
import asyncio
import json
import logging
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

import chance

sys.dont_write_bytecode = True
sys.path.insert(0, str(chance.ROOT / "Tests/PlatformSDK"))
from patience import PATIENCE, FairClock  # noqa: E402
from server import APP, Server  # noqa: E402

MEMORY_LIMIT = 200 << 20
ANSWER_LIMIT = 10  # Seconds by a fair clock.
CONNECT_LIMIT = 12  # A login alone has ten.
RATE_LIMIT = 5  # Requests a second of a client without progress, over 15 seconds: `RequestPacing` allows a burst before.
WATCH = 15  # Seconds for which a client without work is watched.

BEHAVIOURS = [
    "honest", "mutate", "mutate", "mutate", "numbers", "numbers", "negative times", "endless pages", "empty pages", "no tokens",
    "status 500", "status 503", "html", "nonsense", "bomb", "endless body", "slow bytes", "short body", "silence", "cut",
    "busy", "busy at once", "login of extremes", "drop after login", "expire", "flood", "deep", "huge frame", "other channel",
    "wrong types", "mutate frames", "reset", "redirect",
]


class Scene:
    """A client with its proxy."""

    def __init__(self, roost, server, number, seed, behaviour):
        self.roost, self.server, self.number = roost, server, number
        self.random = random.Random(f"{seed}-{number}")
        # In steps, so that consecutive scenes differ much.
        self.behaviour = behaviour or BEHAVIOURS[number * 7 % len(BEHAVIOURS)]
        self.requests = 0
        self.failures = []
        self.slowest = (0.0, "")
        self.peak = 0
        self.tokens = 0
        self.tasks = set()

    # The proxy

    async def accept(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        try:
            while await self.serve(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError, ValueError):
            pass
        finally:
            self.tasks.discard(task)
            writer.close()

    async def serve(self, reader, writer):
        """Serves one request; returns whether another may follow."""
        head = await reader.readuntil(b"\r\n\r\n")
        self.requests += 1
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        body = await reader.readexactly(int(length.group(1))) if length else b""
        if re.search(rb"(?i)upgrade: *websocket", head):
            await self.socket(head, reader, writer)
            return False
        if not await self.early(writer):
            return False
        status, kind, answer = await self.ask(head, body)
        return await self.answer(writer, status, kind, answer)

    async def ask(self, head, body):
        """Returns the real server's answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        head = re.sub(rb"(?i)\r\n(connection|accept-encoding):[^\r]*", b"", head)
        if self.behaviour == "no tokens" and re.match(rb"GET [^ ]*[?&]token=[^& ]", head):
            writer.close()
            return 400, "application/json", b'{"error":true,"code":400111,"message":"The token is none of ours."}'
        # The proxy's own tokens lead to the first page.
        head = re.sub(rb"([?&]token=)(?:hostile|%22hostile)[^& ]*", rb"\1", head)
        writer.write(head[:-2] + b"Connection: close\r\n\r\n" + body)
        data = await asyncio.wait_for(reader.read(-1), PATIENCE)
        writer.close()
        first, _, rest = data.partition(b"\r\n\r\n")
        status = int(first.split(b" ", 2)[1])
        kind = re.search(rb"(?i)content-type: *([^\r]+)", first)
        if re.search(rb"(?i)transfer-encoding: *chunked", first):
            parts, at = [], 0
            while True:
                end = rest.index(b"\r\n", at)
                size = int(rest[at:end], 16)
                if not size:
                    break
                parts.append(rest[end + 2:end + 2 + size])
                at = end + 4 + size
            rest = b"".join(parts)
        return status, kind.group(1).decode() if kind else "application/json", rest

    async def early(self, writer):
        """Sends bytes before the real server is asked; returns whether it is to be asked."""
        if self.behaviour == "silence":
            await asyncio.sleep(PATIENCE * 2)
            return False
        if self.behaviour == "cut" or (self.behaviour == "reset" and self.random.random() < 0.5):
            return False
        if self.behaviour == "endless body":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
            piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
            for _ in range(20_000):
                writer.write(piece)
                await writer.drain()
            return False
        if self.behaviour == "flood":
            writer.write(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 2_000_000)
            await writer.drain()
            return False
        return True

    async def answer(self, writer, status, kind, body):
        random, extra = self.random, b""
        if self.behaviour == "mutate" and random.random() < 0.5:
            body = chance.mutated(random, body)
        elif self.behaviour in ("numbers", "negative times", "endless pages", "empty pages", "deep", "other channel", "wrong types"):
            body = self.changed(body)
        elif self.behaviour.startswith("status"):
            status, body = int(self.behaviour[7:]), b'{"error":true,"code":500901,"message":"Broken."}'
        elif self.behaviour == "html":
            kind, body = "text/html", b"<html><body>Log in to the hotel's network</body></html>" * 50
        elif self.behaviour == "nonsense":
            body = random.randbytes(random.randrange(2_000))
        elif self.behaviour == "redirect":
            status, extra = 302, f"Location: http://127.0.0.1:{self.port}/v3/again\r\n".encode()
        elif self.behaviour == "bomb":
            extra = b"Content-Encoding: gzip\r\n"
            body = BOMB
        head = f"HTTP/1.1 {status} OK\r\nContent-Type: {kind}\r\n".encode() + extra
        if self.behaviour == "short body":
            writer.write(head + f"Content-Length: {len(body) + 500}\r\n\r\n".encode() + body)
            await writer.drain()
            await asyncio.sleep(PATIENCE * 2)
            return False
        writer.write(head + f"Content-Length: {len(body)}\r\n\r\n".encode())
        if self.behaviour == "slow bytes":
            for byte in body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.5)
        writer.write(body)
        await writer.drain()
        return True

    def changed(self, body):
        """Returns an answer whose objects are complete but changed."""
        try:
            value = json.loads(body)
        except ValueError:
            return body
        return json.dumps(self.walk(value, "")).encode()

    def walk(self, value, name):
        random = self.random
        if isinstance(value, dict):
            changed = {key: self.walk(inner, key) for key, inner in value.items()}
            if self.behaviour == "endless pages" or self.behaviour == "empty pages":
                self.tokens += 1
                for key in ("next", "end_cursor"):
                    if key in changed:
                        changed[key] = f"hostile{self.tokens}"
                for key in ("has_more", "has_next", "prev_hasmore", "next_hasmore", "has_ongoing"):
                    if key in changed:
                        changed[key] = True
                if self.behaviour == "empty pages":
                    for key in ("channels", "messages", "updated", "deleted", "members"):
                        if key in changed and "next" in changed:
                            changed[key] = []
            if self.behaviour == "deep" and "message_id" in changed:
                nested = 1
                for _ in range(random.choice([20, 120, 200])):
                    nested = [nested]
                changed["extended_message"] = nested
            return changed
        if isinstance(value, list):
            changed = [self.walk(inner, name) for inner in value]
            return changed * 3 if self.behaviour == "wrong types" and random.random() < 0.05 else changed
        if self.behaviour == "numbers" and isinstance(value, int) and not isinstance(value, bool) and random.random() < 0.15:
            return random.choice(chance.NUMBERS)
        if self.behaviour == "negative times" and name in ("created_at", "updated_at", "ts") and random.random() < 0.5:
            return random.choice([-1, -2**63, 2**63 - 1, -1700000000000, 253402300800000])
        if self.behaviour == "other channel" and name == "channel_url" and random.random() < 0.3:
            return random.choice(["other", "c0", "c1", ""])
        if self.behaviour == "wrong types" and random.random() < 0.05:
            return chance.value(random)
        return value

    # Frames

    async def socket(self, head, reader, writer):
        if self.behaviour in ("silence",):
            await asyncio.sleep(PATIENCE * 2)
        if self.behaviour == "cut":
            return
        upstream = await asyncio.open_connection("127.0.0.1", self.server.port)
        upstream[1].write(re.sub(rb"(?i)\r\nsec-websocket-extensions:[^\r]*", b"", head))
        writer.write(await upstream[0].readuntil(b"\r\n\r\n"))
        up = asyncio.create_task(self.pump(reader, upstream[1]))
        try:
            await self.frames(upstream[0], writer)
        finally:
            up.cancel()
            upstream[1].close()

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def frames(self, reader, writer):
        """Passes the server's frames on, changed or with others between them."""
        while True:
            first, second = await reader.readexactly(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8), "big")
            payload = await reader.readexactly(length)
            if first & 15 == 1:
                payload = self.frame(payload, writer)
                if payload is None:
                    return
            self.put(writer, payload, first)
            await writer.drain()
            if self.behaviour == "drop after login" and payload.startswith(b"LOGI"):
                return

    @staticmethod
    def put(writer, payload, first=0x81):
        size = (bytes([len(payload)]) if len(payload) < 126
                else bytes([126]) + len(payload).to_bytes(2, "big") if len(payload) < 65536
                else bytes([127]) + len(payload).to_bytes(8, "big"))
        writer.write(bytes([first]) + size + payload)

    def frame(self, payload, writer):
        """Returns the changed text frame; None closes the socket."""
        random, is_login = self.random, payload.startswith(b"LOGI")
        extreme = random.choice([2**63 - 1, 2**31, 0, -1, -2**63])
        if is_login and self.behaviour in ("busy", "busy at once"):
            wait = 0 if self.behaviour == "busy at once" else extreme
            return b'BUSY{"retry_after":%d,"reason_code":1,"message":"later"}\n' % wait
        if is_login and self.behaviour == "login of extremes":
            login = json.loads(payload[4:])
            for name in ("ping_interval", "pong_timeout", "login_ts", "max_unread_cnt_on_super_group"):
                login[name] = random.choice([extreme, 2**63 - 1])
            login["reconnect"] = {"interval": extreme, "max_interval": extreme, "mul": extreme, "retry_cnt": extreme}
            login["unread_cnt"] = {"all": extreme, "ts": extreme}
            return b"LOGI" + json.dumps(login).encode() + b"\n"
        if is_login and self.behaviour == "drop after login":
            login = json.loads(payload[4:])
            login["reconnect"] = {"interval": 0, "max_interval": 0, "mul": 0, "retry_cnt": -1}
            return b"LOGI" + json.dumps(login).encode() + b"\n"
        if is_login and self.behaviour == "expire":
            self.put(writer, payload)
            return b'EXPR{"reason":400310,"expires_in":%d}\n' % extreme
        if is_login and self.behaviour in ("mutate frames", "numbers", "negative times"):
            self.put(writer, payload)
            for frame in self.forged():
                self.put(writer, frame if self.behaviour != "mutate frames" else chance.mutated(random, frame))
            return b'PONG{"sts":1}\n'
        if is_login and self.behaviour == "huge frame":
            self.put(writer, payload)
            return b'MESG{"message":"' + b"x" * (8 << 20) + b'"}\n'
        if not is_login and self.behaviour == "mutate" and random.random() < 0.5:
            return chance.mutated(random, payload)
        return payload

    def forged(self):
        """Returns frames of invented events, with extreme numbers."""
        random = self.random
        user = '{"user_id":"bob","nickname":"b","profile_url":""}'
        for place in range(40):
            number = json.dumps(random.choice(chance.NUMBERS))
            moment = number if self.behaviour == "numbers" else str(random.choice([-1, -2**63, 2**63 - 1, 5]))
            yield random.choice([
                f'MESG{{"channel_url":"c0","msg_id":{number},"ts":{moment},"message":"f{place}","user":{user},"last_msg_id":{number}}}',
                f'MEDI{{"channel_url":"c0","msg_id":{number},"ts":{moment},"updated_at":{number},"message":"e","user":{user}}}',
                f'DELM{{"channel_url":"c0","msg_id":{number},"ts":{moment}}}',
                f'READ{{"channel_url":"c0","user":{user},"ts":{moment}}}',
                f'DLVR{{"channel_url":"c0","updated":{{"bob":{moment}}}}}',
                f'MCNT{{"group_channels":[{{"channel_url":"c0","member_count":{number},"joined_member_count":{number},"ts":{moment}}}]}}',
                f'MRCT{{"channel_url":"c0","msg_id":{number},"reaction":"r","user_id":"bob","operation":"ADD","updated_at":{moment}}}',
                f'SYEV{{"cat":10700,"channel_url":"c0","ts":{moment},"data":{{"user_id":"ann","end_at":{number},"remaining_duration":{number}}}}}',
                f'SYEV{{"cat":11000,"channel_url":"c0","ts":{moment},"data":{{}},"unread_cnt":{{"all":{number},"ts":{moment}}}}}',
                f'MTHD{{"channel_url":"c0","parent_message_id":1,"thread_info":{{"reply_count":{number},"updated_at":{moment}}}}}',
            ]).encode() + b"\n"

    # The client

    async def run(self):
        self.folder = tempfile.mkdtemp(prefix="roost-answers-")
        proxy = await asyncio.start_server(self.accept, "127.0.0.1", 0, limit=1 << 20)
        self.port = proxy.sockets[0].getsockname()[1]
        with open(self.folder + ".err", "wb") as errors:
            self.client = await asyncio.create_subprocess_exec(
                self.roost, "client", "--server", f"http://127.0.0.1:{self.port}", "--app-id", APP, "--user", "ann",
                "--cache", self.folder, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
                limit=1 << 28)
        self.clock = FairClock(self.client.pid, self.server.process.pid)
        try:
            await self.act()
        except (ConnectionError, asyncio.TimeoutError) as error:
            self.failures.append(f"{type(error).__name__} {error}")
        finally:
            if self.client.returncode is None:
                try:
                    self.client.kill()
                except ProcessLookupError:
                    pass
            await self.client.wait()
            proxy.close()
            for task in list(self.tasks):
                task.cancel()
        await self.verify()
        if not self.failures:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.remove(self.folder + ".err")
        return self

    async def act(self):
        channel = self.random.choice(["c0", "c1"])
        for request, fields in [
            ("connect", {}), ("channels", {}), ("more_channels", {}), ("open", {"channel": channel}), ("older", {}),
            ("send", {"text": "hello"}), ("snapshot", {}), ("wait_idle", {}), ("newer", {}), ("open", {"channel": "c2"}),
            ("channels", {"anew": True}),
        ]:
            await self.ask_client(request, fields)
        before, moment = self.requests, time.monotonic()
        await asyncio.sleep(WATCH)
        rate = (self.requests - before) / (time.monotonic() - moment)
        if rate > RATE_LIMIT:
            self.failures.append(f"{rate:.1f} requests a second while it gets nowhere")
        await self.ask_client("snapshot", {})
        self.peak = chance.memory(self.client.pid) or 0
        if self.peak > MEMORY_LIMIT:
            self.failures.append(f"{self.peak >> 20} MiB")
        await self.ask_client("quit", {})

    async def ask_client(self, request, fields):
        began = self.clock.mark()
        self.client.stdin.write((json.dumps({"id": request, "request": request, **fields}) + "\n").encode())
        await self.client.stdin.drain()
        while True:
            try:
                line = await asyncio.wait_for(self.client.stdout.readline(), PATIENCE)
            except asyncio.TimeoutError:
                raise asyncio.TimeoutError(f"{request} is not answered in {PATIENCE} s") from None
            if not line:
                code = await self.client.wait()
                raise ConnectionError(f"the client ended with {code} during {request}")
            if json.loads(line).get("id") == request:
                break
        took = self.clock.since(began)
        self.slowest = max(self.slowest, (took, request))
        if took > (CONNECT_LIMIT if request == "connect" else ANSWER_LIMIT):
            self.failures.append(f"{request} took {took:.1f} s")

    async def verify(self):
        check = await asyncio.to_thread(
            subprocess.run, [self.roost, "cache", "verify", self.folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if check.returncode:
            self.failures.append(f"the cache does not verify: {check.stdout.decode().strip()[-600:]}")


BOMB = None


def bomb():
    """Returns a gigabyte of spaces, compressed to a megabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = b" " * (1 << 20)
    return b"".join([packer.compress(piece) for _ in range(1024)] + [packer.flush()])


def prepare(server):
    for user in ("ann", "bob"):
        server.call("POST", "/users", {"user_id": user, "nickname": user, "profile_url": ""})
    for channel in range(30):
        server.call("POST", "/group_channels", {"user_ids": ["ann", "bob"], "channel_url": f"c{channel}"})
        for i in range(60 if channel < 3 else 1):
            server.call("POST", f"/group_channels/c{channel}/messages",
                        {"message_type": "MESG", "user_id": "bob", "message": f"m{i}", "data": "d", "mentioned_user_ids": ["ann"]})


async def play(options):
    roost = os.path.abspath(options.roost)
    with Server(roost, "--user-rate", "0", "--address-rate", "0") as server:
        prepare(server)
        numbers = iter(range(options.scenes) if options.scene is None else [options.scene])
        done = []

        async def worker():
            for number in numbers:
                scene = await Scene(roost, server, number, options.seed, options.behaviour).run()
                done.append(scene)
                if scene.failures:
                    print(f"FAILED: answers, scene {number}, {scene.behaviour}: {'; '.join(scene.failures)}", flush=True)
                    print(f"  its cache is {scene.folder}, its words {scene.folder}.err", flush=True)
                    print(f"  again: scripts/fuzz answers --seed {options.seed} --scene {number}", flush=True)

        await asyncio.gather(*[worker() for _ in range(options.at_once)])
        if server.process.poll() is not None:
            print("FAILED: answers, the honest server is gone")
            return 1
        slowest = max(done, key=lambda scene: scene.slowest)
        print(f"answers: seed {options.seed}, {len(done)} scenes, {sum(s.requests for s in done)} requests, "
              f"{max(s.peak for s in done) >> 20} MiB at most, slowest answer {slowest.slowest[0]:.1f} s to "
              f"{slowest.slowest[1]} (scene {slowest.number}, {slowest.behaviour}), {sum(bool(s.failures) for s in done)} failed")
        return 1 if any(scene.failures for scene in done) else 0


def main():
    global BOMB
    parser = argparse.ArgumentParser()
    parser.add_argument("roost")
    parser.add_argument("--scenes", type=int, default=len(BEHAVIOURS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--scene", type=int, default=None)
    parser.add_argument("--behaviour", default=None)
    options = parser.parse_args()
    BOMB = bomb()
    # A client that has disconnected is no failure here.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    return asyncio.run(play(options))


if __name__ == "__main__":
    sys.exit(main())
