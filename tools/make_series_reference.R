# Log likelihoods of structural time series by maximum likelihood (StructTS of R), for tests/cli/series_test.cpp.
#
# usage: Rscript tools/make_series_reference.R
#
# StructTS begins with x_1 ~ N(a0, kappa I), kappa = 1e6 var(y), and its loglik is that of KalmanLike: without -n log(2 pi) / 2 or with it,
# depending on the version of R; so the density at its variances is computed here anew, from the filter's innovations. The diffuse log
# likelihood is larger by u log(2 pi kappa) / 2 for u states.
diffuse <- function(y, model, s2 = 1) {
  Z <- model$Z; T <- model$T; V <- model$V; h <- model$h
  a <- rep(0, length(Z)); kappa <- 1e7 * var(as.numeric(y)); P <- diag(length(Z)) * kappa
  a[1] <- y[1]
  total <- 0
  for (t in seq_along(y)) {
    if (t > 1) { a <- T %*% a; P <- T %*% P %*% t(T) + V }
    if (is.na(y[t])) next
    f <- c(t(Z) %*% P %*% Z + h); v <- y[t] - sum(Z * a); k <- P %*% Z / f
    total <- total - (log(2 * pi * f) + v^2 / f) / 2
    a <- a + k * v; P <- P - k %*% t(k) * f
  }
  total + length(Z) * log(2 * pi * kappa) / 2
}
report <- function(name, y, type) {
  fit <- StructTS(y, type = type)
  cat(sprintf("%s %s %.6f\n", name, type, diffuse(y, fit$model)), "  ", sprintf("%s=%.6g", names(fit$coef), fit$coef), "\n")
}
report("Nile", datasets::Nile, "level")
report("UKgas", log10(datasets::UKgas), "BSM")
report("AirPassengers", log(datasets::AirPassengers), "BSM")
report("co2", datasets::co2, "BSM")
report("co2", datasets::co2, "trend")
