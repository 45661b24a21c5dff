// The densities between two of them; for a request with weight w
//
//   log p_w(x) = (1 - w) log from(x) + w log to(x),   0 <= w <= 1,   log_ratio = log to(x) - log from(x)
//
// From a prior to a posterior the ratio is the log likelihood, and w tempers it: the geometric path
// [gelman1998; murphy2023, 13.6.2]. A point that `to` alone refuses has the ratio -infinity, and is refused
// where w > 0.
#pragma once
#include "density/log_density.hpp"

namespace credo::density {

class PathDensity final : public LogDensity {
 public:
  // Both must live as long, and have the same coordinates. Throws Error(internal) otherwise.
  PathDensity(const LogDensity& from, const LogDensity& to);

  Index dimension() const override { return to_.dimension(); }
  bool has_gradient() const override { return from_.has_gradient() && to_.has_gradient(); }
  std::unique_ptr<Evaluator> make_evaluator() const override;
  std::string describe(const Status& status) const override;

 private:
  const LogDensity &from_, &to_;
};

}  // namespace credo::density
