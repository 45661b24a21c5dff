// Outcomes of which it is known only that they are larger, or smaller, than a number: replicates are cut alike.
#pragma once
#include "base/rng.hpp"

namespace credo::model {

enum class Censored : std::uint8_t { no, from_above, from_below };

// When outcomes would have been censored that weren't: the law of the censoring times by the estimate of Kaplan and Meier in
// which censored rows are the events and the others are censored [kaplan1958].
class CensoringTimes {
 public:
  // Of the rows that are censored in this direction, and of those that aren't at all.
  CensoringTimes(std::span<const double> values, std::span<const Censored> rows,
                 Censored direction);

  // A time given that it lies beyond the value of a row that wasn't censored: infinite where none does.
  double draw_beyond(double value, Rng& rng) const;

 private:
  double sign_;                         // -1: from below, all is turned round
  std::vector<double> times_, masses_;  // ascending; the mass that is left lies at infinity
};

}  // namespace credo::model
