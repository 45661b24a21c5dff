#include "model/replicates/stated_outcomes.hpp"

#include "density/layout.hpp"
#include "dist/batch.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/trace/indexing.hpp"
#include "model/data/declarations.hpp"
#include "model/prior/prior_places.hpp"
#include "model/program_parts.hpp"
#include "model/statements/placed_statement.hpp"

namespace credo::model {
using graph::Expr;
using lang::Value;

namespace {
// Names of the elements in the order of storage.
std::vector<std::string> names_in_storage(const std::string& name, const Value& value) {
  density::Layout layout;
  layout.add(output_variable(name, value));
  const std::vector<std::int32_t> places = places_of(value);
  std::vector<std::string> names(places.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    names[static_cast<std::size_t>(places[k])] =
        density::bracketed_name(layout.element_name(static_cast<Index>(k)));
  return names;
}

std::vector<double> numbers(const Expr& e) {
  std::vector<double> all;
  for (Index k = 0; k < e.size(); ++k) all.push_back(e.value(k));
  return all;
}

// True for an array of vectors, or of matrices.
bool is_array_of_containers(const Value& value) {
  const int inner = lang::inner_dims(lang::base_of(value));
  return inner > 0 && lang::dims_of(value).count > inner;
}

// Numbers of one outcome in a statement of a whole distribution.
Index unit_of(const dist::Distribution& distribution, const Value& outcome) {
  if (distribution.num_categories != nullptr) return 1;
  const int inner = lang::inner_dims(lang::base_of(outcome));
  if (inner == 0) return lang::size_of(outcome);
  Index unit = 1;
  for (int k = 0; k < inner; ++k) unit *= lang::dims_of(outcome).back(k);
  return unit;
}
}  // namespace

StatedOutcomes::StatedOutcomes(const ProgramParts& parts)
    : parts_(parts),
      machine_(parts.data.new_machine(
          {.watch = [this](const lang::SeenDensity& seen) { look(seen); }})) {}

std::vector<StatedOutcome> StatedOutcomes::at(std::span<const double> position) {
  found_.clear();
  machine_.forget_steps();
  machine_.globals() = parts_.data.globals();
  parts_.parameters.set_numbers(machine_, position);
  const std::vector<char> all(machine_.program().statement_ranges.size(), 1);
  machine_.run(lang::typed::BlockKind::transformed_parameters);
  machine_.run(lang::typed::BlockKind::model, {.statements = all, .adds_terms = false});
  return std::move(found_);
}

void StatedOutcomes::look(const lang::SeenDensity& seen) {
  const lang::typed::VariableUse* use = variable_of_outcome(seen.call.arguments[0]);
  if (seen.increment != nullptr &&
      std::get_if<lang::typed::Call>(&seen.increment->node) != &seen.call)
    return;  // other terms beside a density may read the outcome
  if (use == nullptr || use->slot.local) return;
  const auto& variable = machine_.program().globals[static_cast<std::size_t>(use->slot.index)];
  if (variable.block != lang::typed::BlockKind::data &&
      variable.block != lang::typed::BlockKind::transformed_data)
    return;
  const std::int32_t statement = machine_.statement();
  const Value& whole = machine_.global(use->slot.index);
  const std::vector<std::string> names = names_in_storage(variable.name, whole);
  StatedOutcome outcome{
      .distribution = lang::distribution_function(seen.call.function.name)->distribution,
      .statement = statement,
      .is_truncated = seen.is_truncated(),
      .names = {},
      .arguments = {}};
  for (const std::int32_t place : places_of_outcome(machine_, seen.call.arguments[0],
                                                    use->slot.index, places_as_values(whole)))
    outcome.names.push_back(names[static_cast<std::size_t>(place)]);
  machine_.enter(statement);
  if (outcome.distribution->kind == dist::Kind::univariate)
    add_each(seen, outcome);
  else
    add_whole(seen, outcome);
}

void StatedOutcomes::add_each(const lang::SeenDensity& seen, const StatedOutcome& like) {
  for (std::size_t i = 0; i < like.names.size(); ++i) {
    StatedOutcome one = like;
    one.names = {like.names[i]};
    for (const Value& argument : seen.arguments.subspan(1))
      one.arguments.push_back(
          {lang::scalar_of(argument, argument.is_scalar() ? 0 : static_cast<Index>(i)).known});
    found_.push_back(std::move(one));
  }
}

void StatedOutcomes::add_whole(const lang::SeenDensity& seen, const StatedOutcome& like) {
  const auto arguments = seen.arguments.subspan(1);
  if (like.distribution->parts != nullptr) {
    std::vector<Expr> all;
    for (const Value& argument : arguments) all.push_back(machine_.expr(argument));
    const std::vector<dist::Part> parts = like.distribution->parts(all);
    for (std::size_t i = 0; i < std::min(parts.size(), like.names.size()); ++i) {
      StatedOutcome one = like;
      one.names = {like.names[i]};
      one.distribution = parts[i].distribution;
      for (const Expr& argument : parts[i].args) one.arguments.push_back(numbers(argument));
      found_.push_back(std::move(one));
    }
    return;
  }
  const Index unit = unit_of(*like.distribution, seen.arguments[0]);
  for (Index b = 0; unit > 0 && b < ssize(like.names) / unit; ++b) {
    StatedOutcome one = like;
    one.names.assign(like.names.begin() + b * unit, like.names.begin() + (b + 1) * unit);
    for (const Value& argument : arguments) {
      const Expr all = machine_.expr(argument);
      const bool is_own = is_array_of_containers(argument) && lang::dims_of(argument)[0] > 1;
      one.arguments.push_back(numbers(
          is_array_of_containers(argument) ? dist::Batch(all).vector(is_own ? b : 0) : all));
    }
    for (Index k = 0; k < unit; ++k)
      one.total += lang::scalar_of(seen.arguments[0], b * unit + k).known;
    found_.push_back(std::move(one));
  }
}

}  // namespace credo::model
