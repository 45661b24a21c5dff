# The rstan side of bench/against_rstan; not for use by hand.
#
#   Rscript against_rstan.R compile PROGRAM...     compiles, and keeps PROGRAM's .rds beside it
#   Rscript against_rstan.R measure PROGRAM DATA [INIT]
#                                answers requests on standard input, one a line; INIT: initial values, as JSON
#     gradient SEED                -> microseconds per gradient, from a long static trajectory
#     run SEED WARMUP DRAWS DEPTH  -> seconds of warm-up and sampling, leapfrog steps of both
#
# Time is Stan's own (get_elapsed_time): iterations with their output, without R's share.
suppressPackageStartupMessages(library(rstan))
rstan_options(auto_write = TRUE, boost_lib = "/usr/include")

compile <- function(program) {
  seconds <- system.time(stan_model(program))[["elapsed"]]
  cat(sprintf("compiled %s %.1f\n", program, seconds))
}

answer <- function(...) {
  cat(sprintf("%.17g", c(...)), "\n")
  flush(stdout())
}

quietly <- function(...) suppressWarnings(suppressMessages(sampling(..., chains = 1, cores = 1, refresh = 0)))

# A static trajectory at a tiny step stays near the initial point: its cost is L gradients, and the
# position and momentum updates of the integrator.
gradient <- function(model, data, init, seed) {
  num_steps <- 1000
  steps <- function(num_draws) {
    fit <- quietly(model, data = data, seed = seed, warmup = 0, iter = num_draws, algorithm = "HMC", init = init, init_r = 0.1,
                   control = list(adapt_engaged = FALSE, stepsize = 1e-9, int_time = 1e-9 * num_steps))
    sum(get_elapsed_time(fit))
  }
  num_draws <- 1
  while ((seconds <- steps(num_draws)) < 0.05) num_draws <- num_draws * 4
  answer(1e6 * seconds / (num_draws * num_steps))
}

run <- function(model, data, init, seed, warmup, draws, depth) {
  fit <- quietly(model, data = data, init = init, seed = seed, warmup = warmup, iter = warmup + draws, save_warmup = TRUE,
                 control = list(max_treedepth = depth))
  steps <- get_sampler_params(fit, inc_warmup = TRUE)[[1]][, "n_leapfrog__"]
  answer(get_elapsed_time(fit)[1, ], sum(head(steps, warmup)), sum(tail(steps, draws)))
}

measure <- function(program, data_file, init_file) {
  model <- stan_model(program)
  data <- jsonlite::fromJSON(data_file)
  init <- if (is.na(init_file)) "random" else list(jsonlite::fromJSON(init_file))
  answer(0)
  requests <- file("stdin", "r")
  while (length(line <- readLines(requests, 1)) > 0) {
    words <- strsplit(line, " ")[[1]]
    numbers <- as.numeric(words[-1])
    if (words[1] == "gradient") gradient(model, data, init, numbers[1])
    if (words[1] == "run") run(model, data, init, numbers[1], numbers[2], numbers[3], numbers[4])
  }
}

arguments <- commandArgs(trailingOnly = TRUE)
if (arguments[1] == "compile") {
  invisible(lapply(arguments[-1], compile))
} else {
  measure(arguments[2], arguments[3], arguments[4])
}
