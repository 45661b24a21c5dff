#!/usr/bin/env python3
"""Writes tests/data/incomplete_reference.txt: log values of the incomplete Gamma and Beta functions and
their derivatives by the shapes, and of modified Bessel functions by order and argument, from power series and continued fractions of 100 digits and central
differences. A line is `name arguments... value rest`. usage: make_incomplete_reference.py [points]
"""
import os
import random
import sys
from mpmath import mp, mpf, exp, log, loggamma, sqrt

mp.dps = 100
POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 6
OUTPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/data/incomplete_reference.txt")
RNG = random.Random(7)
STEP = mpf(10) ** -22


def series(first, ratio):
    """first (1 + ratio(0) + ratio(0) ratio(1) + ...)"""
    term, total, k = mpf(1), mpf(1), 0
    while abs(term) > abs(total) * mpf(10) ** -105 or ratio(k) > 1:
        term *= ratio(k)
        total += term
        k += 1
    return first + log(total)


def gamma_log_q_fraction(a, x):
    """Legendre's continued fraction by Lentz's method, x well above a."""
    tiny = mpf(10) ** -400
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    k = 1
    while True:
        an = -k * (k - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        h *= c * d
        if abs(c * d - 1) < mpf(10) ** -104:
            return a * log(x) - x - loggamma(a) + log(h)
        k += 1


def log_complement(value):
    return mp.log1p(-exp(value)) if value < -1 else log(-mp.expm1(value))


def gamma_logs(a, x):
    if x < a + 10 * sqrt(a) + 2:
        p = series(a * log(x) - x - loggamma(a + 1), lambda k: x / (a + 1 + k))
        return p, log_complement(p)
    q = gamma_log_q_fraction(a, x)
    return log_complement(q), q


def beta_logs(a, b, x):
    if x * (a + b) > a:
        return beta_logs(b, a, 1 - x)[::-1]
    first = a * log(x) + b * log(1 - x) + loggamma(a + b) - loggamma(b) - loggamma(a + 1)
    p = series(first, lambda k: (a + b + k) / (a + 1 + k) * x)
    return p, log_complement(p)


def line(name, arguments, value):
    return " ".join([name] + [float(v).hex() for v in arguments] + [float(value).hex(), "0x0p+0"])


def gamma_lines(a, x):
    a, x = float(a), float(x)
    h = STEP * mpf(a)
    low, mid, high = (gamma_logs(mpf(a) + s * h, mpf(x)) for s in (-1, 0, 1))
    for side, name in enumerate(("gamma_log_p", "gamma_log_q")):
        yield line(name, (a, x), mid[side])
        yield line(name + "_a", (a, x), (high[side] - low[side]) / (2 * h))
        yield line(name + "_aa", (a, x), (high[side] - 2 * mid[side] + low[side]) / h ** 2)


def beta_lines(a, b, x):
    a, b, x = float(a), float(b), float(x)
    h, g = STEP * mpf(a), STEP * mpf(b)
    f = {(i, j): beta_logs(mpf(a) + i * h, mpf(b) + j * g, mpf(x))
         for i in (-1, 0, 1) for j in (-1, 0, 1)}
    for side, name in enumerate(("beta_log_p", "beta_log_q")):
        v = {key: value[side] for key, value in f.items()}
        at = (a, b, x)
        yield line(name, at, v[0, 0])
        yield line(name + "_a", at, (v[1, 0] - v[-1, 0]) / (2 * h))
        yield line(name + "_b", at, (v[0, 1] - v[0, -1]) / (2 * g))
        yield line(name + "_aa", at, (v[1, 0] - 2 * v[0, 0] + v[-1, 0]) / h ** 2)
        yield line(name + "_ab", at, (v[1, 1] - v[1, -1] - v[-1, 1] + v[-1, -1]) / (4 * h * g))


def power(lo, hi):
    return 10 ** RNG.uniform(lo, hi)


def gamma_points():
    points = [(0.5, 0.2), (1, 1), (1e-8, 0.3), (1e-8, 3), (1e-3, 1e-300), (30, 29.9), (0.999, 0.999),
              (1e5, 10), (1e5, 3e5), (5, 1e5), (2e6, 2e6), (2e6, 2.01e6), (8, 1e-10)]
    for _ in range(POINTS):
        a = power(-4, 4.5)
        points += [(a, a * power(-0.5, 0.5)), (a, power(-3, 3)), (power(-3, 0), power(-6, 0))]
        points += [(a, max(a + RNG.uniform(-5, 5) * a ** 0.5, 0.1 * a)), (power(0, 2), power(0, 2))]
    return points


def beta_points():
    points = [(0.5, 0.5, 0.3), (1e-8, 2, 0.4), (1e-6, 1e-5, 0.95), (1e-6, 1e-5, 0.5), (2, 1e-8, 0.97),
              (5, 1e4, 1e-6), (1e5, 2e5, 0.334), (1e5, 2e5, 0.3), (3, 1e8, 1e-8), (100, 0.3, 0.9),
              (1e4, 1e-3, 0.99), (300, 1e5, 0.01), (1, 1, 0.25)]
    for _ in range(POINTS):
        a, b = power(-3, 3.5), power(-3, 3.5)
        mean, spread = a / (a + b), sqrt(mpf(a) * b / (a + b + 1)) / (a + b)
        near = float(min(max(mean + RNG.uniform(-4, 4) * spread, mean / 3), 1 - (1 - mean) / 3))
        points += [(a, b, RNG.uniform(0.01, 0.95)), (a, b, min(near, 0.99)), (power(0, 2), power(0, 2), power(-4, -0.1))]
    return points


def bessel_lines(nu, z):
    h, g = STEP, STEP * mpf(z)
    f = {(i, j): log(mp.besseli(mpf(nu) + i * h, mpf(z) + j * g)) for i in (-1, 0, 1) for j in (-1, 0, 1)}
    at = (nu, z)
    yield line("bessel_value", at, f[0, 0])
    yield line("bessel_order", at, (f[1, 0] - f[-1, 0]) / (2 * h))
    yield line("bessel_argument", at, (f[0, 1] - f[0, -1]) / (2 * g))
    yield line("bessel_order_twice", at, (f[1, 0] - 2 * f[0, 0] + f[-1, 0]) / h ** 2)
    yield line("bessel_both", at, (f[1, 1] - f[1, -1] - f[-1, 1] + f[-1, -1]) / (4 * h * g))
    yield line("bessel_argument_twice", at, (f[0, 1] - 2 * f[0, 0] + f[0, -1]) / g ** 2)


def bessel_points():
    points = [(0.5, 3.0), (100.0, 20.0), (20.0, 1e-3), (0.0, 39.0), (1.0, 41.0), (3.3, 45.0), (10.0, 300.0),
              (10.0, 401.0), (-0.3, 2.0), (-0.9, 0.1), (-0.5, 60.0), (1000.0, 900.0), (3.0, 1e-6), (0.001, 1e5)]
    for _ in range(2 * POINTS):
        points += [(power(-2, 2.5), power(-2, 2.5))]
    return points


def main():
    lines = ["# written by tools/make_incomplete_reference.py; value = the last two numbers added"]
    for point in gamma_points():
        lines += gamma_lines(*point)
    print("gamma", len(lines), flush=True)
    for point in beta_points():
        lines += beta_lines(*point)
    print("beta", len(lines), flush=True)
    for point in bessel_points():
        lines += bessel_lines(*point)
    print("bessel", len(lines), flush=True)
    with open(OUTPUT, "w") as out:
        out.write("\n".join(lines) + "\n")


main()
