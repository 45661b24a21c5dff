"""Calls of built-in functions with arguments inside their domains: what tools/check_signatures runs.

A call is made of a signature (the list ../shared/stan/signatures.txt) and of values that a reference record of that function
holds (../shared/reference/functions), carried over to the signature's types: a scalar fills a container, a vector becomes a
row vector, anything is repeated along one more array dimension. Of a signature's types a covering set is taken: every type of
every position at least once, correlated ones together, the smallest and the next number of array dimensions.
"""
import glob
import itertools
import json
import math
import os
import re

CORRELATED = {
    "$N": ["int", "real", "vector", "row_vector", "matrix"],
    "$K": ["array[] int", "array[] real", "vector", "row_vector", "matrix"],
    "$F": ["array[] real", "vector", "row_vector", "matrix"],
    "$G": ["array[] real", "vector", "row_vector"],
    "$L": ["vector", "row_vector", "matrix"],
    "$R": ["real", "vector", "row_vector", "matrix"],
    "$B": ["int", "real", "vector", "row_vector", "matrix"],
    "$C1": ["real", "vector", "row_vector", "matrix"],
}
INDEPENDENT = {
    "ints": ["int", "array[] int"],
    "reals": ["real", "vector", "row_vector", "array[] real"],
    "intreals": ["int", "array[] int", "real", "vector", "row_vector", "array[] real"],
    "vectors": ["vector", "row_vector", "array[] vector", "array[] row_vector"],
}
LISTS = ("vector", "row_vector")


def split_top(text):
    """At commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


def depth_of(type_):
    """(array dimensions, base)"""
    match = re.fullmatch(r"array\[(,*)\] (.*)", type_)
    return (len(match[1]) + 1, match[2]) if match else (0, type_)


def with_depth(base, depth):
    inner, base = depth_of(base)
    depth += inner
    return base if depth == 0 else f"array[{',' * (depth - 1)}] {base}"


def tuple_parts(type_):
    return split_top(type_[6:-1]) if type_.startswith("tuple(") else []


def promoted(type_):
    return re.sub(r"\bint$", "real", type_)


class Call:
    """`arguments`: pairs of a type (with `data ` before it where no parameter may enter; `function`) and a value."""

    def __init__(self, name, arguments, result, at_edge=False):
        self.name, self.arguments, self.result, self.at_edge = name, arguments, result, at_edge
        self.has_scalar_form = False  # the function takes numbers alone and gives one, too

    def signature(self):
        return f"{self.name}({', '.join(t for t, _ in self.arguments)}) => {self.result}"

    def line(self):
        """Ten digits keep simplexes and correlation matrices what they are."""
        return json.dumps([self.name, rounded(self.arguments), self.result], separators=(",", ":"))

    @staticmethod
    def of_line(line):
        name, arguments, result = json.loads(line)
        return Call(name, [tuple(a) for a in arguments], result)


def mark_scalar_forms(calls):
    """Calls of one function, other than for random numbers."""
    def is_scalar(call):
        return all(t.removeprefix("data ") in ("int", "real") for t in [*(t for t, _ in call.arguments), call.result])
    for call in calls:
        call.has_scalar_form = any(map(is_scalar, calls)) and not call.name.endswith(("_rng", "_jacobian"))


class Pattern:
    """One argument of a line of the list: its choices, by themselves or with those of the same name."""

    def __init__(self, text):
        self.data = text.startswith("data ")
        text = text[5:] if self.data else text
        match = re.match(r"array\{(\d)\.\.(\d)\}(?:\+(\d))? ?", text)
        self.range = (int(match[1]), int(match[2])) if match else None
        self.more = int(match[3] or 0) if match else 0
        self.base = text[match.end():] if match else text
        self.correlated = self.base if self.base in CORRELATED else None

    def choices(self):
        if self.base.startswith("{"):
            return [c.strip() for c in self.base[1:-1].split("|")]
        return INDEPENDENT.get(self.base, [self.base])

    def type_of(self, base, depth):
        return with_depth(base, depth + self.more if self.range else 0)


def result_of(text, correlated, depth, arguments):
    """The type of a result: `array{0..7} promote($N)`, `rng(int)`, `tuple(...)` or a plain one."""
    pattern = Pattern(text)
    base = pattern.base
    inner = re.fullmatch(r"promote\((.*)\)", base)
    if base.startswith("rng("):
        scalar = all(t in ("int", "real") for t in arguments)
        return base[4:-1] if scalar else f"array[] {base[4:-1]}"
    base = correlated.get(inner[1] if inner else base, inner[1] if inner else base)
    return pattern.type_of(promoted(base) if inner else base, depth)


def instances(patterns, result):
    """A covering set of one line's (types, data-only marks, result)."""
    ranges = [p.range for p in patterns if p.range]
    low, high = ranges[0] if ranges else (0, 0)
    name = next((p.correlated for p in patterns if p.correlated), None)
    for depth, choice in itertools.product(range(low, min(low + 1, high) + 1), CORRELATED.get(name, [None])):
        numbers = [len(p.choices()) for p in patterns]
        for turn in range(max(numbers, default=1)):
            types = []
            for k, p in enumerate(patterns):
                own = p.choices()
                types.append(p.type_of(choice if p.correlated else own[(turn + k * (turn > 0)) % len(own)], depth))
            marks = [p.data for p in patterns]
            yield types, marks, result_of(result, {name: choice}, depth, types)


def is_higher_order(line):
    return "fn(" in line or "..." in line


def read_signatures(path):
    """name -> [(types, marks, result)], name -> lines with functions as arguments, number of lines with complex numbers"""
    plain, higher, num_complex = {}, {}, 0
    for line in open(path, encoding="utf-8"):
        match = re.fullmatch(r"(\w+)\((.*)\) => (.*)", line.strip())
        if not match or line.startswith("#"):
            continue
        if is_higher_order(line):
            higher.setdefault(match[1], []).append((split_top(match[2]), match[3]))
            continue
        patterns = [Pattern(a) for a in split_top(match[2])]
        for types, marks, result in instances(patterns, match[3]):
            if any("complex" in t for t in types + [result]) or "$" in "".join(types):
                num_complex += 1
                continue
            found = plain.setdefault(match[1], [])
            if all(types != f[0] for f in found):
                found.append((types, marks, result))
    return plain, higher, num_complex


def numbers_in(value):
    if isinstance(value, list):
        for v in value:
            yield from numbers_in(v)
    else:
        yield value


def is_plain(record):
    """Finite moderate numbers: what a program can be handed as data and moved a little."""
    values = [v for a in record["args"] if a["type"] != "function" for v in numbers_in(a["value"])]
    return not record.get("error") and not any("complex" in a["type"] for a in record["args"]) \
        and all(isinstance(v, int) or not isinstance(v, str) and abs(v) < 1e6 for v in values)


def strangeness(record):
    """Small numbers first, then containers of a few elements."""
    values = [float(v) for a in record["args"] if a["type"] != "function" for v in numbers_in(a["value"])]
    sizes = [len(a["value"]) for a in record["args"] if isinstance(a["value"], list)]
    results = [v for v in numbers_in(record.get("value"))]
    odd = not results or any(isinstance(v, str) or v is None or not math.isfinite(v) or v == 0 for v in results)
    ordered = sorted(values)
    odd = odd or any(0 < b - a < 1e-6 for a, b in zip(ordered, ordered[1:]))  # where differences lose their digits
    return (odd, any(s < 2 for s in sizes), any(abs(v) > 20 or (v and abs(v) < 0.01) for v in values), sum(sizes))


def read_records(folder):
    """name -> records of calls that have a value, plain ones first"""
    records = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        for line in open(path, encoding="utf-8"):
            record = json.loads(line)
            if not record.get("error"):
                records.setdefault(record["f"], []).append(record)
    for name, found in records.items():
        records[name] = sorted([r for r in found if is_plain(r)], key=strangeness)
    return records


def shrunk(value, k):
    """The k-th of several: a little nearer to zero, which keeps probabilities, scales and orders."""
    return value * (1 - 2.0 ** -8 * k) if isinstance(value, float) else value


def listed(value, base, size):
    """A scalar as a list or a square of `size`."""
    if base == "matrix":
        return [[shrunk(value, i * size + j) for j in range(size)] for i in range(size)]
    return [shrunk(value, i) for i in range(size)]


def as_real(value):
    return [as_real(v) for v in value] if isinstance(value, list) else float(value)


def as_int(value):
    """The nearest whole number, but not zero."""
    if isinstance(value, list):
        return [as_int(v) for v in value]
    return round(value) or (1 if value >= 0 else -1)


def rounded(value):
    if isinstance(value, (list, tuple)):
        return [rounded(v) for v in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


class Unfit(Exception):
    pass


def dimensions(type_):
    depth, base = depth_of(type_)
    return depth + {"vector": 1, "row_vector": 1, "matrix": 2}.get(base, 0)


def converted(value, source, target, size):
    """(value of the target's type, what it cost)"""
    if source == target:
        return value, 0
    (from_depth, from_base), (to_depth, to_base) = depth_of(source), depth_of(target)
    if to_base == "int" and from_base in ("vector", "row_vector", "matrix"):
        raise Unfit()
    if to_base == "int" and from_base == "real":
        value, cost = converted(as_int(value), with_depth("int", from_depth), target, size)
        return value, cost + 5
    if from_base == "int" and to_base != "int":
        value, from_base = as_real(value), "real"
    have, want = dimensions(source), dimensions(target)
    if have == want:
        return value, 1
    if have == 0:
        cells = listed(value, "matrix" if to_base == "matrix" else "vector", size)
        extra = want - (2 if to_base == "matrix" else 1)
        return nested(cells, extra), 2
    if want > have and (from_base == to_base or from_base in ("real", "int")):
        return nested(value, want - have), 3
    if want == have - 1 and value and from_depth > to_depth:
        return value[0], 4
    raise Unfit()


def nested(value, times):
    for _ in range(times):
        value = [value, value]
    return value


def fitted(record, types):
    """The record's arguments with these types, and what that cost."""
    arguments = record["args"]
    if len(arguments) != len(types):
        raise Unfit()
    sizes = [len(a["value"]) for a, t in zip(arguments, types)
             if isinstance(a["value"], list) and dimensions(t) == dimensions(a["type"])]
    size, total, values = (sizes[0] if sizes else 2), 0, []
    for argument, target in zip(arguments, types):
        value, cost = converted(argument["value"], argument["type"], target, size)
        values.append(value)
        total += cost
    return values, total


def candidates(records, types, limit=6):
    """Argument lists for these types, best first."""
    found = []
    for k, record in enumerate(records):
        try:
            values, cost = fitted(record, types)
            found.append((cost, k, values))
        except Unfit:
            pass
    return [values for _, _, values in sorted(found, key=lambda f: f[:2])[:limit]]


def generic(type_, whole=2):
    """Where no record helps."""
    depth, base = depth_of(type_)
    cell = {"int": whole, "real": 0.5, "vector": [0.375, 0.625], "row_vector": [0.375, 0.625],
            "matrix": [[1.0, 0.25], [0.25, 1.0]]}.get(base)
    return nested(cell, depth)


def data_parameters(definition):
    """Which parameters of a function's text are data only."""
    inside = definition[definition.index("(") + 1:definition.index(")")]
    return [p.startswith("data ") for p in split_top(inside)]


def higher_order_calls(name, lines, records, limit=3):
    """As the records have them: signatures say only which arguments are data."""
    calls, seen = [], set()
    for record in records:
        types = [a["type"] for a in record["args"]]
        if tuple(types) in seen or len(calls) == limit:
            continue
        fitting = [line for line in lines if len([p for p in line[0] if p != "..."]) <= len(types)]
        line = max(fitting, key=lambda line: len(line[0]))
        seen.add(tuple(types))
        calls.append(Call(name, marked(record, line[0]), line[1]))
    return calls


def marked(record, patterns):
    """Arguments of a record; those that the signature, or the function that is passed, takes as data only are marked."""
    fixed = [p for p in patterns if p != "..."]
    arguments, trailing = [], []
    for k, a in enumerate(record["args"]):
        pattern = fixed[k] if k < len(fixed) else ""
        if a["type"] == "function":
            own = data_parameters(a["value"])
            trailing = own[len(own) - (len(record["args"]) - len(fixed)):] if len(record["args"]) > len(fixed) else []
            arguments.append(("function", [a["name"], a["value"]]))
            continue
        data = pattern.startswith("data ") or a.get("data") or (k >= len(fixed) and trailing and trailing[k - len(fixed)])
        options = "data " if pattern.startswith("tuple(vector") or data else ""
        arguments.append((options + a["type"], a["value"]))
    return arguments


def plain_calls(name, signatures, records):
    """[(call, other argument lists)] of a name."""
    for types, marks, result in signatures:
        lists = candidates(records, types) + [[generic(t, whole) for t in types] for whole in (2, 1, 0)]
        made = [Call(name, [("data " * m + t, v) for t, m, v in zip(types, marks, values)], result) for values in lists]
        yield made[0], made[1:]


def all_calls(shared):
    """[(call, alternatives)] of every function, and the number of signatures with complex numbers."""
    plain, higher, num_complex = read_signatures(os.path.join(shared, "stan", "signatures.txt"))
    records = read_records(os.path.join(shared, "reference", "functions"))
    calls = []
    for name in sorted((set(plain) | set(higher)) - {"target"}):  # which is the model's own
        if name in higher:
            calls += [(c, []) for c in higher_order_calls(name, higher[name], records.get(name, []))]
        calls += list(plain_calls(name, plain.get(name, []), records.get(name, [])))
    return calls, num_complex


# ----- arguments at the edge of what a function takes, and beyond --------------------------------------------------------

def cut_to(value, size):
    return [cut_to(v, size) for v in value[:size]] if isinstance(value, list) else value


def with_first(value, number):
    """The first number of a container replaced."""
    if not isinstance(value, list):
        return number
    return [with_first(value[0], number), *value[1:]] if value else value


def edge_calls(call):
    """Nothing in the containers, one element, a number that isn't one, whole numbers that are too small."""
    arguments = call.arguments
    lists = [k for k, (t, _) in enumerate(arguments) if t != "function" and dimensions(t.removeprefix("data ")) > 0]
    made = [{k: cut_to(arguments[k][1], size) for k in lists} for size in (0, 1)] if lists else []
    for k, (type_, value) in enumerate(arguments):
        if type_ == "function" or tuple_parts(type_.removeprefix("data ")):
            continue
        whole = depth_of(type_.removeprefix("data "))[1] == "int"
        made += [{k: with_first(value, n)} for n in ((0, -1) if whole else ("NaN", "Inf", 0.0, -1.5))]
    for changes in made:
        yield Call(call.name, [(t, changes.get(k, v)) for k, (t, v) in enumerate(arguments)], call.result, at_edge=True)


def widest(calls):
    """The call with the most containers."""
    return max(calls, key=lambda call: sum(isinstance(v, list) for _, v in call.arguments))
