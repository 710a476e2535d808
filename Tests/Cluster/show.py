# SPDX-License-Identifier: Apache-2.0
"""A whole small cluster on this machine: plays the demo's story across two hosts, kills the primary in the middle, and
shows what happened.

usage: show.py ROOST [--fast] [--keep] [--loopback]"""

import argparse
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from machines import die_with_parent, free_port, wait_until  # noqa: E402
from network import Loopback, Namespaces  # noqa: E402
from replicas import Keeper  # noqa: E402
from rig import TOKEN, BusServer, Host  # noqa: E402

BEGIN = time.monotonic()


def say(text):
    print(f"  [{time.monotonic() - BEGIN:5.1f} s] {text}", flush=True)


class Show:
    def __init__(self, arguments):
        self.arguments = arguments
        self.roost = os.path.abspath(arguments.roost)
        self.folder = tempfile.mkdtemp(prefix="roost-show-")
        os.chmod(self.folder, 0o755)
        self.network = Loopback() if arguments.loopback else Namespaces()
        self.keeper, self.buses, self.hosts = None, [], []

    def build(self):
        place, count = self.network.place, 3
        net = "127.0.0.1/32" if self.arguments.loopback else f"{self.network.net}.0/24"
        say("three databases start: a primary and two standbys; a commit waits for one of them")
        self.keeper = Keeper([place(f"db{n + 1}") for n in range(count)], self.folder, net, tmpfs=False)
        say("three bus servers start, and form a cluster")
        buses = [place(f"bus{n + 1}") for n in range(count)]
        ports = [(4222, 6222) if bus.prefix else (free_port(), free_port()) for bus in buses]
        routes = [f"nats://{bus.address}:{port[1]}" for bus, port in zip(buses, ports)]
        self.buses = [BusServer(bus, self.folder, routes, *port) for bus, port in zip(buses, ports)]
        subprocess.run([self.roost, "migrate", "--database", self.keeper.address], check=True,
                       stdout=subprocess.DEVNULL)
        say("three hosts start: roost serve, each without data of its own")
        bus = ",".join(f"nats://{one.place.address}:{one.port}" for one in self.buses)
        for number in range(count):
            port = free_port() if self.arguments.loopback else 8080
            self.hosts.append(Host(
                place(f"host{number + 1}"), self.folder, self.roost, self.keeper.address, bus, port, "demo"))
        for host in self.hosts:
            wait_until(host.is_up, host.name)

    def urls(self):
        return [f"http://{host.place.address}:{host.port}" for host in self.hosts]

    def play(self):
        """The story, with Ada at the first host and Bo at the last one."""
        words = [self.roost, "demo", "--servers", f"{self.urls()[0]},{self.urls()[-1]}"]
        if self.arguments.fast:
            words.append("--fast")
        demo = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        killing = None
        with concurrent.futures.ThreadPoolExecutor(1) as killer:
            for line in demo.stdout:
                print(line, end="", flush=True)
                if "Meanwhile, at Ada's" in line:
                    # Bo is offline now, and Ada is about to write: her messages need a primary.
                    killing = killer.submit(self.kill_the_primary)
        if killing is not None:
            killing.result()
        return demo.wait() == 0 and killing is not None

    def kill_the_primary(self):
        old = self.keeper.primary
        old.kill()
        say(f"{old.name}, the primary, is killed")
        begin = time.monotonic()
        _, new = self.keeper.fail_over()
        say(f"{new.name} is the primary now, {time.monotonic() - begin:.1f} s later")
        self.keeper.bring_back(old)
        say(f"{old.name} is back, as a standby of {new.name}")

    def tell(self):
        """What the databases have in the end."""
        self.keeper.wait_for_standbys(len(self.keeper.nodes) - 1)
        sql = "SELECT count(*), count(DISTINCT (channel, sender, request_key)) FROM roost.message"
        place = self.keeper.primary.ask("SELECT pg_current_wal_flush_lsn()")
        print()
        for node in self.keeper.nodes:
            wait_until(
                lambda: node is self.keeper.primary
                or node.ask(f"SELECT pg_last_wal_replay_lsn() >= '{place}'") == "t", f"{node.name}'s log")
            stored, distinct = map(int, node.ask(sql).split("|"))
            role = "primary" if node is self.keeper.primary else "standby"
            say(f"{node.name}, {role}: {stored} messages, {stored - distinct} of them twice")
        for host in self.hosts:
            say(f"{host.name}: {self.count(host)}")

    @staticmethod
    def count(host):
        import urllib.request
        address = f"http://{host.place.address}:{host.port}/metrics"
        with urllib.request.urlopen(address, timeout=10) as answer:
            values = dict(line.split(" ") for line in answer.read().decode().splitlines() if not line.startswith("#"))
        names = [("roost_hosts", "hosts known"), ("roost_bus_sent_total", "notices sent"),
                 ("roost_bus_received_total", "received"), ("roost_recovered_total", "changes read from the database")]
        return ", ".join(f"{int(float(values.get(name, 0)))} {word}" for name, word in names)

    def wait(self):
        one, two = self.urls()[0], self.urls()[-1]
        client = "roost client --app-id demo --allow-plain-transport --cache"
        print(f"""
The cluster runs until Ctrl-C. Try, in other terminals:

    {client} /tmp/cy --user cy --server {one}
    {client} /tmp/di --user di --server {two}
    curl {one}/metrics
    psql "{self.keeper.address}?target_session_attrs=read-write" -c 'SELECT * FROM roost.message LIMIT 5'
    kill -9 {self.keeper.primary.process.pid}    # the primary; this script does not promote another one then

The administrators' token is {TOKEN!r}; the logs are in {self.folder}.""", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})

    def close(self):
        for machine in (*self.hosts, *self.buses):
            machine.thaw()
            if machine.is_running:
                machine.kill()
        if self.keeper is not None:
            self.keeper.close()
        self.network.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="./cluster", description=__doc__.split("\n\n")[0])
    parser.add_argument("roost", help=argparse.SUPPRESS)
    parser.add_argument("--fast", action="store_true", help="no pauses and no drawings")
    parser.add_argument("--keep", action="store_true", help="leave the cluster running, and say how to connect")
    parser.add_argument("--loopback", action="store_true", help="everything on 127.0.0.1, without root")
    arguments = parser.parse_args()
    arguments.loopback = arguments.loopback or os.getuid() != 0
    if arguments.keep:
        # Taken by `wait`, also if it comes a moment before.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    show = Show(arguments)
    try:
        show.build()
        held = show.play()
        if held:
            show.tell()
        if arguments.keep:
            show.wait()
    finally:
        show.close()
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
