# The R half of bench/against_brms: Rscript against_brms.R FOLDER writes brms's program, data and names of parameters for each model of
# FOLDER/brms.tsv, and fits those whose last column is 1: with compilation, and again without.
suppressMessages(library(brms))
folder <- commandArgs(trailingOnly = TRUE)[1]
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "regression_tables.R"))
tables <- regression_tables(folder)
families <- list(normal = gaussian(), bernoulli = bernoulli(), binomial = binomial(), poisson = poisson(), negbinomial = negbinomial())
models <- read.delim(file.path(folder, "brms.tsv"), header = FALSE, col.names = c("name", "table", "formula", "family", "is_timed"))
for (k in seq_len(nrow(models))) {
  model <- models[k, ]
  table <- tables[[model$table]]
  texts <- sapply(table, is.factor)
  table[texts] <- lapply(table[texts], as.character)
  formula <- as.formula(model$formula)
  empty <- brm(formula, data = table, family = families[[model$family]], empty = TRUE)
  data <- unclass(make_standata(formula, data = table, family = families[[model$family]]))
  writeLines(stancode(empty), file.path(folder, paste0(model$name, ".brms.stan")))
  jsonlite::write_json(data, file.path(folder, paste0(model$name, ".brms.json")), auto_unbox = TRUE, digits = NA, matrix = "rowmajor")
  columns <- colnames(data$X)
  has_intercept <- "Intercept" %in% columns
  slopes <- setdiff(columns, "Intercept")
  names <- c(if (has_intercept) "intercept", slopes, if (model$family == "normal") "sigma", if (model$family == "negbinomial") "phi")
  outputs <- c(if (has_intercept) "b_Intercept", if (length(slopes)) paste0("b.", seq_along(slopes)), if (model$family == "normal") "sigma",
               if (model$family == "negbinomial") "shape")
  groups <- empty$ranef
  for (id in unique(groups$id)) {
    own <- groups[groups$id == id, ]
    effects <- sub("Intercept", "intercept", own$coef, fixed = TRUE)
    single <- length(effects) == 1 && effects == "intercept"
    names <- c(names, if (single) paste0("sd(", own$group[1], ")") else paste0("sd(", own$group[1], ", ", effects, ")"))
    outputs <- c(outputs, paste0("sd_", id, ".", seq_along(effects)))
    if (length(effects) == 2) {
      names <- c(names, paste0("cor(", own$group[1], ", ", effects[1], ", ", effects[2], ")"))
      outputs <- c(outputs, paste0("cor_", id, ".1"))
    }
  }
  write.csv(data.frame(name = names, output = outputs), file.path(folder, paste0(model$name, ".names.csv")), row.names = FALSE)
  if (model$is_timed == 1) {
    rstan::rstan_options(boost_lib = "/usr/include")
    seconds <- system.time({
      fit <- brm(formula, data = table, family = families[[model$family]], seed = 1, iter = 4000, cores = 1, refresh = 0, silent = 2)
      shown <- summary(fit)
    })[["elapsed"]]
    # The same call with the compiled program that the fit keeps.
    again <- system.time({
      fit <- update(fit, newdata = table, recompile = FALSE, seed = 2, iter = 4000, cores = 1, refresh = 0, silent = 2)
      shown <- summary(fit)
    })[["elapsed"]]
    writeLines(format(c(seconds, again)), file.path(folder, paste0(model$name, ".brms.seconds")))
  }
}
