# Tests of the kill test and the long run themselves: faults that they must find. SPDX-License-Identifier: Apache-2.0
import argparse
import asyncio
import contextlib
import importlib.util
import io
import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest
import unittest.mock
import urllib.error

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "LongRun"))
from day import Day  # noqa: E402
from parts import PATIENCE, Client, Fault, Server  # noqa: E402
from world import MANY, World  # noqa: E402

CHANNEL = "c"


def program(folder):
    """The program of one of the tests; the programs of all have the same name."""
    path = pathlib.Path(__file__).resolve().parents[1] / folder / "run.py"
    spec = importlib.util.spec_from_file_location(f"run_of_{folder}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Pager:
    """A client of one channel, with pages of two messages."""

    name = "bo"

    def __init__(self, messages):
        self.messages = messages

    async def expect(self, request, **fields):
        if request == "open":
            self.count = 2
        elif request == "older":
            self.count += 2
        return {
            "messages": self.messages[-self.count:], "has_older": self.count < len(self.messages),
            "has_newer": False, "caught_up": True}

    ask = expect


def world(log=()):
    made = World("roost", 1, "/nonexistent")
    made.log = lambda channel: log
    return made


def sent(number, text, updated=0):
    return {"message_id": number, "message": text, "updated_at": updated, "type": "FILE"}


class ShownMessages(unittest.TestCase):
    log = [sent(number, f"text {number}") for number in range(1, 8)]

    def faults(self, change):
        shown = [{"id": m["message_id"], "text": m["message"], "updated_at": None} for m in self.log]
        change(shown)
        made = world(self.log)
        asyncio.run(made.show_all(Pager(shown), CHANNEL))
        return made.faults

    def test_equal_pages_are_no_fault(self):
        self.assertEqual(self.faults(lambda shown: None), [])

    def test_an_old_text_on_the_oldest_page_is_found(self):
        faults = self.faults(lambda shown: shown[0].update(text="before"))
        self.assertEqual(len(faults), 1)
        self.assertIn("message 1", faults[0])

    def test_a_deleted_message_on_an_old_page_is_found(self):
        extra = {"id": 99, "text": "gone", "updated_at": None}
        self.assertIn("message 99", self.faults(lambda shown: shown.insert(1, extra))[0])

    def test_a_missing_message_is_found(self):
        self.assertIn("message 3", self.faults(lambda shown: shown.pop(2))[0])


class Files(unittest.TestCase):
    def faults(self, contents, log):
        made = world()
        made.files = {"a 1", "a 2"}
        made.file_text = lambda message: contents[message["message_id"]]
        return made.file_faults(log)

    def test_each_file_under_its_caption_is_no_fault(self):
        log = [sent(1, "a 1"), sent(2, "edit 3", updated=7)]
        self.assertEqual(self.faults({1: "a 1", 2: "a 2"}, log), [])

    def test_exchanged_files_are_found(self):
        self.assertEqual(len(self.faults({1: "a 2", 2: "a 1"}, [sent(1, "a 1"), sent(2, "a 2")])), 2)

    def test_a_file_that_two_messages_have_is_found(self):
        log = [sent(1, "a 1"), sent(2, "edit 3", updated=7)]
        self.assertEqual(self.faults({1: "a 1", 2: "a 1"}, log), ["edit 3 has the file of a 1"])

    def test_a_torn_and_an_unknown_file_are_found(self):
        log = [sent(1, "a 1"), sent(2, "a 2")]
        self.assertEqual(len(self.faults({1: None, 2: "a 3"}, log)), 2)


class Changes(unittest.TestCase):
    def faults(self, accepted, refused, acknowledged):
        made = world()
        made.answers["edit"] = {True: accepted, False: refused}
        made.judge_changes(acknowledged, 0)
        return made.faults

    def test_refusals_of_each_edit_are_found(self):
        self.assertEqual(len(self.faults(0, MANY, 0)), 1)
        self.assertEqual(self.faults(1, MANY, 0), [])

    def test_edits_that_are_never_made_are_found(self):
        self.assertEqual(len(self.faults(MANY, 0, 0)), 1)
        self.assertEqual(self.faults(MANY, 0, 1), [])


class TheEnd(unittest.TestCase):
    def test_a_judgement_that_counts_nothing_is_found(self):
        made = world()
        made.roost, made.write_log = "true", lambda: "log"
        made.judge()
        self.assertEqual(made.faults, ["roost check says nothing of what it has counted"])

    def test_a_connection_that_never_comes_after_a_kill_is_found(self):
        async def connect():
            raise Fault("no answer to connect")

        async def rest(made):
            made.connecting.append(asyncio.create_task(connect()))
            await made.come_to_rest()

        with self.assertRaises(Fault):
            asyncio.run(rest(world()))


class Ends(unittest.TestCase):
    """Processes that end by themselves; shell scripts stand for the command."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def script(self, text):
        path = f"{self.folder.name}/roost"
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    async def server(self, text):
        server = Server(self.script(text), self.folder.name)
        await server.start()
        return server

    async def client(self, text):
        client = Client(self.script(text), argparse.Namespace(port=1), "ada", "ada", "cache", self.folder.name)
        await client.start()
        return client

    def test_a_server_that_ends_by_itself_is_found_when_it_is_killed(self):
        async def live():
            server = await self.server("echo listening; echo trap >&2; exit 133")
            await server.process.wait()
            await server.kill()

        with self.assertRaisesRegex(Fault, "the server ended by itself with 133"):
            asyncio.run(live())
        with open(f"{self.folder.name}/server.err") as errors:
            self.assertEqual(errors.read(), "trap\n")

    def test_a_server_that_fails_while_it_stops_is_found(self):
        async def live(code):
            server = await self.server(f"trap 'exit {code}' TERM; echo listening; while :; do sleep 0.01; done")
            await server.stop()
            await server.kill()  # Nothing is left to kill.

        asyncio.run(live(0))
        with self.assertRaisesRegex(Fault, "the server ended with 5"):
            asyncio.run(live(5))

    def test_a_server_that_does_not_stop_in_time_is_found_and_killed(self):
        async def live():
            server = await self.server("trap '' TERM; echo listening; while :; do sleep 0.01; done")
            try:
                with unittest.mock.patch("parts.PATIENCE", 0.1), self.assertRaisesRegex(Fault, "does not end"):
                    await server.stop()
                return await asyncio.wait_for(server.process.wait(), PATIENCE)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    server.process.kill()

        self.assertEqual(asyncio.run(live()), -signal.SIGKILL)

    def test_a_client_that_was_never_started_answers_no_call(self):
        client = Client("roost", argparse.Namespace(port=1), "ada", "ada", "cache", self.folder.name)
        self.assertIsNone(asyncio.run(client.ask("cache")))

    def test_a_client_that_ends_by_itself_is_found_by_its_call_and_by_later_ones(self):
        async def live():
            client = await self.client("read line; exit 3")
            found = []
            for request in ["cache", "snapshot"]:
                try:
                    await client.expect(request)
                except Fault as fault:
                    found.append(str(fault))
            return found

        self.assertEqual(asyncio.run(live()), ["ada ended by itself with 3"] * 2)

    def test_a_client_that_ends_by_itself_is_found_when_it_is_killed(self):
        async def live():
            client = await self.client("exit 3")
            await client.process.wait()
            await client.kill()

        with self.assertRaisesRegex(Fault, "ada ended by itself with 3"):
            asyncio.run(live())

    def test_the_calls_of_a_killed_client_have_no_answer(self):
        async def live():
            client = await self.client("while read line; do :; done")
            call = asyncio.create_task(client.ask("cache"))
            while not client.answers:
                await asyncio.sleep(0)
            await client.kill()
            # A process that is started again at once is another one.
            await client.start()
            answers = [await call]
            await client.kill()
            return answers + [await client.ask("cache")]

        self.assertEqual(asyncio.run(live()), [None, None])

    def test_any_error_of_a_run_is_recorded_and_its_files_are_kept(self):
        async def fail(made, kills):
            with open(f"{made.folder}/ada.jsonl", "w"):
                pass
            raise urllib.error.URLError("refused")

        before, World.live = World.live, fail
        self.addCleanup(setattr, World, "live", before)
        entry = asyncio.run(program("KillTest").run("roost", 7, 1, self.folder.name))
        self.assertEqual(len(entry["faults"]), 1)
        self.assertIn("URLError", entry["faults"][0])
        self.assertEqual(os.listdir(f"{self.folder.name}/seed-7"), ["ada.jsonl"])


class FaultsOfTheDay(unittest.TestCase):
    def test_a_fault_of_one_person_ends_the_day_and_is_recorded(self):
        run = program("LongRun")

        class ShortDay(Day):
            async def live(self):
                async with asyncio.TaskGroup() as group:
                    group.create_task(self.be(None))
                    group.create_task(asyncio.Event().wait())

            async def be(self, client):
                raise Fault("no answer")

        run.Day = ShortDay
        options = argparse.Namespace(roost="roost", seed=1, minutes=1, rate=1)
        day = asyncio.run(run.live(options, "/nonexistent"))
        self.assertEqual(day.record()["faults"], ["no answer"])

        async def be(day, client):
            raise KeyError("outbox")

        ShortDay.be = be
        day = asyncio.run(run.live(options, "/nonexistent"))
        self.assertIn("KeyError", day.record()["faults"][0])

    def test_a_refused_call_from_elsewhere_is_a_fault(self):
        def refuse(*words):
            raise urllib.error.HTTPError("", 400, "Bad Request", {}, io.BytesIO(b"unknown"))

        day = Day("roost", 1, "/nonexistent", 60, 1)
        day.began, day.channels, day.members, day.call = time.monotonic(), ["c"], {"c": ["ada"]}, refuse
        day.random.expovariate = lambda rate: 0
        with self.assertRaisesRegex(Fault, "mark_as_read: .*400.*unknown"):
            asyncio.run(day.read_elsewhere())


if __name__ == "__main__":
    unittest.main()
