"""Debian 12's furo, mended. Its package was made by other tools than the theme's own: the script is left as a module (which browsers refuse
from files), a style sheet is asked for by an address of the server, and the rule for readers who prefer dark pages is lost."""
import os
import re

NORMALIZE = "/usr/share/javascript/normalize.css/normalize.css"
IMPORT_SCRIPT = re.compile(r'^import \w+ from "\./(gumshoe-patched\.js)";\n', re.M)
IMPORT_STYLE = re.compile(r"^@import url\(/javascript/normalize\.css/normalize\.css\);\n", re.M)
DARK = re.compile(r'@media not print \{\s*body\[data-theme="dark"\] \{(.*?)\}', re.S)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def mended(static):
    """{path: text} of the files that stand in the place of the theme's own; none where they are as the theme's author has them."""
    script, style = read(static, "scripts", "furo.js"), read(static, "styles", "furo.css")
    files = {}
    if IMPORT_SCRIPT.search(script):
        files["scripts/furo.js"] = IMPORT_SCRIPT.sub(lambda m: read(static, "scripts", m[1]) + ";\n", script)
    changed = IMPORT_STYLE.sub(lambda m: read(NORMALIZE), style)
    dark = DARK.search(style)
    if "prefers-color-scheme" not in style and dark:
        here = 'body:not([data-theme="light"])'
        changed += (f"\n@media not print {{ @media (prefers-color-scheme: dark) {{ {here} {{{dark[1]}}}\n"
                    f"html {here} .only-light {{ display: none !important }}\n{here} .only-dark {{ display: block !important }} }} }}\n")
    if changed != style:
        files["styles/furo.css"] = changed
    return files
