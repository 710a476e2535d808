# SPDX-License-Identifier: Apache-2.0
"""Breaks a cluster on purpose while people chat on it, and judges what they were told.

Three databases, three bus servers and three hosts, each in a network namespace of its own. Without root, or with
--loopback, everything is on 127.0.0.1, and nothing can be cut from anything."""

import argparse
import asyncio
import collections
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from checker import judge  # noqa: E402
from machines import Process, answers_at, free_port, wait_until  # noqa: E402
from network import Loopback, Namespaces  # noqa: E402
from people import History, Hosts, Person, call  # noqa: E402
from replicas import Keeper  # noqa: E402

TOKEN = "secret"


class BusServer(Process):
    def __init__(self, place, folder, routes, port, route):
        super().__init__(place.name, folder)
        self.place, self.routes, self.port, self.route = place, routes, port, route
        self.start()

    def start(self):
        program = shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin")
        settings = os.path.join(self.folder, self.name + ".conf")
        with open(settings, "w") as file:
            # A reader that does not read is cut off early, or the rig would have to flood the bus for long.
            file.write('max_pending: 1MB\nwrite_deadline: "500ms"\n')
        self.run([*self.place.prefix, program, "-c", settings, "-a", self.place.address, "-p", str(self.port),
                  "--cluster_name", "roost", "--cluster", f"nats://{self.place.address}:{self.route}",
                  "--routes", ",".join(self.routes)])

    def restart(self):
        self.kill()
        self.start()

    def flood(self, subject, megabytes):
        """Publishes messages that nobody can read; returns when the bus has taken them."""
        payload = b"x" * 65_536
        with socket.create_connection((self.place.address, self.port), timeout=10) as link:
            link.sendall(b'CONNECT {"verbose":false}\r\n')
            for _ in range(megabytes * 16):
                link.sendall(f"PUB {subject} {len(payload)}\r\n".encode() + payload + b"\r\n")
            link.sendall(b"PING\r\n")
            answer = b""
            while b"PONG" not in answer:
                more = link.recv(65_536)
                if not more:
                    raise AssertionError(f"{self.name} ended the connection: {answer[-200:]}")
                answer = answer[-10:] + more

    @property
    def slow_consumers(self):
        """The connections that it has cut off because they did not read."""
        with open(os.path.join(self.folder, self.name + ".log"), "rb") as file:
            return file.read().count(b"Slow Consumer")


class Host(Process):
    """One `roost serve`."""

    def __init__(self, place, folder, roost, database, bus, port, application="APP"):
        super().__init__(place.name, folder)
        self.place, self.port = place, port
        self.command = [*place.prefix, roost, "serve", "--database", database, "--bus", bus, "--node", place.name,
                        "--host", place.address, "--port", str(port), "--insecure", "--app-id", application,
                        "--user-rate", "0", "--address-rate", "0", "--max-per-address", "0", "--drain", "2",
                        "--log", "info"]
        self.environment = {**os.environ, "ROOST_API_TOKEN": TOKEN}
        self.start()

    def start(self, ahead=0):
        command, environment = self.command, dict(self.environment)
        if ahead:
            environment |= {"LD_PRELOAD": FAKETIME, "FAKETIME": f"+{ahead}s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
            # The first process with the library moves its environment, and Swift finds no arguments behind it.
            command = ["/usr/bin/env", *command]
        self.run(command, env=environment)

    def is_up(self):
        return self.is_running and answers_at(self.place.address, self.port)


def find_faketime():
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"):
        path = f"{folder}/faketime/libfaketime.so.1"
        if os.path.exists(path):
            return path
    return None


FAKETIME = find_faketime()


class Rig:
    def __init__(self, arguments):
        self.arguments = arguments
        self.random = random.Random(arguments.seed)
        self.folder = tempfile.mkdtemp(prefix="roost-rig-", dir=arguments.folder)
        os.chmod(self.folder, 0o755)
        self.network = Loopback() if arguments.loopback else Namespaces()
        self.keeper, self.buses, self.hosts = None, [], []
        self.faults = collections.Counter()
        self.gaps = collections.defaultdict(list)
        self.tasks, self.writing = [], []

    def build(self):
        arguments, place = self.arguments, self.network.place
        net = "127.0.0.1/32" if arguments.loopback else f"{self.network.net}.0/24"
        databases = [place(f"db{number + 1}") for number in range(arguments.databases)]
        self.keeper = Keeper(databases, self.folder, net, tmpfs=self.network.can_cut)
        buses = [place(f"bus{number + 1}") for number in range(arguments.buses)]
        ports = [(4222, 6222) if bus.prefix else (free_port(), free_port()) for bus in buses]
        routes = [f"nats://{bus.address}:{port[1]}" for bus, port in zip(buses, ports)]
        for bus, port in zip(buses, ports):
            self.buses.append(BusServer(bus, self.folder, routes, *port))
        roost = os.path.abspath(arguments.roost)
        done = subprocess.run([roost, "migrate", "--database", self.keeper.address], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)
        bus = ",".join(f"nats://{bus.place.address}:{bus.port}" for bus in self.buses)
        for number in range(arguments.hosts):
            port = free_port() if arguments.loopback else 8080
            self.hosts.append(
                Host(place(f"host{number + 1}"), self.folder, roost, self.keeper.address, bus, port))
        for host in self.hosts:
            wait_until(host.is_up, host.name)
        self.history = History(arguments.history or os.path.join(self.folder, "history.jsonl"))

    @property
    def places(self):
        return [machine.place for machine in (*self.keeper.nodes, *self.buses, *self.hosts)]

    async def in_thread(self, function, *arguments):
        """The keeper waits for processes, and people go on meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(None, function, *arguments)

    # People.

    async def settle_down(self):
        address = (self.hosts[0].place.address, self.hosts[0].port)
        headers = {"Api-Token": TOKEN}
        names = [f"user{number}" for number in range(self.arguments.people)]
        for name in names:
            await call(address, "POST", "/users", headers, {"user_id": name, "nickname": name, "profile_url": ""})
        channels = [f"channel{number}" for number in range(self.arguments.channels)]
        for channel in channels:
            await call(address, "POST", "/group_channels", headers, {"user_ids": names, "channel_url": channel})
        hosts = Hosts([(host.place.address, host.port) for host in self.hosts], self.random)
        rate = self.arguments.rate / len(names)
        self.people = [
            Person(name, hosts, channels, self.history, random.Random(f"{self.arguments.seed}{name}"), rate)
            for name in names]
        self.channels = channels
        self.tasks = [asyncio.create_task(person.live()) for person in self.people]
        self.writing = [asyncio.create_task(person.write()) for person in self.people]
        self.writing += [asyncio.create_task(person.keep_following()) for person in self.people[:2]]
        await self.until(lambda: sum(person.acknowledged for person in self.people) > 20, "the first messages", 60)

    async def until(self, condition, what, patience):
        end = time.monotonic() + patience
        while not condition():
            for task in (*self.tasks, *self.writing):
                if task.done() and not task.cancelled() and task.exception():
                    raise task.exception()
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come about within {patience} s")
            await asyncio.sleep(0.05)

    async def rest(self, seconds):
        await asyncio.sleep(seconds * self.arguments.pace)

    # Faults: each leaves a cluster that can work again.

    async def primary_is_killed(self):
        node = self.keeper.primary
        await self.in_thread(node.kill)
        await self.promote(node)

    async def primary_freezes(self):
        node = self.keeper.primary
        node.freeze()
        await self.rest(self.random.random() * 2)
        # A watchdog resets a machine that does not answer; it never serves again as it was.
        await self.promote(node)

    async def primary_is_cut_off(self):
        """With a host on its side, which must not believe it."""
        node = self.keeper.primary
        inside = {node.place}
        if self.random.random() < 0.5:
            inside.add(self.random.choice(self.hosts).place)
        for place in inside:
            self.network.cut(place, [other for other in self.places if other not in inside])
        await self.rest(self.random.random() * 2)
        await self.promote(node, heals=True)

    async def primary_hears_nobody(self):
        """A cut in one direction: it sends, and gets no answers."""
        node = self.keeper.primary
        for other in self.places:
            if other is not node.place:
                self.network.mute(other, node.place)
        await self.rest(self.random.random() * 2)
        await self.promote(node, heals=True)

    async def primary_has_a_full_disk(self):
        node = self.keeper.primary
        await self.in_thread(node.fill)
        await self.rest(2 + self.random.random() * 2)
        await self.in_thread(node.kill)
        await self.promote(node)

    async def promote(self, node, heals=False):
        begin = time.monotonic()
        self.history.note("failover")
        old, new = await self.in_thread(self.keeper.fail_over)
        if not self.keeper.standbys_but(old):
            # No commit succeeds without a standby, and the old primary is the only one to be had.
            await self.in_thread(self.keeper.bring_back, old)
        await self.until(lambda: self.acknowledged_since(begin), f"writes at {new.name}", 90)
        self.gaps["writes after a failover"].append(self.first_wait(begin))
        self.faults["failovers"] += 1
        await self.rest(self.random.random())
        if heals:
            # The old one meets the cluster again before anybody stops it.
            self.network.heal()
            await self.rest(self.random.random())
        await self.in_thread(self.keeper.bring_back, old)
        await self.in_thread(self.keeper.wait_for_standbys, len(self.keeper.nodes) - 1)

    def acknowledged_since(self, moment):
        return any(person.waits and person.waits[-1][1] > moment + 0.05 for person in self.people)

    def first_wait(self, moment):
        return min(end for person in self.people for _, end in person.waits[-3:] if end > moment) - moment

    async def standby_is_killed(self):
        node = self.random.choice(self.keeper.standbys)
        await self.in_thread(node.kill)
        await self.rest(self.random.random())
        await self.in_thread(self.keeper.restart, node)

    async def standby_freezes(self):
        node = self.random.choice(self.keeper.standbys)
        node.freeze()
        await self.rest(self.random.random() * 3)
        node.thaw()

    async def host_is_killed(self):
        host = self.random.choice(self.hosts)
        away = [(person, person.session) for person in self.people_at(host)]
        begin = time.monotonic()
        await self.in_thread(host.kill)
        await self.until(
            lambda: all(person.session > session for person, session in away), "the return of people", 60)
        if away:
            self.gaps["people back after a host's death"].append(time.monotonic() - begin)
        await self.rest(self.random.random())
        host.start()
        await self.until(host.is_up, host.name, 60)

    def people_at(self, host):
        address = (host.place.address, host.port)
        return [person for person in self.people if person.address == address and person.is_online.is_set()]

    async def host_freezes(self):
        host = self.random.choice(self.hosts)
        host.freeze()
        await self.rest(self.random.choice([0.2, 1, 5, 12]) * self.random.random())
        host.thaw()

    async def host_has_a_wrong_clock(self):
        host = self.random.choice(self.hosts)
        await self.in_thread(host.kill)
        host.start(ahead=self.random.choice([90, -90, 86_400]))
        await self.until(host.is_up, host.name, 60)

    async def hosts_restart_one_by_one(self):
        for host in self.hosts:
            host.send(15)
            # Two seconds for the sockets, five for the last answers, ten for a database that is away.
            await self.until(lambda: not host.is_running, f"the end of {host.name}", 30)
            if host.process.returncode != 0:
                raise AssertionError(f"{host.name} ended with {host.process.returncode}")
            host.start()
            await self.until(host.is_up, host.name, 60)

    async def host_is_cut_off(self):
        host = self.random.choice(self.hosts)
        self.network.cut(host.place, [other for other in self.places if other is not host.place])
        await self.rest(self.random.random() * 5)
        self.network.heal()

    async def host_loses_the_bus(self):
        host = self.random.choice(self.hosts)
        if self.network.can_cut:
            for bus in self.buses:
                self.network.mute(bus.place, host.place)
        await self.rest(self.random.random() * 5)
        self.network.heal()

    async def host_is_too_slow_for_the_bus(self):
        host = self.random.choice(self.hosts)
        host.freeze()
        await self.in_thread(self.random.choice(self.buses).flood, "roost.APP.0", 24)
        await self.rest(self.random.random() * 2)
        host.thaw()

    async def bus_is_killed(self):
        bus = self.random.choice(self.buses)
        bus.kill()
        await self.rest(self.random.random() * 2)
        bus.start()

    async def bus_freezes(self):
        bus = self.random.choice(self.buses)
        bus.freeze()
        await self.rest(self.random.random() * 4)
        bus.thaw()

    async def all_of_the_bus_is_dead(self):
        for bus in self.buses:
            bus.kill()
        await self.rest(self.random.random() * 4)
        for bus in self.buses:
            bus.start()

    async def client_links_are_cut(self):
        for person in self.people:
            if self.random.random() < 0.5 and person.socket is not None:
                person.socket.close()

    @property
    def known_faults(self):
        failovers = [self.primary_is_killed, self.primary_freezes]
        others = [self.standby_is_killed, self.standby_freezes, self.host_is_killed, self.host_freezes,
                  self.hosts_restart_one_by_one, self.host_is_too_slow_for_the_bus, self.bus_is_killed,
                  self.bus_freezes, self.all_of_the_bus_is_dead, self.client_links_are_cut]
        if self.network.can_cut:
            failovers += [self.primary_is_cut_off, self.primary_hears_nobody, self.primary_has_a_full_disk]
            others += [self.host_is_cut_off, self.host_loses_the_bus]
        if FAKETIME:
            others.append(self.host_has_a_wrong_clock)
        return failovers if len(self.keeper.nodes) > 1 else [], others

    async def break_things(self):
        failovers, others = self.known_faults
        wanted = self.arguments.failovers if failovers else 0
        plan = [True] * wanted + [False] * self.arguments.faults
        self.random.shuffle(plan)
        begin = time.monotonic()
        for number, is_failover in enumerate(plan, 1):
            if self.arguments.minutes and time.monotonic() - begin > self.arguments.minutes * 60:
                break
            fault = self.random.choice(failovers if is_failover else others)
            self.history.note("fault", name=fault.__name__, at=round(time.monotonic() - begin, 2))
            self.faults[fault.__name__] += 1
            self.faults["faults"] += not is_failover
            await fault()
            self.look_for_the_dead()
            before = sum(person.acknowledged for person in self.people)
            await self.until(
                lambda: sum(person.acknowledged for person in self.people) > before + 3,
                f"messages after {fault.__name__}", 90)
            await self.rest(self.random.random() * self.arguments.calm)
            if sys.stderr.isatty() or number % 25 == 0:
                self.say(f"{number} of {len(plan)} faults, {before} messages, "
                         f"{self.faults['failovers']} failovers, {time.monotonic() - begin:.0f} s")

    def look_for_the_dead(self):
        """A program that has ended by itself would be started again by a later fault, and nobody would know."""
        for machine in (*self.hosts, *self.buses, *self.keeper.nodes):
            if not machine.is_running:
                raise AssertionError(f"{machine.name} has ended by itself with {machine.process.returncode}")

    def say(self, text):
        print(f"rig: {text}", file=sys.stderr, flush=True)

    # The end.

    async def come_to_rest(self):
        for person in self.people:
            person.is_stopping = True
        await asyncio.wait_for(asyncio.gather(*self.writing), 180)
        await self.until(lambda: all(person.is_online.is_set() for person in self.people), "calm", 60)
        await self.mark()
        for person in self.people:
            await asyncio.wait_for(person.show(), 120)
        for channel in self.channels:
            self.history.note("log", channel=channel, messages=await self.log(channel))

    async def mark(self):
        """Two people write a last message into each channel, which all others must hear on the sockets that they have.

        So a host that has stopped to deliver is seen, and everything before the mark counts as left out. A socket hears
        no message of its own, so each of the two writers hears the mark of the other one."""
        marks = []
        for writer in self.people[:2]:
            for channel in self.channels:
                await writer.send(channel)
                marks.append((writer, *writer.own[-1]))

        def last_mark(person, channel):
            return [id for writer, place, id in marks if writer is not person and place == channel][-1]

        def all_have():
            return all(
                person.live_last.get((person.session, channel)) == last_mark(person, channel)
                for person in self.people for channel in self.channels)
        await self.until(all_have, "the last message at every socket", 15)
        self.history.note("calm")

    async def log(self, channel):
        address = (self.hosts[0].place.address, self.hosts[0].port)
        messages, known, start = [], set(), 0
        while True:
            page = (await call(
                address, "GET", f"/group_channels/{channel}/messages?message_ts={start}&prev_limit=0&next_limit=200"
                "&include=true&is_sdk=true", {"Api-Token": TOKEN}))["messages"]
            new = [message for message in page if message["message_id"] not in known]
            if not new:
                return [{"id": message["message_id"], "at": message["created_at"], "req": message.get("req_id"),
                         "text": message["message"]} for message in messages]
            messages += new
            known.update(message["message_id"] for message in new)
            start = messages[-1]["created_at"]

    def report(self):
        complaints, counts = judge(self.history.lines)
        waits = sorted(end - begin for person in self.people for begin, end in person.waits)
        lines = [
            f"seed {self.arguments.seed}: {self.faults['failovers']} failovers, {self.faults['faults']} other faults, "
            f"{len(self.keeper.nodes)} databases, {len(self.buses)} bus servers, {len(self.hosts)} hosts, "
            f"{len(self.people)} people in {len(self.channels)} channels",
            "faults: " + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(self.faults.items())
                                   if name not in ("failovers", "faults")),
            "counted: " + ", ".join(f"{count} {name}" for name, count in counts.items()),
        ]
        if waits:
            lines.append(f"acknowledgement: p50 {waits[len(waits) // 2] * 1_000:.0f} ms, "
                         f"p99 {waits[len(waits) * 99 // 100] * 1_000:.0f} ms, longest {waits[-1]:.1f} s")
        cut_off = sum(bus.slow_consumers for bus in self.buses)
        if cut_off:
            lines.append(f"connections that the bus cut off because they did not read: {cut_off}")
        for name, values in self.gaps.items():
            lines.append(f"{name}: median {statistics.median(values):.1f} s, longest {max(values):.1f} s")
        refusals = collections.Counter()
        for person in self.people:
            refusals.update(person.refusals)
        if refusals:
            lines.append("refusals that were repeated: " + ", ".join(
                f"{count} of {code}" for code, count in refusals.items()))
        lines += complaints[:40]
        lines.append(f"{len(complaints)} broken promises" if complaints else
                     "nothing lost, doubled, reordered or hidden")
        return lines, complaints

    async def live(self):
        try:
            await self.settle_down()
            await self.break_things()
            await self.come_to_rest()
        finally:
            for task in (*self.tasks, *self.writing):
                task.cancel()
            self.history.close()
        return self.report()

    def close(self):
        for machine in (*self.hosts, *self.buses):
            machine.thaw()
            if machine.is_running:
                machine.kill()
        if self.keeper is not None:
            self.keeper.close()
        self.network.close()
        if self.arguments.keep:
            self.say(f"the logs are in {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roost", help="the built command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failovers", type=int, default=10)
    parser.add_argument("--faults", type=int, default=50, help="faults without a failover")
    parser.add_argument("--minutes", type=float, help="ends earlier, after the fault of that moment")
    parser.add_argument("--databases", type=int, default=3)
    parser.add_argument("--buses", type=int, default=3)
    parser.add_argument("--hosts", type=int, default=3)
    parser.add_argument("--people", type=int, default=9)
    parser.add_argument("--channels", type=int, default=3)
    parser.add_argument("--rate", type=float, default=40, help="messages a second of all people together")
    parser.add_argument("--calm", type=float, default=1.0, help="the longest time between two faults, in seconds")
    parser.add_argument("--pace", type=float, default=1.0, help="scales the time that faults last")
    parser.add_argument("--loopback", action="store_true", help="no namespaces; needs no root")
    parser.add_argument("--folder", help="the folder for the rig's files; /tmp by default")
    parser.add_argument("--history", help="the file of the history; it stays")
    parser.add_argument("--keep", action="store_true", help="leave the folder with the logs")
    arguments = parser.parse_args()
    if os.getuid() != 0 and not arguments.loopback:
        parser.error("namespaces need root; without it, give --loopback")
    rig = None
    status = 1
    try:
        rig = Rig(arguments)
        rig.build()
        lines, complaints = asyncio.run(rig.live())
        for line in lines:
            print(line)
        status = 1 if complaints else 0
        arguments.keep = arguments.keep or bool(complaints)
    finally:
        if sys.exc_info()[0] is not None:
            arguments.keep = True
        if rig is not None:
            rig.close()
    sys.exit(status)


if __name__ == "__main__":
    main()
