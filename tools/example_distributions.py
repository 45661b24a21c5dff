"""What the analyses `galaxies` and `sprint` should find, computed from their data alone: densities written out once more, integrals by
importance sampling and on a grid. No file of the program is read.
"""
import csv
import math
import random

LOG_2PI = math.log(2.0 * math.pi)


def column(path, name):
    with open(path, encoding="utf-8") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def log_normal(x, mean, sd):
    return -0.5 * ((x - mean) / sd) ** 2 - math.log(sd) - 0.5 * LOG_2PI


def cholesky(matrix):
    """The lower triangle, row by row; None where the matrix isn't positive definite."""
    rows = []
    for i, row in enumerate(matrix):
        own = []
        for j in range(i + 1):
            rest = row[j] - sum(a * b for a, b in zip(own, rows[j] if j < i else own))
            if j == i and not rest > 0.0:
                return None
            own.append(math.sqrt(rest) if j == i else rest / rows[j][j])
        rows.append(own)
    return rows


def solved(lower, right):
    """lower^-1 right."""
    values = []
    for row, b in zip(lower, right):
        values.append((b - sum(a * x for a, x in zip(row, values))) / row[len(values)])
    return values


# --- galaxies: two normal components with means in order ---

def two_clusters(free, speeds):
    """Log of the joint density at free values (mu_1, log(mu_2 - mu_1), log sigma_1, log sigma_2, logit share_1), Jacobian and all
    constants included; the prior of means in order is that of two independent ones, twice."""
    mu = [free[0], free[0] + math.exp(free[1])]
    sigma = [math.exp(free[2]), math.exp(free[3])]
    share = 1.0 / (1.0 + math.exp(-free[4]))
    shares = [share, 1.0 - share]
    total = math.log(2.0) + sum(log_normal(m, 20.0, 10.0) for m in mu)
    total += sum(log_normal(math.log(s), 0.0, 0.5) for s in sigma)    # lognormal, with the Jacobian of the logarithm
    total += math.log(6.0) + 2.0 * sum(map(math.log, shares))    # beta(2, 2), with the Jacobian of the logit
    total += free[1]
    for y in speeds:
        parts = [math.log(w) + log_normal(y, m, s) for w, m, s in zip(shares, mu, sigma)]
        top = max(parts)
        total += top + math.log(sum(math.exp(p - top) for p in parts))
    return total


class Student:
    """Student's t with 5 degrees of freedom about a center."""

    def __init__(self, center, spread):
        self.center, self.lower = center, cholesky(spread)
        d = len(center)
        log_det = sum(math.log(row[-1]) for row in self.lower)
        self.constant = math.lgamma((5.0 + d) / 2) - math.lgamma(2.5) - 0.5 * d * math.log(5.0 * math.pi) - log_det

    def draw(self, rng):
        z = [rng.gauss(0.0, 1.0) for _ in self.center]
        scale = math.sqrt(5.0 / rng.gammavariate(2.5, 2.0))    # chi-square of 5 degrees of freedom
        return [c + scale * sum(a * b for a, b in zip(row, z)) for c, row in zip(self.center, self.lower)]

    def log_density(self, point):
        z = solved(self.lower, [x - c for x, c in zip(point, self.center)])
        return self.constant - 0.5 * (5.0 + len(z)) * math.log1p(sum(x * x for x in z) / 5.0)


def weighed(log_density, proposals, count, seed):
    """Points of the mixture of proposals in equal parts, with the logarithms of their weights."""
    rng, points, logs = random.Random(seed), [], []
    for k in range(count):
        points.append(proposals[k % len(proposals)].draw(rng))
        densities = [p.log_density(points[-1]) for p in proposals]
        top = max(densities)
        logs.append(log_density(points[-1]) - top - math.log(sum(math.exp(x - top) for x in densities) / len(densities)))
    return points, logs


def weighted_mean(values, weights):
    """(mean, its standard error) by self-normalised weights."""
    total = sum(weights)
    mean = sum(w * x for w, x in zip(weights, values)) / total
    return mean, math.sqrt(sum((w * (x - mean)) ** 2 for w, x in zip(weights, values))) / total


def fitted(log_density, center):
    """A proposal that is fitted to its own weights, from a first one about a place."""
    spread = [[0.05 if i == j else 0.0 for j in range(len(center))] for i in range(len(center))]
    for turn in range(5):
        points, logs = weighed(log_density, [Student(center, spread)], 1000, turn)
        top = max(logs)
        weights = [math.exp(x - top) for x in logs]
        center = [weighted_mean([p[i] for p in points], weights)[0] for i in range(len(center))]
        spread = [[1.2 * weighted_mean([(p[i] - center[i]) * (p[j] - center[j]) for p in points], weights)[0]
                   + (0.02 if i == j and turn < 3 else 0.0) for j in range(len(center))] for i in range(len(center))]
    return Student(center, spread)


def galaxies(path, count=12000):
    """{"log evidence" and parameters: (value, standard error)}, by proposals for both modes: a small cluster at 9,700 km/s beside
    the others, or a wide cluster around a narrow one."""
    speeds = [v / 1000.0 for v in column(path, "velocity")]

    def log_density(free):
        return two_clusters(free, speeds)
    proposals = [fitted(log_density, [9.7, math.log(12.2), -0.8, 1.1, -2.2]), fitted(log_density, [18.7, 1.0, 2.0, 0.66, -0.8])]
    points, logs = weighed(log_density, proposals, count, 9)
    top = max(logs)
    weights = [math.exp(x - top) for x in logs]
    mean = sum(weights) / len(weights)
    sd = math.sqrt(sum((w - mean) ** 2 for w in weights) / len(weights))
    found = {"log evidence": (top + math.log(mean), sd / mean / math.sqrt(len(weights)))}
    outputs = {"mu.1": lambda p: p[0], "mu.2": lambda p: p[0] + math.exp(p[1]), "sigma.1": lambda p: math.exp(p[2]),
               "sigma.2": lambda p: math.exp(p[3]), "share.1": lambda p: 1.0 / (1.0 + math.exp(-p[4]))}
    return found | {name: weighted_mean([f(p) for p in points], weights) for name, f in outputs.items()}


# --- sprint: a smooth curve, integrated over its three parameters on a grid of their logarithms ---

def curve_at(years, seconds, amplitude, lengthscale, sigma):
    """(log density of the times, mean and standard deviation of the final of 2028)."""
    def covariance(a, b):
        return amplitude ** 2 * math.exp(-0.5 * ((a - b) / lengthscale) ** 2)
    lower = cholesky([[covariance(a, b) + (sigma ** 2 if i == j else 0.0) for j, b in enumerate(years)] for i, a in enumerate(years)])
    rest = solved(lower, [y - 10.3 for y in seconds])
    ahead = solved(lower, [covariance(a, 2028.0) for a in years])
    log_density = -0.5 * sum(x * x for x in rest) - sum(math.log(row[-1]) for row in lower) - 0.5 * len(years) * LOG_2PI
    variance = amplitude ** 2 + sigma ** 2 - sum(x * x for x in ahead)
    return log_density, 10.3 + sum(a * b for a, b in zip(ahead, rest)), math.sqrt(variance)


def log_grid(low, high, count):
    return [math.exp(math.log(low) + (math.log(high) - math.log(low)) * k / (count - 1)) for k in range(count)]


def sprint(path, count=16):
    """Posterior means of parameters and of next_time, and the chance of a time below 9.63 s; without the year 1896."""
    rows = [(y, s) for y, s in zip(column(path, "year"), column(path, "seconds")) if y != 1896]
    years, seconds = zip(*rows)
    sums, names = [0.0] * 6, ["amplitude", "lengthscale", "sigma", "next_time", "P(next_time < 9.63)"]
    for a in log_grid(0.08, 4.0, count):
        for length in log_grid(14.0, 500.0, count):
            for s in log_grid(0.06, 0.25, count):
                log_density, mean, sd = curve_at(years, seconds, a, length, s)
                # half-normal, inverse gamma and half-normal priors, and the Jacobian a * length * s of the logarithms
                weight = math.exp(log_density - 0.5 * a * a - 6.0 * math.log(length) - 250.0 / length - 0.5 * (s / 0.5) ** 2) * a * length * s
                below = 0.5 * math.erfc((mean - 9.63) / sd / math.sqrt(2.0))
                for k, x in enumerate((1.0, a, length, s, mean, below)):
                    sums[k] += weight * x
    return {name: total / sums[0] for name, total in zip(names, sums[1:])}
