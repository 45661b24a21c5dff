# Densities, means and second moments of the families of `credo regression`, by R's own distributions or by closed forms and
# integration: writes tests/data/regression/families.tsv. Rscript tools/make_family_reference.R
out <- file("tests/data/regression/families.tsv", "w")
writeLines("family\tlink\tvalues\ty\tlog_density\tmean\tsecond", out)
g <- function(x) format(x, digits = 17, scientific = TRUE)
add <- function(family, link, values, ys, f, mean, second)
  for (y in ys) writeLines(paste(family, link, values, g(y), g(log(f(y))), g(mean), g(second), sep = "\t"), out)
pieces <- function(f, breaks) sum(sapply(seq_len(length(breaks) - 1), function(k)
  integrate(f, breaks[k], breaks[k + 1], rel.tol = 1e-11, subdivisions = 2000L)$value))
# A density with its moments by integration between the breaks.
real <- function(family, link, values, ys, f, breaks) {
  stopifnot(abs(pieces(f, breaks) - 1) < 1e-8)
  add(family, link, values, ys, f, pieces(function(y) y * f(y), breaks), pieces(function(y) y^2 * f(y), breaks))
}
# Masses at some numbers beside a density.
mixed <- function(family, link, values, ys, f, breaks, at, mass) {
  stopifnot(abs(pieces(f, breaks) + sum(mass) - 1) < 1e-8)
  both <- function(y) { k <- match(y, at); if (is.na(k)) f(y) else mass[k] }
  add(family, link, values, ys, both, pieces(function(y) y * f(y), breaks) + sum(at * mass),
      pieces(function(y) y^2 * f(y), breaks) + sum(at^2 * mass))
}
counts <- function(family, link, values, ys, f, most = 4000) {
  k <- 0:most; p <- sapply(k, f)
  stopifnot(abs(sum(p) - 1) < 1e-10)
  add(family, link, values, ys, f, sum(k * p), sum(k^2 * p))
}
far <- c(-Inf, -30, -5, 0, 1, 2, 5, 30, Inf); positive <- c(0, 0.2, 1, 3, 10, 60, Inf); unit <- c(0, 0.5, 1)
real("normal", "identity", "eta = 0.7; sigma = 1.3", c(-2, 0.5), function(y) dnorm(y, 0.7, 1.3), far)
real("student", "identity", "eta = 0.7; sigma = 1.3; nu = 7", c(-2, 0.5), function(y) dt((y - 0.7) / 1.3, 7) / 1.3, far)
real("lognormal", "identity", "eta = 0.3; sigma = 0.6", c(0.2, 2.5), function(y) dlnorm(y, 0.3, 0.6), positive)
real("gamma", "log", "eta = 0.3; shape = 2.5", c(0.2, 2.5), function(y) dgamma(y, 2.5, 2.5 / exp(0.3)), positive)
real("beta", "logit", "eta = 0.4; phi = 5", c(0.1, 0.8), function(y) dbeta(y, 5 * plogis(0.4), 5 * plogis(-0.4)), unit)
real("weibull", "log", "eta = 0.3; shape = 1.7", c(0.2, 2.5), function(y) dweibull(y, 1.7, exp(0.3) / gamma(1 + 1 / 1.7)), positive)
real("exponential", "log", "eta = 0.3", c(0.2, 2.5), function(y) dexp(y, exp(-0.3)), positive)
real("exgaussian", "identity", "eta = 1.2; sigma = 0.5; beta = 0.8", c(-0.3, 1, 4), Vectorize(function(y)
  pieces(function(t) dnorm(y - t, 1.2 - 0.8, 0.5) * dexp(t, 1 / 0.8), c(0, max(0.1, y), max(0.2, y) + 5, Inf))), c(-4, 0, 1, 3, 8, 40))
skew <- function(y, mu, sigma, alpha) {  # location and scale by integration of the standard form
  f <- function(z) 2 * dnorm(z) * pnorm(alpha * z)
  m <- pieces(function(z) z * f(z), far); s <- sqrt(pieces(function(z) z^2 * f(z), far) - m^2)
  omega <- sigma / s; xi <- mu - omega * m
  f((y - xi) / omega) / omega
}
real("skew_normal", "identity", "eta = 0.7; sigma = 1.3; alpha = 3", c(-1, 0.5, 4), function(y) skew(y, 0.7, 1.3, 3), far)
real("skew_normal", "identity", "eta = 0.7; sigma = 1.3; alpha = -2", c(-3, 0.5), function(y) skew(y, 0.7, 1.3, -2), far)
real("inverse_gaussian", "log", "eta = 0.3; shape = 2", c(0.2, 2.5), function(y) { mu <- exp(0.3)
  ifelse(y > 0, sqrt(2 / (2 * pi * y^3)) * exp(-2 * (y - mu)^2 / (2 * mu^2 * y)), 0) }, c(1e-12, positive[-1]))
gev <- function(y, mu, sigma, xi) { t <- if (xi == 0) exp(-(y - mu) / sigma) else (1 + xi * (y - mu) / sigma)^(-1 / xi)
  t^(xi + 1) * exp(-t) / sigma }
real("gev", "identity", "eta = 0.7; sigma = 1.3; xi = 0.12", c(-1, 0.5, 6), function(y) gev(y, 0.7, 1.3, 0.12),
     c(0.7 - 1.3 / 0.12 + 1e-9, -3, 0, 3, 20, 100, 1e4, 1e8))
real("gev", "identity", "eta = 0.7; sigma = 1.3; xi = -0.3", c(-1, 0.5, 4), function(y) gev(y, 0.7, 1.3, -0.3),
     c(-40, -3, 0, 3, 0.7 + 1.3 / 0.3 - 1e-12))
real("gev", "identity", "eta = 0.7; sigma = 1.3; xi = 0", c(-1, 0.5, 6), function(y) gev(y, 0.7, 1.3, 0), c(-8, -3, 0, 3, 20, 100))
real("von_mises", "tan_half", "eta = 0.3; kappa = 2", c(-2, 0.5), function(y) exp(2 * cos(y - 2 * atan(0.3))) / (2 * pi * besselI(2, 0)), c(-pi, 0, pi))
real("asymmetric_laplace", "identity", "eta = 0.7; sigma = 0.6; quantile = 0.8", c(-1, 0.5, 2), function(y)
  0.8 * 0.2 / 0.6 * exp(-(y - 0.7) / 0.6 * (0.8 - (y < 0.7))), c(-200, -60, -20, -5, 0.7, 5, 60))
mixed("zero_inflated_beta", "logit", "eta = 0.4; phi = 5; zi = 0.2", c(0, 0.3, 0.8), function(y) 0.8 * dbeta(y, 5 * plogis(0.4), 5 * plogis(-0.4)), unit, 0, 0.2)
mixed("zero_one_inflated_beta", "logit", "eta = 0.4; phi = 5; zoi = 0.2; coi = 0.7", c(0, 0.3, 1), function(y) 0.8 * dbeta(y, 5 * plogis(0.4), 5 * plogis(-0.4)), unit, c(0, 1), c(0.06, 0.14))
mixed("hurdle_gamma", "log", "eta = 0.3; shape = 2.5; hu = 0.3", c(0, 0.2, 2.5), function(y) 0.7 * dgamma(y, 2.5, 2.5 / exp(0.3)), positive, 0, 0.3)
mixed("hurdle_lognormal", "identity", "eta = 0.3; sigma = 0.6; hu = 0.3", c(0, 0.2, 2.5), function(y) 0.7 * dlnorm(y, 0.3, 0.6), positive, 0, 0.3)
counts("bernoulli", "logit", "eta = 0.4", 0:1, function(y) dbinom(y, 1, plogis(0.4)), 1)
counts("bernoulli", "cloglog", "eta = -0.4", 0:1, function(y) dbinom(y, 1, 1 - exp(-exp(-0.4))), 1)
counts("bernoulli", "cauchit", "eta = -0.4", 0:1, function(y) dbinom(y, 1, pcauchy(-0.4)), 1)
counts("bernoulli", "probit", "eta = -0.4", 0:1, function(y) dbinom(y, 1, pnorm(-0.4)), 1)
counts("binomial", "logit", "eta = 0.4; trials = 9", c(0, 6), function(y) dbinom(y, 9, plogis(0.4)), 9)
counts("poisson", "log", "eta = 0.9", c(0, 6), function(y) dpois(y, exp(0.9)))
counts("negbinomial", "log", "eta = 0.9; phi = 1.4", c(0, 6), function(y) dnbinom(y, 1.4, mu = exp(0.9)))
counts("negbinomial1", "log", "eta = 0.9; phi = 1.4", c(0, 6), function(y) dnbinom(y, exp(0.9) / 1.4, mu = exp(0.9)))
counts("geometric", "log", "eta = 0.9", c(0, 6), function(y) dgeom(y, 1 / (1 + exp(0.9))))
com <- function(y, mu, nu) { k <- 0:300; f <- function(k) nu * (k * log(mu) - lgamma(k + 1)); exp(f(y)) / sum(exp(f(k))) }
for (shape in c(0.4, 2.5)) counts("com_poisson", "log", paste0("eta = 0.9; shape = ", shape), c(0, 6), function(y) com(y, exp(0.9), shape), 300)
counts("com_poisson", "sqrt", "eta = 1.6; shape = 2.5", c(0, 6), function(y) com(y, 1.6^2, 2.5), 300)
counts("zero_inflated_com_poisson", "log", "eta = 0.9; shape = 2.5; zi = 0.25", c(0, 6), function(y) 0.25 * (y == 0) + 0.75 * com(y, exp(0.9), 2.5), 300)
counts("beta_binomial", "logit", "eta = 0.4; phi = 5; trials = 9", c(0, 6), function(y)
  pieces(function(p) dbinom(y, 9, p) * dbeta(p, 5 * plogis(0.4), 5 * plogis(-0.4)), unit), 9)
counts("zero_inflated_poisson", "log", "eta = 0.9; zi = 0.25", c(0, 6), function(y) 0.25 * (y == 0) + 0.75 * dpois(y, exp(0.9)))
counts("zero_inflated_negbinomial", "log", "eta = 0.9; phi = 1.4; zi = 0.25", c(0, 6), function(y) 0.25 * (y == 0) + 0.75 * dnbinom(y, 1.4, mu = exp(0.9)))
counts("zero_inflated_binomial", "logit", "eta = 0.4; zi = 0.25; trials = 9", c(0, 6), function(y) 0.25 * (y == 0) + 0.75 * dbinom(y, 9, plogis(0.4)), 9)
counts("hurdle_poisson", "log", "eta = -0.6; hu = 0.25", c(0, 1, 3), function(y) if (y == 0) 0.25 else 0.75 * dpois(y, exp(-0.6)) / ppois(0, exp(-0.6), lower.tail = FALSE))
for (eta in c(-0.6, 2)) counts("hurdle_negbinomial", "log", paste0("eta = ", eta, "; phi = 1.4; hu = 0.25"), c(0, 1, 6), function(y)
  if (y == 0) 0.25 else 0.75 * dnbinom(y, 1.4, mu = exp(eta)) / pnbinom(0, 1.4, mu = exp(eta), lower.tail = FALSE))
# Ordered categories: y is 1 to 4.
F <- list(logit = plogis, probit = pnorm, cloglog = function(x) 1 - exp(-exp(x)), cauchit = pcauchy)
cuts <- list(cumulative = c(-0.8, 0.3, 1.4), sratio = c(0.5, -0.3, 0.9), cratio = c(0.5, -0.3, 0.9), acat = c(0.5, -0.3, 0.9))
eta <- 0.4
for (family in names(cuts)) for (link in if (family == "acat") "logit" else names(F)) {
  cc <- cuts[[family]]; f <- F[[link]]
  p <- switch(family, cumulative = diff(c(0, f(cc - eta), 1)),
    sratio = c(f(cc - eta), 1) * c(1, cumprod(1 - f(cc - eta))),
    cratio = c(1 - f(eta - cc), 1) * c(1, cumprod(f(eta - cc))),
    acat = { e <- exp(c(0, cumsum(eta - cc))); e / sum(e) })
  stopifnot(abs(sum(p) - 1) < 1e-12)
  add(family, link, paste0("eta = 0.4; threshold = [", paste(cc, collapse = ", "), "]'"), 1:4, function(y) p[y], sum(1:4 * p), sum((1:4)^2 * p))
}
p <- exp(c(0, 0.4, -0.7)); p <- p / sum(p)
add("categorical", "logit", "eta = [0, 0.4, -0.7]'", 1:3, function(y) p[y], sum(1:3 * p), sum((1:3)^2 * p))
# The largest of independent normal utilities, about the mode of the integrand: digits of far tails.
chosen <- function(eta, k, log = FALSE) {
  f <- function(z) dnorm(z, log = TRUE) + rowSums(sapply(setdiff(seq_along(eta), k), function(j) pnorm(z + eta[k] - eta[j], log.p = TRUE), simplify = "matrix"))
  m <- optimize(function(z) f(c(z, z))[1], c(-60, 60), maximum = TRUE, tol = 1e-10)$maximum
  top <- f(c(m, m))[1]
  part <- function(lo, hi) integrate(function(z) exp(f(z) - top), lo, hi, rel.tol = 1e-13, subdivisions = 1000)$value
  value <- top + log(part(m - 12, m - 2) + part(m - 2, m) + part(m, m + 2) + part(m + 2, m + 12))
  if (log) value else exp(value)
}
for (eta in list(c(0, 0.4, -0.7))) {
  p <- sapply(1:3, function(k) chosen(eta, k))
  stopifnot(abs(sum(p) - 1) < 1e-11)
  add("multinomial_probit", "probit", paste0("eta = [", paste(eta, collapse = ", "), "]'"), 1:3, function(y) p[y], sum(1:3 * p), sum((1:3)^2 * p))
}
# Proportional hazards: M-splines of R's splineDesign, integrated by quadrature; times as the test states them.
times <- c(0.3, 0.8, 1.1, 2, 3.5, 6); margin <- diff(range(times)) / 50
knots <- c(rep(max(min(times) - margin, 0), 4), median(times), rep(max(times) + margin, 4))
bhaz <- c(0.1, 0.25, 0.3, 0.15, 0.2)
hazard0 <- function(y) { u <- pmin(y, knots[9]); ifelse(y < knots[1], 0, drop(splines::splineDesign(knots, pmax(u, knots[1]), outer.ok = TRUE) %*% (bhaz * 4 / (knots[5:9] - knots[1:5])))) }
integral0 <- Vectorize(function(y) if (y <= knots[1]) 0 else integrate(hazard0, knots[1], min(y, knots[5]), rel.tol = 1e-13)$value +
  (if (y > knots[5]) integrate(hazard0, knots[5], min(y, knots[9]), rel.tol = 1e-13)$value else 0) + max(0, y - knots[9]) * hazard0(knots[9]))
for (eta in c(0.3, -0.9)) real("cox", "log", paste0("eta = ", eta, "; bhaz = [", paste(bhaz, collapse = ", "), "]'"), c(0.4, 2.5, 6, 9),
  function(y) hazard0(y) * exp(eta - exp(eta) * integral0(y)), c(knots[1], 0.5, 1, knots[5], 3, knots[9], 8, 15, Inf))
# First passages: the series of sines in 2,000 terms; the moments are those of both boundaries together.
passage <- Vectorize(function(y, a, ndt, w, v) { t <- y - ndt; k <- 1:2000
  if (t <= 0) 0 else pi / a^2 * exp(-v * a * w - v^2 * t / 2) * sum(k * sin(k * pi * w) * exp(-(k * pi / a)^2 * t / 2)) })
lower <- function(y, v = 0.8, w = 0.4) passage(y, 1.4, 0.2, w, v)
for (v in c(0.8, -2.5)) {
  both <- function(y) lower(y, v, 0.4) + lower(y, -v, 0.6)
  breaks <- c(0.201, 0.22, 0.3, 0.5, 1, 3, 12)
  stopifnot(abs(pieces(both, breaks) - 1) < 1e-8)
  for (dec in 0:1) add("wiener", "identity", paste0("eta = ", v, "; bs = 1.4; ndt = 0.2; bias = 0.4; dec = ", dec), c(0.25, 0.6, 2.5),
    function(y) if (dec == 1) lower(y, -v, 0.6) else lower(y, v, 0.4), pieces(function(y) y * both(y), breaks), pieces(function(y) y^2 * both(y), breaks))
}
close(out)
