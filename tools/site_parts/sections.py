"""The sections of the site and their pages, by navigation.txt."""
import fnmatch
import re

from pages import Fault, slug

ADDRESSES = {"README.md": "tour", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
MADE = ("pictures", "references", "examples/programs")  # pages that no file of the repository is


class Section:
    def __init__(self, name, title):
        self.name, self.title, self.about, self.lines, self.pages = name, title, "", [], []


def sections_of(text):
    sections = []
    for line in text.split("\n"):
        found = re.fullmatch(r"section ([a-z]+): (.+)", line)
        if found:
            sections.append(Section(*found.groups()))
        elif line.startswith("  "):
            sections[-1].about = line.strip()
        elif line and not line.startswith("#"):
            path, _, title = line.partition(" = ")
            sections[-1].lines.append((path.strip(), title.strip()))
    return sections


def placed(sections, available):
    """[(section, path, title)] of all lines; a page of `available` that is in none or in two, or a line without a page, is a fault."""
    rows = []
    for section in sections:
        for line, title in section.lines:
            found = sorted(fnmatch.filter(available, line)) if "*" in line else [line]
            if not found or ("*" not in line and line.partition("#")[0] not in available and line not in MADE):
                raise Fault(f"tools/site_parts/navigation.txt: {line}: there is no such page")
            rows += [(section, path, title) for path in found]
    paths = [path for _, path, _ in rows]
    missing = [path for path in available if path not in paths]
    if missing:
        raise Fault(f"{missing[0]} is in no section: add it to tools/site_parts/navigation.txt")
    twice = [path for path in set(paths) if paths.count(path) > 1]
    if twice:
        raise Fault(f"tools/site_parts/navigation.txt: {twice[0]} is there twice")
    return rows


def address_of(path, title):
    if "#" in path:
        return slug(title)
    return ADDRESSES.get(path) or path.removeprefix("docs/").removesuffix(".md")
