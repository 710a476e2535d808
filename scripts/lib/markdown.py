"""Links and headings of Markdown pages. SPDX-License-Identifier: Apache-2.0"""

import os
import pathlib
import re
import shutil
import subprocess
import urllib.parse

FENCE = re.compile(r"^ *(`{3,}(?=[^`]*$)|~{3,})(.*)$")
CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
TARGET = re.compile(r"\]\(([^()\s]+)\)")
# Links that TARGET does not read, each with what to write in its place.
UNREAD = {
    "is a link of an unknown form: write [words](target)": re.compile(r"\]\((?![^()\s]+\))"),
    "is a definition: write the target behind the words": re.compile(r"^ {0,3}\[[^\]\n]+\]:(?=\s)", re.MULTILINE),
    "is a link in HTML: write [words](target)": re.compile(r"<(?:img|a)\b", re.IGNORECASE),
}
ADDRESS = re.compile(r"(?:https?|mailto):")
HEADING = re.compile(r"^#{1,6} +(.+?) *$")


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def mask(text):
    """Returns the text with its code blanked out, at the same offsets."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark, words = match.groups() if (match := FENCE.match(line)) else ("", "")
        is_code = bool(fence or mark)
        if not fence:
            fence = mark
        elif mark.startswith(fence) and not words.strip():
            fence = ""
        lines.append(" " * len(line) if is_code else line)
    # A pair of code marks never spans two paragraphs.
    return "\n\n".join(CODE.sub(_blank, part) for part in "\n".join(lines).split("\n\n"))


def links(text):
    """Yields the links of a page: the place of the text's bracket, that after the link, and the target."""
    masked = mask(text)
    for match in TARGET.finditer(masked):
        start, depth = match.start(), 1
        while depth and start > 0:
            start -= 1
            depth += {"]": 1, "[": -1}.get(masked[start], 0)
        yield start, match.end(), match.group(1)


def headings(text):
    """Returns the headings of a page, in order."""
    masked = mask(text).split("\n")
    return [HEADING.match(line).group(1) for line, code in zip(text.split("\n"), masked) if HEADING.match(code)]


def anchors(text):
    """Returns the headings of a page by the anchors that GitHub gives them."""
    found = {}
    for heading in headings(text):
        plain = re.sub(r"\]\([^)]*\)|[`\[\]*]", "", heading)
        anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        name, count = anchor, 0
        while name in found:
            count += 1
            name = f"{anchor}-{count}"
        found[name] = heading
    return found


def _tracked(root):
    """Returns the files and folders that a clone has; None outside of one."""
    if not (root / ".git").exists() or not shutil.which("git"):
        return None
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    if listed.returncode != 0:
        return None
    files = [root / name for name in listed.stdout.split("\0") if name]
    return {place for file in files for place in [file, *file.parents]}


def broken_links(root):
    """Returns a line for each link of the repository's Markdown that leads to no file, folder or heading."""
    pages = []
    for folder, folders, names in os.walk(root):
        # DocC checks the links between the pages of a catalogue itself.
        folders[:] = [name for name in folders if not name.startswith(".") and not name.endswith(".docc")
                      and root / "tmp" != pathlib.Path(folder) / name]
        pages += [pathlib.Path(folder) / name for name in names if name.endswith(".md")]
    complaints, count, tracked = [], 0, _tracked(root)
    for page in sorted(pages):
        text = page.read_text()
        masked = mask(text)
        for problem, form in UNREAD.items():
            for match in form.finditer(masked):
                line = text.count("\n", 0, match.start()) + 1
                complaints.append(f"{page.relative_to(root)}:{line}: {match.group()} {problem}")
        for start, _, target in links(text):
            if ADDRESS.match(target):
                continue
            count += 1
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            file = (page.parent / path).resolve() if path else page
            place = f"{page.relative_to(root)}:{text.count(chr(10), 0, start) + 1}"
            if not file.is_relative_to(root) or not file.exists():
                complaints.append(f"{place}: {target} does not exist")
            elif tracked is not None and file not in tracked:
                complaints.append(f"{place}: {target} is not in the repository")
            elif anchor and (file.suffix != ".md" or anchor not in anchors(file.read_text())):
                complaints.append(f"{place}: {target} names no heading")
    if count == 0:
        complaints.append("the pages have no links: this check reads them wrongly")
    return complaints
