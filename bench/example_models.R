# The rstan side of bench/example_models --rstan; not for use by hand.
#
#   Rscript example_models.R PROGRAM DATA     DATA: JSON
#
# Prints {"points": [[...]], "values": [...]}: 4 unconstrained points and the log density without constants at each.
# Data are checked by stan_model's own reader, so that dimensions of size 1 stay arrays if the program declares
# arrays.
suppressPackageStartupMessages(library(rstan))
rstan_options(boost_lib = "/usr/include")
arguments <- commandArgs(trailingOnly = TRUE)
data <- jsonlite::fromJSON(arguments[2])
code <- readLines(arguments[1], warn = FALSE)

# R takes a vector of one element for a number; the program shows what is an array.
for (name in names(data)) {
  declared <- grep(paste0("\\\\b", name, "\\\\s*\\\\[|(vector|matrix)[^;]*\\\\b", name, "\\\\b"), code, value = TRUE)
  if (length(data[[name]]) == 1 && length(declared) > 0 && is.null(dim(data[[name]]))) data[[name]] <- array(data[[name]], 1)
}
fit <- suppressMessages(suppressWarnings(
  sampling(stan_model(arguments[1]), data = data, chains = 0, check_data = TRUE)))
set.seed(1)
size <- get_num_upars(fit)
points <- lapply(1:4, function(k) runif(size, -1, 1))
value <- function(point) tryCatch(log_prob(fit, point), error = function(e) -Inf)
answer <- list(points = lapply(points, as.list), values = vapply(points, value, 0))
cat(jsonlite::toJSON(answer, digits = NA, auto_unbox = TRUE), "\n")
