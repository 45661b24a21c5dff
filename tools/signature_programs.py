"""Programs that call built-in functions in every place of a program: what tools/check_signatures runs.

A place is where a call stands and what its arguments depend on. The parameter is `d`, and `by = size_of_by * inv_logit(d)` moves
arguments from their values in the data: by a thousandth, or, with a size of 1e-20, not by a bit. Simplexes and correlation
matrices stay what they are. Whole numbers become decisions on the parameter, `n + (d > 1000)`.
"""
import re

from signature_calls import depth_of, dimensions, tuple_parts, with_depth

PLACES = {  # name -> what becomes of the arguments
    "td": "data", "md": "data", "mp": "parameters", "mi": "decisions", "mt": "parameters", "tp": "parameters", "ti": "decisions",
    "gd": "data", "gp": "parameters", "gi": "decisions",
}
TITLES = {
    "td": "transformed data", "md": "model, data", "mp": "model, parameters", "mi": "model, decisions",
    "mt": "model, parameters, by `~` or `_lupdf`",
    "tp": "transformed parameters", "ti": "transformed parameters, decisions", "gd": "generated quantities, data",
    "gp": "generated quantities, parameters", "gi": "generated quantities, decisions",
}
MODEL = ("md", "mp", "mi", "mt")


def is_int(type_):
    return depth_of(type_)[1] == "int"


def leaves(type_, value, path):
    """(type, value, path) of an argument, or of a tuple's parts."""
    data, plain = type_.startswith("data "), type_.removeprefix("data ")
    parts = tuple_parts(plain)
    if not parts:
        return [(type_, value, path)]
    found = []
    for k, part in enumerate(parts):
        fixed = data and not (k == 0 and part == "vector")  # of solver options only the guess may be a parameter
        found += leaves("data " * fixed + part, value[k], f"{path}_{k + 1}")
    return found


def call_leaves(call, number):
    return [leaf for k, (t, v) in enumerate(call.arguments) if t != "function"
            for leaf in leaves(t, v, f"a{number}_{k + 1}")]


def places_of(call):
    """The places where the language allows the call, and where it makes a difference."""
    allowed = PLACES
    if call.name.endswith("_rng"):
        allowed = ("td", "gd", "gp", "gi")
    elif call.name.endswith("_jacobian"):
        allowed = ("tp", "ti")
    is_density = call.name.endswith(("_lpdf", "_lpmf"))
    return [p for p in allowed if PLACES[p] in kinds_at(call, p) and (p != "mt" or is_density)]


def is_free(type_, place):
    """Whether the argument may depend on parameters; generated quantities are data to the language."""
    return place.startswith("g") or not type_.startswith("data ")


def kinds_at(call, place):
    free = [is_int(t) for t, _, _ in call_leaves(call, 0) if is_free(t, place)]
    return {"data"} | ({"decisions"} if any(free) else set()) | ({"parameters"} if not all(free) else set())


# ----- values of arguments that depend on the parameter ------------------------------------------------------------------

def near(x, y):
    return abs(x - y) < 1e-8


def is_simplex(x):
    return len(x) > 1 and all(0 <= v <= 1 for v in x) and near(sum(x), 1)


def kind_of(base, value):
    """Which function moves it: what it must stay."""
    if "NaN" in str(value) or "Inf" in str(value):
        return "moved"
    if base in ("vector", "row_vector"):
        if is_simplex(value):
            return "on_simplex"
        return "kept" if len(value) > 1 and near(sum(v * v for v in value), 1) else "moved"
    if base != "matrix" or not value or not value[0]:
        return "moved"
    rows, columns = value, list(zip(*value))
    square = len(rows) == len(columns)
    if square and all(near(rows[i][i], 1) for i in range(len(rows))) and all(
            near(rows[i][j], rows[j][i]) for i in range(len(rows)) for j in range(i)):
        return "correlation"
    if all(is_simplex(r) for r in rows):
        return "by_rows"
    if all(is_simplex(c) for c in columns):
        return "by_columns"
    return "kept" if square and all(near(sum(v * v for v in r), 1) for r in rows) else "moved"


def first_cell(value, depth):
    while depth and isinstance(value, list) and value:
        value, depth = value[0], depth - 1
    return None if depth else value


MOVES = {
    "on_simplex": "x + by * (x .* x - x * dot_self(x))", "kept": "x * (1 - 1e-20 * by)", "moved": "x * (1 - by)",
    "correlation": "add_diag(x * (1 - by), by)",
    "by_rows": "x + by * (x .* x - diag_pre_multiply(rows_dot_self(x), x))",
    "by_columns": "x + by * (x .* x - diag_post_multiply(x, columns_dot_self(x)))",
}


# The same number made in other ways: element by element, and as a part of something longer.
FORMS = {
    ("filled", "vector"): "vector[size(x)] r; for (i in 1 : size(x)) r[i] = x[i] * (1 - by); return r;",
    ("filled", "row_vector"): "row_vector[size(x)] r; for (i in 1 : size(x)) r[i] = x[i] * (1 - by); return r;",
    ("filled", "matrix"): "matrix[rows(x), cols(x)] r; for (i in 1 : rows(x)) for (j in 1 : cols(x)) "
                          "r[i, j] = x[i, j] * (1 - by); return r;",
    ("cut", "vector"): "return tail(append_row(x, x) * (1 - by), size(x));",
    ("cut", "row_vector"): "return tail(append_col(x, x) * (1 - by), size(x));",
    ("cut", "matrix"): "return block(append_row(x, x) * (1 - by), rows(x) + 1, 1, rows(x), cols(x));",
}


class Functions:
    """The functions of a program's own: movers of arguments, sums of results; each once."""

    def __init__(self):
        self.texts = {}

    def add(self, key, text):
        self.texts.setdefault(key, text)

    def recursive(self, name, type_, parameters, arguments, cell):
        """A function over arrays of any depth."""
        depth, base = depth_of(type_)
        head = f"{type_} {name}({type_} x, {parameters})"
        if depth == 0:
            self.add((name, type_), f"{head} {{ return {cell}; }}")
            return
        inner = with_depth(base, depth - 1)
        self.recursive(name, inner, parameters, arguments, cell)
        self.add((name, type_), f"{head} {{ {sized(type_, 'dims(x)')} r = x; for (i in 1 : size(x)) "
                                f"r[i] = {name}(x[i], {arguments}); return r; }}")

    def moved(self, type_, value, path, turn):
        """The argument a little off its value, in one of three forms."""
        depth, base = depth_of(type_)
        cell = first_cell(value, depth)
        name = kind_of(base, cell) if cell is not None else "moved"
        form = ("moved", "filled", "cut")[turn % 3]
        if name == "moved" and (form, type_) in FORMS:
            self.add((form, type_), f"{type_} {form}({type_} x, real by) {{ {FORMS[(form, type_)]} }}")
            return f"{form}({path}, by)"
        self.recursive(name, type_, "real by", "by", MOVES[name])
        return f"{name}({path}, by)"

    def decided(self, type_, path):
        self.recursive("decided", type_, "real d", "d", "x + (d > 1000)")
        return f"decided({path}, d)"

    def total(self, type_):
        """One number of a result, in which every element has a weight of its own."""
        depth, base = depth_of(type_)
        if tuple_parts(type_):
            for part in tuple_parts(type_):
                self.total(part)
            terms = " + ".join(f"total(x.{k + 1})" for k in range(len(tuple_parts(type_))))
            self.add(("total", type_), f"real total({type_} x) {{ return {terms}; }}")
        elif depth or base in ("vector", "row_vector"):
            inner = with_depth(base, depth - 1) if depth else "real"
            self.total(inner)
            self.add(("total", type_), f"real total({type_} x) {{ real s = 0; for (i in 1 : size(x)) "
                                       "s += total(x[i]) * (1 + 0.125 * i); return s; }")
        elif base == "matrix":
            self.total("vector")
            self.add(("total", type_), "real total(matrix x) { return total(to_vector(x)); }")
        else:
            self.add(("total", "real"), "real total(real x) { return x; }")


def sized(type_, dims, start=1):
    """A declaration's type with the sizes of an array of whole numbers."""
    depth, base = depth_of(type_)
    sizes = [f"{dims}[{start + k}]" for k in range(dimensions(type_))]
    array = f"array[{', '.join(sizes[:depth])}] " if depth else ""
    return array + base + (f"[{', '.join(sizes[depth:])}]" if sizes[depth:] else "")


# ----- programs ----------------------------------------------------------------------------------------------------------

class Writing:
    """A program of calls at places, and its data."""

    def __init__(self, calls, places):
        self.functions, self.data, self.declared = Functions(), {"size_of_by": 1e-3}, ["real size_of_by;"]
        self.calls = [(k, call, [p for p in places_of(call) if p in places]) for k, call in enumerate(calls)]
        self.calls = [c for c in self.calls if c[2]]
        for k, call, _ in self.calls:
            self.declare(k, call)

    def declare(self, number, call):
        for type_, value, path in call_leaves(call, number):
            plain, sizes, at = type_.removeprefix("data "), [], value
            for _ in range(dimensions(plain)):
                sizes.append(len(at) if at is not None else 0)
                at = at[0] if at else None
            self.data[path] = value
            depth, base = depth_of(plain)
            self.declared.append(f"{with_sizes(base, depth, sizes)} {path};")

    def argument(self, type_, value, path, place):
        plain, kind = type_.removeprefix("data "), PLACES[place]
        parts = tuple_parts(plain)
        if parts:
            inner = leaves(type_, value, path)
            texts = [self.argument(t, v, p, place) for t, v, p in inner]
            return f"({', '.join(texts)}{',' * (len(texts) == 1)})"
        if kind == "data" or not is_free(type_, place):
            return path
        if is_int(plain):
            return self.functions.decided(plain, path) if kind == "decisions" else path
        turn = sum(map(ord, path))  # another one for each argument of each call
        return self.functions.moved(plain, value, path, turn) if kind == "parameters" else path

    def text(self, number, call, place, name=None):
        """The call as an expression."""
        texts = []
        for k, (type_, value) in enumerate(call.arguments):
            if type_ == "function":
                own = f"{value[0]}_{number}_{k}"
                self.functions.add(own, re.sub(rf"\b{value[0]}\b", own, value[1]))
                texts.append(own)
            else:
                texts.append(self.argument(type_, value, f"a{number}_{k + 1}", place))
        return joined(name or call.name, texts)

    def total(self, number, call, place):
        self.functions.total(call.result)
        return f"total({self.text(number, call, place)})"

    def sizes(self, number, call):
        """Declarations of transformed data that hold the sizes of a result."""
        if call.at_edge:
            return []
        stem = re.sub("_jacobian$", "_constrain", call.name)
        whole = self.text(number, call, "td", stem)
        parts = [f"{whole}.{k + 1}" for k in range(len(tuple_parts(call.result)))] or [whole]
        types = tuple_parts(call.result) or [call.result]
        return [f"array[{dimensions(t)}] int n{number}_{k} = dims({p});" for k, (t, p) in enumerate(zip(types, parts))
                if dimensions(t)]

    def declaration(self, number, call, place, value):
        if call.at_edge:
            return f"real {place}_{number} = {value};"
        parts = tuple_parts(call.result)
        types = [sized(t, f"n{number}_{k}") for k, t in enumerate(parts or [call.result])]
        type_ = f"tuple({', '.join(types)})" if parts else types[0]
        return f"{type_} {place}_{number} = {value};"

    def by_elements(self, number, call):
        """What the calls of single elements give, in transformed data: xe, beside xs of the whole call."""
        indexed = [k for k, (t, _) in enumerate(call.arguments) if dimensions(t.removeprefix("data ")) == 1]
        texts = [f"a{number}_{k + 1}" + "[i]" * (k in indexed) for k in range(len(call.arguments))]
        single, is_sum = joined(call.name, texts), dimensions(call.result) == 0
        begin, step = ("1", f"*= {single}") if call.name.endswith("_cdf") else ("0", f"+= {single}")
        if not is_sum:
            step = f"+= total({single}) * (1 + 0.125 * i)"
        self.functions.total(call.result)
        return [f"real xs_{number} = total(td_{number});",
                f"real xe_{number} = {begin}; for (i in 1 : size({texts[indexed[0]][:-3]})) xe_{number} {step};"]

    def outputs(self, place):
        """Declarations of the results of one place."""
        lines = []
        for number, call, places in self.calls:
            if place not in places:
                continue
            if place in MODEL or call.at_edge or (place in ("tp", "ti") and "int" in call.result):
                lines.append(f"real {place}_{number} = {self.total(number, call, place)};")
            else:
                lines.append(self.declaration(number, call, place, self.text(number, call, place)))
        return lines

    def of_writer(self, interpreted=False):
        """The program whose draws are compared: a print keeps it with the interpreter."""
        td = [line for number, call, _ in self.calls for line in self.sizes(number, call)] + self.outputs("td")
        copies = [self.declaration(k, call, "gt", f"td_{k}") for k, call, places in self.calls if "td" in places]
        for k, call, places in self.calls:
            if "td" in places and is_elementwise(call):
                td += self.by_elements(k, call)
                copies += [f"real ge_{k} = xe_{k};", f"real gs_{k} = xs_{k};"]
        models = [line for place in MODEL for line in self.outputs(place)]
        return self.program(td, self.outputs("tp") + self.outputs("ti"), [],
                            copies + models + self.outputs("gd") + self.outputs("gp") + self.outputs("gi")
                            + ['print("");'] * interpreted)

    def term(self, number, call, place):
        if place != "mt":
            return f"target += {self.total(number, call, place)};"
        if number % 2:
            return f"target += {self.text(number, call, place, re.sub('_lp', '_lup', call.name))};"
        name, rest = self.text(number, call, place).split("(", 1)
        outcome, _, others = rest[:-1].partition(" | ")
        return f"{outcome} ~ {name[:-5]}({others});"

    def of_density(self):
        """The program whose log density is compared; null if no call stands in the model."""
        terms = [self.term(k, call, p) for k, call, places in self.calls for p in MODEL if p in places]
        return self.program([], [], terms, []) if terms else None

    def program(self, transformed_data, transformed, terms, generated):
        functions = "\n  ".join(self.functions.texts.values())
        return "\n".join([
            block("functions", [functions] if functions else []), block("data", self.declared),
            block("transformed data", transformed_data), "parameters { real d; }",
            block("transformed parameters", ["real by = size_of_by * inv_logit(d);"] + transformed),
            block("model", ["target += -0.5 * square(d);"] + terms), block("generated quantities", generated)])


def joined(name, texts):
    """name(outcome | others) of a distribution, name(all) of others"""
    if re.search(r"_(lu?pdf|lu?pmf|cdf|lcdf|lccdf)$", name) and len(texts) > 1:
        return f"{name}({texts[0]} | {', '.join(texts[1:])})"
    return f"{name}({', '.join(texts)})"


def is_elementwise(call):
    """Elements of lists, with scalars: the value is of lists, too, or a distribution's sum or product."""
    sizes = [dimensions(t.removeprefix("data ")) for t, _ in call.arguments]
    is_density = re.search(r"_(lpdf|lpmf|cdf|lcdf|lccdf)$", call.name) is not None
    return call.has_scalar_form and max(sizes, default=0) == 1 and dimensions(call.result) == 1 - is_density


def with_sizes(base, depth, sizes):
    array = f"array[{', '.join(map(str, sizes[:depth]))}] " if depth else ""
    return array + base + (f"[{', '.join(map(str, sizes[depth:]))}]" if sizes[depth:] else "")


def block(name, lines):
    return f"{name} {{\n  " + "\n  ".join(lines) + "\n}" if lines else ""
