"""docs/references.bib as a page: what is cited, and by which pages."""
import re
import unicodedata

ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "c": "\u0327", "v": "\u030c", "H": "\u030b",
           "=": "\u0304", ".": "\u0307", "u": "\u0306", "k": "\u0328", "r": "\u030a"}
LETTERS = {"o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß", "ae": "æ", "AE": "Æ", "i": "ı", "aa": "å", "AA": "Å"}


def unicode_of(text):
    """LaTeX's accents and braces as characters."""
    text = re.sub(r"\\([`'^~\"=.]|[cvHukr](?=\{|\s))\s*\{?\\?([A-Za-z])\}?",
                  lambda m: unicodedata.normalize("NFC", m[2] + ACCENTS[m[1]]), text)
    text = re.sub(r"\{?\\(o|O|l|L|ss|ae|AE|i|aa|AA)(?![a-zA-Z])\}?\s?", lambda m: LETTERS[m[1]], text)
    return re.sub(r"[{}]|\\(?=[&%$_])", "", text).replace("--", "–").replace("~", " ")


def entries_of(text):
    """key -> {field: text}, in the order of the file."""
    entries = {}
    for found in re.finditer(r"^@\w+\{([^,]+),(.*?)\}\s*(?=^@|\Z)", text, re.M | re.S):
        fields, rest = {}, found[2]
        for field in re.finditer(r"(\w+)\s*=\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}", rest):
            fields[field[1].lower()] = unicode_of(field[2])
        entries[found[1].strip()] = fields
    return entries


def authors(text):
    names = [" ".join(reversed(name.split(", ", 1))) for name in re.split(r"\s+and\s+", text)]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def page(entries, escape, cited_by):
    """Markdown; `cited_by`: key -> Markdown of the pages."""
    parts = ["# References\n", f"The {len(entries)} sources that pages and programs name by their keys, as `{next(iter(entries))}`; "
             "from `docs/references.bib`.\n"]
    for key, fields in sorted(entries.items(), key=lambda row: (unicodedata.normalize("NFD", row[1].get("author", "").lower()), row[0])):
        place = next((fields[name] for name in ("journal", "booktitle", "publisher", "school", "institution", "howpublished") if name in fields), "")
        volume = f" {fields['volume']}" if "volume" in fields else ""
        names = escape(authors(fields["author"])) + " " if "author" in fields else ""
        year = f"({fields['year']}). " if "year" in fields else ""
        line = f"{names}{year}{escape(fields.get('title', ''))}. "
        line += f"*{escape(place)}*{escape(volume)}." if place else ""
        also = f" Cited in {', '.join(cited_by[key])}." if key in cited_by else ""
        parts.append(f"({key})=\n`{key}`: {line}{also}\n")
    return "\n".join(parts)
