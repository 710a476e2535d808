# SPDX-License-Identifier: Apache-2.0
"""A small cluster on this machine: PostgreSQL, NATS, servers and a proxy, with the standard library alone.

Everything listens on loopback, keeps its files in a folder of its own and ends with the process."""

import concurrent.futures
import ctypes
import glob
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "PlatformSDK"))
from ports import free_port  # noqa: E402

PATIENCE = float(os.environ.get("ROOST_PATIENCE", "30"))


# PostgreSQL refuses to run as root. The kernel forgets the signal of `die_with_parent` when the user changes.
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig", "KILL"]
# The signal comes with the end of the thread that starts a child, so one thread starts them all.
STARTER = concurrent.futures.ThreadPoolExecutor(1)


def die_with_parent():
    """The child ends with this process, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def wait_until(condition, what, patience=PATIENCE):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come about within {patience:g} s")


def answers_at(address, port):
    try:
        socket.create_connection((address, port), timeout=1).close()
        return True
    except OSError:
        return False


def answers(port):
    return answers_at("127.0.0.1", port)


class Process:
    """A program that can be killed, stopped for a while and started again with the same files."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.process = None

    def run(self, command, **options):
        self.log = open(os.path.join(self.folder, self.name + ".log"), "ab")
        self.process = STARTER.submit(
            subprocess.Popen, command, stdout=options.pop("stdout", self.log), stderr=options.pop("stderr", self.log),
            preexec_fn=die_with_parent, **options).result()

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        if self.is_running:
            self.process.send_signal(number)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.thaw()
        self.kill()

    def freeze(self):
        self.send(signal.SIGSTOP)

    def thaw(self):
        self.send(signal.SIGCONT)


class Postgres(Process):
    """One database; a superuser `roost` without a password, from loopback only."""

    def __init__(self, folder, settings=()):
        super().__init__("postgres", folder)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not found:
            raise AssertionError("PostgreSQL is not installed: run scripts/setup --cluster")
        self.bin, self.port, self.settings = found[-1], free_port(), settings
        self.data = os.path.join(folder, "data")
        self.prefix = []
        if os.getuid() == 0:
            self.prefix = AS_POSTGRES
            shutil.chown(folder, "postgres", "postgres")
        subprocess.run(
            [*self.prefix, f"{self.bin}/initdb", "-D", self.data, "-A", "trust", "-U", "roost", "-E", "UTF8",
             "--locale=C", "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        self.start()

    def start(self):
        options = ["listen_addresses=127.0.0.1", f"port={self.port}", "max_connections=200", *self.settings]
        words = [word for option in options for word in ("-c", option)]
        self.run([*self.prefix, f"{self.bin}/postgres", "-D", self.data, "-k", self.folder, *words],
                 cwd=self.folder)
        wait_until(lambda: subprocess.run(
            [f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode == 0,
            "the database")

    @property
    def address(self):
        return f"postgresql://roost@127.0.0.1:{self.port}/postgres"

    def ask(self, sql):
        found = subprocess.run(["psql", self.address, "-XAtc", sql], capture_output=True, text=True, check=True)
        return found.stdout.strip()

    def end(self):
        """In order, so that no shared memory is left; a killed one that is not started again leaves some."""
        self.thaw()
        self.send(signal.SIGQUIT)
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        """As a power cut does it: the first process and all of its children."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
        super().kill()
        for child in children.stdout.split():
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass
        # A new one refuses to start while the shared memory of the old one is in use.
        lock = os.path.join(self.data, "postmaster.pid")
        if os.path.exists(lock):
            os.remove(lock)


class Bus(Process):
    def __init__(self, folder):
        super().__init__("nats", folder)
        self.port = free_port()
        if shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin") is None:
            raise AssertionError("nats-server is not installed: run scripts/setup --cluster")
        self.start()

    def start(self):
        program = shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin")
        self.run([program, "-a", "127.0.0.1", "-p", str(self.port)])
        wait_until(lambda: answers(self.port), "the bus")

    @property
    def address(self):
        return f"nats://127.0.0.1:{self.port}"


class Host(Process):
    """One `roost serve` on the shared database."""

    def __init__(self, name, folder, roost, database, bus, application, token, options=()):
        super().__init__(name, folder)
        self.command = [roost, "serve", "--database", database, "--node", name, "--app-id", application,
                        *(("--bus", bus) if bus else ()), *options]
        self.environment = {**os.environ, "ROOST_API_TOKEN": token}
        # A host that starts again takes its old port, as behind a proxy.
        self.port = free_port()
        self.start()

    def start(self):
        out = os.path.join(self.folder, self.name + ".out")
        with open(out, "wb") as file:
            self.run([*self.command, "--port", str(self.port)], stdout=file, env=self.environment)

        def is_listening():
            with open(out, "rb") as file:
                found = file.read().startswith(b"listening on ")
            if not found and not self.is_running:
                with open(self.log.name, "rb") as file:
                    raise AssertionError(f"{self.name} did not start: {file.read().decode()}")
            return found
        wait_until(is_listening, self.name)


class Proxy:
    """Passes each connection on to the next host that answers."""

    def __init__(self, hosts):
        self.hosts, self.turn = hosts, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        for _ in self.hosts:
            self.turn += 1
            host = self.hosts[self.turn % len(self.hosts)]
            try:
                server = socket.create_connection(("127.0.0.1", host.port), timeout=1)
                break
            except OSError:
                continue
        else:
            client.close()
            return
        server.settimeout(None)
        ends = {client: server, server: client}
        try:
            while ends:
                for source in select.select(list(ends), [], [])[0]:
                    data = source.recv(65536)
                    if not data:
                        # The other direction may go on, as after a request without more to say.
                        ends.pop(source).shutdown(socket.SHUT_WR)
                    else:
                        ends[source].sendall(data)
        except OSError:
            pass
        finally:
            client.close()
            server.close()

    def close(self):
        self.listener.close()


class Cluster:
    """A database, a bus and hosts behind a proxy; `with` ends them."""

    def __init__(self, roost, application, token, hosts=2, bus=True, options=()):
        self.folder = tempfile.mkdtemp(prefix="roost-cluster-")
        os.chmod(self.folder, 0o755)
        database = os.path.join(self.folder, "database")
        os.mkdir(database)
        self.database = Postgres(database)
        self.bus = Bus(self.folder) if bus else None
        subprocess.run([roost, "migrate", "--database", self.database.address], check=True,
                       stdout=subprocess.DEVNULL)
        uploads = os.path.join(self.folder, "uploads")
        self.hosts = [
            Host(f"host{number + 1}", self.folder, roost, self.database.address,
                 self.bus and self.bus.address, application, token, ("--files", uploads, *options))
            for number in range(hosts)]
        self.proxy = Proxy(self.hosts)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.proxy.close()
        for process in [*self.hosts, self.bus, self.database]:
            if process is not None and process.is_running:
                process.end()
        shutil.rmtree(self.folder, ignore_errors=True)
