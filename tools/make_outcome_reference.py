#!/usr/bin/env python3
"""Log likelihoods of outcomes with several columns and of mixtures, by scipy, for tests/cli/regression_outcomes_test.cpp.

usage: tools/make_outcome_reference.py
Writes tests/data/regression/outcomes.csv (counts a, b, c of total trials; shares p, q, r; numbers u, v; counts events of a mixture; numbers w of
three groups; columns x, z and a group g) and outcomes.tsv: parameters of the program of each model, and the log likelihood there.
"""
import csv
import json
import os

import numpy as np
from scipy import special, stats

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data", "regression")
random = np.random.default_rng(7)
N = 80
x, z = np.round(random.normal(size=N), 3), np.round(random.normal(size=N), 3)
g = random.integers(0, 8, size=N)
n = random.integers(5, 20, size=N)


def shares(first, second):
    e = np.column_stack([np.zeros(N), first, second])
    return special.softmax(e, axis=1)


mean = shares(0.3 + 0.5 * x, -0.4 - 0.8 * x)
counts = np.array([random.multinomial(n[i], random.dirichlet(9.0 * mean[i])) for i in range(N)])
parts = np.array([random.dirichlet(9.0 * mean[i]) for i in range(N)])
parts = np.round(parts * 0.997 + 0.001, 9)
parts[:, 2] = np.round(1.0 - parts[:, 0] - parts[:, 1], 9)
effects = random.multivariate_normal([0, 0], [[0.6, 0.3], [0.3, 0.4]], size=8)[g]
noise = random.multivariate_normal([0, 0], [[1.0, 0.6], [0.6, 1.5]], size=N)
u = np.round(1.0 + 0.5 * x + effects[:, 0] + noise[:, 0], 4)
v = np.round(2.0 - 0.7 * x + 0.4 * z + effects[:, 1] + noise[:, 1], 4)
second = random.random(N) < special.expit(0.4 + 0.8 * z)
k = np.where(second, random.poisson(np.exp(2.4)), random.poisson(np.exp(0.3 + 0.4 * x)))
group = random.choice(3, size=N, p=[0.3, 0.3, 0.4])
w = np.round(np.array([-4.0, 0.0, 6.0])[group] + random.normal(size=N), 4)
rows = {"x": x, "z": z, "g": ["g%d" % i for i in g], "total": n, "a": counts[:, 0], "b": counts[:, 1], "c": counts[:, 2], "p": parts[:, 0],
        "q": parts[:, 1], "r": parts[:, 2], "u": u, "v": v, "events": k, "w": w}
with open(os.path.join(FOLDER, "outcomes.csv"), "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows)
    for i in range(N):
        writer.writerow([cells[i] if isinstance(cells[i], str) else "%.9g" % cells[i] for cells in rows.values()])

lines = []


def add(model, log_densities, parameters):
    lines.append((model, json.dumps(parameters), np.sum(log_densities)))


# Intercepts of programs are those at the means of the columns.
by_x = shares(0.3 + 0.7 * x, -0.4 - 0.6 * x)
for_x = {"intercept_mu%s": 0.3 + 0.7 * x.mean(), "b_mu%s_x": 0.7}, {"intercept_mu%s": -0.4 - 0.6 * x.mean(), "b_mu%s_x": -0.6}


def of_shares(second, third, **more):
    return {**{name % second: value for name, value in for_x[0].items()}, **{name % third: value for name, value in for_x[1].items()}, **more}


def urns(weights):
    """Counts drawn one after the other: each one that was drawn adds one to the weight of its category."""
    ways = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=1)
    drawn = sum(np.where(counts > j, np.log(weights + j), 0.0).sum(axis=1) for j in range(counts.max()))
    return ways + drawn - sum(np.where(n > j, np.log(weights.sum(axis=1) + j), 0.0) for j in range(n.max()))


add("multinomial", stats.multinomial.logpmf(counts, n, by_x), of_shares("b", "c"))
add("dirichlet_multinomial", urns(8.5 * by_x), of_shares("b", "c", phi=8.5))
add("dirichlet", [stats.dirichlet.logpdf(parts[i] / parts[i].sum(), 7.5 * by_x[i]) for i in range(N)], of_shares("q", "r", phi=7.5))

covariance = np.array([[1.5**2, 0.55 * 1.5 * 1.7], [0.55 * 1.5 * 1.7, 1.7**2]])
two = {"intercept_u": 1.2 + 0.5 * x.mean(), "b_u_x": 0.5, "intercept_v": 2.5 - 0.7 * x.mean() + 0.4 * z.mean(), "b_v_x": -0.7, "b_v_z": 0.4,
       "sigma_u": 1.5, "sigma_v": 1.7, "L_rescor": [[1, 0], [0.55, np.sqrt(1 - 0.55**2)]]}
u_off, v_off = u - 1.2 - 0.5 * x, v - 2.5 + 0.7 * x - 0.4 * z
add("mv", stats.multivariate_normal.logpdf(np.column_stack([u_off, v_off]), [0, 0], covariance), two)
add("mv_sigma", [stats.multivariate_normal.logpdf([u_off[i], v_off[i]], [0, 0], [[s * s, 0.55 * 1.5 * s], [0.55 * 1.5 * s, 1.5**2]])
                 for i, s in enumerate(np.exp(0.4 + 0.2 * z))],
    {**{name: value for name, value in two.items() if name != "sigma_u"}, "intercept_sigma_u": 0.4 + 0.2 * z.mean(), "b_sigma_u_z": 0.2,
     "sigma_v": 1.5})

share = special.expit(0.4 + 0.8 * z)
add("poissons", np.logaddexp(np.log1p(-share) + stats.poisson.logpmf(k, np.exp(0.3 + 0.3 * x)), np.log(share) + stats.poisson.logpmf(k, np.exp(2.3))),
    {"intercept_mu": [0.3 + 0.3 * x.mean(), 2.3], "b_mu1_x": 0.3, "intercept_theta2": 0.4 + 0.8 * z.mean(), "b_theta2_z": 0.8})
add("normals", special.logsumexp([np.log(p) + stats.norm.logpdf(w, m, s) for p, m, s in [(0.2, -4.5, 0.6), (0.35, -0.2, 1.1), (0.45, 6, 0.7)]],
                                 axis=0),
    {"intercept_mu": [-4.5, -0.2, 6], "sigma1": 0.6, "sigma2": 1.1, "sigma3": 0.7, "theta": [0.2, 0.35, 0.45]})
add("normal_student", np.logaddexp(np.log(0.3) + stats.norm.logpdf(w, -4 + 0.5 * x, 0.9), np.log(0.7) + stats.t.logpdf((w - 1.5) / 2.5, 6) - np.log(2.5)),
    {"intercept_mu1": -4 + 0.5 * x.mean(), "b_mu1_x": 0.5, "intercept_mu2": 1.5, "sigma1": 0.9, "sigma2": 2.5, "nu2": 6, "theta2": 0.7})
with open(os.path.join(FOLDER, "outcomes.tsv"), "w") as file:
    file.write("model\tparameters\tlog_likelihood\n")
    for model, parameters, value in lines:
        file.write("%s\t%s\t%.15g\n" % (model, parameters, value))
