# The JAGS side of bench/against_jags; not for use by hand.
#
#   Rscript against_jags.R PROGRAM DATA PREFIX NAMES SEED WARMUP DRAWS CHAINS INIT
#
# writes the draws of NAMES to PREFIX_CHAIN.csv and prints the seconds of compiling, of warm-up (half of it adaptation) and
# of sampling, all chains together. INIT is a file of initial values, if it exists. Null in DATA is a missing value, which JAGS samples.
suppressPackageStartupMessages(library(rjags))
arguments <- commandArgs(trailingOnly = TRUE)
names <- strsplit(arguments[4], ",")[[1]]
seed <- as.integer(arguments[5])
warmup <- as.integer(arguments[6])
draws <- as.integer(arguments[7])
num_chains <- as.integer(arguments[8])

load.module("glm", quiet = TRUE)
data <- jsonlite::fromJSON(arguments[2])
init <- if (file.exists(arguments[9])) jsonlite::fromJSON(arguments[9]) else list()
start_of <- function(chain) c(init, .RNG.name = "base::Mersenne-Twister", .RNG.seed = 1000L * seed + chain)

clock <- function(expression) system.time(expression)[["elapsed"]]
options(jags.pb = "none")
setup <- clock(model <- jags.model(arguments[1], data, lapply(seq_len(num_chains), start_of), n.chains = num_chains,
                                   n.adapt = 0, quiet = TRUE))
warm <- clock({
  adapt(model, warmup %/% 2, end.adaptation = TRUE, progress.bar = "none")
  update(model, warmup - warmup %/% 2, progress.bar = "none")
})
sampling <- clock(result <- coda.samples(model, names, draws, progress.bar = "none"))

for (chain in seq_len(num_chains)) {
  table <- as.matrix(result[[chain]])
  colnames(table) <- gsub("[", ".", gsub("]", "", gsub(",", ".", colnames(table)), fixed = TRUE), fixed = TRUE)
  write.csv(format(table, digits = 15, trim = TRUE), sprintf("%s_%d.csv", arguments[3], chain), row.names = FALSE, quote = FALSE)
}
cat("seconds", setup, warm, sampling, "\n")
