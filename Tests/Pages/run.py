# SPDX-License-Identifier: Apache-2.0
"""Runs the pages of a built command in a real browser; `--pictures FOLDER` keeps what they look like."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "PlatformSDK"))

import client_pages  # noqa: E402
import server_pages  # noqa: E402
from browser import Browser  # noqa: E402
from server import Server  # noqa: E402

roost = sys.argv[1]
pictures = sys.argv[sys.argv.index("--pictures") + 1] if "--pictures" in sys.argv else None
wanted = [name for name in sys.argv[2:] if not name.startswith("-") and name != pictures]
if pictures:
    os.makedirs(pictures, exist_ok=True)

TESTS = [
    client_pages.shows_a_file,
    client_pages.shows_a_sealed_file,
    client_pages.is_live,
    client_pages.says_no_word_unasked,
    server_pages.shows_a_server,
    server_pages.shows_a_load,
    server_pages.walks_with_the_keyboard,
    server_pages.chats,
    server_pages.is_absent,
]
ran, failed = 0, 0
for test in TESTS:
    name = f"{test.__module__}.{test.__name__}"
    if wanted and not any(part in name for part in wanted):
        continue
    ran += 1
    try:
        with Server(roost, "--user-rate", "0", "--address-rate", "0") as server, Browser() as browser:
            test(roost, server, browser, pictures)
        print(f"{name}: ok", flush=True)
    except Exception as error:  # The other pages are of interest too.
        failed += 1
        print(f"{name}: {type(error).__name__}: {error}", flush=True)
if not ran:
    print(f"no test has a name with {' or '.join(wanted)}")
sys.exit(1 if failed or not ran else 0)
