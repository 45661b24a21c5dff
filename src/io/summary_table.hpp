// A posterior summary as text and JSON: pure functions of plain rows.
//
// Digits. A mean is known to about its Monte Carlo standard error, so the last digit printed is the
// one whose place is nearest to it on the log scale: unit = 10^round(log10(mcse)). mcse 0.09 prints
// 4.4, mcse 0.02 prints 4.41, mcse 40 prints 1200. sd and each quantile are printed to the unit of
// their own error, which is in JSON; mcse_mean to two significant digits, effective sample sizes as
// integers, R-hat to three decimals. Without a positive finite mcse (a constant, a single draw) it
// is six significant digits. A number with more than 9 characters before the point, or 6 zeros
// after it, is scientific.
#pragma once
#include "base/types.hpp"

namespace credo::io {

struct SummaryQuantile {
  double percent, value, mcse;
};

// NaN stands for "not available" in every field and is printed as "-".
struct SummaryRow {
  std::string name;
  double mean = kNaN, sd = kNaN, mcse_mean = kNaN;
  double q5 = kNaN, q50 = kNaN, q95 = kNaN;  // quantiles
  double ess_bulk = kNaN, ess_tail = kNaN, r_hat = kNaN;
  double mcse_sd = kNaN, mcse_q5 = kNaN, mcse_q50 = kNaN, mcse_q95 = kNaN;
  // Requested quantiles, which the table shows in place of 5 %, 50 % and 95 %. All rows have the same percents.
  std::vector<SummaryQuantile> quantiles = {};
};

// `value` to the digits that an error of size `mcse` supports, by the rule above.
std::string text_to_precision(double value, double mcse);

// A right-aligned table with a head line; the decimal points of a column stand below each other. width: columns of the terminal, 0 for no limit. In a
// narrow one, names are shortened first (middle cut out, at least 12 characters kept), then columns
// leave in the order mcse_mean, 50%, ess_tail, 5%, 95%; a last line says which are hidden.
std::string summary_table(std::span<const SummaryRow> rows, int width = 0);

// [{"name": ..., "mean": ..., "sd": ..., "mcse_mean": ..., "q5": ..., "q50": ..., "q95": ...,
// "ess_bulk": ..., "ess_tail": ..., "r_hat": ..., "mcse_sd": ..., "mcse_q5": ..., "mcse_q50": ...,
// "mcse_q95": ...}, ...], with all digits of every number; "quantiles": [{"percent", "value", "mcse"}, ...] if
// requested.
std::string summary_json(std::span<const SummaryRow> rows);

}  // namespace credo::io
