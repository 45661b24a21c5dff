// Censored outcomes, known only to lie above or below a number. Replicates are censored in the same way.
#pragma once
#include "base/rng.hpp"

namespace credo::model {

enum class Censored : std::uint8_t { no, from_above, from_below };

// The censoring times of outcomes that weren't censored. Their distribution is the Kaplan-Meier estimate in which
// censored rows are the events and observed rows are censored [kaplan1958].
class CensoringTimes {
 public:
  // Uses the rows that are censored in this direction and the rows that aren't censored.
  CensoringTimes(std::span<const double> values, std::span<const Censored> rows,
                 Censored direction);

  // A censoring time beyond the value of an observed row; infinite if the draw lies beyond all of them.
  double draw_beyond(double value, Rng& rng) const;

 private:
  double sign_;                         // -1 for censoring from below: values are negated
  std::vector<double> times_, masses_;  // ascending; the remaining mass lies at infinity
};

}  // namespace credo::model
