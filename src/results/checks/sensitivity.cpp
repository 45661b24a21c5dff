#include "results/checks/sensitivity.hpp"

#include "base/error.hpp"
#include "diagnose/convergence.hpp"
#include "results/draws/fit_points.hpp"
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

FitSensitivity sensitivity_of_fit(const Fit& fit, const density::Model& model, bool all) {
  FitSensitivity result;
  result.num_draws = fit.num_draws(false) * fit.num_chains();
  if (result.num_draws == 0)
    throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
  if (!log_weights_of(fit).empty())
    throw Error(ErrorCode::usage, "weighted draws aren't weighed a second time",
                fit.origin().source, "take draws of a Markov chain");
  const auto prior = scaling_of(fit, log_part(fit, model, density::Terms::prior));
  const auto likelihood = scaling_of(fit, log_part(fit, model, density::Terms::likelihood));
  result.prior_k = prior.pareto_k, result.likelihood_k = likelihood.pareto_k;
  for_each_batch(
      fit, {.first = first_output(fit), .count = fit.layout().size()},
      [&](Index first, const density::Draws& draws) {
        for (Index k = 0; k < draws.num_quantities(); ++k) {
          const Index element = first + k - first_output(fit);
          if (!all && fit.layout().variable_of(element).block != density::Block::parameters)
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
