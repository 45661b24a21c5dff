"""What `posteriordb --all` does with every posterior, and the tables it writes for docs/benchmarks.md.

A survey asks the program for the parameters (`credo info`: check, data, trace) and for log density and gradient at the
points of the reference gradients, q_i = 0.4 sin(0.37 i (k + 1) + 0.2 k) for k = 0..3, i = 1..dimension, and four more (some
programs have no density at the first ones), then at 24 further out, 2 instead of 0.4; values have to be finite at one. With a folder of reference gradients
(GRADIENTS/grad.NAME.json) it compares:

  gradient: |a - b| <= tolerance * max(|b|, 1e-4 max |b|): where components cancel, rounding is relative to the largest;
  log density: differences to the point with the smallest |log density| (constants may differ), relative to max(1, |b|).

The tolerance is 1e-8, for programs with ODEs 1e-6, the default relative tolerance of Stan's solvers. A program with a simplex
maps unconstrained points elsewhere since Stan 2.37: its log densities without Jacobian are compared at constrained points.
"""
import glob
import json
import math
import os
import subprocess
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

TOLERANCE, ODE_TOLERANCE, FLOOR, NUM_POINTS = 1e-8, 1e-6, 1e-4, 8
RADIUS, FAR_RADIUS, NUM_FAR = 0.4, 2.0, 24
TAIL_4 = 6.334e-5    # chance of a standard normal beyond 4; and beyond 3 and 2
TAIL_3, TAIL_2 = 2.6998e-3, 4.5500e-2


def point(k, dimension, radius=RADIUS):
    return [radius * math.sin(0.37 * i * (k + 1) + 0.2 * k) for i in range(1, dimension + 1)]


def number(value):
    """JSON has no NaN; references write "NaN", "Inf", "-Inf"."""
    return float(value)


def programs(path):
    """(name, program, data as bytes) of a checkout of posteriordb and of the examples."""
    database = os.path.join(path, "posterior_database")
    for file in sorted(glob.glob(os.path.join(database, "posteriors", "*.json"))):
        with open(file) as stream:
            told = json.load(stream)
        archive = os.path.join(database, "data", "data", told["data_name"] + ".json.zip")
        if os.path.exists(archive):
            with zipfile.ZipFile(archive) as packed:
                yield told["name"], os.path.join(database, "models", "stan", told["model_name"] + ".stan"), packed.read(packed.namelist()[0])
    for program in sorted(glob.glob(os.path.join(ROOT, "examples", "*.stan"))):
        with open(program[:-5] + ".data.json", "rb") as stream:
            yield os.path.basename(program)[:-5], program, stream.read()


class Refused(Exception):
    pass


def complaint(done):
    """What a command that failed says first, with its place: from its JSON, or its first line."""
    for text in (done.stdout.lstrip(), done.stderr.lstrip()):
        try:
            told, _ = json.JSONDecoder().raw_decode(text)
        except ValueError:
            continue
        if isinstance(told, list) and told:    # diagnostics, the first of them an error
            return f"{os.path.basename(told[0]['file'])}:{told[0]['line']}:{told[0]['column']}: {told[0]['message']}"
        if isinstance(told, dict) and "error" in told:
            return f"{os.path.basename(told['error']['where'])}: {told['error']['message']}"
    lines = [line for line in (done.stderr + "\n" + done.stdout).split("\n") if line.strip()]
    return lines[0] if lines else f"exit status {done.returncode} without a message"


def ask(command, limit):
    """The JSON that a command prints."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit)
    if done.returncode != 0:
        raise Refused(complaint(done))
    return json.loads(done.stdout)


def evaluate(command, option, points, folder, limit):
    path = os.path.join(folder, "points.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(points, file)
    return ask([*command, option, path], limit)


def is_finite(answer):
    return "error" not in answer and all(math.isfinite(number(x)) for x in [answer["log_density"], *answer["gradient"]])


def worst_difference(pairs):
    """Largest error of differences of log densities, (ours, reference) at each point; infinite ones have to be equal."""
    if any(a != b and not (math.isfinite(a) and math.isfinite(b)) for a, b in pairs):
        return math.inf
    pairs = [pair for pair in pairs if math.isfinite(pair[1])]
    if not pairs:
        return 0.0
    base = min(pairs, key=lambda pair: abs(pair[1]))
    return max(abs((a - base[0]) - (b - base[1])) / max(1, abs(b)) for a, b in pairs)


def worst_component(found, wanted):
    """The largest error in units of the reference; a component without a value (NaN) has to have none in both."""
    if len(found) != len(wanted):
        return math.inf
    pairs = [(number(a), number(b)) for a, b in zip(found, wanted)]
    pairs = [(a, b) for a, b in pairs if a != b and not (math.isnan(a) and math.isnan(b))]
    floor = FLOOR * max((abs(x) for x in map(number, wanted) if math.isfinite(x)), default=1.0)
    errors = [abs(a - b) / max(abs(b), floor) for a, b in pairs] + [0.0]
    return max(math.inf if math.isnan(error) else error for error in errors)


def compare_gradients(reference, evaluate_at):
    """The largest error of log densities and gradients; the number of points compared."""
    points = reference["points"]
    constrained = [p["constrained"] for p in points] if "constrained" in points[0] else reference.get("constrained")
    dimension = reference["dim"]
    answers = (evaluate_at("--constrained", constrained) if constrained else
               evaluate_at("--unconstrained", [point(k, dimension) for k in range(len(points))]))
    both = [(a, b) for a, b in zip(answers, points) if "error" not in a and "error" not in b]
    if len(answers) != len(points) or any(("error" in a) != ("error" in b) for a, b in zip(answers, points)):
        return {"log_density_error": math.inf, "gradient_error": math.inf, "num_compared": len(both)}
    ours, theirs = ("log_density_no_jacobian", "lp_nojac") if constrained else ("log_density", "lp")
    gradient = 0.0 if constrained else max(worst_component(a["gradient"], b["grad"]) for a, b in both)
    return {"log_density_error": worst_difference([(number(a[ours]), number(b[theirs])) for a, b in both]),
            "gradient_error": gradient, "num_compared": len(both)}


def load_reference(folder, name):
    path = os.path.join(folder, f"grad.{name}.json") if folder else ""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def survey(posterior, options, folder):
    """{"status": agrees | differs | evaluates | refused | "no data", ...} of one posterior."""
    result = {"posterior": posterior.name}
    data = os.path.join(folder, "data.json")
    program = posterior.program_path()
    try:
        with open(data, "wb") as file:
            file.write(posterior.data())
    except OSError:
        done = subprocess.run([options.credo, "check", program], stdin=subprocess.DEVNULL, capture_output=True)
        checked = "the program checks" if done.returncode == 0 else "the program doesn't check either"
        return result | {"status": "no data", "message": f"its data are missing in this checkout; {checked}"}
    common = [program, "--data", data]

    def evaluate_at(option, points):
        return evaluate([options.credo, "log-prob", *common], option, points, folder, options.timeout)

    try:
        dimension = ask([options.credo, "info", *common, "--json"], options.timeout)["dimension"]
        answers = evaluate_at("--unconstrained", [point(k, dimension) for k in range(NUM_POINTS)])
        if not any(map(is_finite, answers)):
            answers += evaluate_at("--unconstrained", [point(k, dimension, FAR_RADIUS) for k in range(NUM_FAR)])
        result |= {"dimension": dimension, "num_finite": sum(map(is_finite, answers)), "num_points": len(answers)}
        if result["num_finite"] == 0:
            reason = answers[0].get("error", "infinite values").rsplit(os.sep, 1)[-1]
            return result | {"status": "refused", "message": f"none of {len(answers)} points has finite values: {reason}"}
        reference = load_reference(options.gradients, posterior.name)
        if reference is None:
            return result | {"status": "evaluates"}
        result |= compare_gradients(reference, evaluate_at)
    except Refused as refusal:
        return result | {"status": "refused", "message": str(refusal)}
    except subprocess.TimeoutExpired:
        return result | {"status": "refused", "message": f"took more than {options.timeout:.0f} s"}
    tolerance = ODE_TOLERANCE if "ode" in reference["features"] else TOLERANCE
    good = result["log_density_error"] <= tolerance and result["gradient_error"] <= tolerance
    return result | {"status": "agrees" if good else "differs"}


def survey_line(result):
    facts = result.get("message", "")
    if "gradient_error" in result:
        facts = f"log density {result['log_density_error']:.1e}, gradient {result['gradient_error']:.1e}"
    return f"{result['posterior']:72} {result.get('dimension', ''):>6} {result['status']:10} {facts}"


def survey_counts(results):
    """One sentence."""
    def count(*statuses):
        return sum(r["status"] in statuses for r in results)

    evaluated, given = count("agrees", "differs", "evaluates"), count("agrees", "differs")
    return (f"{evaluated} of {len(results)} posteriors trace and evaluate to finite log densities and gradients; "
            f"{count('agrees')} of the {given} with reference gradients agree.")


def multiplicity(results):
    """How many comparisons of runs that pass lie beyond 2, 3 and 4, and how many chance puts there; one sentence."""
    rows = [row for r in results if r["verdict"] == "pass" for row in r["parameters"]]
    scores = [row[field] for row in rows for field in row if field.startswith("z_")]
    beyond = [sum(not z <= limit for z in scores) for limit in (2, 3, 4)]
    chance = [len(scores) * tail for tail in (TAIL_2, TAIL_3, TAIL_4)]
    return (f"{len(scores)} comparisons in these: {beyond[0]} beyond 2 errors, {beyond[1]} beyond 3, {beyond[2]} beyond 4; "
            f"of as many independent normal ones chance puts {chance[0]:.0f}, {chance[1]:.1f}, {chance[2]:.2f} there.")


# --- the tables ---

WORDS = {"good": "believe", "doubtful": "doubtful", "bad": "don't"}


def advice_of(result):
    findings = ", ".join(result["findings"])
    return WORDS[result["advice"]] + (f": {findings}" if findings else "")


def row_of(result, dimension):
    if result["verdict"] == "error":
        return f"| {result['posterior']} | {dimension} |  |  |  |  |  |  |  |  | error |"
    return (f"| {result['posterior']} | {dimension} | {result['dimension']} | {result['cpu_seconds']:.2f} | "
            f"{result['min_ess']:.0f} | {result['r_hat']:.4f} | {result['z_mean']:.2f} | {result['z_sd']:.2f} | "
            f"{result['z_quantile']:.2f} | {advice_of(result)} | {result['verdict']} |")


def again(result):
    """What other seeds do where the first one failed, and the sampler that the verdict names."""
    lines = [f"- **{result['posterior']}**: {result.get('message') or result['complaint']}"]
    for other in result.get("again", []) + result.get("remedied", []):
        run = "`" + " ".join(["--seed", str(other["seed"]), *other["options"]]) + "`"
        if other["verdict"] == "error":
            lines.append(f"  - {run}: {other['message']}")
            continue
        lines.append(f"  - {run}: {other['verdict']}, R-hat {other['r_hat']:.4f}, largest z {largest_z(other):.2f}, "
                     f"{other['cpu_seconds']:.0f} s, verdict {advice_of(other)}")
    return lines


def largest_z(result):
    return max(result["z_mean"], result["z_sd"], result["z_quantile"])


def agrees(result):
    return result["verdict"] != "error" and largest_z(result) <= 4


def markdown(surveyed, sampled, absent):
    """The content of docs/benchmarks.md between its markers."""
    dimensions = {r["posterior"]: r["dimension"] for r in surveyed if "dimension" in r}
    apart = [f"- **{r['posterior']}**: {r['status']}: {r.get('message') or survey_line(r).split(maxsplit=3)[-1]}"
             for r in surveyed if r["status"] not in ("agrees", "evaluates")]
    passed = sum(r["verdict"] == "pass" for r in sampled)
    within = sum(map(agrees, sampled))
    remedied = [r["posterior"] for r in sampled if not agrees(r) and any(map(agrees, r.get("remedied", [])))]
    failures = [line for r in sampled if r["verdict"] != "pass" for line in again(r)]
    lines = [survey_counts(surveyed) + (" The others:" if apart else ""), "", *apart, "",
             f"Of {len(sampled)} posteriors with reference draws {within} agree within 4 errors, {passed} of them with R-hat "
             "at most 1.01 (pass).", multiplicity(sampled),
             *(f"{name} agrees with the sampler that its verdict names (below)." for name in remedied),
             *(f"The reference draws of {name} are missing in this checkout." for name in absent), "",
             "| posterior | dim. | outputs | CPU s | min. ESS | max. R-hat | z mean | z sd | z quantiles | verdict on the run "
             "| result |", "|---|" + "--:|" * 8 + "---|---|",
             *(row_of(r, dimensions.get(r["posterior"], "")) for r in sampled), ""]
    return "\n".join(lines + (["Where a run fails, with four other seeds, and with the sampler that the verdict on it names:", "", *failures, ""] if failures else []))


def self_test():
    """Comparisons that have to fail do, others don't; the number of wrong ones."""
    told = subprocess.CompletedProcess([], 3, '[{"file": "a/m.stan", "line": 2, "column": 5, "message": "no f"}]\n{}', "")
    far = [1.0, 2.0 + 3e-8, -5.0]
    checks = [worst_component([1.0, 2.0, -5.0], [1, 2, -5]) == 0, worst_component(far, [1, 2, -5]) > TOLERANCE,
              worst_component([1e6, 1e-7], [1e6, 1.1e-7]) < TOLERANCE,    # rounding of the largest component
              worst_component([1e6, 1e-2], [1e6, 1.1e-2]) > TOLERANCE, worst_component([1.0], [1, 2]) == math.inf,
              worst_component([math.nan], [1]) > TOLERANCE, worst_component([1.0], ["NaN"]) > TOLERANCE,
              worst_component(["NaN", 2.0], ["NaN", 2]) == 0, worst_component(["NaN", 2.1], ["NaN", 2]) > TOLERANCE,
              worst_difference([(3.0, 1.0), (7.0, 5.0)]) == 0, worst_difference([(3.0, 1.0), (7.1, 5.0)]) > TOLERANCE,
              worst_difference([(-math.inf, -math.inf), (3.0, 1.0)]) == 0,
              worst_difference([(-4.0, -math.inf), (3.0, 1.0)]) == math.inf,
              complaint(told) == "m.stan:2:5: no f", not is_finite({"log_density": "-Inf", "gradient": [1.0]})]
    return len(checks), checks.count(False)
