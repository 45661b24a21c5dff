#include "model/discrete/discrete.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

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
}  // namespace

DiscreteFactors::DiscreteFactors(graph::Traced traced, graph::Factors factors,
                                 const DiscreteRanges& ranges,
                                 const std::function<std::string(std::int32_t)>& where)
    : traced_(std::move(traced)), factors_(std::move(factors)), ranges_(ranges) {
  if (factors_.too_wide > 0) {
    throw TooManyStates(
        ErrorCode::program,
        fmt::format("more than {} discrete parameters enter one term of the density",
                    graph::kWidestScope),
        where(factors_.too_wide), "write the density so that fewer of them meet in a term");
  }
  plan_ = numerics::plan_elimination(factors_.scopes, sizes_of(ranges), kLargestTable);
  cover_ = std::make_unique<const SiteAssignments>(plan_.scopes, plan_.sizes);
  num_assignments_ = cover_->number(kMostAssignments);
  check_size();
  for (const numerics::Scope& scope : plan_.scopes)
    assignments_.push_back(cover_->holding(plan_, scope));
}

void DiscreteFactors::check_size() const {
  if (plan_.largest_table <= kLargestTable && num_assignments_ <= kMostAssignments) return;
  throw TooManyStates(
      ErrorCode::program,
      fmt::format("the discrete parameters can't be summed out: {} states meet at once, the "
                  "limit is {}",
                  std::max<std::int64_t>(plan_.largest_table, num_assignments_),
                  std::min<std::int64_t>(kLargestTable, kMostAssignments)),
      ranges_.layout.element_name(0),
      "use narrower bounds, or a density in which fewer of them meet in a term");
}

std::vector<double> DiscreteFactors::values_in(Index assignment) const {
  std::vector<double> values;
  for (std::size_t m = 0; m < ranges_.lower.size(); ++m)
    values.push_back(ranges_.lower[m] + cover_->value(assignment, m));
  return values;
}

std::vector<char> DiscreteFactors::that_meet_others() const {
  std::vector<char> meets(plan_.sizes.size(), 0);
  for (const numerics::Scope& scope : plan_.scopes) {
    for (const std::int32_t v : scope) meets[static_cast<std::size_t>(v)] |= scope.size() > 1;
  }
  return meets;
}

// In each assignment: the values of all factors, and their summands.
struct DiscreteFactors::Values {
  std::vector<Expr> vectors;
  std::vector<std::vector<Summands>> summands;
};

SiteSums DiscreteFactors::sums(graph::Substitution& copy, bool with_checks,
                               SumForm form) const {
  Values values;
  Representatives representatives;
  for (Index a = 0; a < num_assignments_; ++a) {
    copy.set(values_in(a), with_checks);
    if (factors_.values.empty()) continue;
    values.vectors.push_back(copy(factors_.values));
    values.summands.push_back(summands_of(values.vectors.back(), representatives));
  }
  SiteSums sums;
  sum_lone(values, sums, form);
  eliminate(values, sums);
  return sums;
}

// Alone they have colour 0, so assignment k has their value k.
void DiscreteFactors::sum_lone(const Values& values, SiteSums& sums, SumForm form) const {
  const std::vector<char> meets = that_meet_others();
  using Possible = std::vector<std::int32_t>;
  std::map<Possible, std::vector<std::int32_t>> lone;  // factors
  for (std::size_t f = 0; f < plan_.scopes.size(); ++f) {
    const auto site = static_cast<std::size_t>(plan_.scopes[f][0]);
    if (meets[site]) continue;
    const auto n = static_cast<std::size_t>(plan_.sizes[site]);
    Possible possible = possible_values(std::span(values.summands).first(n), f);
    lone[std::move(possible)].push_back(static_cast<std::int32_t>(f));
  }
  for (const auto& [possible, factors] : lone) {
    LoneSites& sites =
        sums.lone.emplace_back(lone_sites(factors, possible, values.vectors, values.summands, form));
    for (std::int32_t& site : sites.sites) site = plan_.scopes[static_cast<std::size_t>(site)][0];
    sums.total = sums.total + log_sum(sites, form);
  }
}

void DiscreteFactors::eliminate(const Values& values, SiteSums& sums) const {
  const std::vector<char> meets = that_meet_others();
  SharedSums shared;
  const auto total = [&](std::span<const Expr> terms) { return shared.total(terms); };
  const auto log_sum = [&](std::span<const Expr> terms) {
    sums.buckets.emplace_back(terms.begin(), terms.end());
    return shared.log_sum(terms);
  };
  std::vector<std::vector<Expr>> tables;
  std::vector<numerics::Scope> scopes;
  for (std::size_t f = 0; f < plan_.scopes.size(); ++f) {
    if (!meets[static_cast<std::size_t>(plan_.scopes[f][0])]) continue;
    scopes.push_back(plan_.scopes[f]);
    std::vector<Expr>& table = tables.emplace_back();
    for (const Index a : assignments_[f])
      table.push_back(total(values.summands[static_cast<std::size_t>(a)][f]));
  }
  sums.plan = numerics::plan_elimination(std::move(scopes), plan_.sizes);
  sums.total = sums.total + numerics::eliminate(sums.plan, tables, total, log_sum);
}

graph::Traced DiscreteFactors::summed_out(SumForm form) const {
  graph::Substitution with(traced_, num_free());
  const Expr total = sums(with, form == SumForm::exact, form).total;
  std::vector<Expr> outputs{with(factors_.rest) + total};
  for (const Expr& output : traced_.outputs) outputs.push_back(with(output));
  return with.finish(std::move(outputs));
}

std::pair<DrawPlan, graph::Traced> DiscreteFactors::draws() const {
  graph::Substitution with(traced_, num_free());
  auto [plan, weights] = plan_draws(sums(with, false, SumForm::exact), plan_.sizes);
  return {std::move(plan), with.finish({weights})};
}

Index DiscreteFactors::num_free() const {
  return traced_.graph->node(traced_.input).shape.size() - ranges_.size();
}

}  // namespace credo::model
