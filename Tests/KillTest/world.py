# A server and five clients that are killed, stopped and cut off, and what is left. SPDX-License-Identifier: Apache-2.0
import asyncio
import json
import random
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from parts import PATIENCE, Client, Fault, Proxy, Server, sentence


# Calls that a client may refuse now and then, such as the edit of a message that is deleted meanwhile. Of so many answers
# at least one is no refusal.
CHANGES = ["edit", "delete", "add_reaction", "update_channel"]
MANY = 20


class World:
    """Ada has two devices; bo's app has an extension beside it, on the same folder; cy has one device."""

    def __init__(self, roost, seed, folder):
        self.roost = roost
        self.random = random.Random(seed)
        self.folder = folder
        self.server = Server(roost, folder)
        self.count = 0
        self.clients = []
        self.connecting = []  # Calls of `connect` after a kill, which nothing waits for before the end.
        self.kills = {"server": 0, "client": 0, "extension": 0}
        self.faults = []
        self.names = {}  # channel: all names that it was asked to have.
        self.files = set()  # The texts of all files that were sent.
        # request: how many calls were answered, by success.
        self.answers = {request: {True: 0, False: 0} for request in CHANGES}

    # MARK: The platform's interface

    def call(self, path, method="GET", body=None, **query):
        url = f"http://127.0.0.1:{self.server.port}/v3/{path}?{urllib.parse.urlencode(query)}"
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(
            url, data, {"Api-Token": "secret", "Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def log(self, channel):
        messages, known, start = [], set(), 0
        while True:
            page = self.call(
                f"group_channels/{channel}/messages", message_ts=start, prev_limit=0,
                next_limit=200, include="true", is_sdk="true",
            )["messages"]
            new = [m for m in page if m["message_id"] not in known]
            if not new:
                return messages
            messages += new
            known.update(m["message_id"] for m in new)
            start = messages[-1]["created_at"]

    def unread(self, user):
        """The unread messages of a user by channel, as the server counts them."""
        found = self.call(f"users/{user}/my_group_channels", limit=100, show_empty="true")
        return {c["channel_url"]: c["unread_message_count"] for c in found["channels"]}

    def file_text(self, message):
        """The text of which a message's file is made; None if the file is not whole."""
        url = message["url"] if "url" in message else message["file"]["url"]
        address = f"http://127.0.0.1:{self.server.port}{urllib.parse.urlparse(url).path}"
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                content = answer.read().decode()
        except urllib.error.HTTPError as error:
            print(f"kill-test: {error} for {address}", flush=True)
            return None
        size = len(content) // 20_000
        return content[:size] if size > 0 and content == content[:size] * 20_000 else None

    def file_faults(self, log):
        """Each message has its own file, whole. Its text is the caption until that is edited."""
        messages, faults = {}, []
        for message in log:
            if message["type"] != "FILE":
                continue
            text, name = self.file_text(message), message["message"]
            if text is None or text not in self.files:
                faults.append(f"the file of {name} is no file that was sent whole")
            elif text in messages:
                faults.append(f"{name} has the file of {messages[text]}")
            elif not message.get("updated_at") and text != name:
                faults.append(f"{name} has the file {text}")
            messages.setdefault(text, name)
        return faults

    # MARK: The time with faults

    async def write(self, client, channel, text, is_file):
        if is_file:
            self.files.add(text)
        await client.send(channel, text, is_file)

    async def change(self, client, request, **fields):
        answer = await client.ask(request, **fields)
        if answer is not None:
            self.answers[request][answer["ok"]] += 1

    async def talk(self, client, stop):
        """Writes, edits, deletes and looks, as fast as the answers come, until a process is about to die."""
        while not stop.is_set() and not client.is_killed:
            self.count += 1
            channel = self.random.choice(self.channels)
            own = client.delivered.get(channel)
            action = self.random.randrange(40)
            if action == 0 and own:
                message = self.random.choice(own[-20:])
                await self.change(client, "edit", channel=channel, message_id=message, text=f"edit {self.count}")
            elif action == 1 and own:
                message = own.pop(self.random.randrange(len(own)))
                await self.change(client, "delete", channel=channel, message_id=message)
            elif action == 2:
                await self.look(client)
            elif action == 3 and own:
                await self.change(
                    client, "add_reaction", channel=channel, message_id=self.random.choice(own[-20:]),
                    key=self.random.choice(["like", "sun"]))
            elif action == 4:
                name = f"name {self.count}"
                self.names[channel].append(name)
                await self.change(client, "update_channel", channel=channel, name=name)
            elif action == 5:
                await client.save_draft(channel, f"draft {self.count}")
            else:
                is_file = self.random.randrange(15) == 0
                await self.write(client, channel, f"{client.name} {self.count}", is_file)
            await asyncio.sleep(self.random.random() * 0.02)

    async def look(self, client):
        """Calls that have a stated time, with or without a connection."""
        kind = self.random.randrange(3)
        if kind == 0:
            await client.ask_in_time("channels", anew=True)
        elif kind == 1:
            await client.ask_in_time("wait_idle")
        else:
            await client.ask_in_time("snapshot")

    @property
    def times(self):
        """The seconds of all answers to calls of a stated time, the shortest first."""
        return sorted(taken for client in self.clients for taken in client.times)

    def mark_as_read(self):
        """One user reads a channel elsewhere, so that unread counts fall, too."""
        user, channel = self.random.choice(["ada", "bo", "cy"]), self.random.choice(self.channels)
        self.call(
            f"group_channels/{channel}/messages/mark_as_read", method="PUT", body={"user_id": user})

    async def begin(self):
        await self.server.start()
        self.proxy = Proxy(self.server.port)
        await self.proxy.start()
        self.clients = [
            Client(self.roost, self.proxy, name, user, f"{self.folder}/{cache}", self.folder)
            for name, user, cache in [
                ("ada-phone", "ada", "phone"), ("ada-tablet", "ada", "tablet"), ("bo", "bo", "bo"),
                ("bo-extension", "bo", "bo"), ("cy", "cy", "cy"),
            ]
        ]
        for client in self.clients:
            await client.start()
            await client.expect("connect")
        self.channels = []
        for name in ["one", "two"]:
            result = await self.clients[0].expect("create_channel", members=["bo", "cy"], name=name)
            self.channels.append(result["url"])
            self.names[result["url"]] = [name]
        for client in self.clients:
            await client.ask("open", channel=self.random.choice(self.channels))

    async def kill_once(self):
        stop = asyncio.Event()
        talking = [asyncio.create_task(self.talk(client, stop)) for client in self.clients]
        await asyncio.sleep(self.random.random() * 0.25)
        kind = self.random.randrange(12)
        if kind < 3:  # The server does it, and nobody is told.
            self.proxy.deaf = True
            await asyncio.sleep(self.random.random() * 0.1)
        elif kind == 3:
            self.proxy.cut()
        elif kind == 4:
            await self.server.stop_for(self.random.random() * 0.5)
        elif kind == 5:
            await self.random.choice(self.clients).stop_for(self.random.random() * 0.5)
        elif kind == 6:
            await asyncio.to_thread(self.mark_as_read)
        victim = None if self.random.randrange(3) == 0 else self.random.choice(self.clients)
        await (self.server if victim is None else victim).kill()
        stop.set()
        await asyncio.gather(*talking)
        if self.proxy.deaf:
            self.proxy.deaf = False
            self.proxy.cut()
        if victim is None:
            self.kills["server"] += 1
            await self.server.start()
            return
        self.kills["extension" if victim.name == "bo-extension" else "client"] += 1
        await victim.start()
        # What is connected is a matter of chance, as is which channel is open.
        self.connecting.append(asyncio.create_task(victim.ask("connect")))
        if self.random.randrange(2):
            await victim.ask("open", channel=self.random.choice(self.channels))

    # MARK: The end

    async def come_to_rest(self):
        await asyncio.gather(*self.connecting)
        deadline = time.monotonic() + PATIENCE
        for client in self.clients:
            while True:
                await client.ask("connect")
                await client.ask_in_time("wait_idle")
                cache = await client.expect("cache")
                for item in cache["outbox"]:
                    if item["status"] != "failed":
                        continue
                    # A message is sent again by hand; a change of a deleted message can only be given up.
                    is_message = item["kind"] in ["message", "file"]
                    await client.ask("resend" if is_message else "cancel", request_id=item["request_id"])
                waiting = [item for item in cache["outbox"] if item["kind"] != "draft"]
                if not waiting:
                    break
                if time.monotonic() > deadline:
                    raise Fault(f"{client.name} keeps {waiting}")
                await asyncio.sleep(0.3)

    async def catch_up(self, client, channel):
        """Returns a snapshot that has caught up."""
        deadline = time.monotonic() + 60
        while True:
            snapshot = await client.expect("snapshot")
            if snapshot["caught_up"]:
                return snapshot
            if time.monotonic() > deadline:
                raise Fault(f"{client.name} does not catch up in {channel}")
            await client.ask_in_time("wait_idle")

    async def show_all(self, client, channel):
        """Pages to the beginning of a channel, and compares each message with the server's log.

        Each snapshot goes into the history. `roost check` compares only the last one with the log message by message,
        which is all of a channel up to the capacity of a list. Nobody writes any more.
        """
        log = {m["message_id"]: (m["message"], m.get("updated_at") or None) for m in self.log(channel)}
        await client.expect("open", channel=channel)
        snapshot = await self.catch_up(client, channel)
        shown, pages = {}, 0
        while True:
            shown.update((m["id"], (m["text"], m["updated_at"])) for m in snapshot["messages"] if m["id"])
            if not snapshot["has_older"]:
                break
            await client.ask("older")
            pages += 1
            if pages > 2_000:
                raise Fault(f"{client.name} pages without end")
            snapshot = await client.expect("snapshot")
        self.faults += [
            f"{client.name} shows message {id} of {channel} as {shown.get(id)}, the server has {log.get(id)}"
            for id in sorted(log.keys() | shown.keys()) if shown.get(id) != log.get(id)]
        # The list has moved away from the newest message if it is longer than its capacity.
        if snapshot["has_newer"]:
            await client.expect("open", channel=channel)
        await self.catch_up(client, channel)

    async def compare_unread(self, client):
        """The list's unread counts become the server's, without another visit of the app."""
        expected = self.unread(client.user)
        deadline = time.monotonic() + 30
        await client.ask_in_time("channels", anew=True)
        while True:
            answer = await client.ask_in_time("channels")
            shown = {c["url"]: c["unread"] for c in answer["result"]["channels"]}
            if shown == expected:
                return
            if time.monotonic() > deadline:
                raise Fault(f"{client.name} shows {shown} unread messages, the server has {expected}")
            await asyncio.sleep(0.2)

    async def compare_names(self, client):
        """The list has the server's name of each channel, which is one that was asked for.

        The last one of several clients is not known, so a change of name that is lost is not found.
        """
        for channel in self.channels:
            name = self.call(f"group_channels/{channel}")["name"]
            if name not in self.names[channel]:
                raise Fault(f"{channel} has the name {name}, for which no client asked")
            deadline = time.monotonic() + 30
            while True:
                answer = await client.ask_in_time("channels")
                shown = {c["url"]: c["name"] for c in answer["result"]["channels"]}[channel]
                if shown == name:
                    break
                if time.monotonic() > deadline:
                    raise Fault(f"{client.name} shows the name {shown}, the server has {name}")
                await asyncio.sleep(0.2)

    async def compare_drafts(self, client):
        """Each place has the draft that one of the folder's processes saved last, or may have saved after that."""
        kept = {d["channel"]: d["text"] for d in (await client.expect("drafts"))["drafts"]}
        processes = [other for other in self.clients if other.cache == client.cache]
        for channel in self.channels:
            possible = {text for other in processes for text in other.drafts.get(channel, [])} or {None}
            if kept.get(channel) not in possible:
                raise Fault(f"{client.name} has the draft {kept.get(channel)} in {channel}, not one of {possible}")

    def write_log(self):
        """Adds the server's logs to the histories; returns their file."""
        path = f"{self.folder}/platform.jsonl"
        lines = [{"is": "start", "form": 1, "app_id": "APP"}]
        for channel in self.channels:
            log = self.log(channel)
            self.faults += self.file_faults(log)
            messages = [
                {
                    "id": m["message_id"], "created_at": m["created_at"], "text": m["message"],
                    "sender": m["user"]["user_id"], **({"request_id": m["req_id"]} if m.get("req_id") else {}),
                    **({"updated_at": m["updated_at"]} if m.get("updated_at") else {}),
                }
                for m in log
            ]
            lines.append({
                "is": "log", "channel": channel, "messages": messages, "has_older": False, "has_newer": False})
        with open(path, "w") as file:
            for number, line in enumerate(lines):
                file.write(json.dumps({**line, "client": "platform", "n": number + 1}) + "\n")
        return path

    def judge(self):
        histories = [client.history for client in self.clients] + [self.write_log()]
        judged = subprocess.run(
            [self.roost, "check", "--json", *histories], capture_output=True, text=True, timeout=PATIENCE)
        if judged.returncode:
            self.faults.append(f"roost check: {judged.stdout[-4000:]}{judged.stderr[-1000:]}")
        lines = [json.loads(line) for line in judged.stdout.splitlines()]
        if not any("summary" in line for line in lines):
            self.faults.append("roost check says nothing of what it has counted")
        # Each client has shown the end of each channel.
        self.faults += [line["note"] for line in lines if "no last snapshot" in line.get("note", "")]
        for line in lines:
            if summary := line.get("summary"):
                self.judge_changes(summary["acknowledged_edits"], summary["acknowledged_deletions"])
                print(
                    "kill-test: acknowledged: " + ", ".join(
                        f"{summary['acknowledged_' + kind]} {kind}" for kind in ["messages", "edits", "deletions"])
                    + f"; in the logs: {summary['messages_in_logs']} messages, "
                    f"{summary['messages_of_others']} of senders without a history", flush=True)

    def judge_changes(self, edits, deletions):
        """A client that refuses each change of a kind, or never makes one, breaks no promise of `roost check`."""
        for request, counts in self.answers.items():
            if sum(counts.values()) >= MANY and not counts[True]:
                self.faults.append(f"all {counts[False]} calls of {request} were refused")
        for request, count in [("edit", edits), ("delete", deletions)]:
            if self.answers[request][True] >= MANY and not count:
                self.faults.append(f"none of {self.answers[request][True]} calls of {request} was acknowledged")

    async def live(self, kills):
        await self.begin()
        for number in range(kills):
            await self.kill_once()
            if number % 25 == 24:
                print(f"kill-test: {number + 1} kills, {self.count} calls", flush=True)
        await self.come_to_rest()
        for client in self.clients:
            for channel in self.channels:
                await self.show_all(client, channel)
        for client in self.clients:
            await self.compare_unread(client)
            await self.compare_names(client)
            await self.compare_drafts(client)
        for client in self.clients:
            await client.kill()
        self.judge()

    async def end(self):
        """Ends all processes; one that has ended by itself is a fault."""
        for process in [*self.clients, self.server]:
            try:
                await process.kill()
            except Exception as error:
                self.note_fault(error)

    def note_fault(self, error):
        """Notes an error that ends the run, once."""
        if (text := sentence(error)) not in self.faults:
            self.faults.append(text)
