# SPDX-License-Identifier: Apache-2.0
"""The places where the machines of a rig run: loopback, or network namespaces that can be cut from each other."""

import os
import subprocess


class Loopback:
    """All machines on 127.0.0.1; nothing can be cut."""

    can_cut = False

    def place(self, name):
        return Place(name, "127.0.0.1", [])

    def close(self):
        pass


class Place:
    def __init__(self, name, address, prefix):
        self.name, self.address, self.prefix = name, address, prefix


class Namespaces:
    """A namespace for each machine, joined by a bridge of this rig's own; needs root.

    A cut gives the sender a wrong hardware address of the receiver, so packets vanish without a word, in the one
    direction that was asked for."""

    can_cut = True
    NOWHERE = "02:00:00:00:00:01"

    def __init__(self):
        self.key = f"r{os.getpid() % 100_000}"
        self.net = f"10.{64 + os.getpid() % 64}.{os.getpid() // 64 % 256}"
        self.places, self.cuts = {}, set()
        self.bridge = f"{self.key}b"
        self.ip("link", "add", self.bridge, "type", "bridge")
        self.ip("link", "set", self.bridge, "up")
        self.ip("addr", "add", f"{self.net}.1/24", "dev", self.bridge)
        self.outside = Place("outside", f"{self.net}.1", [])

    @staticmethod
    def ip(*words, check=True):
        subprocess.run(["ip", *words], check=check, stdout=subprocess.DEVNULL,
                       stderr=None if check else subprocess.DEVNULL)

    def place(self, name):
        number = len(self.places) + 11
        space, link = f"{self.key}-{name}", f"{self.key}v{number}"
        self.ip("netns", "add", space)
        self.places[name] = place = Place(name, f"{self.net}.{number}", ["ip", "netns", "exec", space])
        place.space = space
        self.ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
        self.ip("link", "set", link, "master", self.bridge, "up")
        self.ip("-n", space, "addr", "add", f"{place.address}/24", "dev", "eth0")
        self.ip("-n", space, "link", "set", "eth0", "up")
        self.ip("-n", space, "link", "set", "lo", "up")
        return place

    def _words(self, source):
        if source is self.outside:
            return [], self.bridge
        return ["-n", source.space], "eth0"

    def mute(self, source, target):
        """What `source` sends to `target` vanishes; the other direction goes on."""
        words, device = self._words(source)
        self.ip(*words, "neigh", "replace", target.address, "lladdr", self.NOWHERE, "nud", "permanent",
                "dev", device)
        self.cuts.add((source, target))

    def cut(self, one, others):
        for other in others:
            if other is not one:
                self.mute(one, other)
                self.mute(other, one)

    def heal(self):
        for source, target in self.cuts:
            words, device = self._words(source)
            self.ip(*words, "neigh", "del", target.address, "dev", device, check=False)
        self.cuts.clear()

    def close(self):
        for place in self.places.values():
            self.ip("netns", "del", place.space, check=False)
        self.ip("link", "del", self.bridge, check=False)
