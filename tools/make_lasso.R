# Coefficients of the lasso for tests/cli/proximal_test.cpp: Rscript tools/make_lasso.R, with glmnet 4.1.
# A table of 50 rows and 6 columns by a formula; a double_exponential(0, b) prior is glmnet's lambda = 1 / (N b).
suppressMessages(library(glmnet))
n <- 50
k <- seq_len(n) - 1
x <- sapply(1:6, function(j) cos(0.7 * j * k + 0.3 * j * j))
eta <- 0.4 + 1.5 * x[, 1] - 0.8 * x[, 3]
y <- eta + 0.7 * sin(2.9 * k + 1)
z <- as.integer(eta + 1.2 * sin(5.3 * k) > 0)
fit <- function(outcome, family, width) {
  made <- glmnet(x, outcome, family = family, lambda = 1 / (n * width), standardize = FALSE, thresh = 1e-22, maxit = 1e7)
  cat(family, width, sprintf("%.9f", as.numeric(coef(made))), "\n")
}
for (width in c(0.5, 0.1, 0.05)) fit(y, "gaussian", width)
for (width in c(1, 0.3)) fit(z, "binomial", width)
