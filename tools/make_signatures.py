#!/usr/bin/env python3
"""Writes src/lang/typed/signatures_table.cpp from a list of the language's built-in signatures.

usage: tools/make_signatures.py ../shared/stan/signatures.txt > src/lang/typed/signatures_table.cpp

The list has one signature a line, `name(type, ...) => type`, lines beginning with # are comments. Our notation
(src/lang/typed/signatures.hpp) is shorter: `T[]` for arrays, `@T` for "in any number of array dimensions".
"""
import re
import sys

HEAD = """\
// Made by tools/make_signatures.py; the notation is explained in lang/typed/signatures.hpp.
#include "lang/typed/signatures.hpp"

namespace credo::lang {
// clang-format off
namespace {
constexpr SignatureRow kRows[] = {
"""
TAIL = """\
};
}  // namespace
// clang-format on

std::span<const SignatureRow> language_signatures() { return kRows; }
}  // namespace credo::lang
"""
# `%/%` has no function form; the tree needs a name for it.
OWN = [("idivide", "int, int => int"),
       ("linear_gaussian_lpdf",
        "vector, {real|vector}, matrix, matrix, matrix, {real|vector}, vector, matrix, matrix, int[] => real")]


def compact(text):
    """Our notation of one signature without its name: array{a..b}+k T -> @a-b+k T, array[,] T -> T[,]."""
    def depth(match):
        low, high, more = int(match[1]), int(match[2]), match[3] or ""
        limits = "" if high >= 7 and low == 0 else f"{low}" if high >= 7 else f"{low}-{high}"
        return f"@{limits}{more} "
    text = re.sub(r"array\{(\d)\.\.(\d)\}(\+\d)?\s*", depth, text)
    return re.sub(r"array(\[,*\]) ([a-z_]+)", r"\2\1", text)


def read(path):
    rows = list(OWN)
    for line in open(path, encoding="utf-8"):
        match = re.fullmatch(r"(\w+)\((.*)\) => (.*)", line.strip())
        if match and not line.startswith("#"):
            rows.append((match[1], compact(f"{match[2]} => {match[3]}")))
    return rows


def write(rows):
    by_name = {}
    for name, signature in rows:
        by_name.setdefault(name, []).append(signature)
    sys.stdout.write(HEAD)
    for name in sorted(by_name):
        lines = "\\n\"\n     \"".join(by_name[name])
        sys.stdout.write(f'    {{"{name}",\n     "{lines}"}},\n')
    sys.stdout.write(TAIL)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(read(sys.argv[1]))
