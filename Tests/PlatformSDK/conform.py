# SPDX-License-Identifier: Apache-2.0
"""`roost conform` against a real server, or with ROOST_TEST_CLUSTER two of them on one database behind a proxy."""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from patience import PATIENCE
from server import APP, TOKEN, expect, make_server

ROOST = sys.argv[1]


def conform(port, *options):
    return subprocess.run(
        [ROOST, "conform", "--server", f"http://127.0.0.1:{port}", "--app-id", APP, "--timeout", "60", *options],
        env={**os.environ, "ROOST_API_TOKEN": TOKEN}, capture_output=True, text=True, timeout=PATIENCE)


folder = tempfile.mkdtemp(prefix="roost-conform-")
junit, page = folder + "/conform.xml", folder + "/conform.html"
with make_server(ROOST, "--user-rate", "0", "--address-rate", "0") as server:
    done = conform(server.port, "--junit", junit, "--html", page)
    expect(done.returncode == 0, done.stdout + done.stderr)
    expect("Left on the server" not in done.stdout, done.stdout)
    expect(TOKEN not in done.stdout, "the report shows no secret")
suites = xml.parse(junit).getroot()
skipped = int(suites.get("skipped"))
expect(suites.get("failures") == "0" and int(suites.get("tests")) > 150, suites.attrib)
# Servers that share a database take uploads only with a place for them.
expect(skipped <= (2 if os.environ.get("ROOST_TEST_CLUSTER") else 0), done.stdout)
with open(page) as file:
    expect("All rules hold" in file.read(), "the page has the verdict")
gone = conform(1)
expect(gone.returncode == 4 and len(gone.stderr.splitlines()) == 1, gone.stderr)
print(f"conform: {suites.get('tests')} checks hold, {skipped} skipped")
