#include "results/checks/sensitivity.hpp"

#include "base/error.hpp"
#include "diagnose/convergence.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {

// The log density of some of the terms, of the parameters as they are written, at all draws.
std::vector<double> log_part(const Fit& fit, const density::Model& model, density::Terms terms) {
  const density::Query query{.terms = terms, .jacobian = false};
  const density::Capability can = model.can(query, FitPoints(fit, model).read(0, 0, 1).front());
  if (!can.can)
    throw Error(ErrorCode::program, can.reason, can.where.empty() ? model.name() : can.where,
                can.hint);
  return log_densities_of(fit, *model.asking(query));
}

// Statements that define the distribution of effects, and the names of the effects.
struct EffectDistributions {
  std::vector<std::int32_t> statements;
  std::vector<std::string> names;
};

EffectDistributions distributions_of_effects(const density::ProgramFacts* facts) {
  EffectDistributions distributions;
  if (facts == nullptr) return distributions;
  for (const density::StatedDensity& stated : facts->densities) {
    if (!stated.is_of_effects) continue;
    distributions.statements.push_back(stated.statement);
    const std::vector<Index>& read = stated.arguments[0].mentions;
    const std::string& name = facts->variables[static_cast<std::size_t>(read.front())].name;
    if (std::find(distributions.names.begin(), distributions.names.end(), name) ==
        distributions.names.end())
      distributions.names.push_back(name);
  }
  return distributions;
}

// Log prior without these statements.
std::vector<double> log_priors(const Fit& fit, const density::Model& model,
                               const EffectDistributions& without) {
  std::vector<double> values = log_part(fit, model, density::Terms::prior);
  for (const std::int32_t statement : without.statements) {
    const auto asked = model.asking(
        {.terms = density::Terms::statement, .statement = statement, .jacobian = false});
    const std::vector<double> part = log_densities_of(fit, *asked);
    for (std::size_t s = 0; s < values.size(); ++s) values[s] -= part[s];
  }
  return values;
}

// Log prior and log likelihood of each draw.
struct DensityParts {
  std::vector<double> prior, likelihood;
  bool by_log_lik = false;
};

// If the statements of the likelihood aren't known, it is the sum of the program's log_lik, and the rest is the
// prior.
std::optional<DensityParts> parts_by_log_lik(const Fit& fit, const density::Model& model) {
  const auto own = with_rows_by(model, density::RowsBy::own_first);
  if (own == nullptr || !has_own_rows(*own)) return std::nullopt;
  const Index num_rows = own->num_rows(), num_draws = fit.num_draws(false) * fit.num_chains();
  RowBlock rows(num_rows, num_draws);
  fill(rows, fit,
       {.log_density = *own, .num_values = num_rows, .places = counted_from(0, num_rows)},
       FitPoints(fit, *own));
  DensityParts parts{.prior = log_densities_of(fit, *model.asking({.jacobian = false})),
                     .likelihood = std::vector<double>(static_cast<std::size_t>(num_draws)),
                     .by_log_lik = true};
  for (std::size_t s = 0; s < parts.likelihood.size(); ++s) {
    for (Index i = 0; i < num_rows; ++i) parts.likelihood[s] += rows.row(i)[s];
    parts.prior[s] -= parts.likelihood[s];
  }
  return parts;
}

DensityParts density_parts(const Fit& fit, const density::Model& model,
                           const EffectDistributions& effects) {
  const std::vector<double> point = FitPoints(fit, model).read(0, 0, 1).front();
  if (!model.can({.terms = density::Terms::prior, .jacobian = false}, point).can)
    if (auto parts = parts_by_log_lik(fit, model)) return *std::move(parts);
  return {.prior = log_priors(fit, model, effects),
          .likelihood = log_part(fit, model, density::Terms::likelihood)};
}

diagnose::PowerScaling scaling_of(const Fit& fit, std::span<const double> log_part) {
  const diagnose::Chains chains{log_part, fit.num_draws(false), fit.num_chains()};
  const double r_eff = diagnose::ess_mean(chains) / static_cast<double>(log_part.size());
  return diagnose::power_scaling(log_part, std::isfinite(r_eff) ? std::min(r_eff, 1.0) : 1.0);
}
}  // namespace

Sensitive QuantitySensitivity::to() const {
  const bool is_of_prior = prior.distance >= kSensitive,
             is_of_likelihood = likelihood.distance >= kSensitive;
  if (is_of_prior) return is_of_likelihood ? Sensitive::both : Sensitive::prior;
  return is_of_likelihood ? Sensitive::likelihood : Sensitive::neither;
}

std::string_view words_of(Sensitive to) {
  switch (to) {
    case Sensitive::both:
      return "prior and data may be in conflict";
    case Sensitive::prior:
      return "strong prior or weak data";
    case Sensitive::likelihood:
      return "the data decide";
    case Sensitive::neither:
      break;
  }
  return "depends on neither";
}

FitSensitivity sensitivity_of_fit(const Fit& fit, const density::Model& model,
                                  const SensitivityOptions& options) {
  FitSensitivity result;
  result.num_draws = fit.num_draws(false) * fit.num_chains();
  if (result.num_draws == 0)
    throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
  if (result.num_draws == 1)
    throw Error(ErrorCode::data, "there is one draw, and draws are weighed against each other",
                fit.origin().source, "take some hundred draws");
  if (!log_weights_of(fit).empty())
    throw Error(ErrorCode::usage, "weighted draws aren't weighed a second time",
                fit.origin().source, "take draws of a Markov chain");
  const EffectDistributions effects = options.all_priors
                                          ? EffectDistributions{}
                                          : distributions_of_effects(model.program_facts().get());
  const DensityParts parts = density_parts(fit, model, effects);
  result.by_log_lik = parts.by_log_lik;
  if (!parts.by_log_lik) result.effects = effects.names;
  const auto prior = scaling_of(fit, parts.prior), likelihood = scaling_of(fit, parts.likelihood);
  result.prior_k = prior.pareto_k, result.likelihood_k = likelihood.pareto_k;
  for_each_batch(fit, {.first = first_output(fit), .count = fit.layout().size()},
                 [&](Index first, const density::Draws& draws) {
                   for (Index k = 0; k < draws.num_quantities(); ++k) {
                     const Index element = first + k - first_output(fit);
                     if (!options.all_outputs &&
                         fit.layout().variable_of(element).block != density::Block::parameters)
                       continue;
                     result.quantities.push_back(
                         {.name = quantity_name(fit, first + k),
                          .prior = sensitivity_of(draws.quantity(k), prior),
                          .likelihood = sensitivity_of(draws.quantity(k), likelihood)});
                   }
                 });
  return result;
}

}  // namespace credo::results
