#!/usr/bin/env python3
"""Makes the simulated data of examples/ (all but eight_schools)."""
import json
import math
import os
import random

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")


def rounded(values):
    return [round(v, 3) for v in values]


def linear_regression(rng):
    x = rounded(rng.uniform(-2, 2) for _ in range(40))
    y = rounded(1.5 - 0.8 * v + rng.gauss(0, 0.5) for v in x)
    return {"N": len(x), "x": x, "y": y}


def logistic_regression(rng):
    rows = [rounded(rng.gauss(0, 1) for _ in range(2)) for _ in range(80)]
    chances = [1 / (1 + math.exp(-(0.5 + 1.2 * a - 0.7 * b))) for a, b in rows]
    return {"N": len(rows), "K": 2, "X": rows, "y": [int(rng.random() < p) for p in chances]}


def gaussian_mixture(rng):
    y = rounded(rng.gauss(-2, 1) if rng.random() < 0.4 else rng.gauss(2, 0.7) for _ in range(100))
    return {"N": len(y), "y": y}


def autoregression(rng):
    y = [0.0]
    while len(y) < 120:
        y.append(0.4 + 0.7 * y[-1] + rng.gauss(0, 0.6))
    return {"T": len(y), "y": rounded(y)}


def ising_denoise(rng, size=12, coupling=0.4, noise=0.8):
    """A picture from the Ising model itself: single-site Gibbs updates, then noise."""
    s = [[rng.choice((-1, 1)) for _ in range(size)] for _ in range(size)]
    for _ in range(200):
        for i in range(size):
            for j in range(size):
                near = sum(s[a][b] for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
                           if 0 <= a < size and 0 <= b < size)
                s[i][j] = 1 if rng.random() < 1 / (1 + math.exp(-2 * coupling * near)) else -1
    return {"R": size, "C": size, "y": [rounded(v + rng.gauss(0, noise) for v in row) for row in s], "J": coupling}


def main():
    rng = random.Random(20210601)
    for make in (linear_regression, logistic_regression, gaussian_mixture, autoregression, ising_denoise):
        path = os.path.join(FOLDER, make.__name__ + ".data.json")
        with open(path, "w", encoding="utf-8") as file:
            members = (f'  "{name}": {json.dumps(value)}' for name, value in make(rng).items())
            file.write("{\n" + ",\n".join(members) + "\n}\n")


if __name__ == "__main__":
    main()
