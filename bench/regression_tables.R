# Tables of bench/against_rstanarm and bench/against_brms: written to a folder as CSV, and given back.
regression_tables <- function(folder) {
  data(sleepstudy, cbpp, Penicillin, grouseticks, package = "lme4")
  tables <- list(cars = cars, mtcars = mtcars, warpbreaks = warpbreaks, infert = infert, quine = MASS::quine, airquality = na.omit(airquality),
                 sleepstudy = sleepstudy, cbpp = transform(cbpp, period = paste0("p", period)), penicillin = Penicillin, iris = iris,
                 tooth = ToothGrowth, sprays = InsectSprays, plants = PlantGrowth, swiss = swiss, chickens = chickwts, stackloss = stackloss,
                 ticks = transform(grouseticks[c("TICKS", "YEAR", "BROOD")], YEAR = paste0("y", YEAR)))
  for (name in names(tables)) {
    factors <- sapply(tables[[name]], is.factor)
    # Levels in the order of their bytes, as a table of texts has them.
    tables[[name]][factors] <- lapply(tables[[name]][factors], function(f) factor(as.character(f), levels = sort(unique(as.character(f)), method = "radix")))
    write.csv(tables[[name]], file.path(folder, paste0(name, ".csv")), row.names = FALSE)
  }
  tables
}
