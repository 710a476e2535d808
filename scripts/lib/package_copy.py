"""A package of the same sources with other settings. SPDX-License-Identifier: Apache-2.0"""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def prepare(folder, addition, links):
    """Makes a package in a folder: the manifest with an addition, and links to folders of the checkout.

    Returns its place, for `swift build --package-path`.
    """
    package = folder / "package"
    package.mkdir(parents=True, exist_ok=True)
    manifest = (ROOT / "Package.swift").read_text() + addition
    place = package / "Package.swift"
    # A manifest with a new date is compiled again.
    if not place.exists() or place.read_text() != manifest:
        place.write_text(manifest)
    for name in links:
        link = package / name
        if not link.is_symlink():
            link.symlink_to(ROOT / name)
    return package
