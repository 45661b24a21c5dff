#include "models/regression/families/column_parts.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"

namespace credo::models {

std::string only_sums_of_trials(const std::vector<double>& row, double trials) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  return sum == trials ? std::string()
                       : fmt::format("their sum is {}, and the number of trials is {}",
                                     io::number_text(sum), io::number_text(trials));
}

// Programs take a simplex to 1e-8.
std::string only_shares(const std::vector<double>& row, double) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  return std::abs(sum - 1.0) <= 1e-8
             ? std::string()
             : fmt::format("their sum is {}, and shares have the sum 1", io::number_text(sum));
}

std::string weights(const FamilyText& t) {
  return fmt::format("{} * softmax({})", t["phi"], t.eta);
}

std::string counts_of_shares(const FamilyText& t) {
  return fmt::format("({} * softmax({}))", t.trials, t.eta);
}

}  // namespace credo::models
