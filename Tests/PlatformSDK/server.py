# SPDX-License-Identifier: Apache-2.0
"""A real `roost serve` of a test's own, and calls to it with the standard library alone."""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from patience import PATIENCE, bound

APP, TOKEN = "APP", "secret"


class Server:
    """Starts the command on a free port, or the same one at each start; `with` ends it."""

    def __init__(self, roost, *options, data=None, token=None, environment=None, port=0):
        self.roost = roost
        # The environment is where secrets belong; other users see what stands among the arguments.
        self.environment = {**os.environ, **(environment or ({"ROOST_API_TOKEN": TOKEN} if token is None else {}))}
        token = token or ()
        self.data = data or tempfile.mkdtemp(prefix="roost-server-")
        self.options = (*token, *options)
        self.fixed_port = port
        self.start()

    def start(self):
        self.out, self.err = self.data + ".out", self.data + ".err"
        # The command has these files to itself: a reader that held the same open file would move its place, too.
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(
                bound(self.roost, "serve", "--data", self.data, "--port", str(self.fixed_port), "--app-id", APP,
                      *self.options), stdout=out, stderr=err, env=self.environment)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.match(r"listening on (https?)://[^ ]*:(\d+) ", self.read(self.out))
            if found:
                self.scheme, self.port = found.group(1), int(found.group(2))
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        self.kill()
        raise AssertionError("The server did not start: " + self.read(self.err))

    @staticmethod
    def read(path):
        """What was written so far, in whole lines."""
        with open(path, "rb") as file:
            return file.read().rpartition(b"\n")[0].decode()

    def log(self):
        return [json.loads(line) for line in self.read(self.err).splitlines()]

    def kill(self):
        """As a power cut or the system's memory killer does it."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """As systemd does it; answers how the process ended."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()

    def raw(self, method, path, body=None, headers=None, authority=None):
        """Status, headers and bytes of an answer, whatever it is."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body else None
        request = urllib.request.Request(
            f"{self.scheme}://localhost:{self.port}{path}" if authority
            else f"{self.scheme}://127.0.0.1:{self.port}{path}",
            method=method, data=data,
            headers={"Content-Type": "application/json", **(headers or {"Api-Token": TOKEN})})
        context = ssl.create_default_context(cafile=authority) if authority else None
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def call(self, method, path, body=None, **headers):
        """The object of an answer, a success or not."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return json.loads(self.raw(method, "/v3" + path, body, names or None)[2])

    def channel(self, url, users, **rest):
        """Makes a group channel as the platform, which first makes its users."""
        for user in users:
            self.call("POST", "/users", {"user_id": user, "nickname": "", "profile_url": ""})
        return self.call("POST", "/group_channels", {"user_ids": list(users), "channel_url": url, **rest})


class ClusterServer(Server):
    """Two servers on one database and one bus, behind a proxy; a connection reaches either of them."""

    def start(self):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Cluster"))
        from machines import Cluster
        self.cluster = Cluster(self.roost, APP, self.environment.get("ROOST_API_TOKEN", TOKEN), options=self.options)
        self.scheme, self.port = "http", self.cluster.proxy.port

    def __exit__(self, *_):
        self.cluster.end()


def make_server(*arguments):
    """A server of the kind that the variable ROOST_TEST_CLUSTER asks for."""
    return (ClusterServer if os.environ.get("ROOST_TEST_CLUSTER") else Server)(*arguments)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)
