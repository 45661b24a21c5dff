# Span of mgcv's t2() for tests/cli/regression_tensor_test.cpp: squared norms of fixed vectors projected on 1 and the columns, and the number of
# columns. LC_ALL=C Rscript tools/make_tensor_reference.R
suppressMessages(library(mgcv))
d <- read.csv("tests/data/formula/smooth.csv")
j <- seq_len(nrow(d)); w <- cbind(cos(j), sin(2 * j + 1), j / nrow(d), (j %% 3) - 1)
for (case in list(c("cr", 5), c("ps", 6), c("tp", 4))) {
  X <- smoothCon(eval(parse(text = sprintf("t2(x, z, k = %s, bs = '%s')", case[2], case[1]))), d, absorb.cons = TRUE)[[1]]$X
  cat(case, ncol(X), formatC(colSums(qr.fitted(qr(cbind(1, X), tol = 1e-12), w)^2), digits = 15, format = "g"), "\n")
}
