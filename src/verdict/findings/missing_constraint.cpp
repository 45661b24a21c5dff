// A parameter that is an argument or the outcome of a density but may leave what the density
// allows: real sigma in normal(mu, sigma). Read off the program: the language asks that a
// parameter's declaration and its density's support agree, so this is never a false alarm; points
// that were refused and divergences say whether it has done harm in this run.
//
// A bound that depends on data, as that of a threshold below the smallest datum, is in no text: the
// density is evaluated where transitions broke off. The outermost draws stand right before an end of
// the distribution, or every draw is refused a few spreads on.
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::missing_constraint_row {
namespace {
using density::RangeEnd;
// Conditions that a density has for a variable; an end that is NaN isn't known from the text alone.
struct Needs {
  RangeEnd lower = {}, upper = {};
  bool order = false;  // elements are ordered
  bool any() const { return lower.is_stated || upper.is_stated || order; }
};

struct Culprit {
  const density::StatedVariable* parameter;
  Needs missing;
  std::string function, role;  // "normal_lpdf", "scale parameter"
  int statement;
  std::string where;  // place of the statement
};

Needs needs_of(const density::StatedArgument& argument) {
  return {argument.lower, argument.upper, argument.is_ordered};
}

// An argument that must be positive and is a product changes its sign with each factor.
Needs needs_of_factor(const density::StatedArgument& argument) {
  const bool is_positive = argument.lower.is_stated && argument.lower.at == 0.0;
  return is_positive ? Needs{argument.lower, {}} : Needs{};
}

// Declared none, or one that certainly lies outside.
bool is_open(const RangeEnd& asked, const RangeEnd& declared, double sign) {
  if (!asked.is_stated || !declared.is_stated) return asked.is_stated;
  // NaN: not known. Some supports begin at the smallest number above 0.
  return sign * (asked.at - declared.at) > 1e-100;
}

// The conditions that its declaration doesn't ensure.
Needs missing_of(const density::StatedVariable& variable, const Needs& needs) {
  using density::ConstraintKind;
  if (variable.block != density::Block::parameters) return {};
  if (variable.constraint == ConstraintKind::none || variable.constraint == ConstraintKind::affine)
    return needs;
  if (!variable.has_bounds()) return {};
  return {is_open(needs.lower, variable.lower, 1.0) ? needs.lower : RangeEnd{},
          is_open(needs.upper, variable.upper, -1.0) ? needs.upper : RangeEnd{}, needs.order};
}

// The parameters of the program against what densities need of them; each is reported once.
class Culprits {
 public:
  explicit Culprits(const density::ProgramFacts& program) : program_(program) {
    for (const density::StatedDensity& use : program.densities) {
      for (std::size_t k = 0; k < use.arguments.size(); ++k) {
        const density::StatedArgument& argument = use.arguments[k];
        look_at(argument.variable, needs_of(argument), use, argument);
        if (k == 0) continue;  // an outcome that is a product has another distribution
        for (const Index factor : argument.factors)
          look_at(factor, needs_of_factor(argument), use, argument);
      }
    }
  }
  const std::vector<Culprit>& all() const { return all_; }

 private:
  void look_at(Index variable, const Needs& needs, const density::StatedDensity& use,
               const density::StatedArgument& argument) {
    if (variable < 0 || !needs.any()) return;
    const auto* parameter = &program_.variables[static_cast<std::size_t>(variable)];
    const Needs missing = missing_of(*parameter, needs);
    const bool known = std::any_of(all_.begin(), all_.end(),
                                   [&](const Culprit& c) { return c.parameter == parameter; });
    if (missing.any() && !known)
      all_.push_back({.parameter = parameter,
                      .missing = missing,
                      .function = use.function,
                      .role = argument.role,
                      .statement = use.statement,
                      .where = use.place.where});
  }

  const density::ProgramFacts& program_;
  std::vector<Culprit> all_;
};

// Points refused by that statement, where the run says.
Index num_refused(const Evidence& evidence, int statement) {
  Index count = 0;
  if (evidence.run == nullptr || evidence.model == nullptr) return count;
  for (const infer::Refusal& refusal : evidence.run->refusals) {
    const density::RefusedBy by = refused_by(*evidence.model, {.source = refusal.source});
    if (by.is_check && by.statement == statement) count += refusal.count;
  }
  return count;
}

std::string declaration_text(const Needs& missing) {
  if (missing.order) return "as ordered[...], not as a vector";
  const auto text = [](const RangeEnd& end, std::string_view side) {
    if (!end.is_stated) return std::string();
    constexpr double kSmallest = 1e-100;  // "above 0" is stated as the smallest number above it
    const double at = std::fabs(end.at) < kSmallest ? 0.0 : end.at;
    return std::string(side) + "=" + (std::isnan(end.at) ? "..." : number(at));
  };
  const std::string lower = text(missing.lower, "lower"), upper = text(missing.upper, "upper");
  return "with <" + lower + (lower.empty() || upper.empty() ? "" : ", ") + upper + ">";
}

// ---- by the density: an edge that no declaration states

struct Edge {
  std::size_t coordinate = 0;
  bool above = true;  // above the unconstrained value
  density::Status status = {};
};

std::vector<double> moved(const Probe& probe, Index m, const Edge& edge, double spreads) {
  std::vector<double> at = probe.point(m);
  at[edge.coordinate] +=
      (edge.above ? spreads : -spreads) * probe.scale(static_cast<Index>(edge.coordinate));
  return at;
}

// True if the density half a spread before the edge is one that draws have: then the
// distribution itself ends there. If it fades long before, as where Phi() rounds to 1, nothing comes to the edge.
bool has_density_beside(const Probe& probe, Index m, const Edge& edge, double outside) {
  constexpr double kBeside = 0.5, kHeight = 5.0;  // spreads, nats
  constexpr int kHalvings = 8;
  double inside = 0.0;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (inside + outside) / 2.0;
    (probe.status(moved(probe, m, edge, middle)).ok() ? inside : outside) = middle;
  }
  const double beside = std::max(0.0, inside - kBeside);
  return probe.log_density(moved(probe, m, edge, beside)) >
         probe.log_density(probe.point(m)) - kHeight;
}

// A matrix that isn't positive definite. Far from the draws every matrix is singular to rounding.
bool is_of_rounding(const Case& at_hand, const density::Status& status) {
  return at_hand.evidence.model->describe(status).find("positive definite") != std::string::npos;
}

// Number of standard deviations by which a draw moves until the density refuses it. NaN if it doesn't, or if a matrix
// is singular to rounding, because no bound could then be declared.
double first_refused(const Case& at_hand, Index m, Edge& edge, std::span<const double> tried) {
  const Probe& probe = *at_hand.probe();
  constexpr double kFar = 300.0;  // there exp() is what ends, not the model
  for (const double spreads : tried) {
    const std::vector<double> at = moved(probe, m, edge, spreads);
    if (std::fabs(at[edge.coordinate]) > kFar) return kNaN;
    const density::Status status = probe.status(at);
    if (status.ok()) continue;
    if (is_of_rounding(at_hand, status)) return kNaN;
    edge.status = status;
    return spreads;
  }
  return kNaN;
}

// A check of the program refuses every draw that is moved a few spreads. If the value itself is
// the coordinate that says enough; a few spreads of a logarithm are a factor of thousands, where a
// covariance may be singular to rounding, and a term of -infinity may have been rounded to.
bool ends_for_all(const Case& at_hand, Edge& edge) {
  constexpr Index kDraws = 4;
  constexpr std::array<double, 3> kSpreads{2.0, 4.0, 8.0};
  const Probe& probe = *at_hand.probe();
  if (probe.reach(static_cast<Index>(edge.coordinate)) != Reach::linear) return false;
  const Index step = std::max<Index>(1, probe.num_points() / kDraws);
  for (Index m = 0; m < probe.num_points(); m += step)
    if (std::isnan(first_refused(at_hand, m, edge, kSpreads))) return false;
  return refused_by(*at_hand.evidence.model, edge.status).is_check;
}

// The draws that are furthest out on the edge's side; others, where parameters go together, may
// have no density beside it.
std::vector<Index> outermost(const Probe& probe, const Edge& edge) {
  std::vector<Index> order(static_cast<std::size_t>(probe.num_points()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const double x = probe.point(a)[edge.coordinate], y = probe.point(b)[edge.coordinate];
    return edge.above ? x > y : x < y;
  });
  order.resize(order.size() / 8);
  return order;
}

// Most of the outermost draws stand before an end of the distribution, in any coordinate.
bool ends_for_the_outermost(const Case& at_hand, Edge& edge) {
  const Probe& probe = *at_hand.probe();
  constexpr std::array<double, 2> kSpreads{1.0, 2.0};
  constexpr double kMost = 0.6;  // share of the draws
  double asked = 0.0, near = 0.0;
  for (const Index m : outermost(probe, edge)) {
    const double outside = first_refused(at_hand, m, edge, kSpreads);
    ++asked;
    if (!std::isnan(outside) && has_density_beside(probe, m, edge, outside)) ++near;
    if (near == 0.0 && asked >= 3.0) return false;
  }
  return near > kMost * asked;
}

// The variable, if its declaration bounds each value alone: in other constrained types the values depend on one another.
const density::StatedVariable* bounded_alone(const Case& at_hand, const std::string& name) {
  using density::ConstraintKind;
  const auto* variable = at_hand.evidence.program->find_parameter(name.substr(0, name.find('.')));
  const bool alone = variable != nullptr &&
                     (variable->constraint == ConstraintKind::none ||
                      variable->constraint == ConstraintKind::affine || variable->has_bounds());
  return alone ? variable : nullptr;
}

// An upper bound alone turns the coordinate around: its value is log(upper - x).
bool is_above(const density::StatedVariable& variable, const Edge& edge) {
  const bool turned = variable.has_bounds() && !variable.lower.is_stated;
  return edge.above != turned;
}

Finding finding_of(const Case& at_hand, const Edge& edge, const density::StatedVariable& variable,
                   Index divergent) {
  const std::string& name = at_hand.probe()->names()[edge.coordinate];
  const bool above = is_above(variable, edge);
  return {
      .id = "missing_constraint",
      .level = Level::bad,
      .parameters = {name},
      .text = "The density refuses " + name + " a little " + (above ? "above" : "below") +
              " its draws (" + at_hand.evidence.model->describe(edge.status) +
              "), and the declaration has no such bound: at that edge trajectories break off, " +
              counted(divergent, "transition") + " of them here.",
      .remedy = "Declare " + name + " with the bounds that the program needs (" +
                std::string(above ? "upper" : "lower") +
                "=...; a bound may be computed from data, as upper=min(y)).",
      .place = at_hand.place_of(name)};
}

// Only where transitions break off: a refusal far away harms nobody.
std::vector<Finding> by_asking(const Case& at_hand, Index divergent) {
  constexpr double kLeast = 0.002;  // share of the transitions
  constexpr Index kMostCoordinates = 50;
  const Probe* probe = at_hand.probe();
  if (probe == nullptr ||
      static_cast<double>(divergent) < kLeast * static_cast<double>(at_hand.num_total()))
    return {};
  for (Index d = 0; d < std::min(probe->dimension(), kMostCoordinates); ++d) {
    const auto* variable = bounded_alone(at_hand, probe->names()[static_cast<std::size_t>(d)]);
    if (variable == nullptr) continue;
    for (const bool above : {true, false}) {
      Edge edge{.coordinate = static_cast<std::size_t>(d), .above = above};
      if (ends_for_all(at_hand, edge) || ends_for_the_outermost(at_hand, edge))
        return {finding_of(at_hand, edge, *variable, divergent)};
    }
  }
  return {};
}

// One cut-point is in order.
bool has_one_element(const Evidence& evidence, const std::string& name) {
  return std::any_of(evidence.variables.begin(), evidence.variables.end(),
                     [&](const Variable& v) { return v.name == name && v.count == 1; });
}

std::vector<Finding> check(const Case& at_hand) {
  const Evidence& evidence = at_hand.evidence;
  if (evidence.program == nullptr) return {};
  const Index divergent = num_marked(at_hand.statistic("divergent"));
  std::vector<Finding> findings;
  const Culprits culprits(*evidence.program);
  for (const Culprit& culprit : culprits.all()) {
    const std::string& name = culprit.parameter->name;
    if (culprit.missing.order && has_one_element(evidence, name)) continue;
    const Index refused = num_refused(evidence, culprit.statement);
    std::string harm = " At that edge trajectories break off and chains stick.";
    if (refused > 0) harm += " Refused there in this run: " + counted(refused, "point") + ".";
    if (divergent > 0) harm += " " + counted(divergent, "transition") + " diverged.";
    findings.push_back({.id = "missing_constraint",
                        .level = refused + divergent > 0 ? Level::bad : Level::warning,
                        .parameters = {name},
                        .text = name + " may leave what " + culprit.function + " allows for its " +
                                culprit.role + " (" + culprit.where +
                                "): its declaration lacks the " +
                                (culprit.missing.order ? "order." : "bounds.") + harm,
                        .remedy = "Declare " + name + " " + declaration_text(culprit.missing) + ".",
                        .place = culprit.parameter->declared});
  }
  return findings.empty() ? by_asking(at_hand, divergent) : findings;
}
}  // namespace

const FindingSpec missing_constraint{
    .id = "missing_constraint",
    .title = "a parameter without the constraint that its density needs",
    .explains = {"initial_values", "divergences", "low_energy_exchange", "tree_depth", "not_mixed",
                 "few_draws", "stuck_chain", "multimodal", "funnel"},
    .check = check};

}  // namespace credo::verdict::missing_constraint_row
