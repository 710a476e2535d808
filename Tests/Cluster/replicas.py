# SPDX-License-Identifier: Apache-2.0
"""Three PostgreSQL nodes with strict synchronous replication, and a keeper that promotes and brings back.

The keeper does what Patroni does, without its clock: a node is promoted when the primary is dead or cut off, it is the
standby with the most of the log, and the old primary never serves again before it was rewound."""

import glob
import os
import shutil
import signal
import subprocess

from machines import AS_POSTGRES, Process, free_port, wait_until

SETTINGS = {
    "max_connections": "120", "wal_level": "replica", "wal_log_hints": "on", "hot_standby": "on",
    "synchronous_commit": "on", "wal_sender_timeout": "2s", "wal_receiver_timeout": "2s",
    "wal_retrieve_retry_interval": "200ms", "shared_buffers": "64MB", "max_wal_size": "128MB",
    # A killed process loses nothing that it has written, so the disk need not be waited for here.
    "fsync": "off", "wal_keep_size": "48MB", "logging_collector": "off", "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1", "tcp_keepalives_count": "3", "tcp_user_timeout": "4000",
}


class Node(Process):
    """One PostgreSQL; a superuser `roost` without a password, from the rig's network only."""

    def __init__(self, place, folder, tmpfs):
        super().__init__(place.name, folder)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not found:
            raise AssertionError("PostgreSQL is not installed: run scripts/setup --cluster")
        self.place, self.bin = place, found[-1]
        self.port = 5432 if place.prefix else free_port()
        self.disk = os.path.join(folder, place.name)
        os.mkdir(self.disk)
        self.has_own_disk = tmpfs
        if tmpfs:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500m", "tmpfs", self.disk], check=True)
        self.data = os.path.join(self.disk, "data")
        self.user = []
        if os.getuid() == 0:
            self.user = AS_POSTGRES
            shutil.chown(self.disk, "postgres", "postgres")

    def tool(self, name, *words, check=True):
        done = subprocess.run([*self.place.prefix, *self.user, f"{self.bin}/{name}", *words],
                              capture_output=True, text=True, cwd=self.disk)
        if check and done.returncode:
            raise AssertionError(f"{name} failed: {done.stdout}{done.stderr}")
        return done

    def make_first(self, net, names):
        # Each timeline keeps a segment of its own, and a long run has hundreds of timelines.
        self.tool("initdb", "-D", self.data, "-A", "trust", "-U", "roost", "-E", "UTF8", "--locale=C", "--no-sync",
                  "--wal-segsize=1")
        standbys = ", ".join(names)
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            for name, value in SETTINGS.items():
                file.write(f"{name} = '{value}'\n")
            file.write(f"synchronous_standby_names = 'ANY 1 ({standbys})'\n")
        with open(os.path.join(self.data, "pg_hba.conf"), "a") as file:
            file.write(f"host all all {net} trust\nhost replication all {net} trust\n")

    def follow(self, primary):
        """Makes this node a standby of another one, from its next start or, if it runs, at once."""
        info = f"host={primary.place.address} port={primary.port} user=roost application_name={self.name} " \
               "connect_timeout=2 keepalives_idle=2 keepalives_interval=1 keepalives_count=3 tcp_user_timeout=4000"
        if self.is_running:
            self.ask(f"ALTER SYSTEM SET primary_conninfo = '{info}'")
            self.ask("SELECT pg_reload_conf()")
            return
        path = os.path.join(self.data, "postgresql.auto.conf")
        with open(path) as file:
            kept = [line for line in file if not line.startswith("primary_conninfo")]
        with open(path, "w") as file:
            file.writelines(kept)
            file.write(f"primary_conninfo = '{info}'\n")
        signal = os.path.join(self.data, "standby.signal")
        open(signal, "w").close()
        for name in (path, signal):
            if self.user:
                shutil.chown(name, "postgres", "postgres")

    def copy(self, primary):
        shutil.rmtree(self.data, ignore_errors=True)
        self.tool("pg_basebackup", "-D", self.data, "-c", "fast", "--no-sync", "-d",
                  f"host={primary.place.address} port={primary.port} user=roost")

    def rewind(self, primary):
        """Undoes what only this node has; a fresh copy if that cannot be done."""
        done = self.tool("pg_rewind", "--target-pgdata", self.data, "--no-sync", "--source-server",
                         f"host={primary.place.address} port={primary.port} user=roost dbname=postgres", check=False)
        if done.returncode:
            self.copy(primary)

    def start(self):
        self.run([*self.place.prefix, *self.user, f"{self.bin}/postgres", "-D", self.data, "-k", self.disk,
                  "-p", str(self.port), "-c", f"listen_addresses={self.place.address}",
                  "-c", f"cluster_name={self.name}"], cwd=self.disk)
        wait_until(lambda: self.is_ready or not self.is_running, f"{self.name}")
        if not self.is_running:
            with open(self.log.name, "rb") as file:
                raise AssertionError(f"{self.name} did not start: {file.read()[-2000:].decode()}")

    @property
    def is_ready(self):
        return self.tool("pg_isready", "-q", "-h", self.disk, "-p", str(self.port), check=False).returncode == 0

    def ask(self, sql, patience=20):
        """Through the socket in its folder, so that no cut of the network keeps the keeper out."""
        done = subprocess.run(
            ["psql", "-h", self.disk, "-p", str(self.port), "-U", "roost", "-d", "postgres", "-XAtc", sql],
            capture_output=True, text=True, timeout=patience)
        if done.returncode:
            raise AssertionError(f"{self.name}: {done.stderr}")
        return done.stdout.strip()

    @property
    def received(self):
        """The number of the last byte of the log that this standby has."""
        return int(self.ask("SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'"))

    def _all(self, number):
        """Signals the first process and its children; each child leads a group of its own."""
        if self.process is None:
            return
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
        for id in [self.process.pid, *map(int, found.stdout.split())]:
            try:
                os.kill(id, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """As a power cut does it; also a frozen node, which never comes back to serve."""
        self._all(9)
        # A child that began meanwhile ends with the first process, for its pipe is closed.
        if self.process is not None:
            self.process.wait()
        lock = os.path.join(self.data, "postmaster.pid")
        if os.path.exists(lock):
            os.remove(lock)

    def freeze(self):
        self._all(19)

    def thaw(self):
        self._all(18)

    def fill(self):
        """Leaves no byte on its disk."""
        with open(os.path.join(self.disk, "ballast"), "wb", buffering=0) as file:
            try:
                while file.write(b"\0" * (1 << 20)):
                    pass
            except OSError:
                pass

    def free(self):
        ballast = os.path.join(self.disk, "ballast")
        if os.path.exists(ballast):
            os.remove(ballast)

    def close(self):
        # In order, so that no shared memory is left.
        self.thaw()
        self.send(signal.SIGQUIT)
        if self.is_running:
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                pass
        self.kill()
        if self.has_own_disk:
            subprocess.run(["umount", "-l", self.disk], check=False)


class Keeper:
    """Decides which node is the primary; one call at a time."""

    def __init__(self, places, folder, net, tmpfs):
        self.nodes = [Node(place, folder, tmpfs) for place in places]
        try:
            self._begin(net)
        except BaseException:
            self.close()
            raise

    def _begin(self, net):
        first = self.nodes[0]
        first.make_first(net, [node.name for node in self.nodes])
        first.start()
        self.primary = first
        for node in self.nodes[1:]:
            node.copy(first)
            node.follow(first)
            node.start()
        self.wait_for_standbys()

    def wait_for_standbys(self, count=1, patience=60):
        wait_until(
            lambda: int(self.primary.ask(
                "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum' AND state = 'streaming'")
            ) >= count, f"a standby of {self.primary.name}", patience)

    @property
    def address(self):
        places = ",".join(f"{node.place.address}:{node.port}" for node in self.nodes)
        return f"postgresql://roost@{places}/postgres"

    @property
    def standbys(self):
        return [node for node in self.nodes if node is not self.primary and node.is_running]

    def standbys_but(self, node):
        return [other for other in self.standbys if other is not node]

    def fail_over(self):
        """Promotes a standby. The primary must be dead, frozen or cut off from the standbys."""
        old = self.primary
        # A primary that hears nobody goes on sending, so nobody listens any more before the comparison.
        for node in self.standbys:
            node.ask("ALTER SYSTEM SET primary_conninfo = ''")
            node.ask("SELECT pg_reload_conf()")
        for node in self.standbys:
            wait_until(lambda: node.ask("SELECT count(*) FROM pg_stat_wal_receiver") == "0",
                       f"the silence of {node.name}")
        new = max(self.standbys, key=lambda node: node.received)
        if new.ask("SELECT pg_promote(true, 30)") != "t":
            raise AssertionError(f"{new.name} was not promoted")
        # The control file still names the old timeline, by which a rewind would find nothing to do.
        new.ask("CHECKPOINT", patience=60)
        self.primary = new
        for node in self.standbys_but(old):
            node.follow(new)
        return old, new

    def bring_back(self, node):
        """Kills a former primary, whatever its state is, and makes it a standby."""
        node.kill()
        node.free()
        if not os.path.exists(os.path.join(node.data, "global", "pg_control")):
            node.copy(self.primary)
        else:
            node.rewind(self.primary)
        node.follow(self.primary)
        try:
            node.start()
        except AssertionError:
            node.kill()
            node.copy(self.primary)
            node.follow(self.primary)
            node.start()

    def restart(self, node):
        """A standby starts again where it was."""
        node.kill()
        node.free()
        node.follow(self.primary)
        node.start()

    def close(self):
        for node in self.nodes:
            node.close()
