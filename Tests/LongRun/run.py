# Ten clients of a server live through a working day in minutes. SPDX-License-Identifier: Apache-2.0
#
# Only the standard library, and the processes of the kill test.
import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile

from day import Day
from plot import draw

DESCRIPTION = """\
Eight hours of ten people are pressed into minutes: they write, edit, delete, look into channels, page back and return;
their links fail for a while, one after the other and all at once; the server is restarted, twice by SIGKILL. Memory and
descriptors of all processes are measured every two seconds. The run fails if a process that lives through the second
half of the day needs more memory or descriptors at its end, if a promise is broken (roost check), or if unread counts
differ from the server's. Writes day.json and day.svg, and the histories of a failed day into the folder `failed`."""


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/long-run", description=DESCRIPTION)
    parser.add_argument("roost", help="the built command; a release build, as an app would have it")
    parser.add_argument("--minutes", type=float, default=24, help="the length of the day (24: twenty times as fast)")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn depends on it (1)")
    parser.add_argument("--rate", type=float, default=10, help="messages a second, of all people together (10)")
    parser.add_argument("--out", default=".build/long-run", metavar="FOLDER", help="for day.json and day.svg")
    return parser.parse_args()


def leaves(group):
    """The errors of a group and of the groups in it."""
    for error in group.exceptions:
        yield from leaves(error) if isinstance(error, BaseExceptionGroup) else [error]


async def live(options, folder):
    day = Day(os.path.abspath(options.roost), options.seed, folder, options.minutes * 60, options.rate)
    try:
        await day.live()
    except* Exception as group:
        # The tasks of the day run in a group, which wraps the errors of its own.
        for error in leaves(group):
            day.note_fault(error)
    finally:
        await day.end()
    return day


def keep(folder, kept):
    """Copies the histories and the server's errors."""
    os.makedirs(kept, exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith((".jsonl", ".err")):
            shutil.copy(f"{folder}/{name}", kept)


def main():
    options = arguments()
    folder = tempfile.mkdtemp(prefix="roost-day-")
    try:
        day = asyncio.run(live(options, folder))
        if day.faults:
            keep(folder, f"{options.out}/failed")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    record = day.record()
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.out}/day.json", "w") as file:
        json.dump(record, file)
    if record["samples"]:
        with open(f"{options.out}/day.svg", "w") as file:
            file.write(draw(record))
    for line in record["summary"]:
        print(f"long-run: {line}")
    for fault in day.faults:
        print(f"long-run: FAILED: {fault}")
    print(f"long-run: {options.out}/day.svg; " + ("failed" if day.faults else "flat, and every promise was kept"))
    sys.exit(1 if day.faults else 0)


if __name__ == "__main__":
    main()
