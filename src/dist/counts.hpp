// Counts of categories, as the multinomial distributions have them.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

// log N!/prod y!, N = sum y
inline Expr log_coefficient(const Expr& y) { return lgamma(sum(y) + 1.0) - sum(lgamma(y + 1.0)); }

// Not negative, and as many as there are categories.
inline void check_counts(const Expr& y, const Expr& categories, std::string_view function,
                         Checks& checks) {
  if (y.empty()) return;
  checks.greater_equal(y, 0.0, {function, "number of trials variable", "nonnegative"});
  const graph::Requirement sizes{function, "size of the number of trials variable",
                                 "the number of categories"};
  const auto given = static_cast<double>(y.size()), wanted = static_cast<double>(categories.size());
  checks.greater_equal(given, wanted, sizes);
  checks.less_equal(given, wanted, sizes);
}

}  // namespace credo::dist
