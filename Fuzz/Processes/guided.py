#!/usr/bin/env python3
"""Runs fuzz targets under libFuzzer, which keeps the inputs that reach new code. SPDX-License-Identifier: Apache-2.0"""

import argparse
import concurrent.futures
import fnmatch
import glob
import hashlib
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
that reach new code stay in the folder and are the beginning of the next run; a book there notes the time of each
target. An input that traps, hangs, takes too much memory or is read wrongly goes to Fuzz/Corpus/TARGET.

With --merge it runs nothing new: of the inputs in the folder it copies those to Fuzz/Corpus/TARGET that together reach
the most code within the limits of a corpus, for every run to replay. With --table it adds
the book's runs to the table of docs/fuzzing.md."""

# A corpus is a part of the repository: so many inputs, of so many bytes together, for each target.
MOST_INPUTS, MOST_BYTES = 64, 32_768
PAGE = ROOT / "docs/fuzzing.md"
TABLE_BEGIN, TABLE_END = "<!-- guided runs -->\n", "<!-- end of guided runs -->\n"

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
    parser.add_argument(
        "targets", nargs="+", metavar="TARGET", help="a name of `scripts/fuzz list`, part of one with a star, or `all`")
    parser.add_argument("--minutes", type=float, default=1, help="for each target (1)")
    parser.add_argument("--jobs", type=int, default=2, help="targets at once (2)")
    parser.add_argument("--folder", default=".build/guided", help="for the build, the inputs and the book")
    parser.add_argument("--no-build", action="store_true", help="use the build of the last time")
    parser.add_argument("--merge", action="store_true", help="choose the corpus from the inputs of earlier runs")
    parser.add_argument("--table", action="store_true", help="write the book to docs/fuzzing.md at the end")
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
    (folder / "commit").write_text(commit())


def commit():
    """The commit of the sources; with a plus if they have changes."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], text=True, stdout=subprocess.PIPE).stdout.strip()
    return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain", *FOLDERS) else "")


def built_commit(folder):
    file = folder / "commit"
    return file.read_text() if file.exists() else ""


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
        "date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": built_commit(folder),
    }


def features(program, folder, target, inputs):
    """The features of code that each input reaches, by its path.

    It is the first half of libFuzzer's merge for a set cover; the other half knows no limits.
    """
    control = folder / f"{target}.merge"
    control.write_text("".join(f"{line}\n" for line in [len(inputs), 0, *inputs]))
    code = subprocess.run(
        [program, "guided", target, "-merge_inner=2", f"-merge_control_file={control}", "-timeout=20",
         "-rss_limit_mb=1024"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder).returncode
    found, last = {}, None
    for line in control.read_text().splitlines()[2 + len(inputs):]:
        kind, number, *rest = line.split()
        if kind == "STARTED":
            last = inputs[int(number)]
        elif kind == "FT":
            found[inputs[int(number)]] = set(map(int, rest))
    control.unlink()
    if code:
        sys.exit(f"fuzz: {target} ends with {code} at {last}; scripts/fuzz guided {target} keeps such inputs.")
    return found


def choose(reached):
    """The inputs that reach the most features within the limits of a corpus, the most rewarding one first."""
    chosen, bytes_left = [], MOST_BYTES
    # The share of the limits that an input takes.
    costs = {path: 1 / MOST_INPUTS + path.stat().st_size / MOST_BYTES for path in reached}
    while reached and len(chosen) < MOST_INPUTS:
        reached = {path: its for path, its in reached.items() if its and path.stat().st_size <= bytes_left}
        if not reached:
            break
        best = max(reached, key=lambda path: len(reached[path]) / costs[path])
        chosen.append(best)
        bytes_left -= best.stat().st_size
        covered = reached.pop(best)
        reached = {path: its - covered for path, its in reached.items()}
    return chosen


def merge(program, folder, target):
    """Chooses the corpus of a target anew; inputs that failed once stay beside it."""
    corpus = ROOT / "Fuzz/Corpus" / target
    old = sorted(corpus.glob("cover-*"))
    inputs = [*old, *sorted((folder / "inputs" / target).glob("*"))]
    if not inputs:
        return f"{target}: no inputs of earlier runs"
    reached = features(program, folder, target, inputs)
    # Every run reads the samples, which stand in this folder beside the corpus.
    present = {path.read_bytes() for path in corpus.glob("*")}
    samples = [path for path in sorted((folder / "samples" / target).glob("*")) if path.read_bytes() not in present]
    known = set().union(*features(program, folder, target, samples).values())
    chosen = choose({path: its - known for path, its in reached.items()})
    covered, everything = (known.union(*(reached[path] for path in paths)) for paths in [chosen, reached])
    content = [path.read_bytes() for path in chosen]
    for path in old:
        path.unlink()
    corpus.mkdir(parents=True, exist_ok=True)
    for one in content:
        (corpus / f"cover-{hashlib.sha256(one).hexdigest()[:16]}").write_bytes(one)
    return (f"{target}: the samples reach {len(known):,} features, and {len(content)} inputs of "
            f"{sum(map(len, content)):,} bytes {len(covered):,}, of {len(everything):,} that {len(inputs):,} inputs reach")


def known_rows():
    """The rows of the page, by target: seconds, inputs, and the cells of the last run."""
    rows = {}
    for line in PAGE.read_text().split(TABLE_BEGIN)[1].split(TABLE_END)[0].splitlines()[2:]:
        target, minutes, inputs, *last = [cell.strip() for cell in line.strip("|").split("|")]
        rows[target] = [float(minutes) * 60, int(inputs.replace(",", "")), last]
    return rows


def runs_of(book):
    return [json.loads(line) for line in book.read_text().splitlines()] if book.exists() else []


def table(book):
    """Adds the runs of the book to the page's rows; they leave the book, so that none is added twice.

    The page knows the runs of all machines, the book those of this one since the last table.
    """
    entries = known_rows()
    for one in runs_of(book):
        row = entries.setdefault(one["target"], [0, 0, []])
        row[0] += one["seconds"]
        row[1] += one["inputs"]
        row[2] = [f"{one['edges']:,}", one.get("date", ""), one.get("commit", "")]
    rows = ["| target | minutes | inputs | edges | last run | commit |", "|---|---|---|---|---|---|"]
    for target, (seconds, inputs, last) in sorted(entries.items()):
        rows.append(f"| {target} | {seconds / 60:.1f} | {inputs:,} | {' | '.join(last)} |")
    head, rest = PAGE.read_text().split(TABLE_BEGIN)
    PAGE.write_text(head + TABLE_BEGIN + "\n".join(rows) + "\n" + TABLE_END + rest.split(TABLE_END)[1])
    book.unlink(missing_ok=True)


def main():
    options = arguments()
    folder = (ROOT / options.folder).resolve()
    program = folder / "build/release/RoostFuzz"
    if not options.no_build:
        build(folder)
    shutil.rmtree(folder / "samples", ignore_errors=True)
    subprocess.run([program, "samples", folder / "samples"], check=True)
    names = subprocess.run([program, "list"], check=True, text=True, stdout=subprocess.PIPE).stdout.split()
    chosen = []
    for target in options.targets:
        matches = [name for name in names if target == "all" or fnmatch.fnmatchcase(name, target)]
        if not matches:
            sys.exit(f"fuzz: there is no target {target}; scripts/fuzz list names them.")
        chosen += [name for name in matches if name not in chosen]
    if options.merge:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for line in pool.map(lambda name: merge(program, folder, name), chosen):
                print(line, flush=True)
        return
    book, before, failed = folder / "book.jsonl", known_rows(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for entry in pool.map(lambda name: run(program, folder, name, options.minutes * 60), chosen):
            with open(book, "a") as file:
                file.write(json.dumps(entry) + "\n")
            seconds = sum(one["seconds"] for one in runs_of(book) if one["target"] == entry["target"])
            minutes = (before.get(entry["target"], [0])[0] + seconds) / 60
            print(f"{entry['target']}: {entry['inputs']:,} inputs, {entry['edges']:,} edges, {entry['new']} inputs "
                  f"reached new code; {minutes:.0f} minutes so far", flush=True)
            if entry["failed"]:
                failed.append(entry["target"])
                print(f"FAILED: {entry['target']}: {entry['kept']}\n  " + "\n  ".join(entry["last"]), flush=True)
    if options.table:
        table(book)
    sys.exit(f"fuzz: failed: {', '.join(failed)}" if failed else 0)


main()
