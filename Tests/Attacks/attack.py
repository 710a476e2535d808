# SPDX-License-Identifier: Apache-2.0
"""The table that both attack scripts print: one line per attack, closed or open."""

import concurrent.futures
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "PlatformSDK"))

ATTACKS = []


class Open(Exception):
    """The attack succeeds; the text says by what."""


def attack(name):
    """Registers an attack: it returns what it saw, or raises `Open`."""
    def register(function):
        ATTACKS.append((name, function))
        return function
    return register


def holds(condition, evidence):
    if not condition:
        raise Open(evidence)
    return evidence


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_megabytes(pid):
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0


def outcome(name, function):
    start = time.monotonic()
    try:
        state, evidence = "closed", function()
    except Open as error:
        state, evidence = "OPEN", str(error)
    except Exception as error:
        state, evidence = "OPEN", f"{type(error).__name__}: {error}"
        if os.environ.get("ATTACK_TRACE"):
            traceback.print_exc()
    evidence = " ".join(str(evidence).split())[:200]
    print(f"{state:6} {name} ({time.monotonic() - start:.1f} s): {evidence}", flush=True)
    return state


def run(chosen, at_once):
    """Runs the attacks whose names contain one of the words, or all of them; several at once, as they mostly wait.

    Returns the status for `leave`: 1 if an attack succeeds.
    """
    attacks = [(name, function) for name, function in ATTACKS
               if not chosen or any(word in name for word in chosen)]
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        states = list(pool.map(lambda pair: outcome(*pair), attacks))
    print(f"{states.count('OPEN')} of {len(attacks)} attacks succeed")
    return 1 if "OPEN" in states else 0


def leave(status):
    """Ends the script at once: threads of hostile servers may still talk. Servers of its own have to be ended before."""
    sys.stdout.flush()
    os._exit(status)
