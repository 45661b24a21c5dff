# The rstan side of bench/kalman_gradient; not for use by hand.
#
#   Rscript kalman_gradient.R measure PROGRAM DATA    answers requests on standard input, one a line; DATA in R's dump format
#     ready                -> nothing, once the program and its data are there
#     evaluate X1 X2 ...   -> log density (constants dropped, with the Jacobian) and gradient at a point of the free space
#     time X1 X2 ...       -> milliseconds of a value and gradient, the median of as many as take half a second
suppressPackageStartupMessages(library(rstan))
rstan_options(auto_write = TRUE, boost_lib = "/usr/include")

answer <- function(...) {
  cat("answer", sprintf("%.17g", c(...)), "\n")
  flush(stdout())
}

clock <- function(expression) system.time(expression)[["elapsed"]]

arguments <- commandArgs(trailingOnly = TRUE)
model <- stan_model(arguments[2])
fit <- suppressMessages(sampling(model, data = read_rdump(arguments[3]), chains = 0))
requests <- file("stdin", "r")
while (length(line <- readLines(requests, 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  point <- as.numeric(words[-1])
  if (words[1] == "ready") answer()
  if (words[1] == "evaluate") {
    gradient <- grad_log_prob(fit, point)
    answer(attr(gradient, "log_prob"), as.numeric(gradient))
  }
  if (words[1] == "time") {
    times <- c()
    while (length(times) < 3 || sum(times) < 0.5) times <- c(times, clock(grad_log_prob(fit, point)))
    answer(1000 * median(times))
  }
}
