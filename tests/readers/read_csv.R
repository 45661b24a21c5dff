# usage: Rscript read_csv.R NAME:saved NAME:not ...   in a folder with NAME_1.csv ... NAME_4.csv and NAME.json, a summary
#
# saved: with warm-up. rstan::read_stan_csv reads the files of each run without a warning; its draws, warm-up, sampler's columns, means and adaptation
# equal what the lines of the files say, bit by bit but for means.
suppressMessages(suppressWarnings(requireNamespace("rstan")))
options(warn = 2, digits = 17)
faults <- 0
claim <- function(holds, words) {
  if (isTRUE(holds)) return(invisible())
  faults <<- faults + 1
  cat("read_csv: false:", words, "\n")
}

settings_of <- function(file) {  # the comments above the column names
  lines <- readLines(file)
  comments <- grep("=", lines[seq_len(which(!startsWith(lines, "#"))[1] - 1)], value = TRUE)
  parts <- regmatches(comments, regexpr("=", comments), invert = TRUE)
  setNames(lapply(parts, function(p) trimws(p[2])), vapply(parts, function(p) trimws(sub("#", "", p[1])), ""))
}
numbers_in <- function(text) as.numeric(regmatches(text, gregexpr("[-+0-9.eE]*[0-9][-+0-9.eE]*", text))[[1]])
csv_name <- function(name) sub("\\.$", "", gsub("[],[]", ".", name))  # A[1,2] is the column A.1.2

check_chain <- function(name, fit, raw, chain, kept, warmup) {
  all <- rstan::extract(fit, permuted = FALSE, inc_warmup = warmup > 0)
  claim(dim(all)[1] == kept + warmup && dim(all)[2] == 4, paste(name, "dimensions of the draws"))
  for (column in dimnames(all)$parameters)
    claim(identical(unname(all[, chain, column]), raw[[csv_name(column)]]), paste(name, chain, column))
  statistics <- rstan::get_sampler_params(fit, inc_warmup = warmup > 0)[[chain]]
  for (column in colnames(statistics))
    claim(identical(unname(statistics[, column]), raw[[column]]), paste(name, chain, column))
  # A column of another sampler than Stan's is a parameter to rstan.
  seen <- c(csv_name(dimnames(all)$parameters), colnames(statistics))
  claim(setequal(seen, names(raw)) && !anyDuplicated(seen), paste(name, chain, "columns"))
}

check_adaptation <- function(name, fit, raw, chain, dense) {
  info <- strsplit(rstan::get_adaptation_info(fit)[[chain]], "\n")[[1]]
  claim(numbers_in(info[1]) == tail(raw$stepsize__, 1), paste(name, chain, "step size"))
  claim(grepl(if (dense) "# Elements" else "# Diagonal", info[2], fixed = TRUE), paste(name, chain, "kind of metric"))
  dimension <- 13  # of the program: 1 + 2 + 2 * 2 + 6
  metric <- lapply(info[-(1:2)], numbers_in)
  metric <- metric[lengths(metric) > 0]
  claim(length(metric) == if (dense) dimension else 1, paste(name, chain, "rows of the metric"))
  claim(all(lengths(metric) == dimension) && all(is.finite(unlist(metric))), paste(name, chain, "columns of the metric"))
}

check_means <- function(name, fit) {
  # Sums of a few thousand numbers: 1e-11 of the largest.
  means <- rstan::summary(fit)$summary[, "mean"]
  means <- means[!grepl("__$", names(means)) | names(means) == "lp__"]
  text <- readLines(paste0(name, ".json"))
  seen <- 0
  for (parameter in names(means)) {
    row <- grep(paste0("\"name\":\"", csv_name(parameter), "\""), text, value = TRUE, fixed = TRUE)
    ours <- as.numeric(sub(".*\"mean\":([^,]*),.*", "\\1", row))
    claim(length(ours) == 1 && abs(ours - means[[parameter]]) <= 1e-11 * max(1, abs(ours)), paste(name, "mean of", parameter))
    seen <- seen + length(ours)
  }
  claim(seen == length(means) && seen > 20, paste(name, seen, "means compared"))
}

check_run <- function(name, saved) {
  files <- sprintf("%s_%d.csv", name, 1:4)
  settings <- settings_of(files[1])
  fit <- tryCatch(rstan::read_stan_csv(files), error = function(e) conditionMessage(e))
  if (is.character(fit)) return(claim(FALSE, paste(name, "isn't read:", fit)))
  thin <- as.integer(settings$thin)
  per_phase <- function(n) 1 + (as.integer(n) - 1) %/% thin
  kept <- per_phase(settings$num_samples)
  warmup <- if (saved) per_phase(settings$num_warmup) else 0
  claim(fit@sim$thin == thin && fit@sim$warmup == as.integer(settings$num_warmup), paste(name, "warm-up and thin"))
  claim(identical(fit@sim$warmup2, rep(warmup, 4)), paste(name, "rows of warm-up"))
  claim(identical(fit@mode, 0L), paste(name, "is a finished run"))
  sampler <- if (settings$engine == "static") "HMC" else if (settings$engine == "nuts") sprintf("NUTS(%s)", settings$metric)
  claim(identical(fit@stan_args[[1]]$sampler_t, sampler), paste(name, "is a run of", sampler))
  for (chain in 1:4) {
    raw <- read.csv(files[chain], comment.char = "#", colClasses = "numeric")
    claim(nrow(raw) == kept + warmup, paste(name, chain, "rows"))
    claim(fit@stan_args[[chain]]$chain_id == chain, paste(name, chain, "number of the chain"))
    check_chain(name, fit, raw, chain, kept, warmup)
    if (settings$algorithm == "hmc") check_adaptation(name, fit, raw, chain, settings$metric == "dense_e")
    claim(all(rstan::get_elapsed_time(fit)[chain, ] >= 0), paste(name, chain, "times"))
  }
  check_means(name, fit)
}

runs <- strsplit(commandArgs(trailingOnly = TRUE), ":")
for (run in runs) check_run(run[1], run[2] == "saved")
cat("read_csv:", length(runs), "runs,", faults, "false claims\n")
quit(status = if (faults > 0) 1 else 0)
