"""Runs the programs of tools/signature_programs.py by every way and says what differs: for tools/check_signatures."""
import csv
import itertools
import json
import math
import os
import re
import signal
import subprocess
import time

from signature_programs import MODEL, Writing, places_of

NUM_DRAWS = 9  # eight points for the log density, and one
SAMPLER = ["--sampler", "rwm", "--scale", "1", "--warmup", "0", "--threads", "1", "--quiet"]
SOLVERS = ("ode_", "dae", "solve_", "algebra_", "integrate_", "laplace_", "map_rect", "reduce_sum")


class Refusal(Exception):
    """The program says no, with a place and words."""


class Fault(Exception):
    """A crash, an internal fault, a wrong number, or a refusal that says too little."""


class Ways:
    """The program, in a folder of its own."""

    def __init__(self, credo, folder, full=False, limit=60):
        self.credo, self.folder, self.full, self.limit, self.num_runs = credo, folder, full, limit, 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, *arguments):
        """Standard output; or Fault, or Refusal."""
        self.num_runs += 1
        try:
            done = subprocess.run([self.credo, *arguments], cwd=self.folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=self.limit)
        except subprocess.TimeoutExpired as e:
            raise Fault(f"no answer in {self.limit} s") from e
        return judged(done.returncode, done.stdout, done.stderr)

    def draws(self, name, *options, chains=1, draws=NUM_DRAWS):
        """The columns of the draws, as text, by name."""
        self.run("sample", name, "--data", "data.json", *SAMPLER, "--format", "csv", "-o", "draws", "--chains", str(chains),
                 "--draws", str(draws), *options)
        chains = [self.columns(f"draws_{k + 1}.csv") for k in range(chains)]
        return {column: [cell for c in chains for cell in c[column]] for column in chains[0]}

    def columns(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))
        first = rows[0].index("d")  # before it: the sampler's own
        return {name: [row[k] for row in rows[1:]] for k, name in enumerate(rows[0]) if k >= first}

    def densities(self, *options):
        return json.loads(self.run("log-prob", "density.stan", "--data", "data.json", "--constrained", "points.json", *options))

    def densities_at(self, points, *options):
        self.write("points.json", json.dumps([{"d": d} for d in points]))
        return self.densities(*options)


def judged(status, out, err):
    report = re.search(r".*(Sanitizer|runtime error:).*", err)
    if report:
        raise Fault(f"a sanitizer's report: {report[0]}")
    if status == 0:
        return out
    if status < 0:
        raise Fault(f"crash: {signal.Signals(-status).name}")
    said = " ".join(err.split())[:400]
    if status == 1 or "internal fault" in err:
        raise Fault(f"internal fault: {said}")
    if not re.search(r"\.stan:\d+", err) or len(said) < 30:
        raise Fault(f"a refusal without a place or words: {said}")
    raise Refusal(re.sub(r"^.*?(error|Error)?: ", "", said))


# ----- comparisons -------------------------------------------------------------------------------------------------------

def same_bits(what, a, b):
    for name in a:
        if a[name] != b.get(name):
            k = next(k for k, cell in enumerate(a[name]) if cell != b[name][k])
            raise Fault(f"{what}: {name} of draw {k + 1} is {a[name][k]} and {b[name][k]}")


def number(cell):
    return math.nan if cell in (None, "nan", "NaN", "-nan") else float(cell)


def near(a, b, scale, tolerance):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * max(scale, abs(a))


def tolerance_of(calls):
    """Rounding; solvers take other steps when they carry derivatives along."""
    return 1e-4 if any(c.name.startswith(SOLVERS) for c in calls) else 1e-9


def elements(columns, place, number_):
    """The columns of one call at one place, in their order."""
    return [v for n, v in columns.items() if re.fullmatch(rf"{place}_{number_}([.:].*)?", n)]


def same_values(writing, columns):
    """With a step of nothing all places give the value of transformed data."""
    for k, call, places in writing.calls:
        if "td" not in places or call.name.endswith("_rng"):
            continue
        for whole, single in zip(elements(columns, "gs", k), elements(columns, "ge", k)):
            if not near(number(whole[0]), number(single[0]), abs(number(whole[0])), 1e-9):
                raise Fault(f"td: {call.name} is {whole[0]} in sum, by its elements {single[0]}")
        expected = elements(columns, "gt", k)
        scale = max([abs(number(v[0])) for v in expected if math.isfinite(number(v[0]))], default=0.0)
        for place in ("gd", "tp", "ti", "gp", "gi"):
            got = elements(columns, place, k)
            if place not in places or len(got) != len(expected) or (place in ("tp", "ti") and "int" in call.result):
                continue
            tolerance = 0.0 if place == "gd" else tolerance_of([call])
            for e, g in zip(expected, got):
                bad = [v for v in g if not near(number(e[0]), number(v), scale, tolerance)]
                if bad:
                    raise Fault(f"{place}: {call.name} is {bad[0]}, in transformed data {e[0]}")


def same_draws(ways, writing):
    ways.write("data.json", json.dumps(writing.data))
    ways.write("writer.stan", writing.of_writer())
    ways.write("interpreted.stan", writing.of_writer(interpreted=True))
    if ways.full:
        ways.run("check", "writer.stan")
    traced = ways.draws("writer.stan")
    same_bits("traced and interpreted", traced, ways.draws("interpreted.stan"))
    if ways.full:
        same_bits("passes all and none", traced, ways.draws("writer.stan", "--passes", "none"))
        many = ways.draws("writer.stan", chains=8, draws=3)
        same_bits("8 lanes and 1", many, ways.draws("writer.stan", "--max-lanes", "1", chains=8, draws=3))
    if any("td" in places for _, _, places in writing.calls):
        ways.write("data.json", json.dumps({**writing.data, "size_of_by": 1e-20}))
        same_values(writing, ways.draws("writer.stan"))
    return traced


def refused(point, other):
    """A density that isn't finite is null, with a place and words."""
    return not math.isfinite(number(other)) and re.search(r"\.stan:\d+", point.get("error", ""))


def same_points(what, a, b, scales, tolerance):
    for k, (p, q) in enumerate(zip(a, b)):
        finite = math.isfinite(number(p.get("log_density_no_jacobian")))
        for key in ("log_density_no_jacobian", "gradient")[:1 + finite]:  # where the density isn't finite no gradient is used
            left, right = p.get(key), q.get(key)
            if left is None and key == "gradient":
                continue
            left, right = (left, right) if isinstance(left, list) else ([left], [right])
            if not all(near(number(x), number(y), scales[k], tolerance) or refused(p, y) for x, y in zip(left, right)):
                raise Fault(f"{what}: {key} of point {k + 1} is {p.get(key)} and {q.get(key)}: {p.get('error', '')}"
                            f"{q.get('error', '')}"[:400])


def same_densities(ways, writing, traced):
    """In 8 lanes and 1, with all passes and none, and beside the sums that the writer wrote."""
    text = writing.of_density()
    if text is None:
        return
    ways.write("density.stan", text)
    ways.write("data.json", json.dumps(writing.data))
    points = [float(d) for d in traced["d"][:NUM_DRAWS - 1]]
    calls = [call for _, call, _ in writing.calls]
    lanes = ways.densities_at(points)
    if re.search("Inf|NaN", str(writing.data.values())):  # derivatives by such numbers are 0 times infinity, this way or that
        lanes = [{**p, "gradient": None} for p in lanes]
    terms = [v for n, v in traced.items() if n[:2] in MODEL and n[2] == "_"]
    scales = [1 + sum(abs(number(t[k])) for t in terms if math.isfinite(number(t[k]))) for k in range(len(lanes))]
    same_points("8 lanes and 1", lanes, ways.densities("--max-lanes", "1"), scales, 0.0)
    same_points("passes all and none", lanes, ways.densities("--passes", "none"), [1e3 * s for s in scales], 1e-10)
    if terms:
        expected = [{"log_density_no_jacobian": -0.5 * float(d) ** 2 + sum(number(t[k]) for t in terms)}
                    for k, d in enumerate(traced["d"][:len(lanes)])]
        values = [{**p, "gradient": None} for p in lanes]
        same_points("log density and draws", values, expected, scales, tolerance_of(calls))
    if ways.full:
        same_slopes(ways, points, lanes, scales, tolerance_of(calls))


def same_slopes(ways, points, at, scales, tolerance):
    """The gradient and differences of the log density."""
    h = 1e-4
    around = ways.densities_at([d + side for d in points for side in (-h, h)])
    for k, point in enumerate(at):
        low, high = (number(p.get("log_density_no_jacobian")) for p in around[2 * k:2 * k + 2])
        slope, gradient = (high - low) / (2 * h), number((point.get("gradient") or [None])[0])
        if abs(slope - gradient) > 1e-4 * abs(gradient) + tolerance * scales[k]:
            raise Fault(f"gradient of point {k + 1} is {gradient}, by differences {slope}")



def judge(ways, calls, places):
    """Raises a Fault or a Refusal."""
    writing = Writing(calls, places)
    if any(p for _, _, p in writing.calls):
        same_densities(ways, writing, same_draws(ways, writing))


# ----- from a group to single calls --------------------------------------------------------------------------------------

class Search:
    """The verdicts of a group of calls at places; a group that fails is taken apart, by place and by call."""

    def __init__(self, ways, calls):
        self.ways, self.calls, self.found = ways, calls, {}

    def good(self, numbers, place):
        return all(self.found.get((n, place), "?") == "" for n in numbers)

    def judge(self, numbers, places):
        """Beside transformed data, with which values are compared."""
        beside = ["td"] if "td" not in places and self.good(numbers, "td") else []
        judge(self.ways, [self.calls[n] for n in numbers], beside + places)

    def study(self, numbers, places):
        try:
            self.judge(numbers, places)
            self.found.update({(n, p): "" for n in numbers for p in places if p in places_of(self.calls[n])})
            return
        except (Fault, Refusal) as e:
            verdict = ("refused" if isinstance(e, Refusal) else "fault", str(e))
        if len(places) == 1 and len(numbers) == 1:
            self.found[(numbers[0], places[0])] = verdict
            return
        for part in [(numbers, [p]) for p in places] if len(places) > 1 else [([n], places) for n in numbers]:
            if any(p in places_of(self.calls[n]) for n in part[0] for p in part[1]):
                self.study(*part)
        if not any(self.found.get((n, p)) for n in numbers for p in places):
            first = next((n, p) for n in numbers for p in places if p in places_of(self.calls[n]))
            self.found[first] = ("fault", f"only together: {verdict[1]}")


def verdicts(ways, calls, places, one_by_one=False):
    """{(number of the call, place): "" or ("refused" | "fault", words)}"""
    search = Search(ways, calls)
    numbers = [[n] for n in range(len(calls))] if one_by_one else [list(range(len(calls)))]
    # A random number, or a refusal, may keep what follows from being traced.
    alone = one_by_one or any(c.name.endswith("_rng") for c in calls)
    for some, group in itertools.product(numbers, [[p] for p in places] if alone else [places]):
        present = [p for p in group if any(p in places_of(calls[n]) for n in some)]
        if present:
            search.study(some, present)
    return search.found


# ----- killed and resumed ------------------------------------------------------------------------------------------------

def resumed(ways, writing, num_draws=4000):
    """A run that is killed and goes on ends with the draws of one that nobody disturbed."""
    ways.write("data.json", json.dumps(writing.data))
    ways.write("writer.stan", writing.of_writer())
    command = ["sample", "writer.stan", "--data", "data.json", "--sampler", "rwm", "--scale", "1", "--warmup", "50", "--draws",
               str(num_draws), "--chains", "2", "--threads", "1", "--quiet", "--format", "csv", "-o"]
    begin = time.time()
    ways.run(*command, "whole")
    length = time.time() - begin
    process = subprocess.Popen([ways.credo, *command, "broken"], cwd=ways.folder, stderr=subprocess.DEVNULL)
    time.sleep(0.6 * length)
    process.kill()
    process.wait()
    run_file = ways.path("broken.run")
    ways.run(*(["resume", "broken.run", "--quiet"] if os.path.exists(run_file) else [*command, "broken"]))
    for chain in (1, 2):
        same_bits("killed and not", ways.columns(f"whole_{chain}.csv"), ways.columns(f"broken_{chain}.csv"))
