"""Tables of results, for a terminal and in Markdown, and where they go in docs/notes/speed-tables.md."""

import os
import platform
import re

from thresholds import THRESHOLDS, simdutf_thresholds
from cases import GROUPS
from converters import ROOT, has_avx512, version

PAGE = ROOT / "docs/notes/speed-tables.md"


def _columns(group, converters):
    """Column heads of a table and whether each is right-aligned."""
    if group.name == "starts":
        times = ["CPU, ms", "charpipe, ms", *(f"{converter}, ms" for converter in converters)]
        return ["Pair"], [*times, "threshold", "met"]
    text = "Input" if group.name == "errors" else "Text"
    extra = [group.reference] if group.reference else []
    return ["Pair", text], ["GB/s", *(f"× {name}" for name in [*extra, *converters]), "threshold", "met"]


def cells(group, converters, result):
    """A line of the table of a group."""
    row = result.row
    judged = result.thresholds()
    met = [met for _, met in judged]
    last = [", ".join(str(threshold) for threshold, _ in judged) or "-"]
    last.append("NO" if False in met else "yes" if True in met else "-")
    if group.name == "starts":
        times = (result.milliseconds.get(name) for name in ["CPU", "charpipe", *converters])
        return [row.pair, *("-" if t is None else f"{t:.2f}" for t in times), *last]
    names = [*([group.reference] if group.reference else []), *converters]
    found = (result.ratios.get(name) for name in names)
    ratios = ["-" if pair is None else f"{pair[0]:.2f} ±{pair[1]:.2f}" for pair in found]
    speed = "wrong" if result.wrong else f"{result.speed / 1e9:.3f}"
    return [row.pair, row.text, speed, *ratios, *last]


def heads(group, converters):
    """The first two lines of a table in Markdown."""
    left, right = _columns(group, converters)
    marks = ["---"] * len(left) + ["---:"] * len(right)
    return [f"| {' | '.join(left + right)} |", f"|{'|'.join(marks)}|"]


def markdown(line):
    return f"| {' | '.join(line)} |"


def plain(line, group, converters):
    """A line in columns: text to the left, figures to the right.

    Columns are wide enough for every cell, so that lines can be printed as they come.
    """
    left, right = _columns(group, converters)
    widths = [26, 38 if group.name == "errors" else 8][: len(left)]
    cells = [f"{cell:<{width}}" for cell, width in zip(line, widths)]
    for cell, head in zip(line[len(left) :], right):
        width = {"GB/s": 5, "met": 5, "threshold": 30}.get(head, max(12, len(head)))
        cells.append(f"{cell:>{width}}")
    return "  ".join(cells)


def plain_heads(group, converters):
    left, right = _columns(group, converters)
    return [plain(left + right, group, converters)]


def notes(results):
    """Why some figures are missing or not of equal work, one line for each program and reason."""
    sections = {}
    for result in results:
        for remark in result.remarks:
            sections.setdefault(remark, []).append(result.row.label)
    lines = [f"- {name}: {why} ({'; '.join(rows)})" for (name, why), rows in sections.items()]
    return ["", *lines] if lines else []


def machine(options, converters):
    """What the figures hang on: processor, system, versions, and how the program was called."""
    model = "unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"model name\s*:\s*(.+)", file.read())
        model = found[1] if found else model
    lines = [
        f"- {os.cpu_count()} × {model}, {platform.system()} {platform.release().split('-')[0]}",
        f"- AVX-512 is {'used' if has_avx512() else 'not used'}",
        f"- {options.size} MiB of input, {4 * options.size} of UTF-8, UTF-16, UTF-32 and single-byte encodings; {options.rounds} rounds, "
        f"{options.clock} time",
    ]
    return lines + [f"- `{name}`: {version(name)}" for name in converters]


def summary(results):
    """How many thresholds there are and which are not met."""
    held = [(result, *judged) for result in results for judged in result.thresholds()]
    kept = sum(met is True for _, _, met in held)
    unknown = sum(met is None for _, _, met in held)
    lines = [f"Of {len(held)} thresholds {kept} are met."]
    if unknown:
        lines[0] += f" {unknown} could not be judged, because the converter is not installed."
    missed = [f"- {r.row.label}: {threshold}" for r, threshold, met in held if met is False]
    return lines + (["", "Not met:", "", *missed] if missed else [])


def thresholds():
    """The table of thresholds."""
    titles = {group.name: group.title for group in GROUPS}
    lines = ["| Rows | Text | Threshold |", "|---|---|---|"]
    return lines + [f"| {titles[threshold.group]} | {threshold.rows} | {threshold} |" for threshold in THRESHOLDS + simdutf_thresholds()]


def replace_section(page, name, lines):
    """A page with these lines between the marks of a name."""
    begin, end = f"<!-- converters: {name} -->", f"<!-- end: {name} -->"
    if begin not in page or end not in page:
        raise ValueError(f"{PAGE.name} has no markers for {name}: {begin} and {end}")
    before, rest = page.split(begin, 1)
    after = rest.split(end, 1)[1]
    return "\n".join([before + begin, "", *lines, "", end]) + after


def page_summary(page, level):
    """How many rows of the tables of a page have a threshold and meet theirs. `level` is the suffix of the tables'
    names."""
    names = [f"{group.name}{level}" for group in GROUPS]
    pattern = r"<!-- converters: ([\w-]+) -->(.*?)<!-- end: \1 -->"
    tables = [found[2] for found in re.finditer(pattern, page, re.DOTALL) if found[1] in names]
    rows = [line.strip("| ").split(" | ") for table in tables for line in table.splitlines() if line.startswith("| ")]
    judged = [row for row in rows if row[-1] in ("yes", "NO")]
    met = sum(row[-1] == "yes" for row in judged)
    return [f"Of {len(judged)} rows with thresholds {met} meet all of theirs; the others have NO in the last column."]


def write(sections, level):
    """Replaces the marked lines in docs/notes/speed-tables.md, and the summary of its tables."""
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in sections.items():
        page = replace_section(page, f"{name}{level}", lines)
    page = replace_section(page, f"summary{level}", page_summary(page, level))
    PAGE.write_text(page, encoding="utf-8")
