"""docs/design/signatures.md: what tools/check_signatures found, by function and place."""
import collections
import re

from signature_programs import PLACES, TITLES

HEAD = """\
# Every signature in every place

Written by `tools/check_signatures --page`. {calls} calls of {functions} functions, a covering set of all signatures without complex
numbers: {equal} (call, place) pairs are equal by every way, {refused} are refused, {faults} are faults. What a way is, and what is
compared, is in the head of the tool; how arguments are moved in `tools/signature_programs.py`. Two calls of each function
(`tests/signatures.txt`) run in `.ci/run`.

Places: {places}.
A number is that of the calls that are equal by every way; `+n` behind it those that are refused, `!n` those with a fault; empty where
the language allows none, or no argument could depend on a parameter there.

"""


def cell(verdicts):
    counts = collections.Counter(v[0] if v else "equal" for v in verdicts)
    if not verdicts:
        return ""
    return f"{counts['equal']}" + (f" +{counts['refused']}" if counts["refused"] else "") + (
        f" !{counts['fault']}" if counts["fault"] else "")


def rows_of(results):
    """Cells -> the functions that have them."""
    by_name = collections.defaultdict(list)
    for call, places in results:
        by_name[call.name].append(places)
    rows = collections.defaultdict(list)
    for name, found in sorted(by_name.items()):
        cells = tuple(cell([places[p] for places in found if p in places]) for p in PLACES)
        rows[(len(found), *cells)].append(f"`{name}`")
    return rows


def plain_words(text):
    """Of a refusal: without places, code and numbers."""
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
        lines.append("\n## Refused, and why\n\n| functions | places | words |\n|---|---|---|\n")
        lines += [line + "\n" for line in refused]
    return "".join(lines)
