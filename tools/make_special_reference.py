#!/usr/bin/env python3
"""Writes tests/data/special_reference.txt: special functions to more digits than a double holds.

A line is `name arguments... value rest`: hexadecimal doubles, the true value being value + rest. The
arguments are the extreme regimes listed below and random points of each regime. usage:
make_special_reference.py [points per regime] [output file]
"""
import os
import random
import sys
from mpmath import mp, mpf, besseli, binomial, erf, erfc, exp, expm1, log, log1p, loggamma, pi, psi
from mpmath import sqrt

mp.dps = 70
POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 16
DEFAULT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/data/special_reference.txt")
OUTPUT = sys.argv[2] if len(sys.argv) > 2 else DEFAULT
RNG = random.Random(20240501)


def uniform(lo, hi):
    return [RNG.uniform(lo, hi) for _ in range(POINTS)]


def logarithmic(lo, hi):
    return [10 ** RNG.uniform(lo, hi) for _ in range(POINTS)]


def negated(xs):
    return [-x for x in xs]


def real_lgamma(x):
    return mp.re(loggamma(x)) if x > 0 else log(abs(pi / mp.sin(pi * x))) - mp.re(loggamma(1 - x))


def polygamma(order):
    def f(x):
        if x > 0:
            return psi(order, x)
        with mp.workdps(90):
            return psi(order, x)
    return f


def log_phi(x):
    return log(erfc(-x / sqrt(mpf(2))) / 2) if x < 0 else log1p(-erfc(x / sqrt(mpf(2))) / 2)


def density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def quantile_of_log(lp):
    """Newton's method on log Phi, from the asymptotic root."""
    if lp > -log(mpf(2)):
        return -quantile_of_log(log(-expm1(lp)))
    y = -2 * lp
    x = -sqrt(y - log(2 * pi * y)) if lp < -3 else mpf(-0.5)
    for _ in range(200):
        value = log_phi(x)
        step = (value - lp) * exp(value) / density(x) if x > -1e4 else (value - lp) / -x
        x -= step
        if abs(step) < mpf(10) ** -60 * abs(x) or abs(step) < mpf(10) ** -60:
            break
    return x


def ratio(t):
    return besseli(1, t) / besseli(0, t)


def ratio_1(t):
    return 1 - ratio(t) / t - ratio(t) ** 2


def ratio_2(t):
    return -ratio_1(t) / t + ratio(t) / t ** 2 - 2 * ratio(t) * ratio_1(t)


def log_i0(t):
    return log(besseli(0, t))


def log_inv_logit_diff(a, b):
    return log(1 / (1 + exp(-a)) - 1 / (1 + exp(-b)))


def delta(f, x, n):
    return f(x + n) - f(x)


GAMMA = (logarithmic(-300, -1) + uniform(0.05, 3) + uniform(0.99, 1.01) + uniform(1.99, 2.01)
         + uniform(2, 20) + logarithmic(1, 4) + logarithmic(4, 300) + uniform(-0.6, 0)
         + uniform(-6, -0.5) + uniform(-170, -6) + negated(logarithmic(-20, -1))
         + [0.5, 1.5, 15.999, 16.0, -0.5, -1.5, -2.5, 1.4616321449683622, -1 + 2.0 ** -40])
POSITIVE = [x for x in GAMMA if x > 0]
NORMAL = (uniform(-3, 3) + uniform(-0.01, 0.01) + uniform(-37, -3) + uniform(3, 8)
          + logarithmic(-300, -3) + [-37.5, 37.5, 1.0, -1.0, 0.0])
NORMAL_FAR = negated(logarithmic(1, 8)) + [-62.9, -63.1, -1e8]
PROBABILITIES = (uniform(0, 1) + uniform(0.4, 0.6) + logarithmic(-300, -1) + [0.0625, 0.0624, 1e-320]
                 + [1 - 10 ** RNG.uniform(-15, -1) for _ in range(POINTS)] + [0.5, 0.25, 0.9375])
LOG_P = (uniform(-5, 0) + negated(logarithmic(-300, -1)) + negated(logarithmic(0, 12))
         + [-2047.9, -2048.1, -1e300])
BESSEL = uniform(0, 3) + uniform(0, 35) + logarithmic(-8, 0) + logarithmic(1.4, 4) + [30.99, 31.0]
ONE_PLUS = (uniform(-0.5, 3) + negated(logarithmic(-15, -0.3)) + logarithmic(-15, 10)
            + uniform(-0.999, -0.5) + [2.999, 3.001])


def pairs(xs, ns):
    return [(x, n) for x in xs for n in ns]


def random_pairs(first, second):
    return list(zip(first, second))


EXCESS = (random_pairs(logarithmic(1, 15), logarithmic(-3, 3)) + random_pairs(uniform(8, 60), uniform(0, 60))
          + random_pairs(logarithmic(0.91, 3), logarithmic(-12, 9))
          + pairs([8.0, 1e7, 1e10, 1e15], [2.0, 5.0, 100.0, 1e6]))
EXCESS_SMALL = random_pairs(uniform(0.01, 8), logarithmic(-6, 4)) + random_pairs(uniform(0.5, 8), uniform(0, 20))
BETA = (random_pairs(logarithmic(-3, 8), logarithmic(-3, 8)) + random_pairs(uniform(0.1, 20), uniform(0.1, 20))
        + random_pairs(uniform(0.5, 8), logarithmic(4, 15)) + random_pairs(logarithmic(1, 6), logarithmic(1, 12))
        + pairs([1e-8, 0.5, 1.0, 7.99, 8.0], [1e-5, 2.0, 1e10]))
CHOOSE = ([(float(n), float(RNG.randint(0, n))) for n in [RNG.randint(1, 60) for _ in range(POINTS)]]
          + [(float(n), float(RNG.randint(0, n))) for n in [RNG.randint(60, 10 ** 6) for _ in range(POINTS)]]
          + [(x, RNG.uniform(0, min(x, 30))) for x in logarithmic(0, 10)] + [(1e15, 3.0), (1e12, 5e11)])
LOGITS = ([(b + abs(g), b) for b, g in zip(uniform(-30, 30), logarithmic(-8, 1.5))]
          + [(b + g, b) for b, g in zip(uniform(-700, 700), uniform(0.1, 5))])

UNARY = {
    "lgamma": (real_lgamma, GAMMA), "digamma": (polygamma(0), GAMMA),
    "lgamma1p": (lambda t: loggamma(1 + t), uniform(-0.5, 0.01) + uniform(0.9, 1.1) + uniform(0, 40)
                 + logarithmic(-30, -2) + logarithmic(1, 20)),
    "trigamma": (polygamma(1), [x for x in GAMMA if abs(x) > 1e-150]),
    "tetragamma": (polygamma(2), [x for x in GAMMA if 1e-90 < abs(x) < 1e100]),
    "pentagamma": (polygamma(3), [x for x in GAMMA if 1e-70 < abs(x) < 1e90]),
    "digamma_less_log": (lambda x: psi(0, x) - log(x), [x for x in POSITIVE if x < 1e30]),
    "erf": (erf, NORMAL), "erfc": (erfc, [x for x in NORMAL if x < 26]),
    "erfcx": (lambda x: exp(x * x) * erfc(x), [x for x in NORMAL + logarithmic(0, 15) if x > -26]),
    "phi": (lambda x: erfc(-x / sqrt(mpf(2))) / 2, NORMAL),
    "log_phi": (log_phi, NORMAL + NORMAL_FAR),
    "inverse_mills": (lambda x: density(x) / exp(log_phi(x)), NORMAL + NORMAL_FAR),
    "inv_phi": (lambda p: quantile_of_log(log(p)) if p != 0.5 else mpf(0), PROBABILITIES),
    "inv_phi_log": (quantile_of_log, LOG_P),
    "log_bessel_i0": (log_i0, BESSEL + [1e8]), "bessel_ratio": (ratio, BESSEL + [1e8]),
    "bessel_ratio_1": (ratio_1, BESSEL + [1e6]), "bessel_ratio_2": (ratio_2, BESSEL + [1e6]),
    "log1pmx": (lambda u: log1p(u) - u, ONE_PLUS),
    "entropy_excess": (lambda u: (1 + u) * log1p(u) - u, ONE_PLUS),
}
BINARY = {
    "lgamma_excess": (lambda x, n: delta(loggamma, x, n) - n * log(x), EXCESS),
    "lgamma_excess_small": (lambda x, n: delta(loggamma, x, n) - n * log(x), EXCESS_SMALL),
    "digamma_excess": (lambda x, n: delta(lambda t: psi(0, t), x, n) - n / x, EXCESS + EXCESS_SMALL),
    "trigamma_excess": (lambda x, n: delta(lambda t: psi(1, t), x, n) + n / x ** 2, EXCESS + EXCESS_SMALL),
    "lgamma_delta": (lambda x, n: delta(loggamma, x, n), EXCESS + EXCESS_SMALL),
    "digamma_delta": (lambda x, n: delta(lambda t: psi(0, t), x, n), EXCESS + EXCESS_SMALL),
    "trigamma_delta": (lambda x, n: delta(lambda t: psi(1, t), x, n), EXCESS + EXCESS_SMALL),
    "lbeta": (lambda a, b: loggamma(a) + loggamma(b) - loggamma(a + b), BETA),
    "lchoose": (lambda n, k: loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1), CHOOSE),
    "log_inv_logit_diff": (log_inv_logit_diff, LOGITS),
}


def digits_for(name):
    if name == "inv_phi_log":
        return 40
    return 340 if name in ("log_inv_logit_diff",) else 110


def line(name, arguments, truth):
    value = float(truth)
    rest = float(truth - mpf(value))
    return " ".join([name] + [a.hex() for a in arguments] + [value.hex(), rest.hex()])


def main():
    lines = ["# written by tools/make_special_reference.py; value = the last two numbers added"]
    for name, (f, xs) in UNARY.items():
        with mp.workdps(70):
            lines += [line(name, [x], mp.re(f(mpf(x)))) for x in xs]
        print(name, flush=True)
    for name, (f, points) in BINARY.items():
        with mp.workdps(digits_for(name)):
            lines += [line(name, [x, y], mp.re(f(mpf(x), mpf(y)))) for x, y in points]
        print(name, flush=True)
    with open(OUTPUT, "w") as out:
        out.write("\n".join(lines) + "\n")


main()
