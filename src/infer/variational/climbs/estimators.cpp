#include "infer/variational/climbs/estimators.hpp"

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

// Factors of a draw's path, and of its gradient at coordinates that are points.
struct DrawFactors {
  double path, point;
};

// (∂x/∂λ)ᵀ (∇log p - ∇log q), times a factor.
void add_path(NormalFamily& family, const EstimatorDraws& draws, std::size_t s, DrawFactors factors,
              std::span<double> into) {
  std::vector<double> v(draws.dimension);
  family.score(draws.point(s), v);
  const std::span<const double> gradient = draws.gradient(s);
  for (std::size_t d = 0; d < v.size(); ++d) v[d] = factors.path * (gradient[d] - v[d]);
  for (const PointCoordinate& point : family.points()) {
    const auto d = static_cast<std::size_t>(point.coordinate);
    v[d] = factors.point * gradient[d];
  }
  family.pull_back(draws.base(s), v, into);
}

// w_s; for an upper objective u_s / S, and nothing with the first draws.
std::vector<double> weights_of(const Objective& objective, const EstimatorDraws& draws,
                               std::vector<double>& memory) {
  constexpr double kKept = 0.9;  // share of the running mean that stays
  std::vector<double> weights(draws.count(), 0.0);
  if (!objective.is_power_above_one()) {
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
  if (!objective.is_elbo() || normal == nullptr)
    return family.pull_back_draws(draws.z, v, shares, into);
  for (std::size_t s = 0; s < draws.count(); ++s)
    normal->pull_back(draws.base(s), std::span(v).subspan(s * draws.dimension, draws.dimension),
                      into);
  normal->add_entropy_slope(into);
}

// stl is this for c = 0. For eubo -(w - w²).
void add_dreg(const Objective& objective, DistributionFamily& family, const EstimatorDraws& draws,
              std::vector<double>& memory, std::span<double> into) {
  const double c = objective.power, of_squares = objective.is_power_above_one() ? 0.0 : c;
  const std::vector<double> w = weights_of(objective, draws, memory);
  for (std::size_t s = 0; s < draws.count(); ++s) {
    const double square = w[s] * w[s];
    if (objective.is_forward)
      add_path(normal_of(family), draws, s, {square - w[s], -w[s]}, into);
    else
      add_path(normal_of(family), draws, s, {(1.0 - c) * w[s] + of_squares * square, w[s]}, into);
  }
}

// -Σ w h, and -Σ w ∇log p at points.
void add_daydream(const Objective& objective, DistributionFamily& family,
                  const EstimatorDraws& draws, std::vector<double>&, std::span<double> into) {
  NormalFamily& normal = normal_of(family);
  std::vector<double> w(draws.count()), slope(into.size());
  objective.shares(draws.log_ratios, w);
  for (std::size_t s = 0; s < draws.count(); ++s) {
    std::fill(slope.begin(), slope.end(), 0.0);
    normal.add_parameter_score(draws.point(s), slope);
    add(into, -w[s], slope);
    if (!normal.points().empty()) add_path(normal, draws, s, {0.0, -w[s]}, into);
  }
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

// The draws with the prior in the place of the density.
EstimatorDraws draws_of_prior(const EstimatorDraws& draws) {
  EstimatorDraws prior = draws;
  prior.log_ratios = draws.prior_ratios;
  prior.gradients = draws.prior_gradients;
  return prior;
}

void add_divergence(const Objective& objective, DistributionFamily& family,
                    const EstimatorDraws& draws, std::vector<double>& memory,
                    std::span<double> into) {
  std::vector<double> v(draws.dimension);
  const double share = draws.power / static_cast<double>(draws.count());
  for (std::size_t s = 0; s < draws.count(); ++s) {
    for (std::size_t d = 0; d < v.size(); ++d)
      v[d] = share * (draws.gradient(s)[d] - draws.prior_gradients[s * v.size() + d]);
    normal_of(family).pull_back(draws.base(s), v, into);
  }
  add_dreg(objective.of_prior(), family, draws_of_prior(draws), memory, into);
}

bool takes_elbo(const Objective& objective) { return objective.is_elbo(); }
bool takes_eubo(const Objective& objective) { return objective.is_forward; }
bool takes_powers(const Objective& objective) {
  return !objective.is_forward && !objective.is_generalised();
}
bool takes_bounds(const Objective& objective) { return !objective.is_generalised(); }
bool takes_gvi(const Objective& objective) { return objective.is_generalised(); }

constexpr std::array kEstimators = {
    EstimatorSpec{"reparam", "the derivative along the draws' paths, and that of log q",
                  "kingma2014", true, false, takes_powers, add_reparam},
    EstimatorSpec{"stl", "without the score, which has mean 0: sticking the landing", "roeder2017",
                  true, true, takes_elbo, add_dreg},
    EstimatorSpec{"dreg", "doubly reparametrised: the score along the paths, too", "tucker2019",
                  true, true, takes_bounds, add_dreg},
    EstimatorSpec{"score", "values of the log density alone", "ranganath2014", false, true,
                  takes_elbo, add_score},
    EstimatorSpec{"score_cv", "values alone, with a control variate for each component",
                  "ranganath2014", false, true, takes_elbo, add_score_with_variate},
    EstimatorSpec{"daydream", "the score at draws weighted to the posterior", "bornschein2015",
                  true, true, takes_eubo, add_daydream},
    EstimatorSpec{"divergence", "the likelihood along paths, and the divergence from the prior",
                  "knoblauch2022", true, true, takes_gvi, add_divergence}};

std::string takers_of(const Objective& objective) {
  std::string names;
  for (const EstimatorSpec& row : kEstimators)
    if (row.takes(objective)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}
}  // namespace

std::span<const EstimatorSpec> estimators() { return kEstimators; }

double objective_value(const Objective& objective, const EstimatorDraws& draws) {
  if (!objective.is_generalised()) return objective.value(draws.log_ratios);
  double likelihood = 0.0;
  for (std::size_t s = 0; s < draws.count(); ++s)
    likelihood += draws.log_ratios[s] - draws.prior_ratios[s];
  return draws.power * likelihood / static_cast<double>(draws.count()) +
         objective.of_prior().value(draws.prior_ratios);
}

std::string_view standard_estimator(const Objective& objective) {
  if (objective.is_elbo()) return "stl";
  if (objective.is_generalised()) return "divergence";
  return objective.is_forward ? "daydream" : "dreg";
}

const EstimatorSpec& find_estimator(std::string_view name, const Objective& objective) {
  std::vector<std::string> names;
  for (const EstimatorSpec& row : kEstimators) names.emplace_back(row.name);
  check_choice("gradient", names, std::string(name));
  const EstimatorSpec& row = *std::ranges::find(kEstimators, name, &EstimatorSpec::name);
  if (!row.takes(objective))
    throw Error(ErrorCode::usage,
                fmt::format("the estimator {} isn't one of this objective's gradient", name),
                "gradient",
                fmt::format("with this --objective take --gradient {}", takers_of(objective)));
  return row;
}

}  // namespace credo::infer
