# The rstan side of bench/against_rstan_vb; not for use by hand.
#
#   Rscript against_rstan_vb.R PROGRAM DATA    answers requests on standard input, one a line, as JSON:
#     vb SEED          -> seconds, failed, means by name
#     optimizing SEED  -> seconds
suppressPackageStartupMessages(library(rstan))
rstan_options(auto_write = TRUE, boost_lib = "/usr/include")
arguments <- commandArgs(trailingOnly = TRUE)
model <- stan_model(arguments[1])
data <- jsonlite::fromJSON(arguments[2])

answer <- function(...) {
  cat(jsonlite::toJSON(list(...), auto_unbox = TRUE, digits = NA), "\n", sep = "")
  flush(stdout())
}
quietly <- function(call) {
  sink("/dev/null")
  on.exit(sink())
  suppressWarnings(suppressMessages(call))
}

processor_seconds <- function(call) sum(system.time(call)[c("user.self", "sys.self")])

answer(ready = TRUE)
requests <- file("stdin", "r")
while (length(line <- readLines(requests, 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  seed <- as.integer(words[2])
  if (words[1] == "vb") {
    fit <- NULL
    seconds <- processor_seconds(fit <- tryCatch(
      quietly(vb(model, data = data, algorithm = "fullrank", seed = seed, refresh = 0, pars = NA)),
      error = function(e) NULL))
    means <- if (is.null(fit)) list() else {
      draws <- as.matrix(fit)
      as.list(colMeans(draws[, setdiff(colnames(draws), "lp__"), drop = FALSE]))
    }
    answer(seconds = seconds, failed = is.null(fit), means = means)
  } else {
    seconds <- processor_seconds(quietly(optimizing(model, data = data, seed = seed, hessian = FALSE)))
    answer(seconds = seconds)
  }
}
