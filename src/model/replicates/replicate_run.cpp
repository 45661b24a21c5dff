#include "model/replicates/replicate_run.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/trace/indexing.hpp"
#include "lang/typed/each_statement.hpp"
#include "lang/typed/loop_facts.hpp"
#include "model/data/unknown_outcomes.hpp"
#include "model/prior/prior_places.hpp"
#include "model/program_parts.hpp"
#include "model/replicates/own_draw.hpp"
#include "model/statements/placed_statement.hpp"

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

// The variables of a block's loops; they are all local.
std::set<int> loop_slots(const typed::Block& block) {
  std::set<int> slots;
  lang::for_each_statement(block.statements, [&](const typed::Statement& s) {
    if (const auto* loop = std::get_if<typed::ForRange>(&s.node)) slots.insert(loop->slot.index);
  });
  return slots;
}

// Equality in which all NaNs are equal, whatever their bits.
bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
}  // namespace

Index Outcome::num_censored() const {
  return ssize(censored) - std::count(censored.begin(), censored.end(), Censored::no);
}

ReplicateRun::ReplicateRun(const ProgramParts& parts)
    : parts_(parts),
      machine_(parts.data.new_machine(
          {.watch = [this](const lang::SeenDensity& seen) { look(seen); },
           .watch_tails = [this](const lang::SeenDensity& seen) { look_at_tail(seen); },
           .watch_own = [this](const lang::SeenDensity& seen) { look_at_own(seen); },
           .before_read = [this](int slot,
                                 const typed::Expression& read) { draw_ahead(slot, read); }})),
      loop_slots_(loop_slots(machine_.program().model)) {}

bool ReplicateRun::Reading::operator==(const Reading& other) const {
  return call == other.call &&
         std::equal(arguments.begin(), arguments.end(), other.arguments.begin(),
                    other.arguments.end(), same_number);
}

void ReplicateRun::draw(std::span<const double> position, std::uint64_t seed) {
  try {
    draw_all(position, seed);
  } catch (NotDrawn& refused) {
    refused.statement = machine_.statement();
    throw;
  }
}

// A statement may read an outcome that is drawn, as y[t] ~ normal(y[t - 1], 1) does; a vector of outcomes may read
// itself; and an outcome that is drawn late may be read earlier. An element that is read before its statement runs is
// drawn at the read, with the arguments of the statement as far as they are known. The block is run again with the
// same random numbers until nothing changes: if the outcomes have an order, each run settles at least one more of
// them, and usually all.
void ReplicateRun::draw_all(std::span<const double> position, std::uint64_t seed) {
  seed_ = seed, position_ = position;
  machine_.forget_steps();
  machine_.globals() = parts_.data.globals();
  parts_.parameters.set_numbers(machine_, position);
  outcomes_.clear();
  keeps_readings_ = asked_slots_.empty() || answer_;  // if the last draw needed them
  run_once();
  if (!reads_outcomes()) return cut_like_the_data();
  keeps_readings_ = true;
  Index num_drawn = 0;
  for (const Outcome& outcome : outcomes_)
    num_drawn += std::count(outcome.drawn.begin(), outcome.drawn.end(), 1);
  for (Index round = 0; round <= num_drawn + 1; ++round) {
    const std::vector<Reading> before = std::move(readings_);
    run_once();
    if (is_settled_ && readings_ == before) return cut_like_the_data();
  }
  throw NotDrawn{.reason = "outcomes depend on each other in a circle",
                 .hint = "draw them in generated quantities, as y_rep"};
}

void ReplicateRun::run_once() {
  readings_.clear();
  statements_.clear();
  times_run_.clear();
  is_settled_ = true, is_in_model_ = false;
  for (Outcome& outcome : outcomes_) {
    std::fill(outcome.drawn.begin(), outcome.drawn.end(), 0);
    std::fill(outcome.ahead.begin(), outcome.ahead.end(), 0);
    std::fill(outcome.censored.begin(), outcome.censored.end(), Censored::no);
  }
  const std::vector<char> all(machine_.program().statement_ranges.size(), 1);
  machine_.run(typed::BlockKind::transformed_parameters);
  is_in_model_ = true;
  machine_.run(typed::BlockKind::model, {.statements = all, .adds_terms = false});
}

void ReplicateRun::look(const lang::SeenDensity& seen) {
  const typed::VariableUse* use = variable_of_outcome(seen.call.arguments[0]);
  // Terms beside a density may read the outcome: then the distribution of the outcome is another one.
  if (seen.increment != nullptr && std::get_if<typed::Call>(&seen.increment->node) != &seen.call)
    return;
  if (use == nullptr) return;
  if (use->slot.local ||
      !is_of_data(machine_.program().globals[static_cast<std::size_t>(use->slot.index)]))
    return look_at_filled(seen);
  const std::int32_t statement = machine_.statement();
  if (keeps_readings_) keep_reading(seen);
  statements_.insert(statement);
  Outcome& outcome = outcome_of(use->slot.index);
  const std::vector<double> values = draw_outcome(machine_, seen, seed_);
  const std::vector<std::int32_t> places = places_of(seen.call.arguments[0], outcome);
  plan(seen, outcome, places);
  write(outcome, places, values);
  machine_.enter(statement);
}

// A censored outcome: the draw is censored at the same value.
void ReplicateRun::look_at_tail(const lang::SeenDensity& seen) {
  const typed::VariableUse* use = variable_of_outcome(seen.call.arguments[0]);
  if (use == nullptr || use->slot.local) return;
  const auto& variable = machine_.program().globals[static_cast<std::size_t>(use->slot.index)];
  if (!is_of_data(variable) || variable.type.is_scalar()) return;
  const std::int32_t statement = machine_.statement();
  if (keeps_readings_) keep_reading(seen);
  statements_.insert(statement);
  Outcome& outcome = outcome_of(use->slot.index);
  std::vector<double> values = draw_outcome(machine_, seen, seed_);
  const std::vector<std::int32_t> places = places_of(seen.call.arguments[0], outcome);
  cut_at_data(seen, outcome, places, values);
  write(outcome, places, values);
  machine_.enter(statement);
}

void ReplicateRun::cut_at_data(const lang::SeenDensity& tail, Outcome& outcome,
                               std::span<const std::int32_t> places, std::span<double> values) {
  const bool is_above = std::string_view(tail.call.function.name).ends_with("_lccdf");
  const Value& observed = parts_.data.globals()[static_cast<std::size_t>(outcome.slot)];
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double bound = lang::scalar_of(observed, places[k]).known;
    values[k] = is_above ? std::min(values[k], bound) : std::max(values[k], bound);
    outcome.censored[static_cast<std::size_t>(places[k])] =
        is_above ? Censored::from_above : Censored::from_below;
  }
}

// A density that the program defines draws by the program's _rng function of the same name, if there is one. Draws of its
// distribution functions are censored.
void ReplicateRun::look_at_own(const lang::SeenDensity& seen) {
  const typed::VariableUse* use = variable_of_outcome(seen.call.arguments[0]);
  if (use == nullptr || use->slot.local) return;
  const typed::Program& program = machine_.program();
  const auto& variable = program.globals[static_cast<std::size_t>(use->slot.index)];
  const bool is_cut = lang::is_tail(seen.call);
  if (!is_of_data(variable) || (is_cut && variable.type.is_scalar())) return;
  if (find_own_rng(program, seen.call) == nullptr) return;
  const std::int32_t statement = machine_.statement();
  if (keeps_readings_) keep_reading(seen);
  statements_.insert(statement);
  Outcome& outcome = outcome_of(use->slot.index);
  std::vector<double> values = draw_own_outcome(machine_, seen, seed_);
  const std::vector<std::int32_t> places = places_of(seen.call.arguments[0], outcome);
  if (is_cut) cut_at_data(seen, outcome, places, values);
  write(outcome, places, values);
  machine_.enter(statement);
}

// An outcome built from data and from parameters that stand for missing values: only its data elements are drawn.
void ReplicateRun::look_at_filled(const lang::SeenDensity& seen) {
  const typed::VariableUse* use = variable_of_outcome(seen.call.arguments[0]);
  const auto& globals = machine_.program().globals;
  if (!use->slot.local &&
      globals[static_cast<std::size_t>(use->slot.index)].block == typed::BlockKind::parameters)
    return;
  if (provenance_ == nullptr) provenance_ = std::make_unique<Provenance>(parts_, position_);
  const std::span<const DataPlace> from = provenance_->of(seen.call, times_run_[&seen.call]++);
  if (ssize(from) != lang::size_of(seen.arguments[0])) return;
  if (std::none_of(from.begin(), from.end(), [](const DataPlace& at) { return at.slot >= 0; }))
    return;
  for (std::size_t e = 0; e < from.size(); ++e)
    if (from[e].slot >= 0 &&
        lang::scalar_of(seen.arguments[0], static_cast<Index>(e)).known !=
            lang::scalar_of(machine_.global(from[e].slot), from[e].place).known)
      return;  // computed from the data, not copied from them
  const std::int32_t statement = machine_.statement();
  if (keeps_readings_) keep_reading(seen);
  statements_.insert(statement);
  const std::vector<double> values = draw_outcome(machine_, seen, seed_);
  for (std::size_t e = 0; e < from.size(); ++e)
    if (from[e].slot >= 0)
      write(outcome_of(from[e].slot), std::array{from[e].place}, std::array{values[e]});
  machine_.enter(statement);
}

void ReplicateRun::plan(const lang::SeenDensity& seen, const Outcome& outcome,
                        std::span<const std::int32_t> places) {
  if (!keeps_readings_ || machine_.is_in_function()) return;
  Planned planned{
      .at = {.call = &seen.call, .truncation = seen.truncation, .path = path_of_draw(machine_)}};
  for (std::size_t k = 1; k < seen.call.arguments.size(); ++k)
    for (const lang::SlotUse& use : lang::facts_of(seen.call.arguments[k]).slots)
      if (use.slot.local && loop_slots_.contains(use.slot.index))
        planned.rounds.emplace_back(use.slot, machine_.variable(use.slot));
  auto& all = plans_[outcome.slot];
  all.resize(outcome.drawn.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    planned.at.element = static_cast<Index>(k);
    all[static_cast<std::size_t>(places[k])] = planned;
  }
}

// Draws elements of an outcome that are read before their statement runs, by the plan of the last run. When the
// statement runs, its draw is compared with the one made here.
void ReplicateRun::draw_ahead(int slot, const typed::Expression& read) {
  if (is_ahead_ || !keeps_readings_ || machine_.is_in_function()) return;
  const auto plans = plans_.find(slot);
  if (plans == plans_.end()) return;
  const auto found = std::find_if(outcomes_.begin(), outcomes_.end(),
                                  [&](const Outcome& one) { return one.slot == slot; });
  if (found == outcomes_.end()) return;
  is_ahead_ = true;
  const std::int32_t statement = machine_.statement();
  for (const std::int32_t place : places_of(read, *found)) {
    const auto at = static_cast<std::size_t>(place);
    if (found->drawn[at] != 0 || found->ahead[at] != 0 || !plans->second[at]) continue;
    const std::optional<double> value = drawn_ahead(*plans->second[at]);
    if (!value) continue;
    set(*found, std::array{place}, std::array{*value});
    found->ahead[at] = 1;
  }
  machine_.enter(statement);
  is_ahead_ = false;
}

std::optional<double> ReplicateRun::drawn_ahead(const Planned& planned) {
  if (not_ahead_.contains(planned.at.call)) return std::nullopt;
  for (std::size_t k = 1; k < planned.at.call->arguments.size(); ++k)
    for (const lang::SlotUse& use : lang::facts_of(planned.at.call->arguments[k]).slots)
      if (use.slot.local && !loop_slots_.contains(use.slot.index) &&
          (!is_in_model_ || machine_.variable(use.slot).is_unset()))
        return std::nullopt;
  if (!planned.rounds.empty() && !is_in_model_) return std::nullopt;
  std::vector<Value> now;
  for (const auto& [slot, value] : planned.rounds)
    now.push_back(std::exchange(machine_.variable(slot), value));
  const std::optional<double> value = draw_element(machine_, planned.at, seed_);
  for (std::size_t k = 0; k < now.size(); ++k) machine_.variable(planned.rounds[k].first) = now[k];
  return value;
}

// If some outcomes are censored, the others could have been censored, too: each replicate is censored at a drawn
// time.
void ReplicateRun::cut_like_the_data() {
  for (Outcome& outcome : outcomes_) {
    if (outcome.num_censored() == 0) continue;
    const Value& observed = parts_.data.globals()[static_cast<std::size_t>(outcome.slot)];
    std::vector<double> values;
    for (Index e = 0; e < lang::size_of(observed); ++e)
      values.push_back(lang::scalar_of(observed, e).known);
    const CensoringTimes above(values, outcome.censored, Censored::from_above),
        below(values, outcome.censored, Censored::from_below);
    for (std::int32_t place = 0; place < ssize(values); ++place) {
      const auto at = static_cast<std::size_t>(place);
      if (outcome.drawn[at] == 0 || outcome.censored[at] != Censored::no) continue;
      Rng rng({.seed = seed_,
               .purpose = purpose::kReplicate,
               .chain = 1,
               .iteration = static_cast<std::uint32_t>(place)});
      const double most = above.draw_beyond(values[at], rng),
                   least = below.draw_beyond(values[at], rng);
      const double drawn = lang::scalar_of(machine_.global(outcome.slot), place).known;
      set(outcome, std::array{place}, std::array{std::max(std::min(drawn, most), least)});
    }
  }
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
           .drawn = std::vector<char>(static_cast<std::size_t>(lang::size_of(now))),
           .ahead = std::vector<char>(static_cast<std::size_t>(lang::size_of(now))),
           .censored = std::vector<Censored>(static_cast<std::size_t>(lang::size_of(now)))});
}

std::vector<std::int32_t> ReplicateRun::places_of(const typed::Expression& e, Outcome& outcome) {
  const bool was_ahead = std::exchange(is_ahead_, true);  // places are read here, not elements
  std::vector<std::int32_t> places = places_of_outcome(machine_, e, outcome.slot, outcome.places);
  is_ahead_ = was_ahead;
  return places;
}

void ReplicateRun::write(Outcome& outcome, std::span<const std::int32_t> places,
                         std::span<const double> values) {
  for (std::size_t k = 0; k < places.size(); ++k) mark_drawn(outcome, places[k], values[k]);
  set(outcome, places, values);
}

void ReplicateRun::mark_drawn(Outcome& outcome, std::int32_t place, double value) {
  const auto at = static_cast<std::size_t>(place);
  if (std::exchange(outcome.drawn[at], 1) != 0)
    throw NotDrawn{
        .reason = machine_.program().globals[static_cast<std::size_t>(outcome.slot)].name +
                  " has an element of which there are two densities",
        .hint = "draw it in generated quantities, as y_rep"};
  if (outcome.ahead[at] == 0) return;
  if (same_number(lang::scalar_of(machine_.global(outcome.slot), place).known, value)) return;
  is_settled_ = false;  // the value that was read isn't the value drawn
  if (const auto& planned = plans_[outcome.slot][at]) not_ahead_.insert(planned->at.call);
}

void ReplicateRun::set(Outcome& outcome, std::span<const std::int32_t> places,
                       std::span<const double> values) {
  const std::string& name = machine_.program().globals[static_cast<std::size_t>(outcome.slot)].name;
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

bool ReplicateRun::reads_outcomes() {
  std::set<int> slots;
  for (const Outcome& outcome : outcomes_) slots.insert(outcome.slot);
  if (slots != asked_slots_) {
    answer_ = is_read_before_model(machine_.program(), slots) ||
              read_in_model(machine_.program(), slots, OutcomeUse::any).has_value();
    asked_slots_ = std::move(slots);
  }
  return answer_;
}

}  // namespace credo::model
