#!/usr/bin/env python3
"""Runs fuzz targets under libFuzzer, which keeps the inputs that reach new code. SPDX-License-Identifier: Apache-2.0"""

import argparse
import concurrent.futures
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/lib"))
from package_copy import ROOT, prepare

DESCRIPTION = """\
Builds a copy of the fuzz program with counters in every module, and runs each target for the given minutes. The inputs
that reach new code stay in the folder and are the beginning of the next run; a book there adds up the time of each
target. An input that traps, hangs, takes too much memory or is read wrongly goes to Fuzz/Corpus/TARGET."""

FOLDERS = ["Sources", "Benchmarks", "Simulator", "Tests", "Examples", "Fuzz"]
# No counters in what makes the inputs and in the driver's caller.
PLAIN = ["RoostFuzz", "RoostTestSupport"]
MANIFEST = """
package.products = [.executable(name: "RoostFuzz", targets: ["RoostFuzz"])]
for target in package.targets where target.swiftSettings != nil && !%s.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"]))
}
for target in package.targets where target.name == "RoostFuzz" {
    target.linkerSettings = [
        .unsafeFlags([
            "-Xlinker", "-u", "-Xlinker", "LLVMFuzzerRunDriver", "-Xlinker", "--export-dynamic", "%s", "-lstdc++",
        ])
    ]
}
"""


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz guided", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="a name of `scripts/fuzz list`, part of one with a star, or `all`")
    parser.add_argument("--minutes", type=float, default=1, help="for each target (1)")
    parser.add_argument("--jobs", type=int, default=2, help="targets at once (2)")
    parser.add_argument("--folder", default=".build/guided", help="for the build, the inputs and the book")
    parser.add_argument("--no-build", action="store_true", help="use the build of the last time")
    return parser.parse_args()


def driver():
    swift = pathlib.Path(shutil.which("swift")).resolve().parents[1]
    found = glob.glob(f"{swift}/lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-{os.uname().machine}.a")
    if not found:
        sys.exit(f"fuzz: this toolchain has no libFuzzer below {swift}/lib/clang; scripts/fuzz run needs none.")
    return found[0]


def build(folder):
    package = prepare(folder, MANIFEST % (json.dumps(PLAIN), driver()), FOLDERS)
    built = subprocess.run(
        ["swift", "build", "-c", "release", "--product", "RoostFuzz", "--package-path", package,
         "--scratch-path", folder / "build"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode:
        sys.exit(f"fuzz: the build failed:\n{built.stdout[-5000:]}")


def run(program, folder, target, seconds):
    """Runs one target; returns its line of the book."""
    inputs = folder / "inputs" / target
    inputs.mkdir(parents=True, exist_ok=True)
    before = len(os.listdir(inputs))
    found = ROOT / "Fuzz/Corpus" / target
    log = folder / f"{target}.log"
    began = time.monotonic()
    with open(log, "w") as output:
        code = subprocess.run(
            [program, "guided", target, f"-max_total_time={round(seconds)}", "-timeout=20", "-rss_limit_mb=1024",
             "-max_len=65536", "-print_final_stats=1", f"-dict={folder}/samples/{target}.words",
             f"-artifact_prefix={folder}/{target}-", inputs, folder / "samples" / target],
            stdout=output, stderr=subprocess.STDOUT).returncode
    text = log.read_text(errors="replace")
    kept = []
    for path in folder.glob(f"{target}-*"):
        if path.name.removeprefix(f"{target}-").startswith(("crash-", "timeout-", "oom-")):
            found.mkdir(parents=True, exist_ok=True)
            kept.append(str(shutil.move(path, found / path.name.removeprefix(f"{target}-"))))
    figures = [line for line in text.splitlines() if re.match(r"#\d+\s", line) and "cov:" in line]
    covered = re.search(r"cov: (\d+)", figures[-1]) if figures else None
    units = re.search(r"number_of_executed_units: (\d+)", text)
    return {
        "target": target, "seconds": round(time.monotonic() - began), "inputs": int(units[1]) if units else 0,
        "edges": int(covered[1]) if covered else 0, "new": len(os.listdir(inputs)) - before,
        "failed": code != 0, "kept": kept, "last": text.splitlines()[-3:] if code else [],
    }


def main():
    options = arguments()
    folder = (ROOT / options.folder).resolve()
    program = folder / "build/release/RoostFuzz"
    if not options.no_build:
        build(folder)
    subprocess.run([program, "samples", folder / "samples"], check=True)
    names = subprocess.run([program, "list"], check=True, text=True, stdout=subprocess.PIPE).stdout.split()
    pattern = "*" if options.target == "all" else options.target
    chosen = [name for name in names if pathlib.PurePath(name).match(pattern)]
    if not chosen:
        sys.exit(f"fuzz: there is no target {options.target}; scripts/fuzz list names them.")
    book, failed = folder / "book.jsonl", []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for entry in pool.map(lambda name: run(program, folder, name, options.minutes * 60), chosen):
            with open(book, "a") as file:
                file.write(json.dumps(entry) + "\n")
            past = [json.loads(line) for line in book.read_text().splitlines()]
            minutes = sum(one["seconds"] for one in past if one["target"] == entry["target"]) / 60
            print(f"{entry['target']}: {entry['inputs']:,} inputs, {entry['edges']:,} edges, {entry['new']} inputs "
                  f"reached new code; {minutes:.0f} minutes so far", flush=True)
            if entry["failed"]:
                failed.append(entry["target"])
                print(f"FAILED: {entry['target']}: {entry['kept']}\n  " + "\n  ".join(entry["last"]), flush=True)
    sys.exit(f"fuzz: failed: {', '.join(failed)}" if failed else 0)


main()
