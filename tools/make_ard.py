#!/usr/bin/env python3
"""Highest evidence of a sparse regression, by direct search, for tests/models/ard/type_two_test.cpp.

usage: make_ard.py
log N(y | 0, s^2 I + X diag(1/a) X') by a Cholesky factor of the N x N matrix, maximised along each log a_d and log s in turn by golden
sections. It shares nothing with the updates that are tested. Takes two minutes.
"""
import math

N, D = 50, 6


def centred(values):
    mean = sum(values) / len(values)
    return [v - mean for v in values]


X = [centred([math.cos(0.7 * j * k + 0.3 * j * j) for k in range(N)]) for j in range(1, D + 1)]
Y = centred([1.5 * math.cos(0.7 * k + 0.3) - 0.8 * math.cos(2.1 * k + 2.7) + 0.7 * math.sin(2.9 * k + 1) for k in range(N)])


def evidence(log_variances, log_noise):
    c = [[math.exp(2 * log_noise) if i == j else 0.0 for j in range(N)] for i in range(N)]
    for d, v in enumerate(log_variances):
        if v < -13.8:  # a precision above 1e6
            continue
        for i in range(N):
            scaled = math.exp(v) * X[d][i]
            for j in range(i + 1):
                c[i][j] += scaled * X[d][j]
    z, log_det = [], 0.0
    for i in range(N):
        for j in range(i):
            c[i][j] = (c[i][j] - sum(c[i][k] * c[j][k] for k in range(j))) / c[j][j]
        c[i][i] = math.sqrt(c[i][i] - sum(c[i][k] ** 2 for k in range(i)))
        log_det += 2 * math.log(c[i][i])
        z.append((Y[i] - sum(c[i][k] * z[k] for k in range(i))) / c[i][i])
    return -0.5 * (N * math.log(2 * math.pi) + log_det + sum(v * v for v in z))


def best(f, low, high):
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = f(a), f(b)
    while high - low > 1e-6:
        if fa > fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = f(b)
    return (low + high) / 2


point, noise = [0.0] * D, -0.5
for sweep in range(6):
    for d in range(D):
        along = lambda v: evidence(point[:d] + [v] + point[d + 1:], noise)
        v = best(along, -6.0 if sweep else -3.0, 5.0)
        point[d] = v if along(v) > along(-20.0) else -20.0
    noise = best(lambda s: evidence(point, s), -3.0, 2.0)
    print(f"evidence {evidence(point, noise):.7f} sigma {math.exp(noise):.6f} precisions", [f"{math.exp(-v):.6g}" if v > -13.8 else "pruned" for v in point], flush=True)
