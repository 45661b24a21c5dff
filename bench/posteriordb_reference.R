# Makes posteriordb_reference.json: small sets of draws and what the R package posterior says of them. Run once:
#   Rscript posteriordb_reference.R > posteriordb_reference.json
suppressMessages({library(posterior); library(jsonlite)})
set.seed(20210601)
ar <- function(n, phi) as.numeric(stats::filter(rnorm(n), phi, method = "recursive"))
cases <- list(
  independent = replicate(4, rnorm(60)),
  sticky = replicate(4, ar(90, 0.9)),
  antithetic = replicate(4, ar(80, -0.6)),
  odd_length_skewed = exp(replicate(3, ar(75, 0.5))),
  ties = round(replicate(4, ar(64, 0.3))),
  one_chain = replicate(1, ar(100, 0.7)),
  chains_apart = replicate(4, ar(50, 0.4)) + rep(c(0, 0, 0, 2), each = 50))
figures <- function(name) {
  x <- signif(cases[[name]], 12)
  list(name = name, chains = t(x), ess_mean = ess_mean(x), mcse_mean = mcse_mean(x), mcse_sd = mcse_sd(x),
       r_hat = rhat(x))
}
out <- list(made_by = paste("posterior", packageVersion("posterior")), cases = lapply(names(cases), figures))
cat(toJSON(out, digits = I(17), auto_unbox = TRUE), "\n")
