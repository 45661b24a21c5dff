#!/usr/bin/env python3
"""Writes src/numerics/special_tables.{hpp,cpp}: the polynomials behind numerics/simd/special-inl.hpp.

A piecewise table covers w in [2^first, 2^(first + octaves)): each octave is cut into 16 intervals, and
an interval holds the Chebyshev interpolant of a smooth function in r = w - centre. The degree is the
smallest that keeps the relative error below 2^-57 on every interval. usage: make_special_tables.py
"""
import os
from mpmath import mp, mpf, cos, pi, sqrt, exp, log, erfc, erf, loggamma, psi, besseli, sin, bernoulli
from mpmath import findroot, ldexp

mp.dps = 60
SLICES = 16
TARGET = mpf(2) ** -57
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def monomials(f, centre, half, degree):
    """Coefficients in r = x - centre of the Chebyshev interpolant of f on centre +- half."""
    n = degree + 1
    nodes = [cos(pi * (k + mpf(1) / 2) / n) for k in range(n)]
    values = [f(centre + half * x) for x in nodes]
    cheb = [2 * sum(values[k] * cos(pi * j * (k + mpf(1) / 2) / n) for k in range(n)) / n
            for j in range(n)]
    cheb[0] /= 2
    previous, current, total = [mpf(1)], [mpf(0), mpf(1)], [mpf(0)] * n
    for j in range(n):
        for i, c in enumerate(previous):
            total[i] += cheb[j] * c
        following = [mpf(0)] + [2 * c for c in current]
        for i, c in enumerate(previous):
            following[i] -= c
        previous, current = current, following
    return [c / half ** i for i, c in enumerate(total)]


def evaluate(coefficients, r):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * r + c
    return total


def relative_error(f, coefficients, centre, half):
    worst = mpf(0)
    for k in range(13):
        r = half * (mpf(k) / 6 - 1) * mpf("0.9999999")
        truth = f(centre + r)
        worst = max(worst, abs(evaluate(coefficients, r) / truth - 1))
    return worst


def intervals(first, octaves):
    for octave in range(first, first + octaves):
        half = ldexp(mpf(1), octave) / (2 * SLICES)
        for k in range(SLICES):
            yield ldexp(mpf(1), octave) + (2 * k + 1) * half, half


def piecewise(f, first, octaves):
    """Rows of coefficients of w -> f(w), all of one degree."""
    cells = list(intervals(first, octaves))
    degree = 6
    for centre, half in cells[::5] + cells[-1:]:
        while relative_error(f, monomials(f, centre, half, degree), centre, half) > TARGET:
            degree += 1
    rows = [monomials(f, centre, half, degree) for centre, half in cells]
    worst = max(relative_error(f, row, *cell) for row, cell in zip(rows, cells))
    assert worst < 4 * TARGET, (first, octaves, worst)
    return degree, rows


def polynomial(f, lo, hi, weight=None):
    """Coefficients in x of f on [lo, hi]; error relative to f."""
    centre, half = (mpf(lo) + hi) / 2, (mpf(hi) - lo) / 2
    degree = 2
    while True:
        local = monomials(f, centre, half, degree)
        if relative_error(f, local, centre, half) < TARGET:
            break
        degree += 1
    shifted = [mpf(0)] * (degree + 1)          # p(x - centre), Taylor shift by Horner
    for c in reversed(local):
        carried = [mpf(0)] + shifted[:-1]
        shifted = [a - centre * b for a, b in zip(carried, shifted)]
        shifted[0] += c
    return shifted


# --- the functions ---------------------------------------------------------------------------------
def mills(w):                                   # Phi(-t) exp(t^2/2), t = w - 1
    t = w - 1
    return erfc(t / sqrt(2)) * exp(t * t / 2) / 2


def with_more_digits(f):
    def g(x):
        with mp.workdps(90):
            return f(x)
    return g


@with_more_digits
def lgamma_factor(x):                           # lgamma(x) / ((x - 1)(x - 2))
    return loggamma(x) / ((x - 1) * (x - 2))


DIGAMMA_ROOT = findroot(lambda x: psi(0, x), mpf("1.4616"))


@with_more_digits
def digamma_factor(x):
    return psi(0, x) / (x - DIGAMMA_ROOT)


def normal_quantile_tail(s):                    # -x with Phi(x) = exp(-s^2/2)
    target = -s * s / 2
    x = s - (log(s) + log(2 * pi) / 2) / s if s > 2.6 else mpf("1.2")
    for _ in range(60):
        tail = erfc(x / sqrt(2)) / 2
        step = (log(tail) - target) * tail / (exp(-x * x / 2) / sqrt(2 * pi))
        x += step
        if abs(step) < mpf(10) ** -56:
            break
    return x


def quantile_factor(p):                         # InvPhi(p) / (p - 1/2), 0 < p < 1/2
    return normal_quantile_tail(sqrt(-2 * log(p))) / (mpf(1) / 2 - p)


def bessel_ratio(t):
    return besseli(1, t) / besseli(0, t)


def bessel_ratio_1(t):
    a = bessel_ratio(t)
    return 1 - a / t - a * a


def bessel_ratio_2(t):
    a, a1 = bessel_ratio(t), bessel_ratio_1(t)
    return -a1 / t + a / t ** 2 - 2 * a * a1


def log_i0(t):
    return log(besseli(0, t))


def log1pmx_factor(w):                          # (log1p(u) - u) / u^2, u = w - 1
    u = w - 1
    with mp.workdps(120):
        return (log(w) - u) / u ** 2


def entropy_factor(w):                          # ((1 + u) log1p(u) - u) / u^2
    u = w - 1
    with mp.workdps(120):
        return (w * log(w) - u) / u ** 2


PIECEWISE = [
    ("Mills", mills, 0, 6),
    ("Lgamma", lgamma_factor, -1, 5),
    ("Digamma", digamma_factor, -1, 5),
    ("DigammaLessLog", lambda x: psi(0, x) - log(x), -1, 5),
    ("Trigamma", lambda x: psi(1, x), -1, 5),
    ("Tetragamma", lambda x: psi(2, x), -1, 5),
    ("Pentagamma", lambda x: psi(3, x), -1, 5),
    ("QuantileCentre", quantile_factor, -4, 3),
    ("QuantileTail", normal_quantile_tail, 1, 5),
    ("LogI0", lambda w: log_i0(w - 1) / (w - 1) ** 2, 0, 5),
    ("BesselRatio", lambda w: bessel_ratio(w - 1) / (w - 1), 0, 5),
    ("BesselRatio1", lambda w: bessel_ratio_1(w - 1), 0, 5),
    ("BesselRatio2", lambda w: bessel_ratio_2(w - 1) / (w - 1), 0, 5),
    ("Log1pmx", log1pmx_factor, -1, 3),
    ("Entropy", entropy_factor, -1, 3),
]
YMAX = mpf(1) / 30
POLYNOMIALS = [
    # erf(x) / x in x^2 <= 1;  (sin(pi r) / (pi r) - 1) / r^2 and cos(pi r) / (1/4 - r^2) in r^2 <= 1/4
    ("Erf", lambda z: erf(sqrt(z)) / sqrt(z), 0, 1),
    ("SinPi", lambda z: (sin(pi * sqrt(z)) / (pi * sqrt(z)) - 1) / z, 0, mpf(1) / 4),
    ("CosPi", lambda z: cos(pi * sqrt(z)) / (mpf(1) / 4 - z), 0, mpf(1) / 4),
    # large arguments t >= 30 of log I0, I1/I0 and its derivatives in y = 1/t
    ("LogI0Large", lambda y: (log_i0(1 / y) - 1 / y + log(2 * pi / y) / 2) / y, 0, YMAX),
    ("BesselRatioLarge", lambda y: (1 - bessel_ratio(1 / y)) / y, 0, YMAX),
    ("BesselRatio1Large", lambda y: bessel_ratio_1(1 / y) / y ** 2, 0, YMAX),
    ("BesselRatio2Large", lambda y: bessel_ratio_2(1 / y) / y ** 3, 0, YMAX),
]


def stirling(order, num):
    """Coefficients of the asymptotic series of lgamma (order 0) and its derivatives [dlmf, 5.11.1]:
    the terms behind the elementary part, in powers of 1/x^2, first power dropped."""
    def c(k):
        value = mpf(bernoulli(2 * k)) / (2 * k * (2 * k - 1))
        for j in range(order):
            value *= -(2 * k - 1 + j)
        return value
    return [c(k) for k in range(1, num + 1)]


SERIES = [("Stirling", stirling(0, 11)), ("Stirling1", stirling(1, 12)),
          ("Stirling2", stirling(2, 13)), ("Stirling3", stirling(3, 13)),
          ("Stirling4", stirling(4, 14))]


def literal(x):
    return float(x).hex()


def wrapped(literals):
    """Four numbers a line."""
    return ["    " + ", ".join(literals[i:i + 4]) + "," for i in range(0, len(literals), 4)]


def write(path, text):
    with open(os.path.join(ROOT, path), "w") as out:
        out.write(text)


def main():
    header = ["// Written by tools/make_special_tables.py; see there for the functions and their errors.",
              "#pragma once", "", "namespace credo::numerics::tables {", "",
              "// Rows of degree + 1 coefficients; 16 rows an octave from 2^first_exponent on.",
              "struct Shape {", "  int degree, first_exponent, num_octaves;", "};", ""]
    source = ["// Written by tools/make_special_tables.py.",
              '#include "numerics/special_tables.hpp"', "",
              "namespace credo::numerics::tables {", ""]
    for name, f, first, octaves in PIECEWISE:
        degree, rows = piecewise(f, first, octaves)
        print(name, "degree", degree, "rows", len(rows), flush=True)
        size = len(rows) * (degree + 1)
        header += [f"inline constexpr Shape k{name}Shape{{{degree}, {first}, {octaves}}};",
                   f"extern const double k{name}[{size}];"]
        source += [f"alignas(64) const double k{name}[{size}] = {{"]
        for row in rows:
            source += wrapped([literal(c) for c in row])
        source += ["};", ""]
    header += ["", "// Polynomials in one piece, constant term first."]
    for name, f, lo, hi in POLYNOMIALS:
        coefficients = polynomial(f, lo, hi)
        print(name, "degree", len(coefficients) - 1, flush=True)
        header += [f"inline constexpr double k{name}[] = {{"]
        header += ["    " + literal(c) + "," for c in coefficients] + ["};"]
    header += ["", "// Asymptotic series of lgamma and its first four derivatives."]
    for name, coefficients in SERIES:
        header += [f"inline constexpr double k{name}[] = {{"]
        header += ["    " + literal(c) + "," for c in coefficients] + ["};"]
    root = float(DIGAMMA_ROOT)
    header += ["", "// The positive root of digamma, as a sum.",
               f"inline constexpr double kDigammaRoot = {literal(root)};",
               f"inline constexpr double kDigammaRootLow = {literal(DIGAMMA_ROOT - mpf(root))};",
               "", "}  // namespace credo::numerics::tables", ""]
    source += ["}  // namespace credo::numerics::tables", ""]
    write("src/numerics/special_tables.hpp", "\n".join(header))
    write("src/numerics/special_tables.cpp", "\n".join(source))


main()
