// A solution between the ends of its steps, by the polynomials that a multistep method made.
#pragma once
#include "base/std.hpp"
#include "numerics/ode/ode.hpp"

namespace credo::numerics {

class PolynomialPath {
 public:
  // Memory grows with the longest path and is kept.
  explicit PolynomialPath(Index states) : states_(states) {}

  void clear() { steps_.clear(), coefficients_.clear(); }
  // Adds a step of lane `first` among `stride`: element i of column j is columns[j][first + i stride].
  void add(const OdeStep& step, std::span<double* const> columns, Index first, Index stride) {
    steps_.push_back({step.t, step.h, ssize(coefficients_), ssize(columns)});
    for (Index i = 0; i < states_; ++i) {
      for (const double* column : columns) coefficients_.push_back(column[first + i * stride]);
    }
  }

  Index size() const { return ssize(steps_); }
  double start(Index k) const { return steps_[static_cast<std::size_t>(k)].t; }
  double end(Index k) const { return start(k) + steps_[static_cast<std::size_t>(k)].h; }

  // The step with a time in it, which isn't before the first; behind the last it is that one.
  Index step_at(double t) const {
    const auto starts_behind = [](double time, const Step& step) { return time < step.t; };
    const auto behind = std::upper_bound(steps_.begin(), steps_.end(), t, starts_behind);
    return std::max<Index>(behind - steps_.begin() - 1, 0);
  }
  // out[i * stride] is element i at a time in step k.
  void evaluate(Index k, double t, double* out, Index stride) const {
    const Step& own = steps_[static_cast<std::size_t>(k)];
    const double x = (t - (own.t + own.h)) / own.h;
    const double* c = coefficients_.data() + own.first;
    for (Index i = 0; i < states_; ++i, c += own.columns) {
      double value = c[own.columns - 1];
      for (Index j = own.columns - 1; j-- > 0;) value = value * x + c[j];
      out[i * stride] = value;
    }
  }

 private:
  struct Step {
    double t, h;
    Index first, columns;
  };
  Index states_;
  std::vector<Step> steps_;
  std::vector<double> coefficients_;
};

}  // namespace credo::numerics
