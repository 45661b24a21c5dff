#include "model/discrete.hpp"

#include <fmt/format.h>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "graph/op.hpp"
#include "numerics/elementary.hpp"

namespace credo::model {
using graph::Expr;

namespace {
constexpr std::int64_t kLargestTable = 1 << 16;
constexpr Index kMostAssignments = 4096;

std::vector<std::int32_t> sizes_of(const DiscreteRanges& ranges) {
  std::vector<std::int32_t> sizes;
  for (std::size_t m = 0; m < ranges.lower.size(); ++m) sizes.push_back(ranges.num_values(m));
  return sizes;
}

// A state that is impossible whatever the free values are takes no part.
bool is_impossible(const Expr& x) { return x.is_constant() && x.value() == -kInfinity; }

Expr log_sum_of(std::span<const Expr> all) {
  std::vector<Expr> terms;
  std::copy_if(all.begin(), all.end(), std::back_inserter(terms), std::not_fn(is_impossible));
  if (terms.empty()) return -kInfinity;
  if (terms.size() == 1) return terms[0];
  if (terms.size() == 2) return graph::log_sum_exp(terms[0], terms[1]);
  return graph::log_sum_exp(graph::pack(graph::vector_shape(std::ssize(terms)), terms));
}
Expr total_of(std::span<const Expr> terms) {
  if (std::any_of(terms.begin(), terms.end(), is_impossible)) return -kInfinity;
  Expr total = 0.0;
  for (const Expr& term : terms) total = total + term;
  return total;
}

// The summands of each element of x, taken out of the rows that put them together: so one sees
// which are constant, and tables of the same summands are the same for the passes.
std::vector<std::vector<Expr>> summands_of(const Expr& x) {
  std::vector<std::vector<Expr>> result(static_cast<std::size_t>(x.size()));
  const auto put = [&](Index to, std::span<const Expr> terms) {
    auto& list = result[static_cast<std::size_t>(to)];
    list.insert(list.end(), terms.begin(), terms.end());
  };
  const bool opens = !x.is_constant() && x.ref().whole();
  const graph::Node* node = opens ? &x.graph()->node(x.ref().node) : nullptr;
  const std::string_view row = opens ? node->op->name : "";
  std::vector<Expr> in;
  if (opens) {
    for (const graph::Ref& ref : x.graph()->operands(*node)) in.emplace_back(*x.graph(), ref);
  }
  if (row == "pack") {
    for (Index k = 0; k < x.size(); ++k) put(k, {&in[static_cast<std::size_t>(k)], 1});
  } else if (row == "scatter_add") {
    const auto parts = summands_of(in[0]);
    const auto& index = x.graph()->attributes(*node).ints;
    for (std::size_t k = 0; k < parts.size(); ++k) put(index[k], parts[k]);
  } else if (row == "add" && in[0].size() == in[1].size()) {
    for (const Expr& part : in) {
      const auto parts = summands_of(part);
      for (std::size_t k = 0; k < parts.size(); ++k) put(static_cast<Index>(k), parts[k]);
    }
  } else {
    for (Index k = 0; k < x.size(); ++k) {
      const Expr one = x.is_constant() ? Expr(x.value(k)) : x.element(k);
      put(k, {&one, 1});
    }
  }
  return result;
}
}  // namespace

DiscreteFactors::DiscreteFactors(graph::Traced traced, graph::Factors factors,
                                 const DiscreteRanges& ranges,
                                 const std::function<std::string(std::int32_t)>& where)
    : traced_(std::move(traced)), factors_(std::move(factors)), ranges_(ranges) {
  if (factors_.too_wide > 0) {
    throw Error(ErrorCode::program,
                fmt::format("more than {} discrete parameters enter one term of the density",
                            graph::kWidestScope),
                where(factors_.too_wide), "write the density so that fewer of them meet in a term");
  }
  plan_ = numerics::plan_elimination(factors_.scopes, sizes_of(ranges));
  colour();
  check_size();
  find_assignments();
}

// Greedy, in order.
void DiscreteFactors::colour() {
  const auto n = static_cast<std::size_t>(ranges_.size());
  std::vector<std::vector<std::int32_t>> neighbours(n);
  for (const graph::Sites& scope : factors_.scopes) {
    for (const std::int32_t a : scope) {
      for (const std::int32_t b : scope) {
        if (a != b) neighbours[static_cast<std::size_t>(a)].push_back(b);
      }
    }
  }
  colours_.assign(n, -1);
  for (std::size_t m = 0; m < n; ++m) {
    std::vector<char> used(neighbours[m].size() + 1, 0);
    for (const std::int32_t other : neighbours[m]) {
      const std::int32_t c = colours_[static_cast<std::size_t>(other)];
      if (c >= 0 && static_cast<std::size_t>(c) < used.size())
        used[static_cast<std::size_t>(c)] = 1;
    }
    colours_[m] = static_cast<std::int32_t>(std::find(used.begin(), used.end(), 0) - used.begin());
    num_colours_ = std::max<Index>(num_colours_, colours_[m] + 1);
    most_values_ = std::max(most_values_, ranges_.num_values(m));
  }
  for (Index c = 0; c < num_colours_ && num_assignments_ <= kMostAssignments; ++c)
    num_assignments_ *= most_values_;
}

void DiscreteFactors::check_size() const {
  if (plan_.largest_table <= kLargestTable && num_assignments_ <= kMostAssignments) return;
  throw Error(
      ErrorCode::program,
      fmt::format("the discrete parameters can't be summed out: {} states meet at once, the "
                  "limit is {}",
                  std::max<std::int64_t>(plan_.largest_table, num_assignments_),
                  std::min<std::int64_t>(kLargestTable, kMostAssignments)),
      ranges_.names[0], "use narrower bounds, or a density in which fewer of them meet in a term");
}

void DiscreteFactors::find_assignments() {
  std::vector<Index> weights{1};  // of the colours' digits
  for (Index c = 1; c < num_colours_; ++c) weights.push_back(weights.back() * most_values_);
  std::vector<std::int32_t> at(plan_.sizes.size(), 0);
  for (const numerics::Scope& scope : plan_.scopes) {
    std::vector<Index>& list = assignments_.emplace_back();
    numerics::for_each_assignment(plan_, scope, at, [&] {
      Index assignment = 0;
      for (const std::int32_t v : scope) {
        const auto m = static_cast<std::size_t>(v);
        assignment += weights[static_cast<std::size_t>(colours_[m])] * at[m];
      }
      list.push_back(assignment);
    });
  }
}

std::vector<double> DiscreteFactors::values_in(Index assignment) const {
  std::vector<std::int32_t> digits;
  for (Index c = 0; c < num_colours_; ++c) {
    digits.push_back(static_cast<std::int32_t>(assignment % most_values_));
    assignment /= most_values_;
  }
  std::vector<double> values;
  for (std::size_t m = 0; m < ranges_.lower.size(); ++m) {
    const std::int32_t digit = digits[static_cast<std::size_t>(colours_[m])];
    values.push_back(std::min(ranges_.lower[m] + digit, ranges_.upper[m]));
  }
  return values;
}

graph::Traced DiscreteFactors::factor_graph() const {
  graph::Substitution copy(traced_, traced_.graph->node(traced_.input).shape.size());
  copy.set({}, false);
  return copy.finish({copy(factors_.values)});
}

std::vector<char> DiscreteFactors::that_meet_others() const {
  std::vector<char> meets(plan_.sizes.size(), 0);
  for (const numerics::Scope& scope : plan_.scopes) {
    for (const std::int32_t v : scope) meets[static_cast<std::size_t>(v)] |= scope.size() > 1;
  }
  return meets;
}

graph::Traced DiscreteFactors::summed_out() const {
  const Index all = traced_.graph->node(traced_.input).shape.size();
  graph::Substitution with(traced_, all - ranges_.size());
  std::vector<Expr> values;
  for (Index a = 0; a < num_assignments_; ++a) {
    with.set(values_in(a), true);
    if (!factors_.values.empty()) values.push_back(with(factors_.values));
  }
  // Parameters that meet no other are summed all at once, the others by elimination.
  std::vector<std::vector<Expr>> tables;
  std::vector<numerics::Scope> scopes;
  const std::vector<char> meets = that_meet_others();
  std::vector<std::vector<std::vector<Expr>>> summands;
  for (const Expr& each : values) summands.push_back(summands_of(each));
  const auto entry = [&](Index a, std::size_t f) {
    return total_of(summands[static_cast<std::size_t>(a)][f]);
  };
  for (std::size_t f = 0; f < plan_.scopes.size(); ++f) {
    if (!meets[static_cast<std::size_t>(plan_.scopes[f][0])]) continue;
    scopes.push_back(plan_.scopes[f]);
    tables.push_back(table<Expr>(f, entry));
  }
  const auto plan = numerics::plan_elimination(std::move(scopes), plan_.sizes);
  std::vector<Expr> outputs{with(factors_.rest) + sum_single(values) +
                            numerics::eliminate(plan, tables, total_of, log_sum_of)};
  for (const Expr& output : traced_.outputs) outputs.push_back(with(output));
  return with.finish(std::move(outputs));
}

// By number of values: one vector of factors for each value.
Expr DiscreteFactors::sum_single(std::span<const Expr> values) const {
  std::map<std::int32_t, std::vector<std::int32_t>> factors;  // by number of values
  const std::vector<char> meets = that_meet_others();
  for (std::size_t f = 0; f < plan_.scopes.size(); ++f) {
    const auto m = static_cast<std::size_t>(plan_.scopes[f][0]);
    if (!meets[m]) factors[plan_.sizes[m]].push_back(static_cast<std::int32_t>(f));
  }
  Expr total = 0.0;
  for (const auto& [size, index] : factors) {
    Expr sum;
    for (std::int32_t k = 0; k < size; ++k) {  // alone, they have colour 0
      const Expr part = graph::gather(graph::vector_shape(ssize(index)),
                                      values[static_cast<std::size_t>(k)], index);
      sum = sum.empty() ? part : graph::log_sum_exp(sum, part);
    }
    total = total + graph::sum(sum);
  }
  return total;
}

// ---- draws

DiscreteDrawer::DiscreteDrawer(std::shared_ptr<const DiscreteFactors> factors,
                               std::shared_ptr<const graph::Program> program)
    : factors_(std::move(factors)),
      program_(std::move(program)),
      workspace_(*program_, graph::kMaxLanes),
      input_(static_cast<std::size_t>(program_->input_size())),
      values_(static_cast<std::size_t>(factors_->num_assignments())) {
  for (Index a = 0; a < factors_->num_assignments(); ++a) states_.push_back(factors_->values_in(a));
}

void DiscreteDrawer::evaluate(std::span<const double> point) {
  std::copy(point.begin(), point.end(), input_.begin());
  const Index num = factors_->num_assignments(), lanes = num >= 8   ? 8
                                                         : num >= 4 ? 4
                                                         : num >= 2 ? 2
                                                                    : 1;
  workspace_.set_lanes(lanes);
  for (Index first = 0; first < num; first += lanes) {
    for (Index l = 0; l < lanes; ++l) {
      const auto& z = states_[static_cast<std::size_t>(std::min(first + l, num - 1))];
      std::copy(z.begin(), z.end(), input_.begin() + std::ssize(point));
      workspace_.set_input(l, input_);
    }
    workspace_.run();
    for (Index l = 0; l < lanes && first + l < num; ++l) {
      auto& values = values_[static_cast<std::size_t>(first + l)];
      values.resize(static_cast<std::size_t>(program_->output_size(0)));
      workspace_.copy_output(0, l, values);
    }
  }
}

namespace {
double log_sum(std::span<const double> terms) {
  const double largest = *std::max_element(terms.begin(), terms.end());
  if (!(largest > -kInfinity)) return largest;
  double sum = 0.0;
  for (const double term : terms) sum += numerics::exp(term - largest);
  return largest + numerics::log(sum);
}
double total(std::span<const double> terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

std::int32_t chosen(std::span<double> weights, Rng& rng) {  // logarithms; all -infinity: alike
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& w : weights) w = largest > -kInfinity ? numerics::exp(w - largest) : 1.0;
  return static_cast<std::int32_t>(choose_by_weight(weights, rng.uniform()));
}
}  // namespace

void DiscreteDrawer::draw(std::span<const double> point, Rng& rng, std::span<double> out) {
  evaluate(point);
  const numerics::EliminationPlan& plan = factors_->plan();
  const DiscreteRanges& ranges = factors_->ranges();
  std::vector<std::vector<double>> tables;
  for (std::size_t f = 0; f < plan.scopes.size(); ++f) {
    tables.push_back(factors_->table<double>(f, [&](Index a, std::size_t k) {
      const double value = values_[static_cast<std::size_t>(a)][k];
      return std::isnan(value) ? -kInfinity : value;
    }));
  }
  numerics::eliminate(plan, tables, total, log_sum);
  std::vector<std::int32_t> drawn(out.size(), -1);
  numerics::draw_back(plan, tables, drawn,
                      [&](std::span<double> weights) { return chosen(weights, rng); });
  for (std::size_t m = 0; m < out.size(); ++m) {
    if (drawn[m] < 0)  // in no factor: all values alike
      drawn[m] = static_cast<std::int32_t>(rng.index_below(ranges.num_values(m)));
    out[m] = ranges.lower[m] + drawn[m];
  }
}

}  // namespace credo::model
