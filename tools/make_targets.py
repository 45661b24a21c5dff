#!/usr/bin/env python3
"""Writes the targets with known answers: NAME.stan, NAME.data.json and answers.json of tests/verdict/targets.

usage: make_targets

Each family below adds its targets with add(name, program, distributions, …): `distributions` says of outputs (x.* stands for all elements of x) which
distribution they have. Answers are closed forms or quadratures (target_distributions.py), never Monte Carlo; each is computed twice, with panels of
half the width, and may move by a ten-thousandth of a standard deviation at most.

answers.json has, for each target: `kind` (hard: made to break samplers; healthy: a good sampler does it well), `reach` (unreachable:
there is a mode that no gradient leads to from where chains start), `true_findings` (they say of the target what is so, whatever the
draws: no mean of a Cauchy distribution), `answers` and `scales`: each output's sd, or where it has none, its interquartile range / 1.349.
"""
import json
import math
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import target_distributions as distributions  # noqa: E402
from target_distributions import Closed, Density, Image, Normals, beta, gamma, normal, plane, positive, student_t  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDER = os.path.join(ROOT, "tests", "verdict", "targets")
LARGEST_ERROR = 1e-4    # of an answer, in standard deviations
NUM_DRAWS, NUM_EVALUATIONS, ENOUGH = 4000, 32000, 3  # of a default run; expected visits by which another mode counts as reachable

targets = {}


def add(name, program, answers, kind="hard", reachable=True, data=None, true_findings=(), without=()):
    """`without`: figures that are no test, as a median in the gap between two modes of one half each."""
    if name in targets:
        raise SystemExit(f"make_targets: two targets are called {name}")
    targets[name] = {"program": program, "distributions": answers, "data": data, "kind": kind,
                     "reach": "reachable" if reachable else "unreachable", "true_findings": list(true_findings), "without": without}


def healthy(name, program, answers, **more):
    add(name, program, answers, kind="healthy", **more)


def stan(parameters, model, data="", prepared="", transformed="", generated=""):
    blocks = (("data", data), ("transformed data", prepared), ("parameters", parameters),
              ("transformed parameters", transformed), ("model", model), ("generated quantities", generated))
    return "".join(f"{name} {{\n{indented(text)}}}\n" for name, text in blocks if text or name == "model")


def indented(text):
    return "".join(f"  {line}\n" for line in text.split("\n"))


def simple(statement, distribution, declared="real", **more):
    """Program and answers of one parameter x with one distribution."""
    return stan(f"{declared} x;", f"x ~ {statement};"), {"x": distribution}


def elements(distribution, size):
    """The answers of x, `size` elements of one distribution. Of many, five: each figure more is a chance more to be off by 4.5 errors."""
    return {"x.*": distribution} if size <= 10 else {f"x.{1 + k * (size - 1) // 4}": distribution for k in range(5)}


def plain(number):
    return repr(number) if isinstance(number, int) else f"{number:g}"


# --- made to break samplers ---

def bananas():
    def y_distribution(width):
        panels = math.ceil(40 / width)  # x^2 moves by less than the width from one node to the next
        return Density(lambda x: -x * x / 2, 0, 10, ends=True, panels=panels).normals(lambda x: (x * x, width))
    for width in (0.3, 0.1, 0.05, 0.02, 0.01):
        add(f"banana_{width}", stan("real x;\nreal y;", f"x ~ normal(0, 1);\ny ~ normal(x^2, {width});"),
            lambda width=width: {"x": normal(0, 1), "y": y_distribution(width)})
    for width in (0.1, 0.03):
        add(f"banana_5d_{width}", stan("real x;\nvector[4] y;", f"x ~ normal(0, 1);\ny ~ normal(x^2, {width});"),
            lambda width=width: {"x": normal(0, 1), "y.*": y_distribution(width)})
    add("bananas_5_0.05", stan("vector[5] x;\nvector[5] y;", "x ~ normal(0, 1);\ny ~ normal(square(x), 0.05);"),
        lambda: {"x.*": normal(0, 1), "y.*": y_distribution(0.05)})


def funnels():
    def x_distribution():
        return Density(lambda v: -v * v / 18, -40, 40).normals(lambda v: (0.0, math.exp(v / 2)))
    for dimension in (2, 4, 10):
        add(f"funnel_{dimension}d", stan(f"real v;\nvector[{dimension - 1}] x;", "v ~ normal(0, 3);\nx ~ normal(0, exp(v / 2));"),
            lambda: {"v": normal(0, 3), "x.*": x_distribution()})


class Hierarchy:
    """theta[j] ~ normal(mu, tau), y[j] ~ normal(theta[j], se[j]): given tau all is normal, so one quadrature over log tau is all.

    mu ~ normal(0, mu_sd), or mu = 0 where mu_sd is 0; `prior` is of tau: (statement, log density, declaration, upper end).
    """

    def __init__(self, y, se, prior, mu_sd):
        self.y, self.se, self.mu_sd = y, se, mu_sd
        self.statement, self.log_prior, self.declared, self.upper = prior

    def mu_given(self, tau):
        precisions = [1 / (s * s + tau * tau) for s in self.se]
        variance = 1 / (1 / self.mu_sd**2 + math.fsum(precisions)) if self.mu_sd else 0.0
        return variance * math.fsum(w * y for w, y in zip(precisions, self.y)), variance

    def log_marginal(self, tau):
        mean, variance = self.mu_given(tau)
        terms = [-0.5 * (math.log(s * s + tau * tau) + y * y / (s * s + tau * tau)) for y, s in zip(self.y, self.se)]
        shared = 0.5 * (math.log(variance) + mean * mean / variance) if self.mu_sd else 0.0
        return self.log_prior(tau) + math.fsum(terms) + shared

    def theta_given(self, j, tau):
        mean, variance = self.mu_given(tau)
        share = tau**2 / (tau**2 + self.se[j]**2)
        return share * self.y[j] + (1 - share) * mean, math.sqrt(share * self.se[j]**2 + (1 - share)**2 * variance)

    def distributions(self):
        bounded = self.upper is not None
        tau = positive(self.log_marginal, high=math.log(self.upper) if bounded else 25.0, ends=bounded)
        result = {"tau": tau}
        for j in range(len(self.y)):
            result[f"theta.{j + 1}"] = tau.normals(lambda u, j=j: self.theta_given(j, math.exp(u)))
        if self.mu_sd:
            result["mu"] = tau.normals(lambda u: (self.mu_given(math.exp(u))[0], math.sqrt(self.mu_given(math.exp(u))[1])))
        return result

    def program(self, centred):
        size = len(self.y)
        mu = "real mu;\n" if self.mu_sd else ""
        priors = f"mu ~ normal(0, {plain(self.mu_sd)});\n" if self.mu_sd else ""
        priors += self.statement
        data = f"vector[{size}] y;\nvector[{size}] se;"
        middle = "mu" if self.mu_sd else "0"
        if centred:
            return stan(f"{mu}{self.declared} tau;\nvector[{size}] theta;",
                        f"{priors}theta ~ normal({middle}, tau);\ny ~ normal(theta, se);", data=data)
        return stan(f"{mu}{self.declared} tau;\nvector[{size}] z;", f"{priors}z ~ normal(0, 1);\ny ~ normal(theta, se);", data=data,
                    transformed=f"vector[{size}] theta = {middle + ' + ' if self.mu_sd else ''}tau * z;")

    def data(self):
        return {"y": self.y, "se": self.se}


def half_cauchy(scale):
    return f"tau ~ cauchy(0, {scale});\n", lambda tau: -math.log1p((tau / scale)**2), "real<lower=0>", None


def exponential(rate):
    return f"tau ~ exponential({rate});\n", lambda tau: -rate * tau, "real<lower=0>", None


def uniform(upper):
    return "", lambda tau: 0.0, f"real<lower=0, upper={upper}>", upper


FIVE = ([0.1, -0.2, 0.05, 0.15, -0.1], [1.0] * 5)
THREE = ([0.8, -0.4, 1.9], [1.0] * 3)
SCHOOLS = ([28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18])
EIGHT = ([1.2, -0.7, 0.4, 2.3, -1.5, 0.1, 0.9, -0.3], [0.1] * 8)


def hierarchies():
    rows = [("five_cauchy", FIVE, half_cauchy(1), 0), ("three_cauchy", THREE, half_cauchy(1), 5),
            ("three_uniform", THREE, uniform(20), 5), ("three_exponential", THREE, exponential(1), 5),
            ("five_uniform", FIVE, uniform(10), 5), ("schools", SCHOOLS, half_cauchy(5), 5),
            ("schools_exponential", SCHOOLS, exponential(0.1), 5), ("eight_strong", EIGHT, half_cauchy(1), 5)]
    for name, (y, se), prior, mu_sd in rows:
        of = Hierarchy(y, se, prior, mu_sd)
        add(f"groups_{name}", of.program(centred=True), of.distributions, data=of.data())
    for name, (y, se), prior, mu_sd in [rows[0], rows[3], rows[5]]:
        of = Hierarchy(y, se, prior, mu_sd)
        healthy(f"groups_{name}_not_centred", of.program(centred=False), of.distributions, data=of.data())


def two_normals(share, first, second, dimension):
    """Program of log_mix(share, normal(first), normal(second)); each is (mean, sd)."""
    def density(mean, sd):
        return f"normal_lpdf(x | {plain(mean)}, {plain(sd)})"
    declared = "real x;" if dimension == 1 else f"vector[{dimension}] x;"
    return stan(declared, f"target += log_mix({share}, {density(*first)}, {density(*second)});")


def mixture_target(name, share, first, second, dimension, reachable, kind="hard"):
    distribution = Normals([(share, *first), (1 - share, *second)])
    in_a_gap = share == 0.5 and abs(first[0] - second[0]) > 5
    add(name, two_normals(share, first, second, dimension), {"x": distribution} if dimension == 1 else elements(distribution, dimension), kind=kind,
        reachable=reachable, without=("q50",) if in_a_gap else ())


def lower_gamma(shape, x):
    """P(shape, x), by its series: what x ~ gamma(shape, 1) has below it."""
    terms = (math.exp(shape * math.log(x) - x + n * math.log(x) - math.lgamma(shape + n + 1)) for n in range(500))
    return math.fsum(terms)


def spike_is_reachable(spike, slab, dimension):
    """Whether a run's evaluations in the slab are expected to meet the ball in which the spike's gradient is the larger one."""
    radius2 = 2 * spike**2 * (dimension + 2) * math.log(slab / spike)
    return NUM_EVALUATIONS * lower_gamma(dimension / 2, radius2 / (2 * slab**2)) >= ENOUGH


def spikes():
    for spike, slab, dimension in [(0.001, 10, 1), (0.01, 10, 1), (0.01, 1, 1), (0.1, 1, 1), (0.1, 1, 2), (0.1, 10, 2), (0.1, 1, 5),
                                   (0.1, 1, 10)]:
        mixture_target(f"spike_{plain(spike)}_{slab}_{dimension}d", 0.5, (0, spike), (0, slab), dimension,
                       spike_is_reachable(spike, slab, dimension))


def modes_are_reachable(distance):
    """Whether momenta that climb from one unit normal to the middle of two are expected in a run."""
    return NUM_DRAWS * 2 * distributions.phi_cdf(-distance / 2) >= ENOUGH


def modes():
    for share, distance, dimension in [(0.5, 5, 1), (0.5, 6, 1), (0.5, 20, 1), (0.5, 40, 1), (0.5, 100, 1), (0.5, 400, 1), (0.3, 2, 5),
                                       (0.3, 8, 5), (0.3, 15, 5), (0.3, 30, 5), (0.5, 10, 2), (0.9, 12, 3), (0.5, 8, 10), (0.5, 4, 40)]:
        mixture_target(f"modes_{share}_{distance}_{dimension}d", share, (0, 1), (distance, 1), dimension,
                       modes_are_reachable(distance * math.sqrt(dimension)))
    add("modes_narrow_near", two_normals(0.5, (-1, 0.05), (1, 0.05), 1), {"x": Normals([(0.5, -1, 0.05), (0.5, 1, 0.05)])},
        without=("q50",))
    three = "log_sum_exp({normal_lpdf(x | -6, 1), normal_lpdf(x | 0, 1), normal_lpdf(x | 6, 1)})"
    add("modes_three", stan("real x;", f"target += {three};"), {"x": Normals([(1, -6, 1), (1, 0, 1), (1, 6, 1)])})


def cauchy_quantile(p):
    return math.tan(math.pi * (p - 0.5))


def log_normal(sigma):
    return Image(normal(0, sigma), math.exp, math.exp(sigma**2 / 2), math.exp(sigma**2 / 2) * math.sqrt(math.expm1(sigma**2)))


def pareto(shape):
    sd = math.sqrt(shape / (shape - 2)) / (shape - 1) if shape > 2 else None
    return Closed(mean=shape / (shape - 1) if shape > 1 else None, sd=sd, inverse=lambda p: (1 - p)**(-1 / shape))


def tails():
    told = {"true_findings": ["heavy_tails"]}
    cauchy = Closed(inverse=cauchy_quantile)
    add("cauchy", *simple("cauchy(0, 1)", cauchy), **told)
    add("cauchy_10d", stan("vector[10] x;", "x ~ cauchy(0, 1);"), {"x.*": cauchy}, **told)
    add("half_cauchy", *simple("cauchy(0, 1)", Closed(inverse=lambda p: cauchy_quantile(0.5 + p / 2)), "real<lower=0>"), **told)
    for df in (2, 3, 4):
        add(f"student_t_{df}", *simple(f"student_t({df}, 0, 1)", lambda df=df: student_t(df)), **(told if df == 2 else {}))
    add("pareto_1.5", *simple("pareto(1, 1.5)", pareto(1.5), "real<lower=1>"), **told)
    add("pareto_3", *simple("pareto(1, 3)", pareto(3), "real<lower=1>"))
    for sigma in (2, 3):
        add(f"log_normal_{sigma}", *simple(f"lognormal(0, {sigma})", log_normal(sigma), "real<lower=0>"))


def normal_beyond(bound):
    return Density(lambda u: -(bound + math.exp(u))**2 / 2 + u, -60, 4, lambda u: bound + math.exp(u))


def bounds():
    add("beta_0.5_0.5", *simple("beta(0.5, 0.5)", lambda: beta(0.5, 0.5), "real<lower=0, upper=1>"))
    add("beta_0.05_1", *simple("beta(0.05, 1)", lambda: beta(0.05, 1), "real<lower=0, upper=1>"))
    add("gamma_0.1_1", *simple("gamma(0.1, 1)", lambda: gamma(0.1, 1), "real<lower=0>"))
    for bound in (5, 10):
        add(f"normal_beyond_{bound}", *simple("normal(0, 1)", lambda bound=bound: normal_beyond(bound), f"real<lower={bound}>"),
            true_findings=["at_bound"])


def ring_distribution(radius, width):
    """A coordinate of a ring whose radius has a density r exp(-(r - radius)^2 / 2 width^2)."""
    low = max(0.0, radius - 10 * width)
    distribution = Density(lambda r: math.log(r) - 0.5 * ((r - radius) / width)**2 if r > 0 else -math.inf, low, radius + 10 * width, panels=400)

    def cdf(x):
        return distribution.expectation(lambda r: 1 - math.acos(max(-1.0, min(1.0, x / r))) / math.pi)
    return Closed(cdf, 0.0, math.sqrt(distribution.expectation(lambda r: r * r) / 2), -radius, radius)


def ridge_distribution(y, sd):
    """a, b ~ normal(0, 1), y ~ normal(a b, sd): a's distribution; over asinh(a / sd), as it may be narrow at 0."""
    def log_density(u):
        a = sd * math.sinh(u)
        variance = sd * sd + a * a
        return -a * a / 2 - 0.5 * math.log(variance) - y * y / (2 * variance) + math.log(math.cosh(u))
    high = math.asinh(11 / sd)
    return Density(log_density, -high, high, lambda u: sd * math.sinh(u))


def shapes():
    for radius, width in [(3, 0.1), (1, 0.02)]:
        add(f"ring_{radius}_{width}", stan("real x;\nreal y;", f"target += normal_lpdf(sqrt(x^2 + y^2) | {radius}, {width});"),
            lambda radius=radius, width=width: {name: ring_distribution(radius, width) for name in "xy"})
    cross = Normals([(0.5, 0, 1), (0.5, 0, 0.05)])
    arms = [f"normal_lpdf(x | 0, {a}) + normal_lpdf(y | 0, {b})" for a, b in (("1", "0.05"), ("0.05", "1"))]
    add("cross_0.05", stan("real x;\nreal y;", f"target += log_mix(0.5, {arms[0]}, {arms[1]});"), {"x": cross, "y": cross})
    for y, sd in [(0, 0.1), (0, 0.01), (1, 0.1)]:
        model = f"a ~ normal(0, 1);\nb ~ normal(0, 1);\ntarget += normal_lpdf({y} | a * b, {sd});"
        add(f"product_{y}_{sd}", stan("real a;\nreal b;", model),
            lambda y=y, sd=sd: {name: ridge_distribution(y, sd) for name in "ab"}, without=("q50",) if y else ())


def equicorrelated(rho, dimension):
    prepared = (f"matrix[{dimension}, {dimension}] C = add_diag(rep_matrix({rho}, {dimension}, {dimension}), {1 - rho:g});\n"
                f"matrix[{dimension}, {dimension}] L = cholesky_decompose(C);")
    return stan(f"vector[{dimension}] x;", f"x ~ multi_normal_cholesky(rep_vector(0, {dimension}), L);", prepared=prepared)


def scales():
    for rho in (0.9, 0.99, 0.999, 0.9999):
        add(f"correlated_{rho}", equicorrelated(rho, 2), {"x.*": normal(0, 1)}, kind="healthy" if rho == 0.9 else "hard")
    for rho, dimension in [(0.999, 10), (0.99, 20)]:
        add(f"correlated_{rho}_{dimension}d", equicorrelated(rho, dimension), elements(normal(0, 1), dimension))
    add("chain_0.999_100d", stan("vector[100] x;", "x[1] ~ normal(0, 1);\nx[2:100] ~ normal(0.999 * x[1:99], sqrt(1 - 0.999^2));"),
        elements(normal(0, 1), 100))
    powers = [10.0**k for k in range(-6, 7)]
    add("scales_13", stan("vector[13] x;", "x ~ normal(0, s);", data="vector[13] s;"),
        {f"x.{k + 1}": normal(0, s) for k, s in enumerate(powers)}, data={"s": powers})


# --- what a good sampler does well ---

def normals_of_scales():
    for dimension in (1, 5, 20, 100):
        healthy(f"normal_{dimension}d", stan(f"vector[{dimension}] x;", "x ~ normal(0, 1);"), elements(normal(0, 1), dimension))
    healthy("normal_sd_1e10", *simple("normal(0, 1e10)", normal(0, 1e10)))
    healthy("normal_sd_1e-6", *simple("normal(0, 1e-6)", normal(0, 1e-6)))
    healthy("normal_at_1e6", *simple("normal(1e6, 1)", normal(1e6, 1)))
    healthy("two_scales", stan("real x;\nreal y;", "x ~ normal(0, 1e6);\ny ~ normal(0, 1e-6);"),
            {"x": normal(0, 1e6), "y": normal(0, 1e-6)})


def families():
    above, share = "real<lower=0>", "real<lower=0, upper=1>"
    even = Closed(mean=0.5, sd=math.sqrt(1 / 12), inverse=lambda p: p)
    healthy("uniform", *simple("uniform(0, 1)", even, share))
    healthy("uniform_10d", stan("vector<lower=0, upper=1>[10] x;", ""), {"x.*": even})
    healthy("exponential", *simple("exponential(1)", Closed(mean=1, sd=1, inverse=lambda p: -math.log1p(-p)), above))
    folded = Closed(mean=math.sqrt(2 / math.pi), sd=math.sqrt(1 - 2 / math.pi), inverse=lambda p: normal(0, 1).quantile(0.5 + p / 2))
    healthy("half_normal", *simple("normal(0, 1)", folded, above))
    healthy("logistic", *simple("logistic(0, 1)", Closed(mean=0, sd=math.pi / math.sqrt(3), inverse=lambda p: math.log(p / (1 - p)))))
    healthy("student_t_10", *simple("student_t(10, 0, 1)", lambda: student_t(10)))
    inverse_gamma = positive(lambda x: -6 * math.log(x) - 4 / x, low=-8, high=12)
    healthy("inverse_gamma_5_4", *simple("inv_gamma(5, 4)", inverse_gamma, above))
    healthy("beta_2_5", *simple("beta(2, 5)", lambda: beta(2, 5), share))


def inverse(matrix):
    size = len(matrix)
    rows = [list(row) + [float(k == j) for k in range(size)] for j, row in enumerate(matrix)]
    for k in range(size):
        pivot = max(range(k, size), key=lambda j: abs(rows[j][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for j in range(size):
            if j != k:
                rows[j] = [x - rows[j][k] * y for x, y in zip(rows[j], rows[k])]
    return [row[size:] for row in rows]


def rounded(values):
    return [round(v, 3) for v in values]


def regressions():
    rng = random.Random(1)
    x = [(k - 24.5) / 10 for k in range(50)]  # their mean is 0, so that line and level are independent given sigma
    line(x, rounded(1 + 0.5 * v + rng.gauss(0, 1) for v in x))
    level(rounded(rng.gauss(3, 2) for _ in range(20)))
    plane_of_five(rng)
    y = [0.0]
    for _ in range(60):
        y.append(round(0.6 * y[-1] + rng.gauss(0, 1), 3))
    precision = 1 + math.fsum(v * v for v in y[:-1])
    coefficient = normal(math.fsum(a * b for a, b in zip(y, y[1:])) / precision, 1 / math.sqrt(precision))
    healthy("autoregression", stan("real phi;", "phi ~ normal(0, 1);\ny[2:61] ~ normal(phi * y[1:60], 1);", data="vector[61] y;"),
            {"phi": coefficient}, data={"y": y})


def sigma_distribution(square_sum, free):
    """sigma of a normal regression with flat priors on coefficients and sigma; `free`: observations less coefficients."""
    return positive(lambda s: -free * math.log(s) - square_sum / (2 * s * s), low=-3, high=12)


def line(x, y):
    size, sxx = len(x), math.fsum(v * v for v in x)
    a, b = math.fsum(y) / size, math.fsum(u * v for u, v in zip(x, y)) / sxx

    def answers():
        sigma = sigma_distribution(math.fsum((v - a - b * u)**2 for u, v in zip(x, y)), size - 2)
        return {"sigma": sigma, "a": sigma.normals(lambda u: (a, math.exp(u) / math.sqrt(size))),
                "b": sigma.normals(lambda u: (b, math.exp(u) / math.sqrt(sxx)))}
    healthy("regression_line", stan("real a;\nreal b;\nreal<lower=0> sigma;", "y ~ normal(a + b * x, sigma);",
                                    data="vector[50] x;\nvector[50] y;"), answers, data={"x": x, "y": y})


def level(y):
    size, a = len(y), math.fsum(y) / len(y)

    def answers():
        sigma = sigma_distribution(math.fsum((v - a)**2 for v in y), size - 1)
        return {"sigma": sigma, "mu": sigma.normals(lambda u: (a, math.exp(u) / math.sqrt(size)))}
    healthy("mean_and_sd", stan("real mu;\nreal<lower=0> sigma;", "y ~ normal(mu, sigma);", data="vector[20] y;"), answers, data={"y": y})


def plane_of_five(rng):
    rows = [rounded(rng.gauss(0, 1) + 0.5 * k for k in range(5)) for _ in range(80)]
    y = rounded(math.fsum(row) / 5 + rng.gauss(0, 1) for row in rows)
    precision = [[math.fsum(r[j] * r[k] for r in rows) + (j == k) / 100 for k in range(5)] for j in range(5)]
    moments = [math.fsum(r[j] * v for r, v in zip(rows, y)) for j in range(5)]
    covariance = inverse(precision)
    means = [math.fsum(c * m for c, m in zip(row, moments)) for row in covariance]
    healthy("regression_5", stan("vector[5] beta;", "beta ~ normal(0, 10);\ny ~ normal(X * beta, 1);",
                                 data="matrix[80, 5] X;\nvector[80] y;"),
            {f"beta.{k + 1}": normal(means[k], math.sqrt(covariance[k][k])) for k in range(5)}, data={"X": rows, "y": y})


def counts():
    share, above = "real<lower=0, upper=1> p;", "real<lower=0> rate;"
    healthy("beta_binomial", stan(share, "p ~ beta(2, 3);\n7 ~ binomial(20, p);"), lambda: {"p": beta(9, 16)})
    healthy("none_of_twenty", stan(share, "0 ~ binomial(20, p);"), lambda: {"p": beta(1, 21)})
    healthy("gamma_poisson", stan(above, "rate ~ gamma(2, 1);\n{3, 5, 2, 4, 6} ~ poisson(rate);"), lambda: {"rate": gamma(22, 6)})
    for name, alpha in [("dirichlet_10", [2] * 10), ("dirichlet_0.5", [0.5] * 3)]:
        dirichlet(name, alpha, "")
    dirichlet("multinomial", [13, 4, 8], "{12, 3, 7} ~ multinomial(p);\n", prior=[1, 1, 1])


def dirichlet(name, alpha, likelihood, prior=None):
    size, total = len(alpha), sum(alpha)
    prior_text = ", ".join(plain(a) for a in prior or alpha)
    distributions_of = {a: (lambda a=a: beta(a, total - a)) for a in set(alpha)}

    def answers():
        made = {a: distribution() for a, distribution in distributions_of.items()}
        return {f"p.{k + 1}": made[a] for k, a in enumerate(alpha)}
    healthy(name, stan(f"simplex[{size}] p;", f"p ~ dirichlet([{prior_text}]');\n{likelihood}".rstrip("\n")), answers)


def log_prior(x, sd):
    return -0.5 * (x / sd)**2


def bioassay():
    doses, dead = [-0.86, -0.30, -0.05, 0.73], [0, 1, 3, 5]

    def log_density(a, b):
        terms = [k * -distributions.log1p_exp(-(a + b * d)) + (5 - k) * -distributions.log1p_exp(a + b * d) for d, k in zip(doses, dead)]
        return math.fsum(terms) + log_prior(a, 2) + log_prior(b, 5)
    box = ((-18, 18), (-30, 48))
    healthy("bioassay", stan("real a;\nreal b;", "a ~ normal(0, 2);\nb ~ normal(0, 5);\ndead ~ binomial_logit(5, a + b * dose);",
                             data="vector[4] dose;\narray[4] int dead;"),
            lambda: {"a": plane(log_density, box), "b": plane(log_density, box, swapped=True)}, data={"dose": doses, "dead": dead})


def poisson_line():
    x, y = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2], [0, 1, 1, 2, 3, 3, 5, 9, 10]

    def log_density(a, b):
        return math.fsum(k * (a + b * v) - math.exp(a + b * v) for v, k in zip(x, y)) + log_prior(a, 2) + log_prior(b, 1)
    box = ((-5, 4), (-3, 4))
    healthy("poisson_line", stan("real a;\nreal b;", "a ~ normal(0, 2);\nb ~ normal(0, 1);\ny ~ poisson_log(a + b * x);",
                                 data="vector[9] x;\narray[9] int y;"),
            lambda: {"a": plane(log_density, box, panels=24), "b": plane(log_density, box, swapped=True, panels=24)},
            data={"x": x, "y": y})


def logistic_slope():
    x, y = [-2, -1, -0.5, 0.5, 1, 2, 3], [0, 0, 1, 0, 1, 1, 1]

    def log_density(b):
        return math.fsum(-distributions.log1p_exp(-b * v if k else b * v) for v, k in zip(x, y)) + log_prior(b, 3)
    healthy("logistic_slope", stan("real b;", "b ~ normal(0, 3);\ny ~ bernoulli_logit(b * x);", data="vector[7] x;\narray[7] int y;"),
            lambda: {"b": Density(log_density, -30, 32)}, data={"x": x, "y": y})


def order_statistic(k, size):
    def log_density(x):
        return (k - 1) * math.log(distributions.phi_cdf(x)) + (size - k) * math.log(distributions.phi_cdf(-x)) - x * x / 2
    return Density(log_density, -12, 12)


def correlation(eta, size):
    a = eta - 1 + size / 2
    return Image(beta(a, a), lambda b: 2 * b - 1, 0.0, 1 / math.sqrt(2 * a + 1))


def constrained():
    healthy("ordered_3", stan("ordered[3] x;", "x ~ normal(0, 1);"), lambda: {f"x.{k}": order_statistic(k, 3) for k in (1, 2, 3)})
    healthy("positive_ordered_2", stan("positive_ordered[2] x;", "x ~ exponential(1);"),
            {"x.1": Closed(mean=0.5, sd=0.5, inverse=lambda p: -math.log1p(-p) / 2),
             "x.2": Closed(mean=1.5, sd=math.sqrt(1.25), inverse=lambda p: -math.log1p(-math.sqrt(p)))})
    healthy("unit_vector_3", stan("unit_vector[3] x;", ""), {"x.*": Closed(mean=0, sd=math.sqrt(1 / 3), inverse=lambda p: 2 * p - 1)})
    pairs = [(i, j) for i in range(1, 4) for j in range(1, i)]
    healthy("correlations_3", stan("corr_matrix[3] R;", "R ~ lkj_corr(2);"), lambda: {f"R.{i}.{j}": correlation(2, 3) for i, j in pairs})
    healthy("correlations_4_factor", stan("cholesky_factor_corr[4] L;", "L ~ lkj_corr_cholesky(1);",
                                          generated="matrix[4, 4] R = multiply_lower_tri_self_transpose(L);"),
            lambda: {f"R.{i}.{j}": correlation(1, 4) for i in range(1, 5) for j in range(1, i)})


def series():
    healthy("autoregressive_30", stan("vector[30] x;", "x[1] ~ normal(0, 1 / sqrt(0.75));\nx[2:30] ~ normal(0.5 * x[1:29], 1);"),
            elements(normal(0, 1 / math.sqrt(0.75)), 30))
    healthy("random_walk_20", stan("vector[20] x;", "x[1] ~ normal(0, 1);\nx[2:20] ~ normal(x[1:19], 1);"),
            {f"x.{k}": normal(0, math.sqrt(k)) for k in (1, 5, 10, 15, 20)})


def overlapping():
    mixture_target("overlap_equal", 0.5, (0, 1), (2, 1), 1, True, kind="healthy")
    mixture_target("overlap_unequal", 0.3, (-1, 1), (1, 2), 1, True, kind="healthy")
    mixture_target("overlap_5d", 0.4, (0, 1), (1, 1.5), 5, True, kind="healthy")


def log_lik_distribution(y, mean, sd):
    """normal_lpdf(y | mu, 1) where mu ~ normal(mean, sd)."""
    shift, constant = y - mean, -0.5 * math.log(2 * math.pi)

    def cdf(value):
        root = math.sqrt(max(0.0, 2 * (constant - value)))
        return distributions.phi_cdf((-root - shift) / sd) + distributions.phi_cdf((shift - root) / sd)
    return Closed(cdf, constant - 0.5 * (shift**2 + sd**2), 0.5 * math.sqrt(2 * sd**4 + 4 * sd**2 * shift**2), constant - 1, constant)


def zero_or_more(p):
    return 0.0 if p < 0.6 else normal(0, 1).quantile(0.5 + (p - 0.6) / 0.8)


def outputs():
    def with_x(generated, distribution, transformed="", **more):
        return stan("real x;", "x ~ normal(0, 1);", generated=generated, transformed=transformed), {"x": normal(0, 1)} | distribution
    cauchy = {"g": Closed(inverse=cauchy_quantile)}
    told = {"true_findings": ["heavy_tails"]}
    healthy("generated_cauchy", *with_x("real g = cauchy_rng(0, 1);", cauchy), **told)
    mean = 0.4 * math.sqrt(2 / math.pi)
    healthy("generated_zeros", *with_x("real g = bernoulli_rng(0.4) * abs(normal_rng(0, 1));",
                                       {"g": Closed(mean=mean, sd=math.sqrt(0.4 - mean**2), inverse=zero_or_more)}))
    healthy("generated_constant", *with_x("real g = 3;", {"g": Closed(mean=3, sd=0, inverse=lambda p: 3.0)}))
    healthy("generated_exp", *with_x("real g = exp(x);", {"g": log_normal(1)}))
    healthy("log_lik", stan("real mu;", "mu ~ normal(0.3, 0.5);", generated="real log_lik = normal_lpdf(1.2 | mu, 1);"),
            {"mu": normal(0.3, 0.5), "log_lik": log_lik_distribution(1.2, 0.3, 0.5)})
    healthy("ratio", stan("real x;\nreal y;", "x ~ normal(0, 1);\ny ~ normal(0, 1);", transformed="real g = x / y;"),
            {"x": normal(0, 1), "y": normal(0, 1)} | cauchy, **told)


FAMILIES = [bananas, funnels, hierarchies, spikes, modes, tails, bounds, shapes, scales, normals_of_scales, families, regressions, counts,
            bioassay, poisson_line, logistic_slope, constrained, series, overlapping, outputs]


# --- writing ---

def computed(row):
    """{output: {figure: value}} of a row, each distribution once."""
    found, result = {}, {}
    for name, distribution in resolved(row["distributions"]).items():
        distribution = resolved(distribution)
        if id(distribution) not in found:
            found[id(distribution)] = distribution, {figure: v for figure, v in distributions.answers_of(distribution).items() if figure not in row["without"]}
        result[name] = found[id(distribution)][1]
    return result


def resolved(value):
    return value() if callable(value) else value


def scale_of(answers):
    return answers.get("sd") or (answers["q75"] - answers["q25"]) / 1.349


def with_error_control(name, row):
    distributions.resolution = 1
    coarse = computed(row)
    distributions.resolution = 2
    fine = computed(row)
    for output, answers in fine.items():
        for figure, value in answers.items():
            if abs(value - coarse[output][figure]) > LARGEST_ERROR * scale_of(answers):
                raise SystemExit(f"make_targets: {name}, {figure} of {output}: {coarse[output][figure]} and {value} with finer panels")
    return fine


def written(name, row):
    path = os.path.join(FOLDER, name)
    with open(path + ".stan", "w", encoding="utf-8") as file:
        file.write(row["program"])
    if row["data"]:
        with open(path + ".data.json", "w", encoding="utf-8") as file:
            json.dump(row["data"], file)
            file.write("\n")
    answers = with_error_control(name, row)
    figures = {output: {figure: float(f"{value:.10g}") for figure, value in of.items()} for output, of in answers.items()}
    return {"kind": row["kind"], "reach": row["reach"], "true_findings": row["true_findings"],
            "scales": {output: float(f"{scale_of(of):.10g}") for output, of in figures.items()}, "answers": figures}


def main():
    for family in FAMILIES:
        family()
    os.makedirs(FOLDER, exist_ok=True)
    for name in os.listdir(FOLDER):
        os.remove(os.path.join(FOLDER, name))
    rows = [f"{json.dumps(name)}: {json.dumps(written(name, row))}" for name, row in sorted(targets.items())]
    with open(os.path.join(FOLDER, "answers.json"), "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(rows) + "\n}\n")
    hard = sum(row["kind"] == "hard" for row in targets.values())
    unreachable = sum(row["reach"] == "unreachable" for row in targets.values())
    print(f"make_targets: {len(targets)} targets, {hard} made to break samplers, {unreachable} with modes out of reach")


if __name__ == "__main__":
    main()
