"""Figures of the catalogues for dark pages. SPDX-License-Identifier: Apache-2.0"""

import re
import shutil
import sys

# Each colour of the figures, and the one in its place on a dark page.
DARK = {
    "#ffffff": "#1b2027",  # the ground
    "#f2f5f9": "#262d36",  # a part
    "#5b6b7c": "#9aa7b5",  # a line
    "#1d1d1f": "#eef1f4",  # words
    "#56606b": "#b3bcc6",  # words that explain
    "#0b5cad": "#7ab8f5",  # a line that matters
    "#dcebfa": "#17344f",  # a part that matters
    "#b3401f": "#f0a080",  # a line that warns
    "#fbe6df": "#4a2a20",  # a part that warns
}


# The values of a paint that are no colour.
NO_COLOUR = re.compile(r"none|inherit|url\(#[\w-]+\)")
PAINT = re.compile(r"(?:\b(?:fill|stroke|stop-color|flood-color|lighting-color|color))(?:=[\"']|:)\s*([^\"';}]+)")
CODE = re.compile(r"#[0-9a-fA-F]{3,8}\b(?!\))|\b(?:rgb|hsl)a?\([^)]*\)")


def _colours(text):
    """Returns the colours of a figure in each of their forms: of three digits, in capitals, by name or function."""
    paints = {value.strip() for value in PAINT.findall(text)}
    return {value for value in paints if not NO_COLOUR.fullmatch(value)} | set(CODE.findall(text))


def copy_with_dark_figures(catalog, folder):
    """Copies a catalogue, and adds a dark copy of each of its figures under the name that DocC looks for."""
    shutil.copytree(catalog, folder)
    for figure in folder.rglob("*.svg"):
        text = figure.read_text()
        strange = _colours(text) - set(DARK)
        if strange:
            sys.exit(f"site: {figure.name} has colours without a dark one: {', '.join(sorted(strange))}")
        if not re.search(r"<title>[^<]+</title>", text):
            sys.exit(f"site: {figure.name} has no title")
        figure.with_name(f"{figure.stem}~dark.svg").write_text(re.sub("#[0-9a-f]{6}", lambda m: DARK[m.group()], text))
