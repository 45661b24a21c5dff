// Steps of first-order optimisers, and rules for their sizes: two tables. A step moves a position uphill by a gradient, which may be
// an estimate, without function values. Climbs with a line
// search are `credo optimize`.
//
//   using namespace credo::numerics;
//   Optimiser adam(optimiser_step("adam"), x.size());
//   const StepSize size(rate_rule("cosine"), 0.1, 1000);
//   for (int t = 0; t < 1000; ++t) adam.climb(x, gradient_at(x), size);
#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "credo/export.hpp"

namespace credo {
using Index = std::ptrdiff_t;
}

namespace credo::numerics {

// A number that a row takes, with its value if nobody states one. Settings lie within (lo, hi), or at lo.
struct StepSetting {
  std::string_view name, help;
  double standard = 0.0, lo = 0.0, hi = std::numeric_limits<double>::infinity();
};

// Arguments of a row. It changes `position` and its own vectors.
struct StepCall {
  double rate = 0.0, number = 1.0;  // the step's number, from 1
  std::span<const double> settings, gradient;
  std::span<double> position;
  std::span<std::vector<double>> memory;
};

struct StepRow {
  std::string_view name, summary, reference;
  std::span<const StepSetting> settings;
  std::size_t num_vectors = 0;  // vectors of D numbers that it remembers, 0 at first
  bool is_scale_free =
      false;  // a positive factor of the objective changes no step, up to rounding and epsilon
  bool needs_information = false;  // the gradient is divided by the Fisher information first
  void (*step)(const StepCall& call) = nullptr;
};
CREDO_API std::span<const StepRow> optimiser_steps();
CREDO_API const StepRow& optimiser_step(
    std::string_view name);  // throws Error(usage) with the names that there are

// A factor of the first step size for step number t = 1, 2, ..., of `num_steps` in all.
struct RateRow {
  std::string_view name, summary, reference;
  std::span<const StepSetting> settings;
  // Σ factor = infinity and Σ factor² finite [robbins1951]: steps by unbiased estimates then end at an optimum.
  bool is_robbins_monro = false;
  double (*factor)(std::span<const double> settings, double t, double num_steps) = nullptr;
};
CREDO_API std::span<const RateRow> rate_rules();
CREDO_API const RateRow& rate_rule(
    std::string_view name);  // throws Error(usage) with the names that there are

class CREDO_API StepSize {
 public:
  // Throws Error(usage) for settings out of range.
  StepSize(const RateRow& row, double first, Index num_steps,
           std::span<const double> settings = {});
  double at(Index t) const;

 private:
  const RateRow* row_;
  double first_, num_steps_;
  std::vector<double> settings_;
};

// A row with its state, which is plain data.
class CREDO_API Optimiser {
 public:
  // `settings`: in the order of the row's; none: the standard ones. Throws Error(usage) for one that is out of range.
  Optimiser(const StepRow& row, Index dimension, std::span<const double> settings = {});

  // False, and nothing changes, where a component of the gradient isn't finite or the information isn't positive definite.
  // Throws Error(usage) for sizes that don't fit.
  // `information`: D numbers (its diagonal) or D x D, if the row needs one.
  bool climb(std::span<double> position, std::span<const double> gradient, double rate,
             std::span<const double> information = {});
  bool climb(std::span<double> position, std::span<const double> gradient, const StepSize& size) {
    return climb(position, gradient, size.at(num_steps_ + 1));
  }
  Index num_steps() const { return num_steps_; }

  static void saved(auto& self, auto&& field) {
    field(self.num_steps_);
    field(self.memory_);
  }

 private:
  const StepRow* row_;
  Index dimension_;
  std::vector<double> settings_;
  Index num_steps_ = 0;
  std::vector<std::vector<double>> memory_;
};

}  // namespace credo::numerics
