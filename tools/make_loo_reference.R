# Expected values of leave-one-out figures, of stacking and of pseudo-BMA weights, from R's package loo.
#   Rscript tools/make_loo_reference.R      (from the root; writes tests/data/loo/)
# moment_match.csv: 600 draws of mean and log standard deviation of normal data with an outlier; moment_match_expected.csv: its
# rows by moment matching. log_lik.csv: a row of the likelihood a line, 400 draws of 4 chains, chain after chain. expected.csv: for each row and
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

# Normal data with a flat prior on mean and log standard deviation: exact draws; rows whose k is above 0.2 are matched.
y <- c(0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 9)
n <- length(y); num_draws <- 600
sigma <- sqrt((n - 1) * var(y) / rchisq(num_draws, n - 1))
draws <- cbind(rnorm(num_draws, mean(y), sigma / sqrt(n)), log(sigma))
log_lik_i <- function(x, i, ...) dnorm(y[i], x[, 1], exp(x[, 2]), log = TRUE)
log_lik_i_upars <- function(x, upars, i, ...) log_lik_i(upars, i)
log_prob_upars <- function(x, upars, ...) rowSums(sapply(seq_len(n), function(i) log_lik_i(upars, i)))
log_lik <- sapply(seq_len(n), function(i) log_lik_i(draws, i))
# loo_moment_match measures the relative efficiency itself. With split = TRUE loo 2.5.1 takes a map for the inverse of a scaling
# that isn't (the shift isn't divided by the scales), so that the maps alone are compared.
r_eff <- sapply(seq_len(n), function(i) relative_eff(exp(array(log_lik[, i], c(num_draws, 1, 1)))))
by_psis <- suppressWarnings(loo(log_lik, r_eff = r_eff))
matched <- suppressWarnings(loo_moment_match(draws, loo = by_psis, post_draws = function(x, ...) x, log_lik_i = log_lik_i,
  unconstrain_pars = function(x, pars, ...) pars, log_prob_upars = log_prob_upars, log_lik_i_upars = log_lik_i_upars,
  max_iters = 30, k_threshold = 0.2, split = FALSE, cov = TRUE, cores = 1))
write.table(apply(draws, 2, digits), file.path(folder, "moment_match.csv"), sep = ",", quote = FALSE, row.names = FALSE,
            col.names = FALSE)
rows <- cbind(seq_len(n), r_eff, by_psis$diagnostics$pareto_k, by_psis$pointwise[, "elpd_loo"],
              matched$diagnostics$pareto_k, matched$pointwise[, "elpd_loo"])
write.table(apply(rows, 2, digits), file.path(folder, "moment_match_expected.csv"), sep = ",", quote = FALSE, row.names = FALSE,
            col.names = c("row", "r_eff", "psis_k", "psis_elpd", "pareto_k", "elpd_loo"))
