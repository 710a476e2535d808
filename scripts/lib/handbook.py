"""The pages of `docs` as a DocC catalogue. SPDX-License-Identifier: Apache-2.0"""

import re
import shutil
import sys
import urllib.parse

import markdown

NAME = "Handbook"
# Old figures, and lists that only the tests read.
LEFT_OUT = ("archive", "reference")
ITEM = re.compile(r"^(?:- |\d+\. )\[.*?\]\(([^)#]+\.md)\)")


def _name(path):
    """Returns the name of a page in the catalogue, in which all pages have one folder."""
    parts = list(path.with_suffix("").parts)
    if parts == ["README"]:
        return NAME
    return "-".join(parts[:-1] if parts[-1] == "README" else parts)


def _fragment(heading):
    """Returns the anchor that DocC gives a heading."""
    return urllib.parse.quote(re.sub(r"[\s-]+", "-", heading).translate({ord(c): None for c in "'\"`"}))


def _topics(text, names, page):
    """Returns the groups of the index as DocC's topics: each heading with the pages that its list names."""
    groups = []
    for line in text.split("\n"):
        if line.startswith("## "):
            groups.append((line[3:], []))
        elif match := ITEM.match(line):
            groups[-1][1].append(names[(page.parent / match.group(1)).resolve()])
    listed = {name for _, group in groups for name in group} | {NAME}
    # The pages of a folder are listed on the folder's own page.
    missing = {name for other, name in names.items() if name not in listed and (
        other.parent == page.parent or other.name == "README.md" or other.with_name("README.md") not in names)}
    if missing:
        sys.exit(f"site: docs/README.md does not name {', '.join(sorted(missing))}")
    return "## Topics\n\n" + "\n".join(
        f"### {title}\n\n" + "".join(f"- <doc:{name}>\n" for name in group) for title, group in groups)


def _convert(text, page, names, images):
    """Returns a page with the links of DocC. A link to a file that is no page keeps its words only."""
    parts, end = [], 0
    for start, after, target in markdown.links(text):
        words = text[start:text.rindex("](", start, after) + 1]
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        if text[start - 1:start] == "!":
            images.add(file)
            link = f"{words}({file.name})"
        elif markdown.ADDRESS.match(target):
            link = f"{words}({target})"
        elif file in names:
            heading = markdown.anchors(file.read_text()).get(anchor)
            link = f"{words}(doc:{names[file]}{'#' + _fragment(heading) if heading else ''})"
        else:
            link = words[1:-1]
        parts += [text[end:start], link]
        end = after
    return "".join(parts) + text[end:]


def write(docs, catalog):
    """Writes the catalogue into a folder."""
    if catalog.exists():
        shutil.rmtree(catalog)
    catalog.mkdir(parents=True)
    pages = [page for page in sorted(docs.rglob("*.md")) if page.relative_to(docs).parts[0] not in LEFT_OUT]
    names = {page: _name(page.relative_to(docs)) for page in pages}
    images = set()
    for page, name in names.items():
        text = page.read_text()
        if name == NAME:
            title, intro, *_ = text.split("\n\n")
            metadata = "@Metadata {\n    @TechnologyRoot\n}"
            text = "\n\n".join([title, metadata, _convert(intro, page, names, images), _topics(text, names, page)])
        else:
            text = _convert(text, page, names, images)
            if page.name == "README.md":
                inner = [names[other] for other in pages if other.parent == page.parent and other != page]
                text += "\n## Topics\n\n### Pages\n\n" + "".join(f"- <doc:{other}>\n" for other in inner)
        (catalog / f"{name}.md").write_text(text)
    for image in images:
        shutil.copy(image, catalog / image.name)
