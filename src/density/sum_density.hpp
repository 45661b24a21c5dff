// Two log densities of the same coordinates, added: a posterior given two data sets, for example, is that given one of them
// and the likelihood of the other.
#pragma once
#include "density/log_density.hpp"

namespace credo::density {

class SumDensity final : public LogDensity {
 public:
  // Both must live as long, and have the same coordinates. Throws Error(internal) otherwise.
  SumDensity(const LogDensity& first, const LogDensity& second);

  Index dimension() const override { return first_.dimension(); }
  bool has_gradient() const override { return first_.has_gradient() && second_.has_gradient(); }
  std::unique_ptr<Evaluator> make_evaluator() const override;  // for values and gradients
  std::string describe(const Status& status) const override;
  std::optional<Start> draw_start(Rng& rng, double radius) const override {
    return first_.draw_start(rng, radius);
  }

 private:
  const LogDensity &first_, &second_;
};

}  // namespace credo::density
