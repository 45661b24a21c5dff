# Expected values of the convergence diagnostics, from R's package posterior.
#   Rscript tools/make_diagnose_reference.R      (from the root; writes tests/data/diagnose/)
# Each <case>.csv holds draws, one column per chain; expected.csv one line per case and statistic.
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

statistics <- list(
  r_hat = rhat, ess_bulk = ess_bulk, ess_tail = ess_tail, ess_mean = ess_mean, ess_sd = ess_sd,
  ess_q10 = function(x) ess_quantile(x, 0.1), mcse_mean = mcse_mean, mcse_sd = mcse_sd,
  mcse_q05 = function(x) mcse_quantile(x, 0.05), mcse_median = function(x) mcse_quantile(x, 0.5),
  plain_r_hat = function(x) rhat_basic(x, split = FALSE),
  plain_ess = function(x) ess_basic(x, split = FALSE), q05 = function(x) quantile(x, 0.05))

directory <- "tests/data/diagnose"
lines <- character()
for (case in names(cases)) {
  x <- cases[[case]]
  write.table(apply(x, 2, function(v) sprintf("%.17g", v)), file.path(directory, paste0(case, ".csv")),
              sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
  for (name in names(statistics)) {
    value <- suppressWarnings(statistics[[name]](x))
    lines <- c(lines, sprintf("%s,%s,%.17g", case, name, value))
  }
}
writeLines(lines, file.path(directory, "expected.csv"))
