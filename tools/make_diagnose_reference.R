# Expected values of the convergence diagnostics, from R's packages posterior and loo.
#   Rscript tools/make_diagnose_reference.R      (from the root; writes tests/data/diagnose/)
# Each <case>.csv holds draws, one column per chain; expected.csv one line per case and statistic.
# posterior 1.4.0 lacks the statistics of intervals, nested R-hat and the tail index; here they are
# written down from their definitions, the last with loo's fit of the generalised Pareto distribution.
suppressMessages(library(posterior))
set.seed(71)

ar1 <- function(n, phi) as.numeric(arima.sim(list(ar = phi), n))
chains <- function(n, k, draw) sapply(seq_len(k), function(i) draw(n))
cases <- list(
  independent = chains(100, 4, rnorm),
  correlated_odd = chains(101, 3, function(n) ar1(n, 0.9)),
  antithetic = chains(100, 2, function(n) ar1(n, -0.7)),
  heavy_tailed = chains(60, 4, rcauchy),
  discrete = chains(80, 4, function(n) rpois(n, 2)),
  shifted = sweep(chains(50, 4, rnorm), 2, c(0, 0, 0, 3), "+"),
  unequal_spread = sweep(chains(50, 4, rnorm), 2, c(1, 1, 1, 8), "*"),
  one_chain = chains(40, 1, function(n) ar1(n, 0.5)),
  trend = chains(64, 2, function(n) rnorm(n) + seq_len(n) / 20),
  shortest = chains(12, 2, rnorm))
cases <- c(cases, list(
  six_draws = chains(6, 2, rnorm),
  three_draws = chains(3, 2, rnorm),
  two_draws = chains(2, 2, rnorm),
  constant = matrix(1.5, 10, 3),
  stuck = matrix(rep(c(1, 2, 4), each = 10), 10, 3),
  one_stuck = cbind(chains(30, 3, rnorm), 0.7),
  undefined = replace(chains(20, 2, rnorm), 7, NaN),
  infinite = replace(chains(20, 2, rnorm), 7, Inf),
  rounded = round(chains(101, 2, function(n) ar1(n, 0.4)), 1),
  binary = chains(60, 3, function(n) rbinom(n, 1, 0.3)),
  student = chains(150, 3, function(n) rt(n, 1.5)),
  skewed = chains(151, 2, function(n) exp(2 * ar1(n, 0.6))),
  bounded = chains(121, 2, runif),
  very_antithetic = chains(64, 2, function(n) ar1(n, -0.97)),
  odd_one_chain = chains(51, 1, rnorm),
  many_chains = chains(20, 24, function(n) ar1(n, 0.6)),
  tiny = 1e-9 * chains(25, 2, rnorm),
  constant_to_rounding = 1e-17 * chains(25, 2, rnorm),
  far_from_zero = 1e3 + chains(25, 2, rnorm),
  longer = chains(300, 2, function(n) ar1(n, 0.5)),
  longer_and_slow = chains(300, 1, function(n) ar1(n, 0.97))))

internal <- asNamespace("posterior")
degenerate <- internal$should_return_NA
halves <- internal$.split_chains
scores <- function(x) internal$z_scale(halves(x))
interval_ess <- function(low, high) function(x) {
  if (degenerate(x)) return(NA)
  below <- if (low == 0) -Inf else quantile(x, low)
  internal$.ess(halves(x > below & x <= quantile(x, high)))
}
# [margossian2024]: successive chains make `groups` groups of equal size
nested <- function(groups) function(x) {
  if (degenerate(x) || ncol(x) %% groups != 0) return(NA)
  parts <- split(seq_len(ncol(x)), rep(seq_len(groups), each = ncol(x) / groups))
  inner <- sapply(parts, function(k) {
    y <- x[, k, drop = FALSE]
    of_means <- if (length(k) > 1) var(colMeans(y)) else 0
    of_means + if (nrow(y) > 1) mean(apply(y, 2, var)) else 0
  })
  means <- sapply(parts, function(k) mean(x[, k]))
  sqrt(1 + var(means) / mean(inner))
}
# Of three draws and fewer posterior 1.4.0 takes chains for draws (their halves lose a dimension).
of_halves <- function(f) function(x) if (nrow(x) < 4) NA else f(x)
# [vehtari2024]; NA for ties at the threshold, of which no fit can be made
shape <- function(sign) function(x) {
  n <- length(x)
  ess <- ess_quantile(x, c(0.05, 0.95))
  if (all(is.na(ess))) return(NA)
  tail_size <- ceiling(if (n > 225) 3 * sqrt(n / (min(ess, na.rm = TRUE) / n)) else n / 5)
  tail_size <- min(tail_size, floor(n / 2))
  if (tail_size < 5) return(NA)
  sorted <- sort(sign * as.vector(x))
  tail <- sorted[(n - tail_size + 1):n]
  excess <- tail - sorted[n - tail_size]
  if (degenerate(tail) || excess[floor(tail_size / 4 + 0.5)] == 0) return(NA)
  loo:::gpdfit(excess, sort_x = FALSE)$k
}

at <- function(f, p) function(x) f(x, p, names = FALSE)
statistics <- list(
  r_hat = of_halves(rhat), ess_bulk = ess_bulk, ess_tail = ess_tail, ess_mean = ess_mean, ess_sd = ess_sd,
  ess_q10 = at(ess_quantile, 0.1), mcse_mean = mcse_mean, mcse_sd = mcse_sd,
  mcse_q05 = at(mcse_quantile, 0.05), mcse_median = mcse_median,
  plain_r_hat = function(x) rhat_basic(x, split = FALSE),
  plain_ess = function(x) ess_basic(x, split = FALSE),
  q05 = function(x) if (anyNA(x)) NA else quantile(x, 0.05),
  bulk_r_hat = of_halves(function(x) internal$.rhat(scores(x))),
  folded_r_hat = of_halves(function(x) internal$.rhat(scores(abs(x - median(x))))),
  split_r_hat = of_halves(rhat_basic), split_ess = ess_basic, ess_median = ess_median,
  ess_q0 = at(ess_quantile, 0), ess_q25 = at(ess_quantile, 0.25), ess_q99 = at(ess_quantile, 0.99),
  ess_q100 = at(ess_quantile, 1), mcse_q25 = at(mcse_quantile, 0.25),
  mcse_q95 = at(mcse_quantile, 0.95), mcse_q99 = at(mcse_quantile, 0.99),
  ess_q10_q20 = interval_ess(0.1, 0.2), ess_q00_q05 = interval_ess(0, 0.05),
  ess_q95_q100 = interval_ess(0.95, 1),
  nested_2 = nested(2), nested_3 = nested(3), nested_24 = nested(24),
  lower_shape = shape(-1), upper_shape = shape(1))

directory <- "tests/data/diagnose"
lines <- character()
for (case in names(cases)) {
  x <- cases[[case]]
  write.table(apply(x, 2, function(v) sprintf("%.17g", v)), file.path(directory, paste0(case, ".csv")),
              sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
  for (name in names(statistics)) {
    value <- suppressWarnings(as.numeric(statistics[[name]](x)))
    lines <- c(lines, sprintf("%s,%s,%.17g", case, name, value))
  }
}
writeLines(lines, file.path(directory, "expected.csv"))
