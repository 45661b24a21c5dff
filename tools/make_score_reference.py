#!/usr/bin/env python3
"""Expected figures of scores, calibration and recalibration, from scikit-learn (Debian's python3-sklearn) and scipy.

usage: /usr/bin/python3 tools/make_score_reference.py      (from the root; writes tests/data/score/)
binary.csv, three.csv: predictions with outcomes, the first rows for calibration; regression.csv: rows of a line with noise
that grows. expected.csv: name, place, value. examples/forecasts.csv, for docs/score.md.
"""
import os

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax, softmax
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, QuantileRegressor
from sklearn.metrics import (accuracy_score, brier_score_loss, confusion_matrix, log_loss, mean_pinball_loss,
                             mean_squared_error, roc_auc_score)

FOLDER = "tests/data/score"
rng = np.random.RandomState(19)
expected = []


def expect(name, values):
    for place, value in enumerate(np.ravel(values)):
        expected.append((name, place, float(value)))


def write(name, header, columns):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(",".join(header) + "\n")
        for row in zip(*columns):
            file.write(",".join(repr(float(x)) if isinstance(x, float) else str(x) for x in row) + "\n")


def binary():
    z = rng.normal(0.3, 1.6, 240)
    y = (rng.uniform(size=240) < expit(0.6 * z - 0.4)).astype(int)
    p = expit(z)
    write("binary.csv", ["y", "p"], [y, p])
    expect("binary_log_loss", log_loss(y, p))
    expect("binary_brier", brier_score_loss(y, p))
    expect("binary_accuracy", accuracy_score(y, p >= 0.5))
    expect("binary_auc", roc_auc_score(y, p))
    expect("binary_confusion", confusion_matrix(y, p >= 0.5))
    for strategy in ("uniform", "quantile"):
        observed, predicted = calibration_curve(y, p, n_bins=10, strategy=strategy)
        expect(f"binary_observed_{strategy}", observed)
        expect(f"binary_predicted_{strategy}", predicted)
    fit, rest = slice(0, 120), slice(120, 240)
    logit = np.log(p) - np.log1p(-p)
    platt = LogisticRegression(penalty=None, tol=1e-12, max_iter=10000, solver="newton-cholesky")
    platt.fit(logit[fit, None], y[fit])
    expect("platt", [platt.coef_[0, 0], platt.intercept_[0]])
    expect("platt_log_loss", log_loss(y[rest], platt.predict_proba(logit[rest, None])[:, 1]))
    expect("isotonic", IsotonicRegression(y_min=0, y_max=1).fit(p[fit], y[fit]).predict(p[fit]))


def three():
    z = rng.normal(0.0, 1.5, (300, 3))
    truth = softmax(z @ np.diag([0.5, 0.8, 0.6]) + np.array([0.4, -0.3, 0.0]), axis=1)
    y = np.array([rng.choice(3, p=row) for row in truth])
    write("three.csv", ["y", "logit0", "logit1", "logit2"], [y, *z.T])
    p = softmax(z, axis=1)
    expect("three_log_loss", log_loss(y, p))
    expect("three_brier", np.mean((p - np.eye(3)[y]) ** 2))
    expect("three_accuracy", accuracy_score(y, p.argmax(1)))
    expect("three_confusion", confusion_matrix(y, p.argmax(1)))
    top, right = p.max(1), p.argmax(1) == y
    bins = np.ceil(top * 10)
    expect("three_ece", sum(abs(right[bins == b].mean() - top[bins == b].mean()) * (bins == b).mean() for b in set(bins)))
    marginal = 0.0
    for k in range(3):
        observed, predicted = calibration_curve(y == k, p[:, k], n_bins=10)
        counts = np.histogram(np.ceil(p[:, k] * 10), bins=np.arange(0.5, 11))[0]
        marginal += np.sum(counts[counts > 0] / 300 * (observed - predicted) ** 2) / 3
    expect("three_marginal", marginal)
    fit, rest = slice(0, 150), slice(150, 300)

    def loss_of(logits):
        return -log_softmax(logits, axis=1)[np.arange(150), y[fit]].mean()

    best = minimize_scalar(lambda t: loss_of(z[fit] / t), bounds=(0.05, 20), method="bounded", options={"xatol": 1e-12})
    expect("temperature", best.x)
    start = np.array([1.0, 1, 1, 0, 0])
    best = minimize(lambda v: loss_of(z[fit] * v[:3] + np.append(v[3:], 0.0)), start, method="BFGS", options={"gtol": 1e-9})
    expect("vector", best.x)
    matrix = LogisticRegression(penalty=None, tol=1e-12, max_iter=10000, solver="newton-cg").fit(z[fit], y[fit])
    expect("matrix_probabilities", matrix.predict_proba(z[rest])[:10])
    expect("matrix_log_loss", log_loss(y[rest], matrix.predict_proba(z[rest])))


def regression():
    x = rng.uniform(0, 3, 90)
    w = rng.normal(size=90)
    y = 1.0 + 0.8 * x - 0.5 * w + (0.3 + 0.4 * x) * rng.standard_t(4, size=90)
    write("regression.csv", ["y", "x", "w"], [y, x, w])
    design = np.column_stack([x, w])
    for level in (0.05, 0.5, 0.9):
        fit = QuantileRegressor(quantile=level, alpha=0, solver="highs").fit(design, y)
        expect(f"quantile_{level}", [fit.intercept_, *fit.coef_])
        expect(f"pinball_{level}", mean_pinball_loss(y, fit.predict(design), alpha=level))
    expect("rmse", np.sqrt(mean_squared_error(y, 1 + 0.8 * x)))


def example():
    """Forecasts of rain that are too sure: examples/forecasts.csv."""
    z = rng.normal(-0.3, 1.0, 400)
    rain = rng.uniform(size=400) < expit(z)
    with open("examples/forecasts.csv", "w", encoding="utf-8") as file:
        file.write("y,p\n")
        for y, p in zip(rain, expit(2.2 * z + 0.3)):
            file.write(f"{int(y)},{min(max(p, 0.001), 0.999):.3f}\n")


os.makedirs(FOLDER, exist_ok=True)
binary()
three()
regression()
example()
with open(os.path.join(FOLDER, "expected.csv"), "w", encoding="utf-8") as file:
    file.write("name,place,value\n")
    for name, place, value in expected:
        file.write(f"{name},{place},{value!r}\n")
