// The masses of priors: the model block is run with numbers at two points, each density of a
// parameter is read as it is evaluated, and values that differ between the points depend on
// parameters.
#include "density/prior_mass.hpp"

#include <fmt/format.h>

#include "dist/distribution.hpp"
#include "lang/trace/constraints.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/typed/loop_facts.hpp"
#include "model/generative.hpp"
#include "model/prior/prior_circles.hpp"
#include "model/prior/prior_mixture.hpp"
#include "model/prior/prior_places.hpp"
#include "model/prior/prior_plan.hpp"
#include "model/prior/prior_sums.hpp"
#include "model/prior/prior_tails.hpp"
#include "model/prior/prior_uses.hpp"
#include "numerics/log_sum.hpp"

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

bool is_whole(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return is_whole(*promotion->operand);
  return std::holds_alternative<typed::VariableUse>(e.node);
}

// ElementMass i of a bound; an empty one isn't a bound.
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

// Terms that an increment adds beside its density, which depend on no parameter.
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

double log_mass_of_mixture(Machine& machine, const typed::SizedType& type,
                           const lang::SeenDensity& density) {
  const MixtureValues mixture(machine, *density.mixture);
  std::vector<double> parts;
  for (const MixtureValues::Component& c : mixture.components)
    parts.push_back(c.log_weight +
                    log_mass_of(machine, type, {.call = *c.call, .arguments = c.arguments}));
  return numerics::log_sum_exp(parts);
}

// True if the range is unbounded even with all the bounds that the type can have.
bool is_unbounded(const typed::SizedType& type) {
  using enum typed::Constraint;
  static constexpr std::array kUnbounded{none,
                                         affine,
                                         ordered,
                                         positive_ordered,
                                         cov_matrix,
                                         cholesky_factor_cov,
                                         sum_to_zero_vector,
                                         sum_to_zero_matrix};
  return std::ranges::find(kUnbounded, type.constraint) != kUnbounded.end();
}

// The log volume of the declared range of elements without a density; infinite if unbounded, NaN if unknown.
double log_volume(Machine& machine, const typed::SizedType& type, const Value& value,
                  std::span<const int> num_densities) {
  const auto size = static_cast<double>(lang::size_of(value));
  const lang::ConstraintPlan plan = lang::plan_constraint(machine, type, "");
  const bool is_whole = std::ranges::all_of(num_densities, [](int n) { return n == 0; });
  if (type.constraint == typed::Constraint::simplex) {
    if (!is_whole) return kUnknown;
    const auto units = static_cast<double>(plan.num_units);
    return -units * std::lgamma(size / units);
  }
  if (is_unbounded(type)) return kInfinity;
  if (type.constraint != typed::Constraint::bounds) return kUnknown;
  const double step = lang::is_int_based(type.type) ? 1.0 : 0.0;
  double sum = 0.0;
  for (Index i = 0; i < lang::size_of(value); ++i)
    if (num_densities[static_cast<std::size_t>(i)] == 0)
      sum += std::log(transform::bound_at(plan.bounds.second, i, kInfinity) -
                      transform::bound_at(plan.bounds.first, i, -kInfinity) + step);
  return sum;
}

// The priors of one parameter, evaluated at one point.
struct Survey {
  double log_mass = 0.0;         // log mass of densities with this outcome
  std::int32_t statement = 0;    // the last of these densities
  double log_volume = kUnknown;  // of the declared range of all elements
  double log_rest = kUnknown;    // of the declared range of elements without a density
  Value positions = {};
  std::vector<int> num_densities = {};  // for each element

  bool has_density() const {
    return std::ranges::any_of(num_densities, [](int n) { return n > 0; });
  }
  bool has_several() const {
    return std::ranges::any_of(num_densities, [](int n) { return n > 1; });
  }
  Index first_without() const {  // -1: all elements have a density
    const auto found = std::ranges::find(num_densities, 0);
    return found == num_densities.end() ? -1 : found - num_densities.begin();
  }
};

class PriorSurveyor {
 public:
  explicit PriorSurveyor(const typed::Program& program)
      : program_(program), surveys_(program.globals.size()) {}

  void look(Machine& machine, const lang::SeenDensity& density) {
    const typed::VariableUse* use = outcome_of_prior(density.call.arguments[0]);
    if (use == nullptr || !is_parameter(use->slot.index)) return;
    if (density.mixture != nullptr && !is_mixture_of(*density.mixture, use->slot.index)) return;
    Survey& survey = survey_of(machine, use->slot.index);
    if (!density.is_truncated())
      survey.log_mass += density.mixture == nullptr
                             ? log_mass_of(machine, type_of(use->slot.index), density) +
                                   constants_beside(machine, density)
                             : log_mass_of_mixture(machine, type_of(use->slot.index), density);
    for (const std::int32_t place :
         places_of_outcome(machine, density.call.arguments[0], use->slot.index, survey.positions))
      ++survey.num_densities[static_cast<std::size_t>(place)];
    survey.statement = machine.statement();
  }
  void finish(Machine& machine) {
    for (int slot = 0; slot < static_cast<int>(surveys_.size()); ++slot) {
      if (!is_parameter(slot) || machine.global(slot).is_tuple()) continue;  // a tuple: not judged
      Survey& survey = survey_of(machine, slot);
      const std::vector<int> none(survey.num_densities.size(), 0);
      survey.log_volume = log_volume(machine, type_of(slot), machine.global(slot), none);
      survey.log_rest =
          log_volume(machine, type_of(slot), machine.global(slot), survey.num_densities);
    }
  }
  std::vector<Survey> take() {
    return std::exchange(surveys_, std::vector<Survey>(surveys_.size()));
  }
  bool is_parameter(int slot) const {
    return program_.globals[static_cast<std::size_t>(slot)].block == typed::BlockKind::parameters;
  }

 private:
  Survey& survey_of(Machine& machine, int slot) {
    Survey& survey = surveys_[static_cast<std::size_t>(slot)];
    if (!survey.positions.is_unset()) return survey;
    const Value& now = machine.global(slot);
    survey.positions = places_as_values(now);
    survey.num_densities.resize(static_cast<std::size_t>(lang::size_of(now)), 0);
    return survey;
  }
  const typed::SizedType& type_of(int slot) const {
    return *program_.globals[static_cast<std::size_t>(slot)].sized_type;
  }

  const typed::Program& program_;
  std::vector<Survey> surveys_;
};

// Arbitrary unconstrained values: no terms that depend on parameters agree there by chance.
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

// Uses of a parameter in terms other than its densities, from the text.
struct TextSays {
  bool may_have_prior = false;  // in a term that reads no data
  bool is_by_hand = false;      // in a hand-written term that reads data
};

struct Judgement {
  double log_mass = kUnknown;  // infinite if improper
  std::string reason = {};     // why it is unknown or infinite
  Index element = -1;          // element without a prior; -1: the whole parameter
};

Judgement judge_without_density(double log_volume, const TextSays& text) {
  if (text.may_have_prior) return {kUnknown, "it isn't the outcome of a density"};
  if (std::isnan(log_volume)) return {log_volume, "its range depends on parameters"};
  if (text.is_by_hand && log_volume == kInfinity)
    return {kInfinity,
            "is in a term that is written by hand and reads data, so that it isn't known whether "
            "this is its prior, and its range is unbounded"};
  return {log_volume, {}};
}

// One parameter: its priors' mass, and why it isn't known.
Judgement judge(const Survey& a, const Survey& b, const TextSays& text) {
  if (a.num_densities.empty()) return {0.0, {}};
  if (!a.has_density()) return judge_without_density(agreed(a.log_volume, b.log_volume), text);
  if (a.num_densities != b.num_densities || a.has_several() || text.may_have_prior)
    return {kUnknown, "it has several priors"};
  const double log_mass = agreed(a.log_mass, b.log_mass);
  if (a.first_without() >= 0) {
    Judgement rest = judge_without_density(agreed(a.log_rest, b.log_rest), text);
    if (std::isnan(rest.log_mass)) rest.reason = "only some of its elements have a density";
    if (rest.log_mass == kInfinity)
      rest.element = a.first_without();
    else
      rest.log_mass += log_mass;
    return rest;
  }
  return {log_mass, "the mass within its bounds isn't known or depends on parameters"};
}

// Used if all points that were tried were refused.
Judgement judge_by_text(const typed::SizedType& type, const PriorUses& uses, int slot) {
  const bool has_one_bound = type.constraint == typed::Constraint::bounds &&
                             (type.lower == nullptr || type.upper == nullptr);
  const bool has_prior = uses.is_outcome(slot) || uses.may_have_prior(slot);
  if (!has_prior && (has_one_bound || is_unbounded(type))) return {kInfinity, {}};
  return {kUnknown, "the points tried were refused"};
}

// "[3]" for an element of a vector; empty for scalars, and for arrays of more dimensions.
std::string element_text(const Value& variable, Index element) {
  return lang::dims_of(variable).count == 1 ? fmt::format("[{}]", element + 1) : std::string();
}

void enter(PriorMass& mass, PriorMass::Part part) {
  if (std::isnan(part.log_mass)) {
    mass.not_judged.push_back(std::move(part));
  } else if (part.log_mass == kInfinity) {
    mass.improper.push_back(std::move(part));
  } else if (std::abs(part.log_mass) > 1e-12) {  // more than rounding
    mass.log_mass += part.log_mass;
    mass.entered.push_back(std::move(part));
  }
}

// Runs the model block with numbers; false if the point is refused.
bool survey(const ProgramParts& parts, std::span<const double> point, PriorSurveyor& reader) {
  Machine* running = nullptr;
  Machine machine = parts.data.new_machine(
      {.watch = [&](const lang::SeenDensity& density) { reader.look(*running, density); },
       .watches_mixtures = true,
       .watched_sums = summed_priors(parts.data.source().program)});
  running = &machine;
  try {
    parts.parameters.run_density(machine, point);
  } catch (const lang::Rejection&) {
    return false;
  }
  reader.finish(machine);
  return true;
}
}  // namespace

namespace {
bool has_variable(const density::EarlierPosterior& earlier, const std::string& name) {
  return std::ranges::any_of(earlier.names, [&](const std::string& value) {
    return value == name || value.starts_with(name + ".");
  });
}
}  // namespace

PriorMass Generative::prior_mass() const {
  const ProgramSource& source = parts_.data.source();
  const typed::Program& program = source.program;
  PriorSurveyor surveyor(program);
  std::vector<std::vector<Survey>> at;
  std::vector<double> last;  // the last point that wasn't refused
  for (int attempt = 0; attempt < kMaxAttempts && at.size() < 2; ++attempt) {
    std::vector<double> point = free_point(parts_.parameters.dimension(), attempt);
    const bool ran = survey(parts_, point, surveyor);
    std::vector<Survey> surveys = surveyor.take();
    if (!ran) continue;
    at.push_back(std::move(surveys));
    last = std::move(point);
  }
  PriorMass mass;
  if (at.size() < 2) at.clear();
  const PriorUses uses(program);
  const density::EarlierPosterior* after = densities_.options().after.get();
  for (int slot = 0; slot < static_cast<int>(program.globals.size()); ++slot) {
    if (!surveyor.is_parameter(slot)) continue;
    const auto k = static_cast<std::size_t>(slot);
    const typed::GlobalVariable& variable = program.globals[k];
    if (after != nullptr && has_variable(*after, variable.name)) continue;  // it is normalised
    const TextSays text{.may_have_prior = uses.may_have_prior(slot),
                        .is_by_hand = uses.term_by_hand(slot) > 0};
    Judgement judged = variable.type.is_tuple() ? Judgement{kUnknown, "it is a tuple"}
                       : at.empty()             ? judge_by_text(*variable.sized_type, uses, slot)
                                                : judge(at[0][k], at[1][k], text);
    PriorMass::Part part{variable.name, {}, judged.log_mass, std::move(judged.reason)};
    if (judged.element >= 0) part.parameter += element_text(at[0][k].positions, judged.element);
    const std::int32_t statement =
        !at.empty() && at[0][k].has_density() ? at[0][k].statement : uses.term_by_hand(slot);
    if (statement > 0) part.where = source.where(statement);
    enter(mass, std::move(part));
  }
  if (after == nullptr) find_improper(densities_, mass);
  if (!at.empty()) find_circle(parts_, last, mass);
  return mass;
}

}  // namespace credo::model
