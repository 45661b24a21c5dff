#!/usr/bin/env Rscript
# Designs of formulas by R's model.matrix, for tests/models/formula/design_test.cpp.
#
# usage: LC_ALL=C Rscript tools/make_formula_designs.R [--check]
# Writes tables and tests/data/formula/designs.txt; --check compares what R gives now with the stored file.
# A formula has a line "= TABLE FORMULA", a line with rank and the squared norms of four fixed vectors projected on the space of the
# columns, and a line for each column: three of its sums, and its name.
args <- commandArgs(trailingOnly = TRUE)
folder <- "tests/data/formula"
path <- file.path(folder, "designs.txt")
tables <- list(
  mtcars = mtcars,
  CO2 = as.data.frame(lapply(as.data.frame(CO2), function(c) if (is.factor(c)) as.character(c) else c)) |> transform(z = 2 + sin(1:84), x = seq_len(84) %% 9 + 0.5),
  infert = transform(infert[c(1:40, 84:123, 167:206), ], education = as.character(education)),
  warpbreaks = transform(warpbreaks, wool = as.character(wool), tension = as.character(tension), x = seq_len(54) %% 7 + 0.5, z = 3 + sin(1:54), r = seq_len(54) %% 4),
  npk = transform(npk, block = as.character(block), N = as.character(N), P = as.character(P), K = as.character(K), x = cos(1:24), z = 3 + sin(1:24)))
columns <- list(  # what a template's names stand for: outcome, three factors, two numbers
  mtcars = c(Y = "mpg", A = "factor(cyl)", B = "factor(gear)", C = "factor(am)", X = "wt", Z = "hp"),
  CO2 = c(Y = "uptake", A = "Type", B = "Treatment", C = "factor(conc)", X = "x", Z = "z"),
  infert = c(Y = "case", A = "education", B = "factor(induced)", C = "factor(spontaneous)", X = "age", Z = "parity"),
  warpbreaks = c(Y = "breaks", A = "wool", B = "tension", C = "factor(r)", X = "x", Z = "z"),
  npk = c(Y = "yield", A = "block", B = "N", C = "P", X = "x", Z = "z"))
templates <- c(
  "1", "X", "A", "X + A", "X * A", "X:A", "A:X + A", "A:B", "A + A:B", "B + A:B", "A * B", "A / B", "A %in% B", "(A + B)^2", "(A + B + C)^2",
  "(X + A + B)^2 - A:B", "A * B * C", "A * B * C - A:B:C", "A:B:C", "A + B:C", "A / B / C", "A / (B + C)", "0 + A", "0 + X", "0 + X + A", "0 + A:B",
  "0 + A + B", "0 + X:A", "0 + X + X:A", "A - 1", "X + I(X^2)", "I(X * Z) + Z", "I((X + 2) / Z)", "log(Z) * A", "sqrt(Z) + exp(I(-X / 100))", "poly(X, 2)",
  "poly(X, 3) * A", "poly(Z, 3) + poly(X, 2)", "scale(X) + A", "scale(X):scale(Z)", "bs(Z, df = 5)", "bs(Z, df = 4, degree = 2) + A", "ns(Z, df = 4)", "ns(Z, df = 3) * A",
  "C(A, sum)", "C(A, sum) * B", "C(B, helmert) + X", "C(A, helmert):C(B, sum)", "C(C, poly) * X", "C(B, poly) + C(A, sum)", "X + offset(Z)", "cos(X) + sin(X):A",
  "cut(X, 3)", "cut(X, 4) * A", "A * X * Z", "(A + X)^2 + Z - X", "A + X:Z", "A:B + X", "X + A:B:X", "I(X > 1e9 * 0) - I(X > 1e9 * 0) + X",
  "0 + A:X + B", "0 + B:A + X", "poly(X, 2, raw = TRUE)", "A:poly(X, 2)", "log1p(abs(X)) + A %in% B")
templates <- setdiff(templates, "I(X > 1e9 * 0) - I(X > 1e9 * 0) + X")
filled <- function(template, names) {
  for (key in names(names)) template <- gsub(paste0("\\b", key, "\\b(?!\\()"), paste0("@", key, "@"), template, perl = TRUE)
  for (key in names(names)) template <- gsub(paste0("@", key, "@"), names[[key]], template, fixed = TRUE)
  template
}
library(splines)
number <- function(x) formatC(x, digits = 15, format = "g")
lines <- c()
count <- 0
for (table in names(tables)) {
  file <- file.path(folder, paste0(table, ".csv"))
  if (!("--check" %in% args)) write.csv(format(tables[[table]], digits = 15, trim = TRUE), file, row.names = FALSE, quote = FALSE)
  data <- read.csv(file, stringsAsFactors = TRUE)
  for (template in templates) {
    right <- filled(template, columns[[table]])
    formula <- as.formula(paste(columns[[table]][["Y"]], "~", right))
    m <- tryCatch(model.matrix(formula, model.frame(formula, data)), error = function(e) NULL)
    if (is.null(m) || any(!is.finite(m))) next
    n <- nrow(m)
    i <- seq_len(n)
    w <- cbind(cos(i), sin(2 * i + 1), i / n, (i %% 3) - 1)
    q <- qr(m, tol = 1e-9)
    projected <- qr.fitted(q, w)
    lines <- c(lines, paste("=", table, columns[[table]][["Y"]], "~", right),
               paste(q$rank, paste(number(colSums(projected^2)), collapse = " ")))
    for (k in seq_len(ncol(m)))
      lines <- c(lines, paste(paste(number(c(sum(m[, k]), sum(m[, k] * cos(i)), sum(m[, k] * sin(2 * i + 1)))), collapse = " "), colnames(m)[k]))
    count <- count + 1
  }
}
if ("--check" %in% args) {
  stored <- readLines(path)
  numbers <- function(l) suppressWarnings(as.numeric(unlist(strsplit(l, "[ ]"))))
  same <- length(stored) == length(lines) && all(mapply(function(a, b) a == b || isTRUE(all.equal(numbers(a), numbers(b), tolerance = 1e-9)), stored, lines))
  cat(count, "formulas:", if (same) "R gives what is stored\n" else "R gives something else\n")
  quit(status = if (same) 0 else 1)
}
writeLines(lines, path)
cat(count, "formulas\n")
