"""Tables of results, for a terminal and in Markdown, and their place in docs/speed.md."""

import os
import platform
import re

from thresholds import BARS
from cases import GROUPS
from converters import ROOT, version

PAGE = ROOT / "docs/speed.md"


def _columns(group, peers):
    """Heads of a table and whether each stands to the right."""
    if group.name == "starts":
        times = ["CPU, ms", "charpipe, ms", *(f"{peer}, ms" for peer in peers)]
        return ["Pair"], [*times, "bar", "met"]
    text = "Input" if group.name == "faults" else "Text"
    extra = ["clean"] if group.name == "faults" else []
    return ["Pair", text], ["GB/s", *(f"× {name}" for name in [*extra, *peers]), "bar", "met"]


def cells(group, peers, result):
    """A line of the table of a group."""
    row = result.row
    bar, met = result.bar()
    last = [str(bar or "-"), {True: "yes", False: "NO", None: "-"}[met]]
    if group.name == "starts":
        times = (result.milliseconds.get(name) for name in ["CPU", "charpipe", *peers])
        return [row.pair, *("-" if t is None else f"{t:.2f}" for t in times), *last]
    names = [*(["clean"] if group.name == "faults" else []), *peers]
    found = (result.ratios.get(name) for name in names)
    ratios = ["-" if pair is None else f"{pair[0]:.2f} ±{pair[1]:.2f}" for pair in found]
    speed = "wrong" if result.wrong else f"{result.speed / 1e9:.3f}"
    return [row.pair, row.text, speed, *ratios, *last]


def heads(group, peers):
    """The first two lines of a table in Markdown."""
    left, right = _columns(group, peers)
    marks = ["---"] * len(left) + ["---:"] * len(right)
    return [f"| {' | '.join(left + right)} |", f"|{'|'.join(marks)}|"]


def markdown(line):
    return f"| {' | '.join(line)} |"


def plain(line, group, peers):
    """A line in columns: text to the left, figures to the right.

    Columns are wide enough for every cell, so that lines can be printed as they come.
    """
    left, right = _columns(group, peers)
    widths = [26, 38 if group.name == "faults" else 8][: len(left)]
    cells = [f"{cell:<{width}}" for cell, width in zip(line, widths)]
    for cell, head in zip(line[len(left) :], right):
        width = 5 if head in ("GB/s", "met") else max(12, len(head))
        cells.append(f"{cell:>{width}}")
    return "  ".join(cells)


def plain_heads(group, peers):
    left, right = _columns(group, peers)
    return [plain(left + right, group, peers)]


def notes(results):
    """Why some figures are missing or not of equal work, one line for each program and reason."""
    places = {}
    for result in results:
        for remark in result.remarks:
            places.setdefault(remark, []).append(result.row.label)
    lines = [f"- {name}: {why} ({'; '.join(rows)})" for (name, why), rows in places.items()]
    return ["", *lines] if lines else []


def machine(options, peers):
    """What the figures hang on: processor, system, versions, and how the program was called."""
    model = "unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"model name\s*:\s*(.+)", file.read())
        model = found[1] if found else model
    lines = [
        f"- {os.cpu_count()} × {model}, {platform.system()} {platform.release().split('-')[0]}",
        f"- {options.size} MiB of input, {options.rounds} rounds, {options.clock} time",
    ]
    return lines + [f"- `{name}`: {version(name)}" for name in peers]


def summary(results):
    """How many bars there are and which are not met."""
    judged = [(result, *result.bar()) for result in results]
    held = [(result, bar, met) for result, bar, met in judged if bar]
    kept = sum(met is True for _, _, met in held)
    unknown = sum(met is None for _, _, met in held)
    lines = [f"Of {len(held)} bars {kept} are met."]
    if unknown:
        lines[0] += f" {unknown} could not be judged, for want of the peer."
    missed = [f"- {r.row.label}: {bar}" for r, bar, met in held if met is False]
    return lines + (["", "Not met:", "", *missed] if missed else [])


def bars():
    """The table of bars."""
    titles = {group.name: group.title for group in GROUPS}
    lines = ["| Rows | Text | Bar |", "|---|---|---|"]
    return lines + [f"| {titles[bar.group]} | {bar.text} | {bar} |" for bar in BARS]


def place(page, name, lines):
    """A page with these lines between the marks of a name."""
    begin, end = f"<!-- peers: {name} -->", f"<!-- end: {name} -->"
    if begin not in page or end not in page:
        raise ValueError(f"{PAGE.name} has no place for {name}: {begin} and {end}")
    before, rest = page.split(begin, 1)
    after = rest.split(end, 1)[1]
    return "\n".join([before + begin, "", *lines, "", end]) + after


def write(places):
    """Puts lines in their places in docs/speed.md."""
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in places.items():
        page = place(page, name, lines)
    PAGE.write_text(page, encoding="utf-8")
