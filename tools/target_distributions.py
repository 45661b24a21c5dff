"""Distributions whose mean, sd and quantiles are known: in closed form, or by Gauss-Legendre quadrature over panels.

A distribution has cdf(x), mean and sd (None where there is no such moment) and quantile(p). `resolution` multiplies all panels; make_targets
computes each answer at 1 and at 2 and compares, which is the error control of them all.
"""
import bisect
import math

PROBABILITIES = {"q5": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}
NUM_NODES = 16
NEGLIGIBLE = 45.0  # nats below the highest point, at the ends of a range: e^-45 = 3e-20
resolution = 1


def legendre_nodes(n):
    """Nodes and weights on (-1, 1), by Newton's method on the Legendre polynomial."""
    result = []
    for k in range(n):
        x = math.cos(math.pi * (k + 0.75) / (n + 0.5))
        for _ in range(100):
            below, value = 1.0, x
            for degree in range(2, n + 1):
                below, value = value, ((2 * degree - 1) * x * value - (degree - 1) * below) / degree
            slope = n * (x * value - below) / (x * x - 1)
            x -= value / slope
            if abs(value / slope) < 1e-15:
                break
        result.append((x, 2 / ((1 - x * x) * slope * slope)))
    return result


NODES = legendre_nodes(NUM_NODES)


def phi_cdf(z):
    return 0.5 * math.erfc(-z / math.sqrt(2))


def logistic(u):
    return 1 / (1 + math.exp(-u)) if u >= 0 else math.exp(u) / (1 + math.exp(u))


def log1p_exp(u):
    return max(u, 0.0) + math.log1p(math.exp(-abs(u)))


def root(function, low, high):
    """Where an increasing function is 0, by false position with halved ends (Illinois); the ends move out until they bracket it."""
    width = high - low
    while (at_low := function(low)) > 0:
        low, width = low - width, 2 * width
    while (at_high := function(high)) < 0:
        high, width = high + width, 2 * width
    side = 0
    for step in range(400):
        share = at_low / (at_low - at_high) if at_low != at_high and step % 8 != 7 else 0.5
        middle = low + share * (high - low)
        value = function(middle)
        if value == 0 or high - low < 1e-14 * (width + abs(middle)):
            return middle
        if value > 0:
            high, at_high, at_low, side = middle, value, at_low / (2 if side > 0 else 1), 1
        else:
            low, at_low, at_high, side = middle, value, at_high / (2 if side < 0 else 1), -1
        if abs(value) < 1e-14:
            return middle
    return 0.5 * (low + high)


class Closed:
    """A distribution by its distribution function; `inverse` where the quantiles are closed, too."""

    def __init__(self, cdf=None, mean=None, sd=None, low=-1.0, high=1.0, inverse=None):
        self.cdf, self.mean, self.sd, self.low, self.high, self.inverse = cdf, mean, sd, low, high, inverse

    def quantile(self, p):
        return self.inverse(p) if self.inverse else root(lambda x: self.cdf(x) - p, self.low, self.high)


class Normals:
    """A mixture of normals, [(weight, mean, sd)]: of a few, or of as many as a quadrature has nodes."""

    def __init__(self, parts):
        total = math.fsum(w for w, _, _ in parts)
        self.parts = [(w / total, m, s) for w, m, s in parts if w > 1e-18 * total]
        self.mean = math.fsum(w * m for w, m, _ in self.parts)
        self.sd = math.sqrt(math.fsum(w * (s * s + (m - self.mean) ** 2) for w, m, s in self.parts))

    def cdf(self, x):
        return math.fsum(w * phi_cdf((x - m) / s) for w, m, s in self.parts)

    def quantile(self, p):
        return root(lambda x: self.cdf(x) - p, self.mean - self.sd, self.mean + self.sd)


def normal(mean, sd):
    return Normals([(1.0, mean, sd)])


class Density:
    """A distribution by a log density on (low, high), up to a constant, of u; the quantity is image(u), an increasing function.

    Tails that are cut off must be NEGLIGIBLE, unless the range ends where the distribution does (`ends`). `breaks` are panels' ends besides
    the even ones, at places that are narrower than those.
    """

    def __init__(self, log_density, low, high, image=lambda u: u, panels=200, ends=False, breaks=(), mean=None, sd=None,
                 has_mean=True, has_sd=True):
        self.log_density, self.image = log_density, image
        edges = [low + (high - low) * k / (panels * resolution) for k in range(panels * resolution + 1)]
        self.edges = sorted(set(edges) | {b for b in breaks if low < b < high})
        values = [[(a + (b - a) * (x + 1) / 2, w * (b - a) / 2) for x, w in NODES] for a, b in zip(self.edges, self.edges[1:])]
        self.top = max(log_density(u) for panel in values for u, _ in panel)
        if not ends and max(log_density(u) for u in (low, high)) > self.top - NEGLIGIBLE:
            raise SystemExit(f"target_distributions: the range ({low}, {high}) cuts off tails")
        panels_nodes = [[(u, w * self.height(u)) for u, w in panel] for panel in values]
        masses = [math.fsum(w for _, w in panel) for panel in panels_nodes]
        self.total = math.fsum(masses)
        self.below = [0.0]
        for mass in masses:
            self.below.append(self.below[-1] + mass)
        self.nodes = [(u, w / self.total) for panel in panels_nodes for u, w in panel if w > 0]
        self.mean = mean if mean is not None or not has_mean else self.expectation(image)
        exists = has_mean and has_sd
        self.sd = sd if sd is not None or not exists else math.sqrt(self.expectation(lambda u: (image(u) - self.mean) ** 2))

    def height(self, u):
        return math.exp(self.log_density(u) - self.top)

    def expectation(self, function):
        return math.fsum(w * function(u) for u, w in self.nodes)

    def quantile(self, p):
        wanted = p * self.total
        k = min(bisect.bisect_right(self.below, wanted), len(self.below) - 1) - 1
        a, b = self.edges[k], self.edges[k + 1]

        def missing(u):
            return self.below[k] + math.fsum(w * (u - a) / 2 * self.height(a + (u - a) * (x + 1) / 2) for x, w in NODES) - wanted
        return self.image(root(lambda u: missing(u) / self.total, a, b))

    def normals(self, of):
        """The distribution of a quantity that is normal given u, with of(u) = (mean, sd)."""
        return Normals([(w, *of(u)) for u, w in self.nodes])


class Image:
    """An increasing function of a distribution; its moments are given, or don't exist."""

    def __init__(self, distribution, function, mean=None, sd=None):
        self.distribution, self.function, self.mean, self.sd = distribution, function, mean, sd

    def quantile(self, p):
        return self.function(self.distribution.quantile(p))


def positive(log_density, low=-60.0, high=15.0, **more):
    """A distribution on (0, inf) by its log density of x; the quadrature is over log x."""
    return Density(lambda u: log_density(math.exp(u)) + u, low, high, math.exp, **more)


def beta(a, b):
    low, high = -50 / min(a, 1.0), 50 / min(b, 1.0)
    return Density(lambda u: -a * log1p_exp(-u) - b * log1p_exp(u), low, high, logistic, panels=400)


def gamma(shape, rate):
    return positive(lambda x: (shape - 1) * math.log(x) - rate * x, low=-50 / min(shape, 1.0) - math.log(rate),
                    high=math.log((100 + 10 * shape) / rate), panels=400)


def student_t(df, location=0.0, scale=1.0):
    """Over asinh of the standardised quantity, as its tails fall like powers."""
    mean = location if df > 1 else None
    sd = scale * math.sqrt(df / (df - 2)) if df > 2 else None
    high = 2 + 50 / df
    return Density(lambda u: -(df + 1) / 2 * math.log1p(math.sinh(u) ** 2 / df) + math.log(math.cosh(u)), -high, high,
                   lambda u: location + scale * math.sinh(u), mean=mean, sd=sd, has_mean=df > 1, has_sd=df > 2)


def plane(log_density, box, swapped=False, panels=12):
    """The first coordinate's distribution (the second's: swapped) of a log density over the box ((a, b), (c, d))."""
    (a, b), (c, d) = box[::-1] if swapped else box
    count = panels * resolution
    edges = [c + (d - c) * k / count for k in range(count + 1)]
    inner = [(low + (high - low) * (x + 1) / 2, w * (high - low) / 2) for low, high in zip(edges, edges[1:]) for x, w in NODES]

    def marginal(u):
        values = [log_density(v, u) if swapped else log_density(u, v) for v, _ in inner]
        top = max(values)
        return top + math.log(math.fsum(w * math.exp(value - top) for value, (_, w) in zip(values, inner)))
    return Density(marginal, a, b, panels=panels)


def answers_of(distribution):
    """{"mean": …, "sd": …, "q5": …}, without moments that don't exist."""
    result = {name: value for name, value in (("mean", distribution.mean), ("sd", distribution.sd)) if value is not None}
    return result | {name: distribution.quantile(p) for name, p in PROBABILITIES.items()}
