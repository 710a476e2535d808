# The people of the long run, the weather of their network, and what is measured. SPDX-License-Identifier: Apache-2.0
import asyncio
import os
import statistics
import time
import urllib.error

from parts import Client, Fault, Proxy
from world import World

PEOPLE = ["ada", "bo", "cy", "di", "ed", "flo", "gus", "hal", "ivy", "jo"]
# Channels by members, as indices of the people.
CIRCLES = [range(10), range(0, 5), range(5, 10), [0, 2, 4, 6, 8], [1, 3, 5, 7, 9], [0, 1, 2], [3, 4], [6, 9]]
# Restarts of the server, as parts of the day; none in its last half, so that its memory can be judged.
RESTARTS = [(0.06, False), (0.12, True), (0.2, False), (0.28, False), (0.36, True), (0.44, False)]
# The most that a process may have grown from the third to the last quarter: a part of its memory, or so many bytes.
GROWTH, ROOM = 0.10, 4 << 20
DESCRIPTORS = 4


class Link(Proxy):
    """One person's network, which can be down."""

    def __init__(self, target):
        super().__init__(target)
        self.is_down = False

    async def accept(self, reader, writer):
        if self.is_down:
            writer.transport.abort()
        else:
            await super().accept(reader, writer)

    async def fail_for(self, seconds):
        self.is_down = True
        self.cut()
        await asyncio.sleep(seconds)
        self.is_down = False


class Day(World):
    def __init__(self, roost, seed, folder, seconds, rate):
        super().__init__(roost, seed, folder)
        self.seconds = seconds
        self.pause = len(PEOPLE) / rate
        self.samples = []  # (seconds since the beginning, {process: [bytes, descriptors]}, calls)
        self.events = []  # (seconds since the beginning, text)
        self.members = {}

    @property
    def now(self):
        return time.monotonic() - self.began

    def note(self, text):
        self.events.append([round(self.now, 1), text])

    # MARK: The people

    async def begin(self):
        await self.server.start()
        self.links, self.clients = [], []
        for name in PEOPLE:
            link = Link(self.server.port)
            await link.start()
            self.links.append(link)
            self.clients.append(Client(self.roost, link, name, name, f"{self.folder}/{name}", self.folder))
        for client in self.clients:
            await client.start()
            await client.expect("connect")
        self.channels = []
        for number, circle in enumerate(CIRCLES):
            people = [PEOPLE[index] for index in circle]
            founder = self.clients[circle[0]]
            made = await founder.expect("create_channel", members=people[1:], name=f"circle {number}")
            self.channels.append(made["url"])
            self.members[made["url"]] = people
        self.began = time.monotonic()

    def own_channels(self, client):
        return [url for url in self.channels if client.user in self.members[url]]

    async def be(self, client):
        """One person's day: most of it writing, some of it reading."""
        channels = self.own_channels(client)
        while self.now < self.seconds:
            await asyncio.sleep(self.random.expovariate(1 / self.pause))
            if client.is_killed:
                continue
            self.count += 1
            channel = self.random.choice(channels)
            own = client.delivered.get(channel, [])
            action = self.random.randrange(100)
            if action < 4:
                await client.ask("open", channel=channel)
            elif action < 7:
                await client.ask("older")
            elif action < 8:
                await self.look(client)
            elif action < 11 and own:
                await self.change(
                    client, "edit", channel=channel, message_id=self.random.choice(own[-20:]), text=f"edit {self.count}")
            elif action < 13 and own:
                await self.change(client, "delete", channel=channel, message_id=own.pop())
            elif action < 14:
                await self.write(client, channel, f"{client.name} {self.count}", True)
            else:
                await self.write(client, channel, f"{client.name} {self.count} " + "word " * action, False)
            # The test's own list is no part of what is measured, and has an end too.
            del own[:-100]

    async def read_elsewhere(self):
        while self.now < self.seconds:
            await asyncio.sleep(self.random.expovariate(0.5))
            try:
                channel = self.random.choice(self.channels)
                user = self.random.choice(self.members[channel])
                await asyncio.to_thread(
                    self.call, f"group_channels/{channel}/messages/mark_as_read", "PUT", {"user_id": user})
            except urllib.error.HTTPError as error:
                raise Fault(f"mark_as_read: {error} {error.read()[:200]}") from None
            except OSError:
                pass  # The server is being restarted.

    # MARK: The weather

    async def weather(self):
        """Somebody's link fails about every four minutes of the day; three times everybody's does."""
        storms = [self.seconds * part for part in (0.16, 0.55, 0.8)]
        while self.now < self.seconds:
            await asyncio.sleep(self.random.expovariate(120 / self.seconds))
            duration = min(30, self.random.expovariate(200 / self.seconds))
            if storms and self.now > storms[0]:
                storms.pop(0)
                self.note("storm")
                await asyncio.gather(*(link.fail_for(duration) for link in self.links))
            else:
                await self.random.choice(self.links).fail_for(duration)

    async def restart(self):
        for part, is_kill in RESTARTS:
            await asyncio.sleep(max(0, part * self.seconds - self.now))
            self.note("server killed" if is_kill else "server restarted")
            if is_kill:
                await self.server.kill()
            else:
                await self.server.stop()
            await asyncio.sleep(self.random.random() * 2)
            await self.server.start()

    async def relaunch(self):
        """Two people's apps are killed and started again through the first half of the day, as phones do."""
        while self.now < self.seconds * 0.5:
            await asyncio.sleep(self.random.expovariate(16 / self.seconds))
            client = self.random.choice(self.clients[:2])
            await client.kill()
            await client.start()
            await client.ask("connect")

    # MARK: What is measured

    async def measure(self):
        while self.now < self.seconds:
            found = {"server": self.size(self.server.process)}
            for client in self.clients:
                found[client.name] = self.size(client.process)
            self.samples.append([round(self.now, 1), found, self.count])
            await asyncio.sleep(min(2, self.seconds / 100))

    def size(self, process):
        """The bytes in memory and the open descriptors of a process; None while there is none."""
        try:
            with open(f"/proc/{process.pid}/statm") as file:
                pages = int(file.read().split()[1])
            return [pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"/proc/{process.pid}/fd"))]
        except (OSError, IndexError):
            return None

    def judge_sizes(self):
        for name in ["server", *PEOPLE]:
            quarters = [[], []]
            for moment, found, _ in self.samples:
                if moment >= self.seconds / 2 and found[name]:
                    quarters[moment >= self.seconds * 0.75].append(found[name])
            before, after = ([statistics.median(s[what] for s in q) for what in (0, 1)] for q in quarters)
            if after[0] > before[0] + max(before[0] * GROWTH, ROOM):
                self.faults.append(f"{name} grew from {before[0] / 1e6:.1f} to {after[0] / 1e6:.1f} MB")
            if after[1] > before[1] + DESCRIPTORS:
                self.faults.append(f"{name} has {after[1]:.0f} descriptors after {before[1]:.0f}")

    # MARK: The day

    async def live(self):
        await self.begin()
        # Of what runs for the day, the first failure ends it.
        async with asyncio.TaskGroup() as group:
            for client in self.clients:
                group.create_task(self.be(client))
            for task in (self.read_elsewhere, self.weather, self.restart, self.relaunch, self.measure, self.tell):
                group.create_task(task())
        self.judge_sizes()
        await self.come_to_rest()
        for client in self.clients:
            for channel in self.own_channels(client):
                await self.show_all(client, channel)
        for client in self.clients:
            await self.compare_unread(client)
        for client in self.clients:
            await client.kill()
        self.judge()

    async def tell(self):
        while self.now < self.seconds:
            await asyncio.sleep(60)
            print(f"long-run: {self.now / self.seconds:.0%} of the day, {self.count} calls", flush=True)

    def record(self):
        lines = [f"{self.count} calls in {self.seconds / 60:g} minutes, {len(self.events)} restarts and storms"]
        for name in ["server", *PEOPLE]:
            known = [found[name] for moment, found, _ in self.samples if found[name] and moment >= self.seconds / 2]
            if known:
                lines.append(
                    f"{name}, second half: {min(k[0] for k in known) / 1e6:.1f} to "
                    f"{max(k[0] for k in known) / 1e6:.1f} MB, {min(k[1] for k in known)} to "
                    f"{max(k[1] for k in known)} descriptors")
        return {
            "seconds": self.seconds, "samples": self.samples, "events": self.events, "summary": lines,
            "faults": self.faults}
