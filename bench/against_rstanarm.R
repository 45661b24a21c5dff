# The R half of bench/against_rstanarm: Rscript against_rstanarm.R FOLDER fits the models of FOLDER/models.tsv, and writes tables and means.
suppressMessages(library(rstanarm))
folder <- commandArgs(trailingOnly = TRUE)[1]
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "regression_tables.R"))
tables <- regression_tables(folder)
families <- list(normal = gaussian(), bernoulli = binomial(), binomial = binomial(), poisson = poisson(), negbinomial = neg_binomial_2())
# Standard deviations and correlations of groups from their covariances, draw by draw.
draws_of <- function(fit) {
  draws <- as.matrix(fit)
  kept <- list()
  for (column in colnames(draws)) {
    x <- draws[, column]
    if (startsWith(column, "b[")) next
    if (startsWith(column, "Sigma[")) {
      parts <- regmatches(column, regexec("^Sigma\\[([^:]+):(.+),(.+)\\]$", column))[[1]]
      if (parts[3] != parts[4]) next
      effect <- sub("(Intercept)", "intercept", parts[3], fixed = TRUE)
      single <- sum(startsWith(colnames(draws), paste0("Sigma[", parts[2], ":"))) == 1
      name <- if (single && effect == "intercept") paste0("sd(", parts[2], ")") else paste0("sd(", parts[2], ", ", effect, ")")
      kept[[name]] <- sqrt(x)
    } else {
      name <- c(`(Intercept)` = "intercept", reciprocal_dispersion = "phi")[column]
      kept[[if (is.na(name)) column else name]] <- x
    }
  }
  kept
}
models <- read.delim(file.path(folder, "models.tsv"), header = FALSE, col.names = c("name", "table", "formula", "family"))
for (k in seq_len(nrow(models))) {
  model <- models[k, ]
  formula <- as.formula(model$formula)
  fitter <- if (grepl("|", model$formula, fixed = TRUE)) stan_glmer else stan_glm
  seconds <- system.time({
    fit <- fitter(formula, data = tables[[model$table]], family = families[[model$family]], refresh = 0, seed = 1, iter = 4000, cores = 1)
    shown <- summary(fit)
  })[["elapsed"]]
  draws <- lapply(draws_of(fit), function(x) matrix(x, ncol = 4))
  rows <- data.frame(name = names(draws), mean = sapply(draws, mean), mcse = sapply(draws, posterior::mcse_mean), seconds = seconds)
  write.csv(rows, file.path(folder, paste0(model$name, ".fit.csv")), row.names = FALSE)
}
