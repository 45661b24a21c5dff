"""The page docs/design/signatures.md: results of tools/check_signatures by function and place."""
import collections
import re

from signature_programs import PLACES, TITLES

HEAD = """\
# Every signature in every place

Written by `tools/check_signatures --page`. It makes {calls} calls of {functions} functions, a covering set of all signatures without complex
numbers. For {equal} pairs of a call and a place, all ways of running the call give the same result; {refused} pairs are refused,
{faults} are faults. The head of the tool describes the ways and the comparison; `tools/signature_programs.py` describes how the
arguments are varied. Two calls of each function (`tests/signatures.txt`) run in `.ci/run`.

Places: {places}.
A number counts the calls with the same result by every way; `+n` after it counts refused calls, `!n` calls with a fault. A cell is empty if
the language doesn't allow the call there, or if no argument could depend on a parameter there.

"""


def cell(verdicts):
    counts = collections.Counter(v[0] if v else "equal" for v in verdicts)
    if not verdicts:
        return ""
    return f"{counts['equal']}" + (f" +{counts['refused']}" if counts["refused"] else "") + (
        f" !{counts['fault']}" if counts["fault"] else "")


def rows_of(results):
    """Map from a row of cells to the functions that have it."""
    by_name = collections.defaultdict(list)
    for call, places in results:
        by_name[call.name].append(places)
    rows = collections.defaultdict(list)
    for name, found in sorted(by_name.items()):
        cells = tuple(cell([places[p] for places in found if p in places]) for p in PLACES)
        rows[(len(found), *cells)].append(f"`{name}`")
    return rows


def plain_words(text):
    """The message of a refusal, without places, code and numbers."""
    text = re.split(r" \d+ \| ", re.sub(r"\S+\.stan:\d+:\d+: ", "", text))[0]
    text = re.sub(r"^error(\[[\w-]+\])?: ", "", re.sub(r"^error: none of 100 .*?100 × ", "", text))
    return re.sub(r" [tg][a-z]_\d.*", "", text)[:160]


def refusals(results):
    found = collections.defaultdict(set)
    for call, places in results:
        for place, verdict in places.items():
            if verdict:
                found[plain_words(verdict[1])].add((call.name, place))
    for words, where in sorted(found.items()):
        names = ", ".join(sorted({f"`{n}`" for n, _ in where}))
        yield f"| {names} | {', '.join(p for p in PLACES if any(q == p for _, q in where))} | {words} |"


def page_of(results):
    verdicts = [v for _, places in results for v in places.values()]
    lines = [HEAD.format(
        calls=len(results), functions=len({c.name for c, _ in results}), equal=sum(not v for v in verdicts),
        refused=sum(bool(v) and v[0] == "refused" for v in verdicts), faults=sum(bool(v) and v[0] == "fault" for v in verdicts),
        places="; ".join(f"**{p}** {TITLES[p]}" for p in PLACES))]
    lines.append(f"| functions | calls | {' | '.join(PLACES)} |\n|---|---|{'---|' * len(PLACES)}\n")
    for cells, names in sorted(rows_of(results).items(), key=lambda r: r[1]):
        lines.append(f"| {', '.join(names)} | {' | '.join(map(str, cells))} |\n")
    refused = list(refusals(results))
    if refused:
        lines.append("\n## Refused, and why\n\n| functions | places | message |\n|---|---|---|\n")
        lines += [line + "\n" for line in refused]
    return "".join(lines)
