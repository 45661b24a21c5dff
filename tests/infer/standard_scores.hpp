// Estimates of evidences over seeds, as standard scores: (estimate - truth) / reported error.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "infer/core/sample.hpp"

namespace credo::testing {

// CREDO_EVIDENCE_SEEDS=100 makes the tables of docs/evidence.md.
inline Index num_evidence_seeds(Index otherwise) {
  const char* asked = std::getenv("CREDO_EVIDENCE_SEEDS");
  return asked == nullptr ? otherwise : std::atoll(asked);
}

class StandardScores {
 public:
  // An infinite error says that it isn't known.
  void add(const infer::LogEvidence& found, double truth) {
    if (found.error == kInfinity) return void(++num_unknown_);
    scores_.push_back((found.value - truth) / found.error);
  }
  double count() const { return static_cast<double>(scores_.size()); }
  double mean() const { return std::accumulate(scores_.begin(), scores_.end(), 0.0) / count(); }
  double mean_square() const {
    return std::inner_product(scores_.begin(), scores_.end(), scores_.begin(), 0.0) / count();
  }
  // Four standard errors of the mean and of the mean square; a mean square of few scores is seldom near 0. Of 100 and
  // more their distribution, too.
  bool pass() const {
    const double n = count();
    if (n == 0.0) return num_unknown_ > 0;  // nothing was claimed
    const bool are_many = n >= 100.0;
    return std::abs(mean()) < 4.0 / std::sqrt(n) &&
           mean_square() < 1.0 + 4.0 * std::sqrt(2.0 / n) && mean_square() > 0.1 &&
           (!are_many || normality() > 0.01);
  }
  // P(D >= d) of Kolmogorov and Smirnov against the standard normal distribution, by the limit of many.
  double normality() const {
    std::vector<double> sorted = scores_;
    std::sort(sorted.begin(), sorted.end());
    double furthest = 0.0, p = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const double below = 0.5 * std::erfc(-sorted[i] / std::sqrt(2.0)), k = static_cast<double>(i);
      furthest = std::max({furthest, below - k / count(), (k + 1.0) / count() - below});
    }
    for (int k = 1; k < 100; ++k)
      p += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * furthest * furthest * count());
    return p;
  }
  std::string text() const {
    const std::string unknown = fmt::format("{} unknown", num_unknown_);
    if (scores_.empty()) return "no score, " + unknown;
    return fmt::format("{} seeds, mean {:.2f}, mean square {:.2f}, normal p = {:.3f}, {}",
                       scores_.size(), mean(), mean_square(), normality(), unknown);
  }
  void print(const std::string& what) const {
    std::printf("%s: %s\n", what.c_str(), text().c_str());
    std::fflush(stdout);
  }
  Index num_unknown() const { return num_unknown_; }

 private:
  Index num_unknown_ = 0;
  std::vector<double> scores_;
};

}  // namespace credo::testing
