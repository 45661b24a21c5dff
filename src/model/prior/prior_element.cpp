#include "model/prior/prior_element.hpp"

#include "dist/quantile.hpp"

namespace credo::model {
namespace {
constexpr double kWidest = 1000.0;
}

double Limits::free(double x) const {
  if (is_whole_line()) return x;
  if (upper == kInfinity) return std::log(x - lower);
  if (lower == -kInfinity) return std::log(upper - x);
  return std::log(x - lower) - std::log(upper - x);
}

Limits common(const Limits& a, const Limits& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

ElementPrior::ElementPrior(StatedPrior stated)
    : stated_(std::move(stated)),
      within_(common(stated_.declared, stated_.truncated)),
      is_valid_(dist::parameters_hold(*stated_.distribution, stated_.arguments)) {}

bool ElementPrior::says_where() const {
  if (!is_valid_ || has_undeclared_end()) return false;
  const double low = stated_.declared.free(at(kStartTail));
  const double high = stated_.declared.free(at(1.0 - kStartTail));
  const double width = std::abs(high - low);
  return std::isfinite(width) && (width < kWidest || low * high > 0.0);
}

// The ends of a uniform prior that aren't declared: that its parameter can leave it is a mistake,
// which uniform starts find out and name.
bool ElementPrior::has_undeclared_end() const {
  const dist::Distribution& d = *stated_.distribution;
  if (d.support == nullptr) return false;
  const std::vector<graph::Expr> arguments(stated_.arguments.begin(), stated_.arguments.end());
  const dist::Support support = d.support(arguments);
  return within_.lower < support.lower.value() || within_.upper > support.upper.value();
}

double ElementPrior::at(double u) const {
  const dist::Distribution& d = *stated_.distribution;
  const bool cuts = d.support != nullptr || within_.lower > d.lower || within_.upper < d.upper;
  if (within_.is_whole_line() || !cuts) return dist::quantile(d, u, stated_.arguments);
  if (d.log_cdf == nullptr || d.log_ccdf == nullptr) return kNaN;
  return dist::quantile_within(d, {within_.lower, within_.upper}, u, stated_.arguments);
}

double ElementPrior::log_mass() const {
  const dist::Distribution& d = *stated_.distribution;
  const auto mass = [&](const Limits& limits) {
    const bool cuts = limits.lower > d.lower || limits.upper < d.upper;
    if (!cuts) return 0.0;
    if (d.log_cdf == nullptr || d.log_ccdf == nullptr) return kNaN;
    return dist::log_mass(d, {limits.lower, limits.upper}, stated_.arguments);
  };
  return within_ == stated_.truncated ? 0.0 : mass(within_) - mass(stated_.truncated);
}

}  // namespace credo::model
