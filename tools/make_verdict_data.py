#!/usr/bin/env python3
"""Writes the data of the verdict's exam: NAME.data.json beside NAME.stan, in programs/ and held_out/ of tests/verdict.

usage: make_verdict_data
Data that a program's author might have; what the exam expects is in the comments of the programs.
"""
import glob
import json
import math
import os
import random

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def rounded(value, digits=3):
    if isinstance(value, (list, tuple)):
        return [rounded(x, digits) for x in value]
    return round(value, digits) if isinstance(value, float) else value


def normals(rng, n, mean=0.0, sd=1.0):
    return [rng.gauss(mean, sd) for _ in range(n)]


def poisson(rng, rate):
    count, product, limit = 0, rng.random(), math.exp(-rate)
    while product > limit:
        count += 1
        product *= rng.random()
    return count


def binomial(rng, n, p):
    return sum(rng.random() < p for _ in range(n))


def logistic(x):
    return 1.0 / (1.0 + math.exp(-x))


def line(rng, n, alpha, beta, sigma, low=-2.0, high=2.0):
    x = [low + (high - low) * i / (n - 1) for i in range(n)]
    return {"N": n, "x": x, "y": [alpha + beta * v + rng.gauss(0, sigma) for v in x]}


def clinics(rng):
    return {"J": 10, "y": [0.9, 0.2, -0.3, 1.1, 0.4, 0.6, -0.2, 0.8, 0.1, 0.5],
            "se": [0.8, 0.9, 1.1, 0.7, 1.0, 0.9, 0.8, 1.2, 1.0, 0.9]}


def litters(rng):
    n = [rng.randint(2, 5) for _ in range(12)]
    return {"G": 12, "n": n, "survived": [binomial(rng, k, 0.6) for k in n]}


def tracker(rng):
    road = [float(2 * i) for i in range(9)]
    return {"N": 9, "road": road, "distance": [math.hypot(9 - x, 12) + rng.gauss(0, 0.5) for x in road]}


def two_labs(rng):
    return {"N": 6, "y": [-1.4, -1.1, -0.9, 1.1, 1.15, 1.2]}


def allometry(rng):
    light = [rng.uniform(1, 10) for _ in range(25)]
    return {"N": 25, "light": light, "yield": [1.4 * x + rng.gauss(0, 0.8) for x in light]}


def varieties(rng):
    variety = [i % 4 + 1 for i in range(24)]
    return {"N": 24, "K": 4, "variety": variety, "y": [20 + 2 * v + rng.gauss(0, 1.5) for v in variety]}


def empty_group(rng):
    region = [1, 1, 1, 2, 2, 2, 2, 3, 3, 5, 5, 5]
    return {"N": 12, "R": 5, "region": region, "counts": [poisson(rng, 3.0 + r) for r in region]}


def separation(rng):
    dose = [0.5 * i for i in range(14)]
    return {"N": 14, "dose": dose, "died": [int(x > 3.2) for x in dose]}


def two_weighings(rng):
    return {"N": 2, "y": [12.1, 13.4]}


def old_defaults(rng):
    x = [[rng.gauss(0, 1), rng.gauss(0, 1), 0.0] for _ in range(40)]
    return {"N": 40, "K": 3, "x": x, "y": [int(rng.random() < logistic(0.4 + r[0] - 0.7 * r[1])) for r in x]}


def narrow_scale(rng):
    return line(rng, 30, 2.0, 1.5, 3.0)


def two_species(rng):
    return {"N": 60, "y": normals(rng, 35, 14.0, 1.2) + normals(rng, 25, 24.0, 1.8)}


def rare_event(rng):
    return {"n": 12, "failures": 0}


def no_bound(rng):
    return {"N": 4, "y": [1.2, 0.7, 1.9, 1.4]}


def shifted_log(rng):
    y = [9 * math.exp(rng.gauss(0, 0.12)) - 8 for _ in range(24)]
    return {"N": 25, "y": [max(v, -1.4) for v in y] + [-1.65]}


def certain_odds(rng):
    return {"n": 30, "worked": 30}


def julian_days(rng):
    year = [float(1990 + i) for i in range(31)]
    return {"N": 31, "year": year, "temperature": [8 + 0.03 * (x - 2005) + rng.gauss(0, 0.4) for x in year]}


def hurried(rng):
    return line(rng, 20, 1.0, 0.5, 1.0)


def no_warmup(rng):
    t = [0.5 * i for i in range(12)]
    return {"N": 12, "t": t, "y": [rounded(1.2 - 0.03 * v + rng.gauss(0, 0.0005), 6) for v in t]}


def predicted_depth(rng):
    return line(rng, 15, 2.0, -1.0, 0.8) | {"x_new": 1.9}


def enzyme(rng):
    c = [0.01 * (i + 1) for i in range(20)]
    return {"N": 20, "concentration": c, "rate": [rounded(3 * x / (2 + x) + rng.gauss(0, 0.01), 5) for x in c]}


def three_groups(rng):
    return {"N": 75, "y": normals(rng, 25, -2.2) + normals(rng, 25, 0.2) + normals(rng, 25, 2.8)}


def wrong_sign(rng):
    data = line(rng, 25, 10.0, -1.6, 1.5)
    return {"N": 25, "x": data["x"], "price": data["y"]}


def waiting_time(rng):
    return {"N": 15, "wait": [0.25 + rng.expovariate(2.0) for _ in range(15)]}


def short_trees(rng):
    first = normals(rng, 40)
    x = [[v, v + rng.gauss(0, 0.02)] for v in first]
    return {"N": 40, "K": 2, "x": x, "y": [1 + v + rng.gauss(0, 1) for v in first]}


def prior_only(rng):
    return {"J": 80}


def random_walk(rng):
    x = [normals(rng, 8) for _ in range(60)]
    return {"N": 60, "K": 8, "x": x, "y": [1 + r[0] - 0.5 * r[1] + rng.gauss(0, 1) for r in x]}


def kidney(rng):
    x = [[v, 0.9 * v + rng.gauss(0, 0.45)] for v in normals(rng, 50)]
    return {"N": 50, "K": 2, "x": x, "y": [2 + 1.5 * r[0] - 0.5 * r[1] + rng.gauss(0, 1.2) for r in x]}


def wells(rng):
    rows = [(rng.uniform(0, 3000), rng.gauss(0, 1)) for _ in range(150)]
    return {"N": 150, "distance": [r[0] for r in rows], "arsenic": [r[1] for r in rows],
            "switched": [int(rng.random() < logistic(1.5 - 0.001 * r[0] + 0.6 * r[1])) for r in rows]}


def groups(rng, sizes, spread, sigma, mean=2.0):
    centres = normals(rng, len(sizes), mean, spread)
    index = [j for j, size in enumerate(sizes) for _ in range(size)]
    return {"J": len(sizes), "N": len(index), "group": [j + 1 for j in index],
            "y": [rng.gauss(centres[j], sigma) for j in index]}


def renamed(data, name):
    return {name if key == "group" else key: value for key, value in data.items()}


def schools_far_apart(rng):
    return renamed(groups(rng, [3, 4, 3, 5, 4, 3, 4, 3], 1.5, 2.0), "school")


def no_spread(rng):
    return renamed(groups(rng, [6] * 10, 0.0, 1.0), "block")


def smooth_curve(rng):
    x = [0.4 * i for i in range(15)]
    return {"N": 15, "x": x, "y": [1.5 * math.sin(v) + rng.gauss(0, 0.3) for v in x]}


def lynx(rng):
    y = [3.0]
    for _ in range(59):
        y.append(3 + 0.7 * (y[-1] - 3) + rng.gauss(0, 0.8))
    return {"T": 60, "y": y}


def plots(rng):
    rows = [(rng.uniform(0.5, 4), rng.gauss(0, 1)) for _ in range(30)]
    return {"N": 30, "area": [r[0] for r in rows], "shade": [r[1] for r in rows],
            "counts": [poisson(rng, r[0] * math.exp(0.8 - 0.4 * r[1])) for r in rows]}


def two_sexes(rng):
    return {"N": 80, "y": normals(rng, 40, 163, 5) + normals(rng, 40, 184, 5)}


def ballots(rng):
    return {"K": 5, "votes": [21, 17, 9, 3, 0]}


def traits(rng):
    rows = []
    for _ in range(40):
        a, b, c = normals(rng, 3)
        rows.append([1 + a, 2 + 0.8 * a + 0.9 * b, -1 - 0.4 * a + 1.5 * c])
    return {"N": 40, "K": 3, "y": rows}


def outlying_points(rng):
    data = line(rng, 40, 1.0, 2.0, 0.7)
    data["y"][5] += 8.0
    data["y"][30] -= 6.0
    return data


def reliable(rng):
    return {"n": 30, "worked": 30}


def two_bumps(rng):
    return {"N": 6, "y": [1.9, -2.6, 0.8, 3.1, -3.4, 0.6]}


def price_response(rng):
    return line(rng, 20, 1.0, 0.12, 1.0)


def overdispersed(rng):
    x = normals(rng, 60)
    return {"N": 60, "x": x, "y": [poisson(rng, rng.gammavariate(2.0, math.exp(1 + 0.5 * v) / 2.0)) for v in x]}


def tiny_units(rng):
    return {"N": 25, "mass": [round(rng.gauss(2.3e-6, 2e-7), 12) for _ in range(25)],
            "current": normals(rng, 25, 43000.0, 1500.0)}


def grades(rng):
    x = normals(rng, 80)
    latent = [v + math.log(1 / (1 - rng.random()) - 1) * -1 for v in x]
    return {"N": 80, "K": 4, "x": x, "grade": [1 + (v > -1.5) + (v > 0.2) + (v > 2) for v in latent]}


def no_data(rng):
    return {}


def feeding(rng):
    state, y = 0, []
    for _ in range(120):
        state = state if rng.random() < 0.85 else 1 - state
        y.append(rng.gauss((1.0, 5.0)[state], 1.0))
    return {"T": 120, "y": y}


def seasons(rng):
    month = [i % 12 + 1 for i in range(60)]
    return {"N": 60, "month": month, "y": [9 + 6 * math.sin(0.52 * m) + rng.gauss(0, 1.5) for m in month]}


def radon(rng):
    return renamed(groups(rng, [12, 20, 15, 18, 25, 14, 16, 22, 19, 13, 17, 21], 0.6, 0.8, 1.3), "county")


def survival(rng):
    treated = [float(i % 2) for i in range(60)]
    time = [math.exp(1 + 0.5 * v) * rng.expovariate(1.0) ** (1 / 1.4) for v in treated]
    return {"N": 60, "time": [min(t, 6.0) for t in time], "seen": [int(t < 6.0) for t in time], "treated": treated}


def main():
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "verdict", "*", "*", "*.stan"))):
        stem = os.path.splitext(os.path.basename(path))[0]
        data = globals()[stem](random.Random(stem))
        with open(path[:-len(".stan")] + ".data.json", "w", encoding="utf-8") as file:
            file.write(json.dumps({key: value if stem == "tiny_units" else rounded(value, 6) for key, value in data.items()}) + "\n")


if __name__ == "__main__":
    main()
