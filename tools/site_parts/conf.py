"""Sphinx' settings; tools/site runs Sphinx with this folder as its configuration."""
import os
import re
import sys

from docutils import nodes
from sphinx import addnodes

sys.dont_write_bytecode = True
project = "Credo"
version = release = os.environ.get("CREDO_SITE_VERSION", "")
html_title = f"Credo {version}".strip()
copyright = author = "the developers of Credo"
extensions = ["myst_parser"]
exclude_patterns = []

# Pages are plain Markdown, as forges show it: of MyST's own marks only what the generated pages have.
myst_heading_anchors = 6
myst_disable_syntax = ["myst_role", "myst_line_comment", "myst_block_break"]
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

html_theme = "furo"
html_static_path = ["static", os.environ["CREDO_SITE_THEME"]]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "static/favicon.svg"
html_search_scorer = os.environ["CREDO_SITE_SCORER"]
html_show_sourcelink = html_copy_source = html_show_copyright = html_show_sphinx = False
html_domain_indices = False
html_permalinks_icon = "#"
pygments_style = "xcode"
pygments_dark_style = "github-dark"
highlight_language = "text"
smartquotes = False  # they would make one dash of --option
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b5c8a", "color-brand-content": "#0b5c8a", "code-paper": "#f6f8fa"},
    "dark_css_variables": {"color-brand-primary": "#7cc0ea", "color-brand-content": "#7cc0ea", "code-paper": "#0d1117"},
}
COMMAND = re.compile(r"credo ([a-z][a-z-]*)(?= |$)")


def link_commands(app, tree, page):
    """`credo NAME ...` between backticks leads to the command's page, but for headings, links and that page itself. Short code stays
    on one line: browsers would break it behind --."""
    commands = {name.removeprefix("commands/") for name in app.env.found_docs if name.startswith("commands/")} - {"index"}
    for literal in list(tree.findall(nodes.literal)):
        if len(literal.astext()) < 28:
            literal["classes"].append("short")
        found = COMMAND.match(literal.astext())
        above, within = literal.parent, []
        while above is not None:
            within.append(above)
            above = above.parent
        if not found or found[1] not in commands or page == "commands/" + found[1]:
            continue
        if any(isinstance(node, (nodes.reference, nodes.title, addnodes.pending_xref, addnodes.desc_signature)) for node in within):
            continue
        link = nodes.reference("", "", internal=True, classes=["command"],
                               refuri=app.builder.get_relative_uri(page, "commands/" + found[1]))
        literal.replace_self(link)
        link += literal


def add_anchors(app, tree):
    """Each heading also has the anchor that forges give it."""
    for section in tree.findall(nodes.section):
        anchor = section.get("myst-anchor", "").partition("#")[2]  # of page.md#anchor
        if anchor and all(anchor not in other["ids"] for other in tree.findall(nodes.section)):
            section["ids"].append(anchor)


def titles_of(toc):
    """A page's table of contents without its headings: the pages below it alone."""
    toc = toc.deepcopy()
    for top in toc.children if len(toc.children) == 1 else ():
        below = list(top.findall(addnodes.toctree))
        if len(top) > 1 and below:
            top[1][:] = below
        elif len(top) > 1:
            top.pop(1)
    return toc


def quick_navigation(app, page, template, context, tree):
    """The theme asks each page for the tree of all titles, which Sphinx makes by copying all headings of all pages: half of the time of a
    build. It gets the same tree from tables of contents without headings."""
    env, whole = app.env, context["toctree"]
    if not hasattr(app, "title_tocs"):
        app.title_tocs = {name: titles_of(toc) for name, toc in env.tocs.items()}

    def titles(**options):
        tocs, env.tocs = env.tocs, app.title_tocs
        try:
            return whole(**options)
        finally:
            env.tocs = tocs

    context["toctree"] = titles


def setup(app):
    app.connect("html-page-context", quick_navigation, priority=400)
    app.connect("doctree-read", add_anchors)
    app.connect("doctree-resolved", link_commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
