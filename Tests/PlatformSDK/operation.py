# SPDX-License-Identifier: Apache-2.0
"""What whoever runs a server counts on, with the real process: nothing that was acknowledged is lost,
whatever ends it; copies made while it runs; TLS; limits; a log without names."""

import concurrent.futures
import http.client
import itertools
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from patience import PATIENCE, bound
from server import APP, Server, expect
from witness import Witness

ROOST = sys.argv[1]
checks = 0


def check(condition, what):
    global checks
    checks += 1
    expect(condition, what)


def channel(server, url="g", users=("ann", "bob")):
    server.channel(url, users)


class Writer(threading.Thread):
    """Sends as fast as it is answered, until the socket ends; keeps what was acknowledged."""

    def __init__(self, server, user, token=None):
        super().__init__()
        self.user = user
        self.witness = Witness(server.port, APP, user, token=token)
        self.acknowledged, self.asked = [], []
        self.warm = threading.Event()
        self.error = None

    def run(self):
        try:
            for number in itertools.count():
                name = f"{self.user}-{number}"
                self.asked.append(name)
                self.witness.say("MESG", channel_url="g", message=name, req_id=name)
                answer = self.witness.wait("MESG", req_id=name)
                self.acknowledged.append((answer["msg_id"], answer["ts"], name))
                if number == 20:
                    self.warm.set()
        except Exception as error:
            self.error = error

    def finish(self):
        """Waits for the end of the socket, which nothing else may have ended."""
        self.join()
        check(isinstance(self.error, ConnectionError), f"{self.user} stopped to write: {self.error!r}")


def history(server):
    found, moment = [], 0
    while True:
        page = server.call(
            "GET", f"/group_channels/g/messages?message_ts={moment}&prev_limit=0&next_limit=200"
            "&include=false")["messages"]
        if not page:
            return found
        found += [(m["message_id"], m["created_at"], m["message"]) for m in page]
        moment = page[-1]["created_at"]


def survives(end, times):
    """Ends a server under load, starts it again, and looks for what it had said it had."""
    with Server(ROOST, "--user-rate", "0", "--address-rate", "0") as server:
        channel(server)
        known = []
        for round in range(times):
            writers = [Writer(server, user) for user in ("ann", "bob")]
            for writer in writers:
                writer.start()
            for writer in writers:
                check(writer.warm.wait(PATIENCE), "the server takes messages")
            check(all(writer.is_alive() for writer in writers), "the server ends under load")
            status = end(server)
            for writer in writers:
                writer.finish()
            check(status in (None, 0), f"a stop is no failure: {status}")
            server.start()
            kept = history(server)
            for writer in writers:
                known += writer.acknowledged
                # Whether the last one was taken nobody can know; said again it is there once.
                last = writer.asked[-1]
                again = Witness(server.port, APP, writer.user)
                again.say("MESG", channel_url="g", message=last, req_id=last)
                again.wait("MESG", req_id=last)
            lost = set(known) - set(kept)
            check(not lost, f"lost after they were acknowledged: {sorted(lost)[:3]}")
            everything = history(server)
            words = [word for _, _, word in everything]
            check(len(words) == len(set(words)), "a message is there twice")
            moments = [moment for _, moment, _ in everything]
            check(all(a < b for a, b in zip(moments, moments[1:])), "times grow")
            # Names are counted per round, so the next one must not repeat them.
            for _, _, word in everything:
                expect(word, "a message has its words")
            server.call("DELETE", "/group_channels/g")
            known = []
            channel(server)
        return len(kept)


def killing():
    survives(lambda server: server.kill(), 3)


def stopping():
    survives(lambda server: server.stop(), 2)


def copying():
    """A copy made under load has every message acknowledged before, and opens as a server."""
    with Server(ROOST, "--user-rate", "0", "--address-rate", "0") as server:
        channel(server)
        token = server.call("POST", "/users/ann/token", {})["token"]
        login = Witness(server.port, APP, "ann", token=token).login
        edge = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
        status, _, body = server.raw(
            "POST", "/v3/storage/file", edge + b"words\r\n--x--\r\n",
            {"Session-Key": login["key"], "Content-Type": "multipart/form-data; boundary=x"})
        check(status == 200, body)
        writer = Writer(server, "ann", token=token)
        writer.start()
        check(writer.warm.wait(PATIENCE), "the server takes messages")
        copy = tempfile.mkdtemp() + "/copy"
        before = list(writer.acknowledged)
        done = subprocess.run(
            [ROOST, "backup", "--data", server.data, "--to", copy], capture_output=True, text=True)
        check(done.returncode == 0 and "1 file" in done.stdout, done.stdout + done.stderr)
        again = subprocess.run(
            [ROOST, "backup", "--data", server.data, "--to", copy], capture_output=True, text=True)
        check(again.returncode == 3 and "there already" in again.stderr, "a copy is not overwritten")
        after = len(writer.acknowledged)
        check(after > len(before), "the server went on meanwhile")
        server.stop()
        writer.finish()
    with Server(ROOST, data=copy) as restored:
        kept = history(restored)
        check(set(before) <= set(kept), "the copy has what was acknowledged before it")
        check(len(kept) >= 20, "it is no empty one")
        path = json.loads(body)["url"].split("/", 3)[3]
        check(restored.raw("GET", "/" + path)[2] == b"words", "uploads are in it")
    missing = subprocess.run(
        [ROOST, "backup", "--data", "/nowhere", "--to", copy + "2"], capture_output=True, text=True)
    check(missing.returncode == 3, "no server, no copy")


def certificates():
    folder = tempfile.mkdtemp()
    for command in (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem "
        "-days 2 -subj /CN=Roost",
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key "
        "-out server.csr -subj /CN=Roost",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -set_serial 2 -days 2 -out server.pem "
        "-extfile names",
    ):
        with open(folder + "/names", "w") as names:
            names.write("subjectAltName=DNS:localhost,IP:127.0.0.1")
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)
    return folder


def encrypting():
    folder = certificates()
    options = ("--tls-cert", folder + "/server.pem", "--tls-key", folder + "/server.key")
    with Server(ROOST, *options) as server:
        check(server.scheme == "https", "the first line says how to come")
        status, _, body = server.raw("GET", "/health", authority=folder + "/ca.pem")
        check((status, body) == (200, b'{"status":"ok"}'), "https")
        context = ssl.create_default_context(cafile=folder + "/ca.pem")
        ann = Witness(server.port, APP, "ann", tls=context)
        check(ann.login["user_id"] == "ann", "wss")
        refuses_a_socket(server, "ann", "speaking in the clear")
    for wrong in (("--tls-cert", folder + "/server.pem"),
                  ("--tls-cert", folder + "/server.pem", "--tls-key", folder + "/ca.key"),
                  ("--tls-cert", "/nowhere", "--tls-key", folder + "/server.key")):
        refuses_to_start(*wrong)


def refuses_a_socket(server, user, reason):
    try:
        login = Witness(server.port, APP, user).login
    except ConnectionError:
        check(True, reason)
    else:
        check(False, f"{reason}: {login}")


def refuses_to_start(*options, **rest):
    try:
        server = Server(ROOST, *options, **rest)
    except AssertionError as refusal:
        check("roost: " in str(refusal), refusal)
    else:
        server.kill()
        check(False, f"started with {options} {rest}")


def limiting():
    options = ("--user-rate", "1", "--address-rate", "0", "--max-text", "100", "--max-per-user", "3")
    with Server(ROOST, *options, "--log", "info") as server:
        channel(server)
        ann = Witness(server.port, APP, "ann")
        ann.say("MESG", channel_url="g", message="x" * 101, req_id="long")
        check(ann.wait("EROR", req_id="long")["code"] == 400110, "a text has a limit")
        # A machine that needs a second for a call gives the user a new one meanwhile.
        for attempt in range(100):
            for number in range(8):
                ann.say("MESG", channel_url="g", message="hush-hush", req_id=f"r{attempt}-{number}")
            check(ann.wait("EROR")["code"] == 500910, "a user has a rate")
            status, headers, body = server.raw(
                "GET", "/v3/users/ann", headers={"Session-Key": ann.login["key"]})
            if status == 400:
                break
        check(status == 400 and b"500910" in body and int(headers["Retry-After"]) >= 1,
              "on every way they come, and it says when to come back")
        others = [Witness(server.port, APP, "bob") for _ in range(3)]
        check(Witness(server.port, APP, "bob").login["code"] == 400500, "sockets are counted")
        del others
        # The log is written by a thread of its own.
        wait_for(lambda: {"started", "login", "login_refused", "limited", "call"}
                 <= {line["event"] for line in server.log()}, "each kind of event is in the log")
        text = server.read(server.err)
        check(text.count("\n") > 5, "a log is written")
        for secret in ("hush-hush", '"ann"', '"bob"', '"g"', ann.login["key"]):
            check(secret not in text, f"the log says {secret}")
        calls = [line for line in server.log() if line["event"] == "call"]
        check(any(c["call"] == "group_channels" and c["status"] == 200 for c in calls), calls)
    with Server(ROOST, "--address-rate", "1") as server:
        busy = None
        for _ in range(100):
            witness = Witness(server.port, APP, "eve", first=("LOGI", "BUSY"))
            witness.socket.close()
            if "retry_after" in witness.login:
                busy = witness.login
                break
        check(busy and busy["retry_after"] >= 1 and busy["reason_code"] == 500910,
              "an address has one too, and is told when to come back")
    with Server(ROOST, "--max-per-address", "2") as server:
        first, second = Witness(server.port, APP, "a"), Witness(server.port, APP, "b")
        refuses_a_socket(server, "c", "connections of an address are counted")
        first.say("PING", id=1, req_id="")
        first.wait("PONG")
        second.socket.close()


def proxied():
    with Server(ROOST, "--behind-proxy", "--address-rate", "1", "--public-url", "https://c.example",
                ) as server:
        def status(address):
            return server.raw("GET", "/v3/users", headers={
                "Api-Token": "secret", "X-Forwarded-For": address})[0]
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(status, ["1.1.1.1, 2.2.2.2"] * 20))
        # Five at once, and one more with each second.
        check(4 <= answers.count(200) <= 6 + time.monotonic() - began and 400 in answers, answers)
        check(status("2.2.2.2, 3.3.3.3") == 200, "the proxy's word counts, not the client's")


def secrets():
    folder = tempfile.mkdtemp()
    with open(folder + "/token", "w") as file:
        file.write("from-a-file\n")
    with Server(ROOST, token=("--api-token-file", folder + "/token")) as server:
        check(server.raw("GET", "/v3/users", headers={"Api-Token": "from-a-file"})[0] == 200,
              "the secret comes from a file")
        check(server.raw("GET", "/v3/users", headers={"Api-Token": "from-a-file\n"[:-2]})[0] == 401,
              "and no other opens")
    with Server(ROOST, "--require-token", environment={"ROOST_API_TOKEN": "of-the-world"}) as server:
        check(server.raw("GET", "/v3/users", headers={"Api-Token": "of-the-world"})[0] == 200,
              "the secret comes from the environment")
        with open(f"/proc/{server.process.pid}/cmdline", "rb") as words:
            check(b"of-the-world" not in words.read(), "and stands in no list of processes")
        _, _, body = server.raw(
            "POST", "/v3/users", {"user_id": "ann", "nickname": "Ann", "profile_url": "",
                                  "issue_access_token": True}, {"Api-Token": "of-the-world"})
        token = json.loads(body)["access_token"]
        with open(folder + "/user", "w") as file:
            file.write(token + "\n")
        for options, variables in ((("--token-file", folder + "/user"), {}), ((), {"ROOST_TOKEN": token})):
            said = subprocess.run(
                [ROOST, "client", "--server", f"http://127.0.0.1:{server.port}", "--app-id", APP, "--user",
                 "ann", "--cache", tempfile.mkdtemp(), *options], env={**os.environ, **variables},
                input='{"id":1,"request":"connect"}\n', capture_output=True, text=True, timeout=PATIENCE)
            check('"connection":"connected"' in said.stdout and '"ok":true' in said.stdout,
                  f"{options} {list(variables)}: {said.stdout} {said.stderr}")
    for wrong in ((), ("--api-token-file", "/nowhere")):
        refuses_to_start(token=wrong or ("--log", "none"), environment={"ROOST_API_TOKEN": ""})


def closing():
    """Other machines, other users of this one, and pages of other sites stay outside."""
    for options in (("--host", "0.0.0.0"), ("--host", "::")):
        done = subprocess.run(
            [ROOST, "serve", "--data", tempfile.mkdtemp(), "--port", "0", "--app-id", APP, *options],
            env={**os.environ, "ROOST_API_TOKEN": "t"}, capture_output=True, text=True, timeout=PATIENCE)
        check(done.returncode == 2 and "--require-token" in done.stderr and "--insecure" in done.stderr,
              f"{done.returncode} {done.stderr}")
    old = os.umask(0)
    try:
        # A folder that was there before, open to everybody.
        data = tempfile.mkdtemp()
        os.chmod(data, 0o755)
        with Server(ROOST, "--host", "0.0.0.0", "--insecure", data=data) as server:
            wait_for(lambda: "may act as any user" in server.read(server.out), "it says what that means")
            channel(server)
            ann = Witness(server.port, APP, "ann")
            edge = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a;b.txt\"\r\n\r\n"
            status, _, body = server.raw(
                "POST", "/v3/storage/file", edge + b"words\r\n--x--\r\n",
                {"Session-Key": ann.login["key"], "Content-Type": "multipart/form-data; boundary=x"})
            check(status == 200 and b"/a%3Bb.txt" in body, body)
            copy = tempfile.mkdtemp() + "/copy"
            subprocess.run([ROOST, "backup", "--data", data, "--to", copy], check=True, capture_output=True)
            cache = tempfile.mkdtemp()
            os.chmod(cache, 0o755)
            subprocess.run(
                [ROOST, "client", "--server", f"http://127.0.0.1:{server.port}", "--app-id", APP, "--user",
                 "ann", "--cache", cache, "--key-folder", cache + "-key"], input='{"id":1,"request":"connect"}\n', capture_output=True,
                text=True, timeout=PATIENCE, check=True)
            for folder in (data, copy, cache, cache + "-key"):
                check(os.listdir(folder), f"{folder} is empty")
                for place, folders, files in os.walk(folder):
                    for name in files:
                        mode = os.stat(f"{place}/{name}").st_mode & 0o777
                        check(mode == 0o600, f"{place}/{name}: {mode:o}")
                    for name in folders:
                        mode = os.stat(f"{place}/{name}").st_mode & 0o777
                        check(mode == 0o700, f"{place}/{name}: {mode:o}")
            for page in ("https://evil.example", f"http://evil.example:{server.port}", "null"):
                check(server.raw("GET", "/v3/users", headers={"Origin": page, "Api-Token": "secret"})[0]
                      == 403, f"{page} calls")
                answer = server.raw("GET", f"/?user_id=ann&ai={APP}&p=JS", headers={
                    "Origin": page, "Upgrade": "websocket", "Connection": "Upgrade",
                    "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
                check(answer[0] == 403, f"{page} opens a socket")
    finally:
        os.umask(old)


class Upload:
    """A form whose file is made as it is read."""

    EDGE = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n\r\n"
    END = b"\r\n--x--\r\n"

    def __init__(self, mebibytes):
        self.left = mebibytes
        self.count = len(self.EDGE) + mebibytes * 1_048_576 + len(self.END)

    @staticmethod
    def block(number):
        return number.to_bytes(4, "big") * 262_144

    def __iter__(self):
        yield self.EDGE
        for number in range(self.left):
            yield self.block(number)
        yield self.END


def memory(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def uploading():
    """Files larger than what the server may take of memory, both ways, and one that breaks off."""
    size = 100
    with Server(ROOST) as server:
        channel(server)
        key = Witness(server.port, APP, "ann").login["key"]
        headers = {"Session-Key": key, "Content-Type": "multipart/form-data; boundary=x"}

        def send(form, headers=headers, stop=None):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.request("POST", "/v3/storage/file", itertools.islice(iter(form), stop), {
                **headers, "Content-Length": str(form.count)})
            return connection

        before = memory(server)
        answer = json.load(send(Upload(size)).getresponse())
        check(answer["file_size"] == size * 1_048_576, answer)
        path = "/" + answer["url"].split("/", 3)[3]
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("GET", path)
        whole = connection.getresponse()
        check(all(whole.read(1_048_576) == Upload.block(number) for number in range(size)),
              "it comes back as it was sent")
        status, got, body = server.raw(
            "GET", path, headers={"Range": f"bytes={7 * 1_048_576 - 4}-{7 * 1_048_576 + 3}"})
        check(status == 206 and body == (6).to_bytes(4, "big") + (7).to_bytes(4, "big"), body)
        check(memory(server) - before < 20_000, f"{memory(server) - before} KiB more than before")
        # Who may not upload learns it, and writes nothing.
        refused = send(Upload(3), {**headers, "Session-Key": "no"}).getresponse()
        check(refused.status == 401, refused.status)
        # One that breaks off leaves nothing; nor does one that the server's end cuts.
        folder = server.data + "/files"
        parts = lambda: [name for name in os.listdir(folder) if name.endswith(".part")]
        cut = send(Upload(9), stop=5)
        wait_for(lambda: parts(), "an upload goes to the disk as it comes")
        cut.close()
        wait_for(lambda: not parts(), "what broke off is forgotten")
        left = send(Upload(9), stop=5)
        wait_for(lambda: parts(), "an upload goes to the disk as it comes")
        server.kill()
        left.close()
        server.start()
        check(not parts() and len(os.listdir(folder)) == 1, os.listdir(folder))


def containing():
    """A container's first process ends with SIGTERM, before it listens and afterwards."""
    if subprocess.run(["unshare", "--pid", "--fork", "true"], stderr=subprocess.DEVNULL).returncode:
        print("server: operation leaves out a container's first process, because it may not make one")
        return
    options = ("--port", "0", "--app-id", APP, "--api-token", "secret")

    def ends(options, has_started, status, what):
        process = subprocess.Popen(
            bound("unshare", "--pid", "--fork", "--kill-child", ROOST, "serve", *options),
            stdout=subprocess.PIPE, text=True)
        has_started(process)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
            os.kill(int(children.read()), signal.SIGTERM)
        check(process.wait(timeout=PATIENCE) == status, f"{what}: {process.returncode}")

    with socket.create_server(("127.0.0.1", 0)) as silent, tempfile.TemporaryDirectory() as folder:
        database = f"postgresql://someone@127.0.0.1:{silent.getsockname()[1]}/chat"
        ends(("--database", database, *options), lambda _: silent.accept(), 128 + signal.SIGTERM,
             "a first process that waits for its database")
        ends(("--data", folder, *options), lambda process: process.stdout.readline(), 0,
             "a first process that listens")


def hanging_up():
    """A server that `nohup` has started outlives its terminal."""
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        server = Server(ROOST)
    finally:
        signal.signal(signal.SIGHUP, former)
    with server:
        with open(f"/proc/{server.process.pid}/status") as status:
            ignored = next(int(line.split()[1], 16) for line in status if line.startswith("SigIgn:"))
        check(ignored >> signal.SIGHUP - 1 & 1, f"a server that was started with SIGHUP ignored: {ignored:x}")
        server.process.send_signal(signal.SIGHUP)
        channel(server)
        check(server.stop() == 0, "it ends with SIGTERM")


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        expect(time.monotonic() < end, what)
        time.sleep(0.02)
    check(True, what)


for run in (secrets, closing, uploading, killing, stopping, copying, encrypting, limiting, proxied,
            containing, hanging_up):
    run()
print(f"server: operation, {checks} checks")
