#include "model/replicates/replicate_run.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/trace/indexing.hpp"
#include "lang/typed/loop_facts.hpp"
#include "model/model.hpp"
#include "model/prior/prior_plan.hpp"

namespace credo::model {
using lang::Value;
namespace typed = lang::typed;

namespace {
bool is_of_data(const typed::GlobalVariable& variable) {
  return variable.block == typed::BlockKind::data ||
         variable.block == typed::BlockKind::transformed_data;
}

// Elements numbered in storage order, in the shape of a value.
Value places_like(const Value& value) {
  const Index size = lang::size_of(value);
  if (value.is_scalar()) return Value(std::int32_t{0});
  std::vector<std::int32_t> places(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), 0);
  if (value.is_ints()) return lang::make_ints(lang::dims_of(value), std::move(places));
  std::vector<lang::Scalar> elements(places.begin(), places.end());
  return lang::make_reals(lang::base_of(value), lang::dims_of(value), std::move(elements));
}
}  // namespace

ReplicateRun::ReplicateRun(const Model& model)
    : model_(model),
      machine_(
          model.new_machine({.watch = [this](const lang::SeenDensity& seen) { look(seen); }})) {}

bool ReplicateRun::Reading::operator==(const Reading& other) const {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return call == other.call && std::equal(arguments.begin(), arguments.end(),
                                          other.arguments.begin(), other.arguments.end(), same);
}

void ReplicateRun::draw(std::span<const double> position, std::uint64_t seed) {
  try {
    draw_all(position, seed);
  } catch (NotDrawn& refused) {
    refused.statement = machine_.statement();
    throw;
  }
}

// A statement may read what is drawn, as y[t] ~ normal(y[t - 1], 1) does, and a vector of outcomes may read itself. The
// same random numbers are drawn from again until nothing changes: where the outcomes have an order, each run
// sets one more of them at least.
void ReplicateRun::draw_all(std::span<const double> position, std::uint64_t seed) {
  seed_ = seed;
  machine_.globals() = model_.globals_;
  model_.set_parameters(machine_, graph::constant(graph::vector_shape(ssize(position)), position));
  outcomes_.clear();
  keeps_readings_ = asked_slots_.empty() || answer_;  // as the last draw needed them
  run_once();
  if (!reads_outcomes()) return;
  keeps_readings_ = true;
  Index num_drawn = 0;
  for (const Outcome& outcome : outcomes_)
    num_drawn += std::count(outcome.drawn.begin(), outcome.drawn.end(), 1);
  for (Index round = 0; round <= num_drawn + 1; ++round) {
    const std::vector<Reading> before = std::move(readings_);
    run_once();
    if (readings_ == before) return;
  }
  throw NotDrawn{.reason = "outcomes depend on each other in a circle",
                 .hint = "draw them in generated quantities, as y_rep"};
}

void ReplicateRun::run_once() {
  readings_.clear();
  statements_.clear();
  for (Outcome& outcome : outcomes_) std::fill(outcome.drawn.begin(), outcome.drawn.end(), 0);
  const std::vector<char> all(machine_.program().statement_ranges.size(), 1);
  machine_.run(typed::BlockKind::transformed_parameters);
  machine_.run(typed::BlockKind::model, {.statements = all, .adds_terms = false});
}

void ReplicateRun::look(const lang::SeenDensity& seen) {
  const typed::VariableUse* use = outcome_of_prior(seen.call.arguments[0]);
  // What stands beside a density may read the outcome: then the law of the outcome is another one.
  if (seen.increment != nullptr && std::get_if<typed::Call>(&seen.increment->node) != &seen.call)
    return;
  if (use == nullptr ||
      !is_of_data(machine_.program().globals[static_cast<std::size_t>(use->slot.index)]))
    return;
  const std::int32_t statement = machine_.statement();
  if (keeps_readings_) keep_reading(seen);
  statements_.insert(statement);
  Outcome& outcome = outcome_of(use->slot.index);
  const std::vector<double> values = draw_outcome(machine_, seen, seed_);
  write(outcome, places_of(seen.call.arguments[0], outcome), values);
  machine_.enter(statement);
}

void ReplicateRun::keep_reading(const lang::SeenDensity& seen) {
  Reading reading{&seen.call, {}};
  for (const Value& argument : seen.arguments.subspan(1)) {
    const Index size = lang::size_of(argument);
    for (Index i = 0; i < size; ++i)
      reading.arguments.push_back(lang::scalar_of(argument, i).known);
  }
  readings_.push_back(std::move(reading));
}

Outcome& ReplicateRun::outcome_of(int slot) {
  const auto at = std::find_if(outcomes_.begin(), outcomes_.end(),
                               [&](const Outcome& outcome) { return outcome.slot >= slot; });
  if (at != outcomes_.end() && at->slot == slot) return *at;
  const Value& now = machine_.global(slot);
  return *outcomes_.insert(
      at, {.slot = slot,
           .places = places_like(now),
           .drawn = std::vector<char>(static_cast<std::size_t>(lang::size_of(now)))});
}

// The outcome of places instead of values, so that indices and reshapings apply to them.
std::vector<std::int32_t> ReplicateRun::places_of(const typed::Expression& e, Outcome& outcome) {
  const Value now = std::exchange(machine_.global(outcome.slot), outcome.places);
  const Value selected = machine_.evaluate(e);
  machine_.global(outcome.slot) = now;
  std::vector<std::int32_t> places;
  for (Index i = 0; i < lang::size_of(selected); ++i)
    places.push_back(static_cast<std::int32_t>(lang::scalar_of(selected, i).known));
  return places;
}

void ReplicateRun::write(Outcome& outcome, std::span<const std::int32_t> places,
                         std::span<const double> values) {
  const std::string& name = machine_.program().globals[static_cast<std::size_t>(outcome.slot)].name;
  for (const std::int32_t place : places)
    if (std::exchange(outcome.drawn[static_cast<std::size_t>(place)], 1) != 0)
      throw NotDrawn{.reason = name + " has an element of which there are two densities",
                     .hint = "draw it in generated quantities, as y_rep"};
  Value& global = machine_.global(outcome.slot);
  const bool is_whole =
      lang::is_int_based(machine_.program().globals[static_cast<std::size_t>(outcome.slot)].type);
  std::vector<std::int32_t> wholes;
  for (const double value : values) {
    if (!is_whole) break;
    if (!(std::abs(value) <= double(lang::Whole::kMost)))
      throw NotDrawn{.reason = fmt::format("{} would be {}, beyond the whole numbers of a program",
                                           name, value),
                     .hint = "state priors that keep counts below 2147483648",
                     .is_of_point = true};
    wholes.push_back(static_cast<std::int32_t>(value));
  }
  if (global.is_scalar()) {
    global = is_whole ? Value(wholes[0]) : Value(lang::Scalar(values[0]));
    return;
  }
  const lang::Dims dims{ssize(values)};
  if (is_whole)
    lang::write(global, places, lang::make_ints(dims, std::move(wholes)));
  else
    lang::write(global, places,
                lang::make_reals(lang::BaseType::vector, dims,
                                 std::vector<lang::Scalar>(values.begin(), values.end())));
}

namespace {
// Whether anything but the outcomes themselves reads one of these variables.
class Readers {
 public:
  Readers(const typed::Program& program, const std::set<int>& slots) : slots_(slots) {
    for (const typed::Statement& s : program.transformed_parameters.statements) one(s);
    for (const typed::Statement& s : program.model.statements) one(s);
  }
  bool any() const { return any_; }

 private:
  void one(const typed::Statement& s) {
    std::visit([&](const auto& node) { look(node, s); }, s.node);
  }
  void all(std::span<const typed::Statement> statements) {
    for (const typed::Statement& s : statements) one(s);
  }
  void body(const typed::Body& s) {
    if (s != nullptr) one(*s);
  }
  void read(const lang::Facts& facts) {
    for (const lang::SlotUse& use : facts.slots)
      any_ |= !use.slot.local && slots_.contains(use.slot.index);
  }
  void read(const typed::Expression& e) { read(lang::facts_of(e)); }
  void read(const typed::Box& e) {
    if (e != nullptr) read(*e);
  }
  void read(const typed::Call& density) {
    for (std::size_t k = 1; k < density.arguments.size(); ++k) read(density.arguments[k]);
    const auto* indexed = std::get_if<typed::Indexed>(&density.arguments[0].node);
    if (indexed == nullptr) return;
    for (const typed::IndexArgument& index : indexed->indices) read(index);
  }
  void read(const typed::IndexArgument& index) { read(index.first), read(index.last); }
  template <class T>
  void look(const T&, const typed::Statement& s) {
    read(lang::facts_of(s));
  }
  void look(const typed::Distribution& d, const typed::Statement&) {
    read(d.density), read(d.lower), read(d.upper);
  }
  void look(const typed::TargetIncrement& t, const typed::Statement&) {
    const auto* call = std::get_if<typed::Call>(&t.value.node);
    if (call != nullptr && !call->arguments.empty() &&
        outcome_of_prior(call->arguments[0]) != nullptr)
      read(*call);
    else
      read(t.value);
  }
  void look(const typed::If& s, const typed::Statement&) {
    read(s.condition), body(s.if_true), body(s.if_false);
  }
  void look(const typed::While& s, const typed::Statement&) { read(s.condition), body(s.body); }
  void look(const typed::ForRange& s, const typed::Statement&) {
    read(s.first), read(s.last), body(s.body);
  }
  void look(const typed::ForEach& s, const typed::Statement&) { read(s.container), body(s.body); }
  void look(const typed::Sequence& s, const typed::Statement&) { all(s.statements); }
  void look(const typed::Profile& s, const typed::Statement&) { all(s.statements); }

  const std::set<int>& slots_;
  bool any_ = false;
};
}  // namespace

bool ReplicateRun::reads_outcomes() {
  std::set<int> slots;
  for (const Outcome& outcome : outcomes_) slots.insert(outcome.slot);
  if (slots != asked_slots_) {
    answer_ = Readers(machine_.program(), slots).any();
    asked_slots_ = std::move(slots);
  }
  return answer_;
}

}  // namespace credo::model
