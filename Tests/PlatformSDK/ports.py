# SPDX-License-Identifier: Apache-2.0
"""Ports on loopback for servers whose port is chosen before they start. `FreePort.swift` is the same for tests."""

import random
import socket

# Below the ports that the system gives to outgoing connections, so that none is taken between the choice and the
# server's start, or while a killed server is away.
PORTS = range(15_000, 32_001)
given = set()


def free_port():
    """A port on which nothing listens, and which no other caller in this process gets."""
    for _ in range(1_000):
        port = random.choice(PORTS)
        if port in given:
            continue
        given.add(port)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError("no port is free")
