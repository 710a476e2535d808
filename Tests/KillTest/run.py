# Kills `roost client` and `roost serve` at random moments, swallows answers, and lets `roost check` judge what the
# clients were told and showed. SPDX-License-Identifier: Apache-2.0
#
# Only the standard library. What is drawn depends on the seed; what the processes do with it depends on the machine.
import argparse
import asyncio
import hashlib
import json
import math
import os
import shutil
import sys
import tempfile
import time

from world import World

DESCRIPTION = """\
Five clients of three users write, edit, delete and look through a proxy that cuts connections and swallows answers, while
clients, an app's extension and the server are killed or stopped. They also react, rename channels and keep drafts. At
rest each client pages to the beginning of each channel, and every message is compared with the server's log, each file
with the sent ones, the unread counts of every channel list with the server's, names and drafts with what was asked for.
`roost check` judges the histories of all clients with the server's logs: each message once, in order, no hidden hole,
nothing undone or lost from an outbox. Calls of a stated time are held to it, without the time in which other work
had the processors."""


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/kill-test", description=DESCRIPTION)
    parser.add_argument("roost", help="the built command")
    parser.add_argument("--kills", type=int, default=12, help="kills of each run (12)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first run (1)")
    parser.add_argument("--runs", type=int, default=1, help="the number of runs, each with the next seed (1)")
    parser.add_argument("--book", help="note finished runs in this file, and leave out those that it has")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the files of failed runs in this folder")
    return parser.parse_args()


def finished(book, series):
    """The lines of a book that are of the same command and number of kills; a torn line is left out."""
    if not book or not os.path.exists(book):
        return {}
    found = {}
    with open(book) as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if entry["series"] == series:
                found[entry["seed"]] = entry
    return found


def figures(times):
    """How many calls of a stated time were answered, the longest answer, and the time of 99 of 100; sorted times."""
    if not times:
        return {"timed": 0, "longest_answer": 0, "p99_answer": 0}
    return {
        "timed": len(times), "longest_answer": round(times[-1], 2),
        "p99_answer": round(times[math.ceil(0.99 * len(times)) - 1], 2),
    }


async def run(roost, seed, kills, keep):
    """Makes one run; returns its entry in the book."""
    folder = tempfile.mkdtemp(prefix="roost-kill-")
    world = World(roost, seed, folder)
    began = time.monotonic()
    try:
        await world.live(kills)
    except Exception as error:
        # The other seeds are still run, and the files of this one kept.
        world.note_fault(error)
    finally:
        await world.end()
    if world.faults and keep:
        os.makedirs(keep, exist_ok=True)
        shutil.copytree(folder, f"{keep}/seed-{seed}", dirs_exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    return {
        "seed": seed, "kills": world.kills, "calls": world.count, "seconds": round(time.monotonic() - began),
        **figures(world.times), "faults": world.faults,
    }


def main():
    options = arguments()
    roost = os.path.abspath(options.roost)
    with open(roost, "rb") as file:
        series = f"{hashlib.sha256(file.read()).hexdigest()[:16]} {options.kills}"
    entries = finished(options.book, series)
    for seed in range(options.seed, options.seed + options.runs):
        if seed in entries:
            continue
        entry = asyncio.run(run(roost, seed, options.kills, options.keep))
        for fault in entry["faults"]:
            print(f"kill-test: {fault}")
        result = "FAILED" if entry["faults"] else "every promise was kept"
        print(
            f"kill-test: seed {seed}, {options.kills} kills; of {entry['timed']} answers of a stated time the longest "
            f"took {entry['longest_answer']} s, 99 of 100 at most {entry['p99_answer']} s: {result}",
            flush=True)
        entries[seed] = entry
        if options.book:
            with open(options.book, "a") as file:
                file.write(json.dumps({"series": series, **entry}) + "\n")
    kept = [entries[s] for s in range(options.seed, options.seed + options.runs)]
    kills = {kind: sum(e["kills"][kind] for e in kept) for kind in ["server", "client", "extension"]}
    failed = [e["seed"] for e in kept if e["faults"]]
    print(
        f"kill-test: {sum(kills.values())} kills ({', '.join(f'{n} {kind}' for kind, n in kills.items())}), "
        f"{sum(e['calls'] for e in kept)} calls in {len(kept)} runs; failed seeds: {failed or 'none'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
