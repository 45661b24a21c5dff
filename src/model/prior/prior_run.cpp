#include "model/prior/prior_run.hpp"

#include "base/error.hpp"
#include "dist/batch.hpp"
#include "dist/quantile.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/trace/indexing.hpp"
#include "model/prior/flat_draw.hpp"
#include "model/prior/prior_mixture.hpp"
#include "model/prior/prior_places.hpp"
#include "model/program_parts.hpp"
#include "numerics/log_sum.hpp"

namespace credo::model {
namespace {
using graph::Expr;
using lang::Value;

constexpr double kMostLogWeight = 1e-9;  // limit for weights that sum to 1, up to rounding

double number(const Value& value) { return lang::scalar_of(value).known; }

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool orders(typed::Constraint constraint) {
  return constraint == typed::Constraint::ordered ||
         constraint == typed::Constraint::positive_ordered;
}

// True if all elements have the same univariate prior.
bool are_alike(const lang::SeenDensity& seen) {
  return std::all_of(seen.arguments.begin() + 1, seen.arguments.end(),
                     [](const Value& argument) { return argument.is_scalar(); });
}

// Records the argument that element i was drawn with. If a scalar argument changes from element to element, draws
// can't be compared with it, and NaN is recorded.
void note_argument(std::vector<double>& read, const Value& argument, Index i) {
  if (!argument.is_scalar()) return read.push_back(lang::scalar_of(argument, i).known);
  const double value = number(argument);
  if (read.empty()) read.push_back(value);
  if (read[0] != value) read[0] = kNaN;
}

// How many vectors an argument is an array of; 0 for a single one, and for no array.
Index num_vectors(const Value& argument) {
  const int inner = lang::inner_dims(lang::base_of(argument));
  const lang::Dims dims = lang::dims_of(argument);
  return inner > 0 && dims.count > inner ? dims[0] : 0;
}
}  // namespace

double Uniforms::next() {
  const Index k = num_taken_++;
  if (rng_ != nullptr) return rng_->uniform();
  CREDO_ASSERT(k < ssize(cube_), "the cube has a coordinate for each number");
  return cube_[static_cast<std::size_t>(k)];
}

PriorRun::PriorRun(const ProgramParts& parts, const PriorPlan& plan, PriorUse use,
                   Uniforms& uniforms)
    : parts_(parts),
      plan_(plan),
      use_(use),
      uniforms_(uniforms),
      machine_(
          parts.data.new_machine({.watch = [this](const lang::SeenDensity& seen) { look(seen); },
                                  .watches_mixtures = use == PriorUse::exact,
                                  .watched_sums = plan.sums})),
      variables_(parts.data.source().program.globals.size()),
      log_masses_(variables_.size()),
      log_volumes_(variables_.size()) {}

// ---- a start ----

std::optional<density::Start> PriorRun::start(std::vector<double> free) {
  density::Start start{std::move(free), 0.0};
  try {
    parts_.parameters.set_numbers(machine_, start.position);
    run_stages(false);
    if (!any_is_drawn()) return std::nullopt;
    start.log_density = *settle(start.position);
    is_drawing_ = false;
    start.log_density += run_stages(true);
  } catch (const lang::Rejection&) {  // the density says why, if it refuses the point, too
    start.log_density = kNaN;
  } catch (const Error&) {
    start.log_density = kNaN;
  }
  return start;
}

// ---- a draw ----

// Values that are drawn later stand at 1/2 until then.
std::optional<density::Start> PriorRun::draw() {
  density::Start start{
      std::vector<double>(static_cast<std::size_t>(parts_.parameters.dimension()), 0.5), 0.0};
  const auto set = [&] { parts_.parameters.set_numbers(machine_, start.position); };
  try {
    set();
    draw_flats(start.position);
    set();
    run_stages(false);
    require_complete();
    const std::optional<double> log_jacobian = settle(start.position);
    if (!log_jacobian) return std::nullopt;
    is_drawing_ = false;
    start.log_density = *log_jacobian + run_stages(true);
  } catch (const lang::Rejection&) {
    return std::nullopt;
  }
  return start;
}

void PriorRun::refuse(int slot, std::string reason, std::string hint) const {
  throw NoExactDraws{{.can = false,
                      .reason = name_of(slot) + " " + std::move(reason),
                      .where = parts_.data.source().where(machine_.statement()),
                      .hint = std::move(hint)}};
}

void PriorRun::draw_flats(std::span<double> free) {
  std::span<double> rest = free;
  for (const typed::Statement& s : machine_.program().parameters.statements) {
    const auto* d = std::get_if<typed::Declaration>(&s.node);
    if (d == nullptr || lang::is_int_based(d->type->type)) continue;
    machine_.enter(s);
    for (const lang::Leaf& leaf : lang::leaves_of(machine_, *d->type, d->name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine_, *leaf.type, leaf.name);
      const std::span<double> own = rest.first(static_cast<std::size_t>(lang::free_size(plan)));
      rest = rest.subspan(own.size());
      const int slot = d->slot.index;
      if (plan_.outcomes.contains(slot)) continue;
      const FlatDraw drawn = draw_flat(plan, uniforms_, own);
      if (!drawn.is_possible)
        refuse(slot, "has no density that can be drawn from, and its range is unbounded",
               "state its prior as a density of it: " + d->name + " ~ normal(0, 1)");
      used_whole_ = used_whole_ || drawn.is_whole;
    }
  }
}

// In the order in which priors ran, each element was drawn once.
void PriorRun::require_complete() const {
  for (const int slot : plan_.outcomes) {
    const Variable& variable = variables_[static_cast<std::size_t>(slot)];
    const bool is_complete =
        variable.plan.has_value() &&
        std::all_of(variable.drawn.begin(), variable.drawn.end(), [](char d) { return d != 0; });
    if (!is_complete)
      refuse(slot, "has elements that no density draws, or priors that need each other",
             "state a prior of each element, with arguments that other statements draw");
  }
}

// ---- both ----

bool PriorRun::is_drawn(const Variable& variable) {
  return std::any_of(variable.drawn.begin(), variable.drawn.end(),
                     [](char drawn) { return drawn != 0; });
}

bool PriorRun::any_is_drawn() const {
  return std::any_of(variables_.begin(), variables_.end(), is_drawn);
}

double PriorRun::run_stages(bool adds_terms) {
  machine_.terms.clear();
  log_summed_ = 0.0;
  for (const PriorStage& stage : plan_.stages)
    machine_.run(stage.block, {.statements = stage.statements, .adds_terms = adds_terms});
  double sum = adds_terms ? log_summed_ : 0.0;
  for (const lang::Term& term : machine_.terms) sum += term.value.value() + term.dropped;
  return sum;
}

void PriorRun::look(const lang::SeenDensity& seen) {
  const typed::VariableUse* outcome = outcome_of_prior(seen.call.arguments[0]);
  if (outcome == nullptr || (seen.is_summed && !plan_.summed.contains(machine_.statement())))
    return;
  if (seen.is_summed && !is_drawing_)
    log_summed_ += machine_.expr(machine_.evaluate(*seen.increment)).value();
  if (is_drawing_)
    draw_outcome(outcome->slot.index, seen);
  else if (is_exact())
    compare(outcome->slot.index, seen);
}

void PriorRun::draw_outcome(int slot, const lang::SeenDensity& seen) {
  if (seen.mixture != nullptr) return draw_mixture(slot, seen);
  const dist::Distribution& d = *lang::distribution_function(seen.call.function.name)->distribution;
  if (d.kind != dist::Kind::multivariate && !seen.arguments[0].is_scalar() &&
      reads_slot(seen.call, slot))
    return draw_in_turn(slot, d, seen);
  if (is_exact()) readings_.push_back(reading_of(slot, seen));
  Variable& variable = variable_of(slot);
  const std::vector<std::int32_t> places = places_of(seen.call.arguments[0], slot, variable);
  std::vector<double> values = d.kind == dist::Kind::multivariate
                                   ? draw_whole(d, seen)
                                   : draw_each(d, seen, variable, places);
  if (values.size() != places.size()) {
    if (is_exact())
      refuse(slot, "has a density that can't be drawn from", "use another distribution");
    return;
  }
  if (ssize(places) == lang::size_of(variable.positions)) arrange(slot, variable, seen, values);
  write(slot, variable, places, values);
}

// The log mass within the bounds of all elements together. Doesn't draw them.
double PriorRun::log_mass_of(const dist::Distribution& d, const lang::SeenDensity& seen,
                             Variable& variable, std::span<const std::int32_t> places) {
  const int slot = outcome_of_prior(seen.call.arguments[0])->slot.index;
  double sum = 0.0;
  for (std::size_t i = 0; i < places.size(); ++i)
    sum += drawing_of(variable, stated_prior(d, seen, declared(slot, variable, places[i]),
                                             static_cast<Index>(i)))
               .log_mass;
  return sum;
}

// Chooses a component by its share of the mass within the bounds, and draws all elements of the statement from it.
void PriorRun::draw_mixture(int slot, const lang::SeenDensity& seen) {
  if (is_exact()) readings_.push_back(reading_of(slot, seen));
  Variable& variable = variable_of(slot);
  const std::vector<std::int32_t> places = places_of(seen.call.arguments[0], slot, variable);
  const MixtureValues mixture(machine_, *seen.mixture);
  std::vector<double> log_shares, log_weights;
  for (const MixtureValues::Component& c : mixture.components) {
    const dist::Distribution& d = *lang::distribution_function(c.call->function.name)->distribution;
    if (places_of(c.call->arguments[0], slot, variable) != places)
      refuse(slot, "has a mixture whose densities are of different elements",
             "write a mixture for each element");
    log_weights.push_back(c.log_weight);
    log_shares.push_back(c.log_weight + log_mass_of(d, {*c.call, c.arguments}, variable, places));
  }
  const double log_total = numerics::log_sum_exp(log_shares);
  if (is_exact() && !(numerics::log_sum_exp(log_weights) < kMostLogWeight))
    refuse(slot, "has a mixture whose weights sum to more than 1", "let the weights sum to 1");
  double u = uniforms_.next();
  std::size_t k = 0;
  while (k + 1 < log_shares.size() && u >= std::exp(log_shares[k] - log_total))
    u -= std::exp(log_shares[k++] - log_total);
  const MixtureValues::Component& chosen = mixture.components[k];
  double& log_mass = log_masses_[static_cast<std::size_t>(slot)];
  const double before = log_mass;
  const std::vector<double> values =
      draw_each(*lang::distribution_function(chosen.call->function.name)->distribution,
                {*chosen.call, chosen.arguments}, variable, places);
  log_mass = before + (is_exact() ? log_total : 0.0);
  write(slot, variable, places, values);
}

// A random walk in one statement, f[2:N] ~ normal(f[1:(N - 1)], s). The arguments are evaluated again for each
// element, after the elements before it have been drawn.
void PriorRun::draw_in_turn(int slot, const dist::Distribution& d, const lang::SeenDensity& seen) {
  Variable& variable = variable_of(slot);
  const std::vector<std::int32_t> places = places_of(seen.call.arguments[0], slot, variable);
  std::vector<Value> arguments(seen.arguments.begin(), seen.arguments.end());
  const lang::SeenDensity now{seen.call, arguments, seen.truncation, seen.increment};
  std::vector<std::vector<double>> read(arguments.size() - 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = 1; k < arguments.size(); ++k) {
      arguments[k] = machine_.evaluate(seen.call.arguments[k]);
      note_argument(read[k - 1], arguments[k], static_cast<Index>(i));
    }
    const std::span<const std::int32_t> place(&places[i], 1);
    write(slot, variable, place, draw_each(d, now, variable, place, static_cast<Index>(i)));
  }
  if (!is_exact()) return;
  Reading& reading = readings_.emplace_back(Reading{&seen.call, places, {}, truncation(seen)});
  for (const std::vector<double>& one : read)
    reading.arguments.insert(reading.arguments.end(), one.begin(), one.end());
}

// ---- comparison of readings with the program's values

bool PriorRun::Reading::is_close_to(const Reading& other) const {
  constexpr double kRounding = 1e-6;  // error of unconstraining and constraining
  const auto close = [](double a, double b) {
    return a == b || std::abs(a - b) <= kRounding * (1.0 + std::abs(a)) ||
           (std::isnan(a) && std::isnan(b));
  };
  return call == other.call && places == other.places &&
         std::equal(arguments.begin(), arguments.end(), other.arguments.begin(),
                    other.arguments.end(), close) &&
         close(truncated.lower, other.truncated.lower) &&
         close(truncated.upper, other.truncated.upper);
}

PriorRun::Reading PriorRun::reading_of(int slot, const lang::SeenDensity& seen) {
  Reading reading{
      &seen.call, places_of(seen.call.arguments[0], slot, variable_of(slot)), {}, truncation(seen)};
  const auto add = [&](std::span<const Value> arguments) {
    for (const Value& argument : arguments.subspan(1))
      for (Index i = 0; i < lang::size_of(argument); ++i)
        reading.arguments.push_back(lang::scalar_of(argument, i).known);
  };
  add(seen.arguments);
  if (seen.mixture == nullptr) return reading;
  for (const MixtureValues::Component& c : MixtureValues(machine_, *seen.mixture).components) {
    add(c.arguments);
    reading.arguments.push_back(c.log_weight);
  }
  return reading;
}

// The same statements run once more where everything is drawn: one that read what wasn't there yet
// reads something else now.
void PriorRun::compare(int slot, const lang::SeenDensity& seen) {
  const bool is_known = num_compared_ < readings_.size() &&
                        readings_[num_compared_].is_close_to(reading_of(slot, seen));
  if (!is_known)
    refuse(slot, "has a density that reads a later parameter",
           "state priors in an order in which each reads what earlier ones have drawn");
  ++num_compared_;
}

// One outcome for each density: arguments that are longer make several densities of one outcome.
void PriorRun::require_one_density(int slot, const lang::SeenDensity& seen, Index num_outcomes,
                                   Index unit) const {
  if (!is_exact()) return;
  for (const Value& argument : seen.arguments.subspan(1)) {
    const Index count = unit == 0 ? lang::size_of(argument) : num_vectors(argument);
    if (!argument.is_scalar() && count > num_outcomes)
      refuse(slot, "has several densities in one statement, whose arguments are longer",
             "state one density of each element");
  }
}

const typed::SizedType& PriorRun::type_of(int slot) const {
  return *parts_.data.source().program.globals[static_cast<std::size_t>(slot)].sized_type;
}

const std::string& PriorRun::name_of(int slot) const {
  return parts_.data.source().program.globals[static_cast<std::size_t>(slot)].name;
}

PriorRun::Variable& PriorRun::variable_of(int slot) {
  Variable& variable = variables_[static_cast<std::size_t>(slot)];
  if (variable.plan) return variable;
  const Value& now = machine_.global(slot);
  const Index size = lang::size_of(now);
  variable.drawn.resize(static_cast<std::size_t>(size));
  variable.positions = places_as_values(now);
  variable.plan = lang::plan_constraint(machine_, type_of(slot), "");
  return variable;
}

std::vector<std::int32_t> PriorRun::places_of(const typed::Expression& outcome, int slot,
                                              const Variable& variable) {
  return places_of_outcome(machine_, outcome, slot, variable.positions);
}

Limits PriorRun::declared(int slot, const Variable& variable, Index i) const {
  const typed::Constraint constraint = type_of(slot).constraint;
  if (constraint == typed::Constraint::positive_ordered) return {.lower = 0.0};
  if (constraint != typed::Constraint::bounds) return {};
  return {transform::bound_at(variable.plan->bounds.first, i, -kInfinity),
          transform::bound_at(variable.plan->bounds.second, i, kInfinity)};
}

Limits PriorRun::truncation(const lang::SeenDensity& seen) {
  Limits limits;
  if (seen.truncation == nullptr) return limits;
  if (seen.truncation->lower) limits.lower = number(machine_.evaluate(*seen.truncation->lower));
  if (seen.truncation->upper) limits.upper = number(machine_.evaluate(*seen.truncation->upper));
  return limits;
}

PriorRun::Drawing& PriorRun::drawing_of(Variable& variable, StatedPrior stated) {
  std::optional<Drawing>& last = variable.last;
  if (last && last->prior.is_of(stated)) return *last;
  ElementPrior prior(std::move(stated));
  const bool is_usable = is_exact() ? prior.is_valid() : prior.says_where();
  const double log_mass = is_exact() && is_usable ? prior.log_mass() : 0.0;
  return last.emplace(Drawing{std::move(prior), is_usable, log_mass});
}

StatedPrior PriorRun::stated_prior(const dist::Distribution& d, const lang::SeenDensity& seen,
                                   Limits declared, Index element) {
  StatedPrior stated{&d, {}, declared, truncation(seen)};
  for (const Value& argument : seen.arguments.subspan(1))
    stated.arguments.push_back(lang::scalar_of(argument, argument.is_scalar() ? 0 : element).known);
  return stated;
}

std::vector<double> PriorRun::draw_each(const dist::Distribution& d, const lang::SeenDensity& seen,
                                        Variable& variable, std::span<const std::int32_t> places,
                                        Index first) {
  const int slot = outcome_of_prior(seen.call.arguments[0])->slot.index;
  const double tail = is_exact() ? 0.0 : kStartTail;
  require_one_density(slot, seen, lang::size_of(seen.arguments[0]), 0);
  if (is_exact() && d.name == "von_mises")
    refuse(slot, "has a distribution on the circle, whose turns aren't told apart",
           "use --sampler nuts");
  std::vector<double> values;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Drawing& drawing = drawing_of(
        variable,
        stated_prior(d, seen, declared(slot, variable, places[i]), first + static_cast<Index>(i)));
    const double u = uniforms_.next(tail, 1.0 - tail);
    values.push_back(drawing.is_usable ? drawing.prior.at(u) : kNaN);
    const bool has_mass = drawing.is_usable && drawing.log_mass > -kInfinity;
    if (is_exact() && has_mass && std::isnan(values.back()))
      refuse(slot, "has a density without quantiles within its bounds", "use another distribution");
    log_masses_[static_cast<std::size_t>(slot)] += drawing.log_mass;
  }
  return values;
}

// Draws several vectors or matrices, one after another. Empty: can't be drawn.
std::vector<double> PriorRun::draw_whole(const dist::Distribution& d,
                                         const lang::SeenDensity& seen) {
  const Value& outcome = seen.arguments[0];
  const lang::Dims dims = lang::dims_of(outcome);
  const int inner = lang::inner_dims(lang::base_of(outcome));
  Index unit = 1;
  for (int k = 0; k < inner; ++k) unit *= dims.back(k);
  used_whole_ = true;
  if (unit > 0)
    require_one_density(outcome_of_prior(seen.call.arguments[0])->slot.index, seen,
                        lang::size_of(outcome) / unit, unit);
  if (d.draw_all == nullptr || d.discrete || unit == 0 || uniforms_.rng() == nullptr) return {};
  std::vector<double> values;
  for (Index b = 0; b < lang::size_of(outcome) / unit; ++b) {
    const std::vector<double> drawn = draw_unit(d, seen, b, dims.back());
    values.insert(values.end(), drawn.begin(), drawn.end());
  }
  return values;
}

std::vector<double> PriorRun::draw_unit(const dist::Distribution& d, const lang::SeenDensity& seen,
                                        Index b, Index size) {
  std::vector<Expr> arguments;
  const bool takes_size = d.name == "lkj_corr" || d.name == "lkj_corr_cholesky";
  if (takes_size) arguments.emplace_back(static_cast<double>(size));
  for (const Value& argument : seen.arguments.subspan(1)) {
    const Index vectors = num_vectors(argument);
    const Expr all = machine_.expr(argument);
    arguments.push_back(vectors > 0 ? dist::Batch(all).vector(vectors == 1 ? 0 : b) : all);
  }
  return dist::draw_all(d, *uniforms_.rng(), arguments, seen.call.function.name, machine_.checks());
}

// Elements with the same prior are put in the declared order, or moved to a sum of zero. Others
// are in order by chance, or the draw is invalid.
void PriorRun::arrange(int slot, const Variable& variable, const lang::SeenDensity& seen,
                       std::span<double> values) {
  const typed::Constraint constraint = type_of(slot).constraint;
  const auto unit = static_cast<std::size_t>(variable.plan->unit.size());
  const bool is_centred = constraint == typed::Constraint::sum_to_zero_vector;
  if ((!orders(constraint) && !is_centred) || !all_finite(values)) return;
  if (is_exact() && !is_centred && !are_alike(seen)) return;
  for (std::size_t begin = 0; unit > 0 && begin < values.size(); begin += unit) {
    const std::span<double> part = values.subspan(begin, unit);
    if (orders(constraint)) {  // one order of n! is drawn
      std::sort(part.begin(), part.end());
      log_masses_[static_cast<std::size_t>(slot)] -= std::lgamma(static_cast<double>(unit) + 1.0);
    }
    if (is_centred) centre(slot, seen, part);
  }
}

// Independent normal numbers of one scale, less their mean, have the distribution of such numbers given that
// their sum is zero. The scale contributes to the density's mass on that plane.
void PriorRun::centre(int slot, const lang::SeenDensity& seen, std::span<double> unit) {
  const auto size = static_cast<double>(unit.size());
  const double mean = std::accumulate(unit.begin(), unit.end(), 0.0) / size;
  for (double& x : unit) x -= mean;
  if (!is_exact()) return;
  const std::string_view name =
      lang::distribution_function(seen.call.function.name)->distribution->name;
  if (!are_alike(seen) || seen.is_truncated() || (name != "normal" && name != "std_normal"))
    refuse(slot, "sums to zero, and its prior isn't one normal distribution of all elements",
           "write normal(0, sigma) with one sigma");
  const double location = name == "normal" ? number(seen.arguments[1]) : 0.0;
  const double scale = name == "normal" ? number(seen.arguments[2]) : 1.0;
  log_volumes_[static_cast<std::size_t>(slot)] -=
      std::log(scale) + 0.5 * size * (location / scale) * (location / scale);
}

// Writes drawn values; for an element with several priors a start takes the first.
void PriorRun::write(int slot, Variable& variable, std::span<const std::int32_t> places,
                     std::span<const double> values) {
  Value& global = machine_.global(slot);
  for (std::size_t i = 0; i < places.size(); ++i) {
    char& drawn = variable.drawn[static_cast<std::size_t>(places[i])];
    if (is_exact() && drawn != 0)
      refuse(slot, "has two densities", "state one prior of each element");
    if (drawn != 0 || (!is_exact() && !std::isfinite(values[i]))) continue;
    drawn = 1;
    const lang::Scalar value(values[i]);
    if (global.is_scalar())
      global = value;
    else
      lang::write(global, std::array{places[i]}, value);
  }
}

// Turns drawn values into unconstrained values, and sets others from theirs; returns the log Jacobian of
// the drawn ones. Empty if a draw lies outside.
std::optional<double> PriorRun::settle(std::vector<double>& free) {
  double log_jacobian = 0.0;
  std::span<double> rest = free;
  for (const typed::Statement& s : machine_.program().parameters.statements) {
    const auto* d = std::get_if<typed::Declaration>(&s.node);
    if (d == nullptr || lang::is_int_based(d->type->type)) continue;
    machine_.enter(s);
    const std::optional<double> own = settle(*d, rest);
    if (!own) return std::nullopt;
    log_jacobian += *own;
  }
  return log_jacobian;
}

std::optional<double> PriorRun::settle(const typed::Declaration& d, std::span<double>& rest) {
  const int slot = d.slot.index;
  const bool takes = is_drawn(variables_[static_cast<std::size_t>(slot)]);
  const bool is_flat = is_exact() && !takes;
  double log_jacobian = 0.0;
  std::vector<Value> values;
  for (const lang::Leaf& leaf : lang::leaves_of(machine_, *d.type, d.name)) {
    const lang::ConstraintPlan plan = lang::plan_constraint(machine_, *leaf.type, leaf.name);
    const std::span<double> own = rest.first(static_cast<std::size_t>(lang::free_size(plan)));
    rest = rest.subspan(own.size());
    const bool is_taken =
        takes && (is_exact() ? take_exactly(slot, plan, machine_.global(slot), own)
                             : take(plan, machine_.global(slot), own));
    if (is_exact() && takes && !is_taken) return std::nullopt;
    const lang::ConstrainedValue c = lang::constrain(
        machine_, plan, graph::constant(graph::vector_shape(ssize(own)), own), leaf.name);
    if (is_taken || is_flat) log_jacobian += c.log_jacobian.value();
    if (is_flat) log_volumes_[static_cast<std::size_t>(slot)] += log_volume(plan);
    values.push_back(c.value);
  }
  machine_.global(slot) = lang::from_leaves(*d.type, values);
  return log_jacobian;
}

// False where the value is outside of the constraint, or at its edge: it stays as it was.
bool PriorRun::take(const lang::ConstraintPlan& plan, const Value& value, std::span<double> own) {
  try {
    const std::vector<double> free = lang::unconstrain(plan, value, "");
    if (!all_finite(free)) return false;
    std::copy(free.begin(), free.end(), own.begin());
    return true;
  } catch (const Error&) {
    return false;
  }
}

// False where the value lies outside of bounds, or isn't in order: there the density is 0. Any other
// value without a free one can't be drawn: it was rounded to the edge, or isn't a simplex, a sum of
// zero, ...
bool PriorRun::take_exactly(int slot, const lang::ConstraintPlan& plan, const Value& value,
                            std::span<double> own) {
  const typed::Constraint constraint = type_of(slot).constraint;
  const bool may_be_outside = constraint == typed::Constraint::bounds || orders(constraint);
  std::vector<double> free;
  try {
    free = lang::unconstrain(plan, value, "");
  } catch (const Error&) {
    if (may_be_outside) return false;
  }
  if (free.size() != own.size() || !all_finite(free))
    refuse(slot,
           "has a distribution with mass where numbers end: a draw has no unconstrained value",
           "use a prior with less mass at the edge, or --sampler nuts");
  std::copy(free.begin(), free.end(), own.begin());
  return true;
}

}  // namespace credo::model
