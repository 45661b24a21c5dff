#include "model/prior/prior_places.hpp"

#include "lang/trace/value.hpp"

namespace credo::model {
using lang::Value;

Value places_as_values(const Value& variable) {
  if (variable.is_scalar()) return Value(lang::Scalar(0.0));
  std::vector<double> places(static_cast<std::size_t>(lang::size_of(variable)));
  std::iota(places.begin(), places.end(), 0.0);
  return lang::like(
      graph::constant(lang::shape_of(lang::base_of(variable), lang::dims_of(variable)), places),
      variable);
}

// Evaluates the outcome with places in the place of values, so that indices and reshapings apply to them.
std::vector<std::int32_t> places_of_outcome(lang::Machine& machine,
                                            const lang::typed::Expression& outcome, int slot,
                                            const Value& positions) {
  const Value now = std::exchange(machine.global(slot), positions);
  const Value selected = machine.evaluate(outcome);
  machine.global(slot) = now;
  std::vector<std::int32_t> places;
  for (Index i = 0; i < lang::size_of(selected); ++i)
    places.push_back(static_cast<std::int32_t>(lang::scalar_of(selected, i).known));
  return places;
}

}  // namespace credo::model
