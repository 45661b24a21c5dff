#!/usr/bin/env python3
"""Log likelihoods of structural time series by statsmodels' UnobservedComponents with exact diffuse starts, at fixed variances, for
tests/cli/series_likelihood_test.cpp.

usage: tools/make_series_reference.py

statsmodels leaves out log(2 pi) / 2 for each unknown number of the start, which is added here: the result is the limit of
log p(y) + u log(2 pi kappa) / 2.
"""
import numpy as np
from statsmodels.tsa.statespace.initialization import Initialization
from statsmodels.tsa.statespace.structural import UnobservedComponents

T = 40
t = np.arange(T)
y = 10 + 0.3 * t + 2 * np.sin(t) + np.cos(1.7 * t * t)  # any numbers
y = np.round(y, 3)
x = np.round(np.cos(0.9 * t) + 0.05 * t, 3)
gaps = y.copy()
gaps[[3, 4, 17, 30]] = np.nan


def report(name, values, params, exog=None, **options):
    model = UnobservedComponents(values, exog=exog, use_exact_diffuse=True, **options)
    if options.get("cycle"):  # stationary, as in Credo: statsmodels leaves the cycle open
        start = Initialization(model.k_states)
        start.set(0, "diffuse")
        start.set((1, 3), "stationary")
        model.initialize_default = lambda *_, **__: model.ssm.initialize(start)
        model.ssm.initialize(start)
    given = [params[p] for p in model.param_names]
    result = model.smooth(given)
    unknown = int(np.sum(np.diag(result.filter_results.initial_diffuse_state_cov) != 0)) if hasattr(
        result.filter_results, "initial_diffuse_state_cov") else -1
    value = model.loglike(given)
    states = model.k_states
    print(name, "states", states, "unknown", unknown, "loglike %.12f" % value, "diffuse %.12f" % (value + unknown * np.log(2 * np.pi) / 2))


irregular = {"sigma2.irregular": 0.8}
level = {"sigma2.level": 0.5}
report("level", y, {**irregular, **level}, level="llevel")
report("level gaps", gaps, {**irregular, **level}, level="llevel")
report("trend", y, {**irregular, **level, "sigma2.trend": 0.02}, level="lltrend")
report("season", gaps, {**irregular, **level, "sigma2.seasonal": 0.1}, level="llevel", seasonal=4)
report("regression", gaps, {**irregular, **level, "beta.x1": 0.7}, level="llevel", exog=x)
report("cycle", gaps, {**irregular, **level, "sigma2.cycle": 0.3, "frequency.cycle": 2 * np.pi / 9.0, "damping.cycle": 0.9},
       level="llevel", cycle=True, stochastic_cycle=True, damped_cycle=True)
report("ar", gaps, {**irregular, **level, "sigma2.ar": 0.4, "ar.L1": 0.5, "ar.L2": 0.2}, level="llevel", autoregressive=2)
print("y", list(y))
print("x", list(x))


# ---- components that statsmodels lacks, by dense algebra: mean and covariance of all outcomes, from the start on
def dense(values, A_at, q_at, z_at, noise, mean, P, offset=None):
    n = len(values)
    m, cov, cross = np.array(mean, float), np.array(P, float), []
    mu, C = np.zeros(n), np.zeros((n, n))
    for k in range(n):
        if k > 0:
            A = A_at(k)
            m, cov = A @ m, A @ cov @ A.T + np.diag(q_at(k))
            cross = [A @ c for c in cross]
        cross.append(cov)
        mu[k] = z_at(k) @ m + (0 if offset is None else offset[k])
        for s in range(k + 1):
            C[k, s] = C[s, k] = z_at(k) @ cross[s] @ z_at(s)
        C[k, k] += noise
    seen = ~np.isnan(values)
    off, C = (values - mu)[seen], C[np.ix_(seen, seen)]
    return -0.5 * (off @ np.linalg.solve(C, off) + np.linalg.slogdet(C)[1] + seen.sum() * np.log(2 * np.pi))


four = lambda v: float("%.4g" % v)  # starts of the program have four digits
s2 = four(np.nanvar(gaps, ddof=1))
first = gaps[0]
level2, slope2, rho = 0.5, 0.02, 0.6
A = np.array([[1, 1, 1], [0, rho, 0], [0, 0, 1.0]])
print("semitrend %.12f" % dense(gaps, lambda k: A, lambda k: [level2, slope2, 0], lambda k: np.array([1, 0, 0.0]), 0.8, [first, 0, 0],
                                np.diag([s2, slope2 / (1 - rho ** 2), s2])))
w2 = four((2.5 * np.nanstd(gaps, ddof=1) / np.std(x, ddof=1)) ** 2)
print("dynamic %.12f" % dense(gaps, lambda k: np.eye(2), lambda k: [level2, 0.1], lambda k: np.array([1, x[k]]), 0.8, [first, 0],
                              np.diag([s2, w2])))
move = np.array([[1, 0, 0], [0, -1, -1], [0, 1, 0.0]])
print("season(3, 2) %.12f" % dense(gaps, lambda k: move if k % 2 == 0 else np.eye(3), lambda k: [level2, 0.1 if k % 2 == 0 else 0, 0],
                                   lambda k: np.array([1, 1, 0.0]), 0.8, [first, 0, 0], np.diag([s2, s2, s2])))


# ---- posterior means of a local level for exponential priors and a diffuse start, by a grid
from statsmodels.tsa.statespace.structural import UnobservedComponents as UC  # noqa: E402

nile = np.array([1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140, 1100, 1210,
                 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969], float)
sd = np.std(nile, ddof=1)
model = UC(nile, level="llevel", use_exact_diffuse=True)
sigma = np.linspace(1, 400, 150)
step = np.linspace(0.5, 300, 150)
log = np.array([[model.loglike([a * a, b * b]) - four(1 / sd) * a - four(1 / (0.1 * sd)) * b for b in step] for a in sigma])
weight = np.exp(log - log.max())
weight /= weight.sum()
print("posterior means of sigma and sd(level): %.4f %.4f" % ((weight.sum(1) * sigma).sum(), (weight.sum(0) * step).sum()))

# ---- Prophet's mode: its priors in units of the largest |y|, a Laplace prior by two positive parts
from scipy.optimize import minimize  # noqa: E402

rng = np.random.default_rng(4)
n = 120
k = np.arange(n)
trend = 20 + 0.3 * k - 0.5 * np.maximum(0, k - 50)
out = np.round(trend + 4 * np.sin(2 * np.pi * k / 12) + rng.normal(size=n), 3)
big = np.abs(out).max()
share = k / (n - 1)
count, history = 10, int(0.8 * n)
at = [int(np.rint(j * (history - 1) / count)) for j in range(1, count + 1)]
X = np.column_stack([np.ones(n), share] + [np.maximum(0, share - share[a]) for a in at])
F = np.column_stack([f(2 * np.pi * j * k / 12) for j in (1, 2) for f in (np.cos, np.sin)])


def minus(p, gradient=True):
    line, plus, less, season, log_sigma = p[:2], p[2:12], p[12:22], p[22:26], p[26]
    sigma_ = np.exp(log_sigma)
    res = (out / big - X[:, :2] @ line - X[:, 2:] @ (plus - less) - F @ season)
    value = n * log_sigma + (res ** 2).sum() / (2 * sigma_ ** 2) + (line ** 2).sum() / 50 + (plus + less).sum() / 0.05 + (
        season ** 2).sum() / 200 + sigma_ ** 2 / 0.5
    r = res / sigma_ ** 2
    g = X[:, 2:].T @ r
    grad = np.concatenate([line / 25 - X[:, :2].T @ r, 1 / 0.05 - g, 1 / 0.05 + g, season / 100 - F.T @ r,
                           [n - (res ** 2).sum() / sigma_ ** 2 + 4 * sigma_ ** 2]])
    return value, grad


start = np.zeros(27)
start[26] = -2
for _ in range(20):  # it may stop early, and goes on from where it is
    best = minimize(minus, start, jac=True, method="L-BFGS-B", bounds=[(None, None)] * 2 + [(0, None)] * 20 + [(None, None)] * 5,
                    options=dict(maxiter=20000, maxfun=40000, ftol=1e-16, gtol=1e-9, maxcor=30))
    if np.abs(best.x - start).max() < 1e-9:
        break
    start = best.x
p = best.x
print("prophet", best.message, "sigma %.6f" % (np.exp(p[26]) * big), "start %.5f slope %.5f" % tuple(p[:2] * big))
print("  changes", list(np.round((p[2:12] - p[12:22]) * big, 3)))
print("  trend at 0, 60, 119:", [float(np.round(big * (X[i, :2] @ p[:2] + X[i, 2:] @ (p[2:12] - p[12:22])), 5)) for i in (0, 60, 119)])
print("  season", [float(v) for v in np.round(p[22:26] * big, 5)])
print("  y", [float(v) for v in out])
