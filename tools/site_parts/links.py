"""Links of the built site: what is linked exists, anchors too, and nothing is asked of other hosts."""
import html.parser
import os
import posixpath
import re
import urllib.parse
import urllib.request

LOADED = {"img": ("src", "srcset"), "script": ("src",), "link": ("href",), "iframe": ("src",), "source": ("src", "srcset"), "video": ("src",),
          "audio": ("src",), "object": ("data",), "embed": ("src",), "use": ("href",), "image": ("href",)}


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.anchors, self.links, self.loads, self.twice = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.twice += [values["id"]] if values["id"] in self.anchors else []
            self.anchors.add(values["id"])
        if tag == "a":
            self.anchors |= {values["name"]} if values.get("name") else set()
            self.links += [values["href"]] if values.get("href") is not None else []
        for name in LOADED.get(tag, ()):
            self.loads += [values[name]] if values.get(name) else []

    handle_startendtag = handle_starttag


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Links:
    def __init__(self, folder):
        self.folder = folder
        self.files = {os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names}
        self.pages = {name: Reader(read(os.path.join(folder, name))) for name in sorted(self.files)
                      if name.endswith(".html") and not name.startswith("_static")}
        self.num_internal, self.external = 0, {}

    def faults(self):
        found = []
        for name, page in self.pages.items():
            found += [f"{name}: two elements have the id {anchor}" for anchor in page.twice]
            found += [fault for link in page.links for fault in self.of_link(name, link)]
            found += [fault for link in page.loads for fault in self.of_load(name, link)]
        for name in sorted(name for name in self.files if name.endswith(".css")):
            text = re.sub(r"/\*.*?\*/", "", read(os.path.join(self.folder, name)), flags=re.S)
            found += [f"{name}: asks another host: {link}" for link in re.findall(r"(?:url\(|@import) *[\"']?((?:https?:)?//[^\"')]+)", text)]
        return found

    def of_link(self, name, link):
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            self.external.setdefault(link, name)
            return []
        self.num_internal += 1
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(parts.path))) if parts.path else name
        if path not in self.files:
            return [f"{name}: the link {link} leads to {path}, which isn't there"]
        anchor = urllib.parse.unquote(parts.fragment)
        if anchor and path in self.pages and anchor not in self.pages[path].anchors:
            return [f"{name}: the link {link}: {path} has no anchor {anchor}"]
        return []

    def of_load(self, name, link):
        parts = urllib.parse.urlsplit(link)
        if parts.scheme == "data" or link == "#":
            return []
        if parts.scheme or parts.netloc:
            return [f"{name}: asks another host: {link}"]
        if not parts.path:
            return [] if parts.fragment in self.pages[name].anchors else [f"{name}: loads {link}, which isn't there"]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(parts.path)))
        return [] if path in self.files else [f"{name}: loads {link}, which isn't there"]


def unreachable(links):
    """Asks each address; what fails, with the page that has it."""
    found = []
    for link, page in sorted(links.items()):
        try:
            request = urllib.request.Request(link, headers={"User-Agent": "credo-site-check"})
            urllib.request.urlopen(request, timeout=20).close()
        except (OSError, ValueError) as error:
            found.append(f"{page}: {link}: {error}")
    return found
