#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An S3 server for tests: moto, which checks signatures and rights, and this file, which checks bodies and dates.

usage: serve.py POLICY [PORT]

POLICY is the file with the rights of the first key, for a bucket named BUCKET and a prefix PREFIX in it. A
second key has no rights. The first line of output is "ready", the port, and both keys with their secrets. The
server ends with its input, so it does not outlive a test.
"""
import datetime
import hashlib
import io
import json
import logging
import os
import sys
import threading

os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "0"

from moto.iam.models import iam_backends  # noqa: E402
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app  # noqa: E402
from moto.s3.models import s3_backends  # noqa: E402
from werkzeug.serving import WSGIRequestHandler, make_server  # noqa: E402

ACCOUNT = "123456789012"
BUCKET = "chat-files"


def refusal(start, status, code):
    start(status, [("Content-Type", "application/xml")])
    return [f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()]


class Checked:
    """moto believes the hash that a call names, and any date."""

    def __init__(self, app):
        self.app = app

    def __call__(self, environ, start):
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        environ["wsgi.input"] = io.BytesIO(body)
        if environ.get("HTTP_X_AMZ_CONTENT_SHA256") != hashlib.sha256(body).hexdigest():
            return refusal(start, "400 Bad Request", "XAmzContentSHA256Mismatch")
        try:
            date = datetime.datetime.strptime(environ.get("HTTP_X_AMZ_DATE", ""), "%Y%m%dT%H%M%SZ")
        except ValueError:
            return refusal(start, "403 Forbidden", "AccessDenied")
        if abs((datetime.datetime.utcnow() - date).total_seconds()) > 900:
            return refusal(start, "403 Forbidden", "RequestTimeTooSkewed")
        return self.app(environ, start)


class Quiet(WSGIRequestHandler):
    """Keeps connections, as S3 does, and writes no log."""

    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


def key(name, policy):
    iam = iam_backends[ACCOUNT]["aws"]
    iam.create_user("us-east-1", name)
    if policy:
        iam.put_user_policy(name, "files", policy)
    made = iam.create_access_key(name)
    return f"{made.access_key_id} {made.secret_access_key}"


def end_with_input():
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


def main():
    logging.disable(logging.CRITICAL)
    with open(sys.argv[1]) as file:
        policy = file.read().replace("BUCKET", BUCKET).replace("PREFIX", "roost")
    s3_backends[ACCOUNT]["aws"].create_bucket(BUCKET, "us-east-1")
    keys = [key("roost", policy), key("stranger", None)]
    # Otherwise a missing bucket would be a forbidden one.
    other = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::no-such-bucket"}
    other = json.dumps({"Version": "2012-10-17", "Statement": [other]})
    iam_backends[ACCOUNT]["aws"].put_user_policy("roost", "other", other)
    app = Checked(DomainDispatcherApplication(create_backend_app))
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    server = make_server("127.0.0.1", port, app, threaded=True, request_handler=Quiet)
    threading.Thread(target=end_with_input, daemon=True).start()
    print("ready", server.server_port, *keys, flush=True)
    server.serve_forever()


main()
