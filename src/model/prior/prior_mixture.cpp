#include "model/prior/prior_mixture.hpp"

#include "model/prior/prior_plan.hpp"

namespace credo::model {
namespace {
using lang::Machine;
using lang::Value;

double real_of(Machine& machine, const typed::Expression& e) {
  return machine.expr(lang::promoted_to_real(machine.evaluate(e))).value();
}

double sum_of(Machine& machine, std::span<const lang::IncrementPart> parts) {
  double sum = 0.0;
  for (const lang::IncrementPart& part : parts) {
    double value =
        part.is_negative ? -real_of(machine, *part.value) : real_of(machine, *part.value);
    for (const lang::IncrementFactor& factor : part.factors)
      value = factor.divides ? value / real_of(machine, *factor.value)
                             : value * real_of(machine, *factor.value);
    sum += value;
  }
  return sum;
}

// A weight of log_mix: one number for two components, or a number for each component.
double log_weight_of(const Value& weights, std::size_t component) {
  if (!weights.is_scalar())
    return std::log(lang::scalar_of(weights, static_cast<Index>(component)).known);
  const double first = lang::scalar_of(weights).known;
  return component == 0 ? std::log(first) : std::log1p(-first);
}
}  // namespace

bool is_mixture_of(const lang::Mixture& mixture, int slot) {
  return std::ranges::all_of(mixture.densities, [&](const typed::Call* density) {
    const typed::VariableUse* use = outcome_of_prior(density->arguments[0]);
    return use != nullptr && use->slot.index == slot;
  });
}

MixtureValues::MixtureValues(Machine& machine, const lang::Mixture& mixture) {
  Value weights;
  if (mixture.weights != nullptr) weights = machine.evaluate(*mixture.weights);
  for (std::size_t k = 0; k < mixture.densities.size(); ++k) {
    Component component{.call = mixture.densities[k], .arguments = {}, .log_weight = 0.0};
    for (const typed::Expression& argument : component.call->arguments)
      component.arguments.push_back(machine.evaluate(argument));
    component.log_weight = mixture.weights != nullptr ? log_weight_of(weights, k)
                                                      : sum_of(machine, mixture.log_weights[k]);
    components.push_back(std::move(component));
  }
}

}  // namespace credo::model
