// Two runs of the same posterior by different algorithms, compared output by output: their means, standard
// deviations and quantiles are compared, relative to the errors of both.
//
// Quantiles are compared as shares: at the 5 % quantile q of the first run, the share of the second run's draws
// at or below q against 5 %. So every figure is the expectation of a function, whose error is known for
// chains (effective draws of that function) and for populations and weighted draws (the spread of independent
// batches, which are the chains of their run).
#pragma once
#include "results/files/fit.hpp"
#include "verdict/cross_check.hpp"

namespace credo::results {

inline constexpr double kCrossFalseAlarms = 1e-3;  // probability that some figure differs by chance

// Every figure of every output that both have and that varies; those of an output lie together. A mean is left
// out where tails are so heavy that it has no standard error, and a standard deviation likewise. A figure differs where
// Bonferroni's p-value is below kCrossFalseAlarms and the difference has a size that matters: a tenth
// of a standard deviation, of a mean or an sd, and 0.03 of a share. If the second run estimates an evidence for each
// population, kBeyondFigure is there, too, for the output in which two of them or more, with a fiftieth of the evidence,
// lie mostly beyond all draws of the first.
std::vector<verdict::CrossFigure> compare_draws(const Fit& first, const Fit& second);

// The result for both: they agree, they differ, or it is undecided because the second run failed its own checks
// (by its draws alone) or is too rough. `reservation`: why agreement isn't counted as one; empty: it is.
verdict::CrossCheck cross_checked(const Fit& first, const Fit& second,
                                  const std::string& reservation = "");

// ---- in result files: a table, and settings beside those of the run

inline constexpr const char* kCrossCheckTable = "cross_check";
RowTable cross_check_table();
std::vector<double> cross_check_rows(const Fit& fit, const verdict::CrossCheck& cross);
std::map<std::string, std::string> cross_check_settings(const verdict::CrossCheck& cross);
// The cross-check in a file; empty if no cross-check was made.
std::optional<verdict::CrossCheck> cross_check_of(const Fit& fit);

}  // namespace credo::results
