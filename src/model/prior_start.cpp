// Starts from the prior: the statements that state priors are run with numbers in an order in which
// their arguments are there (model/prior_plan.hpp), and each outcome is drawn when its density is
// reached. Univariate ones are drawn between their 5 % and 95 % quantiles within the declared
// bounds and the truncation: a Cauchy's tail is no place to begin. docs/design/infer.md, "Starts".
#include "base/error.hpp"
#include "dist/batch.hpp"
#include "dist/quantile.hpp"
#include "lang/constraints.hpp"
#include "lang/density_call.hpp"
#include "lang/indexing.hpp"
#include "model/model.hpp"
#include "model/prior_plan.hpp"

namespace credo::model {
namespace typed = lang::typed;
namespace {
using graph::Expr;
using lang::Machine;
using lang::Value;

constexpr double kTail = 0.05;  // of the mass, left out on either side
// A prior that is wider than this on the free scale, and reaches across 0, doesn't say where its
// parameter is: gamma(0.001, 0.001), normal(0, 1000).
constexpr double kWidest = 1000.0;

double bound_at(const Expr& bound, Index i, double none) {
  if (bound.empty()) return none;
  return bound.value(bound.is_scalar() ? 0 : i);
}

// Where a number may lie.
struct Limits {
  double lower = -kInfinity, upper = kInfinity;

  bool operator==(const Limits&) const = default;
  double free(double x) const {
    if (lower == -kInfinity && upper == kInfinity) return x;
    if (upper == kInfinity) return std::log(x - lower);
    if (lower == -kInfinity) return std::log(upper - x);
    return std::log(x - lower) - std::log(upper - x);
  }
};

// One element of a univariate prior, with numbers as arguments.
class ElementPrior {
 public:
  ElementPrior(const dist::Distribution& d, std::vector<double> arguments, const Limits& declared,
               const Limits& within)
      : d_(&d), arguments_(std::move(arguments)), declared_(declared), within_(within) {
    if (!dist::parameters_hold(d, arguments_) || has_undeclared_end()) return;
    const double low = free_at(kTail), high = free_at(1.0 - kTail);
    const double width = std::abs(high - low);
    is_informative_ = std::isfinite(width) && (width < kWidest || low * high > 0.0);
  }

  bool is_of(const dist::Distribution& d, std::span<const double> arguments, const Limits& declared,
             const Limits& within) const {
    return &d == d_ && std::equal(arguments.begin(), arguments.end(), arguments_.begin()) &&
           declared == declared_ && within == within_;
  }
  // NaN where the prior says nothing.
  double draw(Rng& rng) const {
    const double u = rng.uniform(kTail, 1.0 - kTail);
    return is_informative_ ? at(u) : kNaN;
  }

 private:
  // The ends of a uniform prior that aren't declared: that its parameter can leave it is a mistake,
  // which uniform starts find out and name.
  bool has_undeclared_end() const {
    if (d_->support == nullptr) return false;
    const std::vector<Expr> arguments(arguments_.begin(), arguments_.end());
    const dist::Support support = d_->support(arguments);
    return within_.lower < support.lower.value() || within_.upper > support.upper.value();
  }
  double free_at(double u) const { return declared_.free(at(u)); }
  double at(double u) const {
    const bool cuts =
        d_->support != nullptr || within_.lower > d_->lower || within_.upper < d_->upper;
    const bool is_unbounded = within_.lower == -kInfinity && within_.upper == kInfinity;
    if (is_unbounded || !cuts) return dist::quantile(*d_, u, arguments_);
    if (d_->log_cdf == nullptr || d_->log_ccdf == nullptr) return kNaN;
    return dist::quantile_within(*d_, {within_.lower, within_.upper}, u, arguments_);
  }

  const dist::Distribution* d_;
  std::vector<double> arguments_;
  Limits declared_, within_;
  bool is_informative_ = false;
};

double number(const Value& value) { return lang::scalar_of(value).known; }

bool orders(typed::Constraint constraint) {
  return constraint == typed::Constraint::ordered ||
         constraint == typed::Constraint::positive_ordered;
}

// How many vectors an argument is an array of; 0 for a single one, and for no array.
Index num_vectors(const Value& argument) {
  const int inner = lang::inner_dims(lang::base_of(argument));
  const lang::Dims dims = lang::dims_of(argument);
  return inner > 0 && dims.count > inner ? dims[0] : 0;
}
}  // namespace

// The parameters of one start while they are drawn.
class StartDrawer {
 public:
  StartDrawer(const Model& model, const PriorPlan& plan, Rng& rng)
      : plan_(plan),
        rng_(rng),
        machine_(
            model.new_machine({.watch = [this](const lang::SeenDensity& seen) { look(seen); }})),
        variables_(model.source().program.globals.size()),
        model_(model) {}

  // `free`: what parameters without a prior have. None where no prior could be drawn from.
  std::optional<density::Start> draw(std::vector<double> free) {
    const std::vector<double> all = model_.completed(free);
    density::Start start{std::move(free), 0.0};
    try {
      model_.set_parameters(machine_, graph::constant(graph::vector_shape(ssize(all)), all));
      run_stages(false);
      if (!any_is_drawn()) return std::nullopt;
      start.log_density = settle(start.position);
      is_drawing_ = false;
      start.log_density += run_stages(true);
    } catch (const lang::Rejection&) {  // the density says why, if it refuses the point, too
      start.log_density = kNaN;
    } catch (const Error&) {
      start.log_density = kNaN;
    }
    return start;
  }

 private:
  // What is known of a parameter.
  struct Variable {
    Value positions;  // each element's place in storage
    std::vector<char> drawn;
    std::optional<lang::ConstraintPlan> plan;
    std::optional<ElementPrior> last;  // loops mostly draw from the same again
  };

  static bool is_drawn(const Variable& variable) {
    return std::any_of(variable.drawn.begin(), variable.drawn.end(),
                       [](char drawn) { return drawn != 0; });
  }
  bool any_is_drawn() const { return std::any_of(variables_.begin(), variables_.end(), is_drawn); }

  double run_stages(bool adds_terms) {
    machine_.terms.clear();
    for (const PriorStage& stage : plan_.stages)
      machine_.run(stage.block, {.statements = stage.statements, .adds_terms = adds_terms});
    double sum = 0.0;
    for (const lang::Term& term : machine_.terms) sum += term.value.value() + term.dropped;
    return sum;
  }

  void look(const lang::SeenDensity& seen) {
    if (!is_drawing_) return;
    const typed::VariableUse* outcome = outcome_of_prior(seen.call.arguments[0]);
    if (outcome == nullptr) return;
    const int slot = outcome->slot.index;
    Variable& variable = variable_of(slot);
    const std::vector<std::int32_t> places = places_of(seen.call.arguments[0], slot, variable);
    const dist::Distribution& d =
        *lang::distribution_function(seen.call.function.name)->distribution;
    std::vector<double> values = d.kind == dist::Kind::multivariate
                                     ? draw_whole(d, seen)
                                     : draw_each(d, seen, variable, places);
    if (values.size() != places.size()) return;
    if (ssize(places) == lang::size_of(variable.positions)) arrange(slot, variable, values);
    write(slot, variable, places, values);
  }

  const typed::SizedType& type_of(int slot) const {
    return *machine_.program().globals[static_cast<std::size_t>(slot)].sized_type;
  }

  Variable& variable_of(int slot) {
    Variable& variable = variables_[static_cast<std::size_t>(slot)];
    if (!variable.drawn.empty()) return variable;
    const Value& now = machine_.global(slot);
    const Index size = lang::size_of(now);
    variable.drawn.resize(static_cast<std::size_t>(size));
    std::vector<double> places(static_cast<std::size_t>(size));
    std::iota(places.begin(), places.end(), 0.0);
    variable.positions =
        now.is_scalar()
            ? Value(lang::Scalar(0.0))
            : lang::like(
                  graph::constant(lang::shape_of(lang::base_of(now), lang::dims_of(now)), places),
                  now);
    variable.plan = lang::plan_constraint(machine_, type_of(slot), "");
    return variable;
  }

  // The outcome of places instead of values, so that indices and reshapings apply to them.
  std::vector<std::int32_t> places_of(const typed::Expression& outcome, int slot,
                                      Variable& variable) {
    const Value now = std::exchange(machine_.global(slot), variable.positions);
    const Value selected = machine_.evaluate(outcome);
    machine_.global(slot) = now;
    std::vector<std::int32_t> places;
    for (Index i = 0; i < lang::size_of(selected); ++i)
      places.push_back(static_cast<std::int32_t>(lang::scalar_of(selected, i).known));
    return places;
  }

  Limits declared(int slot, const Variable& variable, Index i) const {
    const typed::Constraint constraint = type_of(slot).constraint;
    if (constraint == typed::Constraint::positive_ordered) return {.lower = 0.0};
    if (constraint != typed::Constraint::bounds) return {};
    return {bound_at(variable.plan->bounds.first, i, -kInfinity),
            bound_at(variable.plan->bounds.second, i, kInfinity)};
  }

  Limits truncation(const lang::SeenDensity& seen) {
    Limits limits;
    if (seen.truncation == nullptr) return limits;
    if (seen.truncation->lower) limits.lower = number(machine_.evaluate(*seen.truncation->lower));
    if (seen.truncation->upper) limits.upper = number(machine_.evaluate(*seen.truncation->upper));
    return limits;
  }

  std::vector<double> draw_each(const dist::Distribution& d, const lang::SeenDensity& seen,
                                Variable& variable, std::span<const std::int32_t> places) {
    const int slot = outcome_of_prior(seen.call.arguments[0])->slot.index;
    const Limits cut = truncation(seen);
    std::optional<ElementPrior>& prior = variable.last;
    std::vector<double> values, arguments(seen.arguments.size() - 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        const Value& argument = seen.arguments[k + 1];
        arguments[k] =
            lang::scalar_of(argument, argument.is_scalar() ? 0 : static_cast<Index>(i)).known;
      }
      const Limits own = declared(slot, variable, places[i]);
      const Limits both{std::max(own.lower, cut.lower), std::min(own.upper, cut.upper)};
      if (!prior || !prior->is_of(d, arguments, own, both)) prior.emplace(d, arguments, own, both);
      values.push_back(prior->draw(rng_));
    }
    return values;
  }

  // Of several vectors or matrices, one after another. Empty: can't be drawn.
  std::vector<double> draw_whole(const dist::Distribution& d, const lang::SeenDensity& seen) {
    const Value& outcome = seen.arguments[0];
    const lang::Dims dims = lang::dims_of(outcome);
    const int inner = lang::inner_dims(lang::base_of(outcome));
    Index unit = 1;
    for (int k = 0; k < inner; ++k) unit *= dims.back(k);
    if (d.draw_all == nullptr || d.discrete || unit == 0) return {};
    std::vector<double> values;
    for (Index b = 0; b < lang::size_of(outcome) / unit; ++b) {
      const std::vector<double> drawn = draw_unit(d, seen, b, dims.back());
      values.insert(values.end(), drawn.begin(), drawn.end());
    }
    return values;
  }

  std::vector<double> draw_unit(const dist::Distribution& d, const lang::SeenDensity& seen, Index b,
                                Index size) {
    std::vector<Expr> arguments;
    const bool takes_size = d.name == "lkj_corr" || d.name == "lkj_corr_cholesky";
    if (takes_size) arguments.emplace_back(static_cast<double>(size));
    for (const Value& argument : seen.arguments.subspan(1)) {
      const Index vectors = num_vectors(argument);
      const Expr all = machine_.expr(argument);
      arguments.push_back(vectors > 0 ? dist::Batch(all).vector(vectors == 1 ? 0 : b) : all);
    }
    return dist::draw_all(d, rng_, arguments, seen.call.function.name, machine_.checks());
  }

  // Elements that are alike are put in the order that is declared, or moved to a sum of zero.
  void arrange(int slot, const Variable& variable, std::span<double> values) const {
    const typed::Constraint constraint = type_of(slot).constraint;
    const auto unit = static_cast<std::size_t>(variable.plan->unit.size());
    const bool is_centred = constraint == typed::Constraint::sum_to_zero_vector;
    const bool is_complete =
        std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
    if ((!orders(constraint) && !is_centred) || !is_complete) return;
    for (std::size_t begin = 0; unit > 0 && begin < values.size(); begin += unit) {
      const std::span<double> part = values.subspan(begin, unit);
      if (orders(constraint)) std::sort(part.begin(), part.end());
      const double mean = std::accumulate(part.begin(), part.end(), 0.0) / double(unit);
      if (is_centred)
        for (double& x : part) x -= mean;
    }
  }

  // An element that several priors have is drawn from the first.
  void write(int slot, Variable& variable, std::span<const std::int32_t> places,
             std::span<const double> values) {
    Value& global = machine_.global(slot);
    for (std::size_t i = 0; i < places.size(); ++i) {
      char& drawn = variable.drawn[static_cast<std::size_t>(places[i])];
      if (drawn != 0 || !std::isfinite(values[i])) continue;
      drawn = 1;
      const lang::Scalar value(values[i]);
      if (global.is_scalar())
        global = value;
      else
        lang::write(global, std::array{places[i]}, value);
    }
  }

  // Turns what is drawn into free values, and what isn't into values; returns the log Jacobian of
  // what is drawn.
  double settle(std::vector<double>& free) {
    double log_jacobian = 0.0;
    std::span<double> rest = free;
    for (const typed::Statement& s : machine_.program().parameters.statements) {
      const auto* d = std::get_if<typed::Declaration>(&s.node);
      if (d == nullptr || lang::is_int_based(d->type->type)) continue;
      machine_.enter(s);
      const Variable& variable = variables_[static_cast<std::size_t>(d->slot.index)];
      log_jacobian += settle(*d, is_drawn(variable), rest);
    }
    return log_jacobian;
  }

  double settle(const typed::Declaration& d, bool takes, std::span<double>& rest) {
    double log_jacobian = 0.0;
    std::vector<Value> values;
    for (const lang::Leaf& leaf : lang::leaves_of(machine_, *d.type, d.name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine_, *leaf.type, leaf.name);
      const std::span<double> own = rest.first(static_cast<std::size_t>(lang::free_size(plan)));
      rest = rest.subspan(own.size());
      const bool is_taken = takes && take(plan, machine_.global(d.slot.index), own);
      const lang::ConstrainedValue c = lang::constrain(
          machine_, plan, graph::constant(graph::vector_shape(ssize(own)), own), leaf.name);
      if (is_taken) log_jacobian += c.log_jacobian.value();
      values.push_back(c.value);
    }
    machine_.global(d.slot.index) = lang::from_leaves(*d.type, values);
    return log_jacobian;
  }

  // False where the value is outside of the constraint, or at its edge: it stays as it was.
  bool take(const lang::ConstraintPlan& plan, const Value& value, std::span<double> own) {
    try {
      const std::vector<double> free = lang::unconstrain(machine_, plan, value, "");
      if (!std::all_of(free.begin(), free.end(), [](double x) { return std::isfinite(x); }))
        return false;
      std::copy(free.begin(), free.end(), own.begin());
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  const PriorPlan& plan_;
  Rng& rng_;
  Machine machine_;
  std::vector<Variable> variables_;  // by slot
  const Model& model_;
  bool is_drawing_ = true;
};

std::optional<density::Start> Model::draw_start(Rng& rng, double radius) const {
  std::shared_ptr<const PriorPlan> plan;
  {
    const std::lock_guard lock(prior_mutex_);
    if (prior_plan_ == nullptr)
      prior_plan_ = std::make_shared<const PriorPlan>(plan_priors(source_->program));
    plan = prior_plan_;
  }
  if (plan->stages.empty()) return std::nullopt;
  std::vector<double> free(static_cast<std::size_t>(dimension_));
  for (double& x : free) x = rng.uniform(-radius, radius);
  // The statements that lead to a prior may not run without those around them, as where the size of a
  // local variable is a decision on parameters. Then no start is known; the density itself isn't asked.
  try {
    return StartDrawer(*this, *plan, rng).draw(std::move(free));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace credo::model
