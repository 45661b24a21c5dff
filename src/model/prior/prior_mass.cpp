// The masses of priors: the model block is run with numbers at two points, each density of a
// parameter is looked at as it is evaluated, and what differs between the points depends on
// parameters.
#include "density/prior_mass.hpp"

#include <fmt/format.h>

#include "dist/distribution.hpp"
#include "lang/trace/constraints.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/typed/loop_facts.hpp"
#include "model/model.hpp"

namespace credo::model {
using density::PriorMass;
namespace {
using graph::Expr;
using lang::Machine;
using lang::Value;
namespace typed = lang::typed;

constexpr double kUnknown = kNaN;
constexpr int kMaxAttempts = 20;             // points tried, two are needed
constexpr std::int64_t kMaxSummed = 10'000;  // values of a discrete prior

// The parameter that a density is one of: theta, theta[i]; null for anything else.
const typed::VariableUse* outcome_of(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return outcome_of(*promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node)) return outcome_of(*indexed->base);
  const auto* use = std::get_if<typed::VariableUse>(&e.node);
  return use != nullptr && !use->slot.local ? use : nullptr;
}

bool is_whole(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return is_whole(*promotion->operand);
  return std::holds_alternative<typed::VariableUse>(e.node);
}

// ElementMass i of a bound; an empty one is none.
// One element of a univariate prior with its arguments as numbers.
class ElementMass {
 public:
  ElementMass(const dist::Distribution& d, Machine& machine, std::span<const Value> arguments,
              Index i)
      : d_(d), machine_(machine) {
    for (const Value& a : arguments)
      arguments_.push_back(a.is_scalar() ? machine.expr(a) : Expr(lang::scalar_of(a, i).known));
  }

  double log_mass(double lower, double upper) const {
    if (d_.discrete) return log_sum(lower, upper);
    if (lower == -kInfinity && upper == kInfinity) return 0.0;
    if (upper == kInfinity) return tail(d_.log_ccdf, dist::Tail::log_ccdf, lower);
    if (lower == -kInfinity) return tail(d_.log_cdf, dist::Tail::log_cdf, upper);
    const auto log_cdf = [&](double x) { return tail(d_.log_cdf, dist::Tail::log_cdf, x); };
    const auto log_ccdf = [&](double x) { return tail(d_.log_ccdf, dist::Tail::log_ccdf, x); };
    return dist::log_mass_between(log_cdf(lower), log_ccdf(lower), log_cdf(upper), log_ccdf(upper))
        .value();
  }

 private:
  template <class Formula>
  double tail(Formula formula, dist::Tail which, double x) const {
    if (formula == nullptr) return kUnknown;
    return dist::tail(d_, which, Expr(x), arguments_, d_.name, machine_.checks()).value();
  }
  double log_sum(double lower, double upper) const {
    if (!(upper - lower < static_cast<double>(kMaxSummed))) return kUnknown;
    double sum = 0.0;
    for (double x = std::max(lower, d_.lower); x <= std::min(upper, d_.upper); x += 1.0)
      sum += std::exp(
          dist::log_density(d_, Expr(x), arguments_, {.function = d_.name}, machine_.checks())
              .value.value());
    return std::log(sum);
  }

  const dist::Distribution& d_;
  Machine& machine_;
  std::vector<Expr> arguments_;
};

bool all_scalar(std::span<const Value> arguments) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const Value& v) { return v.is_scalar(); });
}

// Independent and alike, then ordered: one order in K! (and all positive).
double log_mass_ordered(const dist::Distribution& d, Machine& machine,
                        std::span<const Value> arguments, bool positive) {
  if (arguments[0].is_scalar() || !all_scalar(arguments.subspan(1))) return kUnknown;
  const auto k = static_cast<double>(lang::size_of(arguments[0]));
  const double each =
      positive ? ElementMass(d, machine, arguments.subspan(1), 0).log_mass(0.0, kInfinity) : 0.0;
  return k * each - std::lgamma(k + 1.0);
}

double log_mass_bounded(const dist::Distribution& d, Machine& machine, const typed::SizedType& type,
                        const typed::Expression& outcome, std::span<const Value> arguments) {
  const lang::ConstraintPlan plan = lang::plan_constraint(machine, type, "");
  const Expr &lower = plan.bounds.first, &upper = plan.bounds.second;
  const auto is_one = [](const Expr& bound) { return bound.empty() || bound.is_scalar(); };
  const bool one_bound = is_one(lower) && is_one(upper);
  if (!one_bound && !is_whole(outcome)) return kUnknown;
  const bool alike = one_bound && all_scalar(arguments.subspan(1));
  const Index size = lang::size_of(arguments[0]);
  const auto element = [&](Index i) {
    return ElementMass(d, machine, arguments.subspan(1), i)
        .log_mass(transform::bound_at(lower, i, -kInfinity),
                  transform::bound_at(upper, i, kInfinity));
  };
  if (alike) return static_cast<double>(size) * element(0);
  double sum = 0.0;
  for (Index i = 0; i < size; ++i) sum += element(i);
  return sum;
}

// What an increment adds beside its density, in which no parameter enters.
double constants_beside(Machine& machine, const lang::SeenDensity& density) {
  if (density.increment == nullptr) return 0.0;
  double sum = 0.0;
  for (const lang::IncrementPart& part : lang::parts_of(*density.increment)) {
    if (std::get_if<typed::Call>(&part.value->node) == &density.call) continue;
    const auto number = [&](const typed::Expression& e) {
      return machine.expr(lang::promoted_to_real(machine.evaluate(e))).value();
    };
    double value = part.is_negative ? -number(*part.value) : number(*part.value);
    for (const lang::IncrementFactor& factor : part.factors)
      value = factor.divides ? value / number(*factor.value) : value * number(*factor.value);
    sum += value;
  }
  return sum;
}

// NaN: not known.
double log_mass_of(Machine& machine, const typed::SizedType& type,
                   const lang::SeenDensity& density) {
  const typed::Call& call = density.call;
  const std::span<const Value> arguments = density.arguments;
  using typed::Constraint;
  const dist::Distribution& d = *lang::distribution_function(call.function.name)->distribution;
  const Constraint constraint = type.constraint;
  const bool cuts = constraint == Constraint::bounds || constraint == Constraint::ordered ||
                    constraint == Constraint::positive_ordered;
  if (!cuts) return 0.0;
  if (d.kind == dist::Kind::multivariate) return kUnknown;
  if (constraint == Constraint::bounds)
    return log_mass_bounded(d, machine, type, call.arguments[0], arguments);
  return log_mass_ordered(d, machine, arguments, constraint == Constraint::positive_ordered);
}

// The integral of 1 over the declared range; infinite for an unbounded one, NaN if not known.
double log_volume(Machine& machine, const typed::SizedType& type, const Value& value) {
  const auto size = static_cast<double>(lang::size_of(value));
  const lang::ConstraintPlan plan = lang::plan_constraint(machine, type, "");
  if (type.constraint == typed::Constraint::simplex) {
    const auto units = static_cast<double>(plan.num_units);
    return -units * std::lgamma(size / units);
  }
  const bool is_real_line = type.constraint == typed::Constraint::none ||
                            type.constraint == typed::Constraint::affine ||
                            type.constraint == typed::Constraint::ordered ||
                            type.constraint == typed::Constraint::positive_ordered;
  if (is_real_line) return kInfinity;
  if (type.constraint != typed::Constraint::bounds) return kUnknown;
  const double step = lang::is_int_based(type.type) ? 1.0 : 0.0;
  double sum = 0.0;
  for (Index i = 0; i < lang::size_of(value); ++i)
    sum += std::log(transform::bound_at(plan.bounds.second, i, kInfinity) -
                    transform::bound_at(plan.bounds.first, i, -kInfinity) + step);
  return sum;
}

// Where parameters are used in a way that may be a prior: as outcomes, in hand-written terms, in
// definitions; not as arguments of densities.
class PriorUses {
 public:
  explicit PriorUses(const typed::Program& program)
      : program_(program), used_(program.globals.size(), 0) {
    for (const typed::Statement& s : program.transformed_parameters.statements) whole(s);
    for (const typed::Statement& s : program.model.statements) look(s);
  }
  bool contains(int slot) const { return used_[static_cast<std::size_t>(slot)] != 0; }

 private:
  void add(const lang::Facts& facts) {
    for (const lang::SlotUse& use : facts.slots)
      if (!use.slot.local) used_[static_cast<std::size_t>(use.slot.index)] = 1;
  }
  void whole(const typed::Statement& s) { add(lang::facts_of(s)); }
  void look(const typed::Statement& s) {
    if (const auto* d = std::get_if<typed::Distribution>(&s.node)) {
      if (d->density.function.is_user()) return whole(s);
      return add(lang::facts_of(d->density.arguments[0]));
    }
    if (const auto* t = std::get_if<typed::TargetIncrement>(&s.node)) {
      const typed::Call* density = lang::sole_density(program_, t->value);
      if (density != nullptr) return add(lang::facts_of(density->arguments[0]));
    }
    if (const auto* loop = std::get_if<typed::ForRange>(&s.node)) return look(*loop->body);
    if (const auto* loop = std::get_if<typed::ForEach>(&s.node)) return look(*loop->body);
    if (const auto* braces = std::get_if<typed::Sequence>(&s.node)) {
      for (const typed::Statement& inner : braces->statements) look(inner);
      return;
    }
    whole(s);
  }

  const typed::Program& program_;
  std::vector<char> used_;
};

// What is known of one parameter's priors at one point.
struct Survey {
  double log_mass = 0.0;          // of the densities that have it as their outcome
  std::int64_t num_elements = 0;  // that had a density
  std::int32_t statement = 0;     // of the last
  double log_volume = kUnknown;   // of the declared range
  std::int64_t size = 0;
};

class Surveyor {
 public:
  explicit Surveyor(const typed::Program& program)
      : program_(program), surveys_(program.globals.size()) {}

  void look(Machine& machine, const lang::SeenDensity& density) {
    const typed::VariableUse* use = outcome_of(density.call.arguments[0]);
    if (use == nullptr || !is_parameter(use->slot.index)) return;
    Survey& survey = surveys_[static_cast<std::size_t>(use->slot.index)];
    if (!density.is_truncated())
      survey.log_mass += log_mass_of(machine, type_of(use->slot.index), density) +
                         constants_beside(machine, density);
    survey.num_elements += lang::size_of(density.arguments[0]);
    survey.statement = machine.statement();
  }
  void finish(Machine& machine) {
    for (int slot = 0; slot < static_cast<int>(surveys_.size()); ++slot) {
      if (!is_parameter(slot) || machine.global(slot).is_tuple()) continue;  // a tuple: not judged
      Survey& survey = surveys_[static_cast<std::size_t>(slot)];
      survey.size = lang::size_of(machine.global(slot));
      survey.log_volume = log_volume(machine, type_of(slot), machine.global(slot));
    }
  }
  std::vector<Survey> take() {
    return std::exchange(surveys_, std::vector<Survey>(surveys_.size()));
  }
  bool is_parameter(int slot) const {
    return program_.globals[static_cast<std::size_t>(slot)].block == typed::BlockKind::parameters;
  }

 private:
  const typed::SizedType& type_of(int slot) const {
    return *program_.globals[static_cast<std::size_t>(slot)].sized_type;
  }

  const typed::Program& program_;
  std::vector<Survey> surveys_;
};

// Free values of no particular place: nothing that depends on parameters agrees there by chance.
std::vector<double> free_point(Index dimension, double phase) {
  std::vector<double> point(static_cast<std::size_t>(dimension));
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = 0.7 * std::sin(1.9 * static_cast<double>(i) + phase);
  return point;
}

// NaN unless both points say the same, up to the rounding of their sums.
double agreed(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a)) ? a : kUnknown;
}

// One parameter: its priors' mass, and why it isn't known.
std::pair<double, std::string_view> judge(const Survey& a, const Survey& b, bool may_have_prior) {
  if (a.num_elements == 0) {
    if (may_have_prior) return {kUnknown, "it isn't the outcome of a density"};
    return {agreed(a.log_volume, b.log_volume), "its range depends on parameters"};
  }
  if (a.num_elements != b.num_elements || a.num_elements > a.size)
    return {kUnknown, "it has several priors"};
  if (a.num_elements < a.size) return {kUnknown, "only some of its elements have a density"};
  return {agreed(a.log_mass, b.log_mass),
          "the mass within its bounds isn't known or depends on parameters"};
}

void enter(PriorMass& mass, PriorMass::Part part, std::string_view reason) {
  if (std::isnan(part.log_mass)) {
    part.reason = reason;
    mass.not_judged.push_back(std::move(part));
  } else if (part.log_mass == kInfinity) {
    mass.improper.push_back(std::move(part));
  } else if (std::abs(part.log_mass) > 1e-12) {  // more than rounding
    mass.log_mass += part.log_mass;
    mass.entered.push_back(std::move(part));
  }
}
}  // namespace

// Runs the model block with numbers; false if the point is refused.
template <class Reader>
bool Model::run_with_numbers(std::span<const double> point, Reader& reader) const {
  Machine* running = nullptr;
  Machine machine = new_machine(
      {.watch = [&](const lang::SeenDensity& density) { reader.look(*running, density); }});
  running = &machine;
  const std::vector<double> all = completed(point);
  try {
    set_parameters(machine, graph::constant(graph::vector_shape(ssize(all)), all));
    machine.run(typed::BlockKind::transformed_parameters);
    machine.run(typed::BlockKind::model);
  } catch (const lang::Rejection&) {
    return false;
  }
  reader.finish(machine);
  return true;
}

PriorMass Model::prior_mass() const {
  const typed::Program& program = source_->program;
  Surveyor surveyor(program);
  std::vector<std::vector<Survey>> at;
  for (int attempt = 0; attempt < kMaxAttempts && at.size() < 2; ++attempt) {
    const bool ran = run_with_numbers(free_point(dimension_, attempt), surveyor);
    std::vector<Survey> surveys = surveyor.take();
    if (ran) at.push_back(std::move(surveys));
  }
  const PriorUses uses(program);
  PriorMass mass;
  for (int slot = 0; slot < static_cast<int>(program.globals.size()); ++slot) {
    if (!surveyor.is_parameter(slot)) continue;
    const auto k = static_cast<std::size_t>(slot);
    PriorMass::Part part{program.globals[k].name, {}, kUnknown};
    std::string_view reason = "the points tried were refused";
    if (at.size() == 2) {
      std::tie(part.log_mass, reason) = judge(at[0][k], at[1][k], uses.contains(slot));
      if (program.globals[k].type.is_tuple()) reason = "it is a tuple";
      if (at[0][k].statement > 0) part.where = source_->where(at[0][k].statement);
    }
    enter(mass, std::move(part), reason);
  }
  return mass;
}

}  // namespace credo::model
