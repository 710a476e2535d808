# SPDX-License-Identifier: Apache-2.0
"""Tries everything that a stolen folder or backup of a real server holds as a credential; nothing of it opens."""

import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from server import APP, Server, expect
from witness import Witness

ROOST = sys.argv[1]
USERS = ("ann", "bob", "cyd")
checks = 0


def check(condition, what):
    global checks
    checks += 1
    expect(condition, what)


def tokens(server):
    """Users with every kind of token; returns those that count, and what counts no longer."""
    made = {}
    for user in USERS:
        made[user] = server.call(
            "POST", "/users",
            {"user_id": user, "nickname": user, "profile_url": "", "issue_access_token": True})["access_token"]
    replaced = made["cyd"]
    witness = Witness(server.port, APP, "cyd", token=replaced)
    made["cyd"] = server.call("PUT", "/users/cyd", {"issue_access_token": True})["access_token"]
    check(witness.wait("EXPR")["reason"] == 400309, "a replaced token ends its sockets")
    expiring = server.call("POST", "/users/bob/token", {})["token"]
    return made, [("bob", expiring)], [replaced, witness.login["key"], witness.login["ekey"]]


def keys(server, made, others):
    found = []
    for user, token in [*made.items(), *others]:
        witness = Witness(server.port, APP, user, token=token)
        found.append(witness.login["key"])
        witness.say("LOGI", token=token, expiring_session=1, req_id="r")
        found.append(witness.wait("LOGI", req_id="r")["new_key"])
        status, _, body = server.raw("POST", f"/v3/users/{user}/session_key", {}, {"Access-Token": token})
        check(status == 200, body)
        found.append(json.loads(body)["key"])
    return found


def rows(database):
    """Each row of each table, as a list of texts."""
    connection = sqlite3.connect(database)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for name in names:
        for row in connection.execute(f'SELECT * FROM "{name}"'):
            yield [value.decode("latin-1") if isinstance(value, bytes) else str(value)
                   for value in row if value is not None]
    connection.close()


def candidates(folder):
    """What an attacker would try, in a fixed order: values, tokens in the bytes, and keys put together from both."""
    found = {}
    for path in sorted(glob.glob(folder + "/**", recursive=True)):
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            for run in re.findall(rb"[0-9a-f]{20,}", file.read()):
                run = run.decode()
                found[run[:128]] = None
                for length in (32, 40, 41, 64, 72):
                    found[run[:length]] = found[run[-length:]] = None
    # SQLite changes what it opens: the log is folded into the database.
    database = shutil.copytree(folder, tempfile.mkdtemp() + "/copy") + "/server.sqlite"
    for row in rows(database):
        secrets = [value for value in row if re.fullmatch(r"[0-9a-fA-F]{16,}", value)]
        for number in (value for value in row if value.isdigit() and len(value) < 10):
            for secret in [*secrets, "".join(secrets)]:
                for text in (f"{int(number):x}{secret}", number + secret, f"{int(number):x}{secret[:40]}"):
                    found[text] = None
        for value in [*row, "".join(secrets)]:
            for text in (value, "key:" + value, "token:" + value, "plain:" + value):
                if 0 < len(text) <= 256 and text.isprintable():
                    found[text] = None
    return [text for text in found if re.fullmatch(r"[\x21-\x7e]+", text) and not re.search(r"[&#%+\"\\]", text)]


def opens(server, text):
    """How a text gets in; nothing when it does not."""
    for user in USERS:
        if "key" in Witness(server.port, APP, user, token=text, first=("LOGI", "BUSY")).login:
            return f"as an access token of {user}"
        if server.raw("POST", f"/v3/users/{user}/session_key", {}, {"Access-Token": text})[0] == 200:
            return f"as an access token of {user}, by HTTP"
    if "key" in Witness(server.port, APP, None, key=text, first=("LOGI", "BUSY")).login:
        return "as a session key"
    for header in ("Session-Key", "Api-Token"):
        if server.raw("GET", "/v3/users/ann", headers={header: text})[0] == 200:
            return f"as {header}"
    return None


def stolen():
    with Server(ROOST, "--require-token", "--user-rate", "0", "--address-rate", "0") as server:
        made, others, ended = tokens(server)
        live = keys(server, made, others)
        folder = shutil.copytree(server.data, tempfile.mkdtemp() + "/folder")
        copy = tempfile.mkdtemp() + "/copy"
        done = subprocess.run(
            [ROOST, "backup", "--data", server.data, "--to", copy], capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        # The attempts are good ones: what was given out opens, and each secret only as what it is.
        for user, token in [*made.items(), *others]:
            way = opens(server, token)
            check(way == f"as an access token of {user}", f"{user}: {way}")
        for key in live:
            check(opens(server, key) == "as a session key", "a key opens")
        for secret in ended:
            check(opens(server, secret) is None, "what is replaced opens nothing")
        tried = {}
        for source in (folder, copy):
            texts = candidates(source)
            check(len(texts) > 100, f"{len(texts)} texts in {source}")
            tried.update(dict.fromkeys(texts))
        for secret in [*made.values(), *live]:
            check(secret not in tried, "no secret stands in what is kept")
        for text in tried:
            check(opens(server, text) is None, f"{text[:12]}… opens {opens(server, text)}")


stolen()
print(f"server: stolen data, {checks} checks")
