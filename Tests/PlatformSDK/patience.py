# SPDX-License-Identifier: Apache-2.0
"""The limit for scripts that hang, a clock for limits that are promises, and programs that end with their script."""

import os
import shutil
import time

# Seconds; far above any busy machine's time, so that only a hang reaches it. `Patience.swift` is the same for tests.
PATIENCE = 900


def bound(*command):
    """The command for a child that ends with the thread that starts it, however that ends.

    Without it a script that is killed, or ends by `os._exit`, leaves its servers behind.
    """
    return [*(("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()), *command]


class FairClock:
    """A clock without the time in which a thread was ready to run and other work had the processors.

    A limit on an answer's time that is measured with it holds on a busy machine, too. The threads are those of this
    process and of some others; of several delayed ones the longest delay counts.
    """

    def __init__(self, *pids):
        self.pids = (os.getpid(), *pids)

    def mark(self):
        """The beginning of a span."""
        return time.monotonic(), self._delays()

    def since(self, mark):
        """The seconds since a mark."""
        began, before = mark
        longest = max((delay - before.get(thread, 0) for thread, delay in self._delays().items()), default=0)
        return max(0, time.monotonic() - began - longest)

    def _delays(self):
        delays = {}
        for pid in self.pids:
            try:
                for thread in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                        delays[thread] = int(file.read().split()[1]) / 1e9
            except OSError:
                pass  # A thread or its process has just ended.
        return delays
