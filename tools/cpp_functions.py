"""Finds function definitions in C++ in the house style, by layout: a definition begins at column 0 (or, within a class,
at its members' indentation) and ends with the closing brace at the same column. No parser is needed since the
formatter fixes the layout."""
import re
from dataclasses import dataclass


@dataclass
class Function:
    name: str
    first: int       # line of the signature
    last: int        # line of the closing brace
    parameters: int
    nesting: int     # levels of indentation inside, 1 for straight code

    @property
    def length(self):
        return self.last - self.first + 1


NOT_FUNCTIONS = re.compile(r"(namespace|struct|class|enum|union|extern|typedef|using|template|return|else|if|for|while"
                           r"|switch|do|case|default|public|private|protected|static_assert|#|//|\}|\{)\b|#|//|\}|\{")
SIGNATURE_END = re.compile(r"\{(\s*//.*)?$")
ONE_LINE = re.compile(r"\{.*\}\s*(//.*)?$")


def without_strings(line):
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    line = re.sub(r"'(\\.|[^'\\])+'", "''", line)
    return re.sub(r"//.*", "", line)


def count_parameters(signature):
    """Parameters in the first parenthesised list."""
    begin = signature.find("(")
    if begin < 0:
        return 0
    depth, angle, count, text = 0, 0, 1, ""
    for c in signature[begin:]:
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif c == "<":
            angle += 1
        elif c == ">":
            angle = max(0, angle - 1)
        elif c == "," and depth == 1 and angle == 0:
            count += 1
        text += c
    return 0 if text.strip("( ") in ("", "void") else count


def function_name(signature):
    match = re.search(r"([~\w:]+|operator\s*\S+)\s*\(", signature)
    return match[1] if match else "?"


def nesting_of(body, indent):
    depths = [len(line) - len(line.lstrip()) for line in body if line.strip() and not line.lstrip().startswith("//")]
    levels = {d for d in depths if (d - indent) % 2 == 0 and d - indent <= 20}
    opened = [line for line in body if re.search(r"\b(if|for|while|switch|do|else)\b.*\{\s*(//.*)?$", line)]
    deepest = max((len(line) - len(line.lstrip()) for line in opened), default=indent)
    return (deepest - indent) // 2 + (1 if opened else 0) if levels else 0


def functions_of(lines):
    found = []
    for indent in (0, 2):
        found += scan(lines, indent)
    # a class member is found at indent 2; code within a function at column 0 must not count twice
    outer = [(f.first, f.last) for f in found if lines[f.first - 1][:1] not in (" ", "")]
    return [f for f in found
            if lines[f.first - 1][:1] != " " or not any(a < f.first < b for a, b in outer)]


def scan(lines, indent):
    found, signature, start = [], "", None
    pad = " " * indent
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        text = without_strings(line).rstrip()
        at_level = line.startswith(pad) and line[indent:indent + 1] not in ("", " ")
        if start is None:
            if not at_level or NOT_FUNCTIONS.match(line[indent:]) or line[indent:].startswith("*"):
                continue
            start, signature = number, ""
        signature += " " + text
        if text.endswith(";") and "{" not in text or len(signature) > 1500:
            start = None
            continue
        if ONE_LINE.search(text) and number == start and "(" in text:
            if not re.search(r"=\s*\{|^\s*(const(expr)?|static|inline)?[\w:<>, ]+\s+\w+\s*\{", text):
                found.append(Function(function_name(signature), start, number, count_parameters(signature), 0))
            start = None
            continue
        if not SIGNATURE_END.search(text):
            if ONE_LINE.search(text) or text.endswith("}"):
                if number > start and "(" in signature and at_close(text):
                    found.append(Function(function_name(signature), start, number, count_parameters(signature), 0))
                start = None
            continue
        is_function = "(" in signature and not re.search(r"=\s*\{$|\]\s*=\s*\{$|=\s*\[|= *std::", signature)
        body_begin = number
        while number < len(lines) and not lines[number].startswith(pad + "}"):
            number += 1
        if is_function and number < len(lines) and not lines[number].startswith(pad + "};"):
            body = lines[body_begin:number]
            found.append(Function(function_name(signature), start, number + 1, count_parameters(signature),
                                  nesting_of(body, indent)))
        number += 1
        start = None
    return found


def at_close(text):
    return text.count("{") == text.count("}")
