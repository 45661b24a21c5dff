// A parameter that is an argument or the outcome of a density but may leave what the density
// allows: real sigma in normal(mu, sigma). Read off the program: the language asks that a
// parameter's declaration and its density's support agree, so this is never a false alarm; points
// that were refused and divergences say whether it has done harm in this run.
//
// A bound that depends on data, as that of a threshold below the smallest datum, is in no text: the
// density is asked, where transitions broke off. The outermost draws stand right before an end of
// the law, or every draw is refused a few spreads on.
#include "dist/distribution.hpp"
#include "lang/density_call.hpp"
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/places.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace typed = lang::typed;
namespace {
// A bound that a density asks for, and where it lies; NaN: not known from the text alone.
struct Limit {
  bool asked = false;
  double at = kNaN;
};
struct Needs {
  Limit lower = {}, upper = {};
  bool order = false;  // of its elements
  bool any() const { return lower.asked || upper.asked || order; }
};

struct Culprit {
  const typed::GlobalVariable* parameter;
  Needs missing;
  std::string function, role;  // "normal_lpdf", "scale parameter"
  int statement;
  lang::SourceRange place;
};

Needs needs_of(dist::Domain domain) {
  using dist::Domain;
  if (domain == Domain::probability) return {{true, 0.0}, {true, 1.0}};
  const bool positive = domain == Domain::positive_finite || domain == Domain::positive ||
                        domain == Domain::nonnegative_finite;
  return {{positive, 0.0}, {}};
}

Needs needs_of(const dist::Argument& argument) {
  Needs needs = needs_of(argument.domain);
  needs.order = argument.name == "cut-points";
  return needs;
}

// The number that an expression is written as; NaN: it isn't one.
double literal(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return literal(*promotion->operand);
  if (const auto* whole = std::get_if<typed::IntLiteral>(&e.node)) return whole->value;
  if (const auto* real = std::get_if<typed::RealLiteral>(&e.node)) return real->value;
  const auto* call = std::get_if<typed::Call>(&e.node);
  const bool negated = call != nullptr && call->is_operator && call->arguments.size() == 1 &&
                       call->function.name == "minus";
  return negated ? -literal(call->arguments.front()) : kNaN;
}

// Of a density whose support depends on its arguments: those that aren't numbers are NaN, and so
// are the bounds that come of them.
Needs needs_of_support(const dist::Distribution& d, const typed::Call& call) {
  std::vector<graph::Expr> arguments;
  for (std::size_t k = 1; k < call.arguments.size(); ++k)
    arguments.emplace_back(literal(call.arguments[k]));
  if (arguments.size() != d.args.size()) return {};
  const dist::Support support = d.support(arguments);
  const double lower = support.lower.value(), upper = support.upper.value();
  return {{!std::isinf(lower), lower}, {!std::isinf(upper), upper}};
}

Needs needs_of_outcome(const dist::Distribution& d, const typed::Call& call) {
  if (d.discrete || d.kind != dist::Kind::univariate) return {};
  if (d.support != nullptr) return needs_of_support(d, call);
  Needs needs = needs_of(d.outcome.domain);
  if (d.lower > -kInfinity) needs.lower = {true, d.lower};
  if (d.upper < kInfinity) needs.upper = {true, d.upper};
  return needs;
}

// Declared none, or one that certainly lies outside.
bool is_open(const Limit& limit, const typed::Box& declared, double sign) {
  if (!limit.asked || declared == nullptr) return limit.asked;
  // NaN: not known. Some supports begin at the smallest number above 0.
  return sign * (limit.at - literal(*declared)) > 1e-100;
}

// What its declaration leaves open of that.
Needs missing_of(const typed::GlobalVariable& variable, const Needs& needs) {
  using typed::Constraint;
  if (variable.block != typed::BlockKind::parameters || variable.sized_type == nullptr) return {};
  const typed::SizedType& type = *variable.sized_type;
  if (type.constraint == Constraint::none || type.constraint == Constraint::affine) return needs;
  if (type.constraint != Constraint::bounds) return {};
  return {is_open(needs.lower, type.lower, 1.0) ? needs.lower : Limit{},
          is_open(needs.upper, type.upper, -1.0) ? needs.upper : Limit{}, needs.order};
}

// One parameter of the program against what a density needs of it there; each is told once.
void look_at(const model::ProgramSource& program, int slot, const Needs& needs,
             const Culprit& suspect, std::vector<Culprit>& all) {
  if (slot < 0 || !needs.any()) return;
  Culprit culprit = suspect;
  culprit.parameter = &program.program.globals[static_cast<std::size_t>(slot)];
  culprit.missing = missing_of(*culprit.parameter, needs);
  const bool known = std::any_of(
      all.begin(), all.end(), [&](const Culprit& c) { return c.parameter == culprit.parameter; });
  if (culprit.missing.any() && !known) all.push_back(std::move(culprit));
}

// An argument that must be positive and is a product changes its sign with each factor.
Needs needs_of_factor(const Needs& needs) {
  return needs.lower.asked && needs.lower.at == 0.0 ? Needs{{true, 0.0}, {}} : Needs{};
}

std::vector<Culprit> culprits(const model::ProgramSource& program) {
  std::vector<Culprit> all;
  for_each_density(program, [&](const DensityUse& use) {
    const auto function = lang::distribution_function(use.call.function.name);
    if (!function || function->distribution == nullptr || use.call.arguments.empty()) return;
    const dist::Distribution& d = *function->distribution;
    Culprit suspect{.parameter = nullptr,
                    .missing = {},
                    .function = std::string(use.call.function.name),
                    .role = "outcome",
                    .statement = use.statement.id,
                    .place = use.statement.range};
    const typed::Expression& outcome = use.call.arguments.front();
    look_at(program, variable_in(outcome), needs_of_outcome(d, use.call), suspect, all);
    for (std::size_t k = 0; k < d.args.size() && k + 1 < use.call.arguments.size(); ++k) {
      const typed::Expression& argument = use.call.arguments[k + 1];
      suspect.role = d.args[k].name;
      look_at(program, variable_in(argument), needs_of(d.args[k]), suspect, all);
      for (const int slot : factors_in(argument))
        look_at(program, slot, needs_of_factor(needs_of(d.args[k].domain)), suspect, all);
    }
  });
  return all;
}

// Points refused by that statement, where the run says.
Index num_refused(const Evidence& evidence, int statement) {
  Index count = 0;
  if (evidence.run == nullptr || evidence.model == nullptr) return count;
  for (const infer::Refusal& refusal : evidence.run->refusals) {
    const auto failure = evidence.model->failure_of({.source = refusal.source});
    if (failure && failure->statement == statement) count += refusal.count;
  }
  return count;
}

std::string declaration_text(const Needs& missing) {
  if (missing.order) return "as ordered[...], not as a vector";
  const auto text = [](const Limit& limit, std::string_view side) {
    if (!limit.asked) return std::string();
    return std::string(side) + "=" + (std::isnan(limit.at) ? "..." : number(limit.at));
  };
  const std::string lower = text(missing.lower, "lower"), upper = text(missing.upper, "upper");
  return "with <" + lower + (lower.empty() || upper.empty() ? "" : ", ") + upper + ">";
}

// ---- by the density: an edge that no declaration tells

struct Edge {
  std::size_t coordinate = 0;
  bool above = true;  // of the free value
  density::Status status = {};
};

std::vector<double> moved(const Probe& probe, Index m, const Edge& edge, double spreads) {
  std::vector<double> at = probe.point(m);
  at[edge.coordinate] +=
      (edge.above ? spreads : -spreads) * probe.scale(static_cast<Index>(edge.coordinate));
  return at;
}

// Whether the density half a spread before the edge is one that draws have: what ends there is the
// law itself. Where it fades long before, as where Phi() rounds to 1, nothing comes to the edge.
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

// How many spreads a draw is moved until the density refuses it; NaN: it doesn't.
double first_refused(const Probe& probe, Index m, Edge& edge, std::span<const double> tried) {
  constexpr double kFar = 300.0;  // there exp() is what ends, not the model
  for (const double spreads : tried) {
    const std::vector<double> at = moved(probe, m, edge, spreads);
    if (std::fabs(at[edge.coordinate]) > kFar) return kNaN;
    const density::Status status = probe.status(at);
    if (status.ok()) continue;
    edge.status = status;
    return spreads;
  }
  return kNaN;
}

// A check of the program refuses every draw that is moved a few spreads. Where the value itself is
// the coordinate that says enough; a few spreads of a logarithm are a factor of thousands, where a
// covariance may be singular to rounding, and a term of -infinity may have been rounded to.
bool ends_for_all(const Case& at_hand, Edge& edge) {
  constexpr Index kDraws = 4;
  constexpr std::array<double, 3> kSpreads{2.0, 4.0, 8.0};
  const Probe& probe = *at_hand.probe();
  if (probe.reach(static_cast<Index>(edge.coordinate)) != Reach::linear) return false;
  const Index step = std::max<Index>(1, probe.num_points() / kDraws);
  for (Index m = 0; m < probe.num_points(); m += step)
    if (std::isnan(first_refused(probe, m, edge, kSpreads))) return false;
  return at_hand.evidence.model->failure_of(edge.status).has_value();
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

// Most of the outermost draws stand before an end of the law, in any coordinate.
bool ends_for_the_outermost(const Probe& probe, Edge& edge) {
  constexpr std::array<double, 2> kSpreads{1.0, 2.0};
  constexpr double kMost = 0.6;  // of the draws
  double asked = 0.0, near = 0.0;
  for (const Index m : outermost(probe, edge)) {
    const double outside = first_refused(probe, m, edge, kSpreads);
    ++asked;
    if (!std::isnan(outside) && has_density_beside(probe, m, edge, outside)) ++near;
    if (near == 0.0 && asked >= 3.0) return false;
  }
  return near > kMost * asked;
}

// What the declaration bounds, if it bounds the value at all: others depend on one another.
const typed::SizedType* bounded_alone(const Case& at_hand, const std::string& name) {
  using typed::Constraint;
  const auto* variable = find_parameter(*at_hand.evidence.program, name.substr(0, name.find('.')));
  const auto* type = variable == nullptr ? nullptr : variable->sized_type.get();
  const bool alone = type != nullptr && (type->constraint == Constraint::none ||
                                         type->constraint == Constraint::affine ||
                                         type->constraint == Constraint::bounds);
  return alone ? type : nullptr;
}

// An upper bound alone turns the coordinate around: its value is log(upper - x).
bool is_above(const typed::SizedType& type, const Edge& edge) {
  const bool turned = type.constraint == typed::Constraint::bounds && type.lower == nullptr;
  return edge.above != turned;
}

Finding finding_of(const Case& at_hand, const Edge& edge, const typed::SizedType& type,
                   Index divergent) {
  const std::string& name = at_hand.probe()->names()[edge.coordinate];
  const bool above = is_above(type, edge);
  return {.id = "missing_constraint",
          .level = Level::bad,
          .parameters = {name},
          .text = "The density refuses " + name + " a little " + (above ? "above" : "below") +
                  " its draws (" + at_hand.evidence.model->describe(edge.status) +
                  "), and the declaration doesn't tell: at that edge trajectories break off, " +
                  counted(divergent, "transition") + " of them here.",
          .remedy = "Declare " + name + " with the bounds that the program needs (" +
                    std::string(above ? "upper" : "lower") +
                    "=...; a bound may be computed from data, as upper=min(y)).",
          .place = at_hand.place_of(name)};
}

// Only where transitions break off: a refusal far away harms nobody.
std::vector<Finding> by_asking(const Case& at_hand, Index divergent) {
  constexpr double kLeast = 0.002;  // of the transitions
  constexpr Index kMostCoordinates = 50;
  const Probe* probe = at_hand.probe();
  if (probe == nullptr ||
      static_cast<double>(divergent) < kLeast * static_cast<double>(at_hand.num_total()))
    return {};
  for (Index d = 0; d < std::min(probe->dimension(), kMostCoordinates); ++d) {
    const auto* type = bounded_alone(at_hand, probe->names()[static_cast<std::size_t>(d)]);
    if (type == nullptr) continue;
    for (const bool above : {true, false}) {
      Edge edge{.coordinate = static_cast<std::size_t>(d), .above = above};
      if (ends_for_all(at_hand, edge) || ends_for_the_outermost(*probe, edge))
        return {finding_of(at_hand, edge, *type, divergent)};
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
  for (const Culprit& culprit : culprits(*evidence.program)) {
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
                                culprit.role + " (" +
                                evidence.program->source.where(culprit.place) +
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

}  // namespace credo::verdict
