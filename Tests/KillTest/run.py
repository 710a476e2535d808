# Kills `roost client` and `roost serve` at random moments, swallows answers, and compares the server's log with
# what the clients were told. SPDX-License-Identifier: Apache-2.0
#
# usage: run.py ROOST [--kills N] [--seed S]
#
# Only the standard library. What is drawn depends on the seed; what the processes do with it depends on the machine.
import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
import urllib.parse
import urllib.request

PATIENCE = 900
# Hundreds of kills leave hundreds of messages waiting.
DRAINING = 900


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """Stands between the clients and the server; cuts, and swallows what the server says."""

    def __init__(self, target):
        self.target = target
        self.deaf = False
        self.open = set()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def accept(self, reader, writer):
        try:
            upstream = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        pair = (writer, upstream[1])
        self.open.add(pair)
        try:
            await asyncio.gather(
                self.pump(reader, upstream[1], False), self.pump(upstream[0], writer, True)
            )
        except asyncio.CancelledError:
            pass  # The run is over.
        finally:
            self.open.discard(pair)

    async def pump(self, reader, writer, is_answer):
        try:
            while data := await reader.read(65536):
                # Swallowed bytes would leave a frame in two halves, so this connection says no more.
                if is_answer and self.deaf:
                    while await reader.read(65536):
                        pass
                    break
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    def cut(self):
        for pair in list(self.open):
            for writer in pair:
                writer.transport.abort()


class Client:
    """One `roost client` process after the other on one disk."""

    def __init__(self, roost, proxy, user, folder):
        self.command = [
            roost, "client", "--server", f"http://127.0.0.1:{proxy.port}", "--app-id", "APP",
            "--user", user, "--cache", folder, "--page-size", "100",
        ]
        self.user = user
        self.folder = folder
        self.process = None
        self.resent = set()  # Request IDs of what had failed and was sent again by hand.
        self.sent = {}  # channel: [(request ID, text)], in the order of the answers.
        self.texts = {}  # channel: every text ever asked for, answered or not.

    async def start(self):
        self.answers = {}
        self.number = 0
        self.is_over = False
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            limit=1 << 26,
        )
        self.reading = asyncio.create_task(self.read(self.process))

    async def read(self, process):
        while line := await process.stdout.readline():
            value = json.loads(line)
            waiter = self.answers.pop(value.get("id"), None)
            if waiter and not waiter.done():
                waiter.set_result(value)
        # Whoever asks from here on would wait for ever: a dead process takes what is written to it for a while.
        self.is_over = True
        for waiter in self.answers.values():
            if not waiter.done():
                waiter.cancel()

    async def ask(self, request, patience=PATIENCE, **fields):
        """The answer; None when the process was killed before it came."""
        if self.is_over:
            return None
        self.number += 1
        waiter = asyncio.get_running_loop().create_future()
        self.answers[self.number] = waiter
        line = json.dumps({"id": self.number, "request": request, **fields}) + "\n"
        try:
            self.process.stdin.write(line.encode())
            await self.process.stdin.drain()
            return await asyncio.wait_for(waiter, patience)
        except asyncio.CancelledError:
            return None
        except (ConnectionError, BrokenPipeError):
            return None

    async def send(self, channel, text, is_file):
        self.texts.setdefault(channel, []).append(text)
        if is_file:
            path = f"{self.folder}.file"
            with open(path, "w") as file:
                file.write(text * 20_000)
            answer = await self.ask("send_file", path=path, channel=channel, text=text)
        else:
            answer = await self.ask("send", channel=channel, text=text)
        if answer is None:
            return
        assert answer["ok"], answer
        self.sent.setdefault(channel, []).append((answer["result"]["request_id"], text))

    async def kill(self):
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        await self.reading


class World:
    def __init__(self, roost, seed, folder):
        self.roost = roost
        self.random = random.Random(seed)
        self.folder = folder
        self.port = free_port()
        self.server = None
        self.count = 0

    async def start_server(self):
        self.server = await asyncio.create_subprocess_exec(
            self.roost, "serve", "--data", f"{self.folder}/server", "--port", str(self.port),
            "--app-id", "APP", "--api-token", "secret",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )
        line = await asyncio.wait_for(self.server.stdout.readline(), PATIENCE)
        assert b"listening" in line, line

    async def kill_server(self):
        self.server.send_signal(signal.SIGKILL)
        await self.server.wait()

    def get(self, path, **query):
        url = f"http://127.0.0.1:{self.port}/v3/{path}?{urllib.parse.urlencode(query)}"
        request = urllib.request.Request(url, headers={"Api-Token": "secret"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def is_whole(self, message):
        if message["type"] != "FILE":
            return True
        url = message["url"] if "url" in message else message["file"]["url"]
        path = urllib.parse.urlparse(url).path
        address = f"http://127.0.0.1:{self.port}{path}"
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                return answer.read().decode() == message["message"] * 20_000
        except urllib.error.HTTPError as error:
            print(f"kill-test: {error} for {path}", flush=True)
            return False

    def log(self, channel):
        messages, known, start = [], set(), 0
        while True:
            page = self.get(
                f"group_channels/{channel}/messages", message_ts=start, prev_limit=0,
                next_limit=200, include="true", is_sdk="true",
            )["messages"]
            new = [m for m in page if m["message_id"] not in known]
            if not new:
                return messages
            messages += new
            known.update(m["message_id"] for m in new)
            start = messages[-1]["created_at"]

    async def talk(self, clients, channels, stop):
        """Everybody writes, as fast as they are answered, until somebody is about to be killed."""
        async def one(client):
            while not stop.is_set():
                self.count += 1
                channel = self.random.choice(channels)
                is_file = self.random.randrange(15) == 0
                await client.send(channel, f"{client.user} {self.count}", is_file)
                await asyncio.sleep(self.random.random() * 0.02)

        await asyncio.gather(*(one(client) for client in clients))

    async def live(self, kills):
        await self.start_server()
        proxy = Proxy(self.port)
        await proxy.start()
        users = ["ada", "bo", "cy"]
        clients = [Client(self.roost, proxy, user, f"{self.folder}/{user}") for user in users]
        for client in clients:
            await client.start()
            assert (await client.ask("connect"))["ok"]
        channels = []
        for name in ["one", "two"]:
            answer = await clients[0].ask("create_channel", members=users[1:], name=name)
            channels.append(answer["result"]["url"])
        for client in clients:
            await client.ask("open", channel=self.random.choice(channels))

        for number in range(kills):
            stop = asyncio.Event()
            talking = asyncio.create_task(self.talk(clients, channels, stop))
            await asyncio.sleep(self.random.random() * 0.25)
            kind = self.random.randrange(10)
            if kind < 3:  # The server does it, and nobody is told.
                proxy.deaf = True
                await asyncio.sleep(self.random.random() * 0.1)
            elif kind == 3:
                proxy.cut()
            victim = None if self.random.randrange(3) == 0 else self.random.choice(clients)
            if victim is None:
                await self.kill_server()
            else:
                await victim.kill()
            stop.set()
            await talking
            if proxy.deaf:
                proxy.deaf = False
                proxy.cut()
            if victim is None:
                await self.start_server()
            else:
                await victim.start()
                # What is connected is a matter of chance, as is which channel is open.
                asyncio.create_task(victim.ask("connect"))
                if self.random.randrange(2):
                    await victim.ask("open", channel=self.random.choice(channels))
            if number % 25 == 24:
                print(f"kill-test: {number + 1} kills, {self.count} messages", flush=True)

        await self.come_to_rest(clients)
        return self.compare(clients, channels, await self.timelines(clients, channels))

    async def come_to_rest(self, clients):
        deadline = time.monotonic() + DRAINING
        for client in clients:
            while True:
                await client.ask("connect")
                await client.ask("wait_idle", patience=DRAINING)
                cache = await client.ask("cache")
                unsent = cache["result"]["outbox"]
                for item in unsent:
                    if item["status"] == "failed":
                        # It comes behind what was written after it: the promise of order ends here.
                        client.resent.add(item["request_id"])
                        print(f"kill-test: {client.user} sends again by hand: {item}", flush=True)
                        await client.ask("resend", request_id=item["request_id"])
                if not unsent:
                    break
                assert time.monotonic() < deadline, f"{client.user} keeps {unsent}"
                await asyncio.sleep(0.3)

    async def timelines(self, clients, channels):
        shown = {}
        for client in clients:
            for channel in channels:
                await client.ask("open", channel=channel)
                await client.ask("wait_idle")
                deadline = time.monotonic() + PATIENCE * 2
                # A list is bounded: paging back, it lets the newest go.
                seen = {}
                while True:
                    snapshot = (await client.ask("snapshot"))["result"]
                    seen.update({m["id"]: m["created_at"] for m in snapshot["messages"]})
                    if not snapshot["has_older"]:
                        break
                    await client.ask("older")
                    assert time.monotonic() < deadline, f"{client.user} pages without end"
                shown[client.user, channel] = sorted(seen, key=lambda id: (seen[id], id))
        return shown

    def compare(self, clients, channels, shown):
        faults = []
        answered = files = 0
        for channel in channels:
            log = self.log(channel)
            ids = [m["message_id"] for m in log]
            texts = [m["message"] for m in log]
            files += sum(m["type"] == "FILE" for m in log)
            if len(set(texts)) != len(texts):
                double = sorted({t for t in texts if texts.count(t) > 1})
                faults.append(f"{channel} holds twice: {double[:5]}")
            faults += [f"{m['message']} has another file" for m in log if not self.is_whole(m)]
            place = {text: index for index, text in enumerate(texts)}
            asked = {t for client in clients for t in client.texts.get(channel, [])}
            if not set(texts) <= asked:
                faults.append(f"{channel} holds what nobody wrote")
            for client in clients:
                sent = [text for _, text in client.sent.get(channel, [])]
                answered += len(sent)
                lost = [text for text in sent if text not in place]
                if lost:
                    faults.append(f"{client.user} was told of {lost[:5]}, which {channel} lacks")
                places = [
                    place[text] for id, text in client.sent.get(channel, [])
                    if text in place and id not in client.resent
                ]
                if places != sorted(places):
                    wrong = [a for a, b in zip(places, places[1:]) if a > b]
                    faults.append(
                        f"{client.user}'s messages stand in {channel} in another order at {wrong[:5]}")
                    for at in wrong[:5]:
                        around = log[max(0, at - 3):at + 4]
                        told = [(m["message"][:40], m["type"], m.get("req_id"), m["created_at"]) for m in around]
                        print(f"kill-test: {client.user}, around {at}: {told}", flush=True)
                own = shown[client.user, channel]
                if own != ids:
                    faults.append(
                        f"{client.user} shows {len(own)} messages of {channel}, the log has {len(ids)}")
        print(
            f"kill-test: {answered} answered sends of {self.count}, {files} of the log with a file, "
            f"{sum(len(self.log(c)) for c in channels)} in the log", flush=True)
        return faults


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("roost")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the folders for a look")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="roost-kill-")
    world = World(os.path.abspath(arguments.roost), arguments.seed, folder)
    faults = ["it did not come to its end"]
    try:
        faults = await world.live(arguments.kills)
    finally:
        if world.server and world.server.returncode is None:
            await world.kill_server()
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        print(f"kill-test: {fault}")
    print(f"kill-test: seed {arguments.seed}, {arguments.kills} kills: {'FAILED' if faults else 'nothing lost, doubled or out of order'}")
    sys.exit(1 if faults else 0)


asyncio.run(main())
