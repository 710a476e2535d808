# SPDX-License-Identifier: Apache-2.0
"""Hostile input: values from a seed, and changes of honest input."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

NUMBERS = [
    -1, 0, 1, 2**31 - 1, 2**31, -2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63 - 2, -2**63, -2**63 + 1,
    2**63, 2**64 - 1, 253402300799999, 253402300800000, 9223372036854775, 9223372036854776, 0.5, 1e308, 10**30,
]
TEXTS = [
    "", " ", "g", "ann", "x" * 300, "é" * 40, "\0", "\u202e", "'; DROP TABLE message; --", "../..", "%2e%2e%2f", "%zz",
    "null", "true", "[]", "{}", "a,b,,c", ",", "\n", "ann," * 200, "1700000000000", "x" * 5000,
]


def routes():
    """Returns every method and path in the server's sources; a star stands for an open segment."""
    found = set()
    for folder in ("Sources/RoostServer", "Sources/RoostWire/REST"):
        for file in (ROOT / folder).rglob("*.swift"):
            for method, path in re.findall(r"\.(get|post|put|delete),\s*\"([\w/*]+)\"", file.read_text()):
                found.add((method.upper(), path))
    assert len(found) > 100, "The routes are written in another way now."
    return sorted(found)


def names():
    """Returns the names of the parameters in the server's sources."""
    found = set()
    for folder in ("Sources/RoostServer", "Sources/RoostWire"):
        for file in (ROOT / folder).rglob("*.swift"):
            text = file.read_text()
            found |= set(re.findall(r"\(\"([a-z][a-z_]+)\"[,)]", text))
            found |= set(re.findall(r"case \"([a-z][a-z_]+)\"", text))
    assert len(found) > 100, "The parameters are read in another way now."
    return sorted(found)


def value(random, depth=0):
    """Returns a random value of JSON."""
    kind = random.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return random.choice(NUMBERS)
    if kind in (1, 2):
        return random.choice(TEXTS)
    if kind == 3:
        return random.choice([None, True, False])
    if kind == 4:
        return random.randrange(1, 50)
    if kind == 5:
        return random.choice(["ann", "bob", "eve0", "eve1", "g", "o"])
    if kind == 6:
        return [value(random, depth + 1) for _ in range(random.randrange(4))] * random.choice([1, 1, 1, 50])
    if kind == 7:
        return {random.choice(["a", "key", "value", "", "text"]): value(random, depth + 1) for _ in range(3)}
    nested = random.choice(TEXTS[:4])
    for _ in range(random.choice([3, 20, 126, 130])):
        nested = [nested] if random.random() < 0.5 else {"a": nested}
    return nested


def mutated(random, data):
    """Returns bytes that are nearly the given ones."""
    data = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        place = random.randrange(len(data) + 1)
        end = min(len(data), place + random.randrange(9))
        kind = random.randrange(6)
        if kind == 0:
            del data[place:end]
        elif kind == 1:
            data[place:place] = data[place:end]
        elif kind == 2:
            data[place:place] = random.choice([b"{", b"}", b"[", b'"', b"\\", b"\\ud800", b"\0", b",", b"\n", b"[" * 130])
        elif kind == 3 and place < len(data):
            data[place] ^= 1 << random.randrange(8)
        else:
            number = re.compile(rb"-?\d+").search(data, place)
            if number:
                data[number.start():number.end()] = json.dumps(random.choice(NUMBERS)).encode()
    return bytes(data)


def memory(process, name="VmHWM"):
    """Returns the peak memory of a process in bytes; None after its end."""
    try:
        text = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = re.search(name + r":\s*(\d+) kB", text)
    return int(found.group(1)) * 1024 if found else None
