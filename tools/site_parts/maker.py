"""Makes the copy of the pages that the generator reads: those of the repository, prepared, and those that are made of the program's answers."""
import html
import importlib.machinery
import importlib.util
import json
import os
import posixpath
import re
import shutil
import subprocess

import man_page
import pages
import pictures
import references
from sections import address_of, MADE, placed, sections_of

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def load(path):
    """A program of tools/ as a module."""
    loader = importlib.machinery.SourceFileLoader(os.path.basename(path), os.path.join(ROOT, path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write_changed(path, data):
    """A file that stays as it is keeps its time, so that Sphinx reads only what changed; whether it did."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return False
    with open(path, "wb") as file:
        file.write(data)
    return True


def word_counts(site_pages):
    """For the order of search results: how often each page has a word, from twice on."""
    names, words = [], {}
    for page in site_pages.values():
        counts = {}
        for word in re.findall(r"[^\W\d_]{3,}", re.sub(r"\]\([^)]*\)", "]", page.text).lower()):
            counts[word] = counts.get(word, 0) + 1
        for word, count in counts.items():
            if count > 1:
                words.setdefault(word, []).extend((len(names), count))
        names.append(page.address)
    return f"const COUNTS = {json.dumps({'pages': names, 'words': words}, separators=(',', ':'))};\n"


class Maker:
    def __init__(self, credo, work, draw):
        self.credo, self.work = credo, work
        self.pictures = pictures.Pictures(ROOT, credo, os.path.join(ROOT, "build", "site_pictures"), draw)
        self.blocks_of = load("tools/check_docs").blocks_of
        self.entries = references.entries_of(read("docs/references.bib"))
        self.site = pages.Site(ROOT, self.entries)
        self.drawn = {}  # example -> rows of its pictures
        self.abouts = {row["name"]: row["about"] for row in json.loads(self.ask("examples", "--json"))}

    def ask(self, *words):
        return subprocess.run([self.credo, *words], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout

    def make(self, navigation):
        markdown = [path for path in self.files() if path.endswith(".md")]
        program = man_page.ManPage(self.ask("man"))
        self.commands = {name: man_page.ManPage(self.ask("man", name)) for name, _ in program.items("COMMANDS")}
        self.sections = sections_of(navigation)
        rows = placed(self.sections, markdown + ["commands/" + name for name in self.commands])
        order = list(self.abouts)
        for section, path, title in rows:
            section.pages.append(self.add(path, title))
        for section in self.sections:  # examples as the program lists them, from simple to special
            section.pages.sort(key=lambda page: order.index(posixpath.basename(page.address)) if page.source.startswith("docs/examples/") else len(order))
        self.draw()
        self.fill(program)
        return self.write()

    @staticmethod
    def files():
        found = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
        return sorted(found)

    def add(self, path, title):
        if path in MADE or path.startswith("commands/"):
            page = pages.Page("", path, "", title or path.removeprefix("commands/"))
        else:
            text = read(path.partition("#")[0])
            if "#" in path:
                text = f"# {title}\n" + pages.section_of(text, path.partition("#")[2])
            elif title:
                text = re.sub(r"^# .*", f"# {title}", text, count=1, flags=re.M)
            page = pages.Page(path, address_of(path, title), text, title)
        self.site.add(page)
        return page

    def draw(self):
        for page in list(self.site.pages.values()):
            if page.source.startswith("docs/examples/"):
                blocks = [block for block in self.blocks_of(page.source) if block.kind == "sh" and not block.reason]
                name = posixpath.basename(page.address)
                self.drawn[name] = self.pictures.of(name, "\n".join(block.code() for block in blocks))
        for row in (row for rows in self.drawn.values() for row in rows):
            row["copy"] = f"pictures/{row['example']}-{row['name']}.svg"
            row["kind"] = next(word for word in row["words"].split() if not word.endswith(".nc"))
            row["alt"] = html.unescape(re.search(r"<title>(.*?)</title>", open(row["file"], encoding="utf-8").read())[1])

    def fill(self, program):
        """The pages that are made here, when all others are known."""
        for section in self.sections:
            if len(section.pages) > 1:
                self.site.add(pages.Page("", section.name + "/index", "", section.title))
        for command, page in self.commands.items():
            self.site.pages["commands/" + command].text = self.command_page(command, page)
        self.site.pages["pictures"].text = self.kinds_page()
        self.site.pages["examples/programs"].text = self.programs_page()
        for page in self.site.pages.values():
            if page.source.startswith("docs/examples/"):
                page.text = self.example_page(page)
        self.site.pages["references"].text = references.page(self.entries, man_page.escaped, self.cited_by())
        for section in self.sections:
            if len(section.pages) > 1:
                self.site.pages[section.name + "/index"].text = self.section_page(section, program)
        self.site.add(pages.Page("", "index", self.home_page(), "Credo"))

    def markdown_pages(self):
        return [page for page in self.site.pages.values() if page.source and "#" not in page.source]

    def link(self, page, address, anchor=""):
        to = self.site.pages[address]
        return f"[{man_page.escaped(to.short)}]({self.site.relative(page, address)}.md{anchor})"

    def command_page(self, command, manual):
        page = self.site.pages["commands/" + command]
        words = re.compile(rf"\bcredo {re.escape(command)}(?![\w-])")
        examples = [self.link(page, other.address) for other in self.of_section("examples") if other.source and words.search(other.text)]
        return man_page.command_page(command, manual, self.told(page, words)[:4], examples)

    def of_section(self, *names):
        return [page for section in self.sections if section.name in names for page in section.pages]

    def told(self, page, words):
        """Links to what tells the idea of a command: sections with its name, else pages that begin with it, else pages that have it most."""
        headed, early, counted = [], [], []
        for other in self.of_section("start", "algorithms", "checks", "models", "interfaces", "adding", "reference", "design"):
            heading = next((line for line in other.text.split("\n") if re.match(r"#+ ", line) and words.search(line)), "")
            if heading:
                whole = heading.startswith("# ")
                text = man_page.escaped(pages.without_markup(heading.lstrip("# ")))
                headed.append(f"[{text}]({self.site.relative(page, other.address)}.md{'' if whole else '#' + pages.slug(heading.lstrip('# '))})")
            elif words.search(other.text[:600]) and not other.address.startswith("design/"):
                early.append((words.search(other.text).start(), self.link(page, other.address)))
            elif words.search(other.text):
                counted.append((-len(words.findall(other.text)), self.link(page, other.address)))
        return headed + [link for _, link in sorted(early)] or [link for _, link in sorted(counted)[:2]]

    def figure(self, page, row, caption):
        return (f"<figure><img src=\"{self.asset(page, row)}\" alt=\"{html.escape(row['alt'])}: {html.escape(row['shows'])}\" loading=\"lazy\">"
                f"<figcaption>{caption}</figcaption></figure>\n")

    def asset(self, page, row):
        """Pictures lie beside the pages as they are: their addresses are the same in the copy and on the site."""
        return self.site.relative(page, row["copy"])

    def example_page(self, page):
        name = posixpath.basename(page.address)
        rows = self.drawn[name]
        text = page.text
        if rows:
            head, mark, rest = text.partition("\n**Data.**")
            caption = f"{html.escape(rows[0]['shows'])} <code>credo plot {html.escape(rows[0]['words'])}</code>"
            text = head + "\n" + self.figure(page, rows[0], caption) + mark + rest
        if rows[1:]:
            text += "\n## Pictures\n\n" + "\n".join(
                self.figure(page, row, f"{html.escape(row['shows'])} <code>credo plot {html.escape(row['words'])}</code>") for row in rows[1:])
        text += "\n## Programs and data\n\n"
        for file in sorted(os.listdir(os.path.join(ROOT, "examples", name)), key=lambda file: (not file.endswith(".stan"), file)):
            lines = read(f"examples/{name}/{file}").split("\n")
            more = len(lines) - 9 if file.endswith(".csv") and len(lines) > 12 else 0
            shown = "\n".join(lines[:8] if more else lines)
            text += f"`{file}`" + (f", its first rows of {len(lines) - 2}" if more else "") + f":\n\n{pages.code_block(file, shown)}\n"
        return text

    def kinds_page(self):
        """One picture of each kind that `credo plot` names."""
        page = self.site.pages["pictures"]
        described = next(text for tag, text in self.commands["plot"].items("OPTIONS") if tag.startswith("FILES"))
        kinds = re.findall(r"([a-z_]+) \(((?:[^()]|\([^()]*\))*)\)", described.partition("kind of picture:")[2])
        parts = ["# All kinds of pictures\n", f"The {len(kinds)} kinds of `credo plot`, each drawn from a result of an "
                 f"[example]({self.site.relative(page, 'examples/index')}.md). With `-o` a picture is an SVG, PNG or PDF, without it characters in the "
                 f"terminal; [more on pictures and reports]({self.site.relative(page, 'report')}.md).\n"]
        for kind, about in kinds:
            rows = [row for rows in self.drawn.values() for row in rows if row["kind"] == kind]
            if kind not in pictures.UNSHOWN and not any(f" {kind}" in row[1] for rows in pictures.EXAMPLES.values() for row in rows):
                raise pages.Fault(f"credo plot has the kind {kind}, of which no example has a picture: add one in tools/site_parts/pictures.py")
            parts.append(f"## {kind}\n\n{man_page.escaped(about[:1].upper() + about[1:])}.\n")
            if kind in pictures.UNSHOWN:
                parts.append(pictures.UNSHOWN[kind] + "\n")
            if rows:
                row = min(rows, key=lambda row: row != self.drawn[row["example"]][0])
                where = self.site.relative(page, "examples/" + row["example"])
                parts.append(self.figure(page, row, f"{html.escape(row['shows'])} <code>credo plot {html.escape(row['words'])}</code>"))
                parts.append(f"From the example [{row['example']}]({where}.md).\n")
        return "\n".join(parts)

    def programs_page(self):
        parts = ["# Small programs\n", "What else `credo examples` has: programs with data, most of them simulated, without a page of their own.\n"]
        for name in (name for name in self.abouts if "examples/" + name not in self.site.pages):
            about = self.abouts[name]
            parts.append(f"## {name}\n\n{man_page.escaped(about[:1].upper() + about[1:])}.\n\n" +
                         pages.code_block(".stan", read(f"examples/{name}.stan")))
        return "\n".join(parts)

    def cited_by(self):
        cited = {}
        page = self.site.pages["references"]
        for other in self.markdown_pages():
            prose = "\n".join(text for code, text in pages.pieces(other.text) if not code)
            for key in {key for found in pages.CITED.finditer(prose) for key in pages.KEY.findall(found[1]) if key in self.entries}:
                cited.setdefault(key, []).append(self.link(page, other.address))
        return cited

    def cards(self, page, rows):
        """HTML of boxes: [(address, title, text, kind, picture)]."""
        out = ['<ul class="cards">']
        for address, title, text, kind, picture in rows:
            image = (f'<div class="picture"><img src="{self.asset(page, picture)}" alt="" loading="lazy"></div>' if picture else "")
            kind = f'<span class="kind">{html.escape(kind)}</span>' if kind else ""
            address, _, anchor = address.partition("#")
            href = self.site.relative(page, address) + ".html" + ("#" + anchor if anchor else "")
            out.append(f'<li><a href="{href}">{image}<b>{html.escape(title)}</b>{kind}<span>{html.escape(text)}</span></a></li>')
        return "\n".join([*out, "</ul>\n"])

    def card_of(self, to):
        """A page by its first sentence; an example by its question, its kind and its picture; a command by its summary."""
        name = posixpath.basename(to.address)
        if to.address.startswith("commands/"):
            return to.address, "credo " + name, self.commands[name].summary, "", None
        if to.source.startswith("docs/examples/"):
            return to.address, to.short, to.title.partition(": ")[2], self.abouts[name].partition(":")[0], next(iter(self.drawn[name]), None)
        return to.address, pages.without_markup(to.title), pages.lead_of(to.text), "", None

    def section_page(self, section, program):
        page = self.site.pages[section.name + "/index"]
        parts = [f"# {section.title}\n", section.about + "\n"]
        cards = [self.card_of(to) for to in section.pages]
        with_pictures = [card for card in cards if card[4] or card[3]]
        parts += [self.cards(page, group) for group in (with_pictures, [card for card in cards if card not in with_pictures]) if group]
        if section.name == "examples":
            parts.append("## Figures of the experiments\n\n" + self.cards(page, self.figure_cards()))
        if section.name == "commands":
            parts.append('<p><a href="../genindex.html">All options of all commands</a>, in alphabetical order.</p>\n')
            parts.append("## Exit status\n\n" + man_page.status_table(program))
            parts.append("## Environment\n\n" + "".join(f"- `{name}`: {man_page.escaped(text)}\n" for name, text in program.items("ENVIRONMENT")))
        parts.append(self.toctree(page, [(to.short, to.address) for to in section.pages]))
        return "\n".join(parts)

    def figure_cards(self):
        """The figures of docs/experiments.md, each with the section that it stands in."""
        cards, heading = [], ""
        for line in self.site.pages["experiments"].text.split("\n"):
            if line.startswith(("## ", "### ")):
                heading = line.lstrip("# ")
            found = re.fullmatch(r"!\[(.*)\]\(figures/(.*)\)", line)
            if found:
                title = pages.without_markup(re.sub(r" \([^()]*\)$", "", heading))
                cards.append((f"experiments#{pages.slug(heading)}", title, found[1], "", {"copy": "_images/" + found[2]}))
        return cards

    def toctree(self, page, rows):
        lines = [f"{title} <{self.site.relative(page, address)}>" for title, address in rows]
        return "```{toctree}\n:hidden:\n\n" + "\n".join(lines) + "\n```\n"

    def tree(self):
        """The titles on the side of every page."""
        return "\n".join(f"{section.title}: {page.address}: {page.short}" for section in self.sections for page in section.pages)

    def home_page(self):
        page = pages.Page("", "index", "")
        intro = re.search(r"\A# .*?\n\n(.*?)\n\n", read("README.md"), re.S)[1]
        places = [(section.name + "/index" if len(section.pages) > 1 else section.pages[0].address, section) for section in self.sections]
        shown = [rows[0] for rows in self.drawn.values() if rows and rows[0]["example"] in ("lynx", "nile", "galaxies", "bcg")]
        parts = ["# Credo\n", f'<p class="lead">{html.escape(pages.without_markup(intro))}</p>\n',
                 self.cards(page, [(address, section.title, section.about, "", None) for address, section in places])]
        if shown:
            parts.append("## From the examples\n\n" + self.cards(page, [self.card_of(self.site.pages["examples/" + row["example"]]) for row in shown]))
        parts.append('<p>Press <kbd>/</kbd> on any page to search. <a href="genindex.html">All options of all commands</a>.</p>\n')
        parts.append(self.toctree(page, [(section.title, address) for address, section in places]))
        return "\n".join(parts)

    def write(self):
        """The copy for the generator; returns its folder."""
        source = os.path.join(self.work, "source")
        wanted = {}
        for page in list(self.site.pages.values()):
            wanted[page.address + ".md"] = self.site.prepared(page)
        for page in self.site.sources.values():
            wanted[page.address + ".md"] = "---\norphan: true\n---\n" + page.text
        for name, text in wanted.items():
            write_changed(os.path.join(source, name), text.encode())
        for copy, path in self.site.copies.items():
            with open(os.path.join(ROOT, path), "rb") as file:
                write_changed(os.path.join(source, copy), file.read())
        write_changed(os.path.join(self.work, "scorer.js"), (word_counts(self.site.pages) + read("tools/site_parts/scorer.js")).encode())
        kept = {os.path.normpath(os.path.join(source, name)) for name in [*wanted, *self.site.copies]}
        for folder, _, names in os.walk(source):
            for name in names:
                if os.path.normpath(os.path.join(folder, name)) not in kept:
                    os.remove(os.path.join(folder, name))
        return source

    def copy_pictures(self, into):
        for row in (row for rows in self.drawn.values() for row in rows):
            os.makedirs(os.path.join(into, "pictures"), exist_ok=True)
            shutil.copyfile(row["file"], os.path.join(into, row["copy"]))
