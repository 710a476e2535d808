# The proxy, the processes and the answers of the kill test. SPDX-License-Identifier: Apache-2.0
import asyncio
import contextlib
import json
import pathlib
import signal
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "PlatformSDK"))
from patience import PATIENCE, FairClock, bound  # noqa: E402
from ports import free_port  # noqa: E402

# Seconds after which `channels` and `wait_idle` give up the server (docs/client.md), and those for the answer itself: a
# read of the disk, and the way back. The time in which other work had the processors does not count.
STATED_TIME = 9
WAY_BACK = 1


class Fault(Exception):
    """A broken promise."""


def sentence(error):
    """The text of a fault; of any other error also its place."""
    return str(error) if isinstance(error, Fault) else "".join(traceback.format_exception(error)).rstrip()


async def kill(process, name):
    """Kills a process; one that has ended by itself is a fault."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    code = await process.wait()
    if code != -signal.SIGKILL:
        raise Fault(f"{name} ended by itself with {code}")


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
    """One `roost client` process after the other, on one folder and with one history."""

    def __init__(self, roost, proxy, name, user, cache, folder):
        self.history = f"{folder}/{name}.jsonl"
        self.command = [
            roost, "client", "--server", f"http://127.0.0.1:{proxy.port}", "--app-id", "APP",
            "--user", user, "--cache", cache, "--page-size", "100", "--history", self.history,
        ]
        self.name = name
        self.user = user
        self.cache = cache
        self.file = f"{folder}/{name}.file"
        self.process = None
        self.is_over = True
        self.is_killed = False
        # The time in which the process was stopped, which no answer can be shorter than.
        self.stopped_for = 0
        # The seconds of each answer to a call of a stated time, of all processes.
        self.times = []
        self.delivered = {}  # channel: IDs of own delivered messages, of this process.
        # channel: the draft that was saved last, and those behind it whose call was not answered. None: nothing saved.
        self.drafts = {}

    async def start(self):
        self.answers = {}
        self.number = 0
        self.delivered = {}
        self.process = await asyncio.create_subprocess_exec(
            *bound(*self.command), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            limit=1 << 26,
        )
        self.is_over = self.is_killed = False
        self.reading = asyncio.create_task(self.read(self.process))

    async def read(self, process):
        while line := await process.stdout.readline():
            if not line.endswith(b"\n"):
                break  # The process died while it wrote.
            value = json.loads(line)
            if value.get("event") == "timeline":
                for message in value["inserted"] + value["updated"]:
                    if message["sender"] == self.user and message["id"]:
                        self.delivered.setdefault(value["channel"], []).append(message["id"])
            waiter = self.answers.pop(value.get("id"), None)
            if waiter and not waiter.done():
                waiter.set_result(value)
        await process.wait()
        # A later call would wait for ever: a dead process takes what is written to it for a while.
        self.is_over = True
        # The process may have been started again before the waiting call goes on.
        end = self.end
        for waiter in self.answers.values():
            if not waiter.done():
                waiter.set_result(end)

    @property
    def end(self):
        """A fault if the process has ended by itself; None if it was killed or never started."""
        if self.is_killed or self.process is None:
            return None
        return Fault(f"{self.name} ended by itself with {self.process.returncode}")

    async def ask(self, request, patience=PATIENCE, **fields):
        """The answer; None when the process was killed before it came."""
        if self.is_over:
            if end := self.end:
                raise end
            return None
        self.number += 1
        waiter = asyncio.get_running_loop().create_future()
        self.answers[self.number] = waiter
        line = json.dumps({"id": self.number, "request": request, **fields}) + "\n"
        try:
            self.process.stdin.write(line.encode())
            await self.process.stdin.drain()
        except ConnectionError:
            pass  # The process has died, which ends the reading and the waiter.
        try:
            answer = await asyncio.wait_for(waiter, patience)
        except TimeoutError:
            raise Fault(f"{self.name}: no answer to {request} {fields} within {patience} s")
        if isinstance(answer, Fault):
            raise answer
        return answer

    async def ask_in_time(self, request, **fields):
        """Asks a call of a stated time, and notes the seconds that it took.

        A client performs one request at a time, so the time begins with the answers to the earlier ones: after a
        restart `connect` waits for a login that may be swallowed.
        """
        while earlier := [waiter for waiter in self.answers.values() if not waiter.done()]:
            await asyncio.wait(earlier)
        clock = FairClock(self.process.pid)
        mark, stopped = clock.mark(), self.stopped_for
        answer = await self.ask(request, **fields)
        if answer is not None:
            taken = max(0, clock.since(mark) - (self.stopped_for - stopped))
            self.times.append(taken)
            if taken > STATED_TIME + WAY_BACK:
                raise Fault(f"{self.name}: the answer to {request} {fields} took {taken:.1f} s")
        return answer

    async def expect(self, request, **fields):
        """The result of a call that has to succeed; None when the process was killed before."""
        answer = await self.ask(request, **fields)
        if answer is None:
            return None
        if not answer["ok"]:
            raise Fault(f"{self.name}: {request} {fields} was answered {answer}")
        return answer["result"]

    async def send(self, channel, text, is_file):
        if is_file:
            with open(self.file, "w") as file:
                file.write(text * 20_000)
            await self.expect("send_file", path=self.file, channel=channel, text=text)
        else:
            await self.expect("send", channel=channel, text=text)

    async def save_draft(self, channel, text):
        answer = await self.ask("save_draft", channel=channel, text=text)
        if answer is None:
            self.drafts.setdefault(channel, [None]).append(text)
        elif answer["ok"]:
            self.drafts[channel] = [text]
        else:
            raise Fault(f"{self.name}: the draft of {channel} was answered {answer}")

    async def stop_for(self, seconds):
        """Stops the process, as a phone does with an app behind others."""
        # A process that has ended by itself is noticed by the next call.
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(seconds)
            self.stopped_for += seconds
            self.process.send_signal(signal.SIGCONT)

    async def kill(self):
        if self.process is None or self.is_killed:
            return
        self.is_killed = True
        await kill(self.process, self.name)
        await self.reading


class Server:
    """One `roost serve` process after the other, on one folder and port."""

    def __init__(self, roost, folder):
        self.roost = roost
        self.folder = folder
        self.port = free_port()
        self.process = None
        # Whether the process has ended, or was never started, because the test wanted it.
        self.is_ended = True

    async def start(self):
        with open(f"{self.folder}/server.err", "ab") as errors:
            self.process = await asyncio.create_subprocess_exec(
                *bound(self.roost, "serve", "--data", f"{self.folder}/server", "--port", str(self.port),
                       "--app-id", "APP", "--api-token", "secret"),
                stdout=asyncio.subprocess.PIPE, stderr=errors,
            )
        self.is_ended = False
        line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)
        if b"listening" not in line:
            raise Fault(f"the server began with {line}")

    async def stop_for(self, seconds):
        # A server that has ended by itself is noticed when it is killed, at the end of the run at the latest.
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(seconds)
            self.process.send_signal(signal.SIGCONT)

    async def stop(self):
        """Asks the server to end, as the system does when it is shut down."""
        self.is_ended = True
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        try:
            code = await asyncio.wait_for(self.process.wait(), PATIENCE)
        except TimeoutError:
            # Nothing else kills a server that counts as ended.
            self.process.kill()
            raise Fault(f"the server does not end within {PATIENCE} s")
        if code != 0:
            raise Fault(f"the server ended with {code}, before or while it was stopped")

    async def kill(self):
        if self.is_ended:
            return
        self.is_ended = True
        await kill(self.process, "the server")
