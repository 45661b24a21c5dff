# Expected values of leave-one-out figures, of stacking and of pseudo-BMA weights, from R's package loo.
#   Rscript tools/make_loo_reference.R      (from the root; writes tests/data/loo/)
# log_lik.csv: a row of the likelihood a line, 400 draws of 4 chains, chain after chain. expected.csv: for each row and
# relative efficiency what loo says. elpd.csv: three models' log predictive densities; weights.csv: their weights.
suppressMessages(library(loo))
set.seed(19)
folder <- "tests/data/loo"
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
digits <- function(x) formatC(x, digits = 17, format = "g")

num_rows <- 12; num_draws <- 400
mu <- as.numeric(arima.sim(list(ar = 0.4), num_draws)) * 0.3
y <- c(rnorm(num_rows - 3), 3.5, 6, -9)                       # outliers have heavy weights
log_lik <- sapply(y, function(value) dnorm(value, mu, 1, log = TRUE))
log_lik[, 5] <- dt(y[5] - mu, 3, log = TRUE)
write.table(t(apply(log_lik, 2, digits)), file.path(folder, "log_lik.csv"), sep = ",", quote = FALSE, row.names = FALSE,
            col.names = FALSE)
rows <- NULL
for (r_eff in c(1, 0.6)) {
  found <- suppressWarnings(loo(log_lik, r_eff = rep(r_eff, num_rows)))
  waic <- suppressWarnings(waic(log_lik))
  p <- found$pointwise
  rows <- rbind(rows, cbind(seq_len(num_rows), r_eff, p[, "elpd_loo"], p[, "p_loo"], found$diagnostics$pareto_k,
                            waic$pointwise[, "elpd_waic"], waic$pointwise[, "p_waic"]))
}
write.table(apply(rows, 2, digits), file.path(folder, "expected.csv"), sep = ",", quote = FALSE, row.names = FALSE,
            col.names = c("row", "r_eff", "elpd_loo", "p_loo", "pareto_k", "elpd_waic", "p_waic"))
totals <- suppressWarnings(loo(log_lik, r_eff = rep(1, num_rows)))$estimates
write.table(t(digits(c(totals["elpd_loo", ], totals["p_loo", ]))), file.path(folder, "totals.csv"), sep = ",", quote = FALSE,
            row.names = FALSE, col.names = c("elpd_loo", "elpd_loo_error", "p_loo", "p_loo_error"))

elpd <- cbind(rnorm(60, -1.2, 0.7), rnorm(60, -1.25, 0.7), rnorm(60, -1.6, 0.9))
write.table(apply(elpd, 2, digits), file.path(folder, "elpd.csv"), sep = ",", quote = FALSE, row.names = FALSE,
            col.names = FALSE)
stacked <- stacking_weights(elpd, optim_control = list(reltol = 1e-15))
averaged <- pseudobma_weights(elpd, BB = FALSE)
bootstrapped <- pseudobma_weights(elpd, BB = TRUE, BB_n = 200000)
write.table(rbind(digits(as.numeric(stacked)), digits(as.numeric(averaged)), digits(as.numeric(bootstrapped))),
            file.path(folder, "weights.csv"), sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
