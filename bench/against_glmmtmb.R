# Fits of lme4 and glmmTMB to the data sets of bench/against_glmmtmb, and the data as files for credo.
#
#   Rscript bench/against_glmmtmb.R FOLDER [ROWS LEVELS]
#
# Writes FOLDER/NAME.json (data) and FOLDER/peers.csv after each fit: data set, package, log likelihood, user seconds of the fit.
suppressMessages({library(lme4); library(glmmTMB); library(MASS)})
args <- commandArgs(trailingOnly = TRUE)
folder <- args[1]
rows <- if (length(args) > 1) as.integer(args[2]) else 50000L
levels <- if (length(args) > 2) as.integer(args[3]) else 2000L
found <- data.frame()
numbers <- function(v) paste0("[", paste(format(as.numeric(v), digits = 17, trim = TRUE), collapse = ","), "]")
matrix_rows <- function(X) paste0("[", paste(apply(X, 1, numbers), collapse = ","), "]")
write_data <- function(name, parts)
  writeLines(paste0("{", paste0('"', names(parts), '":', unlist(parts), collapse = ","), "}"), file.path(folder, paste0(name, ".json")))
fit <- function(name, package, expression) {
  seconds <- system.time(model <- eval(expression))[["user.self"]]
  found <<- rbind(found, data.frame(name = name, package = package, log_lik = format(as.numeric(logLik(model)), digits = 15), seconds = seconds))
  write.csv(found, file.path(folder, "peers.csv"), row.names = FALSE)
}
exact <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))

fit("sleepstudy", "lme4", quote(lmer(Reaction ~ Days + (Days | Subject), sleepstudy, REML = FALSE, control = exact)))
write_data("sleepstudy", list(N = nrow(sleepstudy), J = 18, y = numbers(sleepstudy$Reaction), x = numbers(sleepstudy$Days),
                              g = numbers(as.integer(sleepstudy$Subject))))
fit("penicillin", "lme4", quote(lmer(diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin, REML = FALSE, control = exact)))
write_data("penicillin", list(N = nrow(Penicillin), J = 24, K = 6, y = numbers(Penicillin$diameter),
                              a = numbers(as.integer(Penicillin$plate)), b = numbers(as.integer(Penicillin$sample))))
fit("cbpp", "glmmTMB", quote(glmmTMB(cbind(incidence, size - incidence) ~ period + (1 | herd), family = binomial, cbpp)))
write_data("cbpp", list(N = nrow(cbpp), P = 4, J = nlevels(cbpp$herd), y = numbers(cbpp$incidence), n = numbers(cbpp$size),
                        X = matrix_rows(model.matrix(~period, cbpp)), g = numbers(as.integer(cbpp$herd))))
ticks <- grouseticks
ticks$height <- scale(ticks$HEIGHT)[, 1]
fit("grouseticks", "glmmTMB", quote(glmmTMB(TICKS ~ YEAR + height + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION), family = poisson, ticks)))
write_data("grouseticks", list(N = nrow(ticks), P = 4, J = nlevels(ticks$BROOD), K = nlevels(ticks$INDEX), L = nlevels(ticks$LOCATION),
                               y = numbers(ticks$TICKS), X = matrix_rows(model.matrix(~ YEAR + height, ticks)),
                               a = numbers(as.integer(ticks$BROOD)), b = numbers(as.integer(ticks$INDEX)), c = numbers(as.integer(ticks$LOCATION))))
seizures <- MASS::epil
seizures$lb <- log(seizures$base / 4)
seizures$la <- log(seizures$age)
fit("epilepsy", "glmmTMB", quote(glmmTMB(y ~ lb * trt + la + V4 + (1 | subject), family = nbinom2, seizures)))
write_data("epilepsy", list(N = nrow(seizures), P = 6, J = max(seizures$subject), y = numbers(seizures$y),
                            X = matrix_rows(model.matrix(~ lb * trt + la + V4, seizures)), g = numbers(seizures$subject)))
set.seed(1)
crossed <- data.frame(a = sample.int(levels, rows, TRUE), b = sample.int(levels, rows, TRUE), x = rnorm(rows))
u <- rnorm(levels, 0, 0.7)
v <- rnorm(levels, 0, 0.5)
crossed$y <- rpois(rows, exp(-0.5 + 0.3 * crossed$x + u[crossed$a] + v[crossed$b]))
write_data("crossed", list(N = rows, J = levels, K = levels, y = numbers(crossed$y), x = numbers(crossed$x), a = numbers(crossed$a), b = numbers(crossed$b)))
crossed$a <- factor(crossed$a)
crossed$b <- factor(crossed$b)
fit("crossed", "glmmTMB", quote(glmmTMB(y ~ x + (1 | a) + (1 | b), family = poisson, data = crossed)))
