#include "infer/variational/certificate/certificate.hpp"

#include "diagnose/weights.hpp"

namespace credo::infer {
namespace {
Grade grade_of(const WeightFigures& weights) {
  const double share = weights.effective / static_cast<double>(weights.num_draws);
  if (!(weights.effective >= kFewestEffective)) return Grade::poor;
  if (weights.pareto_k > kReliableK && share < kShareWithoutK) return Grade::poor;
  if (!(weights.pareto_k > kGoodK) || share >= kShareOfGood) return Grade::good;
  return Grade::after_weighting;
}
}  // namespace

WeightFigures weight_figures(std::span<const double> log_weights) {
  WeightFigures weights{.num_draws = ssize(log_weights)};
  if (log_weights.empty()) return weights;
  weights.has_weights =
      std::ranges::any_of(log_weights, [](double log_weight) { return log_weight != 0.0; });
  if (!weights.has_weights) {
    weights.effective = static_cast<double>(weights.num_draws);
    weights.grade = weights.effective >= kFewestEffective ? Grade::good : Grade::poor;
    return weights;
  }
  weights.pareto_k = diagnose::weight_pareto_k(log_weights);
  weights.effective = diagnose::weight_ess(log_weights);
  weights.grade = grade_of(weights);
  return weights;
}

}  // namespace credo::infer
