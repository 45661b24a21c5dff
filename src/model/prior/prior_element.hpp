// One element of a univariate prior, with numbers as arguments.
#pragma once
#include "base/types.hpp"
#include "dist/distribution.hpp"

namespace credo::model {

// Range of a number.
struct Limits {
  double lower = -kInfinity, upper = kInfinity;

  bool operator==(const Limits&) const = default;
  bool is_whole_line() const { return lower == -kInfinity && upper == kInfinity; }
  double free(double x) const;
};
Limits common(const Limits& a, const Limits& b);

// The prior of one element by a statement.
struct StatedPrior {
  const dist::Distribution* distribution;
  std::vector<double> arguments;
  Limits declared;   // limits of the parameter
  Limits truncated;  // by T[,], which the density allows for

  bool operator==(const StatedPrior&) const = default;
};

class ElementPrior {
 public:
  explicit ElementPrior(StatedPrior stated);

  bool is_of(const StatedPrior& stated) const { return stated == stated_; }
  bool is_valid() const { return is_valid_; }  // its arguments are within their domains
  // True if it locates the parameter: false if it is wider than 1000 on the unconstrained scale and
  // reaches across 0, like gamma(0.001, 0.001), or lets the parameter leave its support.
  bool says_where() const;
  // With u of the mass within all limits below it; NaN: not known.
  double at(double u) const;
  // The mass within all limits, of that within the truncation; NaN: not known.
  double log_mass() const;

 private:
  bool has_undeclared_end() const;

  StatedPrior stated_;
  Limits within_;
  bool is_valid_;
};

inline constexpr double kStartTail = 0.05;  // mass left out on either side by starts

}  // namespace credo::model
