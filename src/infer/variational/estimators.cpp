#include "infer/variational/estimators.hpp"

#include <fmt/format.h>

#include "infer/core/fields.hpp"
#include "infer/core/vectors.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
NormalFamily& normal_of(DistributionFamily& family) {
  NormalFamily* normal = family.as_normal();
  CREDO_ASSERT(normal != nullptr, "the estimator takes scores");
  return *normal;
}

// (∂x/∂λ)ᵀ (∇log p - ∇log q), times a factor.
void add_path(NormalFamily& family, const EstimatorDraws& draws, std::size_t s, double factor,
              std::span<double> into) {
  std::vector<double> v(draws.dimension);
  family.score(draws.point(s), v);
  const std::span<const double> gradient = draws.gradient(s);
  for (std::size_t d = 0; d < v.size(); ++d) v[d] = factor * (gradient[d] - v[d]);
  family.pull_back(draws.base(s), v, into);
}

// w_s; for an upper objective u_s / S, and nothing with the first draws.
std::vector<double> weights_of(const Objective& objective, const EstimatorDraws& draws,
                               std::vector<double>& memory) {
  constexpr double kKept = 0.9;  // share of the running mean that stays
  std::vector<double> weights(draws.count(), 0.0);
  if (!objective.is_upper()) {
    objective.shares(draws.log_ratios, weights);
    return weights;
  }
  const double c = objective.power, count = static_cast<double>(draws.count());
  for (std::size_t s = 0; s < weights.size() && !memory.empty(); ++s)
    weights[s] = std::exp(c * draws.log_ratios[s] - memory[0]) / count;
  const double own = c * objective.value(draws.log_ratios);
  const std::array<double, 2> both{memory.empty() ? own : memory[0] + std::log(kKept),
                                   own + std::log(1.0 - kKept)};
  memory.assign(1, memory.empty() ? own : numerics::log_sum_exp(both));
  return weights;
}

void add_reparam(const Objective& objective, DistributionFamily& family,
                 const EstimatorDraws& draws, std::vector<double>& memory, std::span<double> into) {
  const std::vector<double> shares = weights_of(objective, draws, memory);
  std::vector<double> v(draws.gradients);
  for (std::size_t s = 0; s < draws.count(); ++s)
    for (std::size_t d = 0; d < draws.dimension; ++d) v[s * draws.dimension + d] *= shares[s];
  NormalFamily* normal = family.as_normal();
  if (objective.power != 0.0 || normal == nullptr)
    return family.pull_back_draws(draws.z, v, shares, into);
  for (std::size_t s = 0; s < draws.count(); ++s)
    normal->pull_back(draws.base(s), std::span(v).subspan(s * draws.dimension, draws.dimension),
                      into);
  normal->add_entropy_slope(into);
}

// stl is this for c = 0.
void add_dreg(const Objective& objective, DistributionFamily& family, const EstimatorDraws& draws,
              std::vector<double>& memory, std::span<double> into) {
  const double c = objective.power, of_squares = objective.is_upper() ? 0.0 : c;
  const std::vector<double> w = weights_of(objective, draws, memory);
  for (std::size_t s = 0; s < draws.count(); ++s)
    add_path(normal_of(family), draws, s, (1.0 - c) * w[s] + of_squares * w[s] * w[s], into);
}

// h_s, one draw after another.
std::vector<double> parameter_scores(NormalFamily& family, const EstimatorDraws& draws,
                                     std::size_t size) {
  std::vector<double> scores(draws.count() * size, 0.0);
  for (std::size_t s = 0; s < draws.count(); ++s)
    family.add_parameter_score(draws.point(s), std::span(scores).subspan(s * size, size));
  return scores;
}

void add_score(const Objective&, DistributionFamily& family, const EstimatorDraws& draws,
               std::vector<double>&, std::span<double> into) {
  const std::vector<double> scores = parameter_scores(normal_of(family), draws, into.size());
  for (std::size_t s = 0; s < draws.count(); ++s)
    add(into, draws.log_ratios[s] / static_cast<double>(draws.count()),
        std::span(scores).subspan(s * into.size(), into.size()));
}

// Cov(ℓ h, h) / Var h of one component.
double best_constant(std::span<const double> scores, std::span<const double> log_ratios,
                     std::size_t component, std::size_t size) {
  double mean = 0.0, mean_product = 0.0, covariance = 0.0, variance = 0.0;
  const double count = static_cast<double>(log_ratios.size());
  for (std::size_t s = 0; s < log_ratios.size(); ++s) {
    const double h = scores[s * size + component];
    mean += h / count, mean_product += log_ratios[s] * h / count;
  }
  for (std::size_t s = 0; s < log_ratios.size(); ++s) {
    const double h = scores[s * size + component];
    covariance += (log_ratios[s] * h - mean_product) * (h - mean);
    variance += (h - mean) * (h - mean);
  }
  return variance > 0.0 ? covariance / variance : 0.0;
}

void add_score_with_variate(const Objective&, DistributionFamily& family,
                            const EstimatorDraws& draws, std::vector<double>& memory,
                            std::span<double> into) {
  const std::size_t size = into.size();
  const std::vector<double> scores = parameter_scores(normal_of(family), draws, size);
  const double count = static_cast<double>(draws.count());
  for (std::size_t s = 0; s < draws.count() && !memory.empty(); ++s)
    for (std::size_t k = 0; k < size; ++k)
      into[k] += (draws.log_ratios[s] - memory[k]) * scores[s * size + k] / count;
  memory.resize(size);
  for (std::size_t k = 0; k < size; ++k)
    memory[k] = best_constant(scores, draws.log_ratios, k, size);
}

constexpr std::array kEstimators = {
    EstimatorSpec{"reparam", "the derivative along the draws' paths, and that of log q",
                  "kingma2014", true, false, false, add_reparam},
    EstimatorSpec{"stl", "without the score, which has mean 0: sticking the landing", "roeder2017",
                  true, true, true, add_dreg},
    EstimatorSpec{"dreg", "doubly reparametrised: the score along the paths, too", "tucker2019",
                  true, false, true, add_dreg},
    EstimatorSpec{"score", "values of the log density alone", "ranganath2014", false, true, true,
                  add_score},
    EstimatorSpec{"score_cv", "values alone, with a control variate for each component",
                  "ranganath2014", false, true, true, add_score_with_variate}};
}  // namespace

std::span<const EstimatorSpec> estimators() { return kEstimators; }

const EstimatorSpec& find_estimator(std::string_view name, const Objective& objective) {
  std::vector<std::string> names;
  for (const EstimatorSpec& row : kEstimators) names.emplace_back(row.name);
  check_choice("gradient", names, std::string(name));
  const EstimatorSpec& row = *std::ranges::find(kEstimators, name, &EstimatorSpec::name);
  if (row.is_for_elbo_only && objective.power != 0.0)
    throw Error(ErrorCode::usage,
                fmt::format("the estimator {} is one of the evidence bound's gradient", name),
                "gradient", "take --gradient dreg or reparam with this --objective");
  return row;
}

}  // namespace credo::infer
