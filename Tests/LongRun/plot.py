# Draws a day's memory and descriptors as an SVG. SPDX-License-Identifier: Apache-2.0

WIDTH, LEFT, RIGHT, TOP, PANEL, SPACE = 960, 64, 24, 40, 170, 56
HOURS = 8
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #222 } .grid { stroke: #ccc } .server { stroke: #b3261e }
.client { stroke: #1f5fa8; stroke-opacity: .55 } path { fill: none; stroke-width: 1.6 }
.event { stroke: #888; stroke-dasharray: 3 3 } .ground { fill: #fff }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .grid { stroke: #444 } .ground { fill: #15181c } .server { stroke: #ff8a80 }
  .client { stroke: #8ab4f8 }
}"""


def ceiling(value):
    """The next of 1, 2, 5, 10, 20, ... above a value."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if factor * step >= value:
                return factor * step
        step *= 10


def panel(number, title, lines, record):
    """One diagram; a line is a class and its points, of seconds and values, with None where there is no process."""
    top = TOP + number * (PANEL + SPACE)
    most = ceiling(max(value for _, points in lines for _, value in points if value is not None))

    def x(second):
        return LEFT + (WIDTH - LEFT - RIGHT) * second / record["seconds"]

    def y(value):
        return top + PANEL * (1 - value / most)

    parts = [f'<text x="{LEFT}" y="{top - 12}" font-weight="600">{title}</text>']
    for step in range(5):
        value = most * step / 4
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for hour in range(HOURS + 1):
        place = x(record["seconds"] * hour / HOURS)
        parts.append(f'<text x="{place:.1f}" y="{top + PANEL + 18}" text-anchor="middle">{hour} h</text>')
    for second, _ in record["events"]:
        parts.append(f'<line class="event" x1="{x(second):.1f}" x2="{x(second):.1f}" y1="{top}" y2="{top + PANEL}"/>')
    for name, points in lines:
        path, is_begun = [], False
        for second, value in points:
            if value is None:
                is_begun = False
                continue
            path.append(f"{'L' if is_begun else 'M'}{x(second):.1f} {y(value):.1f}")
            is_begun = True
        parts.append(f'<path class="{name}" d="{"".join(path)}"/>')
    return parts


def draw(record):
    # More points than this are not seen at this size.
    samples = record["samples"][:: -(-len(record["samples"]) // 360)]
    names = list(samples[0][1])

    def lines(what, scale):
        return [
            ("server" if name == "server" else "client",
             [(s, found[name][what] / scale if found[name] else None) for s, found, _ in samples])
            for name in reversed(names)
        ]

    calls = [(s, count) for s, _, count in samples]
    height = TOP + 3 * (PANEL + SPACE)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>Memory and descriptors of a server and ten clients through a day of eight hours</title>",
        f"<style>{STYLE}</style>", f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
        *panel(0, "Memory in MB: the server (red), ten clients (blue); dashed: restarts and storms", lines(0, 1e6), record),
        *panel(1, "Open descriptors", lines(1, 1), record),
        *panel(2, "Calls of all people so far", [("client", calls)], record), "</svg>",
    ]
    return "\n".join(parts) + "\n"
