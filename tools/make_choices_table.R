# A table of choices for tests of `--family wiener`: times by inversion of R's sums of sines, responses by their probabilities; and the
# mean time given the response. Rscript tools/make_choices_table.R
set.seed(3)
density <- function(t, a, w, v) { k <- 1:400; vapply(t, function(t) pi / a^2 * exp(-v * a * w - v^2 * t / 2) * sum(k * sin(k * pi * w) * exp(-(k * pi / a)^2 * t / 2)), 0) }
a <- 1.3; w <- 0.45; ndt <- 0.25
grid <- seq(0.002, 8, by = 0.002)
table <- lapply(0:1, function(x) { v <- 0.3 + 0.9 * x; list(lower = density(grid, a, w, v), upper = density(grid, a, 1 - w, -v)) })
rows <- do.call(rbind, lapply(1:400, function(n) {
  x <- n %% 2; d <- table[[x + 1]]; p <- sum(d$upper) / (sum(d$upper) + sum(d$lower)); up <- runif(1) < p
  cdf <- cumsum(if (up) d$upper else d$lower)
  data.frame(time = round(ndt + approx(cdf / max(cdf), grid, runif(1), ties = "ordered", rule = 2)$y, 4), response = if (up) "upper" else "lower", x = x)
}))
write.csv(rows, "tests/data/regression/choices.csv", row.names = FALSE, quote = FALSE)
given <- function(w, v) { f <- function(t) density(t, 1.4, w, v); g <- function(t) t * f(t)
  sum(sapply(list(c(0.002, 0.3), c(0.3, 2), c(2, 15)), function(b) integrate(g, b[1], b[2], rel.tol = 1e-10)$value)) /
  sum(sapply(list(c(0.002, 0.3), c(0.3, 2), c(2, 15)), function(b) integrate(f, b[1], b[2], rel.tol = 1e-10)$value)) }
for (v in c(0.8, -2.5)) print(c(upper = given(0.6, -v), lower = given(0.4, v)), digits = 10)
