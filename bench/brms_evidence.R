# Writes programs and data as brms does into a folder: half of them with the defaults (flat slopes), half with a prior
# for every parameter. bench/brms_evidence computes the evidence of each; only the second half has one.
#   Rscript bench/brms_evidence.R FOLDER
suppressMessages(library(brms))
folder <- commandArgs(TRUE)[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

set.seed(1)
n <- 60
d <- data.frame(x = rnorm(n), z = runif(n), g = rep(paste0("g", 1:6), each = 10), h = rep(1:5, 12), w = runif(n, 0.5, 2),
                se = runif(n, 0.2, 0.4), time = 1:n, f = factor(rep(c("a", "b", "c"), 20)))
d$y <- 1 + 0.5 * d$x + rnorm(n)
d$y2 <- -1 + 0.3 * d$x + rnorm(n)
d$count <- rpois(n, exp(0.3 + 0.4 * d$x))
d$bin <- rbinom(n, 1, plogis(0.5 * d$x))
d$tries <- 10L
d$hits <- rbinom(n, 10, plogis(0.2 * d$x))
d$pos <- rgamma(n, 2, 2 / exp(0.2 * d$x))
d$share <- plogis(0.3 * d$x + rnorm(n, 0, 0.5))
d$ord <- as.integer(cut(d$y, c(-Inf, 0, 1, 2, Inf)))
d$cat <- sample(c("p", "q", "r"), n, TRUE)
d$cens <- as.integer(d$pos > quantile(d$pos, 0.9))
d$xm <- d$x; d$xm[c(3, 9, 27)] <- NA

slopes <- prior(normal(0, 2), class = "b")
none <- brms::empty_prior()
# name, formula, family, priors without which the prior is improper
cases <- list(
  linear = list(y ~ x, gaussian(), slopes),
  two = list(y ~ x + z, gaussian(), slopes),
  factor = list(y ~ f, gaussian(), slopes),
  interaction = list(y ~ x * z, gaussian(), slopes),
  intercepts = list(y ~ x + (1 | g), gaussian(), slopes),
  slopes = list(y ~ x + (1 + x | g), gaussian(), slopes),
  crossed = list(y ~ x + (1 | g) + (1 | h), gaussian(), slopes),
  independent = list(y ~ x + (1 + x || g), gaussian(), slopes),
  student = list(y ~ x, student(), slopes),
  skewed = list(y ~ x, skew_normal(), slopes),
  poisson = list(count ~ x, poisson(), slopes),
  negbinomial = list(count ~ x, negbinomial(), slopes),
  zip = list(count ~ x, zero_inflated_poisson(), slopes),
  hurdle = list(count ~ x, hurdle_poisson(), slopes),
  bernoulli = list(bin ~ x, bernoulli(), slopes),
  bernoulli_group = list(bin ~ x + (1 | g), bernoulli(), slopes),
  binomial = list(hits | trials(tries) ~ x, binomial(), slopes),
  gamma = list(pos ~ x, Gamma("log"), slopes),
  lognormal = list(pos ~ x, lognormal(), slopes),
  weibull = list(pos ~ x, weibull(), slopes),
  exponential = list(pos ~ x, exponential(), slopes),
  censored = list(pos | cens(cens) ~ x, weibull(), slopes),
  beta = list(share ~ x, Beta(), slopes),
  cumulative = list(ord ~ x, cumulative(), slopes),
  sequential = list(ord ~ x, sratio(), slopes),
  weights = list(y | weights(w) ~ x, gaussian(), slopes),
  meta = list(y | se(se) ~ x + (1 | g), gaussian(), slopes),
  spline = list(y ~ s(z), gaussian(), prior(normal(0, 2), class = "b")),
  process = list(y ~ gp(z) + x, gaussian(), slopes),
  ar = list(y ~ x + ar(time = time, p = 1), gaussian(), c(slopes, prior(normal(0, 0.5), class = "ar"))),
  distributional = list(bf(y ~ x, sigma ~ z), gaussian(), c(slopes, prior(normal(0, 1), class = "b", dpar = "sigma"))),
  monotonic = list(y ~ mo(ord) + x, gaussian(), slopes),
  no_intercept = list(y ~ 0 + f, gaussian(), slopes),
  categorical = list(cat ~ x, categorical(), c(prior(normal(0, 2), class = "b", dpar = "muq"), prior(normal(0, 2), class = "b", dpar = "mur"))),
  multivariate = list(bf(mvbind(y, y2) ~ x) + set_rescor(TRUE), gaussian(), c(prior(normal(0, 2), class = "b", resp = "y"), prior(normal(0, 2), class = "b", resp = "y2"))),
  missing = list(bf(y ~ mi(xm)) + bf(xm | mi() ~ z) + set_rescor(FALSE), gaussian(), c(prior(normal(0, 2), class = "b", resp = "y"), prior(normal(0, 2), class = "b", resp = "xm"))),
  nonlinear = list(bf(pos ~ exp(a) * exp(-b * z), a ~ 1, b ~ 1, nl = TRUE), gaussian(), c(prior(normal(0, 1), nlpar = "a"), prior(normal(0, 1), nlpar = "b"))),
  mixture = list(y ~ 1, mixture(gaussian, gaussian), c(prior(normal(0, 2), class = "Intercept", dpar = "mu1"), prior(normal(1, 2), class = "Intercept", dpar = "mu2")))
)

write_one <- function(name, case, priors, proper) {
  code <- make_stancode(case[[1]], data = d, family = case[[2]], prior = priors)
  code <- with_arrays(code)
  data <- unclass(make_standata(case[[1]], data = d, family = case[[2]], prior = priors))
  attributes(data) <- list(names = names(data))
  whole <- function(x) if (is.numeric(x) && length(x) > 0 && all(is.finite(x)) && all(x == round(x))) { storage.mode(x) <- "integer"; x } else x
  text <- rjson_of(lapply(data, whole))
  file <- file.path(folder, paste0(name, if (proper) "_proper" else "_flat"))
  writeLines(code, paste0(file, ".stan"))
  writeLines(text, paste0(file, ".json"))
}
# Older versions declare array dimensions behind the names.
with_arrays <- function(code) {
  lines <- strsplit(code, "\n")[[1]]
  type <- "(int|real|vector|row_vector|matrix|simplex|ordered|cholesky_factor_corr)"
  lines <- sub(paste0("^(\\s*)(", type, "(<[^>]*>)?(\\[[^]]*\\])?) (\\w+)\\[([^]]*)\\];"), "\\1array[\\7] \\2 \\6;", lines)
  lines <- gsub("\\b(int|real|vector)\\[(,?)\\] (\\w+)", "array[\\2] \\1 \\3", lines)
  paste(lines, collapse = "\n")
}
rjson_of <- function(data) {
  one <- function(x) {
    x[is.na(x) | is.infinite(x)] <- 0  # missing values, which the program imputes
    if (is.null(dim(x)) && length(x) == 1 && is.null(attr(x, "dim"))) return(format(unname(x), digits = 17))
    d <- dim(x)
    if (is.null(d) || length(d) == 1) return(paste0("[", paste(vapply(x, format, "", digits = 17), collapse = ","), "]"))
    if (length(d) == 2) return(paste0("[", paste(apply(x, 1, function(r) paste0("[", paste(format(r, digits = 17, trim = TRUE), collapse = ","), "]")), collapse = ","), "]"))
    stop("more than two dimensions")
  }
  data <- data[vapply(data, is.numeric, TRUE)]
  paste0("{", paste(sprintf("\"%s\": %s", names(data), vapply(data, one, "")), collapse = ",\n"), "}")
}
for (name in names(cases)) {
  case <- cases[[name]]
  for (proper in c(FALSE, TRUE)) {
    if (!proper && name %in% c("nonlinear", "mixture")) next  # brms requires or sets these priors
    tryCatch(write_one(name, case, if (proper) case[[3]] else none, proper), error = function(e) message(name, ": ", conditionMessage(e)))
  }
}
