# Sends a large file from `roost client` to `roost serve`, kills the client half-way once, compares what arrived, and
# tells the most memory either process ever had. SPDX-License-Identifier: Apache-2.0
#
# usage: upload.py ROOST [--megabytes N] [--server ROOST]
#
# Only the standard library. Fails when a process took more than LIMIT beyond what it had before the file, or when what
# lies at the server is another file.
import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from parts import PATIENCE, bound, free_port

LIMIT = 32  # MiB


def memory(process, field="VmHWM"):
    """In MiB; the peak unless asked for something else."""
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(field + r":\s*(\d+)", status.read()).group(1)) / 1024


class Client:
    def __init__(self, roost, port, user, folder):
        self.process = subprocess.Popen(
            bound(roost, "client", "--server", f"http://127.0.0.1:{port}", "--app-id", "APP", "--user", user,
                  "--cache", folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def ask(self, request, **fields):
        self.number += 1
        line = json.dumps({"id": self.number, "request": request, **fields}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                assert answer["ok"], answer
                return answer["result"]

    def drain(self):
        deadline = time.monotonic() + PATIENCE
        while self.ask("cache")["outbox"]:
            assert time.monotonic() < deadline, "the file does not get there"
            time.sleep(0.2)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Uploads:
    """The files in a server's folder, which are parts until they are whole."""

    def __init__(self, folder):
        self.folder = folder

    def names(self, are_parts):
        found = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        return [name for name in found if name.endswith(".part") == are_parts]

    def wait_for_part(self):
        """Returns the size of a file that has begun to arrive."""
        deadline = time.monotonic() + PATIENCE
        while True:
            for name in self.names(are_parts=True):
                try:
                    if size := os.stat(f"{self.folder}/{name}").st_size:
                        return size
                except FileNotFoundError:
                    pass
            assert not self.names(are_parts=False), "the file has arrived before its client was killed"
            assert time.monotonic() < deadline, "the upload does not begin"
            time.sleep(0.001)

    def wait_for_rest(self):
        """Returns when the server has put away what was cut off."""
        deadline = time.monotonic() + PATIENCE
        while self.names(are_parts=True):
            assert time.monotonic() < deadline, "the server keeps what was cut off"
            time.sleep(0.02)
        assert not self.names(are_parts=False), "the client was killed too late: the file has arrived"


def digest(stream):
    sum = hashlib.sha256()
    while chunk := stream.read(1 << 20):
        sum.update(chunk)
    return sum.hexdigest()


def run(arguments, folder, running):
    size = arguments.megabytes * 1_000_000
    path = f"{folder}/film"
    with open(path, "wb") as film:
        block = os.urandom(1_000_000)
        for number in range(arguments.megabytes):
            film.write(number.to_bytes(8, "big") + block[8:])
    with open(path, "rb") as film:
        wanted = digest(film)

    port = free_port()
    server = subprocess.Popen(
        bound(arguments.server or arguments.roost, "serve", "--data", f"{folder}/server", "--port", str(port),
              "--app-id", "APP", "--api-token", "secret", "--max-file", str(arguments.megabytes)),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    running.append(server)
    assert b"listening" in server.stdout.readline()
    client = Client(arguments.roost, port, "ada", f"{folder}/ada")
    running.append(client.process)
    client.ask("connect")
    channel = client.ask("create_channel", members=["bo"], name="films")["url"]
    client.ask("send", channel=channel, text="before")
    client.drain()
    before = memory(client.process), memory(server)
    began = time.monotonic()
    sent = client.ask("send_file", path=path, text="a film", channel=channel)
    copied = time.monotonic() - began
    os.unlink(path)  # It is safe now.
    client.ask("send", channel=channel, text="after")
    # A crash in the middle of the upload: it begins anew, under the same name.
    uploads = Uploads(f"{folder}/server/files")
    arrived = uploads.wait_for_part()
    client.kill()
    uploads.wait_for_rest()
    client = Client(arguments.roost, port, "ada", f"{folder}/ada")
    running.append(client.process)
    second = memory(client.process)
    began = time.monotonic()
    client.ask("connect")
    client.drain()
    took = time.monotonic() - began
    peaks = memory(client.process), memory(server)

    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v3/group_channels/{channel}/messages?message_ts=0&prev_limit=0&next_limit=10&include=true",
        headers={"Api-Token": "secret"})
    with urllib.request.urlopen(request) as answer:
        log = json.load(answer)["messages"]
    faults = []
    if [m.get("type") for m in log] != ["MESG", "FILE", "MESG"]:
        faults.append(f"the log holds {[m.get('type') for m in log]}")
    for message in log:
        if message.get("type") != "FILE":
            continue
        if message.get("req_id") != sent["request_id"]:
            faults.append(f"the file came under the name {message.get('req_id')}, not {sent['request_id']}")
        url = message["file"]["url"] if "file" in message else message["url"]
        url = re.sub(r"^https?://[^/]*", f"http://127.0.0.1:{port}", url)
        with urllib.request.urlopen(url) as answer:
            if digest(answer) != wanted:
                faults.append("another file lies at the server")
    after = memory(server)
    print(f"upload-test: killed when {arrived / 1e6:.0f} of {size / 1e6:.0f} MB had arrived")
    print(f"upload-test: {size / 1e6:.0f} MB copied in {copied:.1f} s, sent in {took:.1f} s ({size / 1e6 / took:.0f} MB/s)")
    print(f"upload-test: client: {before[0]:.0f} MiB at most before, {peaks[0]:.0f} MiB at most while it sent")
    print(f"upload-test: server: {before[1]:.0f} MiB at most before, {peaks[1]:.0f} MiB at most after, {after:.0f} MiB with the download")
    base = max(before[0], second)
    if peaks[0] - base > LIMIT:
        faults.append(f"the client took {peaks[0] - base:.0f} MiB more than before")
    if after - before[1] > LIMIT:
        faults.append(f"the server took {after - before[1]:.0f} MiB more than before")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("roost")
    parser.add_argument("--server", help="another build of the server")
    parser.add_argument("--megabytes", type=int, default=500)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="roost-upload-")
    running = []
    try:
        faults = run(arguments, folder, running)
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        print(f"upload-test: {fault}")
    print(f"upload-test: {'FAILED' if faults else 'the file arrived once, and memory stayed flat'}")
    sys.exit(1 if faults else 0)


main()
