#!/usr/bin/env Rscript
# Smooths by R's mgcv, for tests/models/regression/smooths_test.cpp and tests/cli/smooths_test.cpp.
#
# usage: LC_ALL=C Rscript tools/make_smooths.R [--check]
# Writes tests/data/formula/smooth.csv and tests/data/formula/smooths.txt; --check compares what R gives now with the stored file.
# A smooth has a line "= TABLE KIND K COLUMNS BY", and lines with
#   the squared norms of four fixed vectors w projected on 1 and the columns without a penalty,
#   w' P Z Z' P w for the columns Z of the random effects and the projection P off those columns,
#   and for smooths of an outcome: the smoothing parameter by REML, the residual sd, and the products of w with the fitted values,
#   new values of the column, and what mgcv predicts there.
suppressMessages(library(mgcv))
args <- commandArgs(trailingOnly = TRUE)
folder <- "tests/data/formula"
path <- file.path(folder, "smooths.txt")
number <- function(x) paste(formatC(x, digits = 15, format = "g"), collapse = " ")
i <- 1:400
made <- data.frame(x = round(10 * ((i * 0.6180339887) %% 1)^1.3, 6), z = round(4 * ((i * 0.4142135624) %% 1) + cos(i), 6), g = letters[1 + i %% 3])
made$y <- round(sin(made$x) + 0.1 * made$z^2 + 0.5 * sin(7 * i + 1) + 0.3 * (made$g == "b") * made$x, 6)
if (!("--check" %in% args)) write.csv(made, file.path(folder, "smooth.csv"), row.names = FALSE, quote = FALSE)
tables <- list(mcycle = read.csv("examples/regression/mcycle.csv", comment.char = "#"), smooth = read.csv(file.path(folder, "smooth.csv")))
outcomes <- c(mcycle = "accel", smooth = "y")
cases <- list(
  c("mcycle", "tp", 10, "times", "NA"), c("mcycle", "tp", 20, "times", "NA"), c("mcycle", "cr", 10, "times", "NA"), c("mcycle", "cr", 3, "times", "NA"),
  c("mcycle", "cc", 10, "times", "NA"), c("mcycle", "ps", 10, "times", "NA"), c("mcycle", "ps", 25, "times", "NA"), c("smooth", "tp", 10, "x", "NA"),
  c("smooth", "tp", 3, "x", "NA"), c("smooth", "tp", 40, "x", "NA"), c("smooth", "tp", 30, "x,z", "NA"), c("smooth", "cr", 15, "x", "NA"),
  c("smooth", "cc", 8, "x", "NA"), c("smooth", "cr", 8, "x", "z"), c("smooth", "tp", 8, "x", "z"), c("smooth", "ps", 12, "x", "z"))
lines <- c()
for (case in cases) {
  data <- tables[[case[1]]]
  spec <- sprintf("s(%s, k = %s, bs = '%s'%s)", case[4], case[3], case[2], if (case[5] == "NA") "" else paste(", by =", case[5]))
  smooth <- smoothCon(eval(parse(text = spec)), data, absorb.cons = TRUE)[[1]]
  random <- mgcv:::smooth2random(smooth, "", 2)
  n <- nrow(data)
  j <- seq_len(n)
  w <- cbind(cos(j), sin(2 * j + 1), j / n, (j %% 3) - 1)
  fixed <- qr(cbind(1, random$Xf))
  lines <- c(lines, paste("=", paste(case, collapse = " ")), number(colSums(qr.fitted(fixed, w)^2)),
             number(colSums((t(random$rand[[1]]) %*% qr.resid(fixed, w))^2)))
  fit <- gam(as.formula(paste(outcomes[[case[1]]], "~", spec)), data = data, method = "REML")
  lines <- c(lines, number(c(fit$sp, sqrt(fit$sig2))), number(colSums(w * fitted(fit))))
  new <- seq(min(data[[smooth$term[1]]]) - 2, max(data[[smooth$term[1]]]) + 3, length.out = 7)
  rows <- data.frame(new)
  names(rows) <- smooth$term[1]
  if (length(smooth$term) > 1 || case[5] != "NA") rows$z <- seq(0.3, 1.5, length.out = 7)
  lines <- c(lines, number(new), number(predict(fit, rows)))
}
if ("--check" %in% args) {
  numbers <- function(l) suppressWarnings(as.numeric(unlist(strsplit(l, "[ ]"))))
  stored <- readLines(path)
  same <- length(stored) == length(lines) && all(mapply(function(a, b) a == b || isTRUE(all.equal(numbers(a), numbers(b), tolerance = 1e-7)), stored, lines))
  cat(length(cases), "smooths:", if (same) "mgcv gives what is stored\n" else "mgcv gives something else\n")
  quit(status = if (same) 0 else 1)
}
writeLines(lines, path)
cat(length(cases), "smooths\n")
