# Tests of the kill test and the long run themselves: faults that they must find. SPDX-License-Identifier: Apache-2.0
import argparse
import asyncio
import importlib.util
import io
import pathlib
import sys
import time
import unittest
import urllib.error

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "LongRun"))
from day import Day  # noqa: E402
from parts import Fault  # noqa: E402
from world import MANY, World  # noqa: E402

CHANNEL = "c"


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


class FaultsOfTheDay(unittest.TestCase):
    def test_a_fault_of_one_person_ends_the_day_and_is_recorded(self):
        path = pathlib.Path(__file__).resolve().parents[1] / "LongRun" / "run.py"
        spec = importlib.util.spec_from_file_location("long_run", path)
        run = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(run)

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
