"""Pages of the repository as pages of the site: without what is for tests only, and with links that lead somewhere there."""
import os
import posixpath
import re

FENCE = re.compile(r"^( *)(`{3,}) *(.*)$")
CODE = re.compile(r"(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")
KEY = re.compile(r"\b[a-z]+[0-9]{4}[a-z]*\b")
CITED = re.compile(r"(?<!\])\[([a-z]+[0-9]{4}[a-z]*\b[^\[\]`]*)\](?!\()")
COMMENT = re.compile(r"<!--.*?-->", re.S)
LANGUAGES = {"sh": "sh", "stan": "stan", "cpp": "cpp", "hpp": "cpp", "c": "c", "h": "c", "json": "json", "r": "r", "python": "python",
             "py": "python", "bibtex": "bibtex", "txt": "cmake", "csv": "text"}


class Fault(Exception):
    """What is wrong with a page, and the way out."""


def pieces(text):
    """[(code?, text)]: fenced blocks, fences included, and what stands between them. Comments may hold no fence."""
    parts, lines, at = [], text.split("\n"), 0
    prose = []
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if not fence:
            prose.append(lines[at])
            at += 1
            continue
        end = next(k for k in range(at + 1, len(lines)) if lines[k].strip() == fence[2])
        kind = LANGUAGES.get((fence[3].split() or [""])[0], "text")
        parts += [(False, "\n".join(prose)), (True, "\n".join([f"{fence[1]}{fence[2]}{kind}", *lines[at + 1:end + 1]]))]
        prose, at = [], end + 1
    return [*parts, (False, "\n".join(prose))]


def outside_code(text, change):
    """`change` of what stands outside of code between backticks."""
    out, at = [], 0
    for found in CODE.finditer(text):
        out += [change(text[at:found.start()]), found[0]]
        at = found.end()
    return "".join([*out, change(text[at:])])


def title_of(text):
    return next((line[2:].strip() for line in text.split("\n") if line.startswith("# ")), "")


def slug(heading):
    """A heading's anchor, as forges and the site make it."""
    heading = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", ""))
    return heading.strip().replace(" ", "-")


def without_markup(text):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\s+", " ", re.sub(r"\*+(?=\w)|(?<=[\w.?!])\*+|`", "", CITED.sub("", text))).strip()


def lead_of(text):
    """The first sentence below the title, without its markup; that of a question is all of it."""
    for code, part in pieces(text):
        for paragraph in [] if code else COMMENT.sub("", part).split("\n\n"):
            words = without_markup(paragraph.removeprefix("**Question.** "))
            if words and not words.startswith(("#", "|", "- ", "1. ", "Sections of")):
                sentence = re.match(r".{25,}?[.?](?= [A-Z]|$)|.*", words)[0]
                return sentence.rstrip(":") if len(sentence) < 240 else sentence[:sentence.rindex(" ", 0, 220)] + " ..."
    return ""


def section_of(text, anchor):
    """From the heading with this anchor to the next one of its level, as a page."""
    parts, level = [], 0
    for code, part in pieces(text):
        for line in [part] if code else part.split("\n"):
            heading = None if code else re.match(r"(#+) (.*)", line)
            if heading and not level and slug(heading[2]) == anchor:
                level = len(heading[1])
            elif heading and level and len(heading[1]) <= level:
                return "\n".join(parts)
            elif level:
                parts.append(line)
    if not level:
        raise Fault(f"there is no heading with the anchor {anchor}")
    return "\n".join(parts)


class Page:
    """source: its path in the repository, or empty; address: that on the site, without an ending."""

    def __init__(self, source, address, text, title=""):
        self.source, self.address, self.text = source, address, text
        self.title = title or title_of(text)
        self.short = title or re.sub(r":.*", "", self.title.replace("`", ""))


class Site:
    """All pages; what is linked outside of them becomes a page with the file's text."""

    def __init__(self, root, keys):
        self.root, self.keys = root, keys
        self.pages, self.by_source, self.sources, self.copies = {}, {}, {}, {}

    def add(self, page):
        if page.address in self.pages:
            raise Fault(f"two pages have the address {page.address}")
        self.pages[page.address] = page
        if page.source and "#" not in page.source:
            self.by_source[page.source] = page.address

    def relative(self, page, address):
        """An address as seen from a page; without an ending, as it came."""
        return posixpath.relpath(address + "$", posixpath.dirname(page.address) or ".").removesuffix("$")

    def target(self, page, link):
        """A link of the repository as one of the site."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        path, _, anchor = link.partition("#")
        source = page.source.partition("#")[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        anchor = "#" + anchor if anchor else ""
        if path in self.by_source:
            return self.relative(page, self.by_source[path] + ".md") + anchor
        section = path.removeprefix("docs/") + "/index"
        if os.path.isdir(os.path.join(self.root, path)) and section in self.pages:
            return self.relative(page, section + ".md")
        if not os.path.exists(os.path.join(self.root, path)):
            raise Fault(f"{source}: the link {link} leads to {path}, which isn't there")
        if path.endswith((".svg", ".png", ".csv")):
            copy = path.removeprefix("docs/")
            self.copies[copy] = path
            return self.relative(page, copy)
        return self.relative(page, self.source_page(path) + ".md") + anchor

    def source_page(self, path):
        address = "source/" + path
        if path not in self.sources:
            self.sources[path] = Page("", address, files_page(self.root, path))
            self.pages[address] = self.sources[path]
        return address

    def prepared(self, page):
        """The text that the generator reads."""
        if not page.source:
            return page.text
        out = []
        for code, part in pieces(page.text):
            out.append(part if code else outside_code(COMMENT.sub("", part), lambda text: self.linked(page, text)))
        return "\n".join(out)

    def linked(self, page, text):
        text = LINK.sub(lambda m: f"]({self.target(page, m[1])})", text)
        return CITED.sub(self.cited, text)

    def cited(self, match):
        """A key leads to its entry, whose label is the key itself."""
        return "\\[" + KEY.sub(lambda key: f"[{key[0]}]({key[0]})" if key[0] in self.keys else key[0], match[1]) + "\\]"


def files_page(root, path):
    place = os.path.join(root, path)
    names = [path] if os.path.isfile(place) else [path + "/" + name for name in sorted(os.listdir(place)) if os.path.isfile(place + "/" + name)]
    parts = [f"# {path}\n"]
    for name in names:
        if len(names) > 1:
            parts.append(f"## {posixpath.basename(name)}\n")
        with open(os.path.join(root, name), encoding="utf-8") as file:
            parts.append(code_block(name, file.read()))
    return "\n".join(parts)


def code_block(name, text):
    kind = LANGUAGES.get(name.rsplit(".", 1)[-1], "text")
    fence = "`" * (3 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}\n"
