# The rstan side of bench/against_rstan_vb; not for use by hand.
#
#   Rscript against_rstan_vb.R PROGRAM DATA    answers requests on standard input, one a line, as JSON:
#     vb SEED          -> seconds, failed, means by name, bound of the log evidence and its error
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

# The bound of a fit. Stan writes for each draw log_p__, the log density with all constants and Jacobians, and log_g__, which is -|eta|^2 / 2 of
# x = mean + L eta. So -2 log_g__ is a quadratic form of the unconstrained x, whose matrix (L L')^-1 least squares find exactly:
#   log q(x) = log_g__ - d/2 log 2 pi - log |L|
bound_of <- function(fit, file) {
  rows <- read.csv(file, comment.char = "#")[-1, ]
  skeleton <- rstan:::create_skeleton(fit@model_pars, fit@par_dims)
  skeleton$lp__ <- NULL
  values <- as.matrix(rows[, -(1:3)])
  x <- t(apply(values, 1, function(v) unconstrain_pars(fit, rstan:::rstan_relist(as.numeric(v), skeleton))))
  if (nrow(x) == 1) x <- t(x)
  centre <- colMeans(x)
  scale <- apply(x, 2, sd)
  x <- sweep(sweep(x, 2, centre), 2, scale, "/")
  d <- ncol(x)
  pairs <- which(upper.tri(diag(d), diag = TRUE), arr.ind = TRUE)
  terms <- cbind(1, x, x[, pairs[, 1], drop = FALSE] * x[, pairs[, 2], drop = FALSE])
  found <- qr.solve(terms, -2 * rows$log_g__)
  if (max(abs(terms %*% found + 2 * rows$log_g__)) > 0.05) return(list(bound = NULL, error = NULL))
  precision <- matrix(0, d, d)
  precision[pairs] <- found[-(1:(d + 1))] / ifelse(pairs[, 1] == pairs[, 2], 1, 2)
  precision <- precision + t(precision) - diag(diag(precision), d)
  log_root <- sum(log(scale)) - 0.5 * as.numeric(determinant(precision)$modulus)
  ratios <- rows$log_p__ - (rows$log_g__ - 0.5 * d * log(2 * pi) - log_root)
  list(bound = mean(ratios), error = sd(ratios) / sqrt(length(ratios)))
}

processor_seconds <- function(call) sum(system.time(call)[c("user.self", "sys.self")])

answer(ready = TRUE)
requests <- file("stdin", "r")
while (length(line <- readLines(requests, 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  seed <- as.integer(words[2])
  if (words[1] == "vb") {
    fit <- NULL
    file <- tempfile(fileext = ".csv")
    seconds <- processor_seconds(fit <- tryCatch(
      quietly(vb(model, data = data, algorithm = "fullrank", seed = seed, refresh = 0, pars = NA, sample_file = file)),
      error = function(e) NULL))
    means <- if (is.null(fit)) list() else {
      draws <- as.matrix(fit)
      as.list(colMeans(draws[, setdiff(colnames(draws), "lp__"), drop = FALSE]))
    }
    failed <- is.null(fit) || length(means) == 0
    found <- if (failed) list(bound = NULL, error = NULL) else bound_of(fit, file)
    answer(seconds = seconds, failed = failed, means = means, bound = found$bound, error = found$error)
  } else {
    seconds <- processor_seconds(quietly(optimizing(model, data = data, seed = seed, hessian = FALSE)))
    answer(seconds = seconds)
  }
}
