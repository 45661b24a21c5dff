"""Manual pages of `credo man` as pages of the site: options become anchors, and nothing of them is written twice."""
import re

ESCAPES = {"\\-": "-", "\\(aq": "'", "\\(ti": "~", "\\(ha": "^", "\\e": "\\", "\\&": ""}
ESCAPE = re.compile(r"\\\[u([0-9A-F]{4,6})\]|\\f[BIR]|\\-|\\\(aq|\\\(ti|\\\(ha|\\e|\\&")
MARKED = re.compile(r"([\\`*_{}\[\]<>#|~^$&])")


def plain(text):
    """Roff's escapes as characters."""
    return ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else ESCAPES.get(m[0], ""), text)


def escaped(text):
    """Text that Markdown shows as it is; what stands in backticks stays code."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(part if k % 2 else MARKED.sub(r"\\\1", part) for k, part in enumerate(parts))


class ManPage:
    """name, summary, synopsis, and sections: title -> [(kind, value)], of which kind is sub, item or text, in their order."""

    def __init__(self, source):
        self.sections = {}
        lines, at, section = source.split("\n"), 0, None
        while at < len(lines):
            line = lines[at]
            at += 1
            request, _, rest = line.partition(" ")
            if request == ".SH":
                section = self.sections.setdefault(plain(rest), [])
            elif request == ".SS":
                section.append(("sub", plain(rest)))
            elif request == ".TP":
                tag = lines[at].removeprefix(".B ")
                section.append(("item", (plain(tag), plain(lines[at + 1]))))
                at += 2
            elif request not in (".TH", ".nh", ".hy", ".nf", ".fi", ".BR") and line:
                if line.startswith("."):
                    raise ValueError(f"a manual page has the request {request}, which tools/site doesn't know: {line}")
                section.append(("text", plain(line)))
        self.name, _, self.summary = self.text("NAME").partition(" - ")
        self.synopsis = self.text("SYNOPSIS")

    def text(self, section):
        return "\n".join(value for kind, value in self.sections.get(section, []) if kind == "text")

    def items(self, section):
        return [value for kind, value in self.sections.get(section, []) if kind == "item"]


def option_block(tag, text):
    """A definition with an anchor of each of its names; Sphinx lists it in the index of options and the search."""
    return f"```{{option}} {tag}\n{escaped(text)}\n```\n"


def command_page(command, page, told, examples):
    """`told`: Markdown of the pages that tell the idea; `examples`: of the analyses that use the command."""
    parts = [f"# credo {command}\n", f"{escaped(page.summary[:1].upper() + page.summary[1:])}.\n",
             f"```text\n{page.synopsis}\n```\n"]
    if told:
        parts.append("**The idea**: " + ", ".join(told) + ".\n")
    if page.text("EXAMPLES"):
        parts.append(f"## Examples\n\n```sh\n{page.text('EXAMPLES')}\n```\n")
    if examples:
        parts.append("In whole analyses: " + ", ".join(examples) + ".\n")
    parts.append(f"## Options\n\n```{{program}} credo {command}\n```\n")
    for kind, value in page.sections["OPTIONS"]:
        parts.append(f"### {escaped(value)}\n" if kind == "sub" else option_block(*value))
    if page.text("OUTPUT"):
        parts.append(f"## Files and output\n\n{escaped(page.text('OUTPUT'))}\n")
    parts.append("## Exit status\n\n" + status_table(page) +
                 "\nThe same for every command; [which errors have which](../exit-status.md).\n")
    return "\n".join(parts)


def status_table(page):
    rows = [f"| {number} | {escaped(meaning)} |" for number, meaning in page.items("EXIT STATUS")]
    return "| status | meaning |\n|--:|---|\n" + "\n".join(rows) + "\n"
